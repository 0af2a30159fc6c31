//! Cache of decompressed blocks. The items of a directory are usually in one or two blocks.
//!
//! Invariant: the cache takes a bounded amount of memory, regardless of the size of the file.

use std::collections::HashMap;

use crate::base::sync::Arc;

/// Maximum total size in bytes of the cached blocks.
const MOST: usize = 16 << 20;
/// Number of most recently used blocks that are kept regardless of their size.
const LEAST: usize = 4;

/// Decompressed block.
#[derive(Clone)]
pub(crate) struct ContentBlock {
    pub(crate) number: u32,
    pub(crate) bytes: Arc<[u8]>,
}

/// Cache of the most recently used blocks.
#[derive(Default)]
pub(crate) struct KeptBlocks {
    /// Blocks by number, each with the value of `now` at its last use. `now` counts the uses of all blocks.
    blocks: HashMap<u32, (Arc<[u8]>, u64)>,
    bytes: usize,
    now: u64,
}

impl KeptBlocks {
    /// Returns block `number` if it is in the cache.
    pub(crate) fn get(&mut self, number: u32) -> Option<ContentBlock> {
        let (bytes, used) = self.blocks.get_mut(&number)?;
        self.now += 1;
        *used = self.now;
        Some(ContentBlock { number, bytes: Arc::clone(bytes) })
    }

    /// Adds a block to the cache, and removes the least recently used blocks if the cache is too large.
    pub(crate) fn put(&mut self, block: &ContentBlock) {
        self.now += 1;
        self.bytes += block.bytes.len();
        if let Some((before, _)) = self.blocks.insert(block.number, (Arc::clone(&block.bytes), self.now)) {
            self.bytes -= before.len();
        }
        while self.bytes > MOST
            && self.blocks.len() > LEAST
            && let Some(oldest) = self.blocks.iter().min_by_key(|(_, (_, used))| *used).map(|(at, _)| *at)
        {
            self.bytes -= self.blocks.remove(&oldest).map_or(0, |(bytes, _)| bytes.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_used_least_recently_are_dropped() {
        let mut kept = KeptBlocks::default();
        let block = |number, length| ContentBlock { number, bytes: vec![0; length].into() };
        (0..4).for_each(|number| kept.put(&block(number, MOST / 4)));
        assert!(kept.get(0).is_some());
        kept.put(&block(9, 1));
        kept.put(&block(9, 1));
        let is_kept = [0, 1, 2, 3, 9].map(|number| kept.get(number).is_some());
        assert_eq!((is_kept, kept.bytes), ([true, false, true, true, true], MOST / 4 * 3 + 1));
        (0..4).for_each(|number| kept.put(&block(number, MOST)));
        assert_eq!((kept.blocks.len(), kept.bytes), (LEAST, LEAST * MOST));
    }
}
