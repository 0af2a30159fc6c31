//! Memory that goes back to the system when it is dropped, unlike that of the allocator, which keeps what it may need
//! again.

use memmap2::MmapMut;

/// Bytes that are appended to a block of fixed capacity.
pub struct Pages {
    mapping: MmapMut,
    used: usize,
}

impl Pages {
    /// Reserves a block. Pages that are never written to take no memory. Like any allocation, aborts the process if there
    /// is no memory.
    pub fn with_capacity(bytes: usize) -> Self {
        let mapping = MmapMut::map_anon(bytes).unwrap_or_else(|_| {
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
    /// When the capacity is exceeded.
    pub fn append(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        self.mapping[self.used..end].copy_from_slice(bytes);
        self.used = end;
    }
}
