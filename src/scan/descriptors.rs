//! Opening a directory when nothing above it is open any more.
//!
//! A directory stays open while its children wait to be opened relative to it. When too many are open, a directory is
//! closed once it was read, and its children are opened name by name from their root: slower, and always possible.
//!
//! Invariant: below the root no symbolic link is followed.

use super::Shared;
use crate::platform::descriptors::wait_for_descriptors;
use crate::platform::{Directory, Errno};
use crate::tree::DirId;

impl Shared {
    /// Opens a directory name by name from its root.
    pub(super) fn open_from_root(&self, id: DirId) -> Result<Directory, Errno> {
        let tree = &self.tree;
        let mut ancestry: Vec<DirId> = tree.ancestry(id).collect();
        let root = ancestry.pop().ok_or(Errno::ENOENT)?;
        let path = super::path(tree.name(root).to_vec());
        let mut directory = wait_for_descriptors(|| Directory::open(&path))?;
        while let Some(next) = ancestry.pop() {
            let name = tree.name(next);
            directory = wait_for_descriptors(|| {
                if ancestry.is_empty() { directory.open_child(name) } else { directory.step_into(name) }
            })?;
        }
        Ok(directory)
    }
}
