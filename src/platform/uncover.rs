//! What lies below mount points: `open_tree(2)` with `OPEN_TREE_CLONE` gives a mount once more, without what is mounted on it.
//! Linux 5.2; takes `CAP_SYS_ADMIN`.
//!
//! Knows nothing of trees. Invariant: nobody else sees the clone, and it is gone with the last descriptor.

use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::{Path, PathBuf};

use super::Errno;

/// A mount without what is mounted on it.
#[derive(Debug)]
pub struct Uncovered {
    fd: OwnedFd,
}

impl Uncovered {
    /// The mount at `point`.
    ///
    /// # Errors
    /// As open_tree(2): `EPERM` when it is not allowed, `EINVAL` when what is mounted there was put by somebody with more
    /// rights.
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
        // SAFETY: the kernel has opened it for us, and nothing else knows of it.
        Ok(Self { fd: unsafe { OwnedFd::from_raw_fd(fd) } })
    }
    /// There is no such call here.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn at(_: &Path) -> Result<Self, Errno> {
        Err(Errno::ENOSYS)
    }

    /// The path under which what lies `below` its root can be opened for as long as this lives. Takes /proc.
    #[cfg(target_os = "linux")]
    pub fn path(&self, below: &Path) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.fd.as_raw_fd())).join(below)
    }
    /// There is none here.
    #[cfg(not(target_os = "linux"))]
    pub fn path(&self, below: &Path) -> PathBuf {
        let _ = &self.fd;
        below.to_owned()
    }
}
