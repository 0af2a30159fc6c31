//! Operations on a single entry: attributes, identity, permissions and extents; reading, deleting and moving; safe path
//! lookup.

pub(crate) mod attributes;
#[allow(dead_code)] // used only on macOS
pub mod clones;
pub mod contents;
pub mod extents;
pub(crate) mod identity;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), path = "unix.rs")]
pub(crate) mod imp;
pub mod occupied_space;
pub mod probe;
pub(crate) mod removal;
pub(crate) mod rights;
pub mod safe_path;
pub mod secure_read;
#[cfg(feature = "formats")]
pub mod unfinished;
