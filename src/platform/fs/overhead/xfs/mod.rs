//! XFS: the files that own each range of a volume.

use super::FileExtent;

pub use crate::platform::fs::imp::space_map::{extents, has_owners};

/// Range of a volume that belongs to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnedExtent {
    /// Reference from the file to the range: inode number, start and length.
    pub extent: FileExtent,
    /// Offset of the range in the contents of the file; `None` if the range contains something else, such as extended
    /// attributes.
    pub offset: Option<u64>,
    /// `true` if other files may refer to the same range.
    pub is_shared: bool,
}
