//! Removing what is selected.
//!
//! Counts by what the system says of each entry when it goes: the bytes of an inode with several names count when the last
//! one goes. Cancelling ends it within one entry for each thread; what is gone is gone.
//!
//! Invariant: what is counted as removed was there, and is not any more.

use std::collections::HashMap;
use std::ffi::CStr;
use std::time::Duration;

use super::names::Names;
use super::walk::{Act, Fate, Walk};
use super::{Failures, Selection};
use crate::job::{Job, Pool, Task};
use crate::platform::{Attributes, Directory, Errno};
use crate::sync::{Arc, AtomicBool, AtomicU64, Condvar, Mutex, Ordering, PoisonError, lock};

/// Between two reports.
const REPORT: Duration = Duration::from_millis(50);

/// How far a removal has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Names that are gone, those of directories included.
    pub entries: u64,
    /// Bytes of the inodes whose last name is gone.
    pub freed: u64,
    /// What stays.
    pub failures: Failures,
    /// How it went with each item of the selection; empty until the end.
    pub items: Vec<ItemRemoval>,
    /// Whether nothing more will happen.
    pub is_over: bool,
}

/// How it went with one item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ItemRemoval {
    /// Names that are gone.
    pub entries: u64,
    /// Bytes of the inodes whose last name is gone.
    pub freed: u64,
    /// What stays, apart from what was left because of cancelling.
    pub failed: u64,
    /// Whether nothing of it is left that was to go.
    pub is_done: bool,
}

/// Begins to remove what is selected.
///
/// # Errors
/// When the system gives no thread.
pub fn remove(pool: &Pool, selection: Arc<Selection>) -> std::io::Result<Job<Removal>> {
    pool.start(move |task| {
        let removal = run(task, &selection, &|removal| task.publish(removal));
        task.publish(removal);
    })
}

/// Removes what is selected, telling `report` now and then how far that is, and returns how it went.
pub(super) fn run<T: Send + Sync>(
    task: &Task<T>,
    selection: &Selection,
    report: &(dyn Fn(Removal) + Sync),
) -> Removal {
    let remover = Remover::new(selection.count());
    let failures = Mutex::default();
    let ended = (Mutex::new(false), Condvar::new());
    std::thread::scope(|scope| {
        let reporter = || report_until(&ended, || report(remover.so_far(&failures)));
        // Without it there is less to see, and nothing else missing.
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

/// Reports now and then until it is over.
fn report_until((ended, tell): &(Mutex<bool>, Condvar), report: impl Fn()) {
    let mut is_over = lock(ended);
    while !*is_over {
        is_over = tell.wait_timeout(is_over, REPORT).unwrap_or_else(PoisonError::into_inner).0;
        if !*is_over {
            report();
        }
    }
}

/// Written by every worker, read by anyone. `Relaxed`: they guard no data, and are summed when all is over.
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

    fn gone(&self, freed: u64) {
        self.entries.fetch_add(1, Ordering::Relaxed);
        self.freed.fetch_add(freed, Ordering::Relaxed);
    }
}

/// Inodes with several names of which some are gone.
///
/// What the system says of an entry is from before it goes, so of two names that go at the same time neither is the last. The
/// most names that one of those that are gone had met are those there were when the first of them was looked at: when as many
/// are gone, none is left. That holds in whatever order the workers come to tell.
#[derive(Default)]
struct Linked(HashMap<(u64, u64), Names>);

impl Linked {
    /// One name of `inode` is gone that was one of `names`. Whether it was the last.
    fn gone(&mut self, inode: (u64, u64), names: u64) -> bool {
        let is_last = self.0.entry(inode).or_default().meet(names);
        if is_last {
            self.0.remove(&inode);
        }
        is_last
    }
}

struct Remover {
    all: Counts,
    items: Vec<Counts>,
    linked: Mutex<Linked>,
}

impl Remover {
    fn new(items: usize) -> Self {
        let items = (0..items).map(|_| Counts::default()).collect();
        Self { all: Counts::default(), items, linked: Mutex::default() }
    }

    fn so_far(&self, failures: &Mutex<Failures>) -> Removal {
        let ItemRemoval { entries, freed, .. } = self.all.read();
        Removal { entries, freed, failures: lock(failures).clone(), ..Removal::default() }
    }

    fn gone(&self, found: &Attributes, item: usize) -> Fate {
        let is_last = found.is_directory()
            || found.links <= 1
            || lock(&self.linked).gone((found.device, found.inode), found.links);
        let freed = if is_last { found.blocks.saturating_mul(512) } else { 0 };
        self.all.gone(freed);
        self.items[item].gone(freed);
        Fate::Gone
    }
}

impl Act for Remover {
    fn meet(&self, at: &Directory, name: &CStr, found: &Attributes, item: usize) -> Result<Fate, Errno> {
        at.unlink(name).map(|()| self.gone(found, item))
    }

    fn enter(&self, _: &Directory, _: &Attributes, _: usize) {}

    fn leave(&self, above: &Directory, name: &CStr, found: &Attributes, item: usize) -> Result<Fate, Errno> {
        above.remove_directory(name).map(|()| self.gone(found, item))
    }

    fn fail(&self, item: usize) {
        self.items[item].failed.fetch_add(1, Ordering::Relaxed);
    }

    fn finish(&self, item: usize) {
        self.items[item].is_done.store(true, Ordering::Relaxed);
    }
}

impl Removal {
    /// Whether everything that was selected is gone.
    pub fn is_complete(&self) -> bool {
        self.is_over && self.failures.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For names that were one of so many each, in the order in which workers tell: which of them was the last.
    fn last_of(told: &[u64]) -> Vec<bool> {
        let mut linked = Linked::default();
        told.iter().map(|names| *names <= 1 || linked.gone((1, 2), *names)).collect()
    }

    #[test]
    fn an_inode_is_freed_once_in_whatever_order_its_names_go() {
        assert_eq!(last_of(&[3, 2, 1]), [false, false, true]);
        // Two were looked at before one of them went.
        assert_eq!(last_of(&[2, 2]), [false, true]);
        assert_eq!(last_of(&[3, 3, 3]), [false, false, true]);
        assert_eq!(last_of(&[3, 2, 2]), [false, false, true]);
        // Those that went later tell first.
        assert_eq!(last_of(&[1, 2]), [true, false]);
        assert_eq!(last_of(&[2, 2, 3]), [false, true, false]);
    }

    #[test]
    fn an_inode_with_a_name_elsewhere_is_not_freed() {
        assert_eq!(last_of(&[3, 3]), [false, false]);
        assert_eq!(last_of(&[2, 3]), [false, false]);
        assert_eq!(last_of(&[4, 2, 3]), [false, false, false]);
        let mut linked = Linked::default();
        assert!(!linked.gone((1, 2), 2) && !linked.gone((1, 3), 2));
    }
}
