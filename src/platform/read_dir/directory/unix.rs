//! Flags and calls that work on any Unix. `linux.rs` and `macos.rs` replace some of them.

use std::ffi::OsString;
use std::os::fd::OwnedFd;

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, readlinkat};
use nix::sys::stat::{FileStat, fstatat};

use crate::platform::{Attributes, Boundary, FileSystem, retry};

/// Flag that prevents an opened terminal from becoming the controlling terminal.
pub const NO_CTTY: OFlag = OFlag::O_NOCTTY;
/// Flag that keeps a lookup from triggering an automount; empty, because duke sets such a flag only on Linux.
pub const NO_AUTOMOUNT: AtFlags = AtFlags::empty();
/// Flag that keeps reads from changing the access time of a file; empty, because only Linux has such a flag.
pub const NO_ATIME: OFlag = OFlag::empty();
/// Flags for opening a directory for lookups only.
pub const PLACE: OFlag =
    OFlag::O_RDONLY.union(OFlag::O_CLOEXEC).union(OFlag::O_NONBLOCK).union(OFlag::O_NOFOLLOW);
/// Flags for opening a mount point.
pub const MOUNT_POINT: OFlag = PLACE.union(OFlag::O_DIRECTORY);
/// Directory that firmlinks point to; `None`, because only macOS has firmlinks.
pub const BEHIND_FIRMLINKS: Option<&str> = None;

/// Reads a symbolic link. Fails with `EAGAIN` if the link's attributes differ before and after reading.
pub fn read_link(
    directory: &OwnedFd,
    name: &(impl NixPath + ?Sized),
) -> Result<(Attributes, OsString), Errno> {
    let attributes = || {
        retry(|| fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW | NO_AUTOMOUNT)).map(Attributes::from)
    };
    let found = attributes()?;
    let text = readlinkat(directory, name)?;
    if attributes()? == found { Ok((found, text)) } else { Err(Errno::EAGAIN) }
}

/// Returns `None`, because duke reads recursive sizes only on Linux (`CephFS`).
pub fn recursive_size(_: &OwnedFd) -> Option<u64> {
    None
}

/// Returns [`FileSystem::Ordinary`], because duke recognizes other kinds only on Linux and macOS.
#[allow(clippy::unnecessary_wraps)] // other systems make a call, which may fail
pub fn file_system(_: &OwnedFd) -> Result<FileSystem, Errno> {
    Ok(FileSystem::Ordinary)
}

/// Returns [`Boundary::None`], because `struct stat` indicates boundaries only on macOS.
pub fn border(_: &FileStat) -> Boundary {
    Boundary::None
}
