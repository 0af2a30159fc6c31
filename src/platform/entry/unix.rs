//! Any Unix: functions that use only portable calls. A function that would need a system-specific call fails as if
//! the kernel did not support the call, or returns a neutral value such as `false` or `None`.

use std::ffi::CStr;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, readlinkat};
use nix::sys::stat::{FileStat, fstat, fstatat};
use nix::unistd::geteuid;

use crate::base::kind::Kind;
use crate::platform::entry::extents::{ExtentLayout, ExtentReference, ExtentVolume, Sharing, StoredPart};
use crate::platform::entry::probe::Probe;
use crate::platform::{Attributes, Directory, Identity, retry};

/// Fails with `ENOSYS`, because duke uses openat2(2) only on Linux.
pub fn confined(_: &Directory, _: &(impl NixPath + ?Sized)) -> Result<Directory, Errno> {
    Err(Errno::ENOSYS)
}

/// Returns `true` if `name` is a mount point. Assumes that every mount has its own device.
pub fn is_mount(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
    let inside = directory.attributes_of(name)?;
    Ok(inside.is_directory() && inside.device != directory.attributes()?.device)
}

/// Returns `false`, because duke reads file flags only on Linux and macOS.
#[allow(clippy::unnecessary_wraps)] // other systems make a call that may fail
pub fn is_locked(_: &Directory, _: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
    Ok(false)
}

/// Fails with `ENOSYS`, because duke can rename without replacing an existing entry only on Linux and macOS.
pub fn rename_exclusively(_: &Directory, _: &CStr, _: &Directory, _: &CStr) -> Result<(), Errno> {
    Err(Errno::ENOSYS)
}

/// Deletes an empty directory. No special call is needed here, because only macOS has directories whose contents are
/// only in the cloud.
pub fn remove_dataless(directory: &Directory, name: &CStr) -> Result<(), Errno> {
    directory.remove_directory(name)
}

/// Returns `true` if this process runs as root, which counts as the owner of every file.
pub fn owns_all() -> bool {
    geteuid().is_root()
}

/// Returns `false`, because duke reads access control lists only on Linux.
pub fn has_access_list(_: &Directory) -> bool {
    false
}

/// Fails, because duke creates unnamed files only on Linux.
pub fn create_unnamed(_: &Directory) -> Result<OwnedFd, Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Fails, because duke creates unnamed files only on Linux.
pub fn link_unnamed(_: &Directory, _: &impl AsFd, _: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Returns the result of fstatat(2) for `name`, without following a symbolic link.
pub fn status(directory: &Directory, name: &CStr) -> Result<FileStat, Errno> {
    retry(|| fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW))
}

pub fn identity(directory: &Directory, name: &CStr) -> Result<Identity, Errno> {
    status(directory, name).map(identity_in)
}

pub fn own_identity(directory: &Directory) -> Result<Identity, Errno> {
    retry(|| fstat(directory)).map(identity_in)
}

// The fields of `struct stat` have different widths on different systems.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
pub fn identity_in(stat: FileStat) -> Identity {
    Identity {
        attributes: stat.into(),
        born: None,
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
    }
}

/// Returns the attributes of the entry `name` in `directory`, and properties that a scan does not read.
///
/// # Errors
/// Returns any error of fstatat(2).
pub fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
    Ok(probe_in(status(directory, name)?, directory, name))
}

pub fn probe_in(stat: FileStat, directory: &Directory, name: &CStr) -> Probe {
    let attributes = stat.into();
    Probe {
        attributes,
        accessed: stat.st_atime,
        changed: stat.st_ctime,
        born: None,
        traits: Vec::new(),
        target: target(directory, name, &attributes),
        mount: None,
    }
}

/// Returns the target of a symbolic link; `None` if `found` does not describe a link, or if the target cannot be read.
pub fn target(directory: &Directory, name: &CStr, found: &Attributes) -> Option<Vec<u8>> {
    let is_link = found.kind == Kind::Symlink;
    is_link.then(|| readlinkat(directory, name).ok().map(OsStringExt::into_vec)).flatten()
}

/// Returns [`Sharing::Never`], because duke reads shared extents only on Linux and macOS.
pub fn sharing(_: &Directory) -> Sharing {
    Sharing::Never
}

/// Fails, because duke reads the layout of files only on Linux and macOS.
///
/// # Errors
/// Always returns an error.
pub fn layout(_: &Directory, _: &CStr) -> Result<ExtentLayout, Errno> {
    Err(Errno::ENOTSUP)
}

/// `false`, because duke lets files share data only on Linux.
pub const CAN_SHARE: bool = false;

/// Fails, because duke lets files share data only on Linux.
///
/// # Errors
/// Always returns `EOPNOTSUPP`.
pub fn share_range(
    _: &impl std::os::fd::AsRawFd,
    _: &impl std::os::fd::AsRawFd,
    _: u64,
    _: u64,
) -> Result<Option<u64>, Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Fails. duke needs this function only to let files share data, which it does only on Linux.
///
/// # Errors
/// Always returns `EOPNOTSUPP`.
pub fn sync_file_system(_: &Directory) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Returns `false` without calling the closure, because duke reads extent locations only on Linux.
///
/// # Errors
/// Never returns an error; the implementation for Linux can.
#[allow(clippy::unnecessary_wraps)]
pub fn locate(
    _: &impl std::os::fd::AsRawFd,
    _: &mut dyn FnMut(StoredPart) -> ControlFlow<()>,
) -> Result<bool, Errno> {
    Ok(false)
}

/// Returns `None`, because duke compares extents only on Linux.
pub fn volume_id(_: &impl std::os::fd::AsFd) -> Option<u64> {
    None
}

/// Returns `None`, because duke reads extent locations only on Linux.
pub fn volume(_: &Directory) -> Option<ExtentVolume> {
    None
}

/// Fails, because duke reads extent locations only on Linux.
///
/// # Errors
/// Always returns `EOPNOTSUPP`.
pub fn references(
    _: &impl std::os::fd::AsRawFd,
    _: u64,
    _: &mut dyn FnMut(ExtentReference),
) -> Result<bool, Errno> {
    Err(Errno::EOPNOTSUPP)
}
