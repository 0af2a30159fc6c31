//! Opened snapshot.

use crate::formats::snapshot::info::SnapshotInfo;
use crate::tree::Tree;

/// Opened snapshot.
pub struct Snapshot {
    /// Tree of the snapshot.
    pub tree: Tree,
    /// Metadata of the snapshot.
    pub about: SnapshotInfo,
}
