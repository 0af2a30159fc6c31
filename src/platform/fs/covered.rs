//! Access to the files that a mount hides under its mount point. `open_tree(2)` with `OPEN_TREE_CLONE` clones the outer
//! mount without the mounts below it, so these files are visible in the clone. This requires Linux 5.2 and
//! `CAP_SYS_ADMIN`.
//!
//! Invariant: the clone is not attached to any directory, and exists until its last descriptor is closed.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

pub use super::imp::CAN_READ_COVERED_FILES;
use super::imp::clone_of_mount;
use crate::platform::Errno;

/// Clone of a mount without the mounts below it. The files that these mounts cover are visible in the clone.
#[derive(Debug)]
pub struct Uncovered {
    fd: OwnedFd,
}

impl Uncovered {
    /// Clones the mount at `point`.
    ///
    /// # Errors
    /// Returns any error of `open_tree(2)`, such as `EPERM` without `CAP_SYS_ADMIN`, `EINVAL` if a more privileged user
    /// has mounted something below `point`, or `ENOSYS` on systems other than Linux.
    pub fn at(point: &Path) -> Result<Self, Errno> {
        Ok(Self { fd: clone_of_mount(point)? })
    }

    /// Returns the path of the directory `below` in the clone, valid only while the clone exists and /proc is mounted.
    pub fn path(&self, below: &Path) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.fd.as_raw_fd())).join(below)
    }
}
