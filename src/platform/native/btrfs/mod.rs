//! btrfs: how its chunks are used, and its subvolumes. Structures as in linux/btrfs.h and linux/btrfs_tree.h.

#[cfg(target_os = "linux")]
mod ask;
#[cfg(any(target_os = "linux", test))]
mod items;

#[cfg(target_os = "linux")]
pub(super) use ask::ask;

/// What btrfs says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Btrfs {
    /// Chunks by what they are for.
    pub chunks: Vec<Chunks>,
    /// All subvolumes but the first; none if that may not be asked.
    pub subvolumes: Option<Vec<Subvolume>>,
}

/// What chunks are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// What files hold.
    Data,
    /// Names, inodes, small files, checksums.
    Metadata,
    /// Both, on small file systems.
    Mixed,
    /// Where chunks are.
    System,
    /// Held back of the metadata, so that a full file system can still delete.
    Reserve,
}

/// All chunks of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// What they are for.
    pub purpose: Purpose,
    /// Bytes that can be put into them.
    pub size: u64,
    /// Bytes that were.
    pub used: u64,
    /// How many bytes of disk one byte takes.
    pub copies: u64,
}

/// A subvolume or snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subvolume {
    /// Its number.
    pub id: u64,
    /// Its path from the top of the file system, as far as it is known.
    pub path: Vec<u8>,
    /// Whether it is a snapshot of another one.
    pub is_snapshot: bool,
    /// Whether it was deleted and is being cleaned up.
    pub is_deleted: bool,
    /// Bytes that no other has, where quotas count them.
    pub exclusive: Option<u64>,
}
