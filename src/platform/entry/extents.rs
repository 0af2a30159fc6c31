//! Extents of a file. If two files share extents, deleting only one of them does not free the shared extents.
//!
//! Invariant: only regular files are opened, and their contents are neither read nor changed.

/// Support for shared extents on a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Files do not share extents, or the system does not report shared extents.
    Never,
    /// Files can share extents, and [`layout`] reports the number of bytes not shared.
    Possible,
}

/// Layout of a file on disk, as far as the system reports it. Sizes refer to uncompressed data unless stated otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtentLayout {
    /// Number of bytes not shared with any other file.
    pub private: u64,
    /// Minimum number of bytes on disk that belong to this file alone. The system does not report the compressed size
    /// of data, so each compressed extent counts as one block. A delayed extent, which has no location on disk yet,
    /// also counts as one block, because it may be compressed when it is written.
    pub certain: u64,
    /// Number of bytes shared with copies or snapshots. Always 0 on macOS, which reports only private bytes.
    pub shared: u64,
    /// Number of bytes that are stored in compressed form, counted before compression.
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

/// Reference from a file to an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtentReference {
    /// Data at a known location.
    Located {
        /// Offset of the data on the volume, in bytes.
        start: u64,
        /// Number of bytes; for compressed data, the smallest size that it can have on the volume.
        length: u64,
        /// `true` if the file system reports that the data is shared.
        is_shared: bool,
        /// `true` if the data is compressed; its size on the volume is then unknown.
        is_compressed: bool,
    },
    /// Data whose location is unknown, for example because it has not been written to disk yet.
    Unlocated {
        /// Number of bytes.
        length: u64,
    },
    /// Data stored in the file system's metadata.
    Inline,
}

/// Volume whose file system reports shared extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtentVolume {
    /// Identity of the volume, the same for all of its subvolumes.
    pub id: u64,
    /// `true` if deleting files never frees more bytes than their reported extents contain.
    pub is_bounded: bool,
    /// Number of inodes in use on the volume; 0 if the file system does not report it.
    pub inodes: u64,
}

pub use super::imp::{layout, sharing, volume};
