//! Modules of the program for the memory and the files of the tree. In this crate, they use loom's locks and atomics.

#[path = "../../../src/platform/memory/arena.rs"]
pub mod arena;
#[path = "../../../src/platform/memory/block_file.rs"]
pub mod block_file;
#[path = "../../../src/platform/memory/mapping.rs"]
pub mod mapping;
