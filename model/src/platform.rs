//! What the tree takes of the platform.

#[path = "../../src/platform/blocks.rs"]
pub mod blocks;
#[path = "../../src/platform/memory.rs"]
pub mod memory;

pub use nix::errno::Errno;

/// As the program's; no model meets an error.
pub fn error_text(code: i32) -> String {
    code.to_string()
}
