//! Blocks of ncdu's binary export: index, decompression, and chains of items.
//!
//! Invariant: no byte belongs to two items that were read. Therefore, reading always ends, and the memory for items is
//! proportional to the length of the unpacked blocks. `check_ratio` limits this length in proportion to the length of
//! the file.

use std::ops::Range;

use super::item::Fields;
use super::kept_blocks::{ContentBlock, KeptBlocks};
use super::layout::{DATA, INDEX, LENGTH_BITS, MAGIC, OFFSET_BITS, POINTER_LENGTH_BITS, WORD};
use crate::base::sync::{AtomicU64, Mutex, OnceLock, Ordering, lock};
use crate::formats::compression::{HARMLESS, RATIO};
use crate::formats::snapshot::OpenError;
use crate::formats::zstd_block;
use crate::platform::memory::block_file::{BlockFile, Damage};
use crate::tree::stored::chains::{ChainItem, Chains};

/// Length in bytes of each element of the index: the pointers to the blocks, and the reference to the root item.
const LONG: u64 = 8;
/// Maximum length of a block's content in bytes.
const LARGEST: u64 = (1 << OFFSET_BITS) - 1;

/// Binary export that is open for reading.
pub(crate) struct Blocks {
    file: BlockFile,
    /// Pointers to all blocks, followed by a reference to the root.
    index: Box<[u8]>,
    /// Position of the index in the file.
    index_offset: u64,
    /// For each block, the bytes that belong to an item already read.
    claimed: Box<[Claims]>,
    /// Total unpacked length of the blocks unpacked so far. Each block is counted once.
    unpacked: AtomicU64,
    kept: Mutex<KeptBlocks>,
}

impl Blocks {
    /// Reads the index of `file`.
    pub(crate) fn open(file: BlockFile) -> Result<Self, OpenError> {
        let length = file.length();
        if !file.bytes(0, length.min(MAGIC.len() as u64))?.starts_with(&MAGIC) {
            return Err(OpenError::Foreign("binary export"));
        }
        let word = WORD as u64;
        let cut_off = || Damage::new(length, "the file is truncated here");
        let start = MAGIC.len() as u64;
        let footer = length.checked_sub(word).filter(|at| *at >= start).ok_or_else(cut_off)?;
        let head = number(&file.bytes(footer, word)?);
        let index = u64::from(head & ((1 << LENGTH_BITS) - 1));
        let damaged =
            || Damage::new(footer, "end of the export not found; the file is truncated or has trailing data");
        if head >> LENGTH_BITS != INDEX || index < 2 * word + LONG || !(index - 2 * word).is_multiple_of(LONG)
        {
            return Err(damaged().into());
        }
        let offset = length.checked_sub(index).filter(|at| *at >= start).ok_or_else(damaged)?;
        if number(&file.bytes(offset, word)?) != head {
            return Err(damaged().into());
        }
        // The index is copied, because the file may be memory-mapped, and another program may truncate it later.
        let index: Box<[u8]> = file.bytes(offset + word, index - 2 * word)?.to_vec().into();
        let count = index.len() as u64 / LONG - 1;
        let claimed = (0..count).map(|_| Claims::default()).collect();
        let (unpacked, kept) = (AtomicU64::new(0), Mutex::default());
        Ok(Self { file, index, index_offset: offset + word, claimed, unpacked, kept })
    }

    /// Returns the reference to the root item.
    pub(crate) fn root(&self) -> u64 {
        self.pointer(self.claimed.len()).unwrap_or(0)
    }

    fn pointer(&self, index: usize) -> Option<u64> {
        let bytes = self.index.get(index.checked_mul(size_of::<u64>())?..)?;
        bytes.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
    }

    /// Returns the content of the block that contains the item `reference`.
    fn block(&self, reference: u64) -> Result<ContentBlock, Damage> {
        let index_damage = |reason| damage(self.index_offset, reference, reason);
        let number = u32::try_from(reference >> OFFSET_BITS)
            .map_err(|_| index_damage("its block is not in the index"))?;
        let index = number as usize;
        if let Some(block) = lock(&self.kept).get(number) {
            return Ok(block);
        }
        let is_known = index < self.claimed.len();
        let pointer = self.pointer(index).filter(|pointer| is_known && *pointer != 0);
        let pointer = pointer.ok_or_else(|| index_damage("its block is not in the index"))?;
        let (offset, length) = (pointer >> POINTER_LENGTH_BITS, pointer & ((1 << POINTER_LENGTH_BITS) - 1));
        let whole = self.file.bytes(offset, length);
        let whole = whole.map_err(|found| damage(found.offset, reference, &found.reason))?;
        let damaged = |reason: &str| damage(offset, reference, reason);
        let frame = frame(&whole, number).ok_or_else(|| damaged("no data block here"))?;
        let content = zstd_block::content_length(frame).filter(|content| *content <= LARGEST);
        let content =
            content.ok_or_else(|| damaged("no zstd frame here with a content length below 16 MiB"))?;
        self.check_ratio(index, content).map_err(|reason| damaged(&reason))?;
        let content = usize::try_from(content).map_err(|_| damaged("block too large"))?;
        let bytes = zstd_block::unpack(frame, content).map_err(|reason| damaged(&reason))?;
        let block = ContentBlock { number, bytes: bytes.into() };
        lock(&self.kept).put(&block);
        Ok(block)
    }

    /// Adds `content`, the content length of a block, to the total when the block is unpacked for the first time.
    /// Returns an error if the total is too large in proportion to the length of the file.
    fn check_ratio(&self, index: usize, content: u64) -> Result<(), String> {
        let mut total = self.unpacked.load(Ordering::Relaxed);
        self.claimed[index].words.get_or_init(|| {
            total = self.unpacked.fetch_add(content, Ordering::Relaxed) + content;
            (0..content.div_ceil(u64::from(u64::BITS))).map(|_| AtomicU64::new(0)).collect()
        });
        if total > self.file.length().saturating_mul(RATIO).max(HARMLESS) {
            return Err(format!("the file expands to more than {RATIO} times its size"));
        }
        Ok(())
    }

    /// Returns the item at `reference`. `block` keeps the last block used, for the next call.
    fn fields<'b>(&self, block: &'b mut Option<ContentBlock>, reference: u64) -> Result<Fields<'b>, Damage> {
        let number = reference >> OFFSET_BITS;
        if block.as_ref().is_none_or(|block| u64::from(block.number) != number) {
            *block = Some(self.block(reference)?);
        }
        let bytes = block.as_ref().map(|block| &*block.bytes).unwrap_or_default();
        Fields::decode(bytes, offset_in_block(reference), reference)
            .map_err(|reason| damage(self.offset(reference), reference, reason))
    }

    /// Returns the file position of the block that contains the item `reference`. The index must list this block.
    fn offset(&self, reference: u64) -> u64 {
        let index = usize::try_from(reference >> OFFSET_BITS).unwrap_or(usize::MAX);
        self.pointer(index).map_or(self.index_offset, |pointer| pointer >> POINTER_LENGTH_BITS)
    }

    /// Follows a chain of items backward and appends the reference of each item to `chain`. `last` is the reference of
    /// the last item in the chain. After an error, `chain` contains the references of the items read before the error.
    fn follow(
        &self,
        last: u64,
        block: &mut Option<ContentBlock>,
        chain: &mut Vec<u64>,
    ) -> Result<(), Damage> {
        let mut next = Some(last);
        while let Some(reference) = next {
            let fields = self.fields(block, reference)?;
            let is_root = reference == self.root();
            let damaged = |reason| damage(self.offset(reference), reference, reason);
            let item = fields.item(is_root).map_err(damaged)?;
            if is_root && item.inside.is_none() {
                return Err(damaged("the root is not a directory"));
            }
            let claims = &self.claimed[usize::try_from(reference >> OFFSET_BITS).unwrap_or(usize::MAX)];
            if !claims.claim(offset_in_block(reference)..fields.end) {
                return Err(damaged("the item is listed twice, or contains itself"));
            }
            chain.push(reference);
            // The root has no siblings.
            next = fields.previous().filter(|_| !is_root);
        }
        Ok(())
    }
}

impl Chains for Blocks {
    fn chain(&self, last: u64, give: &mut dyn FnMut(&ChainItem<'_>)) -> Result<(), Damage> {
        let (mut block, mut chain) = (None, Vec::new());
        let result = self.follow(last, &mut block, &mut chain);
        for reference in chain.into_iter().rev() {
            let fields = self.fields(&mut block, reference)?;
            let item = fields.item(reference == self.root());
            give(&item.map_err(|reason| damage(self.offset(reference), reference, reason))?);
        }
        result
    }
}

/// Bitmap of a block, with one bit for each byte. A bit is set if the byte belongs to an item already read.
#[derive(Default)]
struct Claims {
    words: OnceLock<Box<[AtomicU64]>>,
}

impl Claims {
    /// Marks a range. Returns `false` if a byte in it was already marked, or if it extends beyond the block.
    fn claim(&self, range: Range<usize>) -> bool {
        let bits = u64::BITS as usize;
        let words = self.words.get().map(|words| &**words).unwrap_or_default();
        let mut is_free = range.end <= words.len() * bits;
        let mut at = range.start;
        while at < range.end && is_free {
            let end = range.end.min((at / bits + 1) * bits);
            let mask = (u64::MAX >> (bits - (end - at))) << (at % bits);
            // `Relaxed` ordering is enough, because the bits guard no data.
            is_free = words[at / bits].fetch_or(mask, Ordering::Relaxed) & mask == 0;
            at = end;
        }
        is_free
    }
}

fn offset_in_block(reference: u64) -> usize {
    usize::try_from(reference & LARGEST).unwrap_or(usize::MAX)
}

/// Returns the zstd frame in `block`, or `None` if `block` is not the data block `number`.
fn frame(block: &[u8], number: u32) -> Option<&[u8]> {
    let (head, rest) = block.split_first_chunk::<WORD>()?;
    let (own_number, rest) = rest.split_first_chunk::<WORD>()?;
    let (frame, footer) = rest.split_last_chunk::<WORD>()?;
    let expected = DATA << LENGTH_BITS | u32::try_from(block.len()).ok()?;
    let is_right = head == footer && *head == expected.to_be_bytes() && *own_number == number.to_be_bytes();
    is_right.then_some(frame)
}

fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// Describes the damage to an item whose block is at `offset` in the file.
fn damage(offset: u64, reference: u64, reason: &str) -> Damage {
    Damage::new(offset, format!("item {reference:#x}: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_claimed_once() {
        let claims = Claims::default();
        claims.words.get_or_init(|| (0..4).map(|_| AtomicU64::new(0)).collect());
        assert!(claims.claim(0..3) && claims.claim(3..64) && claims.claim(64..128) && claims.claim(130..250));
        for range in [0..1, 2..4, 60..70, 127..129, 249..251, 128..256, 200..201, 255..257, 256..258] {
            assert!(!claims.claim(range.clone()), "{range:?}");
        }
        assert!(claims.claim(251..252));
    }
}
