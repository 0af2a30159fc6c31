//! Walks over a tree without recursion.
//!
//! Invariant: memory use depends on the number of directories still to be visited, not on the depth of the tree.

use std::collections::HashSet;

use super::{DirId, Listing, Tree};

/// Iterator over a directory and all directories below it, parents before children, each with its published entries.
pub struct Walk<'t> {
    tree: &'t Tree,
    waiting: Vec<DirId>,
}

impl<'t> Walk<'t> {
    /// Creates a walk that starts at `id`.
    pub fn new(tree: &'t Tree, id: DirId) -> Self {
        Self { tree, waiting: vec![id] }
    }
}

impl<'t> Iterator for Walk<'t> {
    type Item = (DirId, Listing<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.waiting.pop()?;
        let listing = self.tree.listing(id);
        // A root inside another root is skipped in the list of roots, because it is visited as a directory of the outer
        // root. A root that was given twice is visited once.
        let mut roots = HashSet::new();
        let owned = |child: &DirId| {
            self.tree.parent(*child) == Some(id) && (id != DirId::TOP || roots.insert(*child))
        };
        let first = self.waiting.len();
        self.waiting.extend(listing.directories().filter(owned));
        self.waiting[first..].reverse();
        Some((id, listing))
    }
}
