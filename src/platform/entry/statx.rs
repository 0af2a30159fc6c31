//! Linux: `statx(2)`, which reports the mount of an entry in addition to [`Attributes`].
//!
//! Invariant: a call never triggers a mount.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::AT_FDCWD;

use crate::base::kind::Kind;
use crate::platform::{Attributes, Boundary, retry};

/// `STATX_ATTR_MOUNT_ROOT` from linux/stat.h (Linux 5.8).
pub(crate) const MOUNT_ROOT: u64 = 0x2000;
/// `STATX_MNT_ID` from linux/stat.h (Linux 5.8).
pub(crate) const MOUNT_ID: u32 = 0x1000;

/// Attributes and mount of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status {
    pub(crate) attributes: Attributes,
    /// ID of the mount that the entry is on, if the kernel reports it.
    pub(crate) mount: Option<u64>,
}

/// Returns the status of a path. A symbolic link at the end of the path is followed.
///
/// # Errors
/// Returns any error of statx(2).
pub(crate) fn of_path(path: &Path) -> Result<Status, Errno> {
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
    of_child(AT_FDCWD, &path, 0)
}

/// Returns the status of `name` in an open directory. `flags` are passed to statx(2).
///
/// # Errors
/// Returns any error of statx(2).
pub(crate) fn of_child(directory: impl AsFd, name: &CStr, flags: i32) -> Result<Status, Errno> {
    const MASK: u32 = libc::STATX_BASIC_STATS & !(libc::STATX_ATIME | libc::STATX_CTIME);
    let answer = ask(directory, name, flags, MASK | MOUNT_ID)?;
    Ok(Status { attributes: attributes(&answer), mount: mount(&answer) })
}

/// Calls statx(2) for `name` in an open directory with the given flags and mask.
///
/// # Errors
/// Returns any error of statx(2).
#[allow(unsafe_code)]
pub(crate) fn ask(directory: impl AsFd, name: &CStr, flags: i32, mask: u32) -> Result<libc::statx, Errno> {
    let mut answer = MaybeUninit::<libc::statx>::uninit();
    let fd = directory.as_fd().as_raw_fd();
    let flags = flags | libc::AT_NO_AUTOMOUNT;
    retry(|| {
        // SAFETY: `name` ends with NUL, and `answer` is writable memory of the size that the call fills.
        Errno::result(unsafe { libc::statx(fd, name.as_ptr(), flags, mask, answer.as_mut_ptr()) })
    })?;
    // SAFETY: the call has succeeded, so it has filled the whole structure.
    Ok(unsafe { answer.assume_init() })
}

/// Returns the mount ID in `answer`, if the kernel reports it.
pub(crate) fn mount(answer: &libc::statx) -> Option<u64> {
    (answer.stx_mask & MOUNT_ID != 0).then_some(answer.stx_mnt_id)
}

/// Returns the attribute bits (`STATX_ATTR_*`) set in `answer`, limited to those that the file system supports.
pub(crate) fn attribute_bits(answer: &libc::statx) -> u64 {
    answer.stx_attributes & answer.stx_attributes_mask
}

pub(crate) fn attributes(answer: &libc::statx) -> Attributes {
    Attributes {
        kind: Kind::of_mode(u32::from(answer.stx_mode)),
        blocks: answer.stx_blocks,
        apparent: answer.stx_size,
        mtime: answer.stx_mtime.tv_sec,
        inode: answer.stx_ino,
        device: libc::makedev(answer.stx_dev_major, answer.stx_dev_minor),
        links: u64::from(answer.stx_nlink),
        uid: answer.stx_uid,
        gid: answer.stx_gid,
        mode: u32::from(answer.stx_mode),
        border: if attribute_bits(answer) & MOUNT_ROOT == 0 { Boundary::None } else { Boundary::Mount },
    }
}
