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

/// The directories that were begun and are not complete, except those that are over before anyone could look.
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

/// What the open directories add to those above them, at one moment.
#[derive(Debug, Default)]
pub struct Live {
    below: HashMap<DirId, Totals>,
}

impl Live {
    /// Looks at the tree now. Costs time and memory for the open directories only.
    pub fn sample(tree: &Tree) -> Self {
        let mut open: HashSet<DirId> = tree.open.all().into_iter().collect();
        // The shards were read one after another: what was opened meanwhile above one of them is open too.
        for id in open.iter().copied().collect::<Vec<_>>() {
            let mut above = tree.parent(id);
            while let Some(id) = above.filter(|id| open.insert(*id)) {
                above = tree.parent(id);
            }
        }
        // A directory is handed on after all of its open children: count those, and begin where there are none.
        let mut waiting: HashMap<DirId, u32> = HashMap::with_capacity(open.len());
        for parent in open.iter().filter_map(|id| tree.parent(*id)) {
            *waiting.entry(parent).or_default() += 1;
        }
        let mut live = Self::default();
        let mut ready: Vec<DirId> = open.into_iter().filter(|id| !waiting.contains_key(id)).collect();
        while let Some(id) = ready.pop() {
            let Some(parent) = tree.parent(id) else { continue };
            // Completed meanwhile: its parent has it already. Detached: its parent still has the old one.
            if !tree.status(id).is_complete() && !tree.is_detached(id) {
                let sum = live.totals(tree, id);
                live.below.entry(parent).or_default().add(&sum);
            }
            if let Some(left) = waiting.get_mut(&parent) {
                *left -= 1;
                if *left == 0 {
                    ready.push(parent);
                }
            }
        }
        live
    }

    /// The totals of `id` with everything read below it so far.
    pub fn totals(&self, tree: &Tree, id: DirId) -> Totals {
        let mut totals = tree.totals(id);
        if let Some(below) = self.below.get(&id) {
            totals.add(below);
        }
        totals
    }
}
