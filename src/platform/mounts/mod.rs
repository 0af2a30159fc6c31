//! What is mounted where, and where a path stands in that.
//!
//! | system | the list | where a path stands |
//! |---|---|---|
//! | Linux | `/proc/self/mountinfo` (proc(5)) | `statx(2)`, which names the mount since Linux 5.8 |
//! | macOS | `getfsstat(2)`, without asking the file systems | `stat(2)`: the device |
//!
//! Whether another machine serves a file system is told by its type (`file_system`), on macOS by the kernel (`MNT_LOCAL`).
//!
//! Knows nothing of sizes. Invariant: nothing here asks a mounted file system anything, except the one a path is on: a server that
//! is gone keeps nobody waiting.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod table;

pub use table::parse;

use std::collections::HashMap;
use std::path::Path;

use super::{Directory, Errno, FileSystem};

/// One mounted file system, or one more place of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// Its number among the mounts; zero where the system has none.
    pub id: u64,
    /// The number of the mount it is mounted on.
    pub parent: u64,
    /// The device of the file system. Of btrfs not the one its files have (`st_dev`): that is the subvolume's.
    pub device: u64,
    /// Which directory of the file system is to be seen at the mount point; `/` for all of it.
    pub root: Vec<u8>,
    /// The mount point.
    pub point: Vec<u8>,
    /// The type of the file system: `ext4`.
    pub kind: Vec<u8>,
    /// What was mounted: `/dev/sda1`.
    pub source: Vec<u8>,
    /// The options of the file system, with commas between.
    pub options: Vec<u8>,
    /// Whether another machine serves it, as far as the system or the type tells.
    pub is_network: bool,
}

impl Mount {
    /// The value of an option that has one: `lowerdir` of an overlay. Of a repeated option, each.
    pub fn option<'o>(&'o self, name: &'o [u8]) -> impl Iterator<Item = &'o [u8]> {
        let options = table::split_options(&self.options);
        options.filter_map(move |option| option.strip_prefix(name)?.strip_prefix(b"="))
    }
}

/// Where a path stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The number of its mount, where the system tells.
    pub mount: Option<u64>,
    /// Its device (`st_dev`).
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Whether it is the root of a mount.
    pub is_mount_point: bool,
}

/// Everything that is mounted, as this process sees it, in the order of mounting.
///
/// # Errors
/// When the system does not tell: on Linux without /proc.
#[cfg(target_os = "linux")]
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    linux::mounts()
}
/// Everything that is mounted.
///
/// # Errors
/// As getfsstat(2).
#[cfg(target_os = "macos")]
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    macos::mounts()
}
/// Nothing is known.
///
/// # Errors
/// Always.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    Err(Errno::ENOSYS)
}

/// The kinds of the file systems that are mounted, by device, as far as their types tell. Empty where there is no table, or
/// where its devices are not those of files.
pub fn file_systems() -> HashMap<u64, FileSystem> {
    if cfg!(not(target_os = "linux")) {
        return HashMap::new();
    }
    let mounts = mounts().unwrap_or_default();
    let is = |mount: &Mount| FileSystem::of_mount(&mount.kind, &mount.source);
    mounts.iter().map(|mount| (mount.device, is(mount))).collect()
}

/// The mount with this number; where the kernel does not number mounts, the topmost one of the device.
///
/// # Errors
/// As [`mounts`]; `ENOENT` when there is none.
#[cfg(not(target_os = "macos"))]
pub fn mount_of(_: &Directory, number: Option<u64>, device: u64) -> Result<Mount, Errno> {
    numbered(number, device)
}
#[cfg(not(target_os = "macos"))]
fn numbered(number: Option<u64>, device: u64) -> Result<Mount, Errno> {
    let is_it = |mount: &Mount| number.map_or(mount.device == device, |number| mount.id == number);
    mounts()?.into_iter().rfind(is_it).ok_or(Errno::ENOENT)
}
/// The mount that `directory` is on: devices do not tell the volumes of a group apart.
///
/// # Errors
/// As fstatfs(2).
#[cfg(target_os = "macos")]
pub fn mount_of(directory: &Directory, _: Option<u64>, _: u64) -> Result<Mount, Errno> {
    macos::mount_of(directory)
}

/// Where `path` stands; a symbolic link at its end is followed.
///
/// # Errors
/// As stat(2).
#[cfg(target_os = "linux")]
pub fn standing(path: &Path) -> Result<Standing, Errno> {
    match super::status::of_path(path) {
        // With the number of a mount came the mark of its root. Before them, and where statx(2) is refused, the device tells.
        Ok(super::status::Status { mount: None, .. }) | Err(Errno::ENOSYS | Errno::EPERM) => by_device(path),
        Ok(super::status::Status { mount, attributes }) => Ok(Standing {
            mount,
            device: attributes.device,
            inode: attributes.inode,
            is_mount_point: attributes.border == super::Border::Mount,
        }),
        Err(error) => Err(error),
    }
}
/// Where `path` stands; a symbolic link at its end is followed.
///
/// # Errors
/// As stat(2).
#[cfg(not(target_os = "linux"))]
pub fn standing(path: &Path) -> Result<Standing, Errno> {
    by_device(path)
}

/// As [`standing`], by what stat(2) says of a path and of what is above.
fn by_device(path: &Path) -> Result<Standing, Errno> {
    let of = |path: &Path| {
        let stat = super::retry(|| nix::sys::stat::stat(path))?;
        Ok::<_, Errno>(super::Attributes::from(stat))
    };
    let own = of(path)?;
    let above = of(&path.join(".."))?;
    // The top of all is its own parent.
    let is_mount_point = own.is_directory() && (above.device != own.device || above.inode == own.inode);
    Ok(Standing { mount: None, device: own.device, inode: own.inode, is_mount_point })
}

/// Whether all of a file system is mounted at `path`: no subvolume and no other directory of it.
#[cfg(not(target_os = "macos"))]
pub fn is_whole(path: &Path) -> bool {
    let mount = |standing: Standing| numbered(standing.mount, standing.device).ok();
    let standing = standing(path).ok().filter(|standing| standing.is_mount_point);
    standing.and_then(mount).is_some_and(|mount| mount.root == b"/")
}
/// Whether a file system is mounted at `path`: there are no others.
#[cfg(target_os = "macos")]
pub fn is_whole(path: &Path) -> bool {
    standing(path).is_ok_and(|standing| standing.is_mount_point)
}
