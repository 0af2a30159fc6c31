//! A file that is read block by block, each with a checksum, when first asked for.
//!
//! There are two ways to have a block. *Read*, it is copied into memory: whatever happens to the file then, nothing happens
//! to the bytes, and a file that is cut off meanwhile is an error like any other. *Mapped*, it stays the system's to keep in
//! memory or not, so the file may be larger than the memory; but a mapped file that somebody cuts off ends the process
//! with SIGBUS when what is gone is looked at, and one that somebody writes into changes under the reader. [`Access::for_length`]
//! says which it is: mapped are only files that would not comfortably fit into memory.
//!
//! Knows nothing of what the bytes mean. Invariant: a block is handed out only after its checksum was right; what is asked for without
//! one ([`BlockFile::bytes`]) is for who can tell by the bytes themselves.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::ops::{Deref, Range};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use memmap2::Mmap;

use super::Errno;
use crate::sync::Arc;

/// How the bytes of a file come into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Copied by pread(2).
    Read,
    /// By mmap(2).
    Mapped,
}

/// A file of blocks.
#[derive(Debug)]
pub struct BlockFile {
    file: File,
    length: u64,
    mapping: Option<Arc<Mmap>>,
}

/// A block of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it begins in the file.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
    /// Their CRC-32, as gzip has it (RFC 1952).
    pub checksum: u32,
}

/// What is wrong with a file of blocks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Bytes from the beginning of the file.
    pub offset: u64,
    /// What is wrong there.
    pub reason: String,
}

impl Damage {
    /// Says what is wrong at `offset`.
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

/// Bytes of a file, or from elsewhere.
#[derive(Debug)]
pub enum Bytes {
    /// In memory of their own.
    Own(Box<[u8]>),
    /// In a mapped file.
    Mapped(Arc<Mmap>, Range<usize>),
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
    /// Read, if all of a file of this length may lie in memory: up to an eighth of the machine's.
    pub fn for_length(length: u64) -> Self {
        // nix has no name for the first of them on macOS.
        let memory = ask(libc::_SC_PHYS_PAGES).zip(ask(libc::_SC_PAGESIZE));
        // Where the system does not tell, the least that a machine of today has.
        let memory = memory.map_or(1 << 30, |(pages, size)| pages.saturating_mul(size));
        if length <= memory / 8 { Self::Read } else { Self::Mapped }
    }
}

/// What sysconf(3) says of the machine.
#[allow(unsafe_code)]
fn ask(variable: libc::c_int) -> Option<u64> {
    // SAFETY: it takes a number, known or not, and touches no memory of ours.
    u64::try_from(unsafe { libc::sysconf(variable) }).ok()
}

impl BlockFile {
    /// Opens a regular file. Without `access`, what its length suggests.
    ///
    /// # Errors
    /// As open(2) and mmap(2); when it is something else than a file.
    pub fn open(path: &Path, access: Option<Access>) -> io::Result<Self> {
        // A pipe is not even opened: whoever writes into it would notice.
        length_of_file(&std::fs::metadata(path)?)?;
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        let length = length_of_file(&file.metadata()?)?;
        let access = access.unwrap_or_else(|| Access::for_length(length));
        let mapping = if access == Access::Mapped { Some(Arc::new(map(&file)?)) } else { None };
        Ok(Self { file, length, mapping })
    }

    /// Bytes of the file when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The block, its checksum verified.
    ///
    /// # Errors
    /// When it cannot be read, is not in the file, or has another checksum.
    pub fn read(&self, block: Block) -> Result<Bytes, Damage> {
        let bytes = self.bytes(block.offset, block.length)?;
        if crc32fast::hash(&bytes) != block.checksum {
            return Err(Damage::new(block.offset, "wrong checksum"));
        }
        Ok(bytes)
    }

    /// Bytes of the file as they are, for what says itself whether it is right.
    ///
    /// # Errors
    /// When they cannot be read, or are not in the file.
    pub fn bytes(&self, offset: u64, length: u64) -> Result<Bytes, Damage> {
        let cut_off = || Damage::new(self.length, "the file is cut off here");
        let end = offset.checked_add(length).filter(|end| *end <= self.length).ok_or_else(cut_off)?;
        let place = |place| usize::try_from(place).map_err(|_| cut_off());
        let Some(mapping) = &self.mapping else {
            let mut bytes = vec![0; place(length)?];
            return match self.file.read_exact_at(&mut bytes, offset) {
                Ok(()) => Ok(bytes.into()),
                Err(error) => Err(Damage::new(offset, reason(&error))),
            };
        };
        let now = self.file.metadata().map_err(|error| Damage::new(offset, reason(&error)))?.len();
        if now < self.length {
            return Err(Damage::new(now, "the file is cut off here"));
        }
        Ok(Bytes::Mapped(Arc::clone(mapping), place(offset)?..place(end)?))
    }
}

fn length_of_file(there: &Metadata) -> io::Result<u64> {
    if there.is_dir() {
        return Err(Errno::EISDIR.into());
    }
    if there.is_file() { Ok(there.len()) } else { Err(io::Error::new(ErrorKind::Unsupported, "not a file")) }
}

/// An error of a read in words.
fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(errno) => super::error_text(errno),
        None if error.kind() == ErrorKind::UnexpectedEof => "the file is cut off".to_owned(),
        None => error.to_string(),
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapping is only read. The file may still be changed or cut off by others, which no program can
    // prevent: snapshots are replaced by renaming and never written into, what is decoded from the bytes is checked at every
    // step, so that other bytes give other records and nothing worse, and looking at what was cut off ends the process.
    unsafe { Mmap::map(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_into_memory_is_read() {
        assert_eq!(Access::for_length(0), Access::Read);
        assert_eq!(Access::for_length(1 << 20), Access::Read);
        assert_eq!(Access::for_length(u64::MAX), Access::Mapped);
    }
}
