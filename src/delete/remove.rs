//! Removing what is selected.
//!
//! Counts by what the system says of each entry when it goes: the bytes of an inode with several names count when the last
//! one goes. Cancelling ends it within one entry for each thread; what is gone is gone.
//!
//! Invariant: what is counted as removed was there, and is not any more.

use std::ffi::CStr;
use std::time::Duration;

use super::walk::{Act, Fate, Walk};
use super::{Failures, Selection};
use crate::job::{Job, Pool, Task};
use crate::platform::{Attributes, Directory, Errno};
use crate::sync::{Arc, AtomicU64, Condvar, Mutex, Ordering, PoisonError, lock};

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
}

impl Counts {
    fn read(&self) -> ItemRemoval {
        ItemRemoval {
            entries: self.entries.load(Ordering::Relaxed),
            freed: self.freed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }

    fn gone(&self, freed: u64) {
        self.entries.fetch_add(1, Ordering::Relaxed);
        self.freed.fetch_add(freed, Ordering::Relaxed);
    }
}

struct Remover {
    all: Counts,
    items: Vec<Counts>,
}

impl Remover {
    fn new(items: usize) -> Self {
        Self { all: Counts::default(), items: (0..items).map(|_| Counts::default()).collect() }
    }

    fn so_far(&self, failures: &Mutex<Failures>) -> Removal {
        let ItemRemoval { entries, freed, .. } = self.all.read();
        Removal { entries, freed, failures: lock(failures).clone(), ..Removal::default() }
    }

    fn gone(&self, found: &Attributes, item: usize) -> Fate {
        let freed =
            if found.is_directory() || found.links <= 1 { found.blocks.saturating_mul(512) } else { 0 };
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
}

impl Removal {
    /// Whether everything that was selected is gone.
    pub fn is_complete(&self) -> bool {
        self.is_over && self.failures.count == 0
    }
}
