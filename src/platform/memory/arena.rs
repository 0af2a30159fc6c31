//! Append-only memory for directory listings: bytes are written once, get an address, and can then be read by any
//! thread.
//!
//! Invariant: a byte whose offset is below the `written` mark of its chunk never changes again.
//!
//! A chunk is allocated as a large block and filled gradually. Untouched pages are not resident, so the unused end of a
//! chunk uses only address space. Existing bytes can be adopted as a separate chunk.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use crate::base::slots::Slots;
use crate::base::sync::{AtomicU32, AtomicUsize, OnceLock, Ordering};
use crate::platform::memory::block_file::Bytes;

/// Size of a writer's first chunk in bytes. Each later chunk is twice as large as the previous chunk.
const FIRST_CHUNK: usize = 1 << 18;
/// Maximum size of a chunk in bytes, unless a single append needs more.
const LARGEST_CHUNK: usize = 1 << 24;

const OFFSET_BITS: u32 = 40;

/// Address of bytes in an [`Arena`], represented as a nonzero `u64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(u64);

impl Address {
    /// Returns the address as a nonzero number.
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// Returns the address with the given bits; `None` for zero. Bits that do not come from [`Self::to_bits`] are
    /// safe too: reading from such an address returns unrelated bytes or none.
    pub fn from_bits(bits: u64) -> Option<Self> {
        (bits != 0).then_some(Self(bits))
    }

    /// Returns the address that is `bytes` bytes after this address.
    #[must_use]
    pub fn plus(self, bytes: usize) -> Self {
        Self(self.0 + bytes as u64)
    }

    fn new(chunk: u32, offset: usize) -> Self {
        Self((u64::from(chunk) + 1) << OFFSET_BITS | offset as u64)
    }

    fn split(self) -> Option<(u32, usize)> {
        let chunk = u32::try_from((self.0 >> OFFSET_BITS).checked_sub(1)?).ok()?;
        Some((chunk, usize::try_from(self.0 & ((1 << OFFSET_BITS) - 1)).ok()?))
    }
}

/// Growing set of chunks. Any thread can read the arena; each thread appends through its own [`Writer`].
#[derive(Default)]
pub struct Arena {
    chunks: Slots<OnceLock<Chunk>, 16>,
    /// Number of chunks. `Relaxed` ordering is enough, because each chunk is published through its own cell.
    count: AtomicU32,
}

/// Handle with which one thread appends to the arena. Owns the unwritten end of one chunk.
#[derive(Default)]
pub struct Writer {
    chunk: Option<u32>,
    next_size: usize,
}

impl Arena {
    /// Creates an empty arena, without allocating memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends `bytes` to the chunk of `writer` and returns the address of the copy. Aborts the process when out of
    /// memory, like any allocation.
    ///
    /// A `writer` must be used with only one arena.
    pub fn append(&self, writer: &mut Writer, bytes: &[u8]) -> Address {
        if let Some(index) = writer.chunk
            && let Some(Chunk::Growing(chunk)) = self.chunk(index)
            && let Some(offset) = chunk.append(bytes)
        {
            return Address::new(index, offset);
        }
        writer.next_size = (writer.next_size * 2).clamp(FIRST_CHUNK, LARGEST_CHUNK);
        let fresh = Growing::new(writer.next_size.max(bytes.len()));
        let offset = fresh.append(bytes).expect("a fresh chunk is at least as large as its first bytes");
        let index = self.add(Chunk::Growing(fresh));
        writer.chunk = Some(index);
        Address::new(index, offset)
    }

    /// Adds `bytes` to the arena without copying them, and returns their address.
    pub fn adopt(&self, bytes: Bytes) -> Address {
        Address::new(self.add(Chunk::Adopted(bytes)), 0)
    }

    fn add(&self, chunk: Chunk) -> u32 {
        let index = self.count.fetch_add(1, Ordering::Relaxed);
        assert!(self.chunks.make(index).set(chunk).is_ok(), "each chunk number is given out only once");
        index
    }

    /// Returns the bytes written so far to the chunk that contains `address`, starting at `address`. Returns an empty
    /// slice if the address is invalid.
    pub fn bytes_from(&self, address: Address) -> &[u8] {
        address
            .split()
            .and_then(|(index, offset)| self.chunk(index)?.written().get(offset..))
            .unwrap_or_default()
    }

    fn chunk(&self, index: u32) -> Option<&Chunk> {
        self.chunks.find(index)?.get()
    }
}

enum Chunk {
    Growing(Growing),
    Adopted(Bytes),
}

impl Chunk {
    fn written(&self) -> &[u8] {
        match self {
            Self::Growing(chunk) => chunk.written(),
            Self::Adopted(bytes) => bytes,
        }
    }
}

struct Growing {
    start: NonNull<u8>,
    size: usize,
    /// Number of bytes at the start of the chunk that are written and will not change. [`Growing::append`]
    /// increases it with `Release` after copying; readers load it with `Acquire`.
    written: AtomicUsize,
    /// Number of reserved bytes. An appender increases it before copying, so no two appenders get the same byte.
    reserved: AtomicUsize,
}

// SAFETY: the memory at `start` belongs to this chunk alone. Shared access reads only below `written`, where bytes no
// longer change, and each byte above `written` is written only by the appender that has reserved the byte.
#[allow(unsafe_code)]
unsafe impl Send for Growing {}
// SAFETY: the reasons given for `Send` also apply to shared access.
#[allow(unsafe_code)]
unsafe impl Sync for Growing {}

#[allow(unsafe_code)]
impl Growing {
    fn new(size: usize) -> Self {
        let layout = Self::layout(size);
        // SAFETY: the layout's size is not zero: it is at least `FIRST_CHUNK`.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        Self { start, size, written: AtomicUsize::new(0), reserved: AtomicUsize::new(0) }
    }

    fn layout(size: usize) -> Layout {
        Layout::array::<u8>(size).expect("chunks are smaller than the address space")
    }

    /// Appends `bytes` and returns their offset; `None` if there is no room, or if another thread is appending.
    fn append(&self, bytes: &[u8]) -> Option<usize> {
        let offset = self.written.load(Ordering::Acquire);
        let end = offset.checked_add(bytes.len()).filter(|end| *end <= self.size)?;
        // The exchange succeeds only if `reserved` equals `written`. With one writer per chunk, they are always equal.
        self.reserved.compare_exchange(offset, end, Ordering::Acquire, Ordering::Relaxed).ok()?;
        // SAFETY: `offset..end` is inside the allocation, above `written` (so not read), and reserved by the
        // exchange above (so no other thread writes to it). `bytes` cannot overlap the range, because no
        // reference to the range exists.
        unsafe { self.start.add(offset).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        self.written.store(end, Ordering::Release);
        Some(offset)
    }

    fn written(&self) -> &[u8] {
        let written = self.written.load(Ordering::Acquire);
        // SAFETY: `append` initializes bytes before it includes them in `written`, and the first `written` bytes no
        // longer change.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), written) }
    }
}

#[allow(unsafe_code)]
impl Drop for Growing {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated in `new` with the same layout, and is no longer borrowed.
        unsafe { dealloc(self.start.as_ptr(), Self::layout(self.size)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_back_from_their_address_across_chunks() {
        let arena = Arena::new();
        let mut writers = [Writer::default(), Writer::default()];
        let addresses: Vec<_> = (0..2_000_u32)
            .map(|number| arena.append(&mut writers[number as usize % 2], &number.to_le_bytes().repeat(100)))
            .collect();
        for (number, address) in addresses.iter().enumerate() {
            let expected = u32::try_from(number).unwrap().to_le_bytes();
            assert_eq!(arena.bytes_from(*address)[..4], expected);
            assert_eq!(arena.bytes_from(address.plus(396))[..4], expected);
        }
    }

    #[test]
    fn a_large_append_gets_a_chunk_of_its_own_size() {
        let arena = Arena::new();
        let big = vec![7; LARGEST_CHUNK + 1];
        let address = arena.append(&mut Writer::default(), &big);
        assert_eq!(arena.bytes_from(address), big);
    }

    #[test]
    fn adopted_bytes_are_read_between_others() {
        let (arena, mut writer) = (Arena::new(), Writer::default());
        let before = arena.append(&mut writer, b"before");
        let adopted = arena.adopt(Bytes::from(b"adopted".to_vec()));
        let after = arena.append(&mut writer, b"after");
        assert_eq!(arena.bytes_from(before), b"beforeafter");
        assert_eq!(arena.bytes_from(adopted.plus(2)), b"opted");
        assert_eq!(arena.bytes_from(after), b"after");
        assert_eq!(arena.bytes_from(adopted.plus(8)), b"");
    }

    #[test]
    fn any_bits_are_a_safe_address() {
        let arena = Arena::new();
        let address = arena.append(&mut Writer::default(), b"x");
        assert_eq!(Address::from_bits(0), None);
        for bits in [1, u64::MAX, address.to_bits() + 2, address.to_bits() << 1] {
            assert_eq!(arena.bytes_from(Address::from_bits(bits).unwrap()), b"");
        }
    }
}
