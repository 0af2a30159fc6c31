//! Numbering of a tree's nodes, and access to the tree's exclusive sizes.
//!
//! Invariant: exclusive sizes that were computed for an older edition of the tree ([`Tree::edition`]) are not
//! returned.

use super::exclusive::{ExclusiveSizes, FileKey, Node, NodeNumbers};
use super::{DirId, EntryId, EntryState, Metadata, Tree, Walk};
use crate::base::sync::{Arc, lock};

impl NodeNumbers {
    /// Numbers the directories of a tree and the files that take space. Calls `each` with the node, ID and metadata of
    /// every such file. A root that is already counted in another root gets no number of its own.
    ///
    /// # Panics
    /// Panics if the tree has more than 2^32 directories and files.
    pub fn new(tree: &Tree, mut each: impl FnMut(Node, EntryId, &Metadata)) -> Self {
        let mut numbers = Self { edition: tree.edition(), ..Self::default() };
        numbers.push(Self::OUTSIDE, 0);
        let (aliases, mut files) = (tree.alias_positions(), Vec::new());
        for (directory, listing) in Walk::new(tree, DirId::TOP) {
            let above = tree.parent(directory).map_or(Self::OUTSIDE, |parent| numbers.directory(parent));
            let node = numbers.push(above, 0);
            let index = directory.0 as usize;
            numbers.directories.resize(numbers.directories.len().max(index + 1), Self::OUTSIDE);
            numbers.directories[index] = node;
            for (position, entry) in listing.entries() {
                let EntryState::Known(metadata) = entry.state else { continue };
                let is_alias = directory == DirId::TOP && aliases.contains(&position);
                if metadata.directory.is_none() && metadata.blocks > 0 && !is_alias {
                    files.push((FileKey::from(&metadata).0, position, metadata));
                }
            }
            files.sort_unstable_by_key(|(key, position, _)| (*key, *position));
            numbers.keys[node as usize] = files.len() as u64;
            for (key, position, metadata) in files.drain(..) {
                let file = numbers.push(node, key);
                each(file, EntryId { directory, position }, &metadata);
            }
        }
        numbers
    }
}

impl Tree {
    /// Sets the exclusive sizes, which are valid until the tree changes.
    pub fn set_exclusive(&self, sizes: Arc<ExclusiveSizes>) {
        *lock(&self.exclusive) = Some(sizes);
    }

    /// Returns the exclusive sizes; `None` if they are unknown or the tree has changed since its nodes were numbered.
    pub fn exclusive(&self) -> Option<Arc<ExclusiveSizes>> {
        lock(&self.exclusive).clone().filter(|sizes| sizes.numbers.edition == self.edition())
    }
}
