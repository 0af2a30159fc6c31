//! macOS: the flags of chflags(2), and `renameatx_np(2)`.

#[path = "unix.rs"]
#[allow(dead_code)] // partly replaced here
mod unix;

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd};

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::sys::stat::fstatat;

use crate::platform::Directory;

pub use unix::*;

/// Returns `true` if `name` is immutable or append-only (chflags(2)).
pub fn is_locked(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
    const LOCKS: u32 = libc::UF_IMMUTABLE | libc::UF_APPEND | libc::SF_IMMUTABLE | libc::SF_APPEND;
    let stat = fstatat(&directory.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
    Ok(stat.st_flags & LOCKS != 0)
}

/// Renames an entry if the new name is free (`renameatx_np(2)`).
#[allow(unsafe_code)]
pub fn rename_exclusively(from: &Directory, name: &CStr, to: &Directory, new: &CStr) -> Result<(), Errno> {
    let (from, to) = (from.as_fd().as_raw_fd(), to.as_fd().as_raw_fd());
    let (name, new) = (name.as_ptr(), new.as_ptr());
    // SAFETY: both names end in NUL and live through the call, which only reads them.
    let done = unsafe { libc::renameatx_np(from, name, to, new, libc::RENAME_EXCL) };
    Errno::result(done).map(drop)
}
