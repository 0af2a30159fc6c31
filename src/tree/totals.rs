//! The one module that changes totals.
//!
//! A directory's totals are its own sizes plus what was read in it plus the totals of every child directory that is
//! *complete*. `pending` counts what it still waits for: the reading of it (one), each batch handed to another worker,
//! and each child directory. Whoever takes `pending` to zero completes it, which adds its totals to the parent once
//! and releases the parent's claim; so a chain of any depth costs one addition per directory and nothing recurses. The
//! view of a running scan adds the unfinished directories to the ones above them on its own ([`super::Live`]).
//!
//! Invariant: at rest, every directory's totals are those of a naive walk. [`u64::MAX`] means "at least that much", and
//! stays: sums clamp there instead of wrapping.

use super::{Dir, DirId, State, Tree};
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// What lies in a directory and everywhere below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Disk usage in bytes, the directory itself included, each inode once.
    pub disk: u64,
    /// Apparent size in bytes, the directory itself included, each inode once.
    pub apparent: u64,
    /// Names below, the directory itself not included, every name of an inode counted.
    pub items: u64,
    /// Entries that could not be read.
    pub errors: u32,
}

impl Totals {
    /// Adds `other`, clamping.
    pub fn add(&mut self, other: &Self) {
        self.disk = self.disk.saturating_add(other.disk);
        self.apparent = self.apparent.saturating_add(other.apparent);
        self.items = self.items.saturating_add(other.items);
        self.errors = self.errors.saturating_add(other.errors);
    }
}

impl Dir {
    /// The totals now. Each number is exact by itself; together they may be a moment apart while a scan runs.
    pub(super) fn totals(&self) -> Totals {
        Totals {
            disk: self.disk.load(Ordering::Acquire),
            apparent: self.apparent.load(Ordering::Acquire),
            items: self.items.load(Ordering::Acquire),
            errors: self.errors.load(Ordering::Acquire),
        }
    }

    // All of these fields are written by any worker and read by anyone. The last claim on the directory is released with
    // `AcqRel`, which orders every addition before the completion that reads the sums. `Release` here and `Acquire` above are
    // for `Live`: who sees a child's totals in these sees that the child is complete.
    fn add(&self, sum: &Totals) {
        raise(&self.disk, sum.disk);
        raise(&self.apparent, sum.apparent);
        raise(&self.items, sum.items);
        if sum.errors != 0 {
            raise_count(&self.errors, sum.errors);
        }
    }
}

fn raise(total: &AtomicU64, by: u64) {
    if by != 0 {
        let _ = total.fetch_update(Ordering::Release, Ordering::Relaxed, |now| Some(now.saturating_add(by)));
    }
}

fn raise_count(total: &AtomicU32, by: u32) {
    let _ = total.fetch_update(Ordering::Release, Ordering::Relaxed, |now| Some(now.saturating_add(by)));
}

fn lower(total: &AtomicU64, by: u64) {
    let take = |now: u64| (now != u64::MAX && by != 0).then(|| now.saturating_sub(by));
    let _ = total.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
}

#[doc(hidden)]
impl Tree {
    /// Adds what was read in `id`.
    pub(crate) fn add(&self, id: DirId, sum: &Totals) {
        self.dir(id).add(sum);
    }

    /// Makes `id` wait for `count` more claims before it is complete.
    pub(crate) fn claim(&self, id: DirId, count: u32) {
        self.dir(id).pending.fetch_add(count, Ordering::Relaxed);
    }

    /// Releases one claim on `id`; the last one completes it and, in turn, whatever above waited for nothing else.
    pub fn release(&self, id: DirId) {
        let mut id = id;
        loop {
            let dir = self.dir(id);
            // AcqRel: see every addition made under the other claims, and show ours to whoever releases the last.
            if dir.pending.fetch_sub(1, Ordering::AcqRel) != 1 {
                return;
            }
            self.open.leave(id, dir);
            dir.state.store(State::Complete as u8, Ordering::Release);
            if dir.detached.load(Ordering::Relaxed) {
                return;
            }
            let Some(parent) = self.parent(id) else { return };
            let above = self.dir(parent);
            above.add(&dir.totals());
            if dir.is_partial() {
                above.set_partial();
            }
            id = parent;
        }
    }

    /// Takes bytes off `id` alone: how the other names of a hard-linked inode are uncounted, directory by directory.
    pub(crate) fn take_off(&self, id: DirId, excess: &Totals) {
        self.exchange(id, excess, &Totals::default());
    }

    /// Takes `before` off `id` alone and adds `after`: how an entry below is replaced.
    pub(super) fn exchange(&self, id: DirId, before: &Totals, after: &Totals) {
        // Relaxed: who compares editions orders nothing else by them.
        self.edition.fetch_add(1, Ordering::Relaxed);
        let dir = self.dir(id);
        dir.add(after);
        lower(&dir.disk, before.disk);
        lower(&dir.apparent, before.apparent);
        lower(&dir.items, before.items);
        let fewer = |now: u32| Some(now.saturating_sub(before.errors));
        let _ = dir.errors.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
    }
}
