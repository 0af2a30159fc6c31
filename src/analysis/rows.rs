//! Search results: sorted rows with their count and total.
//!
//! A row takes 24 bytes; names and metadata remain in the tree, where [`EntryId::record`] reads them. If there are too
//! many rows, only the first ones are kept, but counts and totals include all matches.
//!
//! Invariant: rows are sorted by path, or by key and then entry ID, so the same tree always gives the same rows.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::slice::ParallelSliceMut;

use super::order::Order;
use crate::analysis::parallel_walk::{Collector, Progress, WalkEntry};
use crate::analysis::path_order::order_by_path;
use crate::analysis::request::Request;
use crate::tree::sort::{self, Names, compare_naturally};
use crate::tree::{DirId, EntryId, Totals, Tree, UniqueSizes};

/// Row for a matching entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub entry: EntryId,
    /// Sort key; the largest key sorts first. The key is 0 if it is not used, for example in rows sorted by path.
    pub key: u64,
}

const _: () = assert!(size_of::<Row>() == 24);

impl Row {
    /// Creates the row for an entry. `key` is the sort key.
    pub(crate) fn of(entry: &WalkEntry<'_>, key: u64) -> Self {
        Self { entry: entry.id, key }
    }

    fn order(&self) -> (Reverse<u64>, EntryId) {
        (Reverse(self.key), self.entry)
    }
}

/// Maximum number of rows shown before the search is complete. Sorting more rows would slow down the search.
pub(crate) const GLIMPSE: usize = 1 << 12;

/// Returns totals with the larger of the two disk usages and the larger of the two apparent sizes.
pub(crate) fn larger(one: Totals, other: &Totals) -> Totals {
    Totals { disk: one.disk.max(other.disk), apparent: one.apparent.max(other.apparent), ..one }
}

#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    /// First rows in the requested order, up to the requested number, and at most 4,096 until the search is complete.
    pub rows: Vec<Row>,
    /// Number of matching entries: the n in "n of m".
    pub matched: u64,
    /// Number of searched entries: the m in "n of m".
    pub searched: u64,
    /// Total of the matching entries, with each inode counted once. Includes all contents of matching directories if
    /// [`SearchResult::with_contents`] is `true`.
    pub sum: Totals,
    /// Largest disk usage and largest apparent size among the matching entries.
    pub largest: Totals,
    /// `true` if matching directories are counted with all of their contents; see `Query::counts_contents`.
    pub with_contents: bool,
    /// `true` once all entries have been searched.
    pub complete: bool,
}

pub(crate) struct Rows {
    most: usize,
    order: Order,
    first: Vec<Row>,
    matched: u64,
    sizes: UniqueSizes,
    largest: Totals,
}

impl Rows {
    /// Creates a collector that keeps the first `most` rows in `order`.
    pub(crate) fn new(most: usize, order: Order) -> Self {
        Self {
            most,
            order,
            first: Vec::new(),
            matched: 0,
            sizes: UniqueSizes::default(),
            largest: Totals::default(),
        }
    }

    pub(crate) fn found(&mut self, request: &Request, progress: Progress) -> SearchResult {
        self.trim(self.most);
        // The final result takes the rows instead of copying them, because there may be many.
        let mut rows = if progress.complete { std::mem::take(&mut self.first) } else { self.glimpse() };
        rows.par_sort_unstable_by_key(Row::order);
        if self.order.is_by_path() {
            sort_by_path(&request.tree, &mut rows, self.order);
        }
        SearchResult {
            rows,
            matched: self.matched,
            searched: progress.searched,
            sum: self.sizes.total(),
            largest: self.largest,
            with_contents: request.query.counts_contents(),
            complete: progress.complete,
        }
    }

    /// Returns up to [`GLIMPSE`] rows: those that come first in the sort order. The returned rows are not sorted.
    fn glimpse(&mut self) -> Vec<Row> {
        if self.first.len() > GLIMPSE {
            self.first.select_nth_unstable_by_key(GLIMPSE, Row::order);
        }
        self.first.iter().take(GLIMPSE).copied().collect()
    }

    /// Drops all but the first `most` rows if there are more than `limit`.
    fn trim(&mut self, limit: usize) {
        if self.first.len() > limit && self.first.len() > self.most {
            self.first.select_nth_unstable_by_key(self.most, Row::order);
            self.first.truncate(self.most);
        }
    }
}

impl Collector for Rows {
    fn fresh(&self) -> Self {
        Self::new(self.most, self.order)
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        entry.add_to(&mut self.sizes);
        if entry.is_hit {
            self.matched += 1;
            self.largest = larger(self.largest, &entry.totals);
            self.first.push(Row::of(entry, self.order.key(entry.record, entry.totals)));
            // The limit is at least twice `most`, so rows are dropped rarely and the cost per row is small.
            self.trim(self.most.saturating_mul(2).max(1024));
        }
    }

    fn merge(&mut self, other: Self) {
        self.first.extend_from_slice(&other.first);
        self.trim(self.most.saturating_mul(2).max(1024));
        self.matched += other.matched;
        self.sizes.merge(other.sizes);
        self.largest = larger(self.largest, &other.largest);
    }
}

/// Sorts rows by the path of their directory, then by name. If `order` is reversed, reverses the rows.
pub(crate) fn sort_by_path(tree: &Tree, rows: &mut Vec<Row>, order: Order) {
    let mut of_directories: BTreeMap<DirId, Vec<Row>> = BTreeMap::new();
    for row in rows.drain(..) {
        of_directories.entry(row.entry.directory).or_default().push(row);
    }
    let directories: Vec<(DirId, Vec<Row>)> = of_directories.into_iter().collect();
    let name = |(id, _): &(DirId, Vec<Row>)| (tree.parent(*id).unwrap_or(DirId::TOP), tree.name(*id));
    for number in order_by_path(tree, &mut directories.iter().map(name), compare_naturally) {
        let (id, of_directory) = &directories[number];
        let mut named: Vec<sort::SortRow> =
            of_directory.iter().map(|row| sort::SortRow { key: 0, position: row.entry.position }).collect();
        sort::sort_by_name(&tree.listing(*id), Names::Natural, &mut named);
        let entry = |row: &sort::SortRow| EntryId { directory: *id, position: row.position };
        rows.extend(named.iter().map(|row| Row { entry: entry(row), key: 0 }));
    }
    if order.reversed {
        rows.reverse();
    }
}
