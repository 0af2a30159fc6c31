//! Totals while a scan is running.
//!
//! The totals of a directory include only those child directories that are complete. Only a few directories are
//! incomplete at any time: those above the directories being read. To show current totals, a view copies the totals of
//! the incomplete directories to a separate table. In this table, the totals of each directory are added to the totals
//! of its ancestors. The cost for the scan is two short locks for each directory that has child directories or several
//! batches.
//!
//! Invariant: if no directory is incomplete, the live totals equal the totals of the tree.

use std::collections::HashMap;

use super::directory::{DirId, Totals};
use super::reading::Tree;

/// Totals of incomplete directories, including everything below them, at one point in time.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LiveTotals {
    open: HashMap<DirId, Totals>,
}

impl LiveTotals {
    /// Samples the tree. Time and memory depend only on the number of incomplete directories.
    ///
    /// The totals of a directory are read before the states of its children. If a child is incomplete when its state is
    /// read, the totals do not contain it yet, so nothing is counted twice. If a child completes between the two reads,
    /// this sample lacks the child, but the next sample does not.
    pub fn sample(tree: &Tree) -> Self {
        let mut open: HashMap<DirId, Totals> = HashMap::new();
        let mut order = Vec::new();
        for id in tree.open.all() {
            // The ancestors of an incomplete directory are incomplete too. `order` contains them before the directory.
            let first = order.len();
            order.extend(
                std::iter::successors(Some(id), |id| tree.parent(*id))
                    .take_while(|id| !open.contains_key(id)),
            );
            order[first..].reverse();
            open.extend(order[first..].iter().map(|id| (*id, tree.totals(*id))));
        }
        // `order` contains every directory after its parent. In reverse order, the totals of a directory are therefore
        // complete when they are added to the parent.
        for id in order.into_iter().rev() {
            // Skips a directory that a rescan is filling: its parent's totals still include the old directory.
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

    /// Returns the totals of `id`, including everything read below it so far.
    pub fn totals(&self, tree: &Tree, id: DirId) -> Totals {
        let sampled = self.open.get(&id).filter(|_| !tree.status(id).is_complete());
        sampled.copied().unwrap_or_else(|| tree.totals(id))
    }
}
