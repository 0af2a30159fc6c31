//! Part of the program's module `platform` that the tree uses.

pub mod memory;

pub use nix::errno::Errno;
