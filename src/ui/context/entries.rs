//! Totals and paths of entries, as displayed.

use super::Context;
use crate::table::row::Precision;
use crate::tree::{DirId, Totals, join};

impl Context<'_> {
    /// Returns the totals of a directory, their precision, and its error number if it could not be read.
    pub fn standing(&self, id: DirId) -> (Totals, Precision, Option<i32>) {
        let (totals, status) = (self.live.totals(self.tree, id), self.tree.status(id));
        (totals, Precision::of(self.tree, id, &totals, totals.disk), status.errno)
    }

    pub fn shared(&self, id: DirId) -> u64 {
        self.tree.shared(id)
    }

    /// Returns the displayed path of an entry.
    pub fn entry_path(&self, directory: DirId, name: &[u8]) -> Vec<u8> {
        self.shown_path(&join([self.tree.path(directory).as_slice(), name]))
    }
}
