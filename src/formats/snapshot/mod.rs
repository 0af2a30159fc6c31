//! Snapshots: trees in files, which can be viewed later and compared with a new scan.
//!
//! [`save`] writes a snapshot, and [`open`] returns its tree; docs/snapshot.md describes every byte. The tree stays in
//! the file, and its parts are loaded when they are shown (`tree::stored`), so even a large tree opens immediately.
//!
//! Invariant: input is untrusted. Reading returns a tree or one error with a byte offset, at a cost proportional to the
//! size of the file.

mod control;
mod file_order;
mod info;
pub(crate) mod layout;
mod merge;
mod opened;
mod write;
mod written;

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::base::os_error::cannot_read;
pub(crate) use crate::formats::snapshot::info::UNKNOWN_SCOPE;
pub use crate::formats::snapshot::info::{FileSystemInfo, PlanParts, RootOrigin, SnapshotInfo};
pub use crate::formats::snapshot::layout::MAGIC;
use crate::formats::snapshot::layout::{FOOTER, HEADER};
use crate::platform::memory::block_file::{Access, Block, BlockFile, Damage};
use crate::tree::{DirId, Tree};
pub use control::{WriteControl, WriteError};
pub use merge::Merge;
pub use opened::Snapshot;
pub use write::save;

/// Reason why a file cannot be opened as a snapshot or as a binary export.
#[derive(Debug)]
pub enum OpenError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is not in the expected format. Contains the name of that format.
    Foreign(&'static str),
    /// The file uses a later version of the format. Contains the version number.
    Later(u32),
    Damaged(Damage),
}

impl From<Damage> for OpenError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => formatter.write_str(&cannot_read(error)),
            Self::Foreign(format) => write!(formatter, "not a {format}"),
            Self::Later(version) => {
                write!(formatter, "written by a newer duke (snapshot format {version}); update duke")
            }
            Self::Damaged(damage) => write!(formatter, "{damage}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// Returns `true` if the file at `path` begins with [`MAGIC`]. Pipes and devices are not opened.
pub fn is_snapshot(path: &Path) -> bool {
    begins_with(path, MAGIC)
}

/// Returns `true` if the file at `path` begins with `magic`. Pipes and devices are not opened.
pub(crate) fn begins_with(path: &Path, magic: [u8; 8]) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|there| there.is_file());
    let mut head = [0; 8];
    is_file && fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == magic
}

/// Opens a snapshot. Reads only its index and its roots.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a snapshot, or is damaged in the parts that were read. Damage in
/// other parts is found when they are shown; see [`Tree::damage`] and [`Tree::verify`].
pub fn open(path: &Path) -> Result<Snapshot, OpenError> {
    open_by(path, None)
}

/// Opens a snapshot like [`open`], but with the given kind of file access.
///
/// # Errors
/// Returns the same errors as [`open`].
pub fn open_by(path: &Path, access: Option<Access>) -> Result<Snapshot, OpenError> {
    opened(BlockFile::open(path, access).map_err(OpenError::Unreadable)?)
}

/// Opens a snapshot in memory.
///
/// # Errors
/// Returns the same errors as [`open`].
pub fn open_bytes(bytes: Vec<u8>) -> Result<Snapshot, OpenError> {
    opened(BlockFile::of_bytes(bytes))
}

fn opened(file: BlockFile) -> Result<Snapshot, OpenError> {
    let length = file.length();
    let head = file.bytes(0, length.min(HEADER))?;
    if !head.starts_with(&MAGIC) {
        return Err(OpenError::Foreign("snapshot"));
    }
    let version = crate::formats::snapshot::layout::version(&head)?;
    if !(1..=crate::formats::snapshot::layout::VERSION).contains(&version) {
        return Err(OpenError::Later(version));
    }
    let last = length.checked_sub(FOOTER).filter(|last| *last >= HEADER);
    let last = last.ok_or_else(|| Damage::new(length, "the file is truncated here"))?;
    let index: Block = crate::formats::snapshot::layout::index_of(&file.bytes(last, FOOTER)?, last)?;
    let (plan, about) = crate::formats::snapshot::layout::decode_index(
        &file.read(index, crc32fast::hash)?,
        index.offset,
        version,
    )?;
    let tree = Tree::from_file(file, plan);
    tree.listing(DirId::TOP);
    match tree.damage() {
        None => Ok(Snapshot { tree, about }),
        Some(damage) => Err(damage.into()),
    }
}
