//! What a search finds: rows in an order, with their count and sum.
//!
//! A row is 24 bytes; names and the rest stay in the tree, where [`Row::record`] reads them. When more than the wanted
//! number were found the first are kept, and counts and sums are still of all.
//!
//! Invariant: rows are ordered by a number and then by place, so the same tree gives the same rows whatever the threads do.

use std::cmp::Reverse;

use rayon::slice::ParallelSliceMut;

use super::Account;
use super::order::{Order, sort_by_path};
use super::sweep::{Entry, Progress, Tally};
use crate::tree::{DirId, Position, Record, Totals, Tree, join};

/// An entry that was found. Valid until the tree gets a new listing for its directory, which only a rescan or a
/// deletion gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The directory it is in.
    pub directory: DirId,
    /// Where it is in that directory's listing.
    pub position: Position,
    /// What it is sorted by, the largest first; see [`Order`].
    pub key: u64,
}

const _: () = assert!(size_of::<Row>() == 24);

impl Row {
    /// The row of an entry, sorted by `key`.
    pub(crate) fn of(entry: &Entry<'_>, key: u64) -> Self {
        Self { directory: entry.directory, position: entry.position, key }
    }

    /// What the tree says of it. Reads the records before it in the same batch.
    pub fn record<'t>(&self, tree: &'t Tree) -> Option<Record<'t>> {
        tree.listing(self.directory).record(self.position)
    }

    /// Its path, with the root as it was given.
    pub fn path(&self, tree: &Tree) -> Option<Vec<u8>> {
        let name = tree.listing(self.directory).name(self.position)?;
        Some(join([tree.path(self.directory).as_slice(), name]))
    }

    fn order(&self) -> (Reverse<u64>, DirId, Position) {
        (Reverse(self.key), self.directory, self.position)
    }
}

/// So many rows are shown until everything was looked at: nobody reads more meanwhile, and sorting them would delay the rest.
const GLIMPSE: usize = 1 << 12;

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The first of what was found, in the order asked for; until it is complete, no more than some thousands.
    pub rows: Vec<Row>,
    /// How many entries meet the query: the n in "n of m".
    pub matched: u64,
    /// How many entries were looked at: the m.
    pub searched: u64,
    /// What the entries found take up, each inode once; with all that lies in directories that were asked for, by name or by
    /// type.
    pub sum: Totals,
    /// Whether everything was looked at.
    pub complete: bool,
}

/// Rows being gathered.
pub(crate) struct Rows {
    most: usize,
    order: Order,
    first: Vec<Row>,
    matched: u64,
    account: Account,
}

impl Rows {
    /// Keeps the first `most` in `order`.
    pub(crate) fn new(most: usize, order: Order) -> Self {
        Self { most, order, first: Vec::new(), matched: 0, account: Account::default() }
    }

    pub(crate) fn found(&mut self, tree: &Tree, progress: Progress) -> Found {
        self.trim(self.most);
        // The last report takes the rows away: there may be many.
        let mut rows = if progress.complete { std::mem::take(&mut self.first) } else { self.glimpse() };
        rows.par_sort_unstable_by_key(Row::order);
        if self.order.is_by_path() {
            sort_by_path(tree, &mut rows, self.order);
        }
        Found {
            rows,
            matched: self.matched,
            searched: progress.searched,
            sum: self.account.sum(),
            complete: progress.complete,
        }
    }

    /// The first few of the rows, in any order.
    fn glimpse(&mut self) -> Vec<Row> {
        if self.first.len() > GLIMPSE {
            self.first.select_nth_unstable_by_key(GLIMPSE, Row::order);
        }
        self.first.iter().take(GLIMPSE).copied().collect()
    }

    /// Drops all but the first when there are more than `limit`.
    fn trim(&mut self, limit: usize) {
        if self.first.len() > limit && self.first.len() > self.most {
            self.first.select_nth_unstable_by_key(self.most, Row::order);
            self.first.truncate(self.most);
        }
    }
}

impl Tally for Rows {
    fn fresh(&self) -> Self {
        Self::new(self.most, self.order)
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        self.account.add(entry);
        if entry.is_hit {
            self.matched += 1;
            self.first.push(Row::of(entry, self.order.key(entry)));
            // Rarely, so that dropping costs little for each row.
            self.trim(self.most.saturating_mul(2).max(1024));
        }
    }

    fn absorb(&mut self, other: Self) {
        self.first.extend_from_slice(&other.first);
        self.trim(self.most.saturating_mul(2).max(1024));
        self.matched += other.matched;
        self.account.absorb(other.account);
    }
}
