//! Memory for the tree, and files that are read like memory.

pub mod arena;
pub mod block_file;
