//! Linux: names by `getdents64(2)` into a buffer that is used again and again, attributes by `statx(2)`.
//!
//! Knows nothing of trees. Invariant: a record the kernel wrote is read through bounds-checked slices only.

use std::cell::Cell;
use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd};

use nix::errno::Errno;

use super::attributes::kind_of_hint;
use super::{Attributes, Directory, Entry, Filled, Said, retry, status};

/// Bytes asked for in one call. Larger ones were not faster, and a directory of some 1,800 short names fits.
const SIZE: usize = 64 << 10;

/// Where `d_name` begins in `struct linux_dirent64` (getdents(2)): behind inode, offset, record length and type.
const NAME: usize = 19;

/// One batch of directory records, as the kernel packed them.
pub struct Buffer {
    /// The records. Its capacity is [`SIZE`]; pages the kernel never wrote to are not used.
    bytes: Vec<u8>,
    /// Whether `statx` is still worth trying: old container sandboxes refuse it.
    statx: Cell<bool>,
}

/// Reads one directory from its beginning to its end.
pub struct Reader<'d> {
    directory: &'d Directory,
}

impl<'d> Reader<'d> {
    /// A reader at the beginning of a freshly opened directory.
    pub fn new(directory: &'d Directory) -> Self {
        Self { directory }
    }

    /// Replaces the content of `buffer` by the next batch.
    ///
    /// # Errors
    /// As getdents64(2). What was read before stays valid; the directory ends there.
    #[allow(unsafe_code)]
    pub fn fill(&mut self, buffer: &mut Buffer) -> Result<Filled, Errno> {
        buffer.bytes.clear();
        let fd = self.directory.as_fd().as_raw_fd();
        let filled = retry(|| {
            let room = buffer.bytes.spare_capacity_mut();
            let (start, length) = (room.as_mut_ptr(), room.len());
            // SAFETY: `start` points to `length` writable bytes that nothing else refers to during the call.
            Errno::result(unsafe { libc::syscall(libc::SYS_getdents64, fd, start, length) })
        })?;
        let filled = usize::try_from(filled).map_err(|_| Errno::EIO)?;
        // SAFETY: the kernel has written that many bytes from the beginning on, never more than there is room for.
        unsafe { buffer.bytes.set_len(filled) };
        Ok(if filled == 0 { Filled::End } else { Filled::Some })
    }
}

impl Default for Buffer {
    fn default() -> Self {
        Self { bytes: Vec::with_capacity(SIZE), statx: Cell::new(true) }
    }
}

impl Buffer {
    /// Whether the batch is so large that there are probably more to come.
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= SIZE / 2
    }

    /// The entries of the batch, in the kernel's order, without `.` and `..`.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            loop {
                let length = usize::from(u16::from_ne_bytes(rest.get(16..18)?.try_into().ok()?));
                let record = rest.get(..length)?;
                rest = &rest[length..];
                let name = CStr::from_bytes_until_nul(record.get(NAME..)?).ok()?;
                if matches!(name.to_bytes(), b"." | b"..") {
                    continue;
                }
                let inode = u64::from_ne_bytes(record.get(..8)?.try_into().ok()?);
                return Some(Entry { name, hint: kind_of_hint(record[18]), inode, said: Said::Nothing });
            }
        })
    }

    /// The attributes of one of the entries of `directory`; of a symbolic link its own. Wakes no automounter.
    ///
    /// # Errors
    /// As statx(2): `ENOENT` when the entry is gone.
    pub fn attributes(&self, directory: &Directory, entry: &Entry<'_>) -> Result<Attributes, Errno> {
        if !self.statx.get() {
            return directory.attributes_of(entry.name);
        }
        match status::of_child(directory, entry.name, libc::AT_SYMLINK_NOFOLLOW) {
            // Sandboxes older than the call refuse it with EPERM, kernels with ENOSYS (seccomp, Linux before 4.11).
            Err(Errno::ENOSYS | Errno::EPERM) => {
                let attributes = directory.attributes_of(entry.name)?;
                self.statx.set(false);
                Ok(attributes)
            }
            result => Ok(result?.attributes),
        }
    }
}
