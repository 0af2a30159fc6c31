//! Any Unix: the calls that only some systems have fail as on a kernel without them, and the rest is asked with
//! the calls that all have.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};

use nix::NixPath;
use nix::errno::Errno;
use nix::unistd::geteuid;

use crate::platform::Directory;

/// Fails: no other kernel has the call.
pub fn confined(_: &Directory, _: &(impl NixPath + ?Sized)) -> Result<Directory, Errno> {
    Err(Errno::ENOSYS)
}

/// Returns `true` if `name` is the root of a mount, which has a device of its own on these systems.
pub fn is_mount(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
    let inside = directory.attributes_of(name)?;
    Ok(inside.is_directory() && inside.device != directory.attributes()?.device)
}

/// Returns `false`, since such flags are unknown on these systems.
#[allow(clippy::unnecessary_wraps)] // other systems have to ask, which may fail
pub fn is_locked(_: &Directory, _: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
    Ok(false)
}

/// Fails, since these systems have no such call.
pub fn rename_exclusively(_: &Directory, _: &CStr, _: &Directory, _: &CStr) -> Result<(), Errno> {
    Err(Errno::ENOSYS)
}

/// Returns `true` if this process counts as the owner of every file.
pub fn owns_all() -> bool {
    geteuid().is_root()
}

/// Returns `false`: ACLs are not read on these systems.
pub fn has_access_list(_: &Directory) -> bool {
    false
}

/// Fails, since these systems have no such files.
pub fn create_unnamed(_: &Directory) -> Result<OwnedFd, Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Fails, since these systems have no such files.
pub fn link_unnamed(_: &Directory, _: &impl AsFd, _: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}
