//! btrfs: usage of its block groups, and its subvolumes. Structures are those of linux/btrfs.h and
//! `linux/btrfs_tree.h`.

pub mod items;

/// Numbers that btrfs reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Btrfs {
    /// Block groups by purpose.
    pub chunks: Vec<BlockGroups>,
    /// All subvolumes except the first one; `None` without the permission to list them.
    pub subvolumes: Option<Vec<Subvolume>>,
}

/// Purpose of block groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Content of files.
    Data,
    /// Names, inodes, small files, checksums.
    Metadata,
    /// Data and metadata together, on small file systems.
    Mixed,
    /// Chunk tables.
    System,
    /// Part of the metadata that is reserved so that files can be deleted when the file system is full.
    Reserve,
}

/// All block groups with the same purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockGroups {
    /// Purpose of these block groups.
    pub purpose: Purpose,
    /// Capacity in bytes.
    pub size: u64,
    /// Number of used bytes.
    pub used: u64,
    /// Number of bytes on the disk for each stored byte.
    pub copies: u64,
}

/// Subvolume or snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subvolume {
    /// ID of the subvolume.
    pub id: u64,
    /// Path from the top of the file system, as far as it is known.
    pub path: Vec<u8>,
    /// `true` for a snapshot of another subvolume.
    pub is_snapshot: bool,
    /// `true` if the subvolume was deleted and its space is being freed.
    pub is_deleted: bool,
    /// Number of bytes that no other subvolume shares, if quotas count them.
    pub exclusive: Option<u64>,
}
