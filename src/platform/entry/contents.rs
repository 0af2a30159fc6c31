//! Regular files that are open for reading, and states of their contents. Comparing two states of a file shows
//! whether the file was written in the meantime.
//!
//! Invariant: only regular files are opened, only for reading, and never through a symbolic link. Where the system
//! permits, reading does not change their access times.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};
use std::os::unix::fs::FileExt;

use nix::fcntl::AtFlags;
use nix::sys::stat::{FileStat, fstat, fstatat};
use nix::unistd::{Whence, lseek};

use super::imp;
pub use super::imp::{CAN_SHARE, sync_file_system};
use crate::base::clock::Time;
use crate::base::kind::Kind;
use crate::platform::entry::extents::{ExtentReference, StoredForm, StoredPart, unshared_ranges};
use crate::platform::{Attributes, Directory, Errno, FileId, errno_of, retry};

/// Regular file that is open for reading.
#[derive(Debug)]
pub struct Contents {
    file: File,
}

/// State of a file's contents. If the state is the same at two points in time, the file was not written in between,
/// unless the timestamps of the file system are too coarse to show the change.
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
    /// Time of the last change to the inode. No program can set this time back.
    pub changed: Time,
}

impl From<FileStat> for ContentState {
    // The fields of `struct stat` have different widths on different systems.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
    fn from(stat: FileStat) -> Self {
        let attributes = Attributes::from(stat);
        Self {
            id: attributes.file_id(),
            size: attributes.apparent,
            disk: attributes.blocks.saturating_mul(512),
            links: attributes.links,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }
}

/// Location of a file's contents on a volume.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredContents {
    /// Identity of the volume, if known.
    pub volume: Option<u64>,
    /// Parts of the file, sorted by their offset in the file.
    pub parts: Vec<StoredPart>,
}

impl StoredContents {
    /// Returns `true` if all parts are plain, so that all files with this location certainly have the same contents.
    /// For a compressed part, the system does not report which bytes of the extent belong to the file.
    pub fn determines_contents(&self) -> bool {
        self.parts.iter().all(|part| part.form == StoredForm::Plain)
    }
}

impl ContentState {
    /// Returns `true` if `now` is a later state of the same file, and nothing was written to the file in between. The
    /// change time of the inode is compared only if both states have a single hard link, because adding or deleting a
    /// hard link also updates this time.
    pub fn is_untouched(&self, now: &Self) -> bool {
        let is_single = self.links == 1 && now.links == 1;
        let contents = |state: &Self| (state.id, state.size, state.modified);
        contents(self) == contents(now) && (!is_single || self.changed == now.changed)
    }

    /// Returns the current state of the contents of `name` in `directory`, without opening the file.
    ///
    /// # Errors
    /// Returns any error of fstatat(2); `EINVAL` if `name` is not a regular file.
    pub fn of(directory: &Directory, name: &CStr) -> Result<Self, Errno> {
        let stat = retry(|| fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW))?;
        if Attributes::from(stat).kind == Kind::File { Ok(stat.into()) } else { Err(Errno::EINVAL) }
    }
}

impl Contents {
    /// Opens the regular file `name` in `directory`.
    ///
    /// # Errors
    /// Returns any error of [`Directory::open_file_quietly`].
    pub fn open(directory: &Directory, name: &CStr) -> Result<Self, Errno> {
        Ok(Self { file: directory.open_file_quietly(name)?.into() })
    }

    /// Returns the current state of the contents.
    ///
    /// # Errors
    /// Returns any error of fstat(2).
    pub fn state(&self) -> Result<ContentState, Errno> {
        Ok(retry(|| fstat(&self.file))?.into())
    }

    /// Reads from `offset` until `buffer` is full or the file ends, and returns the number of bytes read.
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

    /// Returns the offset of the first data at or after `offset`, or `None` if only a hole follows. Returns `offset`
    /// itself if the system does not report holes.
    pub fn next_data(&self, offset: u64) -> Option<u64> {
        let Ok(from) = i64::try_from(offset) else { return Some(offset) };
        match lseek(&self.file, from, Whence::SeekData) {
            Ok(data) => u64::try_from(data).ok(),
            Err(Errno::ENXIO) => None,
            Err(_) => Some(offset),
        }
    }

    /// Returns the location of the contents, or `None` if the system does not report all parts of the file.
    pub fn stored(&self) -> Option<StoredContents> {
        let mut parts = Vec::new();
        let is_whole = imp::locate(&self.file, &mut |part| {
            parts.push(part);
            ControlFlow::Continue(())
        });
        is_whole.unwrap_or(false).then_some(StoredContents { volume: imp::volume_id(&self.file), parts })
    }

    /// Returns the ranges of this file that could share space with `other`, a file with the same contents, but do not.
    /// Returns `None` if the files are on different volumes, or the system does not report where the contents are.
    pub fn unshared_with(&self, other: &StoredContents) -> Option<Vec<Range<u64>>> {
        if imp::volume_id(&self.file) != other.volume {
            return None;
        }
        let ranges = unshared_ranges(&self.stored()?.parts, &other.parts);
        // Extents can reach beyond the end of the file: they end at a block boundary, and the file may have more blocks
        // than it needs.
        let size = self.state().ok()?.size;
        let ranges = ranges.into_iter().map(|range| range.start..range.end.min(size));
        Some(ranges.filter(|range| !range.is_empty()).collect())
    }

    /// Lets `other` share up to `length` bytes at `offset` with this file, if these bytes are equal. Returns the number
    /// of bytes shared, or `None` if the bytes differ.
    ///
    /// # Errors
    /// Returns any error of `ioctl_fideduperange(2)`, such as `EOPNOTSUPP` if the file system cannot share data, or
    /// `EXDEV` if the files are on different file systems.
    pub fn share_range(&self, other: &Self, offset: u64, length: u64) -> Result<Option<u64>, Errno> {
        imp::share_range(&self.file, &other.file, offset, length)
    }

    /// Calls `each` for every extent of the file up to the offset `end`. An extent that crosses `end` is shortened.
    /// Returns `true` if all extents were read. If the file has more than about 130,000 extents, reads only the first
    /// ones and returns `false`.
    ///
    /// # Errors
    /// Returns any error of `ioctl_fiemap(2)`, and always `EOPNOTSUPP` on systems other than Linux.
    pub fn references(&self, end: u64, each: &mut dyn FnMut(ExtentReference)) -> Result<bool, Errno> {
        imp::references(&self.file, end, each)
    }
}
