//! Recorded entries that the running scan has not found, merged into the rows of their directory.
//!
//! Invariant: a recorded row never has the same name as an entry that the running scan has found.

use std::collections::HashSet;

use crate::base::sync::{Arc, AtomicU64, Ordering};
use crate::table::column::SortContext;
use crate::table::order::Order;
use crate::tree::sort::{SortRow, sort};
use crate::tree::{DirId, Entry, EntryId, EntryState, Listing, Position, Tree};

/// Directory in the recorded tree.
#[derive(Clone)]
pub struct RecordedDir {
    pub tree: Arc<Tree>,
    pub id: DirId,
    /// `true` if only the head of a long listing (its largest entries) is shown. Has no effect once the whole listing
    /// has been loaded.
    pub is_head: bool,
}

impl RecordedDir {
    fn listing(&self) -> Listing<'_> {
        let head = if self.is_head { self.tree.head(self.id) } else { None };
        head.map_or_else(|| self.tree.listing(self.id), |head| head.listing)
    }
}

impl std::fmt::Debug for RecordedDir {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "RecordedDir({})", self.id.0)
    }
}

/// Rows for entries that the previous scan recorded and the running scan has not found.
#[derive(Debug)]
pub struct RecordedRows {
    directory: RecordedDir,
    /// For each row, its index among all rows of the list and the position of its entry in the recorded listing.
    /// Sorted by index.
    rows: Box<[(usize, Position)]>,
    /// Size in bytes of the largest recorded entry that has a row.
    pub largest: u64,
    /// `true` if only the largest recorded entries have rows, because the others have not been loaded.
    pub is_head: bool,
}

impl RecordedRows {
    /// Creates rows for the visible entries of the recorded `directory` that are missing from `listing`. `found`
    /// contains the sorted rows of `listing`; the new rows are placed among them by their sort keys.
    pub fn merge(directory: RecordedDir, listing: &Listing<'_>, found: &[SortRow], order: Order) -> Self {
        let tree = &directory.tree;
        let is_head = directory.is_head && tree.head(directory.id).is_some();
        let recorded = directory.listing();
        // If `recorded` is only the head, `present` is limited to the names in the head, because `listing` may be long.
        let few: Option<HashSet<&[u8]>> =
            is_head.then(|| recorded.entries().map(|(_, record)| record.name).collect());
        let names = listing.entries().map(|(_, record)| record.name);
        let present: HashSet<&[u8]> =
            names.filter(|name| few.as_ref().is_none_or(|few| few.contains(name))).collect();
        let largest = AtomicU64::new(0);
        let rows = sort(&recorded, order.names(), |record| {
            if present.contains(record.name) || order.hides(record) {
                return None;
            }
            let EntryState::Known(metadata) = &record.state else { return Some(0) };
            let totals = metadata.directory.map(|id| tree.totals(id));
            let size = order.size(totals.as_ref(), metadata);
            // `Relaxed` ordering is enough, because no other data depends on the maximum.
            largest.fetch_max(size, Ordering::Relaxed);
            let context = SortContext { tree, totals, size, change: None, exclusive: None };
            Some(order.key(&context, metadata))
        });
        let mut above = 0;
        let index = |(number, row): (usize, SortRow)| {
            let name = recorded.name(row.position).unwrap_or_default();
            let precedes = |other: &&SortRow| {
                let is_equal = other.key == row.key;
                let name_of_other = || listing.name(other.position).unwrap_or_default();
                other.key > row.key || is_equal && order.names().compare(name_of_other(), name).is_lt()
            };
            above += found[above..].iter().take_while(precedes).count();
            (number + above, row.position)
        };
        let rows = rows.into_iter().enumerate().map(index).collect();
        Self { rows, largest: largest.into_inner(), is_head, directory }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the position of the recorded entry in row `index`. If the row shows an entry of the scan, returns
    /// `Err` with the row's index among the rows of the scan.
    pub fn position(&self, index: usize) -> Result<Position, usize> {
        match self.rows.binary_search_by_key(&index, |(row, _)| *row) {
            Ok(number) => Ok(self.rows[number].1),
            Err(before) => Err(index - before),
        }
    }

    /// Converts `number`, an index among the rows of the scan, to the index in the whole list.
    pub fn index_of_found(&self, number: usize) -> usize {
        let is_above = |at: &usize| self.rows[*at].0 - at <= number;
        number + (0..self.rows.len()).take_while(is_above).count()
    }

    /// Returns the index of the row for the recorded entry called `name`.
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let listing = self.directory.listing();
        self.rows.iter().find(|(_, position)| listing.name(*position) == Some(name)).map(|(index, _)| *index)
    }

    pub fn directory(&self) -> &RecordedDir {
        &self.directory
    }

    pub fn record(&self, position: Position) -> Option<Entry<'_>> {
        EntryId { directory: self.directory.id, position }.record(&self.directory.tree)
    }
}
