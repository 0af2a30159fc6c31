//! Positions of the blocks in a numbered file.

use crate::platform::memory::block_file::Block;

/// Number of rows in a block.
pub const ROWS: u32 = 1 << 10;

/// Block of listings.
#[derive(Clone, Copy, Debug)]
pub struct ListingBlock {
    /// Position in the file.
    pub block: Block,
    /// Number of the first directory in the block.
    pub first: u32,
    /// Number of the first child directory whose name is in this block or, if there is none, in a later block.
    pub child: u32,
    /// `true` if the block names inodes with several links.
    pub has_links: bool,
    /// `true` if an entry in the block could not be read.
    pub has_failures: bool,
}

/// Positions of all blocks of a tree.
#[derive(Debug)]
pub struct Plan {
    /// Number of directories, including the top.
    pub directories: u32,
    /// Blocks of [`ROWS`] rows, in order. The last block may have fewer rows.
    pub rows: Vec<Block>,
    /// Blocks of listings, in the order of their directories.
    pub listings: Vec<ListingBlock>,
    /// Device numbers. Rows and records refer to them by index.
    pub devices: Vec<u64>,
}
