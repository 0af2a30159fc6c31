//! Conversion of bytes stored in a tree to paths.

use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Converts bytes to a path.
pub fn path(bytes: Vec<u8>) -> PathBuf {
    std::ffi::OsString::from_vec(bytes).into()
}
