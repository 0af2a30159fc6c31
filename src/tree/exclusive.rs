//! Exclusive sizes: the bytes that deleting an entry frees, as far as a finished search has found them.
//!
//! Directories and files that take space are *nodes*, numbered so that a node comes before everything below it. The files
//! of a directory follow directly after it, sorted by inode, so that a file is found by its metadata. Node 0 stands for everything outside of the tree, and node 1 is
//! the top of the tree.
//!
//! Invariant: sizes describe the tree of one edition, and are not returned after a change.

use super::{DeviceIndex, DirId, EntryId, EntryState, Metadata, Tree, Walk};
use crate::base::sync::{Arc, lock};

/// Number of a directory or file in [`NodeNumbers`].
pub type Node = u32;

/// Bytes that deleting an entry frees, and bytes that it shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exclusive {
    /// Minimum number of bytes freed.
    pub at_least: u64,
    /// Maximum number of bytes freed; `None` if no limit is known.
    pub at_most: Option<u64>,
    /// Number of bytes that are, or may be, held by other entries, too.
    pub shared: u64,
}

impl Exclusive {
    /// Returns `true` if the number of bytes freed is known exactly.
    pub fn is_exact(self) -> bool {
        self.at_most == Some(self.at_least)
    }

    /// Returns the exclusive size of several entries that are deleted together, none of which contains another.
    pub fn together(entries: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self { at_most: Some(0), ..Self::default() };
        let mut count = 0;
        for entry in entries {
            count += 1;
            sum.at_least = sum.at_least.saturating_add(entry.at_least);
            sum.at_most = sum.at_most.zip(entry.at_most).map(|(sum, more)| sum.saturating_add(more));
            sum.shared = sum.shared.saturating_add(entry.shared);
        }
        // Data that these entries share only with each other is freed, too. At least two of them hold it.
        let between = if count > 1 { sum.shared / 2 } else { 0 };
        sum.at_most = sum.at_most.map(|most| most.saturating_add(between));
        sum
    }
}

/// Sums of one node. The totals include everything below the node.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeSums {
    /// Minimum number of bytes freed.
    pub at_least: u64,
    /// Maximum number of bytes freed; `u64::MAX` if no limit is known.
    pub at_most: u64,
    /// Number of shared bytes. While sums are collected, the number wraps around.
    pub shared: u64,
}

impl NodeSums {
    /// Adds the sums of a node below this one.
    pub fn add(&mut self, below: &Self) {
        self.at_least = self.at_least.saturating_add(below.at_least);
        self.at_most = self.at_most.saturating_add(below.at_most);
        self.shared = self.shared.wrapping_add(below.shared);
    }
}

/// Numbers of the nodes of a tree.
#[derive(Debug, Default)]
pub struct NodeNumbers {
    /// Parent of each node. A parent has a lower number than its children; node 0 is its own parent.
    parents: Vec<Node>,
    /// Key of each file. For a directory, the number of its files.
    keys: Vec<u64>,
    /// Node of each directory, 0 for unused numbers.
    directories: Vec<Node>,
    /// Edition of the tree when it was numbered.
    edition: u64,
}

impl NodeNumbers {
    /// Node above the top, which stands for everything outside of the tree.
    pub const OUTSIDE: Node = 0;

    /// Numbers the directories of a tree, and its files that take space. Calls `each` with every node, its address and
    /// its metadata. Roots that repeat another root get no numbers.
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

    /// Creates the numbers of nodes with these parents.
    #[cfg(test)]
    pub(crate) fn of_parents(parents: Vec<Node>) -> Self {
        Self { parents, ..Self::default() }
    }

    fn push(&mut self, parent: Node, key: u64) -> Node {
        let node = Node::try_from(self.parents.len()).expect("a tree has fewer than 2^32 entries");
        self.parents.push(parent);
        self.keys.push(key);
        node
    }

    /// Returns the number of nodes.
    pub fn count(&self) -> usize {
        self.parents.len()
    }

    /// Returns the parent of a node.
    pub fn parent(&self, node: Node) -> Node {
        self.parents[node as usize]
    }

    /// Returns the lowest node that is or contains both nodes.
    pub fn common(&self, mut one: Node, mut other: Node) -> Node {
        while one != other {
            let lower = if one > other { &mut one } else { &mut other };
            *lower = self.parent(*lower);
        }
        one
    }

    /// Returns the node of a directory, or [`NodeNumbers::OUTSIDE`] if it was not numbered.
    pub fn directory(&self, id: DirId) -> Node {
        self.directories.get(id.0 as usize).copied().unwrap_or(Self::OUTSIDE)
    }

    /// Returns the node of a file in a directory, or `None` if the file takes no space or repeats another root. All names
    /// of an inode in this directory have the same node.
    pub fn file(&self, directory: DirId, key: FileKey) -> Option<Node> {
        let above = Some(self.directory(directory)).filter(|node| *node != Self::OUTSIDE)? as usize;
        let count = usize::try_from(self.keys[above]).ok()?;
        let keys = &self.keys[above + 1..][..count];
        let found = keys.partition_point(|known| *known < key.0);
        keys.get(found).filter(|known| **known == key.0)?;
        Node::try_from(above + 1 + found).ok()
    }
}

/// Key of a file within its directory. Files with the same inode number on different devices can be roots; the links of
/// a root always contain the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKey(u64);

impl FileKey {
    /// Returns the key of a file with this inode number and these links.
    pub fn new(inode: u64, links: Option<DeviceIndex>) -> Self {
        Self(inode ^ links.map_or(0, |device| u64::from(device) + 1) << 48)
    }
}

impl From<&Metadata> for FileKey {
    fn from(metadata: &Metadata) -> Self {
        Self::new(metadata.inode, metadata.links.map(|links| links.device))
    }
}

/// Reliability and coverage of exclusive sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExclusiveCoverage {
    /// Number of files whose extents were read.
    pub read: u64,
    /// Number of files on file systems without shared extents, where the link count decides.
    pub by_links: u64,
    /// Number of files whose extents could not be read, or that were being written.
    pub unread: u64,
}

/// Exclusive sizes of all entries of a tree.
#[derive(Debug, Default)]
pub struct ExclusiveSizes {
    pub(crate) numbers: Arc<NodeNumbers>,
    pub(crate) sums: Vec<NodeSums>,
    /// Reliability and coverage of the sizes.
    pub coverage: ExclusiveCoverage,
}

impl ExclusiveSizes {
    /// Returns the exclusive size of an entry of `directory`, or `None` if it is a root that repeats another root.
    pub fn of(&self, directory: DirId, metadata: &Metadata) -> Option<Exclusive> {
        match metadata.directory {
            Some(id) => self.directory(id),
            None if metadata.blocks == 0 => Some(Exclusive { at_most: Some(0), ..Exclusive::default() }),
            None => self.file(directory, metadata.into()),
        }
    }

    /// Returns the exclusive size of a file in `directory` that takes space.
    pub fn file(&self, directory: DirId, key: FileKey) -> Option<Exclusive> {
        self.numbers.file(directory, key).map(|node| self.node(node))
    }

    /// Returns the exclusive size of a directory.
    pub fn directory(&self, id: DirId) -> Option<Exclusive> {
        let node = self.numbers.directory(id);
        (node != NodeNumbers::OUTSIDE).then(|| self.node(node))
    }

    fn node(&self, node: Node) -> Exclusive {
        let NodeSums { at_least, at_most, shared } = self.sums[node as usize];
        Exclusive { at_least, at_most: (at_most != u64::MAX).then_some(at_most), shared }
    }
}

impl Tree {
    /// Sets the exclusive sizes. They are kept until the tree changes.
    pub fn set_exclusive(&self, sizes: Arc<ExclusiveSizes>) {
        *lock(&self.exclusive) = Some(sizes);
    }

    /// Returns the exclusive sizes, or `None` if they are unknown or the tree has changed since.
    pub fn exclusive(&self) -> Option<Arc<ExclusiveSizes>> {
        lock(&self.exclusive).clone().filter(|sizes| sizes.numbers.edition == self.edition())
    }
}
