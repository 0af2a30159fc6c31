//! Extents of a file. If a file shares extents with a copy, deleting only one of the two does not free the
//! shared extents.
//!
//! Invariant: only regular files are opened, only for reading, and their content is not read.

/// Ability of a file system to share extents between files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Files do not share extents, or the system does not report it.
    Never,
    /// Files can share extents, and [`layout`] reports the shared bytes.
    Possible,
}

/// Layout of a file on the disk, as far as the system reports it. Sizes are those of the content before
/// compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtentLayout {
    /// Number of bytes that no other file shares.
    pub private: u64,
    /// Disk usage in bytes that certainly belongs to this file alone. The system does not report the size of
    /// compressed data, so each compressed extent counts as one block. The same applies to data without a
    /// location, which may be compressed later.
    pub certain: u64,
    /// Number of bytes that copies or snapshots share. Always 0 on macOS, which reports only private bytes.
    pub shared: u64,
    /// Number of bytes that are stored compressed.
    pub compressed: u64,
    /// Number of bytes that are allocated and were never written.
    pub unwritten: u64,
    /// Number of bytes that have no location on the disk yet.
    pub delayed: u64,
    /// Number of separate extents on the disk; `None` if the system does not report it.
    pub pieces: Option<u64>,
    /// `true` if the file has more extents than were read.
    pub is_cut_short: bool,
    /// Clone ID, which all clones of a file share, on macOS; `None` if the system does not report it.
    pub clone: Option<u64>,
}

pub use super::imp::{layout, sharing};
