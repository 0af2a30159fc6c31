//! Totals of a running scan.
//!
//! The totals of a directory include its completed child directories. Only a few directories are incomplete at a
//! time: those above the ones being read. A view that shows totals adds each incomplete directory to the
//! ancestors in a table of its own. This costs the scan one short lock per directory with child directories, and
//! nothing else.
//!
//! Invariant: when no directory is incomplete, the live totals equal the totals.

use std::collections::HashMap;

use super::directory::{DirId, Totals};
use super::reading::Tree;

/// Totals of the incomplete directories and everything below them, at one moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LiveTotals {
    open: HashMap<DirId, Totals>,
}

impl LiveTotals {
    /// Samples the tree. This takes time and memory only for incomplete directories.
    ///
    /// The totals of a directory are read before the states of its children. So a child whose state is
    /// incomplete was not in those totals, and nothing counts twice. A child that completes in between is
    /// missing only from this sample.
    pub fn sample(tree: &Tree) -> Self {
        let mut open: HashMap<DirId, Totals> = HashMap::new();
        let mut order = Vec::new();
        for id in tree.open.all() {
            // The ancestors of these directories are incomplete too.
            let first = order.len();
            order.extend(
                std::iter::successors(Some(id), |id| tree.parent(*id))
                    .take_while(|id| !open.contains_key(id)),
            );
            order[first..].reverse();
            open.extend(order[first..].iter().map(|id| (*id, tree.totals(*id))));
        }
        // Each directory comes after its parent. In reverse order, a directory is added to its parent only after
        // all of its children were added to the directory.
        for id in order.into_iter().rev() {
            // The parent of a detached directory still contains the old totals.
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

    /// Returns the totals of `id` with everything read below it so far.
    pub fn totals(&self, tree: &Tree, id: DirId) -> Totals {
        let sampled = self.open.get(&id).filter(|_| !tree.status(id).is_complete());
        sampled.copied().unwrap_or_else(|| tree.totals(id))
    }
}
