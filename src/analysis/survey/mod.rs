//! Surveys of a subtree: largest files, types, ages, hard links, errors.
//!
//! Each one is a [`crate::base::job::Job`] like a search and takes the same
//! [`crate::analysis::search::Request`], whose query is the active filter. A row stands for a
//! [`crate::analysis::search::Query`]: together with the filter it finds the entries behind the row
//! (`filter.narrowed_by(&row.query())`, then [`largest()`]), so no view needs its own way to list files.
//!
//! Bytes count each inode once: in a row, and in the total. So rows may add up to more than the total if
//! names of an inode are in several rows, just as with directories.
//!
//! Does no I/O. Invariant: without a filter, the totals of types are those of the directory, minus its own
//! size.

#[cfg(test)]
mod tests;

pub use crate::analysis::ages::{Age, Ages, ages};
pub use crate::analysis::errors::{Errors, errors};
pub use crate::analysis::largest::largest;
pub use crate::analysis::links::{HardLinks, links};
pub use crate::analysis::owners::{Owners, owners};
pub use crate::analysis::types::{Type, TypeTotals, types};
