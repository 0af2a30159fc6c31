//! Any Unix: names by `readdir(3)` (through nix, or `stream`), attributes by `fstatat(2)`.
//!
//! Serves where no faster way is built, and everywhere as the oracle the faster ways are tested against.
//! Invariant: no `unsafe` here.

use std::ffi::CStr;

use nix::errno::Errno;

#[cfg(target_os = "macos")]
use super::stream::{Stream, kind_of, open};
use super::{Attributes, Directory, Entry, Filled, Said};
use crate::kind::Kind;

/// Entries in one batch.
const BATCH: usize = 1024;

/// One batch of names, copied out of the C library's stream.
#[derive(Default)]
pub struct Buffer {
    /// Each name with its NUL, back to back.
    names: Vec<u8>,
    /// Kind, inode number and end of the name of each entry.
    entries: Vec<(Kind, u64, usize)>,
}

/// Reads one directory from its beginning to its end.
pub struct Reader<'d> {
    directory: &'d Directory,
    stream: Option<Stream>,
}

impl<'d> Reader<'d> {
    /// A reader at the beginning of a freshly opened directory.
    pub fn new(directory: &'d Directory) -> Self {
        Self { directory, stream: None }
    }

    /// Replaces the content of `buffer` by the next batch.
    ///
    /// # Errors
    /// As readdir(3) and, for the first batch, openat(2). What was read before stays valid; the directory ends there.
    pub fn fill(&mut self, buffer: &mut Buffer) -> Result<Filled, Errno> {
        buffer.clear();
        if self.stream.is_none() {
            self.stream = Some(open(self.directory)?);
        }
        let stream = self.stream.as_mut().expect("opened above");
        while buffer.entries.len() < BATCH {
            match stream.next() {
                None => break,
                Some(Ok(entry)) => buffer.push(entry.file_name(), kind_of(&entry), entry.ino()),
                // What this call has read is kept; a lasting error shows up again in the next call.
                Some(Err(_)) if !buffer.entries.is_empty() => break,
                Some(Err(error)) => return Err(error),
            }
        }
        Ok(if buffer.entries.is_empty() { Filled::End } else { Filled::Some })
    }
}

impl Buffer {
    /// Forgets the batch.
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.entries.clear();
    }

    fn push(&mut self, name: &CStr, kind: Kind, inode: u64) {
        if !matches!(name.to_bytes(), b"." | b"..") {
            self.names.extend_from_slice(name.to_bytes_with_nul());
            self.entries.push((kind, inode, self.names.len()));
        }
    }

    /// Whether the batch is so large that there are probably more to come.
    pub fn is_full(&self) -> bool {
        self.entries.len() >= BATCH
    }

    /// The entries of the batch, in the kernel's order, without `.` and `..`.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut start = 0;
        self.entries.iter().filter_map(move |&(hint, inode, end)| {
            let name = CStr::from_bytes_with_nul(&self.names[start..end]).ok()?;
            start = end;
            Some(Entry { name, hint, inode, said: Said::Nothing })
        })
    }

    /// The attributes of one of the entries of `directory`; of a symbolic link its own.
    ///
    /// # Errors
    /// As fstatat(2): `ENOENT` when the entry is gone.
    #[allow(clippy::unused_self)] // the contract: other systems answer from the buffer
    pub fn attributes(&self, directory: &Directory, entry: &Entry<'_>) -> Result<Attributes, Errno> {
        directory.attributes_of(entry.name)
    }
}

#[cfg(not(target_os = "macos"))]
type Stream = nix::dir::OwningIter;

#[cfg(not(target_os = "macos"))]
fn open(directory: &Directory) -> Result<Stream, Errno> {
    use nix::fcntl::OFlag;
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    Ok(nix::dir::Dir::openat(directory, ".", flags, nix::sys::stat::Mode::empty())?.into_iter())
}

#[cfg(not(target_os = "macos"))]
fn kind_of(entry: &nix::dir::Entry) -> Kind {
    use nix::dir::Type;
    match entry.file_type() {
        Some(Type::Directory) => Kind::Directory,
        Some(Type::File) => Kind::File,
        Some(Type::Symlink) => Kind::Symlink,
        Some(Type::Fifo) => Kind::Fifo,
        Some(Type::Socket) => Kind::Socket,
        Some(Type::BlockDevice) => Kind::BlockDevice,
        Some(Type::CharacterDevice) => Kind::CharDevice,
        None => Kind::Unknown,
    }
}
