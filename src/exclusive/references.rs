//! Builder that adds the references of one volume to [`ExclusiveSums`]. A reference records that a file contains an
//! extent.

use super::extents::mark_as_lower_bound;
use super::ranges::{Known, VolumeRange};
use super::sums::ExclusiveSums;
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

/// Returns the names of the file with the inode number `inode`. `known` must be sorted by inode number.
pub(super) fn names_of(known: &[KnownName], inode: u64) -> &[KnownName] {
    let rest = &known[known.partition_point(|name| name.inode < inode)..];
    &rest[..rest.iter().take_while(|name| name.inode == inode).count()]
}

/// File whose link count or disk usage has changed since the scan, with the new values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChangedFile {
    pub(super) node: Node,
    pub(super) links: u32,
    /// Disk usage in bytes.
    pub(super) disk: u64,
}

const _: () = assert!(size_of::<ChangedFile>() == 16);

/// Files that have changed since the scan, and files with new data that may not be on the disk yet. Files are included
/// only if all extents of their volume are read together at the end of the search, not file by file.
#[derive(Default)]
pub(super) struct ChangedFiles {
    pub(super) since_scan: Vec<ChangedFile>,
    /// Files with new data that may not be on the disk yet. The new data will not be stored at the location of the data
    /// that it replaces.
    pub(super) unwritten: Vec<Node>,
}

impl ChangedFiles {
    /// Sorts the files for lookups. Must be called after the last file has been added.
    pub(super) fn sort(&mut self) {
        self.since_scan.sort_unstable();
        self.unwritten.sort_unstable();
    }

    pub(super) fn since_scan(&self, node: Node) -> Option<&ChangedFile> {
        let found = self.since_scan.binary_search_by_key(&node, |file| file.node).ok()?;
        self.since_scan.get(found)
    }

    fn is_unwritten(&self, names: &[KnownName]) -> bool {
        names.first().is_some_and(|name| self.unwritten.binary_search(&name.node).is_ok())
    }
}

/// Builder that adds the references of one volume to the sums.
pub(super) struct References<'s> {
    pub(super) sums: &'s mut ExclusiveSums,
    /// Index of the volume in `sums`.
    pub(super) number: usize,
    /// For each scanned file, indexed by [`Node`]: the number of bytes that the references added so far do not cover.
    /// For a file in [`ChangedFiles::unwritten`], this is always its whole disk usage, because all of its data may be
    /// new.
    unreferenced: Vec<u64>,
    changed: &'s ChangedFiles,
    names: Vec<Node>,
}

impl<'s> References<'s> {
    pub(super) fn new(
        sums: &'s mut ExclusiveSums,
        number: usize,
        sizes: Vec<u64>,
        changed: &'s ChangedFiles,
    ) -> Self {
        Self { sums, number, unreferenced: sizes, changed, names: Vec::new() }
    }

    /// Adds a reference to `extent` from the file with these names.
    pub(super) fn add(&mut self, names: &[KnownName], extent: FileExtent) {
        let known = if self.changed.is_unwritten(names) { Known::Transient } else { Known::All };
        self.refer(names, extent, known);
    }

    /// Adds a reference to an extent that several files share. The reference of a scanned file counts as
    /// [`Known::Transient`] until [`Self::complete_shared`] is called, because the file may have new data that is not
    /// in any extent yet and will replace the shared extent.
    pub(super) fn add_shared(&mut self, names: &[KnownName], extent: FileExtent) {
        self.refer(names, extent, if names.is_empty() { Known::All } else { Known::Transient });
    }

    fn refer(&mut self, names: &[KnownName], extent: FileExtent, known: Known) {
        if let Some(name) = names.first().filter(|_| !self.changed.is_unwritten(names)) {
            let left = &mut self.unreferenced[name.node as usize];
            *left = left.saturating_sub(extent.accounts_for);
        }
        let nodes = self.nodes(names);
        let range = VolumeRange { volume: self.number, start: extent.start, length: extent.length };
        self.sums.refer(&nodes, range, known);
        self.names = nodes;
    }

    /// Marks the references added with [`Self::add_shared`] as reliable ([`Known::All`]), except those of files whose
    /// disk usage is larger than their references account for. The remaining bytes of such a file may be new data that
    /// will replace a shared extent. `known` contains the names of the scanned files, sorted by inode number.
    pub(super) fn complete_shared(&mut self, known: &[KnownName]) {
        let files = known.chunk_by(|one, next| one.inode == next.inode);
        let files = files.filter(|names| self.unreferenced[names[0].node as usize] > 0);
        let mut nodes: Vec<Node> = files.flatten().map(|name| name.node).collect();
        nodes.sort_unstable();
        self.sums.make_permanent(self.number, |node| nodes.binary_search(&node).is_ok());
    }

    /// Adds the bytes of each scanned file that its references do not account for: mostly data that is not on the disk
    /// yet and therefore has no extent. `known` contains the names of the files, sorted by inode number.
    pub(super) fn add_unseen(&mut self, known: &[KnownName]) {
        for names in known.chunk_by(|one, next| one.inode == next.inode) {
            let nodes = self.nodes(names);
            self.sums.may_hold(&nodes, self.unreferenced[names[0].node as usize]);
            // If the scan found more names than the file has links now, names have been deleted since the scan.
            // Deleting one of the remaining names may then free more than the references show.
            if names.len() > links(names) {
                mark_as_lower_bound(self.sums, &nodes);
            }
            self.names = nodes;
        }
    }

    /// Returns the nodes of `names`. Adds [`NodeNumbers::OUTSIDE`] if the file with these names also has other names.
    fn nodes(&mut self, names: &[KnownName]) -> Vec<Node> {
        let mut nodes = std::mem::take(&mut self.names);
        nodes.clear();
        nodes.extend(names.iter().map(|name| name.node));
        if nodes.len() < links(names) {
            nodes.push(NodeNumbers::OUTSIDE);
        }
        nodes
    }
}

/// Returns the link count of the file with these names. If `names` is empty, the file is outside the tree, and the
/// result is 1.
fn links(names: &[KnownName]) -> usize {
    names.iter().map(|name| name.links).max().unwrap_or(1) as usize
}
