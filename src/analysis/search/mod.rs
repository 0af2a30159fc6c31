//! Search: queries, and background jobs that find matching entries in a subtree.
//!
//! [`Query::parse`] parses the user's text; [`search()`] lists the matching entries, the largest first;
//! [`filter()`] computes, for every directory, the totals that a filtered view shows. Both are [`Job`]s: they
//! return at once, and their newest result can be fetched at any time.
//!
//! A **search** tests each entry on its own. The size of a directory includes all its contents; if the query
//! finds directories by name, type or size, all of their contents are included in the total. A **filter** keeps
//! the entries that a search finds, and all contents of such directories. So the total of a search equals the
//! total of its filter in the directory where the search started.
//!
//! Does no I/O: a job reads the entries that the tree has at that time, and runs again to see more. Invariant:
//! nothing here recurses over depth, and work is divided by size and not by directory, so that one huge
//! directory does not slow it down.

#[cfg(test)]
mod tests;

use std::io;

use crate::base::job::{Job, Pool};

pub use crate::analysis::filter::{FilterCursor, Filtered};
pub use crate::analysis::order::{By, Order};
pub(crate) use crate::analysis::parallel_walk::{Collector, Mode, Progress, WalkEntry, parallel_walk};
pub use crate::analysis::request::Request;
pub(crate) use crate::analysis::rows::{GLIMPSE, Rows, sort_by_path};
pub use crate::analysis::rows::{Row, SearchResult};
pub use crate::query::category::{Category, Extension};
pub use crate::query::parse::vocabulary;
pub(crate) use crate::query::terms::errno;
pub use crate::query::terms::{Query, QueryError, Size, Term, Test, Types};

/// Largest number of rows that a search keeps. Counts and totals include all matches.
pub const MOST_ROWS: usize = 1 << 20;

/// Searches for entries that match the query themselves. The rows of each result are sorted, also before the
/// end.
///
/// # Errors
/// When no thread can be started.
pub fn search(pool: &Pool, request: Request) -> io::Result<Job<SearchResult>> {
    pool.start(move |task| {
        parallel_walk(&request, Mode::Search, task, Rows::new(MOST_ROWS, request.order), |rows, progress| {
            Some(rows.found(&request, progress))
        });
    })
}

/// Computes, for every directory, the totals of the entries that the query keeps. If it starts at
/// [`DirId::TOP`](crate::tree::DirId::TOP), the result is valid in all directories.
///
/// # Errors
/// When no thread can be started.
pub fn filter(pool: &Pool, request: Request) -> io::Result<Job<Filtered>> {
    pool.start(move |task| crate::analysis::filter::run(&request, task))
}
