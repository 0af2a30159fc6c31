//! Duplicates: files with the same contents, and directories whose contents are all the same.
//!
//! ```text
//! tree -> files of equal size -> equal ends -> clones apart -> equal hashes -> unchanged -> directories
//!         candidates             sets                                          sets         directories, groups
//! ```
//!
//! Sizes come from the tree, so only files whose size occurs twice are opened. Of these, the first and the last block
//! are compared, and only the rest is read as a whole. One name of an inode stands for the inode. Files that already
//! share all of their data are not read again. Before the result is published, every file in it is checked for changes.
//!
//! Invariant: nothing is written, and two files are duplicates only if all of their bytes were read, or if both have the
//! same extents.

mod candidates;
mod contents;
mod directories;
mod groups;
mod opened;
mod sets;
#[cfg(test)]
mod tests;

use std::io;
use std::time::Instant;

use crate::analysis::search::Request;
use crate::base::job::{Job, Pool, Task};
use crate::base::sync::{AtomicBool, AtomicU64, Mutex, Ordering, lock};
use crate::platform::process::io_policy;
use crate::tree::{EntryId, Tree};
use candidates::{Candidate, Candidates};

/// Files or directories with the same contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateGroup {
    /// Kind of the copies.
    pub kind: DuplicateKind,
    /// Length of one copy's contents in bytes.
    pub size: u64,
    /// Disk usage in bytes that is freed if only one copy is kept. Space that a copy shares with a file outside the
    /// group does not count.
    pub wasted: u64,
    /// Copies in the order of their paths, without those inside other copies of a directory.
    pub copies: Vec<Duplicate>,
}

/// Kind of the copies in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateKind {
    /// Regular files.
    File,
    /// Directories with the same names, contents and symbolic links, at any depth.
    Directory {
        /// Number of files with data in one copy.
        files: u64,
    },
}

/// File or directory with the same contents as another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// Name of the copy.
    pub entry: EntryId,
    /// Other names of the same inode in the searched directory.
    pub other_names: Vec<EntryId>,
    /// `true` if the inode also has names that were not searched, so that deleting the known ones frees nothing.
    pub is_linked_elsewhere: bool,
    /// Disk usage in bytes.
    pub disk: u64,
    /// Modification time in seconds since 1970.
    pub mtime: i64,
    /// Number that is equal for copies in a group that share their data on the disk.
    pub storage: u32,
    /// `true` if another copy shares the data on the disk.
    pub is_shared: bool,
}

/// File that was not compared, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Name of the file.
    pub entry: EntryId,
    /// Reason.
    pub reason: SkipReason,
}

/// Reason why a file was not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The file cannot be read. Contains the error number.
    Failed(i32),
    /// The file has changed since the scan, or while it was read.
    Changing,
    /// The entry is a pipe, socket or device.
    Special,
}

/// Duplicates in a subtree.
#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    /// Groups, the one with the most wasted bytes first.
    pub groups: Vec<DuplicateGroup>,
    /// Names of every set of equal files, including those inside copies of directories. At least one entry of each
    /// set must be kept.
    pub sets: Vec<Vec<EntryId>>,
    /// Files that were not compared, in the order of their paths.
    pub skipped: Vec<Skipped>,
    /// Number of files on network, foreign and kernel file systems, which are not opened.
    pub elsewhere: u64,
    /// CompareProgress of the search.
    pub progress: CompareProgress,
}

impl Duplicates {
    /// Returns the disk usage in bytes that is freed if only one copy of each group is kept.
    pub fn wasted(&self) -> u64 {
        self.groups.iter().fold(0, |sum, group| sum.saturating_add(group.wasted))
    }
}

/// CompareProgress of a search for duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompareProgress {
    /// Number of files whose size occurs more than once.
    pub candidates: u64,
    /// Number of candidates that have been compared.
    pub compared: u64,
    /// Number of bytes read so far.
    pub read: u64,
    /// `true` once the search is complete.
    pub is_complete: bool,
}

/// Starts a search for duplicates among the entries that the query keeps.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn find(pool: &Pool, request: Request) -> io::Result<Job<Duplicates>> {
    pool.start(move |task| {
        let Some(mut candidates) = Candidates::collect(&request, task) else { return };
        let search = DuplicateSearch::new(&request.tree, task, &candidates);
        // Files in the cloud would be downloaded.
        task.threads().broadcast(|_| io_policy::refuse());
        let files = std::mem::take(&mut candidates.files);
        let found = search.run(files, &candidates, &request);
        task.threads().broadcast(|_| io_policy::as_the_process());
        if !task.is_cancelled() {
            task.publish(found);
        }
    })
}

/// Interval between two reports of the progress, in milliseconds.
const REPORT: u64 = 100;

/// Running search.
struct DuplicateSearch<'s> {
    tree: &'s Tree,
    task: &'s Task<Duplicates>,
    started: Instant,
    /// Time of the next report of the progress, in milliseconds since the start.
    due: AtomicU64,
    candidates: u64,
    compared: AtomicU64,
    read: AtomicU64,
    elsewhere: AtomicU64,
    skipped: Mutex<Vec<Skipped>>,
    /// `true` if a file system was found whose files can share data.
    may_share: AtomicBool,
}

impl<'s> DuplicateSearch<'s> {
    fn new(tree: &'s Tree, task: &'s Task<Duplicates>, candidates: &Candidates) -> Self {
        let special = candidates.special.iter();
        let skipped = special.map(|entry| Skipped { entry: *entry, reason: SkipReason::Special }).collect();
        Self {
            tree,
            task,
            started: Instant::now(),
            due: AtomicU64::new(REPORT),
            candidates: candidates.files.len() as u64,
            compared: AtomicU64::default(),
            read: AtomicU64::default(),
            elsewhere: AtomicU64::default(),
            skipped: Mutex::new(skipped),
            may_share: AtomicBool::default(),
        }
    }

    fn run(&self, files: Vec<Candidate>, candidates: &Candidates, request: &Request) -> Duplicates {
        let found = self.task.threads().install(|| {
            let found = sets::find(self, files);
            sets::unchanged(self, &found)
        });
        let groups = groups::arrange(self, found, candidates, request.from);
        let mut skipped = std::mem::take(&mut *lock(&self.skipped));
        groups::sort_by_path(self.tree, &mut skipped, |skipped| skipped.entry);
        let progress = CompareProgress { is_complete: true, ..self.progress() };
        let elsewhere = self.elsewhere.load(Ordering::Relaxed);
        let groups::Arranged { groups, sets } = groups;
        Duplicates { groups, sets, skipped, elsewhere, progress }
    }

    fn progress(&self) -> CompareProgress {
        CompareProgress {
            candidates: self.candidates,
            compared: self.compared.load(Ordering::Relaxed),
            read: self.read.load(Ordering::Relaxed),
            is_complete: false,
        }
    }

    /// Records a file that is not compared.
    fn skip(&self, entry: EntryId, reason: Option<SkipReason>) {
        match reason {
            Some(reason) => lock(&self.skipped).push(Skipped { entry, reason }),
            None => _ = self.elsewhere.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Records that `bytes` were read, and publishes the progress if that is due.
    fn advance(&self, bytes: usize) {
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let due = self.due.load(Ordering::Relaxed);
        let is_due = elapsed >= due
            && self.due.compare_exchange(due, elapsed + REPORT, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_due {
            self.task.publish(Duplicates { progress: self.progress(), ..Duplicates::default() });
        }
    }
}
