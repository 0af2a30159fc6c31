//! Whether a scan reads a whole file system, and how much that holds: then there is a percentage.
//!
//! Knows no tree. Invariant: says nothing where a part is left out, or where it cannot be told.

use std::path::{Path, PathBuf};

use super::{Mounts, Options};
use crate::platform::attributes_of_path;
use crate::platform::capacity::capacity;

/// Bytes in use on the file system of the only root, if that is all of it and nothing else is read.
pub(super) fn expected(roots: &[PathBuf], options: &Options) -> Option<u64> {
    let [root] = roots else { return None };
    let is_all = options.mounts == Mounts::None && options.filter.is_empty() && !options.skip_caches;
    let used = (is_all && is_mount_point(root)).then(|| capacity(root).ok())??.used();
    (used > 0).then_some(used)
}

/// Whether another file system, or none, is above a directory.
fn is_mount_point(directory: &Path) -> bool {
    let (Ok(own), Ok(above)) = (attributes_of_path(directory), attributes_of_path(&directory.join("..")))
    else {
        return false;
    };
    own.device != above.device || own.inode == above.inode
}
