//! Memory that is returned to the system when it is dropped. The allocator, in contrast, may keep freed memory for
//! reuse.

use super::mapping::MappedMemory;

/// Append-only block of bytes with a fixed capacity.
pub struct Pages {
    mapping: MappedMemory,
    used: usize,
}

impl Pages {
    /// Reserves a block of `bytes` bytes. A page of the block takes physical memory only after it has been written to.
    /// Aborts the process when out of memory, like any allocation.
    pub fn with_capacity(bytes: usize) -> Self {
        let mapping = MappedMemory::new(bytes).unwrap_or_else(|_| {
            let layout =
                std::alloc::Layout::array::<u8>(bytes).expect("a block is smaller than the address space");
            std::alloc::handle_alloc_error(layout)
        });
        Self { mapping, used: 0 }
    }

    /// Returns the bytes that have been appended.
    pub fn bytes(&self) -> &[u8] {
        &self.mapping[..self.used]
    }

    /// Appends bytes.
    ///
    /// # Panics
    /// Panics if the capacity is exceeded.
    pub fn append(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        self.mapping[self.used..end].copy_from_slice(bytes);
        self.used = end;
    }
}
