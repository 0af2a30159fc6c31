//! What a file system says of itself beyond statvfs(3), in numbers of its own.
//!
//! | type | source |
//! |---|---|
//! | ext2, ext3, ext4 | the superblock on the device, where it may be read; `/sys/fs/ext4` |
//! | XFS | `XFS_IOC_FSGEOMETRY_V1`, `XFS_IOC_FSCOUNTS`, `XFS_IOC_GET_RESBLKS` |
//! | btrfs | `BTRFS_IOC_SPACE_INFO`, `BTRFS_IOC_TREE_SEARCH` |
//! | APFS | `getattrlist(2)`, `fs_snapshot_list(2)` |
//!
//! Knows no tree and adds nothing up. Invariant: what is not told or not allowed is absent, never zero.

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

use super::Errno;
use super::mounts::Mount;

/// What a file system says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Native {
    /// ext2, ext3, ext4.
    Ext {
        /// What is written on the device.
        superblock: ext::Superblock,
        /// Clusters that the kernel holds back besides.
        held_back: Option<u64>,
    },
    /// XFS.
    Xfs(Xfs),
    /// btrfs.
    Btrfs(btrfs::Btrfs),
    /// APFS.
    Apfs(Apfs),
    /// It could not be asked.
    Refused(Errno),
    /// There is nothing to ask it.
    Silent,
}

/// What XFS says: all in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xfs {
    /// The log, where it is on the same device; df does not count it.
    pub log: Option<u64>,
    /// What all inodes take that exist, used or not.
    pub inodes: Option<u64>,
    /// Set aside for the file system's own needs and counted as used; root may ask.
    pub pool: Option<u64>,
}

/// What APFS says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apfs {
    /// Bytes this volume uses of its container.
    pub volume: Option<u64>,
    /// The names of local snapshots.
    pub snapshots: Option<Vec<Vec<u8>>>,
}

/// A limit other than the size of the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes allowed.
    pub limit: u64,
    /// Bytes used of them.
    pub used: u64,
}

/// Asks the file system that is mounted as `mount`, at `path`.
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
/// Asks the file system that is mounted as `mount`, at `path`.
#[cfg(target_os = "macos")]
pub fn ask(mount: &Mount, path: &Path) -> Native {
    match mount.kind.as_slice() {
        b"apfs" => Native::Apfs(apfs::ask(path)),
        _ => Native::Silent,
    }
}
/// Nothing is known.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn ask(_: &Mount, _: &Path) -> Native {
    Native::Silent
}

/// The quota of the person who runs this on the file system `mount`, if there is one.
#[cfg(target_os = "linux")]
pub fn quota(mount: &Mount) -> Option<Quota> {
    quota::of_user(mount)
}
/// Not asked for here.
#[cfg(not(target_os = "linux"))]
pub fn quota(_: &Mount) -> Option<Quota> {
    None
}
