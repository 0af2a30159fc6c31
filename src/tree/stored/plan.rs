//! Files from which trees are loaded, with their loading states.

use super::chains::ChainedFile;
use super::damage::FirstDamage;
use crate::base::sync::OnceLock;
use crate::platform::memory::arena::Address;
use crate::platform::memory::block_file::{Block, BlockFile};

/// Number of rows of the directory table per block. The last block may have fewer rows.
pub const ROWS: u32 = 1 << 10;

/// Block of directory listings in a file.
#[derive(Clone, Copy, Debug)]
pub struct ListingBlock {
    /// Position, length and checksum of the block.
    pub block: Block,
    /// Number assigned to the first directory in the block.
    pub first: u32,
    /// Number assigned to the first child directory named in this block or, if there is none, in a later block.
    pub child: u32,
    /// `true` if the block contains names of inodes with several links.
    pub has_links: bool,
    /// `true` if an entry in the block could not be read.
    pub has_failures: bool,
    /// Number of entries in the block, if the block continues a listing whose head
    /// ([`ListingHead`](crate::tree::ListingHead)) is in the previous block; otherwise `None`.
    pub others: Option<u64>,
}

/// Positions of all blocks of a tree.
#[derive(Debug)]
pub struct Plan {
    /// Number of directories, including the top directory.
    pub directories: u32,
    /// Blocks of [`ROWS`] rows, in order. The last block may have fewer rows.
    pub rows: Vec<Block>,
    /// Blocks of listings, in the order of their directories.
    pub listings: Vec<ListingBlock>,
    /// Function that computes the checksum of a block.
    pub checksum: fn(&[u8]) -> u32,
    /// Device numbers. Rows and records refer to them by index.
    pub devices: Vec<u64>,
    /// Names of the storage classes. Records refer to them by index.
    pub classes: Vec<Vec<u8>>,
}

/// File from which a tree is loaded, with its loading state.
pub(in crate::tree) enum Stored {
    Numbered(NumberedFile),
    Chained(Box<ChainedFile>),
}

/// File with a directory table, and the loading state of its listings.
pub(in crate::tree) struct NumberedFile {
    pub(in crate::tree) file: BlockFile,
    pub(in crate::tree) plan: Plan,
    /// One cell per block of listings, empty until the block has been loaded. The value is the address of the head of a
    /// long listing (its largest entries) if the block contains only this head and is not damaged; otherwise `None`.
    pub(in crate::tree) loaded_heads: Box<[OnceLock<Option<Address>>]>,
    pub(in crate::tree) damage: FirstDamage,
}

impl NumberedFile {
    /// Creates the loading state of a file from which nothing has been loaded yet.
    pub(crate) fn new(file: BlockFile, plan: Plan) -> Self {
        let loaded_heads = plan.listings.iter().map(|_| OnceLock::new()).collect();
        Self { file, plan, loaded_heads, damage: FirstDamage::default() }
    }
}
