//! Results of a search for duplicates in a subtree.
//!
//! Invariant: a group has at least two copies.

use std::cmp::Reverse;

use crate::platform::entry::contents::ContentState;
use crate::tree::EntryId;

/// Group of files or directories with the same contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateGroup {
    pub kind: DuplicateKind,
    /// Length of one copy's contents in bytes.
    pub size: u64,
    /// Disk usage in bytes that is freed if all superfluous copies are deleted. Copies that also have names outside the
    /// searched directories are kept; if there are none, the copy with the least disk usage is kept. Data that several
    /// copies share is counted once. The value is too high if other files share data with the copies.
    pub wasted: u64,
    /// Copies, sorted by path. If several identical directories contain copies, only the copies in one of these
    /// directories are included.
    pub copies: Vec<Duplicate>,
}

impl DuplicateGroup {
    /// Returns the index of the copy to keep. Among copies with the same modification time, the first one is kept.
    pub fn kept(&self, kept: KeptCopy) -> Option<usize> {
        let copies = self.copies.iter().enumerate();
        let found = match kept {
            KeptCopy::Newest => copies.min_by_key(|(_, copy)| Reverse(copy.mtime)),
            KeptCopy::Oldest => copies.min_by_key(|(_, copy)| copy.mtime),
        };
        found.map(|(index, _)| index)
    }
}

/// Rule that selects the copy to keep in a group, by modification time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptCopy {
    /// Copy with the latest modification time.
    Newest,
    /// Copy with the earliest modification time.
    Oldest,
}

/// Kind of the copies in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateKind {
    /// Regular files.
    File,
    /// Directories that contain the same names, file contents and symbolic links, at any depth.
    Directory {
        /// Number of non-empty files in one copy.
        files: u64,
    },
}

/// File or directory that has the same contents as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    pub entry: EntryId,
    /// Other names of the same inode in the searched directories.
    pub other_names: Vec<EntryId>,
    /// `true` if the inode also has names outside the searched directories. Deleting only the names inside them frees
    /// nothing.
    pub is_linked_elsewhere: bool,
    /// Disk usage in bytes.
    pub disk: u64,
    /// Modification time in seconds since 1970.
    pub mtime: i64,
    /// ID of the data on disk. Copies in a group that share all of their data have the same ID.
    pub storage: u32,
    /// `true` if this copy shares all of its data on disk with another copy.
    pub is_shared: bool,
}

/// Entry of a file in a set of identical files. A file with several hard links can have several entries in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualEntry {
    /// ID of the entry.
    pub entry: EntryId,
    /// State of the file when it was compared.
    pub state: ContentState,
}

/// File that was not compared, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// ID of the file's entry.
    pub entry: EntryId,
    pub reason: SkipReason,
}

/// Reason why a file was not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The file cannot be read. Contains the error number.
    Failed(i32),
    /// The file was changed, replaced or deleted after the scan.
    Changing,
    /// The entry is a pipe, socket or device.
    Special,
}

/// Duplicates found in a subtree, and the files that were not compared.
#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    /// Groups in descending order of wasted bytes.
    pub groups: Vec<DuplicateGroup>,
    /// Sets of identical files, including files inside copies of directories. If a file has several names, its set
    /// contains an entry for each known name. At least one entry in each set must be kept.
    pub sets: Vec<Vec<EqualEntry>>,
    /// Files that were not compared, sorted by path.
    pub skipped: Vec<Skipped>,
    /// Number of files that were not opened, because they are on a network file system, a kernel file system, or a file
    /// system provided by a program or by the host of a virtual machine.
    pub unopened: u64,
    /// `true` if at least one file is on a file system on which duke can make files share data.
    pub can_share: bool,
    /// Progress of the search, for display.
    pub progress: CompareProgress,
}

impl Duplicates {
    /// Returns the sum of `DuplicateGroup::wasted` over all groups, in bytes.
    pub fn wasted(&self) -> u64 {
        self.groups.iter().fold(0, |sum, group| sum.saturating_add(group.wasted))
    }
}

/// Progress of a search for duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompareProgress {
    /// Number of files that have the same size as another file.
    pub candidates: u64,
    /// Number of candidates that have been compared.
    pub compared: u64,
    /// Number of bytes read so far.
    pub read: u64,
    /// `true` once the search is complete.
    pub is_complete: bool,
}
