//! Data sharing between two files on Linux, using `ioctl_fideduperange(2)`. The kernel compares the bytes while both
//! files are locked, and shares them only if they are equal. Neither contents nor modification times change.

use std::os::fd::AsRawFd;

use nix::fcntl::openat;
use nix::sys::stat::Mode;

use crate::platform::read_dir::directory::OPEN;
use crate::platform::{Directory, Errno, retry};

/// `struct file_dedupe_range` from linux/fs.h, with one `struct file_dedupe_range_info`.
#[repr(C)]
struct DedupeRange {
    from: u64,
    length: u64,
    count: u16,
    reserved: [u16; 3],
    to_file: i64,
    to: u64,
    shared: u64,
    status: i32,
    reserved_info: u32,
}

const _: () = assert!(size_of::<DedupeRange>() == 24 + 32);

/// `FILE_DEDUPE_RANGE_DIFFERS` from linux/fs.h.
const DIFFERS: i32 = 1;
/// `FIDEDUPERANGE` from linux/fs.h, which is `_IOWR(0x94, 54, struct file_dedupe_range)`.
const DEDUPE: u32 = 0xc018_9436;

/// `true` if duke can let files share data on this system.
pub const CAN_SHARE: bool = true;

/// Lets two files share up to `length` bytes at `offset`: the file `to` then uses the data of `from`. Returns the
/// number of bytes shared, or `None` if the bytes of the two files differ.
///
/// # Errors
/// Returns any error of `ioctl_fideduperange(2)`, such as `EOPNOTSUPP` if the file system cannot share data, or
/// `EXDEV` if the files are on different file systems.
#[allow(unsafe_code)]
pub fn share_range(
    from: &impl AsRawFd,
    to: &impl AsRawFd,
    offset: u64,
    length: u64,
) -> Result<Option<u64>, Errno> {
    let mut range = DedupeRange {
        from: offset,
        length,
        count: 1,
        reserved: [0; 3],
        to_file: to.as_raw_fd().into(),
        to: offset,
        shared: 0,
        status: 0,
        reserved_info: 0,
    };
    // The type of ioctl's request parameter depends on the C library, but a request always has 32 bits.
    #[allow(clippy::cast_possible_wrap, clippy::cast_lossless)]
    retry(|| {
        // SAFETY: `range` is a complete `struct file_dedupe_range`, and `count` is the number of its
        // `file_dedupe_range_info` elements. Nothing else refers to `range` during the call.
        Errno::result(unsafe { libc::ioctl(from.as_raw_fd(), DEDUPE as _, &raw mut range) })
    })?;
    match range.status {
        0 => Ok(Some(range.shared)),
        DIFFERS => Ok(None),
        error => Err(Errno::from_raw(-error)),
    }
}

/// Flushes all cached data of the file system that contains `directory` to disk (syncfs(2)). After that, the file
/// system's free space includes all the space that was freed.
///
/// # Errors
/// Returns any error of openat(2) and syncfs(2).
pub fn sync_file_system(directory: &Directory) -> Result<(), Errno> {
    // `directory` may be open for path lookups only, so it is opened again for reading.
    let open = retry(|| openat(&directory.fd, c".", OPEN, Mode::empty()))?;
    nix::unistd::syncfs(open)
}
