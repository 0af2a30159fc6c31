//! Search: queries, and background jobs that find matching entries in a subtree.
//!
//! [`Query::parse`] parses the user's text. [`search()`] lists the matching entries, largest first. [`filter()`]
//! computes the totals that a filtered view shows for every directory. [`search()`] and [`filter()`] start a [`Job`]
//! and return at once. The latest result of the job can be fetched at any time.
//!
//! A **search** tests each entry on its own. Size terms apply to a directory's size including all its contents. If the
//! query finds directories by name, type or size, the total of the search includes all of their contents. A **filter**
//! keeps the entries that a search finds, and all contents of directories found by name, type or size. As a result, the
//! total of a search equals the total that its filter shows in the directory where the search started.
//!
//! The module does no I/O: a job reads only the entries that are in the tree when the job runs. To find entries that
//! are added later, a new job is needed. Invariant: the call stack does not grow with the depth of the directories.
//! Work is divided by size rather than by directory, so that a single huge directory does not slow a job down.

#[cfg(test)]
mod tests;

use std::io;

use crate::base::job::{Job, Pool};

pub use crate::analysis::filter::{Filter, FilterCursor};
pub use crate::analysis::order::{Order, SortBy};
pub(crate) use crate::analysis::parallel_walk::{Collector, Mode, Progress, WalkEntry, parallel_walk};
pub use crate::analysis::request::Request;
pub(crate) use crate::analysis::rows::{GLIMPSE, Rows, sort_by_path};
pub use crate::analysis::rows::{Row, SearchResult};
pub use crate::query::category::{Category, Extension};
pub use crate::query::parse::vocabulary;
pub use crate::query::size::Size;
pub(crate) use crate::query::terms::errno;
pub use crate::query::terms::{Query, QueryError, Term, Test, Types};

/// Maximum number of rows that a search keeps. Counts and totals include all matches.
pub const MOST_ROWS: usize = 1 << 20;

/// Searches for entries that match the query. An entry in a matching directory is found only if the entry itself
/// matches. The rows of every result are sorted, even before the search is complete.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn search(pool: &Pool, request: Request) -> io::Result<Job<SearchResult>> {
    pool.start(move |task| {
        parallel_walk(&request, Mode::Search, task, Rows::new(MOST_ROWS, request.order), |rows, progress| {
            Some(rows.found(&request, progress))
        });
    })
}

/// Computes the totals of the entries that the query keeps, for the directory `request.from` and every directory below
/// it. A request for the whole tree starts at [`DirId::TOP`](crate::tree::DirId::TOP).
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn filter(pool: &Pool, request: Request) -> io::Result<Job<Filter>> {
    pool.start(move |task| crate::analysis::filter::run(&request, task))
}
