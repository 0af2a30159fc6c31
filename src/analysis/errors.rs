//! Read errors, grouped by reason.
//!
//! Invariant: an entry that could not be read is in exactly one group.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::search::{
    Collector, Mode, Order, Progress, Query, Request, Row, SortBy, Test, WalkEntry, errno, sort_by_path,
};
use crate::base::job::{Job, Pool};
use crate::base::sort::sort_by_key;

/// Entries that could not be read for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorGroup {
    /// Error number (errno(3)).
    pub errno: i32,
    /// Entries of the group, sorted by path if requested, otherwise grouped by directory.
    pub rows: Vec<Row>,
}

impl ErrorGroup {
    /// Returns a query that finds the entries of the group.
    pub fn query(&self) -> Query {
        Query::of(Test::Errno(self.errno))
    }
}

/// Read errors of a subtree.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// Groups, by descending number of entries, or by ascending number if the request reverses [`SortBy::Items`].
    pub groups: Vec<ErrorGroup>,
    /// Error number if the searched directory itself could not be read.
    pub itself: Option<i32>,
    /// Number of entries searched so far.
    pub searched: u64,
    /// `true` once all entries have been searched.
    pub complete: bool,
}

/// Collects the read errors among the entries selected by the query.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn errors(pool: &Pool, request: Request) -> io::Result<Job<Errors>> {
    pool.start(move |task| {
        parallel_walk(&request, Mode::Filter, task, FailedEntries::default(), |failed, progress| {
            Some(failed.errors(&request, progress))
        });
    })
}

/// Rows of the entries that could not be read, grouped by error number.
#[derive(Default)]
pub(super) struct FailedEntries {
    rows: BTreeMap<i32, Vec<Row>>,
}

impl Collector for FailedEntries {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        if let Some(errno) = errno(entry.tree, entry.record) {
            self.rows.entry(errno).or_default().push(Row::of(entry, 0));
        }
    }

    fn merge(&mut self, other: Self) {
        for (errno, mut rows) in other.rows {
            self.rows.entry(errno).or_default().append(&mut rows);
        }
    }
}

impl FailedEntries {
    pub(super) fn errors(&self, request: &Request, progress: Progress) -> Errors {
        let itself = request.tree.status(request.from).errno;
        let order = request.order;
        let group = |(errno, rows): (&i32, &Vec<Row>)| {
            let mut rows = rows.clone();
            if order.by == SortBy::Path {
                sort_by_path(&request.tree, &mut rows, order);
            } else {
                rows.sort_unstable_by_key(|row| row.entry);
            }
            ErrorGroup { errno: *errno, rows }
        };
        let mut groups: Vec<_> = self.rows.iter().map(group).collect();
        let is_turned = order.by == SortBy::Items && order.reversed;
        let order = Order { reversed: is_turned, ..order };
        sort_by_key(&mut groups, |group| Reverse(order.directed(group.rows.len() as u64)));
        Errors { groups, itself, searched: progress.searched, complete: progress.complete }
    }
}
