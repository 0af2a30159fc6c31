//! Statistics of a subtree: largest files, types, ages, hard links, errors.
//!
//! Like a search, each statistic is a [`crate::base::job::Job`] for a [`crate::analysis::search::Request`]. The
//! request's query is the active filter. Each row has a [`crate::analysis::search::Query`]. Combined with the filter
//! (`filter.narrowed_by(&row.query())`), this query finds the entries of the row for [`largest()`]. Views therefore
//! need no code of their own to list files.
//!
//! Each inode counts once per row and once in the total. Therefore, the sum of the rows can exceed the total if an
//! inode has names in several rows. Likewise, the sum over the child directories of a directory can exceed the
//! directory's totals.
//!
//! The module does no I/O. Invariant: without a filter, the total over all types is the total of the directory minus
//! the directory's own size.

#[cfg(test)]
mod tests;

pub use crate::analysis::ages::{Age, Ages, ages};
pub use crate::analysis::errors::{Errors, errors};
pub use crate::analysis::groups::{Groups, owners, storage_classes};
pub use crate::analysis::largest::largest;
pub use crate::analysis::links::{HardLinks, links};
pub use crate::analysis::types::{Type, TypeTotals, types};
