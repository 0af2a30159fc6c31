//! Memory for the tree, mappings of files (mmap(2)), and files that are read one block at a time.

pub mod arena;
pub mod block_file;
pub mod mapping;
pub mod pages;
