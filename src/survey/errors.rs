//! What could not be read, by reason.
//!
//! Knows error numbers, not their words. Invariant: an entry that could not be read is in exactly one group.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use crate::job::{Job, Pool};
use crate::search::{Entry, Mode, Progress, Query, Request, Row, Tally, Test, errno, sweep};

/// Everything that failed for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The system's number of the reason (errno(3)).
    pub errno: i32,
    /// The entries, in the order of their directories.
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
    /// The reasons, the most frequent first.
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
            Some(failed.errors(itself, progress))
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
    fn errors(&self, itself: Option<i32>, progress: Progress) -> Errors {
        let group = |(errno, rows): (&i32, &Vec<Row>)| {
            let mut rows = rows.clone();
            rows.sort_unstable_by_key(|row| (row.directory, row.position));
            Group { errno: *errno, rows }
        };
        let mut groups: Vec<_> = self.rows.iter().map(group).collect();
        groups.sort_by_key(|group| Reverse(group.rows.len()));
        Errors { groups, itself, searched: progress.searched, complete: progress.complete }
    }
}
