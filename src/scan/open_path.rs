//! Opens directories whose ancestors are not open.
//!
//! A directory stays open until its children have been opened relative to it. If too many directories are open, a
//! directory is closed as soon as it has been read. Its children are then opened one path component at a time from
//! their root, which is slower but always possible.
//!
//! Invariant: no symbolic link below the root is followed.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::shared::Shared;
use crate::platform::process::descriptors::wait_for_descriptors;
use crate::platform::{Directory, Errno};
use crate::tree::{DirId, Tree};

impl Shared {
    /// Opens a directory for listing, one path component at a time from its root.
    pub(crate) fn open_from_root(&self, id: DirId) -> Result<Directory, Errno> {
        match self.tree.parent(id) {
            None | Some(DirId::TOP) => reach(&self.tree, id),
            Some(parent) => {
                let parent = reach(&self.tree, parent)?;
                wait_for_descriptors(|| parent.open_child(self.tree.name(id)))
            }
        }
    }
}

/// Opens a directory from its root, one path component at a time, without following symbolic links below the root. On
/// Linux and macOS, search permission is enough for the directories below the root.
///
/// # Errors
/// Returns any error of openat(2), or `ENOENT` for [`DirId::TOP`], which has no path.
pub fn reach(tree: &Tree, id: DirId) -> Result<Directory, Errno> {
    let mut ancestry: Vec<DirId> = tree.ancestry(id).collect();
    let root = ancestry.pop().ok_or(Errno::ENOENT)?;
    let path = super::path(tree.name(root).to_vec());
    let mut directory = wait_for_descriptors(|| Directory::open(&path))?;
    while let Some(next) = ancestry.pop() {
        directory = wait_for_descriptors(|| directory.step_into(tree.name(next)))?;
    }
    Ok(directory)
}

/// Opens the parent directory of an entry and returns it with the entry's name. For a root that is a directory, returns
/// the root itself with the name `.`.
///
/// # Errors
/// Returns any error of [`reach`].
pub fn reach_entry(tree: &Tree, directory: DirId, name: &[u8]) -> Result<(Directory, CString), Errno> {
    let text = |name: &[u8]| CString::new(name).map_err(|_| Errno::EINVAL);
    if directory != DirId::TOP {
        return Ok((reach(tree, directory)?, text(name)?));
    }
    // A root is given as a path. If the path is a link to a directory, the root is that directory.
    let path = super::path(name.to_vec());
    match (Directory::open(&path), path.parent(), path.file_name()) {
        (Ok(root), ..) => Ok((root, text(b".")?)),
        (Err(_), Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            Ok((Directory::open(parent)?, text(name.as_bytes())?))
        }
        (Err(error), ..) => Err(error),
    }
}
