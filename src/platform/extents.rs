//! How much of a file is its own: space that a copy shares is not freed when one of the two goes.
//!
//! Knows no tree. Invariant: opens regular files only, for reading, without touching their content.

use std::ffi::CStr;

use super::{Directory, Errno};

/// Whether files can share space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// They cannot on this file system, or nobody can tell.
    Never,
    /// They can, and [`private_bytes`] tells.
    Possible,
}

#[cfg(target_os = "linux")]
pub use linux::{private_bytes, sharing};
#[cfg(target_os = "macos")]
pub use macos::{private_bytes, sharing};
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub use none::{private_bytes, sharing};

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::AsRawFd;

    use nix::fcntl::{OFlag, openat};
    use nix::sys::stat::Mode;
    use nix::sys::statfs::fstatfs;

    use super::{CStr, Directory, Errno, Sharing};
    use crate::platform::retry;

    /// Extents asked for in one call.
    const EXTENTS: usize = 128;
    /// Calls made for one file: some 130,000 extents. The rest counts as shared.
    const CALLS: usize = 1024;

    /// `struct fiemap_extent` of linux/fiemap.h.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Extent {
        logical: u64,
        physical: u64,
        length: u64,
        reserved64: [u64; 2],
        flags: u32,
        reserved: [u32; 3],
    }

    /// `struct fiemap` of linux/fiemap.h, with room for the extents.
    #[repr(C)]
    struct Map {
        start: u64,
        length: u64,
        flags: u32,
        mapped: u32,
        count: u32,
        reserved: u32,
        extents: [Extent; EXTENTS],
    }

    const LAST: u32 = 0x1;
    const SHARED: u32 = 0x2000;
    /// Written, but without a place yet.
    const DELAYED: u32 = 0x4;
    /// `FS_IOC_FIEMAP`: `_IOWR('f', 11, struct fiemap)`
    const FIEMAP: u32 = 0xc020_660b;

    /// Whether files share space on the file system of `directory`: the magic numbers of those that can and tell so.
    pub fn sharing(directory: &Directory) -> Sharing {
        const SHARING: [u32; 4] = [
            0x9123_683e, // btrfs
            0x5846_5342, // xfs
            0xca45_1a4e, // bcachefs
            0x7461_636f, // ocfs2
        ];
        // The magic's type differs between C libraries; the number has 32 bits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let shares =
            fstatfs(directory).is_ok_and(|status| SHARING.contains(&(status.filesystem_type().0 as u32)));
        if shares { Sharing::Possible } else { Sharing::Never }
    }

    /// Bytes of the regular file `name` that it shares with no other.
    ///
    /// # Errors
    /// As openat(2) and ioctl_fiemap(2).
    #[allow(unsafe_code)]
    pub fn private_bytes(directory: &Directory, name: &CStr) -> Result<u64, Errno> {
        let flags =
            OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW | OFlag::O_NOCTTY;
        let file = retry(|| openat(directory, name, flags, Mode::empty()))?;
        let none =
            Extent { logical: 0, physical: 0, length: 0, reserved64: [0; 2], flags: 0, reserved: [0; 3] };
        let mut start = 0;
        let mut private = 0_u64;
        for _ in 0..CALLS {
            let count = u32::try_from(EXTENTS).expect("a small number");
            let mut map = Map {
                start,
                length: u64::MAX - start,
                flags: 0,
                mapped: 0,
                count,
                reserved: 0,
                extents: [none; EXTENTS],
            };
            retry(|| {
                let request = FIEMAP.try_into().map_err(|_| Errno::EINVAL)?;
                // SAFETY: `map` is a whole `struct fiemap` with room for as many extents as its count says, and nothing
                // else refers to it during the call.
                Errno::result(unsafe { libc::ioctl(file.as_raw_fd(), request, &raw mut map) })
            })?;
            let mapped = &map.extents[..EXTENTS.min(usize::try_from(map.mapped).unwrap_or(0))];
            for extent in mapped {
                if extent.flags & SHARED == 0 || extent.flags & DELAYED != 0 {
                    private = private.saturating_add(extent.length);
                }
            }
            let Some(last) = mapped.last().filter(|last| last.flags & LAST == 0) else { break };
            start = last.logical.saturating_add(last.length);
        }
        Ok(private)
    }

    const _: () = assert!(size_of::<Map>() == 32 + EXTENTS * 56);
}

#[cfg(target_os = "macos")]
mod macos {
    use std::os::fd::{AsFd, AsRawFd};

    use super::{CStr, Directory, Errno, Sharing};
    use crate::platform::retry;

    /// Whether files share space on the file system of `directory`: those of APFS do, and others do not answer.
    pub fn sharing(directory: &Directory) -> Sharing {
        let is_apfs =
            nix::sys::statfs::fstatfs(directory).is_ok_and(|status| status.filesystem_type_name() == "apfs");
        if is_apfs { Sharing::Possible } else { Sharing::Never }
    }

    /// Bytes of `name` that it shares with no clone (`ATTR_CMNEXT_PRIVATESIZE`, getattrlist(2), macOS 10.13).
    ///
    /// # Errors
    /// As getattrlistat(2); `ENOTSUP` where the file system does not say.
    #[allow(unsafe_code)]
    pub fn private_bytes(directory: &Directory, name: &CStr) -> Result<u64, Errno> {
        /// `FSOPT_NOFOLLOW | FSOPT_ATTR_CMN_EXTENDED`
        const OPTIONS: u32 = 0x1 | 0x20;
        const PRIVATE_SIZE: u32 = 0x8;
        let mut list = libc::attrlist {
            bitmapcount: libc::ATTR_BIT_MAP_COUNT,
            reserved: 0,
            commonattr: libc::ATTR_CMN_RETURNED_ATTRS,
            volattr: 0,
            dirattr: 0,
            fileattr: 0,
            forkattr: PRIVATE_SIZE,
        };
        // Length, five words of returned bits, the number.
        let mut answer = [0_u8; 32];
        let fd = directory.as_fd().as_raw_fd();
        retry(|| {
            let (list, start) = ((&raw mut list).cast(), answer.as_mut_ptr().cast());
            // SAFETY: `list` is a complete `attrlist`, which the call reads; `name` ends in NUL; `start` points to as many
            // writable bytes as it is told.
            Errno::result(unsafe {
                libc::getattrlistat(fd, name.as_ptr(), list, start, answer.len(), OPTIONS.into())
            })
        })?;
        let word = |at: usize| answer[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
        if word(0) < 32 || word(20) & PRIVATE_SIZE == 0 {
            return Err(Errno::ENOTSUP);
        }
        answer[24..].first_chunk().map(|bytes| u64::from_ne_bytes(*bytes)).ok_or(Errno::ENOTSUP)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod none {
    use super::{CStr, Directory, Errno, Sharing};

    /// Nobody can tell here.
    pub fn sharing(_: &Directory) -> Sharing {
        Sharing::Never
    }

    /// Never called.
    ///
    /// # Errors
    /// Always.
    pub fn private_bytes(_: &Directory, _: &CStr) -> Result<u64, Errno> {
        Err(Errno::ENOTSUP)
    }
}
