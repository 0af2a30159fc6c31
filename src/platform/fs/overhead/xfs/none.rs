//! Replacements for the XFS calls on systems other than Linux.

use std::ops::ControlFlow;

use crate::platform::fs::overhead::xfs::OwnedExtent;
use crate::platform::{Directory, Errno};

/// Returns `false`, because duke reads XFS only on Linux.
pub fn has_owners(_: &Directory) -> bool {
    false
}

/// Fails, because duke reads XFS only on Linux.
///
/// # Errors
/// Always returns `ENOTTY`.
pub fn extents(_: &Directory, _: impl FnMut(OwnedExtent) -> ControlFlow<()>) -> Result<(), Errno> {
    Err(Errno::ENOTTY)
}
