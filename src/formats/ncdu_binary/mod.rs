//! ncdu's binary export ("EX1"), which can be browsed without loading it completely.
//!
//! [`open`] returns a tree that is loaded from the file one directory at a time (`tree::stored::chained`), and
//! [`write()`] writes a tree to a file. `layout` and `item` describe the format.
//!
//! Invariant: input is untrusted. Reading returns a tree or one error that names the damaged item, at a cost
//! proportional to the size of the file.

mod block_size;
mod blocks;
mod cbor;
mod item;
mod kept_blocks;
mod layout;
mod write;

use std::path::Path;

use crate::formats::snapshot::{OpenError, begins_with};
use crate::platform::memory::block_file::{Access, BlockFile};
use crate::tree::{Devices, DirId, StorageClasses, Tree};
pub use block_size::BlockSize;
use blocks::Blocks;
pub use layout::MAGIC;
pub use write::write;

/// Returns `true` if the file at `path` begins with [`MAGIC`]. Pipes and devices are not opened.
pub fn is_binary_export(path: &Path) -> bool {
    begins_with(path, MAGIC)
}

/// Opens a binary export. Reads only its index and its root.
///
/// # Errors
/// Returns an error if the file cannot be read, is not in this format, or is damaged in the parts that were read.
/// Damage in other parts is found when those parts are read; see [`Tree::damage`] and [`Tree::verify`].
pub fn open(path: &Path) -> Result<Tree, OpenError> {
    open_by(path, None)
}

/// Opens a binary export like [`open`], but with the given kind of file access.
///
/// # Errors
/// Returns the same errors as [`open`].
pub fn open_by(path: &Path, access: Option<Access>) -> Result<Tree, OpenError> {
    let blocks = Blocks::open(BlockFile::open(path, access).map_err(OpenError::Unreadable)?)?;
    let root = blocks.root();
    let tree = Tree::from_chains(Box::new(blocks), Devices::default(), StorageClasses::default(), root);
    tree.listing(DirId::TOP);
    match tree.damage() {
        None => Ok(tree),
        Some(damage) => Err(damage.into()),
    }
}
