//! File formats from which trees are read and to which they are written.
//!
//! ```text
//! file, ssh -> compression (unpack) -> pipe -> json_lexer -> ncdu_read -> builder -> tree
//!                                          -> lists                    -> builder -> tree
//! tree -> ncdu_write -> pipe -> compression (pack) -> file
//! snapshot, ncdu_binary <-> tree     without reading the whole file
//! ```
//!
//! Input is untrusted. Invariant: whatever it contains, the cost of reading it is proportional to its size.

pub(crate) mod builder;
pub(crate) mod compression;
pub mod flat;
pub(crate) mod input;
pub(crate) mod json_lexer;
pub(crate) mod json_values;
pub mod lists;
pub(crate) mod long_paths;
mod matcher;
pub mod ncdu_binary;
pub(crate) mod ncdu_read;
pub mod ncdu_write;
pub(crate) mod pipe;
pub mod snapshot;
#[cfg(test)]
mod tests;
mod written_entries;
pub(crate) mod zstd_block;

pub use written_entries::WrittenEntries;
