//! Size and free space of a file system as `df` reports them: from statvfs(3), or on macOS from statfs(2),
//! whose numbers have 64 bits.
//!
//! Invariant: no number wraps or is negative, whatever the file system reports.

pub use super::imp::{capacity, used};

/// Size of a file system in bytes and inodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Total capacity for file data, in bytes.
    pub size: u64,
    /// Number of free bytes.
    pub free: u64,
    /// Number of free bytes that ordinary users can use.
    pub available: u64,
    /// Number of inodes that exist or can exist; 0 if the file system creates them on demand.
    pub inodes: u64,
    /// Number of free inodes.
    pub inodes_free: u64,
}

impl Capacity {
    /// Returns the used bytes.
    pub fn used(&self) -> u64 {
        self.size.saturating_sub(self.free)
    }

    /// Returns the free bytes that only root or another privileged user can use.
    pub fn reserved(&self) -> u64 {
        self.free.saturating_sub(self.available)
    }

    /// Returns the number of used inodes.
    pub fn inodes_used(&self) -> u64 {
        self.inodes.saturating_sub(self.inodes_free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_negative_whatever_a_file_system_reports() {
        let strange = Capacity { size: 10, free: 20, available: 30, inodes: 1, inodes_free: u64::MAX };
        assert_eq!((strange.used(), strange.reserved(), strange.inodes_used()), (0, 0, 0));
        let usual = Capacity { size: 100, free: 40, available: 35, inodes: 9, inodes_free: 2 };
        assert_eq!((usual.used(), usual.reserved(), usual.inodes_used()), (60, 5, 7));
    }
}
