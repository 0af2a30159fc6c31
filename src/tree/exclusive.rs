//! Exclusive sizes: the number of bytes that deleting an entry frees.
//!
//! Each directory, and each file that takes space, is a numbered *node*. A node has a lower number than everything
//! below it. The files of a directory directly follow the directory, sorted by [`FileKey`]. This key is computed from a
//! file's metadata, so a binary search finds the file's node. Node 0 stands for everything outside of the tree, and
//! node 1 is the top of the tree.
//!
//! Invariant: sizes belong to one edition of the tree (`Tree::edition`), and are not returned after the tree
//! changes.

use super::directory::DirId;
use super::entry::{DeviceIndex, Metadata};
use crate::base::format::{Units, plain_size};
use crate::base::os_error::OsError;
use crate::base::sync::Arc;

/// Number that identifies a directory or file in [`NodeNumbers`].
pub type Node = u32;

/// Bytes that deleting an entry frees, and bytes that the entry shares with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exclusive {
    /// Minimum number of bytes freed.
    pub at_least: u64,
    /// Maximum number of bytes freed; `None` if no limit is known.
    pub at_most: Option<u64>,
    /// Number of bytes that other entries also hold or may hold.
    pub shared: u64,
}

impl Exclusive {
    /// Returns `true` if the number of bytes freed is known exactly.
    pub fn is_exact(self) -> bool {
        self.at_most == Some(self.at_least)
    }

    /// Returns the exclusive size of several entries that are deleted together. No entry may contain another.
    pub fn together(entries: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self { at_most: Some(0), ..Self::default() };
        let mut count = 0;
        for entry in entries {
            count += 1;
            sum.at_least = sum.at_least.saturating_add(entry.at_least);
            sum.at_most = sum.at_most.zip(entry.at_most).map(|(sum, more)| sum.saturating_add(more));
            sum.shared = sum.shared.saturating_add(entry.shared);
        }
        // Deleting the entries together also frees data that is shared only among these entries. At least two entries
        // count each byte of this data as `shared`, so the data is at most half of the sum.
        let between = if count > 1 { sum.shared / 2 } else { 0 };
        sum.at_most = sum.at_most.map(|most| most.saturating_add(between));
        sum
    }
}

/// Sums for one node and everything below it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeSums {
    /// Minimum number of bytes freed.
    pub at_least: u64,
    /// Maximum number of bytes freed; `u64::MAX` if no limit is known.
    pub at_most: u64,
    /// Number of shared bytes, modulo 2^64, because it may be negative until all descendants have been added.
    pub shared: u64,
}

impl NodeSums {
    /// Adds the sums of `below`, a node below this node.
    pub fn add(&mut self, below: &Self) {
        self.at_least = self.at_least.saturating_add(below.at_least);
        self.at_most = self.at_most.saturating_add(below.at_most);
        self.shared = self.shared.wrapping_add(below.shared);
    }
}

/// Numbering of the nodes of a tree: its directories, and its files that take space.
#[derive(Debug, Default)]
pub struct NodeNumbers {
    /// Parent of each node. A parent has a lower number than its children; node 0 is its own parent.
    pub(super) parents: Vec<Node>,
    /// Value for each node: the [`FileKey`] of a file, or, for a directory, the number of its files that have nodes.
    pub(super) keys: Vec<u64>,
    /// Node of each directory, indexed by [`DirId`]; 0 for unused IDs.
    pub(super) directories: Vec<Node>,
    /// Value of `Tree::edition` when the nodes were numbered.
    pub(super) edition: u64,
}

impl NodeNumbers {
    /// Node that represents everything outside of the tree, and is the parent of the top directory.
    pub const OUTSIDE: Node = 0;

    #[cfg(test)]
    pub(crate) fn of_parents(parents: Vec<Node>) -> Self {
        Self { parents, ..Self::default() }
    }

    pub(super) fn push(&mut self, parent: Node, key: u64) -> Node {
        let node = Node::try_from(self.parents.len()).expect("a tree has fewer than 2^32 entries");
        self.parents.push(parent);
        self.keys.push(key);
        node
    }

    /// Returns the number of nodes.
    pub fn count(&self) -> usize {
        self.parents.len()
    }

    /// Returns the parent of a node. Node 0 is its own parent.
    pub fn parent(&self, node: Node) -> Node {
        self.parents[node as usize]
    }

    /// Returns the deepest common ancestor of two nodes. Here, each node is also its own ancestor.
    pub fn common(&self, mut one: Node, mut other: Node) -> Node {
        while one != other {
            let lower = if one > other { &mut one } else { &mut other };
            *lower = self.parent(*lower);
        }
        one
    }

    /// Returns the node of a directory; [`Self::OUTSIDE`] if it was not in the tree when the nodes were numbered.
    pub fn directory(&self, id: DirId) -> Node {
        self.directories.get(id.0 as usize).copied().unwrap_or(Self::OUTSIDE)
    }

    /// Returns the node of a file in a directory. If the directory contains several names of the inode, returns the
    /// node of the first name. Returns `None` if the file takes no space, if the file is a root that is already counted
    /// in another root, or if the directory has no node.
    pub fn file(&self, directory: DirId, key: FileKey) -> Option<Node> {
        let above = Some(self.directory(directory)).filter(|node| *node != Self::OUTSIDE)? as usize;
        let count = usize::try_from(self.keys[above]).ok()?;
        let keys = &self.keys[above + 1..][..count];
        let found = keys.partition_point(|known| *known < key.0);
        keys.get(found).filter(|known| **known == key.0)?;
        Node::try_from(above + 1 + found).ok()
    }
}

/// Key of a file within its directory: the inode number, combined with the device if `Metadata::links` contains one.
/// For a file that is a root, `Metadata::links` always contains a device, because roots on different devices can have
/// the same inode number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKey(pub(super) u64);

impl FileKey {
    /// Returns the key of a file with the inode number `inode`. `device` is the device in `Metadata::links`, if any.
    pub fn new(inode: u64, device: Option<DeviceIndex>) -> Self {
        Self(inode ^ device.map_or(0, |device| u64::from(device) + 1) << 48)
    }
}

impl From<&Metadata> for FileKey {
    fn from(metadata: &Metadata) -> Self {
        Self::new(metadata.inode, metadata.links.map(|links| links.device))
    }
}

/// Accuracy of sizes computed from the extents of a volume. Variants are ordered from most to least accurate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Accuracy {
    /// The sizes are exact, because the extents add up to the amount of data that the file system reports as used.
    #[default]
    Exact,
    /// The sizes are minimums, because `missing` bytes of data were not found.
    AtLeast {
        /// Number of used bytes that belong to none of the extents found.
        missing: u64,
    },
    /// The sizes are minimums, because the file system stores data and metadata together and reports only their sum.
    Mixed,
    /// Files changed while the extents were read, so the sizes may be too large.
    Changing,
    /// The sizes are minimums, because reading failed with this error number.
    Failed(i32),
}

impl Accuracy {
    /// Returns the accuracy of sizes computed from extents with a total of `found` bytes. `used` is the number of
    /// bytes of data that the file system reports as used; `None` if it is unknown.
    pub fn of(used: Option<u64>, found: u64) -> Self {
        match used.map(|used| used.checked_sub(found)) {
            None => Self::Mixed,
            Some(None) => Self::Changing,
            Some(Some(0)) => Self::Exact,
            Some(Some(missing)) => Self::AtLeast { missing },
        }
    }

    /// Describes the accuracy for the user. If the sizes are not exact, includes the reason.
    pub fn text(self, units: Units) -> String {
        match self {
            Self::Exact => "sizes are exact".to_owned(),
            Self::Changing => format!("sizes may be too large: {}", self.reason(units)),
            _ => format!("sizes are minimums: {}", self.reason(units)),
        }
    }

    /// Returns the reason why the sizes are not exact, or an empty string if they are exact.
    pub fn reason(self, units: Units) -> String {
        match self {
            Self::Exact => String::new(),
            Self::AtLeast { missing } => format!("{} of data unaccounted for", plain_size(missing, units)),
            Self::Mixed => "cannot tell whether all data was found (mixed block groups)".to_owned(),
            Self::Changing => "files changed while duke was reading".to_owned(),
            Self::Failed(errno) => format!("cannot read all extents ({})", OsError(errno)),
        }
    }
}

/// Accuracy of exclusive sizes, and the number of files for each method by which the sizes were determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExclusiveCoverage {
    /// Number of files whose extents were read.
    pub read: u64,
    /// Number of files whose exclusive size depends only on the link count, as on file systems without shared extents.
    pub by_links: u64,
    /// Number of files that were being written, or whose extents could not be read.
    pub unread: u64,
    /// Accuracy of the sizes on the least accurate volume. Volumes whose extents were read file by file do not count.
    pub accuracy: Accuracy,
}

/// Exclusive sizes of all entries of a tree.
#[derive(Debug, Default)]
pub struct ExclusiveSizes {
    pub(crate) numbers: Arc<NodeNumbers>,
    pub(crate) sums: Vec<NodeSums>,
    /// Accuracy of the sizes, and the number of files for each method of determining sizes.
    pub coverage: ExclusiveCoverage,
}

impl ExclusiveSizes {
    /// Returns the exclusive size of an entry of `directory`. The size of a file that takes no space is 0. For any
    /// other entry, returns `None` if the entry was not in the tree when the nodes were numbered, or if the entry is a
    /// file that was given as a root and is already counted in another root.
    pub fn of(&self, directory: DirId, metadata: &Metadata) -> Option<Exclusive> {
        match metadata.directory {
            Some(id) => self.directory(id),
            None if metadata.blocks == 0 => Some(Exclusive { at_most: Some(0), ..Exclusive::default() }),
            None => self.file(directory, metadata.into()),
        }
    }

    /// Returns the exclusive size of a file in `directory`; `None` if the file has no node (see [`NodeNumbers::file`]).
    /// Unlike [`Self::of`], also returns `None` for a file that takes no space.
    pub fn file(&self, directory: DirId, key: FileKey) -> Option<Exclusive> {
        self.numbers.file(directory, key).map(|node| self.node(node))
    }

    /// Returns the exclusive size of a directory, or `None` if the directory was not reachable from the top directory
    /// when the nodes were numbered.
    pub fn directory(&self, id: DirId) -> Option<Exclusive> {
        let node = self.numbers.directory(id);
        (node != NodeNumbers::OUTSIDE).then(|| self.node(node))
    }

    fn node(&self, node: Node) -> Exclusive {
        let NodeSums { at_least, at_most, shared } = self.sums[node as usize];
        Exclusive { at_least, at_most: (at_most != u64::MAX).then_some(at_most), shared }
    }
}
