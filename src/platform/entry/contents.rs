//! Contents of a regular file, and their state at one point in time.
//!
//! Invariant: only regular files are opened, without following a symbolic link, only for reading. Their access times do
//! not change where the system permits it.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use nix::unistd::{Whence, lseek};

use super::imp;
use crate::base::clock::Time;
use crate::platform::{Directory, Errno, FileId, errno_of};

/// Regular file that is open for reading.
#[derive(Debug)]
pub struct Contents {
    file: File,
}

/// State of a file's contents. Equal states mean that nothing was written in between, as far as the clock of the file
/// system is fine enough to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentState {
    /// Identity of the inode.
    pub id: FileId,
    /// Length in bytes.
    pub size: u64,
    /// Disk usage in bytes.
    pub disk: u64,
    /// Number of hard links.
    pub links: u64,
    /// Time of the last change to the contents.
    pub modified: Time,
    /// Time of the last change to the inode, which no program can set back.
    pub changed: Time,
}

impl Contents {
    /// Opens the regular file `name` in `directory`.
    ///
    /// # Errors
    /// Returns any error of [`Directory::open_file`].
    pub fn open(directory: &Directory, name: &CStr) -> Result<Self, Errno> {
        Ok(Self { file: directory.open_file_quietly(name)?.into() })
    }

    /// Returns the present state of the contents.
    ///
    /// # Errors
    /// Returns any error of fstat(2).
    pub fn state(&self) -> Result<ContentState, Errno> {
        let found = self.file.metadata().map_err(|error| errno_of(&error))?;
        Ok(ContentState {
            id: FileId { device: found.dev(), inode: found.ino() },
            size: found.size(),
            disk: found.blocks().saturating_mul(512),
            links: found.nlink(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }

    /// Reads bytes from `offset` on until `buffer` is full or the file ends, and returns their number.
    ///
    /// # Errors
    /// Returns any error of pread(2).
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        let mut length = 0;
        while length < buffer.len() {
            match self.file.read_at(&mut buffer[length..], offset + length as u64) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(errno_of(&error)),
            }
        }
        Ok(length)
    }

    /// Returns the offset of the first data at or after `offset`: `offset` itself if the system cannot tell, and
    /// `None` if only a hole follows.
    pub fn next_data(&self, offset: u64) -> Option<u64> {
        let Ok(from) = i64::try_from(offset) else { return Some(offset) };
        match lseek(&self.file, from, Whence::SeekData) {
            Ok(data) => u64::try_from(data).ok(),
            Err(Errno::ENXIO) => None,
            Err(_) => Some(offset),
        }
    }

    /// Gives the logical position, the position on the disk, and the length of each extent. Returns `true` if files of
    /// the same size with the same extents are clones, which share all of their data.
    ///
    /// # Errors
    /// Returns any error of `ioctl_fiemap(2)`.
    pub fn locate(&self, each: &mut dyn FnMut([u64; 3])) -> Result<bool, Errno> {
        imp::locate(&self.file, each)
    }
}
