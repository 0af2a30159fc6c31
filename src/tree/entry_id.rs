//! ID of an entry in a tree: its parent directory and its position in that directory's listing.

use super::directory::DirId;
use super::entry::Entry;
use super::listing::{Listing, Position};
use super::reading::{Tree, join};

/// Parent directory and name of an entry. Unlike [`EntryId`], stays valid when the listing is rewritten.
pub type EntryName<'t> = (DirId, &'t [u8]);

/// ID of an entry. Valid until the listing of the parent directory is rewritten, which happens only during a rescan or
/// after a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId {
    /// Parent directory.
    pub directory: DirId,
    /// Position of the entry in the listing of `directory`.
    pub position: Position,
}

impl EntryId {
    /// Returns the ID of the entry for directory `id`; `None` for [`DirId::TOP`] or a replaced or deleted directory.
    pub fn of(tree: &Tree, id: DirId) -> Option<Self> {
        let directory = tree.parent(id)?;
        let listing = tree.listing(directory);
        let (position, _) = listing.entries().find(|(_, record)| record.directory() == Some(id))?;
        Some(Self { directory, position })
    }

    /// Returns the ID of the entry called `name` in `directory`, or `None` if there is no such entry.
    pub fn named(tree: &Tree, directory: DirId, name: &[u8]) -> Option<Self> {
        let listing = tree.listing(directory);
        let (position, _) = listing.entries().find(|(_, record)| record.name == name)?;
        Some(Self { directory, position })
    }

    /// Returns the entry, or `None` if no entry of the directory's listing begins at this position. Also decodes all
    /// earlier entries of the same segment; see `encoding`.
    pub fn record(self, tree: &Tree) -> Option<Entry<'_>> {
        self.listing(tree).record(self.position)
    }

    /// Returns the name of the entry. Returns `None` if the directory's listing has no entry at this position.
    pub fn name(self, tree: &Tree) -> Option<&[u8]> {
        self.listing(tree).name(self.position)
    }

    /// Returns the head of the directory's listing if it contains the entry, otherwise the whole listing.
    fn listing(self, tree: &Tree) -> Listing<'_> {
        let head = tree.head(self.directory).map(|head| head.listing);
        head.filter(|head| self.position < head.length()).unwrap_or_else(|| tree.listing(self.directory))
    }

    /// Returns the path of the entry, beginning with the root as the user gave it; `None` if there is no such entry.
    pub fn path(self, tree: &Tree) -> Option<Vec<u8>> {
        Some(join([tree.path(self.directory).as_slice(), self.name(tree)?]))
    }
}
