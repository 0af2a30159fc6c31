//! Size of the blocks in a binary export.

use std::ops::RangeInclusive;

/// Number of blocks after which [`BlockSize::Growing`] doubles the size.
const DOUBLING: u32 = 1 << 10;
/// Maximum number of times that [`BlockSize::Growing`] doubles the size.
const DOUBLINGS: u32 = 5;

/// Size at which a block is full and the next one begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockSize {
    /// Growing size: 64 KiB at first, so that little has to be read to show a directory. The size later doubles several
    /// times, which keeps the index of a huge export small.
    #[default]
    Growing,
    /// Fixed size in KiB, within [`BlockSize::RANGE`].
    Fixed(u16),
}

impl BlockSize {
    /// Sizes in KiB that ncdu accepts. The maximum is below the format's limit of 16 MiB, because a block's last
    /// item can extend past the size set here.
    pub const RANGE: RangeInclusive<u16> = 4..=16_000;

    /// Returns the size in bytes for the block `number`.
    pub fn bytes(self, number: u32) -> usize {
        match self {
            Self::Growing => (64 << 10) << (number / DOUBLING).min(DOUBLINGS),
            Self::Fixed(size) => usize::from(size) << 10,
        }
    }
}
