//! Search: queries, and background jobs that find matching entries in a subtree.
//!
//! [`Query::parse`] parses the user's text; [`search()`] lists the matching entries, largest first;
//! [`filter()`] computes, for every directory, the totals that a filtered view shows. Both are [`Job`]s: they
//! return at once, and their newest result can be fetched at any time.
//!
//! A **search** tests each entry by itself, and the size of a directory is that of all its contents; a
//! directory found by name, type or size adds all of that to the total. A **filter** keeps the entries that a
//! search finds, with all contents of such directories. So the total of a search equals that of its filter in
//! the directory where it was started.
//!
//! Does no I/O: it reads a tree as far as it has grown, and is run again to see more. Invariant: nothing
//! here recurses over depth, and work is shared by size, not by directory, so that one huge directory is no
//! bottleneck.

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

/// Largest number of rows a search keeps. Counts and totals cover all.
pub const MOST_ROWS: usize = 1 << 20;

/// Searches for entries that match the query themselves. Rows are sorted from the very first result on.
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

/// Computes the totals of the entries that the query keeps, for every directory. Start at [`DirId::TOP`](crate::tree::DirId::TOP) for
/// a result that is valid wherever the user goes.
///
/// # Errors
/// When no thread can be started.
pub fn filter(pool: &Pool, request: Request) -> io::Result<Job<Filtered>> {
    pool.start(move |task| crate::analysis::filter::run(&request, task))
}
