//! Extents of all files on an XFS volume, from its space map.
//!
//! For each range of blocks, the map has one record per file that refers to the range. The map lacks only
//! the blocks that XFS has allocated but not yet assigned to a range: blocks for data that has not been
//! written to the disk, and blocks kept in reserve next to overwritten clones.

use std::ops::ControlFlow;

use super::references::{KnownName, References, names_of};
use crate::platform::Directory;
use crate::platform::fs::overhead::xfs::extents;

/// Adds the references that the space map contains. `known` contains the names of the scanned files, sorted by inode
/// number. Calls `note` after each added reference, and ends when `note` returns `Break`. Returns `false` if
/// reading the map failed.
pub(super) fn add(
    known: &[KnownName],
    directory: &Directory,
    references: &mut References<'_>,
    note: &mut dyn FnMut() -> ControlFlow<()>,
) -> bool {
    let found = extents(directory, |owned| {
        let names = names_of(known, owned.extent.inode);
        // An unshared extent of a file that was not scanned is skipped, because no scanned file can refer to it.
        if names.is_empty() && !owned.is_shared {
            return ControlFlow::Continue(());
        }
        references.add(names, owned.extent);
        note()
    });
    references.add_unseen(known);
    found.is_ok()
}
