//! Wrapper for `ioctl(2)` requests to a file system, and functions that compute request numbers.

use std::os::fd::{AsFd, AsRawFd};

use crate::platform::{Directory, Errno, retry};

/// Sends `request` to the file system of `directory` and stores the reply in `answer`.
///
/// # Errors
/// Returns any error of ioctl(2), such as `ENOTTY` if the request is unknown.
///
/// # Safety
/// `T` must be the type that `request` reads and writes, and any bytes must be a valid `T`.
#[allow(unsafe_code)]
pub unsafe fn ask<T>(directory: &Directory, request: u64, answer: &mut T) -> Result<(), Errno> {
    let fd = directory.as_fd().as_raw_fd();
    let start = std::ptr::from_mut(answer).cast::<libc::c_void>();
    // The type of ioctl's request parameter depends on the C library, but a request always has 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
    // SAFETY: the caller guarantees that the request takes a `T`, which is borrowed only for the call.
    retry(|| Errno::result(unsafe { libc::ioctl(fd, request as _, start) }))?;
    Ok(())
}

/// Returns the number of a request that reads `size` bytes from the kernel (`_IOR` in asm-generic/ioctl.h).
pub const fn reads(kind: u8, number: u8, size: usize) -> u64 {
    request(2, kind, number, size)
}

/// Returns the number of a request that transfers `size` bytes both ways (`_IOWR`).
pub const fn exchanges(kind: u8, number: u8, size: usize) -> u64 {
    request(3, kind, number, size)
}

const fn request(direction: u64, kind: u8, number: u8, size: usize) -> u64 {
    direction << 30 | (size as u64) << 16 | (kind as u64) << 8 | number as u64
}
