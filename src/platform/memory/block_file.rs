//! File that is read one block at a time, on first use. Each block has a checksum.
//!
//! A file is accessed in one of two ways. *Read*: a block is copied into memory, so later changes to the file have no
//! effect, and truncation is an ordinary error. *Mapped*: the system decides which parts are in memory, so the file may
//! be larger than memory. However, access to a truncated part ends the process with SIGBUS, and later writes to the
//! file become visible. [`Access::for_length`] maps only files that do not easily fit into memory. The content of a
//! pipe is kept in memory.
//!
//! Invariant: a block is returned only after its checksum has been verified. [`BlockFile::bytes`] is for data that is
//! verified in another way.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::ops::{Deref, Range};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::mapping::MappedFile;
use crate::base::sync::Arc;
use crate::platform::Errno;

/// Method of reading the blocks of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Blocks are copied with pread(2).
    Read,
    /// The file is mapped with mmap(2).
    Mapped,
}

/// Open file that is read one block at a time, or the content of a pipe.
#[derive(Debug)]
pub struct BlockFile {
    length: u64,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Read(File),
    Mapped(File, Arc<MappedFile>),
    /// Content of a pipe, which is kept in memory.
    Memory(Vec<u8>),
}

/// Position, length and checksum of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Position in the file.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    pub checksum: u32,
}

/// Damage at a position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Position in bytes from the start of the file.
    pub offset: u64,
    pub reason: String,
}

impl Damage {
    pub fn new(offset: u64, reason: impl Into<String>) -> Self {
        Self { offset, reason: reason.into() }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "byte {}: {}", self.offset, self.reason)
    }
}

impl std::error::Error for Damage {}

/// Bytes in memory or in a mapped file.
#[derive(Debug)]
pub enum Bytes {
    /// Bytes in their own heap allocation.
    Own(Box<[u8]>),
    /// Range of a mapped file.
    Mapped(Arc<MappedFile>, Range<usize>),
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Own(bytes.into())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Mapped(mapping, range) => mapping.get(range.clone()).unwrap_or_default(),
        }
    }
}

impl Access {
    /// Returns [`Access::Read`] for files of at most an eighth of the machine's memory, otherwise [`Access::Mapped`].
    pub fn for_length(length: u64) -> Self {
        // `libc` is used, because `nix` does not define `_SC_PHYS_PAGES` on macOS.
        let memory = ask(libc::_SC_PHYS_PAGES).zip(ask(libc::_SC_PAGESIZE));
        // If the system does not report how much memory the machine has, a small amount (1 GiB) is assumed.
        let memory = memory.map_or(1 << 30, |(pages, size)| pages.saturating_mul(size));
        if length <= memory / 8 { Self::Read } else { Self::Mapped }
    }
}

/// Returns the value of a sysconf(3) variable, or `None` if the system does not report it.
#[allow(unsafe_code)]
fn ask(variable: libc::c_int) -> Option<u64> {
    // SAFETY: the call accepts any number, and accesses no memory of this process.
    u64::try_from(unsafe { libc::sysconf(variable) }).ok()
}

impl BlockFile {
    /// Opens a regular file. If `access` is `None`, uses the result of [`Access::for_length`].
    ///
    /// # Errors
    /// Returns any error of open(2) and mmap(2), or an error if `path` is not a regular file.
    pub fn open(path: &Path, access: Option<Access>) -> io::Result<Self> {
        // The file type is checked first, because opening a pipe would be noticed by the process at its other end.
        length_of_file(&std::fs::metadata(path)?)?;
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        let length = length_of_file(&file.metadata()?)?;
        let access = access.unwrap_or_else(|| Access::for_length(length));
        let content = match access {
            Access::Read => Content::Read(file),
            Access::Mapped => {
                let mapping = Arc::new(map(&file, length)?);
                Content::Mapped(file, mapping)
            }
        };
        Ok(Self { length, content })
    }

    /// Creates a block file whose content is in memory.
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        Self { length: bytes.len() as u64, content: Content::Memory(bytes) }
    }

    /// Returns the length in bytes that the file had when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads a block, verifies it with the function `checksum`, and returns its bytes.
    ///
    /// # Errors
    /// Returns an error if the block cannot be read, is outside the file, or has a different checksum.
    pub fn read(&self, block: Block, checksum: fn(&[u8]) -> u32) -> Result<Bytes, Damage> {
        let bytes = self.bytes(block.offset, block.length)?;
        if checksum(&bytes) != block.checksum {
            return Err(Damage::new(block.offset, "wrong checksum"));
        }
        Ok(bytes)
    }

    /// Returns bytes without verifying them, for data that is verified in another way.
    ///
    /// # Errors
    /// Returns an error if the bytes cannot be read or are outside the file.
    pub fn bytes(&self, offset: u64, length: u64) -> Result<Bytes, Damage> {
        let cut_off = || Damage::new(self.length, "the file is truncated here");
        let end = offset.checked_add(length).filter(|end| *end <= self.length).ok_or_else(cut_off)?;
        let index = |index| usize::try_from(index).map_err(|_| cut_off());
        let unreadable = |error| Damage::new(offset, reason(&error));
        match &self.content {
            Content::Read(file) => {
                let mut bytes = vec![0; index(length)?];
                file.read_exact_at(&mut bytes, offset).map_err(unreadable)?;
                Ok(bytes.into())
            }
            Content::Mapped(file, mapping) => {
                let now = file.metadata().map_err(unreadable)?.len();
                if now < self.length {
                    return Err(Damage::new(now, "the file is truncated here"));
                }
                Ok(Bytes::Mapped(Arc::clone(mapping), index(offset)?..index(end)?))
            }
            Content::Memory(bytes) => Ok(bytes[index(offset)?..index(end)?].to_vec().into()),
        }
    }
}

fn length_of_file(there: &Metadata) -> io::Result<u64> {
    if there.is_dir() {
        return Err(Errno::EISDIR.into());
    }
    if there.is_file() {
        Ok(there.len())
    } else {
        Err(io::Error::new(ErrorKind::Unsupported, "not a regular file"))
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "the file is truncated".to_owned(),
        _ => crate::base::os_error::io_error_text(error),
    }
}

#[allow(unsafe_code)]
fn map(file: &File, length: u64) -> io::Result<MappedFile> {
    let length = usize::try_from(length).map_err(|_| Errno::EOVERFLOW)?;
    // SAFETY: the mapping is only read. No program can prevent another process from changing or truncating the file,
    // but duke writes a snapshot to a new file and never changes an existing one. Decoding checks its input at every
    // step, so changed bytes at worst produce wrong entries. Access to a truncated part ends the process.
    unsafe { MappedFile::new(file, length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_fit_into_memory_are_read() {
        assert_eq!(Access::for_length(0), Access::Read);
        assert_eq!(Access::for_length(1 << 20), Access::Read);
        assert_eq!(Access::for_length(u64::MAX), Access::Mapped);
    }
}
