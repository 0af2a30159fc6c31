//! File-system overhead: space that the file system uses for itself, and the df number that includes it.
//!
//! Invariant: each part is counted in only one of df's numbers.

use crate::platform::fs::capacity::Capacity;
use crate::platform::fs::overhead::btrfs::{BlockGroups, Btrfs, Purpose};
use crate::platform::fs::overhead::ext::Superblock;
use crate::platform::fs::overhead::{Native, Xfs};

/// Space used for something other than files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    pub kind: OverheadKind,
    /// Size in bytes, directly comparable with df's numbers.
    pub bytes: u64,
    pub counted: CountedAs,
}

/// Figure printed by df that includes an overhead, if any. An overhead can also be part of another overhead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedAs {
    /// Included in the used space.
    Used,
    /// Not included in the size that df reports for the file system.
    Beside,
    /// Included in the free space, but not in the available space.
    Reserved,
    /// Included in the bytes of [`OverheadKind::Structures`].
    Within,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverheadKind {
    /// Inode tables, bitmaps and the journal together (ext4).
    Structures,
    /// Journal (ext4, included in [`Self::Structures`]) or log (XFS).
    Journal,
    /// Reserved for root (ext4).
    ForRoot,
    /// Reserved by the kernel for delayed writes (ext4).
    ForWriting,
    /// Inodes, including unused ones (XFS).
    Inodes,
    /// Reserve pool for the file system's own operations (XFS).
    Pool,
    /// Names, inodes, small files and checksums (btrfs).
    Metadata,
    /// System block groups, which hold the chunk tree. The chunk tree maps logical addresses to devices (btrfs).
    ChunkTree,
    /// Reserve that makes it possible to delete files when the file system is full (btrfs).
    Reserve,
    /// Other volumes in the same container (APFS).
    OtherVolumes,
}

impl OverheadKind {
    pub const ALL: [Self; 10] = [
        Self::Structures,
        Self::Journal,
        Self::ForRoot,
        Self::ForWriting,
        Self::Inodes,
        Self::Pool,
        Self::Metadata,
        Self::ChunkTree,
        Self::Reserve,
        Self::OtherVolumes,
    ];

    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Structures => "structures",
            Self::Journal => "journal",
            Self::ForRoot => "for_root",
            Self::ForWriting => "for_writing",
            Self::Inodes => "inodes",
            Self::Pool => "pool",
            Self::Metadata => "metadata",
            Self::ChunkTree => "chunks",
            Self::Reserve => "reserve",
            Self::OtherVolumes => "other_volumes",
        }
    }
}

/// Returns the overhead of a file system, with one element for each kind that the file system reports.
pub fn parts(native: &Native, capacity: &Capacity) -> Vec<Overhead> {
    match native {
        Native::Ext { superblock, delayed_write_reserve } => {
            ext(superblock, *delayed_write_reserve, capacity)
        }
        Native::Xfs(xfs) => self::xfs(xfs),
        Native::Btrfs(btrfs) => self::btrfs(btrfs),
        Native::Apfs(apfs) => {
            let others = apfs.volumes.map(|own| capacity.used().saturating_sub(own));
            others
                .map(|bytes| Overhead { kind: OverheadKind::OtherVolumes, bytes, counted: CountedAs::Used })
                .into_iter()
                .collect()
        }
        Native::Refused(_) | Native::Silent => Vec::new(),
    }
}

/// Returns the overhead of an ext file system. The size that df reports does not include the file system's own
/// structures, unless the mount option `minixdf` is set.
fn ext(superblock: &Superblock, delayed_write_reserve: Option<u64>, capacity: &Capacity) -> Vec<Overhead> {
    let beside = superblock.whole.saturating_sub(capacity.size);
    let structures = match superblock.overhead {
        _ if beside > 0 => Some((beside, CountedAs::Beside)),
        overhead => overhead.map(|overhead| (overhead, CountedAs::Used)),
    };
    let structures =
        structures.map(|(bytes, counted)| Overhead { kind: OverheadKind::Structures, bytes, counted });
    let journal = superblock.journal.map(|bytes| Overhead {
        kind: OverheadKind::Journal,
        bytes,
        counted: CountedAs::Within,
    });
    let reserved = |kind, bytes| Overhead { kind, bytes, counted: CountedAs::Reserved };
    let for_root = reserved(OverheadKind::ForRoot, superblock.reserved);
    let for_writing = delayed_write_reserve
        .map(|count| reserved(OverheadKind::ForWriting, count.saturating_mul(superblock.cluster)));
    structures.into_iter().chain(journal).chain([for_root]).chain(for_writing).collect()
}

fn xfs(xfs: &Xfs) -> Vec<Overhead> {
    let part = |kind, bytes: Option<u64>, counted| bytes.map(|bytes| Overhead { kind, bytes, counted });
    [
        part(OverheadKind::Journal, xfs.log, CountedAs::Beside),
        part(OverheadKind::Inodes, xfs.inodes, CountedAs::Used),
        part(OverheadKind::Pool, xfs.pool, CountedAs::Used),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the overhead of btrfs. The bytes used on disk are divided by the number of copies of file data, as in the
/// kernel's `btrfs_statfs`.
fn btrfs(btrfs: &Btrfs) -> Vec<Overhead> {
    let is_data = |chunks: &&BlockGroups| matches!(chunks.purpose, Purpose::Data | Purpose::Mixed);
    let factor = btrfs.chunks.iter().filter(is_data).map(|chunks| chunks.copies).max().unwrap_or(1).max(1);
    let of = |purpose: Purpose| btrfs.chunks.iter().filter(move |chunks| chunks.purpose == purpose);
    let used = |purpose| {
        let disk: u64 = of(purpose).map(|chunks| chunks.used.saturating_mul(chunks.copies)).sum();
        disk / factor
    };
    let reserve = of(Purpose::Reserve).map(|chunks| chunks.size).sum();
    let part = |kind, bytes| Overhead { kind, bytes, counted: CountedAs::Used };
    vec![
        part(OverheadKind::Metadata, used(Purpose::Metadata)),
        part(OverheadKind::ChunkTree, used(Purpose::System)),
        part(OverheadKind::Reserve, reserve),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ext_parts(whole: u64, size: u64, overhead: Option<u64>) -> Vec<(OverheadKind, u64, CountedAs)> {
        let superblock = Superblock { whole, overhead, reserved: 3, cluster: 4, journal: Some(5) };
        let capacity = Capacity { size, ..Capacity::default() };
        let parts = parts(&Native::Ext { superblock, delayed_write_reserve: Some(2) }, &capacity);
        parts.iter().map(|part| (part.kind, part.bytes, part.counted)).collect()
    }

    #[test]
    fn ext_tables_are_outside_the_size_or_part_of_used() {
        let rest = [
            (OverheadKind::Journal, 5, CountedAs::Within),
            (OverheadKind::ForRoot, 3, CountedAs::Reserved),
            (OverheadKind::ForWriting, 8, CountedAs::Reserved),
        ];
        let first = |parts: Vec<_>| (parts[0], parts[1..].to_vec());
        let beside = (OverheadKind::Structures, 10, CountedAs::Beside);
        assert_eq!(first(ext_parts(100, 90, Some(9))), (beside, rest.to_vec()));
        let used = (OverheadKind::Structures, 9, CountedAs::Used);
        assert_eq!(first(ext_parts(100, 100, Some(9))), (used, rest.to_vec()));
        assert_eq!(ext_parts(100, 100, None), rest);
    }

    #[test]
    fn copies_count_as_df_counts_them() {
        let chunks = |purpose, used, copies| BlockGroups { purpose, size: used * 2, used, copies };
        let with = |copies| Btrfs {
            chunks: vec![
                chunks(Purpose::Data, 1000, copies),
                chunks(Purpose::Metadata, 100, 2),
                chunks(Purpose::System, 10, 2),
                chunks(Purpose::Reserve, 7, 1),
            ],
            subvolumes: None,
        };
        let bytes = |btrfs| {
            parts(&Native::Btrfs(btrfs), &Capacity::default())
                .iter()
                .map(|part| part.bytes)
                .collect::<Vec<_>>()
        };
        assert_eq!(bytes(with(1)), [200, 20, 14], "one copy of data, two of metadata");
        assert_eq!(bytes(with(2)), [100, 10, 14], "df divides all by the copies of data");
    }
}
