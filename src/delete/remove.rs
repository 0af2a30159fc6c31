//! Deletes a selection.
//!
//! The size of an entry is the disk usage that the system reports when the walk reaches the entry. An inode with
//! several names counts as freed when its last name is deleted. If the user cancels, each thread stops after the
//! current entry; deleted entries are not restored.
//!
//! Invariant: an entry counts as deleted only if it existed before and no longer exists.

use std::ffi::CStr;
use std::time::Duration;

use super::link_tracker::LinkTracker;
use super::walk::{At, Disposition, Visitor, Walk};
use super::{Failures, Reason, Selection};
use crate::base::job::{Job, Pool, Task};
use crate::base::sync::{Arc, AtomicBool, AtomicU64, Condvar, Mutex, Ordering, PoisonError, lock};
use crate::platform::{Attributes, Boundary, Directory, Errno};

/// Interval between two progress reports.
const REPORT: Duration = Duration::from_millis(50);

/// Progress of a deletion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Number of names deleted, including names of directories.
    pub entries: u64,
    /// Disk usage in bytes of the inodes whose last name was deleted.
    pub freed: u64,
    /// Entries that could not be deleted.
    pub failures: Failures,
    /// Result for each item of the selection; empty until the deletion has ended.
    pub items: Vec<ItemRemoval>,
    /// `true` once the deletion has ended.
    pub is_over: bool,
}

/// Result for one selected item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ItemRemoval {
    /// Number of names deleted.
    pub entries: u64,
    /// Disk usage in bytes of the inodes whose last name was deleted.
    pub freed: u64,
    /// Number of failed entries, not counting entries that were skipped because the user canceled.
    pub failed: u64,
    /// `true` if the deletion of the item has ended without failures.
    pub is_done: bool,
}

/// Starts deleting the selection.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn remove(pool: &Pool, selection: Arc<Selection>) -> std::io::Result<Job<Removal>> {
    pool.start(move |task| {
        let removal = run(task, &selection, &|removal| task.publish(removal));
        task.publish(removal);
    })
}

/// Deletes the selection, calls `report` with the progress at intervals, and returns the result.
pub(crate) fn run<T: Send + Sync>(
    task: &Task<T>,
    selection: &Selection,
    report: &(dyn Fn(Removal) + Sync),
) -> Removal {
    let remover = Remover::new(selection.count());
    let failures = Mutex::default();
    let ended = (Mutex::new(false), Condvar::new());
    std::thread::scope(|scope| {
        let reporter = || report_until(&ended, || report(remover.so_far(&failures)));
        // If this thread cannot be started, progress is not reported, but everything is still deleted.
        let _ = std::thread::Builder::new().name("progress".into()).spawn_scoped(scope, reporter);
        let is_cancelled = || task.is_cancelled();
        let threads = task.threads();
        Walk::new(&remover, selection, &is_cancelled, &failures, threads.current_num_threads()).run(threads);
        *lock(&ended.0) = true;
        ended.1.notify_all();
    });
    let items = remover.items.iter().map(Counts::read).collect();
    Removal { items, is_over: true, ..remover.so_far(&failures) }
}

/// Calls `report` at intervals until the deletion ends.
fn report_until((ended, tell): &(Mutex<bool>, Condvar), report: impl Fn()) {
    let mut is_over = lock(ended);
    while !*is_over {
        is_over = tell.wait_timeout(is_over, REPORT).unwrap_or_else(PoisonError::into_inner).0;
        if !*is_over {
            report();
        }
    }
}

/// Counters that are written by all workers and read by any thread. `Relaxed` ordering is enough, because the counters
/// guard no other data, and the result is read after all workers have ended.
#[derive(Default)]
struct Counts {
    entries: AtomicU64,
    freed: AtomicU64,
    failed: AtomicU64,
    is_done: AtomicBool,
}

impl Counts {
    fn read(&self) -> ItemRemoval {
        ItemRemoval {
            entries: self.entries.load(Ordering::Relaxed),
            freed: self.freed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            is_done: self.is_done.load(Ordering::Relaxed),
        }
    }

    fn count_deleted(&self, freed: u64) {
        self.entries.fetch_add(1, Ordering::Relaxed);
        self.freed.fetch_add(freed, Ordering::Relaxed);
    }
}

struct Remover {
    all: Counts,
    items: Vec<Counts>,
    links: Mutex<LinkTracker>,
}

impl Remover {
    fn new(items: usize) -> Self {
        let items = (0..items).map(|_| Counts::default()).collect();
        Self { all: Counts::default(), items, links: Mutex::default() }
    }

    fn so_far(&self, failures: &Mutex<Failures>) -> Removal {
        let ItemRemoval { entries, freed, .. } = self.all.read();
        Removal { entries, freed, failures: lock(failures).clone(), ..Removal::default() }
    }

    fn count_deleted(&self, found: &Attributes, item: usize) -> Disposition {
        let is_last = found.is_directory()
            || found.links <= 1
            || lock(&self.links).name_seen(found.file_id(), found.links);
        let freed = if is_last { found.blocks.saturating_mul(512) } else { 0 };
        self.all.count_deleted(freed);
        self.items[item].count_deleted(freed);
        Disposition::Gone
    }
}

impl Visitor for Remover {
    /// Unused, because permissions are not checked in advance: without permission, deleting an entry fails.
    type Rights = ();

    fn rights(&self, _: &Directory) {}

    fn visit(
        &self,
        at: At<'_, ()>,
        name: &CStr,
        found: &Attributes,
        item: usize,
    ) -> Result<Disposition, Errno> {
        at.directory.unlink(name).map(|()| self.count_deleted(found, item))
    }

    fn enter(&self, _: &Attributes, _: usize) {}

    fn leave(
        &self,
        above: &Directory,
        name: &CStr,
        found: &Attributes,
        item: usize,
    ) -> Result<Disposition, Errno> {
        let removed = match found.border {
            Boundary::Dataless => above.remove_dataless(name),
            _ => above.remove_directory(name),
        };
        removed.map(|()| self.count_deleted(found, item))
    }

    fn fail(&self, item: usize, _: Reason) {
        self.items[item].failed.fetch_add(1, Ordering::Relaxed);
    }

    fn finish(&self, item: usize) {
        self.items[item].is_done.store(true, Ordering::Relaxed);
    }
}

impl Removal {
    /// Returns `true` if the deletion has ended without failures. Entries skipped after canceling are not failures.
    pub fn is_complete(&self) -> bool {
        self.is_over && self.failures.count == 0
    }
}
