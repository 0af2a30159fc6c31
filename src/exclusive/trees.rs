//! Extents of all files on a btrfs volume, from the trees of its subvolumes.
//!
//! The trees record the size on disk of each whole extent, even if a file refers to only a part of the extent. The
//! exclusive sizes are exact if the extents add up to the amount of data that the file system reports as used.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::references::{KnownName, References, names_of};
use crate::platform::fs::overhead::btrfs::{
    Subvolume, TOP_LEVEL, block_groups, extents, subvolumes, used_data,
};
use crate::platform::{Directory, Errno};
use crate::tree::Accuracy;

/// Number of references in memory at which duplicates are removed for the first time. Later limits depend on the number
/// of remaining references, and are never lower than `LIMIT`.
const LIMIT: usize = 1 << 16;

/// Adds the references of all subvolumes, and returns the accuracy of the sizes. The accuracy depends on the total size
/// of the extents, compared with the amount of data that the file system reports as used. `names` contains the names of
/// the scanned files, grouped by the ID of their subvolume; each group is sorted by inode number. Calls `note` after
/// each extent, and ends when `note` returns `Break`.
///
/// # Errors
/// Returns an error if reading fails. The references found before the error are still added.
pub(super) fn add(
    names: &HashMap<u64, Vec<KnownName>>,
    directory: &Directory,
    references: &mut References<'_>,
    note: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Accuracy, Errno> {
    let read = read(names, directory, references, note);
    for known in names.values() {
        references.add_unseen(known);
    }
    read?;
    Ok(Accuracy::of(used_data(&block_groups(directory)?), data(references)))
}

fn read(
    names: &HashMap<u64, Vec<KnownName>>,
    directory: &Directory,
    references: &mut References<'_>,
    note: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(), Errno> {
    let mut limit = LIMIT;
    let mut subvolumes = subvolumes(directory)?;
    subvolumes.push(Subvolume { id: TOP_LEVEL, ..Subvolume::default() });
    subvolumes.sort_by_key(|subvolume| (subvolume.parent, subvolume.created));
    let mut before: Option<&Subvolume> = None;
    let mut is_cancelled = false;
    for subvolume in &subvolumes {
        let known = names.get(&subvolume.id).map_or(&[][..], Vec::as_slice);
        let is_base = subvolume.is_unchanged && known.is_empty();
        let since = before.filter(|_| is_base).map_or(0, |before| since(before, subvolume));
        let exists = extents(directory, subvolume.id, since, |extent| {
            references.add(names_of(known, extent.inode), extent);
            // All files that were not scanned are represented by one node. If an extent is in several btrfs snapshots
            // that were not scanned, each of them adds the same reference from that node to the extent. Removing the
            // duplicates saves memory.
            if references.sums.references(references.number) >= limit {
                limit = (references.sums.compact(references.number) * 3 / 2).max(LIMIT);
            }
            is_cancelled = note().is_break();
            if is_cancelled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if is_cancelled {
            return Ok(());
        }
        before = (exists && is_base).then_some(subvolume);
    }
    Ok(())
}

/// Returns the first transaction whose changes to the btrfs snapshot `next` must be read; 0 if all of `next` must be
/// read. All extents of the btrfs snapshot `before` must already have been read. Both snapshots must be unchanged since
/// their creation.
///
/// If both have the same parent and `next` is the later one, the blocks of `next` that are older than `before` need not
/// be read. These blocks belonged to the parent when `before` was created, so they also belong to `before`.
fn since(before: &Subvolume, next: &Subvolume) -> u64 {
    let is_later = before.parent.is_some() && before.parent == next.parent && before.created <= next.created;
    if is_later { before.created + 1 } else { 0 }
}

/// Returns the total size of all extents, each counted once.
fn data(references: &mut References<'_>) -> u64 {
    references.sums.compact(references.number);
    references.sums.covered(references.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_read_of_a_later_snapshot_of_the_same_subvolume() {
        let snapshot =
            |parent: u8, created| Subvolume { parent: Some([parent; 16]), created, ..Subvolume::default() };
        assert_eq!(since(&snapshot(1, 7), &snapshot(1, 9)), 8);
        assert_eq!(since(&snapshot(1, 9), &snapshot(1, 7)), 0, "an earlier snapshot");
        assert_eq!(since(&snapshot(1, 7), &snapshot(2, 9)), 0, "a snapshot of another subvolume");
        let plain = Subvolume::default();
        assert_eq!(since(&plain, &plain), 0, "no snapshots");
    }
}
