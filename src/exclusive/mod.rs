//! Search for exclusive sizes: the bytes that deleting each entry of a tree would free.
//!
//! ```text
//! tree -> nodes -> references of files to extents -> lowest common ancestors -> sums
//! ```
//!
//! The data of an extent is freed when the last reference to it is deleted. So the lowest directory that contains all
//! references, and every directory above it, frees the extent.

#[allow(dead_code)] // used by the sources of references
pub mod sums;
#[cfg(test)]
mod tests;
