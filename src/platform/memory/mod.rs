//! Memory for the tree, and files that are accessed like memory.

pub mod arena;
pub mod block_file;
pub mod mapping;
pub mod pages;
