//! Snapshots: a tree in a file, to be looked at later, and compared with what is there then.
//!
//! [`save`] writes one, [`open`] gives its tree back; docs/snapshot.md draws every byte. The tree stays in the file and comes into memory
//! where somebody looks at it (`tree::stored`), so that opening takes no time, however large it is.
//!
//! Knows no scan and no view. Invariant: what is read was written by anybody: it gives a tree or one error that says at
//! which byte, and costs no more than its size.

pub mod automatic;
mod format;
mod write;

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::platform::blocks::{Access, Block, BlockFile, Damage};
use crate::platform::words;
use crate::tree::{DirId, Tree};
pub use automatic::latest_for;
pub use format::MAGIC;
use format::{FOOTER, HEADER};
pub use write::{Limits, Unsaved, save};

/// What a snapshot says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// When it was scanned, in seconds since 1970.
    pub scanned_at: i64,
    /// The machine; empty where it is not known.
    pub host: Vec<u8>,
    /// What was left out on purpose, as the flags that ask for it; empty for nothing. Snapshots of another scope say little about growth.
    pub scope: Vec<u8>,
}

/// A snapshot that was opened.
pub struct Snapshot {
    /// Its tree.
    pub tree: Tree,
    /// What it says of itself.
    pub about: About,
}

/// Why a file cannot be opened as a snapshot.
#[derive(Debug)]
pub enum Unopened {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is something else.
    Foreign,
    /// It was written by a later version of the program, in this version of the format.
    Later(u32),
    /// It is damaged.
    Damaged(Damage),
}

impl From<Damage> for Unopened {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

impl fmt::Display for Unopened {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => formatter.write_str(&words(error)),
            Self::Foreign => formatter.write_str("not a snapshot"),
            Self::Later(version) => {
                write!(formatter, "a snapshot of version {version}, which is later than this program")
            }
            Self::Damaged(damage) => write!(formatter, "{damage}"),
        }
    }
}

impl std::error::Error for Unopened {}

/// Whether there is a snapshot at `path`, going by its first bytes. Pipes and devices are not touched.
pub fn is_snapshot(path: &Path) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|there| there.is_file());
    let mut head = [0; MAGIC.len()];
    is_file && fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == MAGIC
}

/// Opens a snapshot. Reads its index, its roots, and nothing else.
///
/// # Errors
/// When it cannot be read, is none, or is damaged where it was read. What is damaged elsewhere is met when it is
/// looked at: see [`Tree::damage`] and [`Tree::verify`].
pub fn open(path: &Path) -> Result<Snapshot, Unopened> {
    open_by(path, None)
}

/// As [`open`], but the bytes come into memory in this way.
///
/// # Errors
/// As [`open`].
pub fn open_by(path: &Path, access: Option<Access>) -> Result<Snapshot, Unopened> {
    let file = BlockFile::open(path, access).map_err(Unopened::Unreadable)?;
    let length = file.length();
    let head = file.bytes(0, length.min(HEADER))?;
    if !head.starts_with(&MAGIC) {
        return Err(Unopened::Foreign);
    }
    let version = format::version(&head)?;
    if version != format::VERSION {
        return Err(Unopened::Later(version));
    }
    let last = length.checked_sub(FOOTER).filter(|last| *last >= HEADER);
    let last = last.ok_or_else(|| Damage::new(length, "the file is cut off here"))?;
    let index: Block = format::index_of(&file.bytes(last, FOOTER)?, last)?;
    let (plan, about) = format::decode_index(&file.read(index)?, index.offset)?;
    let tree = Tree::from_file(file, plan);
    tree.listing(DirId::TOP);
    match tree.damage() {
        None => Ok(Snapshot { tree, about }),
        Some(damage) => Err(damage.into()),
    }
}
