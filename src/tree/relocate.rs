//! Finds directories again after a rescan has given them new IDs.
//!
//! A rescan assigns new IDs to the replaced directory and to all directories below it; see `replace`. The old
//! directories remain readable until the next rescan. Each new directory is found by the path of the old one.
//!
//! Invariant: directories outside the replaced ones keep their IDs.

use std::collections::{HashMap, HashSet};

use super::{DirId, Entry, Tree};

/// Map from each directory to the one that replaced it in a rescan.
pub struct Relocation<'t> {
    tree: &'t Tree,
    /// Directories that the rescan may have replaced or removed: those passed to [`Self::new`], and their ancestors.
    uncertain: HashSet<DirId>,
    /// Results found so far; `None` for directories that no longer exist.
    known: HashMap<DirId, Option<DirId>>,
}

impl<'t> Relocation<'t> {
    /// Creates the relocation after a rescan of the directories `replaced`. The rescan may have been stopped or
    /// have failed. The relocation is valid until the next rescan begins.
    pub fn new(tree: &'t Tree, replaced: impl IntoIterator<Item = DirId>) -> Self {
        // The ancestors are uncertain too: if a directory no longer exists, the rescan may have removed its ancestors.
        let uncertain = replaced.into_iter().flat_map(|id| tree.ancestry(id)).collect();
        Self { tree, uncertain, known: HashMap::from([(DirId::TOP, Some(DirId::TOP))]) }
    }

    /// Returns the replacement of `id`, `id` itself if it was not replaced, or `None` if it no longer exists.
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
                Some(parent) if parent == at && self.is_in(parent, id) => Some(id),
                Some(parent) => self.tree.child(parent, self.tree.name(id)),
                None => None,
            };
            self.known.insert(id, found);
            at = id;
        }
        found
    }

    /// Returns `true` if directory `id` is still in the listing of `parent`. The caller ensures that `parent` itself
    /// has not been replaced.
    fn is_in(&self, parent: DirId, id: DirId) -> bool {
        !self.uncertain.contains(&id) || self.tree.listing(parent).directories().any(|child| child == id)
    }

    /// Returns the result of [`Self::find`] for `id` or, if that directory is gone, for its nearest existing ancestor.
    pub fn nearest(&mut self, id: DirId) -> DirId {
        let mut at = id;
        loop {
            match (self.find(at), self.tree.parent(at)) {
                (Some(found), _) => return found,
                (None, Some(parent)) => at = parent,
                (None, None) => return DirId::TOP,
            }
        }
    }
}

impl Tree {
    /// Searches the listing of directory `id` for the entry called `name`.
    pub fn entry(&self, id: DirId, name: &[u8]) -> Option<Entry<'_>> {
        let listing = self.listing(id);
        listing.entries().map(|(_, record)| record).find(|record| record.name == name)
    }

    fn child(&self, id: DirId, name: &[u8]) -> Option<DirId> {
        self.entry(id, name)?.directory()
    }
}
