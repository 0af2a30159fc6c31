//! State that all threads of a running search share.
//!
//! Invariant: progress is published while files are read, at most once every [`REPORT`] milliseconds.

use std::time::Instant;

use super::candidates::SizeCandidates;
use super::data::{CompareProgress, Duplicates, SkipReason, Skipped};
use crate::base::job::Task;
use crate::base::sync::{AtomicBool, AtomicU64, Mutex, Ordering, lock};
use crate::tree::{EntryId, Tree};

/// Interval between two progress reports, in milliseconds.
const REPORT: u64 = 100;

/// Running search for duplicates.
pub(crate) struct DuplicateSearch<'s> {
    pub(crate) tree: &'s Tree,
    pub(crate) task: &'s Task<Duplicates>,
    started: Instant,
    /// Time of the next progress report, in milliseconds since the start of the search.
    due: AtomicU64,
    candidates: u64,
    pub(crate) compared: AtomicU64,
    read: AtomicU64,
    pub(crate) unopened: AtomicU64,
    pub(crate) skipped: Mutex<Vec<Skipped>>,
    /// `true` once a file has been found on a file system that lets files share data.
    pub(crate) can_share: AtomicBool,
}

impl<'s> DuplicateSearch<'s> {
    pub(crate) fn new(tree: &'s Tree, task: &'s Task<Duplicates>, candidates: &SizeCandidates) -> Self {
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
            unopened: AtomicU64::default(),
            skipped: Mutex::new(skipped),
            can_share: AtomicBool::default(),
        }
    }

    pub(crate) fn progress(&self) -> CompareProgress {
        CompareProgress {
            candidates: self.candidates,
            compared: self.compared.load(Ordering::Relaxed),
            read: self.read.load(Ordering::Relaxed),
            is_complete: false,
        }
    }

    /// Records a file that is not compared, with the reason. A `reason` of `None` means that duke never opens files on
    /// the file system of this file; such a file is only counted.
    pub(crate) fn skip(&self, entry: EntryId, reason: Option<SkipReason>) {
        match reason {
            Some(reason) => lock(&self.skipped).push(Skipped { entry, reason }),
            None => _ = self.unopened.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Adds `bytes` to the number of bytes read, and publishes the progress if an update is due.
    pub(crate) fn advance(&self, bytes: usize) {
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
