//! Views of one directory's subtree other than the list: what is largest, of which types, how old, linked, unreadable.
//!
//! Each is a [`Job`] like a search and takes the same [`Request`]: its query is the filter that is on, if one is. What a
//! row stands for is a [`crate::search::Query`]: together with the filter it finds the entries behind the row
//! (`filter.and(&row.query())`, then [`entries()`]), so that no view has a way of its own to list files.
//!
//! Bytes are summed with each inode once: in a row, and in the total. So rows may add up to more than the total when names of
//! an inode fall into several rows, just as directories do.
//!
//! Does no I/O. Invariant: without a filter, the totals of types are those of the directory, less its own size.

pub mod ages;
pub mod errors;
pub mod largest;
pub mod links;
pub mod owners;
#[cfg(test)]
mod tests;
pub mod treemap;
pub mod types;

use std::io;

use crate::job::{Job, Pool};
use crate::search::{Found, Mode, Request, Rows, sweep};

pub use ages::{Age, Ages, ages};
pub use errors::{Errors, errors};
pub use largest::largest;
pub use links::{Links, links};
pub use owners::{Owners, owners};
pub use treemap::{Area, Tile};
pub use types::{Type, Typed, types};

/// The first `most` entries that the query keeps, without directories, in the order asked for: every name of a linked inode,
/// for each can be looked at and deleted.
///
/// # Errors
/// When the system gives no thread.
pub fn entries(pool: &Pool, mut request: Request, most: usize) -> io::Result<Job<Found>> {
    request.query = request.query.without_directories();
    pool.start(move |task| {
        sweep(&request, Mode::Filter, task, Rows::new(most, request.order), |rows, progress| {
            Some(rows.found(&request.tree, progress))
        });
    })
}
