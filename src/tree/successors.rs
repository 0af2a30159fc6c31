//! Who holds the number of a directory finds it again after a part of the tree was read anew.
//!
//! A rescan gives new numbers to everything in the directory it replaces; see `replace`. The old directories can be looked at
//! until the next rescan, so their names lead to the new ones.
//!
//! Invariant: a directory outside of what was replaced is its own successor.

use std::collections::HashMap;

use super::{DirId, Record, Tree};

/// Finds what stands in the place of directories after one rescan.
pub struct Successors<'t> {
    tree: &'t Tree,
    /// What was found so far; none for what is no directory any more.
    known: HashMap<DirId, Option<DirId>>,
}

impl<'t> Successors<'t> {
    /// The successors after directories were replaced by a rescan, however it ended, before the next one.
    pub fn new(tree: &'t Tree, replaced: impl IntoIterator<Item = DirId>) -> Self {
        let mut known = HashMap::from([(DirId::TOP, Some(DirId::TOP))]);
        for replaced in replaced {
            let parent = tree.parent(replaced).unwrap_or(DirId::TOP);
            let is_there = tree.listing(parent).directories().any(|id| id == replaced);
            let successor = if is_there { Some(replaced) } else { tree.child(parent, tree.name(replaced)) };
            known.insert(replaced, successor);
        }
        Self { tree, known }
    }

    /// The directory that is now where `id` was.
    pub fn find(&mut self, id: DirId) -> Option<DirId> {
        let mut below = Vec::new();
        let mut at = id;
        while !self.known.contains_key(&at) {
            below.push(at);
            at = self.tree.parent(at).unwrap_or(DirId::TOP);
        }
        let mut found = self.known[&at];
        for id in below.into_iter().rev() {
            found = match found {
                Some(parent) if parent == at => Some(id),
                Some(parent) => self.tree.child(parent, self.tree.name(id)),
                None => None,
            };
            self.known.insert(id, found);
            at = id;
        }
        found
    }
}

impl Tree {
    /// The entry of `id` with this name. Searches the listing.
    pub fn entry(&self, id: DirId, name: &[u8]) -> Option<Record<'_>> {
        let listing = self.listing(id);
        listing.entries().map(|(_, record)| record).find(|record| record.name == name)
    }

    fn child(&self, id: DirId, name: &[u8]) -> Option<DirId> {
        self.entry(id, name)?.directory()
    }
}
