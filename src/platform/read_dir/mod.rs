//! Directory readers, which return the entries of a directory in batches.
//!
//! `unix.rs` has implementations for any Unix. `linux.rs` and `macos.rs` replace some of them on Linux and macOS.

pub mod attr_list;
pub(crate) mod directory;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), path = "unix.rs")]
mod imp;
pub mod readdir;

pub use imp::{Buffer, Reader};
