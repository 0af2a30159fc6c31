//! Paths of the entries of a tree.

use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::tree::{DirId, Tree};

/// Converts bytes to a path.
pub fn path(bytes: Vec<u8>) -> PathBuf {
    std::ffi::OsString::from_vec(bytes).into()
}

/// Returns the path of a directory or, for the top of the tree, of the first root that is a directory. Returns `None`
/// if no root is a directory.
pub(crate) fn path_of(tree: &Tree, id: DirId) -> Option<PathBuf> {
    let first = || tree.listing(DirId::TOP).directories().next();
    let id = if id == DirId::TOP { first() } else { Some(id) };
    Some(path(tree.path(id?)))
}
