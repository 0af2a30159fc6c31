//! Memory that the system maps for the process with mmap(2). A mapping is returned to the system when it is dropped.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::ops::{Deref, DerefMut};
use std::os::fd::AsFd;
use std::ptr::NonNull;

use nix::sys::mman::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

/// Contents of a file, mapped for reading. An empty file is not mapped, because mmap(2) refuses a length of 0.
#[derive(Debug)]
pub struct MappedFile(Option<Mapping>);

/// Zeroed memory of a fixed length.
#[derive(Debug)]
pub struct MappedMemory(Mapping);

#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    length: NonZeroUsize,
}

// SAFETY: the mapping belongs to this value alone. The mapping is written to only through `&mut MappedMemory`.
#[allow(unsafe_code)]
unsafe impl Send for Mapping {}
// SAFETY: a shared reference only allows reading; the mapping is written to only through `&mut MappedMemory`.
#[allow(unsafe_code)]
unsafe impl Sync for Mapping {}

impl MappedFile {
    /// Maps `length` bytes from the start of a file.
    ///
    /// # Errors
    /// Returns any error of mmap(2).
    ///
    /// # Safety
    /// No process may write to the file or truncate it while it is mapped.
    #[allow(unsafe_code)]
    pub unsafe fn new(file: &File, length: usize) -> io::Result<Self> {
        let Some(length) = NonZeroUsize::new(length) else { return Ok(Self(None)) };
        // SAFETY: without an address the system chooses one that is not in use. The caller guarantees that the content
        // does not change.
        let start =
            unsafe { mmap(None, length, ProtFlags::PROT_READ, MapFlags::MAP_SHARED, file.as_fd(), 0) }?;
        Ok(Self(Some(Mapping { start: start.cast(), length })))
    }
}

impl MappedMemory {
    /// Maps `length` bytes.
    ///
    /// # Errors
    /// Returns any error of mmap(2), or `EINVAL` if `length` is 0.
    #[allow(unsafe_code)]
    pub fn new(length: usize) -> io::Result<Self> {
        let length = NonZeroUsize::new(length).ok_or(nix::Error::EINVAL)?;
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: without an address the system chooses one that is not in use.
        let start = unsafe { mmap_anonymous(None, length, protection, MapFlags::MAP_PRIVATE) }?;
        Ok(Self(Mapping { start: start.cast(), length }))
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], Mapping::bytes)
    }
}

impl Deref for MappedMemory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl DerefMut for MappedMemory {
    #[allow(unsafe_code)]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`. The memory is writable, and `&mut self` is the only reference to it.
        unsafe { std::slice::from_raw_parts_mut(self.0.start.as_ptr(), self.0.length.get()) }
    }
}

impl Mapping {
    #[allow(unsafe_code)]
    fn bytes(&self) -> &[u8] {
        // SAFETY: all bytes are mapped and initialized until the value is dropped.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length.get()) }
    }
}

impl Drop for Mapping {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: the mapping was created with this address and length, and nothing refers to it any more.
        let unmapped = unsafe { munmap(self.start.cast(), self.length.get()) };
        debug_assert_eq!(unmapped, Ok(()), "an existing mapping can be unmapped");
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn memory_is_zeroed_and_writable() {
        let mut memory = MappedMemory::new(100_000).unwrap();
        assert!(memory.len() == 100_000 && memory.iter().all(|byte| *byte == 0));
        memory[99_999] = 7;
        assert_eq!(memory.last(), Some(&7));
        assert!(MappedMemory::new(0).is_err());
        assert!(MappedMemory::new(usize::MAX / 2).is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri maps no files")]
    #[allow(unsafe_code)]
    fn a_mapped_file_has_its_content() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"content").unwrap();
        // SAFETY: no other process can open the file, and this process does not change it while it is mapped.
        let mapped = unsafe { MappedFile::new(&file, 7) }.unwrap();
        assert_eq!(&*mapped, b"content");
    }
}
