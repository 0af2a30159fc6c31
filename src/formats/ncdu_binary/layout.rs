//! Layout of ncdu's binary export, except for the items in its blocks (`item`).
//!
//! ```text
//! file  = MAGIC  block*                              the last block is the index
//! block = head u32 BE  body  head u32 BE             head: type (4 bits), length of the block (28 bits)
//! data  = number u32 BE  zstd frame                  frame: items, less than 16 MiB when unpacked
//! index = pointer u64 BE *  root u64 BE              pointer n: offset << 24 | length of data block number n;
//!                                                    0 if no block has this number
//!                                                    root: reference to the root item
//! ```

/// First bytes of every binary export.
pub const MAGIC: [u8; 8] = *b"\xbfncduEX1";
/// Block types, stored in the upper four bits of a block's head.
pub(crate) const DATA: u32 = 0;
pub(crate) const INDEX: u32 = 1;
/// Number of bits in a head that hold the length of the block.
pub(crate) const LENGTH_BITS: u32 = 28;
/// Number of bits in a pointer that hold the length of the block it points to.
pub(crate) const POINTER_LENGTH_BITS: u32 = 24;
/// Length in bytes of a block's head, and of the block number that follows the head of a data block.
pub(crate) const WORD: usize = 4;
/// Number of bits in a reference that hold the item's offset in its block.
pub(crate) const OFFSET_BITS: u32 = 24;
