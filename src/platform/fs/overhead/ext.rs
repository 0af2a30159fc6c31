//! ext2, ext3 and ext4: the superblock, as described in Documentation/filesystems/ext4/super.rst in the kernel.
//!
//! Invariant: no superblock causes a panic, whatever bytes it contains.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

use crate::platform::fs::mounts::Mount;
use crate::platform::{Errno, errno_of};

/// Position of the superblock on the device, in bytes.
const START: u64 = 1024;
const LENGTH: usize = 1024;
const MAGIC: u64 = 0xef53;

/// Sizes that a superblock records, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Superblock {
    /// Size of the whole file system.
    pub whole: u64,
    /// Space reserved for root or another privileged user.
    pub reserved: u64,
    /// Size of a cluster, the unit of allocation.
    pub cluster: u64,
    /// Size of the journal; `None` if there is none, if it is on another device, or if the size is not recorded.
    pub journal: Option<u64>,
    /// Size of the file system's own structures, including the journal; `None` if the superblock does not record it.
    pub overhead: Option<u64>,
}

/// Reads the superblock of a mounted file system.
///
/// # Errors
/// Returns any error of open(2) and pread(2), `ENODEV` if the mount source is not the mounted device, or `EINVAL` if
/// the superblock is invalid. Usually only root may read the device.
pub fn read(mount: &Mount) -> Result<Superblock, Errno> {
    let source = Path::new(OsStr::from_bytes(&mount.source));
    let flags = (OFlag::O_CLOEXEC | OFlag::O_NONBLOCK).bits();
    let device =
        OpenOptions::new().read(true).custom_flags(flags).open(source).map_err(|error| errno_of(&error))?;
    let facts = device.metadata().map_err(|error| errno_of(&error))?;
    // The path from the mount table may refer to a device other than the mounted one, because device names change and
    // a container has its own /dev.
    if !facts.file_type().is_block_device() || facts.rdev() != mount.device {
        return Err(Errno::ENODEV);
    }
    let mut bytes = [0; LENGTH];
    device.read_exact_at(&mut bytes, START).map_err(|error| errno_of(&error))?;
    parse(&bytes).ok_or(Errno::EINVAL)
}

/// Parses a superblock. Returns `None` if the bytes are not a valid superblock.
pub fn parse(bytes: &[u8]) -> Option<Superblock> {
    /// Feature flag `INCOMPAT_64BIT`.
    const WIDE: u64 = 0x80;
    /// Feature flag `COMPAT_HAS_JOURNAL`.
    const HAS_JOURNAL: u64 = 4;
    let number = |at: usize, length: usize| -> Option<u64> {
        let field = bytes.get(at..at + length)?;
        Some(field.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    if number(0x38, 2)? != MAGIC {
        return None;
    }
    let block =
        1024_u64.checked_shl(u32::try_from(number(0x18, 4)?).ok()?).filter(|block| *block <= 1 << 16)?;
    let cluster =
        1024_u64.checked_shl(u32::try_from(number(0x1c, 4)?).ok()?).filter(|size| *size <= 1 << 40)?;
    let high = |at| if number(0x60, 4)? & WIDE == 0 { Some(0) } else { Some(number(at, 4)? << 32) };
    let blocks = number(0x4, 4)? | high(0x150)?;
    let reserved = number(0x8, 4)? | high(0x154)?;
    // The superblock's copy of the journal inode has fifteen block numbers, followed by the upper and the lower half of
    // the journal's length.
    let has_journal = number(0x5c, 4)? & HAS_JOURNAL != 0 && number(0xe0, 4)? != 0;
    let journal = (number(0x10c + 15 * 4, 4)? << 32) | number(0x10c + 16 * 4, 4)?;
    let has_copy = number(0xfd, 1)? == 1;
    let overhead = number(0x248, 4)?;
    Some(Superblock {
        whole: blocks.saturating_mul(block),
        reserved: reserved.saturating_mul(block),
        cluster,
        journal: (has_journal && has_copy).then_some(journal),
        overhead: (overhead != 0).then(|| overhead.saturating_mul(cluster)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::cases;
    use proptest::prelude::*;

    fn superblock(fields: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0; LENGTH];
        for (at, field) in [(0x38, &[0x53, 0xef][..]), (0x18, &[2]), (0x1c, &[2])].iter().chain(fields) {
            bytes[*at..*at + field.len()].copy_from_slice(field);
        }
        bytes
    }

    #[test]
    fn fields_are_read_where_the_specification_has_them() {
        let bytes = superblock(&[
            (0x4, &[0, 1]),         // 256 blocks of 4 KiB
            (0x8, &[5]),            // 5 reserved blocks
            (0x5c, &[4]),           // the file system has a journal
            (0xe0, &[8]),           // journal in inode 8
            (0xfd, &[1]),           // the copy of the journal inode is valid
            (0x10c + 64, &[0, 64]), // journal length of 16 KiB
            (0x248, &[7]),          // 7 clusters of overhead
        ]);
        let expected = Superblock {
            whole: 1 << 20,
            reserved: 20_480,
            cluster: 4096,
            journal: Some(16_384),
            overhead: Some(7 * 4096),
        };
        assert_eq!(parse(&bytes), Some(expected));
    }

    #[test]
    fn high_halves_count_only_where_the_file_system_has_them() {
        let narrow = superblock(&[(0x4, &[1]), (0x150, &[1])]);
        assert_eq!(parse(&narrow).map(|it| it.whole), Some(4096));
        let wide = superblock(&[(0x4, &[1]), (0x150, &[1]), (0x60, &[0x80])]);
        assert_eq!(parse(&wide).map(|it| it.whole), Some(((1 << 32) + 1) * 4096));
        assert_eq!(parse(&narrow).and_then(|it| it.journal), None);
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn any_bytes_give_numbers_or_nothing(mut bytes in prop::collection::vec(any::<u8>(), 0..LENGTH + 1)) {
            parse(&bytes);
            if let Some(magic) = bytes.get_mut(0x38..0x3a) {
                magic.copy_from_slice(&[0x53, 0xef]);
                parse(&bytes);
            }
        }
    }
}
