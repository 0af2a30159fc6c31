//! What could not be read, by reason.
//!
//! Knows error numbers, not their words. Invariant: an entry that could not be read is in exactly one group.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use crate::job::{Job, Pool};
use crate::search::{
    By, Entry, Mode, Order, Progress, Query, Request, Row, Tally, Test, errno, sort_by_path, sweep,
};

/// Everything that failed for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The system's number of the reason (errno(3)).
    pub errno: i32,
    /// The entries: by path where that was asked for, or else in the order of their directories.
    pub rows: Vec<Row>,
}

impl Group {
    /// What finds the entries behind the row.
    pub fn query(&self) -> Query {
        Query::of(Test::Errno(self.errno))
    }
}

/// What could not be read in a subtree.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// The reasons, the most frequent first, or the other way round.
    pub groups: Vec<Group>,
    /// Why the directory itself could not be read, or not to its end.
    pub itself: Option<i32>,
    /// How many entries were looked at.
    pub searched: u64,
    /// Whether those are all.
    pub complete: bool,
}

/// Gathers what could not be read of what the query keeps.
///
/// # Errors
/// When the system gives no thread.
pub fn errors(pool: &Pool, request: Request) -> io::Result<Job<Errors>> {
    pool.start(move |task| {
        sweep(&request, Mode::Filter, task, Failed::default(), |failed, progress| {
            let itself = request.tree.status(request.from).errno;
            Some(failed.errors(&request, itself, progress))
        });
    })
}

#[derive(Default)]
struct Failed {
    rows: BTreeMap<i32, Vec<Row>>,
}

impl Tally for Failed {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        if let Some(errno) = errno(entry.tree, &entry.record) {
            self.rows.entry(errno).or_default().push(Row::of(entry, 0));
        }
    }

    fn absorb(&mut self, other: Self) {
        for (errno, mut rows) in other.rows {
            self.rows.entry(errno).or_default().append(&mut rows);
        }
    }
}

impl Failed {
    fn errors(&self, request: &Request, itself: Option<i32>, progress: Progress) -> Errors {
        let order = request.order;
        let group = |(errno, rows): (&i32, &Vec<Row>)| {
            let mut rows = rows.clone();
            if order.by == By::Path {
                sort_by_path(&request.tree, &mut rows, order);
            } else {
                rows.sort_unstable_by_key(|row| (row.directory, row.position));
            }
            Group { errno: *errno, rows }
        };
        let mut groups: Vec<_> = self.rows.iter().map(group).collect();
        let is_turned = order.by == By::Items && order.reversed;
        let order = Order { reversed: is_turned, ..order };
        groups.sort_by_key(|group| Reverse(order.turned(group.rows.len() as u64)));
        Errors { groups, itself, searched: progress.searched, complete: progress.complete }
    }
}
