//! Builder that adds the references of one volume to [`ExclusiveSums`]. A reference records that a file contains an
//! extent.

use std::collections::HashMap;

use super::sums::{ExclusiveSums, Known, VolumeRange};
use crate::platform::fs::overhead::FileExtent;
use crate::tree::{Node, NodeNumbers};

/// Name of a scanned file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KnownName {
    pub(super) inode: u64,
    pub(super) node: Node,
    /// Link count of the file.
    pub(super) links: u32,
}

const _: () = assert!(size_of::<KnownName>() == 16);

/// Returns the names of the file with this inode number. `known` must be sorted by inode number.
pub(super) fn names_of(known: &[KnownName], inode: u64) -> &[KnownName] {
    let rest = &known[known.partition_point(|name| name.inode < inode)..];
    &rest[..rest.iter().take_while(|name| name.inode == inode).count()]
}

/// Builder that adds the references of one volume to the sums, and tracks the bytes of each file that no reference
/// covers.
pub(super) struct References<'s> {
    pub(super) sums: &'s mut ExclusiveSums,
    /// Number of the volume in `sums`.
    pub(super) number: usize,
    /// Disk usage of each scanned file in bytes, by node, minus the bytes that the added references account for.
    unseen: Vec<u64>,
    /// Files with new data that is not on the disk yet, by node, and the maximum size of this data.
    unwritten: &'s HashMap<Node, u64>,
    names: Vec<Node>,
}

impl<'s> References<'s> {
    pub(super) fn new(
        sums: &'s mut ExclusiveSums,
        number: usize,
        sizes: Vec<u64>,
        unwritten: &'s HashMap<Node, u64>,
    ) -> Self {
        Self { sums, number, unseen: sizes, unwritten, names: Vec::new() }
    }

    /// Adds a reference to `extent` from the file with these names.
    pub(super) fn add(&mut self, names: &[KnownName], extent: FileExtent) {
        if let Some(name) = names.first() {
            let left = &mut self.unseen[name.node as usize];
            *left = left.saturating_sub(extent.accounts_for);
        }
        let is_unwritten = names.first().is_some_and(|name| self.unwritten.contains_key(&name.node));
        let nodes = self.nodes(names);
        let range = VolumeRange { volume: self.number, start: extent.start, length: extent.length };
        self.sums.refer(&nodes, range, if is_unwritten { Known::Transient } else { Known::All });
        if is_unwritten {
            self.sums.may_hold(&nodes, extent.length);
        }
        self.names = nodes;
    }

    /// Adds the bytes of the scanned files that are not covered by an added reference. Such bytes exist because data
    /// that has not been written to the disk has no extent yet. Data that replaces old data is not part of the disk
    /// usage until it is on the disk. `known` contains the sorted names of the files.
    pub(super) fn add_unseen(&mut self, known: &[KnownName]) {
        for names in known.chunk_by(|one, next| one.inode == next.inode) {
            let nodes = self.nodes(names);
            let unwritten = self.unwritten.get(&names[0].node).copied().unwrap_or(0);
            self.sums.may_hold(&nodes, self.unseen[names[0].node as usize].max(unwritten));
            self.names = nodes;
        }
    }

    /// Returns the nodes of the names. If the file has more names, also returns the node for names outside
    /// the tree.
    fn nodes(&mut self, names: &[KnownName]) -> Vec<Node> {
        let mut nodes = std::mem::take(&mut self.names);
        nodes.clear();
        nodes.extend(names.iter().map(|name| name.node));
        let count = names.iter().map(|name| name.links).max().unwrap_or(1);
        if nodes.len() < count as usize {
            nodes.push(NodeNumbers::OUTSIDE);
        }
        nodes
    }
}
