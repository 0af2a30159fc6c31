//! Extents of a file. If two files share extents, deleting only one of them does not free the shared extents.
//!
//! Invariant: only regular files are opened, only for reading, and their contents are not read.

/// Support for shared extents on a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Files do not share extents, or the system does not report shared extents.
    Never,
    /// Files can share extents, and [`layout`] reports the shared bytes.
    Possible,
}

/// Layout of a file on disk, to the extent that the system reports it. All sizes are sizes before compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtentLayout {
    /// Number of bytes not shared with any other file.
    pub private: u64,
    /// Minimum number of bytes on disk that belong to this file alone. The system does not report the compressed size
    /// of data, so each compressed extent counts as one block. An extent without a location also counts as one block,
    /// because it may be compressed later.
    pub certain: u64,
    /// Number of bytes shared with copies or snapshots. Always 0 on macOS, which reports only private bytes.
    pub shared: u64,
    /// Number of bytes that are stored compressed.
    pub compressed: u64,
    /// Number of bytes that are allocated but have never been written.
    pub unwritten: u64,
    /// Number of bytes that have no location on disk yet.
    pub delayed: u64,
    /// Number of separate extents on disk; `None` if the system does not report it.
    pub pieces: Option<u64>,
    /// `true` if the file has more extents than were read.
    pub is_cut_short: bool,
    /// Clone ID on macOS, which is the same for all clones of a file; `None` if the system does not report it.
    pub clone: Option<u64>,
}

/// Extent as a file refers to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtentReference {
    /// Data at a known location.
    Located {
        /// First byte on the volume.
        start: u64,
        /// Number of bytes; for compressed data, the least that it can take.
        length: u64,
        /// `true` if the file system reports that the data is shared.
        is_shared: bool,
        /// `true` if the data is compressed, so that its size on the volume is unknown.
        is_compressed: bool,
    },
    /// Data without a location, because it has not been written to disk yet.
    Unlocated {
        /// Number of bytes.
        length: u64,
    },
    /// Data inside the metadata of the file system.
    Inline,
}

/// Volume whose file systems report shared extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtentVolume {
    /// Identity of the volume, common to all of its subvolumes.
    pub id: u64,
    /// `true` if deleting files never frees more than the extents that they refer to.
    pub is_bounded: bool,
}

pub use super::imp::{layout, sharing, volume};
