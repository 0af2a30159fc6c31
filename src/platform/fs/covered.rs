//! Access to files under mount points: `open_tree(2)` with `OPEN_TREE_CLONE` clones a mount without the
//! mounts on it. Requires Linux 5.2 and `CAP_SYS_ADMIN`.
//!
//! Invariant: the clone is private, and ends with the last descriptor.

use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::{Path, PathBuf};

use crate::platform::Errno;

/// Clone of a mount without the mounts on it.
#[derive(Debug)]
pub struct Uncovered {
    fd: OwnedFd,
}

impl Uncovered {
    /// Clones the mount at `point`.
    ///
    /// # Errors
    /// Those of `open_tree(2)`: `EPERM` without the capability, `EINVAL` if a user with more rights has
    /// mounted something there.
    #[cfg(target_os = "linux")]
    #[allow(unsafe_code)]
    pub fn at(point: &Path) -> Result<Self, Errno> {
        use std::os::unix::ffi::OsStrExt;
        /// linux/mount.h
        const OPEN_TREE_CLONE: libc::c_uint = 1;
        let path = std::ffi::CString::new(point.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
        let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC.cast_unsigned();
        // SAFETY: `path` ends in NUL, and the call touches no other memory.
        let fd = Errno::result(unsafe {
            libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags)
        })?;
        let fd = libc::c_int::try_from(fd).map_err(|_| Errno::EBADF)?;
        // SAFETY: the kernel has just opened it, and it has no other owner.
        Ok(Self { fd: unsafe { OwnedFd::from_raw_fd(fd) } })
    }
    /// Fails, since these systems do not have the call.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn at(_: &Path) -> Result<Self, Errno> {
        Err(Errno::ENOSYS)
    }

    /// Returns the path under which the directory `below` its root can be opened while this exists. Needs
    /// /proc.
    #[cfg(target_os = "linux")]
    pub fn path(&self, below: &Path) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.fd.as_raw_fd())).join(below)
    }
    /// Returns `below`, since no clone exists on these systems.
    #[cfg(not(target_os = "linux"))]
    pub fn path(&self, below: &Path) -> PathBuf {
        let _ = &self.fd;
        below.to_owned()
    }
}
