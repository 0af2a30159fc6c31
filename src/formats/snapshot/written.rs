//! Interface between the snapshot writer and the tree that it writes.

use std::collections::HashSet;

use crate::tree::stored::rows::Row;
use crate::tree::{DirId, Entry, Listing, Totals, Tree};

/// Tree that can be written as a snapshot.
pub(crate) trait WrittenTree {
    /// Returns the device numbers, ordered by device index.
    fn devices(&self) -> Vec<u64>;
    /// Returns the names of the storage classes, ordered by ID.
    fn storage_classes(&self) -> Vec<Vec<u8>>;
    /// Returns the entries of a directory. The writer passes each entry to [`WrittenTree::entry`].
    fn listing(&self, id: DirId) -> Listing<'_>;
    /// Returns the entry to write for `record`, which comes from the listing of directory `id`. A merged tree adjusts
    /// the directory ID and the device index. If `record` was excluded because it belongs to another part, a merged
    /// tree returns the root of that part. If that part was not merged, the entry remains excluded.
    fn entry<'e>(&self, id: DirId, record: Entry<'e>) -> Entry<'e>;
    fn parent(&self, id: DirId) -> Option<DirId>;
    fn totals(&self, id: DirId) -> Totals;
    /// Returns the row of directory `id`. `parent` is the number of its parent directory in the written file.
    fn row(&self, id: DirId, parent: u32) -> Row;
    /// Returns `true` if the directory could not be read.
    fn is_unreadable(&self, id: DirId) -> bool;
    /// Returns the directories that are given as a root more than once, and the roots that lie inside another root.
    fn named_by_roots(&self) -> HashSet<DirId>;
}

impl WrittenTree for Tree {
    fn devices(&self) -> Vec<u64> {
        self.devices().numbers()
    }

    fn storage_classes(&self) -> Vec<Vec<u8>> {
        self.storage_classes().names()
    }

    fn listing(&self, id: DirId) -> Listing<'_> {
        self.listing(id)
    }

    fn entry<'e>(&self, _: DirId, record: Entry<'e>) -> Entry<'e> {
        record
    }

    fn parent(&self, id: DirId) -> Option<DirId> {
        self.parent(id)
    }

    fn totals(&self, id: DirId) -> Totals {
        self.totals(id)
    }

    fn row(&self, id: DirId, parent: u32) -> Row {
        let status = self.status(id);
        Row {
            parent,
            totals: self.totals(id),
            device: self.device_index(id),
            is_partial: status.partial,
            errno: status.errno.unwrap_or(0),
            shared: self.shared(id),
        }
    }

    fn is_unreadable(&self, id: DirId) -> bool {
        self.status(id).errno.is_some()
    }

    fn named_by_roots(&self) -> HashSet<DirId> {
        self.aliases().iter().filter_map(|alias| alias.directory).collect()
    }
}
