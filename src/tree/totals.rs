//! Totals of directories, and the functions that change them.
//!
//! The totals of a directory are its own sizes, the sizes of the entries read in it, and the totals of every *complete*
//! child directory. `pending` counts the claims on a directory: one for reading it, one for each batch given to another
//! worker, and one for each child directory. When the last claim is released, the directory is complete: its totals are
//! added to the parent once, and its claim on the parent is released. A chain of any depth therefore costs one addition
//! per directory, without recursion. While a scan is running, readers use [`super::LiveTotals`], which adds the totals
//! of incomplete directories to those of their ancestors.
//!
//! Invariant: once the scan has ended, every directory's totals equal those of a naive walk. [`u64::MAX`] means "at
//! least that much": sums saturate instead of wrapping around.

use std::collections::HashMap;

use super::directory::{Dir, DirId, State, Totals};
use super::reading::Tree;
use crate::base::sync::{AtomicU32, AtomicU64, Ordering};

impl Dir {
    /// Returns the current totals. The four numbers are read one after another: during a scan, a number that is read
    /// later may include more entries than the numbers read before it.
    pub(super) fn totals(&self) -> Totals {
        Totals {
            disk: self.disk.load(Ordering::Acquire),
            apparent: self.apparent.load(Ordering::Acquire),
            items: self.items.load(Ordering::Acquire),
            errors: self.errors.load(Ordering::Acquire),
        }
    }

    // Any worker may add to the totals, and any thread may read them. The worker that completes the directory sees
    // every addition, because the last claim on the directory is released with `AcqRel`. `Release` here and `Acquire`
    // in `totals` are for `LiveTotals`: a thread that reads totals which include a child directory must then see that
    // the child is complete. Otherwise, the thread would count the child twice.
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
    /// Adds `sum` to the totals of `id`, but not to those of its ancestors.
    pub(crate) fn add(&self, id: DirId, sum: &Totals) {
        self.dir(id).add(sum);
    }

    /// Adds `count` claims on `id`, which remains incomplete until all claims are released.
    pub(crate) fn claim(&self, id: DirId, count: u32) {
        self.dir(id).pending.fetch_add(count, Ordering::Relaxed);
    }

    /// Releases one claim on `id`. The last release completes `id` and, in turn, releases its claim on its parent.
    pub fn release(&self, id: DirId) {
        let mut id = id;
        loop {
            let dir = self.dir(id);
            // `AcqRel`: the thread that releases the last claim sees every addition made under the other claims.
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
            above.set(dir.flags.load(Ordering::Relaxed));
            id = parent;
        }
    }

    /// Returns `true` if all entries of `id` itself have been published, even if directories below `id` are incomplete.
    /// For a short time after the last entry is published, the result may still be `false`, for example while a child
    /// directory completes. A later call then returns `true`.
    pub(crate) fn is_listed(&self, id: DirId) -> bool {
        // Each incomplete child has one claim on `id`, and this claim was added before the child was published. If `id`
        // has no other claims, all entries of `id` have been published. The number of incomplete children may change at
        // any time, so they are counted both before and after the claims are read.
        let published = || {
            let listing = self.listing(id);
            let incomplete = listing.directories().filter(|child| !self.status(*child).is_complete()).count();
            (listing.length(), incomplete)
        };
        let before = published();
        let claims = self.dir(id).pending.load(Ordering::Acquire);
        self.status(id).is_complete() || claims as usize == before.1 && published() == before
    }

    /// Subtracts `excess` (repeated hard links) from the totals of `id`, but not from the totals of its ancestors.
    pub(crate) fn take_off(&self, id: DirId, excess: &Totals) {
        self.exchange(id, excess, &Totals::default());
    }

    /// Subtracts `before` from the totals of `id` and adds `after`, without changing the totals of the ancestors.
    pub(crate) fn exchange(&self, id: DirId, before: &Totals, after: &Totals) {
        // `Relaxed` ordering is enough, because readers only compare editions, and an edition guards no data.
        self.edition.fetch_add(1, Ordering::Relaxed);
        let dir = self.dir(id);
        dir.add(after);
        lower(&dir.disk, before.disk);
        lower(&dir.apparent, before.apparent);
        lower(&dir.items, before.items);
        let fewer = |now: u32| Some(now.saturating_sub(before.errors));
        let _ = dir.errors.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
    }

    /// Sets the recorded totals and error number of a directory, and marks the directory as complete.
    pub(crate) fn set_totals(&self, id: DirId, totals: &Totals, errno: i32) {
        let dir = self.dir(id);
        dir.disk.store(totals.disk, Ordering::Relaxed);
        dir.apparent.store(totals.apparent, Ordering::Relaxed);
        dir.items.store(totals.items, Ordering::Relaxed);
        dir.errors.store(totals.errors, Ordering::Relaxed);
        dir.errno.store(errno, Ordering::Relaxed);
        dir.pending.store(0, Ordering::Relaxed);
        dir.state.store(State::Complete as u8, Ordering::Release);
    }

    /// Sets the number of errors in and below each of `directories`, for a tree whose input file does not contain these
    /// numbers. Parents must come before their children, and all entries of the directories must have been loaded.
    /// `own` contains the number of errors of each directory itself and of its non-directory entries; 0 if missing.
    pub(super) fn set_errors(&self, directories: &[DirId], mut own: HashMap<DirId, u32>) {
        for id in directories.iter().rev() {
            let errors = own.remove(id).unwrap_or(0);
            self.dir(*id).errors.store(errors, Ordering::Relaxed);
            if let Some(above) = self.parent(*id).filter(|_| errors > 0) {
                let sum = own.entry(above).or_default();
                *sum = sum.saturating_add(errors);
            }
        }
    }
}
