//! macOS: names and attributes together from `getattrlistbulk(2)`, in a reused buffer.
//!
//! The attributes of directories are read by name instead, because at a mount point, getattrlistbulk(2) describes the
//! covered directory, and at a firmlink, the firmlink itself instead of its target. If opening a directory would start
//! an automount or a download, the attributes from getattrlistbulk(2) are used. If getattrlistbulk(2) does not work for
//! the directory to list, this directory is read with `readdir`.
//!
//! `attr_list` describes the layout of records. Invariant: no entry is returned twice.

mod stream;

use std::os::fd::{AsFd, AsRawFd};
use std::ptr::from_mut;

use nix::errno::Errno;

use crate::platform::read_dir::attr_list;
use crate::platform::read_dir::attr_list::Wanted;
use crate::platform::read_dir::readdir;
use crate::platform::{Attributes, DirEntry, Directory, Filled, Prefetched, retry};

pub(crate) use stream::{Stream, kind_of, open};

/// Size of the buffer in bytes. An entry needs about 150 bytes, so the entries of most directories fit. The largest
/// possible entry needs 8 KiB.
const SIZE: usize = 128 << 10;

/// Batch of entries: records in the kernel's format, or names if the directory is read with `readdir`.
pub struct Buffer {
    bytes: Box<[u8]>,
    filled: usize,
    wanted: Wanted,
    names: readdir::Buffer,
}

/// Reader for a single pass over a directory.
pub struct Reader<'d> {
    directory: &'d Directory,
    method: Method<'d>,
    /// `true` once getattrlistbulk(2) has succeeded; a switch to `readdir` would then return some entries twice.
    begun: bool,
}

/// Method of reading a directory.
enum Method<'d> {
    Bulk(Wanted),
    Names(readdir::Reader<'d>),
}

impl<'d> Reader<'d> {
    /// Creates a reader for a directory that has just been opened.
    pub fn new(directory: &'d Directory) -> Self {
        Self { directory, method: Method::Bulk(Wanted::ALL), begun: false }
    }

    /// Creates a reader that omits owners, groups and permissions, so that an entry needs less space in a batch.
    pub fn without_owners(directory: &'d Directory) -> Self {
        Self { method: Method::Bulk(Wanted::WITHOUT_OWNERS), ..Self::new(directory) }
    }

    /// Replaces the contents of `buffer` with the next batch.
    ///
    /// # Errors
    /// Returns any error of getattrlistbulk(2), or `EBADMSG` for a malformed reply. If the directory is read with
    /// `readdir`, returns the errors of that reader instead. An error ends the listing, but earlier batches stay valid.
    pub fn fill(&mut self, buffer: &mut Buffer) -> Result<Filled, Errno> {
        buffer.clear();
        loop {
            let result = match &mut self.method {
                Method::Names(reader) => return reader.fill(&mut buffer.names),
                Method::Bulk(wanted) => {
                    buffer.wanted = *wanted;
                    read(self.directory, *wanted, &mut buffer.bytes)
                }
            };
            match result {
                Ok(filled) => {
                    self.begun = true;
                    buffer.filled = filled;
                    return Ok(if filled == 0 { Filled::End } else { Filled::Some });
                }
                // In a directory that may be listed but not searched, names can still be read.
                Err(Errno::EACCES) if matches!(self.method, Method::Bulk(wanted) if wanted != Wanted::NAMES) =>
                {
                    self.method = Method::Bulk(Wanted::NAMES);
                }
                // If no call has succeeded yet, these errors mean that getattrlistbulk(2) does not work for this
                // directory. ERANGE was observed on macOS 10.13 at the end of a directory, with a buffer of 88 bytes.
                // EBADMSG comes from `read` below, which returns it for a malformed reply.
                Err(Errno::ENOTSUP | Errno::EINVAL | Errno::ENOSYS | Errno::ERANGE | Errno::EBADMSG)
                    if !self.begun =>
                {
                    self.method = Method::Names(readdir::Reader::new(self.directory));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Calls getattrlistbulk(2) and returns the length of the reply in bytes; 0 at the end of the directory.
#[allow(unsafe_code)]
fn read(directory: &Directory, wanted: Wanted, bytes: &mut [u8]) -> Result<usize, Errno> {
    let mut list = libc::attrlist {
        bitmapcount: libc::ATTR_BIT_MAP_COUNT,
        reserved: 0,
        commonattr: wanted.common,
        volattr: 0,
        dirattr: wanted.directory,
        fileattr: wanted.file,
        forkattr: 0,
    };
    let fd = directory.as_fd().as_raw_fd();
    let count = retry(|| {
        let (list, start) = (from_mut(&mut list).cast(), bytes.as_mut_ptr().cast());
        // SAFETY: `list` is a complete `attrlist`, which the call reads. `start` points to the given number
        // of writable bytes, and nothing else refers to them during the call.
        Errno::result(unsafe { libc::getattrlistbulk(fd, list, start, bytes.len(), 0) })
    })?;
    let count = usize::try_from(count).map_err(|_| Errno::EBADMSG)?;
    attr_list::measure(bytes, count).ok_or(Errno::EBADMSG)
}

impl Default for Buffer {
    fn default() -> Self {
        Self {
            bytes: vec![0; SIZE].into(),
            filled: 0,
            wanted: Wanted::ALL,
            names: readdir::Buffer::default(),
        }
    }
}

impl Buffer {
    fn clear(&mut self) {
        self.filled = 0;
        self.names.clear();
    }

    /// Returns `true` if the batch is so large that more entries probably follow.
    pub fn is_full(&self) -> bool {
        self.filled >= SIZE / 2 || self.names.is_full()
    }

    /// Returns the entries of the batch in the kernel's order, without `.` and `..`.
    pub fn entries(&self) -> impl Iterator<Item = DirEntry<'_>> {
        attr_list::entries(&self.bytes[..self.filled], self.wanted).chain(self.names.entries())
    }

    /// Returns the attributes of an entry of `directory`. Does not follow a symbolic link and never triggers an
    /// automount or a download.
    ///
    /// # Errors
    /// Returns the error that the listing reported for the entry, or any error of fstatat(2), such as `ENOENT` if the
    /// entry no longer exists.
    pub fn attributes(&self, directory: &Directory, entry: &DirEntry<'_>) -> Result<Attributes, Errno> {
        match entry.prefetched {
            Prefetched::All(attributes) => Ok(attributes),
            Prefetched::Failed(error) => Err(error),
            Prefetched::Nothing => self.names.attributes(directory, entry),
            Prefetched::Boundary(border) => Ok(Attributes { border, ..directory.attributes_of(entry.name)? }),
        }
    }

    /// Returns the attributes of an entry, like [`Buffer::attributes`]. If the entry is not a directory, sets its
    /// device to `device`, the device of `directory`. Such an entry cannot be a mount point, but the listing may report
    /// a different device for it than stat(2) does.
    ///
    /// # Errors
    /// Returns any error of [`Buffer::attributes`].
    pub fn attributes_on(
        &self,
        device: u64,
        directory: &Directory,
        entry: &DirEntry<'_>,
    ) -> Result<Attributes, Errno> {
        let found = self.attributes(directory, entry)?;
        Ok(Attributes { device: if found.is_directory() { found.device } else { device }, ..found })
    }
}
