//! How large a file system is and how much of it is free, as `df` says it: statvfs(3), on macOS statfs(2), whose numbers
//! have 64 bits.
//!
//! Knows no tree. Invariant: whatever a file system answers, nothing wraps and nothing is negative.

use std::path::Path;

use super::{Errno, retry};

/// The size of a file system; bytes and numbers of inodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Bytes there are for files.
    pub size: u64,
    /// Bytes nobody uses.
    pub free: u64,
    /// Bytes that an ordinary person may still use.
    pub available: u64,
    /// Inodes there are or can be; zero where the file system makes them as it needs them.
    pub inodes: u64,
    /// Inodes nobody uses.
    pub inodes_free: u64,
}

impl Capacity {
    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.size.saturating_sub(self.free)
    }

    /// Free bytes that only root, or somebody else who is privileged, may use.
    pub fn reserved(&self) -> u64 {
        self.free.saturating_sub(self.available)
    }

    /// Inodes in use.
    pub fn inodes_used(&self) -> u64 {
        self.inodes.saturating_sub(self.inodes_free)
    }
}

/// The capacity of the file system `path` is on. Where a quota of projects is on, that of the directory.
///
/// # Errors
/// As statvfs(3).
#[cfg(not(target_os = "macos"))]
#[allow(clippy::useless_conversion)] // 32 bits on some systems
pub fn capacity(path: &Path) -> Result<Capacity, Errno> {
    let status = retry(|| nix::sys::statvfs::statvfs(path))?;
    let bytes = |blocks| u64::from(status.fragment_size()).saturating_mul(u64::from(blocks));
    Ok(Capacity {
        size: bytes(status.blocks()),
        free: bytes(status.blocks_free()),
        available: bytes(status.blocks_available()),
        inodes: status.files().into(),
        inodes_free: status.files_free().into(),
    })
}
/// The capacity of the file system `path` is on; of APFS that of the container, which its volumes share.
///
/// # Errors
/// As statfs(2).
#[cfg(target_os = "macos")]
pub fn capacity(path: &Path) -> Result<Capacity, Errno> {
    let status = retry(|| nix::sys::statfs::statfs(path))?;
    let bytes = |blocks| u64::from(status.block_size()).saturating_mul(blocks);
    Ok(Capacity {
        size: bytes(status.blocks()),
        free: bytes(status.blocks_free()),
        available: bytes(status.blocks_available()),
        inodes: status.files(),
        inodes_free: status.files_free(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_negative_whatever_a_file_system_says() {
        let strange = Capacity { size: 10, free: 20, available: 30, inodes: 1, inodes_free: u64::MAX };
        assert_eq!((strange.used(), strange.reserved(), strange.inodes_used()), (0, 0, 0));
        let usual = Capacity { size: 100, free: 40, available: 35, inodes: 9, inodes_free: 2 };
        assert_eq!((usual.used(), usual.reserved(), usual.inodes_used()), (60, 5, 7));
    }
}
