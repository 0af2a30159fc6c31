//! btrfs: subvolumes, and the usage of block groups. The structures are defined in linux/btrfs.h and
//! `linux/btrfs_tree.h`.

pub mod items;

pub use crate::platform::fs::imp::btrfs::{
    block_groups, extents, has_unwritten_data, readable, readable_subvolume, subvolumes,
};

/// ID of the top-level subvolume, which contains all others.
pub const TOP_LEVEL: u64 = 5;

/// Space usage and subvolumes that btrfs reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Btrfs {
    /// Block groups by purpose.
    pub chunks: Vec<BlockGroups>,
    /// All subvolumes except the top-level one; `None` if this process may not list them.
    pub subvolumes: Option<Vec<Subvolume>>,
}

/// Purpose of a block group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Contents of files.
    Data,
    /// Names, inodes, small files and checksums.
    Metadata,
    /// Data and metadata together, on small file systems.
    Mixed,
    /// Chunk tree, which maps logical addresses to devices.
    System,
    /// Metadata space reserved so that files can be deleted when the file system is full.
    Reserve,
}

/// All block groups with the same purpose and RAID profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockGroups {
    pub purpose: Purpose,
    /// Capacity in bytes.
    pub size: u64,
    /// Number of used bytes.
    pub used: u64,
    /// Number of bytes on disk per stored byte.
    pub copies: u64,
}

/// Returns the number of bytes used in data block groups. Returns `None` if some block groups hold both data and
/// metadata, because btrfs reports only the sum for these block groups.
pub fn used_data(groups: &[BlockGroups]) -> Option<u64> {
    let is_mixed = groups.iter().any(|group| group.purpose == Purpose::Mixed);
    let data = groups.iter().filter(|group| group.purpose == Purpose::Data).map(|group| group.used);
    (!is_mixed).then(|| data.fold(0, u64::saturating_add))
}

/// Subvolume of a btrfs file system. A subvolume can be a btrfs snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subvolume {
    pub id: u64,
    /// Path from the top of the file system. Parts that could not be looked up are missing.
    pub path: Vec<u8>,
    /// UUID of the subvolume from which this btrfs snapshot was made; `None` if this subvolume is not a btrfs snapshot.
    pub parent: Option<[u8; 16]>,
    /// Number of the transaction that created the subvolume.
    pub created: u64,
    /// `true` for a read-only subvolume that has not changed since it was created.
    pub is_unchanged: bool,
    /// `true` if the subvolume was deleted and its space is being freed.
    pub is_deleted: bool,
    /// Number of bytes not shared with any other subvolume, if quotas are enabled.
    pub exclusive: Option<u64>,
}

impl Subvolume {
    pub fn is_top_level(&self) -> bool {
        self.id == TOP_LEVEL
    }

    pub fn is_snapshot(&self) -> bool {
        self.parent.is_some()
    }
}
