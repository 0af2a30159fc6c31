//! Parts of the platform that the tree uses.

pub mod memory;

pub use nix::errno::Errno;
