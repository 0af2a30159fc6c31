//! Set of incomplete directories, whose totals are not yet included in their parents' totals.

use std::collections::HashSet;

use super::directory::{Dir, DirId};
use crate::base::sync::{Mutex, Ordering, lock};

const SHARDS: usize = 16;

/// Incomplete directories with published entries. Contains only directories that have child directories or several
/// batches. Any other directory completes as soon as its single batch has been published.
#[derive(Default)]
pub(super) struct Open {
    shards: [Mutex<HashSet<DirId>>; SHARDS],
}

impl Open {
    pub(super) fn enter(&self, id: DirId, dir: &Dir) {
        // `Relaxed` ordering is enough. Only one thread at a time publishes a batch of the directory and calls `enter`,
        // and this thread holds a claim on the directory. `leave` is called after the last claim has been released.
        if !dir.is_open.swap(true, Ordering::Relaxed) {
            lock(self.shard(id)).insert(id);
        }
    }

    pub(super) fn leave(&self, id: DirId, dir: &Dir) {
        if dir.is_open.load(Ordering::Relaxed) {
            lock(self.shard(id)).remove(&id);
        }
    }

    fn shard(&self, id: DirId) -> &Mutex<HashSet<DirId>> {
        &self.shards[id.0 as usize % SHARDS]
    }

    pub(super) fn all(&self) -> Vec<DirId> {
        self.shards.iter().flat_map(|shard| lock(shard).iter().copied().collect::<Vec<_>>()).collect()
    }
}
