//! Directories that a scan lists but does not enter because of a plan (`duke plan`). A plan divides a tree into parts
//! for separate scans. A scan does not enter directories that belong to another part. A scan that creates a plan does
//! not enter directories below a given depth.
//!
//! Invariant: a directory is found by its whole path, never by its name alone.

use std::collections::{HashMap, HashSet};

use crate::base::absolute::split;
use crate::base::sync::Arc;
use crate::tree::{DirId, Tree};

/// Directories that a scan does not enter, because they belong to other parts of a plan or are deeper than `depth`.
#[derive(Clone, Debug, Default)]
pub struct OtherParts {
    /// Names of the directories that belong to other parts, keyed by their parent's path.
    names: Arc<HashMap<Vec<u8>, HashSet<Vec<u8>>>>,
    /// Level of the deepest directories to enter, where the roots have level 0. `None` if the depth is not limited.
    depth: Option<usize>,
}

impl OtherParts {
    /// Creates a set of directories from their absolute paths.
    pub fn at<'p>(paths: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut names: HashMap<Vec<u8>, HashSet<Vec<u8>>> = HashMap::new();
        for (parent, name) in paths.into_iter().filter_map(split) {
            names.entry(parent.to_vec()).or_default().insert(name.to_vec());
        }
        Self { names: Arc::new(names), depth: None }
    }

    /// Creates the set of all directories more than `depth` levels below the roots.
    pub fn below(depth: usize) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Returns `true` if the scan enters all directories.
    pub(crate) fn is_empty(&self) -> bool {
        self.depth.is_none() && self.names.is_empty()
    }

    /// Returns `true` if [`OtherParts::has`] needs the path of the parent directory.
    pub(crate) fn needs_paths(&self) -> bool {
        !self.names.is_empty()
    }

    /// Returns `true` if the scan must not enter the child `name` of the directory `id`, whose path is `path`.
    pub(crate) fn has(&self, tree: &Tree, id: DirId, path: &[u8], name: &[u8]) -> bool {
        self.depth.is_some_and(|depth| tree.ancestry(id).count() > depth)
            || self.names.get(path).is_some_and(|names| names.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_found_by_its_whole_path() {
        let tree = Tree::new();
        let parts = OtherParts::at([&b"/a/b"[..], b"/c"]);
        let has = |path: &[u8], name: &[u8]| parts.has(&tree, DirId::TOP, path, name);
        assert!(has(b"/a", b"b") && has(b"/", b"c"));
        assert!(!has(b"/", b"b") && !has(b"/a/a", b"b") && !has(b"/a", b"c"));
    }
}
