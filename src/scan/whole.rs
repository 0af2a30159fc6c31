//! Whether a scan reads a whole file system, and how much that holds: then there is a percentage.
//!
//! Knows no tree. Invariant: says nothing where a part is left out, or where it cannot be told.

use std::path::PathBuf;

use super::{Mounts, Options};
use crate::platform::capacity::capacity;
use crate::platform::mounts::is_whole;

/// Bytes in use on the file system of the only root, if that is all of it and nothing else is read.
pub(super) fn expected(roots: &[PathBuf], options: &Options) -> Option<u64> {
    let [root] = roots else { return None };
    let is_all = options.mounts == Mounts::None && options.filter.is_empty() && !options.skip_caches;
    let used = (is_all && is_whole(root)).then(|| capacity(root).ok())??.used();
    (used > 0).then_some(used)
}
