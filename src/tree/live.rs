//! The totals of a scan that still runs.
//!
//! Completed directories are in their parents' totals already; the ones still open are few (those on the way down to
//! what is being read), so a view that wants to see them asks which are open and adds each to everything above it, in
//! its own memory. The scan pays one short lock per directory that has child directories, and nothing else.
//!
//! Knows nothing of the scan. Invariant: with nothing open, the live totals are the totals.

use std::collections::{HashMap, HashSet};

use super::{Dir, DirId, Totals, Tree};
use crate::sync::{Mutex, Ordering, lock};

const SHARDS: usize = 16;

/// The directories with something below them that are not complete: those whose published entries have a directory among them, or
/// came in several batches. Others are over before anyone could look, or add nothing to see until they are.
#[derive(Default)]
pub(super) struct Open {
    shards: [Mutex<HashSet<DirId>>; SHARDS],
}

impl Open {
    pub(super) fn enter(&self, id: DirId, dir: &Dir) {
        // Only the worker that reads the directory enters it, before it releases its own claim; `leave` comes after.
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

    fn all(&self) -> Vec<DirId> {
        self.shards.iter().flat_map(|shard| lock(shard).iter().copied().collect::<Vec<_>>()).collect()
    }
}

/// The totals of the open directories with everything below them, at one moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Live {
    open: HashMap<DirId, Totals>,
}

impl Live {
    /// Looks at the tree now. Costs time and memory for the open directories only.
    ///
    /// The totals of a directory are read before it is asked whether those below it are complete: one that is not was
    /// not yet added to it then, so nothing counts twice. What completes in between is missing from this look alone.
    pub fn sample(tree: &Tree) -> Self {
        let mut open: HashMap<DirId, Totals> = HashMap::new();
        let mut order = Vec::new();
        for id in tree.open.all() {
            // What was opened meanwhile above one of them is open too.
            let first = order.len();
            order.extend(
                std::iter::successors(Some(id), |id| tree.parent(*id))
                    .take_while(|id| !open.contains_key(id)),
            );
            order[first..].reverse();
            open.extend(order[first..].iter().map(|id| (*id, tree.totals(*id))));
        }
        // Each directory stands behind the one above it: backwards, it is whole when it is added there.
        for id in order.into_iter().rev() {
            // Of a detached one, the parent still has the old totals.
            if !tree.status(id).is_complete()
                && !tree.is_detached(id)
                && let Some(below) = open.get(&id).copied()
                && let Some(above) = tree.parent(id).and_then(|parent| open.get_mut(&parent))
            {
                above.add(&below);
            }
        }
        Self { open }
    }

    /// The totals of `id` with everything read below it so far.
    pub fn totals(&self, tree: &Tree, id: DirId) -> Totals {
        let sampled = self.open.get(&id).filter(|_| !tree.status(id).is_complete());
        sampled.copied().unwrap_or_else(|| tree.totals(id))
    }
}
