//! Sharing of copies: identical files use the same data on disk.
//!
//! Before the kernel shares data, it locks both files and compares their bytes again. A file that has changed is
//! therefore not shared. Names, contents and times of the files do not change.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::copy_files::{
    CopyDirectories, CopyFile, CopyName, DirectoriesBuilder, LastDirectory, SelectedItems,
};
use super::{Failures, Reason, Selection};
use crate::base::job::Task;
use crate::platform::entry::contents::{Contents, StoredContents, sync_file_system};
use crate::platform::fs::capacity::capacity;
use crate::platform::{Errno, FileId};
use crate::tree::{DirId, Tree};

/// Maximum number of bytes per call of [`share_range`].
const STEP: u64 = 16 << 20;

/// Sets of files that will share their data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopySharing {
    directories: CopyDirectories,
    /// Sets of identical files. In each set, the other files will use the data of the first file.
    sets: Vec<Vec<CopyFile>>,
}

/// Progress or result of sharing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SharedData {
    /// Number of files that now use the data of another file. Files that already shared all of their data before are
    /// not counted.
    pub(super) files: u64,
    /// Number of bytes that the files counted in `files` share now and did not share before. If the system does not
    /// report where data is stored, all bytes of these files count.
    pub(super) bytes: u64,
    /// Change in free space in bytes; `None` if unknown.
    pub(super) gained: Option<i64>,
    pub(super) failures: Failures,
}

/// Result for each file, in the order of [`CopySharing::items`]: the number of bytes shared, or the reason for a
/// failure. The result is `None` if the operation was canceled before the file was processed.
type ItemResults = Vec<Option<Result<u64, Reason>>>;

impl CopySharing {
    /// Plans the sharing. In each set, the selected files, including those in selected directories, will use the data
    /// of an unselected file. Without a selection, or if all files of the set are selected, all files will use the data
    /// of one of them. If several files can provide the data, it is taken from the file with the least disk usage, so
    /// that the other files benefit from its holes and compression.
    pub fn new<'n, S: AsRef<[CopyName<'n>]>>(
        tree: &Tree,
        selection: Option<&Selection>,
        sets: impl IntoIterator<Item = S>,
    ) -> Self {
        let selected = selection.map(|selection| SelectedItems::of(tree, &selection.groups));
        let mut directories = DirectoriesBuilder::new(tree);
        let mut found = Vec::new();
        for set in sets {
            let is_selected =
                |copy: &CopyName<'_>| selected.as_ref().is_none_or(|selected| selected.item(copy).is_some());
            let (wanted, others): (Vec<CopyName<'_>>, Vec<_>) =
                set.as_ref().iter().partition(|copy| is_selected(copy));
            let sources = if others.is_empty() { &wanted } else { &others };
            let source = sources.iter().min_by_key(|copy| copy.state.disk);
            // Several names of one inode count as one file.
            let mut inodes: HashSet<FileId> = HashSet::new();
            let files = source.into_iter().chain(&wanted).filter(|copy| inodes.insert(copy.state.id));
            let files: Vec<CopyFile> = files.filter_map(|copy| directories.file(copy)).collect();
            if files.len() > 1 {
                found.push(files);
            }
        }
        Self { directories: directories.finish(), sets: found }
    }

    /// Returns the plan without the files that need no sharing, because they already share all of their data with the
    /// first file of their set. A file that cannot be opened stays in the plan, so that its failure is reported. After
    /// `is_cancelled` first returns `true`, all files that have not been checked stay in the plan.
    pub(super) fn without_shared(&self, is_cancelled: &dyn Fn() -> bool) -> Self {
        let mut open = LastDirectory::default();
        let mut is_needed = |from: &StoredContents, file: &CopyFile| {
            let to = open.open_file(&self.directories, file);
            !to.is_ok_and(|to| to.unshared_with(from).is_some_and(|ranges| ranges.is_empty()))
        };
        let needed = |set: &Vec<CopyFile>| {
            let from = || LastDirectory::default().open_file(&self.directories, &set[0]).ok()?.stored();
            let Some(from) = (!is_cancelled()).then(from).flatten() else { return Some(set.clone()) };
            let receivers = set[1..].iter().filter(|file| is_cancelled() || is_needed(&from, file));
            let files: Vec<CopyFile> = set[..1].iter().chain(receivers).cloned().collect();
            (files.len() > 1).then_some(files)
        };
        let sets = self.sets.iter().filter_map(needed).collect();
        Self { directories: self.directories.clone(), sets }
    }

    /// Returns the number of files that would use the data of another file.
    pub fn files(&self) -> u64 {
        self.receivers().count() as u64
    }

    /// Returns the disk usage in bytes of the files counted by [`CopySharing::files`].
    pub fn disk(&self) -> u64 {
        self.receivers().fold(0, |sum, file| sum.saturating_add(file.state.disk))
    }

    /// Returns the directories in the tree that contain the files counted by [`CopySharing::files`].
    pub fn directories(&self) -> Vec<DirId> {
        let mut directories: Vec<DirId> =
            self.receivers().map(|file| self.directories.group(file.directory).directory).collect();
        directories.sort_unstable();
        directories.dedup();
        directories
    }

    /// Returns the path and disk usage in bytes of each file counted by [`CopySharing::files`].
    pub(super) fn items(&self) -> Vec<(Vec<u8>, u64)> {
        self.receivers().map(|file| (self.directories.path(file), file.state.disk)).collect()
    }

    fn receivers(&self) -> impl Iterator<Item = &CopyFile> {
        self.sets.iter().flat_map(|set| &set[1..])
    }
}

/// Makes the files share their data. Returns the totals, with the change in free space, and the result for each file.
pub(super) fn run<T: Send + Sync>(
    task: &Task<T>,
    sharing: &CopySharing,
    report: &dyn Fn(SharedData),
) -> (SharedData, ItemResults) {
    let is_cancelled = || task.is_cancelled();
    let mut sharer = Sharer {
        sharing,
        is_cancelled: &is_cancelled,
        report,
        open: LastDirectory::default(),
        free: FreeSpace::before(sharing),
        shared: SharedData::default(),
        items: Vec::new(),
    };
    sharing.sets.iter().for_each(|set| sharer.share_set(set));
    (SharedData { gained: sharer.free.gained(sharing), ..sharer.shared }, sharer.items)
}

struct Sharer<'s> {
    sharing: &'s CopySharing,
    is_cancelled: &'s dyn Fn() -> bool,
    report: &'s dyn Fn(SharedData),
    open: LastDirectory,
    free: FreeSpace,
    shared: SharedData,
    items: ItemResults,
}

/// Error for files on different file systems.
const OTHER_FILE_SYSTEM: Reason = Reason::System(Errno::EXDEV as i32);
const APART: Reason = Reason::StoredApart;

/// File that does not yet share its data with other files of its set.
#[derive(Clone, Copy)]
struct SetMember<'s> {
    /// Index in the set.
    number: usize,
    file: &'s CopyFile,
    /// Reason why the previous attempt to use the data of another file failed; `None` before the first attempt.
    before: Option<Reason>,
}

impl Sharer<'_> {
    /// Makes all files of a set use the data of the first file that is unchanged and can be opened. Files that cannot
    /// share data with that file, because they are on another file system or stored differently
    /// ([`Reason::StoredApart`]), are then made to share data with each other.
    fn share_set(&mut self, set: &[CopyFile]) {
        let first = self.items.len();
        self.items.resize(first + set.len() - 1, None);
        let mut rest: Vec<SetMember<'_>> =
            set.iter().enumerate().map(|(number, file)| SetMember { number, file, before: None }).collect();
        while let [source, receivers @ ..] = rest.as_slice() {
            let mut others = Vec::new();
            let from = self.open.open_file(&self.sharing.directories, source.file);
            let stored = from.as_ref().ok().filter(|_| !receivers.is_empty()).and_then(Contents::stored);
            for member in receivers {
                if (self.is_cancelled)() {
                    return;
                }
                let shared = |from| self.share(from, stored.as_ref(), member.file);
                match from.as_ref().map_or(Err(OTHER_FILE_SYSTEM), shared) {
                    Err(reason)
                        if reason == OTHER_FILE_SYSTEM || reason == APART && member.before != Some(APART) =>
                    {
                        others.push(SetMember { before: Some(reason), ..*member });
                    }
                    result => {
                        if result.is_ok_and(|bytes| bytes > 0) {
                            self.free.join(source.file, member.file);
                        }
                        self.record(first + member.number - 1, member.file, result);
                    }
                }
            }
            let given = match from {
                Ok(_) if receivers.is_empty() => Err(source.before.unwrap_or(OTHER_FILE_SYSTEM)),
                Ok(_) => Ok(0),
                Err(reason) => Err(reason),
            };
            // `CopySharing::items` omits the first file of a set (`number` 0), so no result is recorded for it.
            if source.number > 0 {
                self.record(first + source.number - 1, source.file, given);
            } else if others.len() == receivers.len()
                && others.len() > 1
                && others.iter().all(|member| member.before == Some(APART))
            {
                // The first file cannot share data with any of the other files. Report this now, because later
                // iterations look only at the other files. Exception: if only one other file is left, report nothing.
                // The next iteration reports that file, and one report is enough for the two.
                self.shared.failures.push(|| self.sharing.directories.path(source.file), APART);
            }
            rest = others;
        }
    }

    /// Makes `file` use the data of `from`. `stored` is the location of this data, if known. Returns the number of
    /// newly shared bytes. If the system does not report where data is stored, this number includes bytes that were
    /// already shared.
    fn share(
        &mut self,
        from: &Contents,
        stored: Option<&StoredContents>,
        file: &CopyFile,
    ) -> Result<u64, Reason> {
        let to = self.open.open_file(&self.sharing.directories, file)?;
        let mut shared = 0;
        let whole = || std::iter::once(0..file.state.size).collect();
        let unshared = stored.and_then(|stored| to.unshared_with(stored));
        for Range { start, end } in unshared.unwrap_or_else(whole) {
            let mut offset = start;
            while offset < end && !(self.is_cancelled)() {
                let bytes = share_range(from, &to, offset, (end - offset).min(STEP))?;
                offset += bytes;
                shared += bytes;
            }
        }
        Ok(shared)
    }

    fn record(&mut self, item: usize, file: &CopyFile, result: Result<u64, Reason>) {
        self.items[item] = Some(result);
        let shared = &mut self.shared;
        match result {
            Ok(0) => {}
            Ok(bytes) => {
                shared.files += 1;
                shared.bytes = shared.bytes.saturating_add(bytes);
            }
            Err(reason) => shared.failures.push(|| self.sharing.directories.path(file), reason),
        }
        (self.report)(shared.clone());
    }
}

/// Makes `to` use the data of `from` in a range, and returns the number of bytes shared, which is at least 1.
fn share_range(from: &Contents, to: &Contents, offset: u64, length: u64) -> Result<u64, Reason> {
    match from.share_range(to, offset, length) {
        Ok(Some(bytes)) if bytes > 0 => Ok(bytes),
        Ok(None) => Err(Reason::Changed),
        Ok(Some(_)) | Err(Errno::EOPNOTSUPP | Errno::ENOTTY | Errno::ENOSYS) => Err(Reason::NoSharing),
        // btrfs refuses to share data between a file with checksums and a file without them.
        Err(Errno::EINVAL) => Err(Reason::StoredApart),
        Err(errno) => Err(Reason::System(errno as i32)),
    }
}

/// Free space of the file systems before sharing.
struct FreeSpace {
    /// For each device number, the free bytes before sharing, and the device number that represents the file system. At
    /// first, each number represents itself. A btrfs file system has one number per subvolume; [`Self::join`] gives
    /// these numbers the same representative.
    devices: HashMap<u64, (u64, u64)>,
    /// For each device number, the index in `CopySharing::directories` of a directory on the device. The free space of
    /// the device is read there.
    directories: HashMap<u64, usize>,
    /// Devices on which the operation made files share data.
    changed: HashSet<u64>,
}

impl FreeSpace {
    fn before(sharing: &CopySharing) -> Self {
        let directories: HashMap<u64, usize> =
            sharing.sets.iter().flatten().map(|file| (file.state.id.device, file.directory)).collect();
        let free =
            |(device, directory): (&u64, &usize)| Some((*device, (free(sharing, *directory)?, *device)));
        let devices = directories.iter().filter_map(free).collect();
        Self { devices, directories, changed: HashSet::new() }
    }

    /// Records that the operation made two files share data. Their devices therefore belong to the same file system.
    fn join(&mut self, one: &CopyFile, other: &CopyFile) {
        let (one, other) = (one.state.id.device, other.state.id.device);
        self.changed.insert(one);
        let leader = |device| self.devices.get(&device).map_or(device, |(_, leader)| *leader);
        let (to, from) = (leader(one), leader(other));
        let leaders = self.devices.values_mut().map(|(_, leader)| leader);
        leaders.filter(|leader| **leader == from).for_each(|leader| *leader = to);
    }

    /// Returns the change in free space, in bytes, of the file systems on which the operation made files share data.
    /// File systems with an unknown change are not counted. Returns `None` if no file system is counted.
    fn gained(&self, sharing: &CopySharing) -> Option<i64> {
        let mut counted = HashSet::new();
        let changed = self.changed.iter().filter_map(|device| {
            let (_, leader) = self.devices.get(device)?;
            let (before, _) = self.devices.get(leader)?;
            let now = free(sharing, *self.directories.get(leader)?)?;
            counted.insert(leader).then_some(i64::try_from(now).ok()? - i64::try_from(*before).ok()?)
        });
        changed.reduce(i64::saturating_add)
    }
}

/// Writes pending changes to disk, and returns the number of free bytes on the file system that contains the directory
/// with the index `directory`.
fn free(sharing: &CopySharing, directory: usize) -> Option<u64> {
    let group = sharing.directories.group(directory);
    sync_file_system(&group.open().ok()?).ok()?;
    let path = group.path();
    let path = if path.is_empty() { Path::new(".") } else { Path::new(OsStr::from_bytes(&path)) };
    Some(capacity(path).ok()?.free)
}
