//! File-system accounting: why df reports more than the scan found.
//!
//! Terms of the accounting, each with the module that computes the term:
//!
//! ```text
//! used  =  scanned (each inode once)                                     scanned
//!        + covered by other mounts                                         covered
//!        + deleted but still open                                          platform::process::open_files
//!        + overhead of the file system                                     parts
//!        + outside the scan, unreadable or unexplained                     usage
//! ```
//!
//! [`report`] accounts for every file system that the scan visited. [`account`] does the same in the background for the
//! browser. `rows` converts the result to the lines that the browser and `duke df` show. Their texts are in `labels`,
//! and `explain` explains a line. A value that the kernel or the file system does not report is an `Err` or `None`
//! here, and is shown as unknown.

mod covered;
pub mod explain;
pub mod labels;
mod mount_map;
mod parts;
pub mod rows;
mod scanned;
pub mod subvolumes;
mod usage;
mod volume;

use std::io;

use crate::base::sort::{sort_by, sort_by_key};
pub use crate::platform::Errno;
use crate::platform::fs::answer::{LIMIT, within};
pub use crate::platform::fs::capacity::Capacity;
use crate::platform::fs::capacity::capacity;
use crate::platform::fs::mounts::{Mount, mounts, standing};
use crate::platform::fs::overhead;
use crate::platform::fs::overhead::Native;
pub use crate::platform::fs::overhead::btrfs::Subvolume;
use crate::platform::process::open_files;
pub use crate::platform::process::open_files::{ProcessAccess, Through, UnlinkedFile};

use crate::base::format::Units;
use crate::base::job::{Job, Pool};
use crate::base::sync::Arc;
use crate::tree::{DirId, EntryState, Metadata, Tree};
pub use covered::{CoveredFiles, Hidden};
use mount_map::{MountMap, System};
use parts::parts;
pub use parts::{CountedAs, Overhead, OverheadKind};
use rows::Row;
pub use scanned::Scanned;
use scanned::{CountedInodes, ScannedSizes};
pub use usage::{FileSystemUsage, Note, Report, Unexplained};
pub use volume::{NotScanned, Volume};

/// File system of a scan root.
#[derive(Clone, Debug)]
pub enum FileSystem {
    /// The root is a mount point, so the rest of the file system can be accounted for.
    Accounted(FileSystemUsage),
    /// The root is not a mount point, so only the sizes that df reports for the file system are known.
    Shown(Volume),
}

/// Space accounting for the file systems, and the lines that show it.
#[derive(Clone, Debug, Default)]
pub struct Account {
    pub report: Report,
    /// Lines in display order.
    pub rows: Vec<Row>,
}

/// Starts a job that computes the space accounting for every file system in `tree`. The file system that contains
/// `from` comes first.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn account(pool: &Pool, tree: Arc<Tree>, from: DirId, units: Units) -> io::Result<Job<Account>> {
    pool.start(move |task| {
        let report = report(&tree, from, &|| task.is_cancelled());
        if !task.is_cancelled() {
            task.publish(Account { rows: rows::ledger(&report, units), report });
        }
    })
}

/// Starts a job that checks whether any root is a mount point. Only the file system of such a root can be accounted
/// for completely.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn is_whole(pool: &Pool, tree: Arc<Tree>) -> io::Result<Job<bool>> {
    pool.start(move |task| task.publish(whole_root(&tree).is_some()))
}

/// Starts querying the file system of a directory for its mount, size and free space. The result is `None` if the
/// directory no longer exists.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn volume_of(pool: &Pool, tree: Arc<Tree>, id: DirId) -> io::Result<Job<Option<Volume>>> {
    pool.start(move |task| {
        task.publish(crate::scan::path_of(&tree, id).and_then(|path| Volume::of_root(&path)));
    })
}

/// Returns the space accounting for every file system in `tree`, beginning with the one that contains `from`. Makes
/// system calls that can take a while. If `is_cancelled` returns `true`, returns early with an incomplete result.
pub fn report(tree: &Tree, from: DirId, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Report {
    Report { spaces: spaces(tree, from, usize::MAX, is_cancelled) }
}

/// Returns the space accounting for the first root that is a mount point. Without such a root, returns `None` or, if
/// `anywhere` is `true`, only df's numbers for the first root that still exists.
pub fn of_roots(tree: &Tree, anywhere: bool) -> Option<FileSystem> {
    if let Some(root) = whole_root(tree) {
        return spaces(tree, root, 1, &|| false).pop().map(FileSystem::Accounted);
    }
    if !anywhere {
        return None;
    }
    let roots = tree.listing(DirId::TOP);
    let mut known = roots.entries().filter(|(_, root)| matches!(root.state, EntryState::Known(_)));
    known.find_map(|(_, root)| Volume::of_root(&crate::scan::path(root.name.to_vec()))).map(FileSystem::Shown)
}

/// Returns the first root that is a mount point.
fn whole_root(tree: &Tree) -> Option<DirId> {
    tree.listing(DirId::TOP).entries().find_map(|(_, root)| {
        let EntryState::Known(Metadata { directory, .. }) = root.state else { return None };
        let standing = standing(&crate::scan::path(root.name.to_vec())).ok()?;
        directory.filter(|_| standing.is_mount_point)
    })
}

/// Returns the space accounting for at most `most` file systems. The file system that contains `from` comes first.
fn spaces(
    tree: &Tree,
    from: DirId,
    most: usize,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<FileSystemUsage> {
    let mounts = mounts().unwrap_or_default();
    let mut regions = mount_map::find(tree, &mounts);
    let mut counted = CountedInodes::default();
    let sums = scanned::add_up(tree, &mut regions, &mut counted);
    let open = open_files::find(is_cancelled);
    let first = first_system(tree, &regions, &sums, from);
    let mut order: Vec<usize> = (0..regions.systems.len()).collect();
    sort_by_key(&mut order, |index| Some(*index) != first);
    order.truncate(most);
    let mut spaces = Vec::new();
    let sizes = sizes(order.iter().map(|index| &regions.systems[*index]));
    for (index, sizes) in order.into_iter().zip(sizes) {
        let system = &regions.systems[index];
        let covers = if sizes.is_some() { system.covers.as_slice() } else { &[] };
        let covered = covered::scan(covers, &mut counted, is_cancelled);
        let space = space(system, sums.scanned[index], sizes);
        let deleted = of_system(&open.files, system, &mounts);
        spaces.push(FileSystemUsage { covered, deleted, access: open.access, ..space });
    }
    spaces
}

fn first_system(tree: &Tree, regions: &MountMap, sums: &ScannedSizes, from: DirId) -> Option<usize> {
    let root = || tree.listing(DirId::TOP).directories().next();
    let from = if from == DirId::TOP { root()? } else { from };
    sums.system(from).or_else(|| tree.ancestry(from).find_map(|id| regions.starts.get(&id).copied()))
}

/// Capacity at [`System::path`], which a project quota may reduce, and capacity at the mount point of the file system.
/// The second is `None` if the mount is unknown or its capacity cannot be read.
type Sizes = (Result<Capacity, Errno>, Option<Capacity>);

/// Returns the [`Sizes`] of each file system, or `None` for a file system that did not respond during the scan or does
/// not respond within the time limit.
fn sizes<'s>(systems: impl Iterator<Item = &'s System>) -> Vec<Option<Sizes>> {
    let question = |system: &System| {
        let (path, is_silent) = (system.path.clone(), system.is_silent);
        let point = system.mount().map(mount_map::point);
        move || {
            let ask = || (capacity(&path), point.as_ref().and_then(|point| capacity(point).ok()));
            (!is_silent).then(ask)
        }
    };
    within(LIMIT, systems.map(question)).into_iter().map(Option::flatten).collect()
}

fn space(system: &System, scanned: Scanned, sizes: Option<Sizes>) -> FileSystemUsage {
    let outside = if system.is_whole { Vec::new() } else { NotScanned::of(system.mount(), &system.path) };
    let (here, whole) = sizes.unwrap_or((Err(Errno::ETIMEDOUT), None));
    let capacity = whole.map_or(here, Ok);
    // No more requests are sent to a file system that did not respond.
    let mounts = if sizes.is_some() { system.mounts.as_slice() } else { &[] };
    let native = overhead::ask(mounts, &system.path);
    FileSystemUsage {
        volume: Volume { path: system.path.clone(), mount: system.mount().cloned(), capacity, outside },
        scanned,
        covered: Vec::new(),
        deleted: Vec::new(),
        access: ProcessAccess::None,
        parts: capacity.map(|capacity| parts(&native, &capacity)).unwrap_or_default(),
        notes: if sizes.is_some() { notes(system, native, (here.ok(), whole)) } else { Vec::new() },
    }
}

fn notes(system: &System, native: Native, sizes: (Option<Capacity>, Option<Capacity>)) -> Vec<Note> {
    let mut notes = Vec::new();
    let mount = system.mount();
    match (mount.map(|mount| (mount, mount.kind.as_slice())), native) {
        (Some((mount, b"overlay")), _) => notes.push(layers(mount)),
        (Some((_, b"tmpfs" | b"ramfs")), _) => notes.push(Note::Memory),
        (_, Native::Btrfs(btrfs)) => match btrfs.subvolumes {
            Some(subvolumes) => {
                notes.extend((!subvolumes.is_empty()).then_some(Note::Subvolumes(subvolumes)));
            }
            None => notes.push(Note::Refused(Errno::EPERM)),
        },
        (_, Native::Apfs(apfs)) => notes.extend(apfs.snapshots.map(Note::Snapshots)),
        (_, Native::Refused(error)) => notes.push(Note::Refused(error)),
        (_, Native::Ext { .. } | Native::Xfs(_) | Native::Silent) => {}
    }
    notes.extend(mount.and_then(overhead::quota).map(Note::Quota));
    if let (Some(shown), Some(whole)) = sizes
        && shown.size < whole.size
    {
        notes.push(Note::DirectoryLimit { shown: shown.size, whole: whole.size });
    }
    notes
}

/// Returns the layers of an overlay. In the mount options, colons separate layers, and double colons separate data-only
/// layers.
fn layers(mount: &Mount) -> Note {
    let split = |layers: &[u8]| -> Vec<Vec<u8>> {
        layers.split(|byte| *byte == b':').filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let lower = mount.option(b"lowerdir").chain(mount.option(b"lowerdir+")).flat_map(split).collect();
    Note::Layers { upper: mount.option(b"upperdir").next().map(<[u8]>::to_vec), lower }
}

/// Returns the deleted but open files on a file system, largest first.
fn of_system(files: &[UnlinkedFile], system: &System, mounts: &[Mount]) -> Vec<UnlinkedFile> {
    let device = system.mount().map(|mount| mount.device);
    let is_its_mount = |id: u64| mounts.iter().any(|mount| mount.id == id && Some(mount.device) == device);
    let is_on_it = |file: &&UnlinkedFile| {
        let is_device = system.devices.contains(&file.device) || Some(file.device) == device;
        is_device || file.mount.is_some_and(is_its_mount)
    };
    let mut found: Vec<UnlinkedFile> = files.iter().filter(is_on_it).cloned().collect();
    sort_by(&mut found, |one, other| other.disk.cmp(&one.disk).then_with(|| one.path.cmp(&other.path)));
    found
}
