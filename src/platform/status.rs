//! `statx(2)`, and what it tells beyond [`Attributes`]: the mount. Linux only.
//!
//! Invariant: nothing is mounted by asking.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::AT_FDCWD;

use super::attributes::kind_of_mode;
use super::{Attributes, Border, retry};

/// `STATX_ATTR_MOUNT_ROOT` of linux/stat.h, Linux 5.8.
pub(super) const MOUNT_ROOT: u64 = 0x2000;
/// `STATX_MNT_ID` of linux/stat.h, Linux 5.8.
pub(super) const MOUNT_ID: u32 = 0x1000;

/// What an entry is, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Status {
    pub(super) attributes: Attributes,
    /// The number of its mount.
    pub(super) mount: Option<u64>,
}

/// Of a path; a symbolic link at its end is followed.
///
/// # Errors
/// As statx(2).
pub(super) fn of_path(path: &Path) -> Result<Status, Errno> {
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
    of_child(AT_FDCWD, &path, 0)
}

/// Of `name` in an open directory, with flags of statx(2).
///
/// # Errors
/// As statx(2).
pub(super) fn of_child(directory: impl AsFd, name: &CStr, flags: i32) -> Result<Status, Errno> {
    const MASK: u32 = libc::STATX_BASIC_STATS & !(libc::STATX_ATIME | libc::STATX_CTIME);
    let answer = ask(directory, name, flags, MASK | MOUNT_ID)?;
    Ok(Status { attributes: attributes(&answer), mount: mount(&answer) })
}

/// The answer about `name` in an open directory, with flags and a mask of statx(2).
///
/// # Errors
/// As statx(2).
#[allow(unsafe_code)]
pub(super) fn ask(directory: impl AsFd, name: &CStr, flags: i32, mask: u32) -> Result<libc::statx, Errno> {
    let mut answer = MaybeUninit::<libc::statx>::uninit();
    let fd = directory.as_fd().as_raw_fd();
    let flags = flags | libc::AT_NO_AUTOMOUNT;
    retry(|| {
        // SAFETY: `name` ends in NUL and `answer` is writable memory of the size the call fills.
        Errno::result(unsafe { libc::statx(fd, name.as_ptr(), flags, mask, answer.as_mut_ptr()) })
    })?;
    // SAFETY: the call succeeded, and then it has filled the whole structure.
    Ok(unsafe { answer.assume_init() })
}

/// The number of the mount in an answer, if the kernel tells.
pub(super) fn mount(answer: &libc::statx) -> Option<u64> {
    (answer.stx_mask & MOUNT_ID != 0).then_some(answer.stx_mnt_id)
}

/// What an answer says with its bits (`STATX_ATTR_*`), as far as the file system knows of them.
pub(super) fn said(answer: &libc::statx) -> u64 {
    answer.stx_attributes & answer.stx_attributes_mask
}

/// The attributes in an answer of statx(2).
pub(super) fn attributes(answer: &libc::statx) -> Attributes {
    Attributes {
        kind: kind_of_mode(u32::from(answer.stx_mode)),
        blocks: answer.stx_blocks,
        apparent: answer.stx_size,
        mtime: answer.stx_mtime.tv_sec,
        inode: answer.stx_ino,
        device: libc::makedev(answer.stx_dev_major, answer.stx_dev_minor),
        links: u64::from(answer.stx_nlink),
        uid: answer.stx_uid,
        gid: answer.stx_gid,
        mode: u32::from(answer.stx_mode),
        border: if said(answer) & MOUNT_ROOT == 0 { Border::None } else { Border::Mount },
    }
}
