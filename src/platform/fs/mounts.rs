//! Mount table, and the position of a path in it.
//!
//! | system | mount table | position of a path |
//! |---|---|---|
//! | Linux | `/proc/self/mountinfo` (proc(5)) | `statx(2)`, which names the mount since Linux 5.8 |
//! | macOS | `getfsstat(2)`, without asking the file systems | `stat(2)`: the device |
//!
//! Network file systems are recognized by their type (`fs::kind`), on macOS by the kernel (`MNT_LOCAL`).
//!
//! Invariant: no mounted file system is accessed except the one a path is on, so an unreachable server blocks
//! nothing.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod table;

pub use table::parse;

use std::collections::HashMap;
use std::path::Path;

use crate::platform::{Directory, Errno, FileSystem};

/// Mount: a file system, or one more mount of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// Mount ID; 0 if the system has none.
    pub id: u64,
    /// ID of the mount it is mounted on.
    pub parent: u64,
    /// Device of the file system. For btrfs it differs from the device of files (`st_dev`), which is that of
    /// the subvolume.
    pub device: u64,
    /// Directory of the file system that appears at the mount point; `/` for all of it.
    pub root: Vec<u8>,
    /// Mount point.
    pub point: Vec<u8>,
    /// Type of the file system, such as `ext4`.
    pub kind: Vec<u8>,
    /// Mount source, such as `/dev/sda1`.
    pub source: Vec<u8>,
    /// Options of the file system, separated by commas.
    pub options: Vec<u8>,
    /// `true` if it is a network file system, as far as the system or the type tells.
    pub is_network: bool,
}

impl Mount {
    /// Returns the values of an option, such as `lowerdir` of an overlay, which may occur more than once.
    pub fn option<'o>(&'o self, name: &'o [u8]) -> impl Iterator<Item = &'o [u8]> {
        let options = table::split_options(&self.options);
        options.filter_map(move |option| option.strip_prefix(name)?.strip_prefix(b"="))
    }
}

/// Position of a path in the mounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// ID of its mount, if the system reports it.
    pub mount: Option<u64>,
    /// Device (`st_dev`).
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// `true` if it is the root of a mount.
    pub is_mount_point: bool,
}

/// Returns all mounts that this process sees, in the order of mounting.
///
/// # Errors
/// When the mount table is not available: on Linux without /proc.
#[cfg(target_os = "linux")]
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    linux::mounts()
}
/// Returns all mounts.
///
/// # Errors
/// Those of getfsstat(2).
#[cfg(target_os = "macos")]
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    macos::mounts()
}
/// Fails, since the mount table is unknown on these systems.
///
/// # Errors
/// Always.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    Err(Errno::ENOSYS)
}

/// Returns the kinds of mounted file systems by device, as far as their types tell. Empty without a mount
/// table, or if its devices are not those of files.
pub fn file_systems() -> HashMap<u64, FileSystem> {
    if cfg!(not(target_os = "linux")) {
        return HashMap::new();
    }
    let mounts = mounts().unwrap_or_default();
    let is = |mount: &Mount| FileSystem::of_mount(&mount.kind, &mount.source);
    mounts.iter().map(|mount| (mount.device, is(mount))).collect()
}

/// Returns the mount with this ID, or without mount IDs the topmost mount of the device.
///
/// # Errors
/// Those of [`mounts`]; `ENOENT` if there is none.
#[cfg(not(target_os = "macos"))]
pub fn mount_of(_: &Directory, number: Option<u64>, device: u64) -> Result<Mount, Errno> {
    numbered(number, device)
}
#[cfg(not(target_os = "macos"))]
fn numbered(number: Option<u64>, device: u64) -> Result<Mount, Errno> {
    let is_it = |mount: &Mount| number.map_or(mount.device == device, |number| mount.id == number);
    mounts()?.into_iter().rfind(is_it).ok_or(Errno::ENOENT)
}
/// Returns the mount that `directory` is on, since devices do not tell the volumes of a group apart.
///
/// # Errors
/// Those of fstatfs(2).
#[cfg(target_os = "macos")]
pub fn mount_of(directory: &Directory, _: Option<u64>, _: u64) -> Result<Mount, Errno> {
    macos::mount_of(directory)
}

/// Returns the position of `path`; follows a symbolic link at its end.
///
/// # Errors
/// Those of stat(2).
#[cfg(target_os = "linux")]
pub fn standing(path: &Path) -> Result<Standing, Errno> {
    match crate::platform::entry::imp::statx::of_path(path) {
        // Mount IDs and the mark of mount roots came with the same kernel. Without them, and if statx(2) is
        // refused, the device decides.
        Ok(crate::platform::entry::imp::statx::Status { mount: None, .. })
        | Err(Errno::ENOSYS | Errno::EPERM) => by_device(path),
        Ok(crate::platform::entry::imp::statx::Status { mount, attributes }) => Ok(Standing {
            mount,
            device: attributes.device,
            inode: attributes.inode,
            is_mount_point: attributes.border == crate::platform::Border::Mount,
        }),
        Err(error) => Err(error),
    }
}
/// Returns the position of `path`; follows a symbolic link at its end.
///
/// # Errors
/// Those of stat(2).
#[cfg(not(target_os = "linux"))]
pub fn standing(path: &Path) -> Result<Standing, Errno> {
    by_device(path)
}

/// Implements [`standing`] by comparing the stat(2) results of a path and its parent.
fn by_device(path: &Path) -> Result<Standing, Errno> {
    let of = |path: &Path| {
        let stat = crate::platform::retry(|| nix::sys::stat::stat(path))?;
        Ok::<_, Errno>(crate::platform::Attributes::from(stat))
    };
    let own = of(path)?;
    let above = of(&path.join(".."))?;
    // The root directory is its own parent.
    let is_mount_point = own.is_directory() && (above.device != own.device || above.inode == own.inode);
    Ok(Standing { mount: None, device: own.device, inode: own.inode, is_mount_point })
}

/// Returns `true` if a whole file system is mounted at `path`, not a subvolume or another directory of it.
#[cfg(not(target_os = "macos"))]
pub fn is_whole(path: &Path) -> bool {
    let mount = |standing: Standing| numbered(standing.mount, standing.device).ok();
    let standing = standing(path).ok().filter(|standing| standing.is_mount_point);
    standing.and_then(mount).is_some_and(|mount| mount.root == b"/")
}
/// Returns `true` if a file system is mounted at `path`; it is always a whole one.
#[cfg(target_os = "macos")]
pub fn is_whole(path: &Path) -> bool {
    standing(path).is_ok_and(|standing| standing.is_mount_point)
}
