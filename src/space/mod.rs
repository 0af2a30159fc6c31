//! Where is the rest: what df says of a file system, explained by the tree and by what no tree can see.
//!
//! ```text
//! used  =  scanned (each inode once)                                     scanned
//!        + hidden under other mounts                                     shadow
//!        + deleted, but still open                                       platform::deleted
//!        + what the file system takes for itself                         parts
//!        + outside of what was scanned, unreadable, and a remainder      what is left
//! ```
//!
//! [`report`] makes the accounting of every file system that a scan has met; [`account`] does so beside the screen. `rows` is how a
//! person sees it, in the browser as in `duke df`; `words` explains a row. What a kernel or a file system does not tell is an
//! `Err` or `None` here, and is said so.
//!
//! Knows no screen. Invariant: [`Space::remainder`] is what is left of "used" after all that is known, never a
//! number of its own.

mod parts;
mod regions;
pub mod rows;
mod scanned;
mod shadow;
mod volume;
pub mod words;

use std::io;

pub use crate::platform::Errno;
pub use crate::platform::capacity::Capacity;
use crate::platform::capacity::capacity;
use crate::platform::deleted;
pub use crate::platform::deleted::{Deleted, Holder, Reach, Through};
use crate::platform::mounts::{Mount, mounts, standing};
pub use crate::platform::native::Quota;
pub use crate::platform::native::btrfs::Subvolume;
use crate::platform::native::{self, Native};

use crate::job::{Job, Pool};
use crate::size::Units;
use crate::sync::Arc;
use crate::tree::{Content, DirId, Facts, Tree};
pub use parts::{Part, Standing, What};
use regions::{Regions, System};
use rows::Row;
pub use scanned::Scanned;
use scanned::{Met, Sums};
pub use shadow::{Hidden, Shadow};
pub use volume::{Outside, Volume};

/// The accounting of one file system.
#[derive(Clone, Debug)]
pub struct Space {
    /// What df says of it.
    pub volume: Volume,
    /// What the scan has met.
    pub scanned: Scanned,
    /// What mount points hide.
    pub shadows: Vec<Shadow>,
    /// Files without a name that processes hold.
    pub deleted: Vec<Deleted>,
    /// Whose files those are.
    pub reach: Reach,
    /// What it takes for itself.
    pub parts: Vec<Part>,
    /// What else there is to know.
    pub notes: Vec<Note>,
}

/// What else there is to know of a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// It is made of layers: where what is written goes, and what lies below.
    Layers {
        /// The directory that takes what is written.
        upper: Option<Vec<u8>>,
        /// The directories below, the topmost first.
        lower: Vec<Vec<u8>>,
    },
    /// It is in memory.
    Memory,
    /// It has subvolumes.
    Subvolumes(Vec<Subvolume>),
    /// It has snapshots of these names.
    Snapshots(Vec<Vec<u8>>),
    /// A quota allows the person who runs this only so much.
    Quota(Quota),
    /// A quota of the directory makes df show less than there is.
    DirectoryLimit {
        /// What df says of the directory.
        shown: u64,
        /// What it says of the mount point.
        whole: u64,
    },
    /// It would tell more to root.
    Refused(Errno),
}

/// Every file system that a scan has met.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The file systems: that of the directory asked for first, then as they were met.
    pub spaces: Vec<Space>,
}

/// What is left of "used" after all that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remainder {
    /// So many bytes are not explained.
    Missing(u64),
    /// What is known is so many bytes more than is used: something is counted more than once.
    Shared(u64),
}

impl Space {
    /// What is left of "used"; none if the system does not tell how much is used.
    pub fn remainder(&self) -> Option<Remainder> {
        let used = self.volume.capacity.ok()?.used();
        let known = self.known();
        Some(match used.checked_sub(known) {
            Some(missing) => Remainder::Missing(missing),
            None => Remainder::Shared(known - used),
        })
    }

    /// Bytes that are explained.
    fn known(&self) -> u64 {
        let parts = self.parts.iter().filter(|part| part.standing == Standing::Used);
        let parts = parts.fold(0_u64, |sum, part| sum.saturating_add(part.bytes));
        [self.hidden(), self.deleted_bytes(), parts].into_iter().fold(self.scanned.disk, u64::saturating_add)
    }

    /// Bytes below mount points, as far as they could be looked at.
    pub fn hidden(&self) -> u64 {
        let known = self.shadows.iter().filter_map(|shadow| shadow.hidden.ok());
        known.fold(0, |sum, hidden| sum.saturating_add(hidden.disk))
    }

    /// Bytes of files without a name, as far as their sizes are known.
    pub fn deleted_bytes(&self) -> u64 {
        self.deleted.iter().filter_map(|file| file.disk).fold(0, u64::saturating_add)
    }
}

/// The file system of a root, as a scan tells it.
#[derive(Clone, Debug)]
pub enum FileSystem {
    /// The root is a mount point, so that something can be said of the rest.
    Accounted(Space),
    /// The root lies below it: what df says.
    Shown(Volume),
}

/// A report and its lines.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The file systems.
    pub report: Report,
    /// As they are read.
    pub rows: Vec<Row>,
}

/// Begins the accounting of every file system that `tree` has met, that of `from` first.
///
/// # Errors
/// When the system gives no thread.
pub fn account(pool: &Pool, tree: Arc<Tree>, from: DirId, units: Units) -> io::Result<Job<Account>> {
    pool.start(move |task| {
        let report = report(&tree, from, &|| task.is_cancelled());
        if !task.is_cancelled() {
            task.publish(Account { rows: rows::ledger(&report, units), report });
        }
    })
}

/// Begins to find out whether a root is the topmost directory of a file system, so that its accounting leaves nothing outside.
///
/// # Errors
/// When the system gives no thread.
pub fn is_whole(pool: &Pool, tree: Arc<Tree>) -> io::Result<Job<bool>> {
    pool.start(move |task| task.publish(whole_root(&tree).is_some()))
}

/// The accounting of every file system that `tree` has met, that of `from` first. Asks the system for all it
/// takes, which may be a while; ends early, with less, once `is_cancelled`.
pub fn report(tree: &Tree, from: DirId, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Report {
    Report { spaces: spaces(tree, from, usize::MAX, is_cancelled) }
}

/// The file system of the first root that is a mount point; if there is none, and `anywhere`, of the first root. Looking for deleted files
/// and below mounts is for who asks with [`report`], unless the scan was of all there is.
pub fn of_roots(tree: &Tree, anywhere: bool) -> Option<FileSystem> {
    if let Some(root) = whole_root(tree) {
        return spaces(tree, root, 1, &|| false).pop().map(FileSystem::Accounted);
    }
    if !anywhere {
        return None;
    }
    let roots = tree.listing(DirId::TOP);
    let mut known = roots.entries().filter(|(_, root)| matches!(root.content, Content::Known(_)));
    known.find_map(|(_, root)| Volume::of_root(&crate::scan::path(root.name.to_vec()))).map(FileSystem::Shown)
}

/// The first root that is the topmost directory of a file system.
fn whole_root(tree: &Tree) -> Option<DirId> {
    tree.listing(DirId::TOP).entries().find_map(|(_, root)| {
        let Content::Known(Facts { directory, .. }) = root.content else { return None };
        let standing = standing(&crate::scan::path(root.name.to_vec())).ok()?;
        directory.filter(|_| standing.is_mount_point)
    })
}

/// The accounting of at most so many file systems, that of `from` first.
fn spaces(tree: &Tree, from: DirId, most: usize, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Vec<Space> {
    let mounts = mounts().unwrap_or_default();
    let mut regions = regions::find(tree, &mounts);
    let mut met = Met::default();
    let sums = scanned::add_up(tree, &mut regions, &mut met);
    let open = deleted::find(is_cancelled);
    let first = first_system(tree, &regions, &sums, from);
    let mut order: Vec<usize> = (0..regions.systems.len()).collect();
    order.sort_by_key(|index| Some(*index) != first);
    let mut spaces = Vec::new();
    for index in order.into_iter().take(most) {
        let system = &regions.systems[index];
        let shadows = shadow::look(&system.covers, &mut met, is_cancelled);
        let deleted = of_system(&open.files, system, &mounts);
        let space = space(system, sums.scanned[index]);
        spaces.push(Space { shadows, deleted, reach: open.reach, ..space });
    }
    spaces
}

fn first_system(tree: &Tree, regions: &Regions, sums: &Sums, from: DirId) -> Option<usize> {
    let root = || tree.listing(DirId::TOP).directories().next();
    let from = if from == DirId::TOP { root()? } else { from };
    sums.system(from).or_else(|| tree.ancestry(from).find_map(|id| regions.starts.get(&id).copied()))
}

fn space(system: &System, scanned: Scanned) -> Space {
    let here = capacity(&system.path);
    let whole = system.mount.as_ref().and_then(|mount| capacity(&regions::point(mount)).ok());
    let native = system.mount.as_ref().map_or(Native::Silent, |mount| native::ask(mount, &system.path));
    let capacity = whole.map_or(here, Ok);
    let outside = if system.is_whole { Vec::new() } else { Outside::of(system.mount.as_ref(), &system.path) };
    Space {
        volume: Volume { path: system.path.clone(), mount: system.mount.clone(), capacity, outside },
        scanned,
        shadows: Vec::new(),
        deleted: Vec::new(),
        reach: Reach::None,
        parts: capacity.map(|capacity| parts::parts(&native, &capacity)).unwrap_or_default(),
        notes: notes(system, native, (here.ok(), whole)),
    }
}

fn notes(system: &System, native: Native, sizes: (Option<Capacity>, Option<Capacity>)) -> Vec<Note> {
    let mut notes = Vec::new();
    let mount = system.mount.as_ref();
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
    notes.extend(mount.and_then(native::quota).map(Note::Quota));
    if let (Some(shown), Some(whole)) = sizes
        && shown.size < whole.size
    {
        notes.push(Note::DirectoryLimit { shown: shown.size, whole: whole.size });
    }
    notes
}

/// The layers of an overlay; a colon parts them, a doubled one parts those that hold data only.
fn layers(mount: &Mount) -> Note {
    let split = |layers: &[u8]| -> Vec<Vec<u8>> {
        layers.split(|byte| *byte == b':').filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let lower = mount.option(b"lowerdir").chain(mount.option(b"lowerdir+")).flat_map(split).collect();
    Note::Layers { upper: mount.option(b"upperdir").next().map(<[u8]>::to_vec), lower }
}

/// The files that lie on a file system: by device, or by a mount of it.
fn of_system(files: &[Deleted], system: &System, mounts: &[Mount]) -> Vec<Deleted> {
    let device = system.mount.as_ref().map(|mount| mount.device);
    let is_its_mount = |id: u64| mounts.iter().any(|mount| mount.id == id && Some(mount.device) == device);
    let is_on_it = |file: &&Deleted| {
        let is_device = system.devices.contains(&file.device) || Some(file.device) == device;
        is_device || file.mount.is_some_and(is_its_mount)
    };
    let mut found: Vec<Deleted> = files.iter().filter(is_on_it).cloned().collect();
    found.sort_by(|one, other| other.disk.cmp(&one.disk).then_with(|| one.path.cmp(&other.path)));
    found
}
