//! Module `platform::memory` of the program, with loom's locks and atomics.

#[path = "../../../src/platform/memory/arena.rs"]
pub mod arena;
#[path = "../../../src/platform/memory/block_file.rs"]
pub mod block_file;
#[path = "../../../src/platform/memory/mapping.rs"]
pub mod mapping;
