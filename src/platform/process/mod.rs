//! The process and its user: limits, I/O policy, desktop conventions, and files that processes hold open.
//!
//! `unix.rs` has implementations for any Unix. `linux.rs` and `macos.rs` replace some of them on those systems.

pub mod descriptors;
pub mod desktop;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), path = "unix.rs")]
pub(crate) mod imp;
pub mod io_policy;
pub mod limits;
pub mod open_files;
pub mod users;
