//! Expected size of a scan that reads a whole file system, used for the percentage on the screen.
//!
//! Invariant: there is no expected size if [`Options::filter`] or [`Options::skip_caches`] is set, or if the system
//! does not report the size.

use std::path::PathBuf;

use super::{Mounts, Options};
use crate::platform::fs::capacity::used;
use crate::platform::fs::mounts::is_whole;

/// Returns the number of bytes used on the file system that the scan reads; `None` if the number is unknown, or if the
/// scan does not read exactly one whole file system from a single root.
pub(crate) fn expected(roots: &[PathBuf], options: &Options) -> Option<u64> {
    let [root] = roots else { return None };
    let is_all = options.mounts == Mounts::None
        && options.filter.is_none()
        && !options.skip_caches
        && options.other_parts.is_empty();
    let used = (is_all && is_whole(root)).then(|| used(root).ok())??;
    (used > 0).then_some(used)
}
