//! Ranges of a volume, and references from files to these ranges.

use crate::tree::Node;

/// Size in bytes of a sector, the unit of the lengths in references.
pub(super) const SECTOR: u64 = 512;
/// Maximum length of a reference, in sectors.
pub(super) const SECTORS: u32 = TRANSIENT - 1;
/// Bit that marks a reference that may disappear ([`Known::Transient`], [`Known::SomeTransient`]).
pub(super) const TRANSIENT: u32 = 1 << 29;
/// Bit that marks a reference to a range that may also have unknown references ([`Known::Some`],
/// [`Known::SomeTransient`]).
pub(super) const FLAGGED: u32 = 1 << 30;
/// Bit that marks a reference through any name of an inode except the first.
pub(super) const REPEATED: u32 = 1 << 31;

/// Completeness of the known references to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// All references are known.
    All,
    /// The file system reports that the range is shared, but not with which files.
    Some,
    /// All references are known, but this reference may disappear before its file is deleted. The file may have been
    /// overwritten with data that is not on the disk yet and will be stored elsewhere.
    Transient,
    /// The reference may disappear as for [`Known::Transient`], and others may be unknown as for [`Known::Some`].
    SomeTransient,
}

/// Range of bytes on a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeRange {
    /// Index of the volume, chosen by the caller of `ExclusiveSums::refer`. It is not a device number.
    pub volume: usize,
    /// Offset of the first byte.
    pub start: u64,
    /// Number of bytes, a multiple of 512.
    pub length: u64,
}

/// Reference from a node to a range of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    pub(super) start: u64,
    /// Length in sectors of [`SECTOR`] bytes, combined with the bits [`TRANSIENT`], [`FLAGGED`] and [`REPEATED`].
    pub(super) sectors: u32,
    pub(super) node: Node,
}

const _: () = assert!(size_of::<Reference>() == 16);

impl Reference {
    pub(super) fn order(&self) -> (u64, Node, u32) {
        (self.start, self.node, self.sectors)
    }

    pub(super) fn length(&self) -> u64 {
        u64::from(self.sectors & SECTORS) * SECTOR
    }

    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.length())
    }

    pub(super) fn is_flagged(&self) -> bool {
        self.sectors & FLAGGED != 0
    }

    pub(super) fn is_transient(&self) -> bool {
        self.sectors & TRANSIENT != 0
    }

    pub(super) fn is_repeated(&self) -> bool {
        self.sectors & REPEATED != 0
    }
}
