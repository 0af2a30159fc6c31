//! Overhead of a file system: the numbers it reports beyond statvfs(3), in its own terms.
//!
//! | type | source |
//! |---|---|
//! | ext2, ext3, ext4 | the superblock on the device, if it may be read; `/sys/fs/ext4` |
//! | XFS | `XFS_IOC_FSGEOMETRY_V1`, `XFS_IOC_FSCOUNTS`, `XFS_IOC_GET_RESBLKS` |
//! | btrfs | `BTRFS_IOC_SPACE_INFO`, `BTRFS_IOC_TREE_SEARCH` |
//! | APFS | `getattrlist(2)`, `fs_snapshot_list(2)` |
//!
//! Adds nothing up. Invariant: a number that is not reported or not permitted is absent, never zero.

#[cfg(target_os = "macos")]
mod apfs;
pub mod btrfs;
pub mod ext;
#[cfg(target_os = "linux")]
mod ioctl;
#[cfg(target_os = "linux")]
mod quota;
#[cfg(target_os = "linux")]
mod xfs;

use std::path::Path;

use super::mounts::Mount;
use crate::platform::Errno;

/// Numbers that a file system reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Native {
    /// ext2, ext3, ext4.
    Ext {
        /// Numbers on the device.
        superblock: ext::Superblock,
        /// Clusters that the kernel reserves for delayed writes.
        held_back: Option<u64>,
    },
    /// XFS.
    Xfs(Xfs),
    /// btrfs.
    Btrfs(btrfs::Btrfs),
    /// APFS.
    Apfs(Apfs),
    /// The request failed.
    Refused(Errno),
    /// This type reports nothing more.
    Silent,
}

/// Numbers of XFS, all in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xfs {
    /// Log, if it is on the same device; df does not count it.
    pub log: Option<u64>,
    /// Existing inodes, used or not.
    pub inodes: Option<u64>,
    /// Reserve pool for its own operations, counted as used; readable by root.
    pub pool: Option<u64>,
}

/// Numbers of APFS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apfs {
    /// Bytes this volume uses of its container.
    pub volume: Option<u64>,
    /// Names of local snapshots.
    pub snapshots: Option<Vec<Vec<u8>>>,
}

/// Limit other than the size of the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Allowed bytes.
    pub limit: u64,
    /// Used bytes.
    pub used: u64,
}

/// Reads the numbers of the file system mounted as `mount`, at `path`.
#[cfg(target_os = "linux")]
pub fn ask(mount: &Mount, path: &Path) -> Native {
    match mount.kind.as_slice() {
        b"ext2" | b"ext3" | b"ext4" => ext::read(mount).map_or_else(Native::Refused, |superblock| {
            Native::Ext { superblock, held_back: ext::held_back(mount) }
        }),
        b"xfs" => xfs::ask(path).map_or_else(Native::Refused, Native::Xfs),
        b"btrfs" => btrfs::ask(path).map_or_else(Native::Refused, Native::Btrfs),
        _ => Native::Silent,
    }
}
/// Reads the numbers of the file system mounted as `mount`, at `path`.
#[cfg(target_os = "macos")]
pub fn ask(mount: &Mount, path: &Path) -> Native {
    match mount.kind.as_slice() {
        b"apfs" => Native::Apfs(apfs::ask(path)),
        _ => Native::Silent,
    }
}
/// Returns nothing, since these systems are not supported.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn ask(_: &Mount, _: &Path) -> Native {
    Native::Silent
}

/// Returns the current user's quota on the file system `mount`, if there is one.
#[cfg(target_os = "linux")]
pub fn quota(mount: &Mount) -> Option<Quota> {
    quota::of_user(mount)
}
/// Returns `None`, since quotas are not read on these systems.
#[cfg(not(target_os = "linux"))]
pub fn quota(_: &Mount) -> Option<Quota> {
    None
}
