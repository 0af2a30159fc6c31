//! btrfs: use of its chunks, and its subvolumes. Structures as in linux/btrfs.h and `linux/btrfs_tree.h`.

pub mod items;

/// Numbers that btrfs reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Btrfs {
    /// Chunks by purpose.
    pub chunks: Vec<BlockGroups>,
    /// All subvolumes except the first; `None` without the permission to list them.
    pub subvolumes: Option<Vec<Subvolume>>,
}

/// Purpose of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Content of files.
    Data,
    /// Names, inodes, small files, checksums.
    Metadata,
    /// Data and metadata, on small file systems.
    Mixed,
    /// Chunk tables.
    System,
    /// Part of the metadata reserved so that deleting still works on a full file system.
    Reserve,
}

/// All chunks of one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockGroups {
    /// Purpose.
    pub purpose: Purpose,
    /// Capacity in bytes.
    pub size: u64,
    /// Used bytes.
    pub used: u64,
    /// Bytes of disk for each byte stored.
    pub copies: u64,
}

/// Subvolume or snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subvolume {
    /// ID.
    pub id: u64,
    /// Path from the top of the file system, as far as known.
    pub path: Vec<u8>,
    /// `true` for a snapshot of another subvolume.
    pub is_snapshot: bool,
    /// `true` if it was deleted and is being cleaned up.
    pub is_deleted: bool,
    /// Bytes that no other subvolume shares, if quotas count them.
    pub exclusive: Option<u64>,
}
