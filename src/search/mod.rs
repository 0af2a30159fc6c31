//! Finding entries: queries, and looking through a subtree for what meets one, beside the screen.
//!
//! [`Query::parse`] reads what a person types; [`search()`] lists what meets it, largest first; [`filter()`] adds up, for
//! every directory, what a view restricted by it shows there. Both are [`Job`]s: they return at once, and their
//! newest result can be picked up at any time.
//!
//! A **search** asks each entry by itself, and a directory's size is that of all that lies in it; one that was asked
//! for, by name or by type, brings all that into the sum. A **filter** asks what
//! to keep: the name of a directory counts for everything below it, its size and age only for itself.
//!
//! Does no I/O: it reads a [`Tree`] as far as that has grown, and is run again to see more. Invariant: nothing here
//! recurses over depth, and the work is shared by size, not by directory, so that one huge directory is no bottleneck.

mod account;
pub mod class;
mod filter;
#[cfg(test)]
pub(crate) mod fixture;
mod glob;
mod order;
mod parse;
mod query;
mod rows;
mod sweep;
#[cfg(test)]
mod tests;

use std::io;

use crate::job::{Job, Pool};
use crate::sync::Arc;
use crate::tree::{DirId, Tree};

pub(crate) use account::Account;
pub use class::{Class, Extension};
pub use filter::{Filtered, Keeper};
pub(crate) use order::sort_by_path;
pub use order::{By, Order};
pub(crate) use query::errno;
pub use query::{Complaint, Inode, Query, Size, Term, Test, Types};
pub(crate) use rows::Rows;
pub use rows::{Found, Row};
pub(crate) use sweep::{Entry, Mode, Progress, Tally, sweep};

/// What to look at, and what for.
#[derive(Clone)]
pub struct Request {
    /// The tree, as far as it has grown.
    pub tree: Arc<Tree>,
    /// The directory whose subtree is looked through; it is itself no entry of that.
    pub from: DirId,
    /// What an entry must meet; the empty query lets everything through.
    pub query: Query,
    /// The order of the rows, where there are any.
    pub order: Order,
}

/// The most rows a search keeps: the first. Counts and sums are of all.
pub const MOST_ROWS: usize = 1 << 20;

/// Looks for entries that meet the query themselves. Rows come in their order, from the very first result on.
///
/// # Errors
/// When the system gives no thread.
pub fn search(pool: &Pool, request: Request) -> io::Result<Job<Found>> {
    pool.start(move |task| {
        sweep(&request, Mode::Search, task, Rows::new(MOST_ROWS, request.order), |rows, progress| {
            Some(rows.found(&request.tree, progress))
        });
    })
}

/// Adds up what the query keeps, for every directory. To stay valid wherever a person goes, begin at [`DirId::TOP`].
///
/// # Errors
/// When the system gives no thread.
pub fn filter(pool: &Pool, request: Request) -> io::Result<Job<Filtered>> {
    pool.start(move |task| filter::run(&request, task))
}
