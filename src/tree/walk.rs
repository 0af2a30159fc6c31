//! Walking a tree without recursion.
//!
//! Invariant: memory grows with the number of directories waiting, never with the depth of a call.

use std::collections::HashSet;

use super::{DirId, Listing, Tree};

/// Directories below and including one, each before its children, with what was published of each.
pub struct Walk<'t> {
    tree: &'t Tree,
    waiting: Vec<DirId>,
}

impl<'t> Walk<'t> {
    /// Begins at `id`.
    pub fn new(tree: &'t Tree, id: DirId) -> Self {
        Self { tree, waiting: vec![id] }
    }
}

impl<'t> Iterator for Walk<'t> {
    type Item = (DirId, Listing<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.waiting.pop()?;
        let listing = self.tree.listing(id);
        // An alias points to a directory whose parent is another: it is met there. A root given twice is met once.
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
