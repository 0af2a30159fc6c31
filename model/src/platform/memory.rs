//! Memory and files of the tree, with the locks and atomics of the model checker.

#[path = "../../../src/platform/memory/arena.rs"]
pub mod arena;
#[path = "../../../src/platform/memory/block_file.rs"]
pub mod block_file;
#[path = "../../../src/platform/memory/mapping.rs"]
pub mod mapping;
