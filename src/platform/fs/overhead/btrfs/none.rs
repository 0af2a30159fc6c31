//! Replacements for the btrfs calls on systems other than Linux, where duke does not read btrfs.

use std::ops::ControlFlow;

use crate::platform::fs::overhead::FileExtent;
use crate::platform::fs::overhead::btrfs::{BlockGroups, Subvolume};
use crate::platform::{Directory, Errno};

/// Fails, because duke reads btrfs only on Linux.
///
/// # Errors
/// Always returns `ENOTTY`.
pub fn readable(_: &Directory) -> Result<Directory, Errno> {
    Err(Errno::ENOTTY)
}

/// Fails, because duke reads btrfs only on Linux.
///
/// # Errors
/// Always returns `ENOTTY`.
pub fn block_groups(_: &Directory) -> Result<Vec<BlockGroups>, Errno> {
    Err(Errno::ENOTTY)
}

/// Fails, because duke reads btrfs only on Linux.
///
/// # Errors
/// Always returns `ENOTTY`.
pub fn subvolumes(_: &Directory) -> Result<Vec<Subvolume>, Errno> {
    Err(Errno::ENOTTY)
}

/// Fails, because duke reads btrfs only on Linux.
///
/// # Errors
/// Always returns `ENOTTY`.
pub fn extents(
    _: &Directory,
    _: u64,
    _: u64,
    _: impl FnMut(FileExtent) -> ControlFlow<()>,
) -> Result<bool, Errno> {
    Err(Errno::ENOTTY)
}

/// Returns `false`, because duke reads btrfs only on Linux.
pub fn has_unwritten_data(_: &Directory) -> bool {
    false
}

/// Fails, because duke reads btrfs only on Linux.
///
/// # Errors
/// Always returns `ENOTTY`.
pub fn readable_subvolume(_: &Directory) -> Result<u64, Errno> {
    Err(Errno::ENOTTY)
}
