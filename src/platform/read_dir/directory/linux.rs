//! Linux: descriptors that refer to a file without opening it (`O_PATH`), and magic numbers of file systems.

#[path = "unix.rs"]
#[allow(dead_code)] // this file replaces some items of `unix`
mod unix;

use std::ffi::OsString;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, readlinkat};
use nix::sys::stat::{Mode, fstat};
use nix::sys::statfs::fstatfs;

use crate::base::kind::Kind;
use crate::platform::{Attributes, FileSystem, retry};

pub use unix::*;

/// Flag that keeps a lookup from triggering an automount.
pub const NO_AUTOMOUNT: AtFlags = AtFlags::AT_NO_AUTOMOUNT;
/// Flag that keeps reads from changing the access time of a file. Only the owner of the file and root may use it.
pub const NO_ATIME: OFlag = OFlag::O_NOATIME;
/// Flags for a descriptor that refers to a file without opening it (`O_PATH`).
pub const PLACE: OFlag = OFlag::O_PATH.union(OFlag::O_CLOEXEC).union(OFlag::O_NOFOLLOW);
/// Flags for opening a mount point. `O_PATH` triggers no automount, unless `O_DIRECTORY` is also set (open(2)).
pub const MOUNT_POINT: OFlag = PLACE;

/// Reads a symbolic link through a descriptor, so that the attributes and the target belong to the same link.
pub fn read_link(
    directory: &OwnedFd,
    name: &(impl NixPath + ?Sized),
) -> Result<(Attributes, OsString), Errno> {
    let link = retry(|| openat(directory, name, PLACE, Mode::empty()))?;
    let found = Attributes::from(fstat(&link)?);
    // Without this check, readlinkat(2) would fail with `ENOENT` if the entry is not a link, because the call passes
    // an empty name.
    if found.kind != Kind::Symlink {
        return Err(Errno::EINVAL);
    }
    Ok((found, readlinkat(&link, "")?))
}

/// Returns the number of bytes below a directory, as recorded by `CephFS`, or `None` on other file systems.
#[allow(unsafe_code)]
pub fn recursive_size(directory: &OwnedFd) -> Option<u64> {
    let mut text = [0_u8; 24];
    let (fd, name) = (directory.as_raw_fd(), c"ceph.dir.rbytes");
    // SAFETY: the name ends with NUL, the buffer has the given length, and both outlive the call.
    let length = unsafe { libc::fgetxattr(fd, name.as_ptr(), text.as_mut_ptr().cast(), text.len()) };
    let text = text.get(..usize::try_from(length).ok()?)?;
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Returns the kind of file system that a directory is on.
pub fn file_system(directory: &OwnedFd) -> Result<FileSystem, Errno> {
    let status = retry(|| fstatfs(directory))?;
    // The type of the magic number depends on the C library, but the number always has 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Ok(FileSystem::of_magic(status.filesystem_type().0 as u32))
}
