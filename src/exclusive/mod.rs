//! Search for exclusive sizes: the bytes that deleting each entry of a tree would free.
//!
//! ```text
//! tree -> nodes -> references of files to extents -> lowest common ancestors -> sums
//!         plan     search                            sums
//! ```
//!
//! The data of an extent is freed when the last reference to it is deleted. Deleting the lowest directory that contains
//! all references, or any directory above it, therefore frees the extent.
//!
//! Low-priority threads read the extents of the files. If a system call exceeds its time limit, the thread that made
//! the call is replaced. The file that the old thread was handling, or would have handled next, is counted as unread,
//! and the new thread continues after this file.
//!
//! Invariant: nothing is written, and only directories and regular files are opened.

mod directories;
mod extents;
mod map;
mod plan;
pub mod ranges;
mod references;
mod search;
mod state;
pub mod sums;
#[cfg(test)]
mod tests;
mod trees;
mod volumes;

pub use search::{ExclusiveProgress, find};
