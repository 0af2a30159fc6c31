//! macOS: names and attributes together by `getattrlistbulk(2)`, into a buffer that is used again and again.
//!
//! What the call cannot tell is asked by name: the attributes of directories, as it describes the directory a mount covers
//! and the link a firmlink is. Where the call does not work at all, `portable` reads that directory.
//!
//! Knows nothing of trees, nor of the layout of records (`bulk`). Invariant: no entry is handed out twice.

use std::os::fd::{AsFd, AsRawFd};
use std::ptr::from_mut;

use nix::errno::Errno;

use super::bulk::{self, Wanted};
use super::{Attributes, Directory, Entry, Filled, Said, portable, retry};

/// Bytes asked for in one call. An entry takes about 150, so that most directories fit; the largest one takes 8 KiB.
const SIZE: usize = 128 << 10;

/// One batch of records, as the kernel packed them; or of names, where it would not.
pub struct Buffer {
    bytes: Box<[u8]>,
    filled: usize,
    names: portable::Buffer,
}

/// Reads one directory from its beginning to its end.
pub struct Reader<'d> {
    directory: &'d Directory,
    way: Way<'d>,
    /// Whether anything was read: from then on there is no other way.
    begun: bool,
}

/// How a directory is read.
enum Way<'d> {
    Bulk(Wanted),
    Names(portable::Reader<'d>),
}

impl<'d> Reader<'d> {
    /// A reader at the beginning of a freshly opened directory.
    pub fn new(directory: &'d Directory) -> Self {
        Self { directory, way: Way::Bulk(Wanted::ALL), begun: false }
    }

    /// Replaces the content of `buffer` by the next batch.
    ///
    /// # Errors
    /// As getattrlistbulk(2). What was read before stays valid; the directory ends there.
    pub fn fill(&mut self, buffer: &mut Buffer) -> Result<Filled, Errno> {
        buffer.clear();
        loop {
            let result = match &mut self.way {
                Way::Names(reader) => return reader.fill(&mut buffer.names),
                Way::Bulk(wanted) => read(self.directory, *wanted, &mut buffer.bytes),
            };
            match result {
                Ok(filled) => {
                    self.begun = true;
                    buffer.filled = filled;
                    return Ok(if filled == 0 { Filled::End } else { Filled::Some });
                }
                // It may be listed but not searched: its names can be had.
                Err(Errno::EACCES) if matches!(self.way, Way::Bulk(Wanted::ALL)) => {
                    self.way = Way::Bulk(Wanted::NAMES);
                }
                // ERANGE was seen at the end of directories on macOS 10.13; EBADMSG is our own.
                Err(Errno::ENOTSUP | Errno::EINVAL | Errno::ENOSYS | Errno::ERANGE | Errno::EBADMSG)
                    if !self.begun =>
                {
                    self.way = Way::Names(portable::Reader::new(self.directory));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Makes the call and says how many bytes it has filled: none at the end.
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
        // SAFETY: `list` is a complete `attrlist`, which the call reads; `start` points to as many writable bytes as it is
        // told, and nothing else refers to them during the call.
        Errno::result(unsafe { libc::getattrlistbulk(fd, list, start, bytes.len(), 0) })
    })?;
    let count = usize::try_from(count).map_err(|_| Errno::EBADMSG)?;
    bulk::measure(bytes, count).ok_or(Errno::EBADMSG)
}

impl Default for Buffer {
    fn default() -> Self {
        Self { bytes: vec![0; SIZE].into(), filled: 0, names: portable::Buffer::default() }
    }
}

impl Buffer {
    fn clear(&mut self) {
        self.filled = 0;
        self.names.clear();
    }

    /// Whether the batch is so large that there are probably more to come.
    pub fn is_full(&self) -> bool {
        self.filled >= SIZE / 2 || self.names.is_full()
    }

    /// The entries of the batch, in the kernel's order, without `.` and `..`.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        bulk::entries(&self.bytes[..self.filled]).chain(self.names.entries())
    }

    /// The attributes of one of the entries of `directory`; of a symbolic link its own. Wakes no automounter and fetches
    /// nothing from the cloud.
    ///
    /// # Errors
    /// What the listing says, or as fstatat(2): `ENOENT` when the entry is gone.
    pub fn attributes(&self, directory: &Directory, entry: &Entry<'_>) -> Result<Attributes, Errno> {
        match entry.said {
            Said::All(attributes) => Ok(attributes),
            Said::Failed(error) => Err(error),
            Said::Nothing => self.names.attributes(directory, entry),
            Said::Border(border) => Ok(Attributes { border, ..directory.attributes_of(entry.name)? }),
        }
    }
}
