//! Overhead of a file system, based on the numbers that the file system reports in addition to statvfs(3).
//!
//! | type | source |
//! |---|---|
//! | ext2, ext3, ext4 | the superblock on the device, if duke may read it; `/sys/fs/ext4` |
//! | XFS | `XFS_IOC_FSGEOMETRY_V1`, `XFS_IOC_FSCOUNTS`, `XFS_IOC_GET_RESBLKS`, `FS_IOC_GETFSMAP` |
//! | btrfs | `BTRFS_IOC_SPACE_INFO`, `BTRFS_IOC_TREE_SEARCH_V2` |
//! | APFS | `getattrlist(2)`, `fs_snapshot_list(2)` |
//!
//! Invariant: a number that this process cannot read is `None`, never 0.

pub mod btrfs;
pub mod ext;
pub mod xfs;

use crate::platform::Errno;

pub use super::imp::{ask, quota};

/// Information that a file system reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(dead_code)] // each system constructs only some variants
pub enum Native {
    Ext {
        superblock: ext::Superblock,
        /// Number of clusters that the kernel reserves for delayed writes, if /sys reports it.
        delayed_write_reserve: Option<u64>,
    },
    Xfs(Xfs),
    Btrfs(btrfs::Btrfs),
    Apfs(Apfs),
    /// The request failed with this error.
    Refused(Errno),
    /// File systems of this type report nothing beyond what statvfs(3) returns.
    Silent,
}

/// Reference from a file to an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileExtent {
    /// Inode number of the file. On btrfs, it is unique only within the subvolume.
    pub inode: u64,
    /// Position of the extent on the volume, the same for all files that refer to it.
    pub start: u64,
    /// Size on disk in bytes. On btrfs, this is the size of the whole extent, even if the file refers to only part of
    /// it. The size is 0 if the file's contents are stored in the metadata.
    pub length: u64,
    /// Number of bytes that this reference contributes to the file's disk usage; [`u64::MAX`] for the whole disk usage.
    pub accounts_for: u64,
}

/// Sizes that XFS reports, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xfs {
    /// Size of the log, if it is on the same device as the data. df does not count the log.
    pub log: Option<u64>,
    /// Total size of the allocated inodes, used or free.
    pub inodes: Option<u64>,
    /// Size of the reserve pool for the file system's own operations, counted as used; only root can read this size.
    pub pool: Option<u64>,
}

/// Space usage and file-system snapshots that APFS reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apfs {
    /// Number of bytes that the scanned volumes use in their container; `None` if a volume does not report its usage.
    pub volumes: Option<u64>,
    /// Names of the local file-system snapshots of the scanned volumes; `None` if they cannot be read.
    pub snapshots: Option<Vec<Vec<u8>>>,
}

/// Limit on the disk space that one user may use on a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Limit on the user's disk space, in bytes.
    pub limit: u64,
    /// Number of bytes on the file system that count toward this limit.
    pub used: u64,
}
