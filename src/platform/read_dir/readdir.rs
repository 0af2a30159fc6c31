//! Directory reader for any Unix. The names come from the C library's `readdir(3)` (`unix.rs`; on macOS `stream.rs`),
//! the attributes from `fstatat(2)`.
//!
//! Systems without a faster implementation use this one. On the other systems, tests compare the faster
//! implementation with this one. Invariant: this file has no `unsafe` code.

use std::ffi::CStr;

use nix::errno::Errno;

use super::imp::{Stream, kind_of, open};
use crate::base::kind::Kind;
use crate::platform::{Attributes, DirEntry, Directory, Filled, Prefetched};

/// Maximum number of entries in one batch.
const BATCH: usize = 1024;

/// Batch of names copied from the C library's stream.
#[derive(Default)]
pub struct Buffer {
    /// Names with their terminating NULs, one after another.
    names: Vec<u8>,
    /// Kind and inode number of each entry, and the offset in `names` at which the name of the entry ends.
    entries: Vec<(Kind, u64, usize)>,
}

/// Reader for a single pass over a directory.
pub struct Reader<'d> {
    directory: &'d Directory,
    stream: Option<Stream>,
}

impl<'d> Reader<'d> {
    /// Creates a reader for a directory that has just been opened.
    pub fn new(directory: &'d Directory) -> Self {
        Self { directory, stream: None }
    }

    /// Creates a reader like [`Self::new`]. The owners cannot be omitted, because fstatat(2) always reports them.
    pub fn without_owners(directory: &'d Directory) -> Self {
        Self::new(directory)
    }

    /// Replaces the contents of `buffer` with the next batch.
    ///
    /// # Errors
    /// Returns any error of readdir(3) and, for the first batch, openat(2). An error ends the listing, but earlier
    /// batches stay valid.
    pub fn fill(&mut self, buffer: &mut Buffer) -> Result<Filled, Errno> {
        buffer.clear();
        if self.stream.is_none() {
            self.stream = Some(open(self.directory)?);
        }
        let stream = self.stream.as_mut().expect("the stream was opened above");
        while buffer.entries.len() < BATCH {
            match stream.next() {
                None => break,
                Some(Ok(entry)) => buffer.push(entry.file_name(), kind_of(&entry), entry.ino()),
                // The names that this call has already read are returned first. A persistent error will occur again
                // in the next call.
                Some(Err(_)) if !buffer.entries.is_empty() => break,
                Some(Err(error)) => return Err(error),
            }
        }
        Ok(if buffer.entries.is_empty() { Filled::End } else { Filled::Some })
    }
}

impl Buffer {
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.entries.clear();
    }

    fn push(&mut self, name: &CStr, kind: Kind, inode: u64) {
        if !matches!(name.to_bytes(), b"." | b"..") {
            self.names.extend_from_slice(name.to_bytes_with_nul());
            self.entries.push((kind, inode, self.names.len()));
        }
    }

    /// Returns `true` if the batch is so large that more entries probably follow.
    pub fn is_full(&self) -> bool {
        self.entries.len() >= BATCH
    }

    /// Returns the entries of the batch in the kernel's order, without `.` and `..`.
    pub fn entries(&self) -> impl Iterator<Item = DirEntry<'_>> {
        let mut start = 0;
        self.entries.iter().filter_map(move |&(hint, inode, end)| {
            let name = CStr::from_bytes_with_nul(&self.names[start..end]).ok()?;
            start = end;
            Some(DirEntry { name, hint, inode, prefetched: Prefetched::Nothing })
        })
    }

    /// Returns the attributes of an entry of `directory`. Does not follow a symbolic link.
    ///
    /// # Errors
    /// Returns any error of fstatat(2), such as `ENOENT` if the entry no longer exists.
    #[allow(clippy::unused_self)] // other implementations use fields of the buffer
    pub fn attributes(&self, directory: &Directory, entry: &DirEntry<'_>) -> Result<Attributes, Errno> {
        directory.attributes_of(entry.name)
    }

    /// Returns the same attributes as [`Buffer::attributes`]. The first argument, the device of `directory`, is not
    /// needed, because fstatat(2) reports the device of the entry.
    ///
    /// # Errors
    /// Returns any error of [`Buffer::attributes`].
    pub fn attributes_on(
        &self,
        _: u64,
        directory: &Directory,
        entry: &DirEntry<'_>,
    ) -> Result<Attributes, Errno> {
        self.attributes(directory, entry)
    }
}
