//! Rows of a comparison, and their sort order.

use std::cmp::Reverse;

use crate::analysis::compare::diff::{ChangeKind, Sizes};
use crate::analysis::search::SortBy;
use crate::base::kind::Kind;
use crate::tree::{DirId, EntryId, EntryState, Tree, join};

/// Changed entry, or directory with changes below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub difference: ChangeKind,
    pub kind: Kind,
    /// ID of the entry: in the earlier tree if the entry was deleted, otherwise in the current tree.
    pub entry: EntryId,
    /// Directory in the current tree that contains the entry, or contained it before it was deleted.
    pub new_parent: DirId,
    /// Directory ID of the entry in the current tree; `None` if the entry was deleted or is not a directory.
    pub itself: Option<DirId>,
    /// Sizes in the earlier tree.
    pub before: Sizes,
    /// Sizes in the current tree.
    pub after: Sizes,
}

impl Row {
    /// Returns the ID of the entry in the current tree, or `None` if the entry was deleted.
    pub fn present(&self) -> Option<EntryId> {
        (self.difference != ChangeKind::Deleted).then_some(self.entry)
    }
}

impl Row {
    /// Returns the path of the entry in the current tree. For a deleted entry, this is the path of its former
    /// directory, followed by its name.
    pub fn path(&self, old: &Tree, new: &Tree) -> Vec<u8> {
        let holder = if self.difference == ChangeKind::Deleted { old } else { new };
        let name = self.entry.name(holder).unwrap_or_default();
        join([new.path(self.new_parent).as_slice(), name])
    }
}

/// Returns the size that the sort order uses, or the disk usage if the order is not by size.
pub fn size(sizes: Sizes, by: SortBy) -> u64 {
    match by {
        SortBy::Apparent => sizes.apparent,
        _ => sizes.disk,
    }
}

/// Returns the amount by which the size has changed in either direction.
pub fn difference(before: Sizes, after: Sizes, by: SortBy) -> u64 {
    size(before, by).abs_diff(size(after, by))
}

/// Returns the sort key of a row: larger changes first, then larger entries. The other parts make the key unique.
pub fn rank(row: &Row, by: SortBy) -> (Reverse<u64>, Reverse<u64>, EntryId, bool) {
    let largest = Reverse(size(row.before, by).max(size(row.after, by)));
    (
        Reverse(difference(row.before, row.after, by)),
        largest,
        row.entry,
        row.difference == ChangeKind::Deleted,
    )
}

/// Returns the sizes of an entry, or `None` if it is a directory or its attributes are unknown.
pub fn sizes_of_file(state: &EntryState) -> Option<Sizes> {
    match state {
        EntryState::Known(metadata) if metadata.directory.is_none() => {
            Some(Sizes { disk: metadata.disk(), apparent: metadata.apparent })
        }
        _ => None,
    }
}
