//! Any Unix: capacities from statvfs(3), and mount points from device numbers. The mount table is not read.

#[path = "overhead/btrfs/none.rs"]
pub mod btrfs;
#[path = "overhead/xfs/none.rs"]
pub mod space_map;

use std::collections::HashMap;
use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::path::Path;

use crate::platform::entry::probe::Probe;
use crate::platform::fs::capacity::Capacity;
use crate::platform::fs::mounts::{Mount, MountPosition};
use crate::platform::fs::overhead::{Native, Quota};
use crate::platform::{Attributes, Directory, Errno, FileSystem, retry};

/// `true` if a volume can be mounted several times and volumes can share a device number, as on macOS.
pub const HAS_VOLUMES: bool = false;
/// `true` if the files that a mount covers can be read.
pub const CAN_READ_COVERED_FILES: bool = false;

/// Returns the capacity of the file system that `path` is on. If `path` is a directory with a project quota, the size
/// is the limit of the quota.
///
/// # Errors
/// Returns any error of statvfs(3).
#[allow(clippy::useless_conversion)] // the counts have 32 bits on some systems
pub fn capacity(path: &Path) -> Result<Capacity, Errno> {
    let status = retry(|| nix::sys::statvfs::statvfs(path))?;
    let unit = u64::from(status.fragment_size());
    let bytes = |blocks| unit.saturating_mul(u64::from(blocks));
    let capacity = Capacity {
        size: bytes(status.blocks()),
        free: bytes(status.blocks_free()),
        available: bytes(status.blocks_available()),
        unit,
        ..Capacity::default()
    };
    Ok(capacity.with_inodes(status.files().into(), status.files_free().into()))
}

/// Returns the number of bytes used on the file system that `path` is on.
///
/// # Errors
/// Returns any error of statvfs(3).
pub fn used(path: &Path) -> Result<u64, Errno> {
    Ok(capacity(path)?.used())
}

/// Fails, because duke reads the mount table only on Linux and macOS.
///
/// # Errors
/// Always returns an error.
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    Err(Errno::ENOSYS)
}

/// Returns an empty map. Outside Linux, the device numbers in the mount table may differ from `st_dev`, so they cannot
/// serve as keys.
pub fn file_systems() -> HashMap<u64, FileSystem> {
    HashMap::new()
}

/// Returns no devices. Only `CephFS` has recursive lengths, and duke looks for mounted `CephFS` only on Linux.
pub fn recursive_lengths() -> Vec<u64> {
    Vec::new()
}

/// Fails, because duke reads the mount table only on Linux and macOS.
///
/// # Errors
/// Always returns an error.
pub fn mount_of(_: &Directory, _: &CStr, _: &Probe) -> Result<Mount, Errno> {
    Err(Errno::ENOSYS)
}

/// Fails, because duke reads the mount of an open directory only on macOS.
///
/// # Errors
/// Always returns an error.
pub fn mount_at(_: &Directory) -> Result<Mount, Errno> {
    Err(Errno::ENOSYS)
}

/// Determines whether `path` is a mount point. Follows a symbolic link at the end of the path. Assumes that every
/// mount has its own device.
///
/// # Errors
/// Returns any error of stat(2).
pub fn standing(path: &Path) -> Result<MountPosition, Errno> {
    let of = |path: &Path| retry(|| nix::sys::stat::stat(path)).map(Attributes::from);
    let own = of(path)?;
    let above = of(&path.join(".."))?;
    // The root directory is its own parent.
    let is_mount_point = own.is_directory() && (above.device != own.device || above.inode == own.inode);
    Ok(MountPosition { mount: None, point: None, device: own.device, inode: own.inode, is_mount_point })
}

/// Returns `false`, because duke recognizes mounts of whole file systems only on Linux and macOS.
pub fn is_whole(_: &Path) -> bool {
    false
}

/// Returns [`Native::Silent`], because duke asks file systems for details only on Linux and macOS.
pub fn ask(_: &[Mount], _: &Path) -> Native {
    Native::Silent
}

/// Returns `None`, because duke reads quotas only on Linux.
pub fn quota(_: &Mount) -> Option<Quota> {
    None
}

/// Fails, because only Linux can clone a mount.
pub fn clone_of_mount(_: &Path) -> Result<OwnedFd, Errno> {
    Err(Errno::ENOSYS)
}
