//! Extents of all files on an XFS volume, from its space map.
//!
//! For each range of blocks, the map has one record per file that refers to the range. Two kinds of blocks count
//! toward the disk usage of a file, but have no such record: blocks for data that has no location on the disk yet, and
//! blocks that XFS has set aside for copy-on-write.

use std::ops::ControlFlow;

use super::references::{KnownName, References, names_of};
use crate::platform::fs::overhead::FileExtent;
use crate::platform::fs::overhead::xfs::{OwnedExtent, extents};
use crate::platform::{Directory, Errno};
use crate::tree::Node;

/// End of the contents of each file. The blocks after the end do not count as part of the file: XFS reserves them
/// while the file grows, and may free them before the file is deleted.
pub(super) struct FileEnds {
    /// Size of a block in bytes.
    block: u64,
    /// For each [`Node`], the length of its contents in blocks, rounded up. [`u32::MAX`] if the length does not fit
    /// into 32 bits or is not known yet.
    blocks: Vec<u32>,
}

impl FileEnds {
    /// Creates a table for `count` nodes. The end of each file is unknown until [`Self::set`] is called for its node.
    /// `block` is the size of a block in bytes.
    pub(super) fn new(block: u64, count: usize) -> Self {
        Self { block, blocks: vec![u32::MAX; count] }
    }

    /// Records the length of the file `node`, rounded up to whole blocks. `length` is in bytes.
    pub(super) fn set(&mut self, node: Node, length: u64) {
        let blocks = length.div_ceil(self.block);
        self.blocks[node as usize] = u32::try_from(blocks).unwrap_or(u32::MAX);
    }

    /// Returns the part of an extent that lies before the end of the file with these names. Returns the whole extent if
    /// the end is unknown, or if the extent does not contain file contents.
    fn within(&self, names: &[KnownName], owned: &OwnedExtent) -> FileExtent {
        let end = names.first().map_or(u32::MAX, |name| self.blocks[name.node as usize]);
        let offset = owned.offset.filter(|_| end < u32::MAX);
        let FileExtent { length, .. } = owned.extent;
        let length =
            offset.map_or(length, |offset| length.min((u64::from(end) * self.block).saturating_sub(offset)));
        FileExtent { length, accounts_for: length, ..owned.extent }
    }
}

/// Adds the references that the space map contains. `known` contains the names of the scanned files, sorted by inode
/// number. Calls `note` after each added reference, and ends when `note` returns `Break`.
///
/// # Errors
/// Returns an error if reading the map fails. The references found before the error are still added.
pub(super) fn add(
    known: &[KnownName],
    ends: &FileEnds,
    directory: &Directory,
    references: &mut References<'_>,
    note: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(), Errno> {
    let found = extents(directory, |owned| {
        let names = names_of(known, owned.extent.inode);
        let extent = ends.within(names, &owned);
        match owned.is_shared {
            true => references.add_shared(names, extent),
            // An unshared extent of a file that was not scanned is skipped, because no scanned file can refer to it.
            false if names.is_empty() => return ControlFlow::Continue(()),
            false => references.add(names, extent),
        }
        note()
    });
    references.complete_shared(known);
    references.add_unseen(known);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_cut_at_the_end_of_the_file() {
        let mut ends = FileEnds::new(4096, 3);
        ends.set(1, 5000);
        ends.set(2, u64::MAX);
        let extent = FileExtent { inode: 9, start: 1 << 20, length: 8192, accounts_for: 8192 };
        let length = |node, offset| {
            let name = KnownName { inode: 9, node, links: 1 };
            let found = ends.within(&[name], &OwnedExtent { extent, offset, is_shared: false });
            assert_eq!((found.start, found.accounts_for), (extent.start, found.length));
            found.length
        };
        assert_eq!([length(1, Some(0)), length(1, Some(4096)), length(1, Some(8192))], [8192, 4096, 0]);
        assert_eq!([length(1, None), length(2, Some(1 << 40)), length(0, Some(8192))], [8192; 3]);
    }
}
