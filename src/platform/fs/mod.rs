//! File systems: mounts, kinds, capacity, overhead and covered files.
//!
//! `unix.rs` has implementations for any Unix. `linux.rs` and `macos.rs` replace some of them on those systems.

pub mod answer;
pub mod capacity;
pub mod covered;
pub mod identity;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), path = "unix.rs")]
mod imp;
pub(crate) mod kind;
pub mod mountinfo;
pub mod mounts;
pub mod overhead;
pub mod volume;
