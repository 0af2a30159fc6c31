//! Extents of a file: space shared with a copy is not freed when only one of the two is deleted.
//!
//! Invariant: opens only regular files, for reading, without reading their content.

/// Ability of a file system to share space between files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Files do not share space, or the system cannot tell.
    Never,
    /// Files can share space, and [`layout`] reports it.
    Possible,
}

/// Layout of a file on the disk, as far as the system reports it. Bytes are those of the content, before
/// compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtentLayout {
    /// Bytes shared with no other file.
    pub private: u64,
    /// Disk usage in bytes that certainly belongs to this file alone. The system does not report the size of
    /// compressed data, so only one block of each extent counts; the same applies to data without a location
    /// yet, which may still be compressed.
    pub certain: u64,
    /// Bytes shared with copies or snapshots; always 0 on macOS, which reports only private bytes.
    pub shared: u64,
    /// Bytes stored compressed.
    pub compressed: u64,
    /// Bytes allocated but never written.
    pub unwritten: u64,
    /// Bytes without a location on the disk yet.
    pub delayed: u64,
    /// Number of pieces on the disk; `None` if the system does not report it.
    pub pieces: Option<u64>,
    /// `true` if there are more pieces than were read.
    pub is_cut_short: bool,
    /// Number shared by clones of one another, on macOS; `None` if the system does not report it.
    pub clone: Option<u64>,
}

pub use super::imp::{layout, sharing};
