//! Reading a directory in batches of names, hints and attributes.

pub mod attr_list;
pub(crate) mod directory;
#[cfg(target_os = "linux")]
pub mod linux;
#[cfg(target_os = "macos")]
pub mod macos;
#[cfg(target_os = "macos")]
pub(crate) mod stream;
pub mod unix;
