//! Index for looking up the names of an inode.

use super::directory::DirId;
use super::entry::InodeKey;
use super::inodes::{LinkedName, order};
use super::reading::Tree;

/// Names of all inodes that may have several names, as of the creation of the index; empty for a growing tree.
#[derive(Debug)]
pub struct InodeIndex {
    names: Vec<LinkedName>,
}

impl InodeIndex {
    /// Creates the index from the names in `tree`. Roots that are files are omitted, because they may also be entries
    /// below another root.
    pub fn new(tree: &Tree) -> Self {
        let mut names = tree.linked();
        names.retain(|name| name.directory != DirId::TOP);
        names.sort_unstable_by_key(order);
        Self { names }
    }

    /// Returns the names of an inode; empty if the inode is not in the index.
    pub fn names(&self, key: InodeKey) -> &[LinkedName] {
        let first = self.names.partition_point(|name| name.key() < key);
        let names = &self.names[first..];
        &names[..names.partition_point(|name| name.key() == key)]
    }
}
