//! How much room a file system has.
//!
//! Knows nothing of what takes it. Invariant: asking changes nothing.

use nix::errno::Errno;
use nix::sys::statvfs::fstatvfs;

use super::{Directory, retry};

/// Bytes that are free on the file system of `directory`, those kept for root included.
///
/// # Errors
/// As fstatvfs(3).
#[allow(clippy::useless_conversion)] // the fields differ in width between systems
pub fn free(directory: &Directory) -> Result<u64, Errno> {
    let status = retry(|| fstatvfs(directory))?;
    Ok(u64::from(status.blocks_free()).saturating_mul(u64::from(status.fragment_size())))
}
