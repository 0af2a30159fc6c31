//! Tree and metadata of a snapshot that has been opened.

use crate::formats::snapshot::info::SnapshotInfo;
use crate::tree::Tree;

pub struct Snapshot {
    pub tree: Tree,
    pub about: SnapshotInfo,
}
