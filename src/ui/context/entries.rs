//! Entries of the tree as they are shown.

use super::Context;
use crate::table::row::Precision;
use crate::tree::{DirId, Entry, Position, Totals, join};
use crate::ui::window::bound;

impl<'t> Context<'t> {
    /// Returns the entry of the shown directory in its parent.
    pub fn directory_itself(&self) -> Option<(DirId, Position)> {
        let parent = self.tree.parent(self.place.id)?;
        let listing = self.tree.listing(parent);
        let found = listing.entries().find(|(_, record)| record.directory() == Some(self.place.id));
        found.map(|(position, _)| (parent, position))
    }

    /// Returns an entry of the tree.
    pub fn record(&self, directory: DirId, position: Position) -> Option<Entry<'t>> {
        self.tree.listing(directory).record(position)
    }

    /// Returns the totals of a directory, their precision, and the error number.
    pub fn standing(&self, id: DirId) -> (Totals, Precision, Option<i32>) {
        let (totals, status) = (self.live.totals(self.tree, id), self.tree.status(id));
        (totals, bound(status, &totals, totals.disk), status.errno)
    }

    /// Returns the shared disk usage of a directory.
    pub fn shared(&self, id: DirId) -> u64 {
        self.tree.shared(id)
    }

    /// Returns the path of an entry, with its root as shown.
    pub fn entry_path(&self, directory: DirId, name: &[u8]) -> Vec<u8> {
        self.shown_path(&join([self.tree.path(directory).as_slice(), name]))
    }
}
