//! Size and free space of a file system as reported by `df`: from statvfs(3) or, on macOS, from statfs(2), which
//! returns 64-bit numbers.
//!
//! Invariant: no number wraps around or is negative, no matter what the file system reports.

pub use super::imp::{capacity, used};

/// Capacity of a file system in bytes and inodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Total capacity for file data, in bytes.
    pub size: u64,
    /// Number of free bytes.
    pub free: u64,
    /// Number of free bytes available to ordinary users.
    pub available: u64,
    /// Unit in bytes to which the sizes are rounded.
    pub unit: u64,
    /// Total number of inodes; 0 if the file system creates inodes on demand or does not report both inode counts.
    pub inodes: u64,
    pub inodes_free: u64,
}

impl Capacity {
    /// Returns the number of used bytes.
    pub fn used(&self) -> u64 {
        self.size.saturating_sub(self.free)
    }

    /// Returns the number of used bytes minus `known`, the number of bytes already accounted for. Returns 0 if `known`
    /// is larger only because of rounding.
    ///
    /// # Errors
    /// Returns the excess if `known` exceeds the used bytes by more than rounding can explain.
    pub fn used_beyond(&self, known: u64) -> Result<u64, u64> {
        // Each size is rounded, so the difference between two sizes is off by less than one unit.
        match known.saturating_sub(self.used()) {
            excess if excess > 0 && excess >= self.unit => Err(excess),
            _ => Ok(self.used().saturating_sub(known)),
        }
    }

    /// Sets the total number of inodes and the number of free inodes. If either number is unknown (all bits set), sets
    /// both to 0.
    #[must_use]
    pub fn with_inodes(self, inodes: u64, inodes_free: u64) -> Self {
        if inodes == u64::MAX || inodes_free == u64::MAX {
            return Self { inodes: 0, inodes_free: 0, ..self };
        }
        Self { inodes, inodes_free, ..self }
    }

    /// Returns the number of free bytes that only root or another privileged user can use.
    pub fn reserved(&self) -> u64 {
        self.free.saturating_sub(self.available)
    }

    pub fn inodes_used(&self) -> u64 {
        self.inodes.saturating_sub(self.inodes_free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_negative_whatever_a_file_system_reports() {
        let strange =
            Capacity { size: 10, free: 20, available: 30, inodes: 1, inodes_free: 2, ..Capacity::default() };
        assert_eq!((strange.used(), strange.reserved(), strange.inodes_used()), (0, 0, 0));
        let usual = Capacity { size: 100, free: 40, available: 35, unit: 1, inodes: 9, inodes_free: 2 };
        assert_eq!((usual.used(), usual.reserved(), usual.inodes_used()), (60, 5, 7));
    }

    #[test]
    fn unknown_numbers_of_inodes_are_no_numbers() {
        let inodes = |total, free| {
            let capacity = Capacity::default().with_inodes(total, free);
            (capacity.inodes, capacity.inodes_free)
        };
        assert_eq!(inodes(9, 2), (9, 2));
        // CephFS reports the number of used inodes as the total, and the number of free inodes as unknown.
        assert_eq!(inodes(7, u64::MAX), (0, 0));
        assert_eq!(inodes(u64::MAX, u64::MAX), (0, 0));
    }

    #[test]
    fn rounding_is_no_excess() {
        let capacity = Capacity { size: 100 << 20, free: 92 << 20, unit: 4 << 20, ..Capacity::default() };
        assert_eq!(capacity.used_beyond(5 << 20), Ok(3 << 20));
        assert_eq!(capacity.used_beyond(8 << 20), Ok(0));
        assert_eq!(capacity.used_beyond((12 << 20) - 1), Ok(0));
        assert_eq!(capacity.used_beyond(12 << 20), Err(4 << 20));
        let exact = Capacity { unit: 0, ..capacity };
        assert_eq!((exact.used_beyond(8 << 20), exact.used_beyond((8 << 20) + 1)), (Ok(0), Err(1)));
    }
}
