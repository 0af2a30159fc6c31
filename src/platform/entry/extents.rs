//! Extents of a file: space shared with a copy is not freed when only one of the two is deleted.
//!
//! Invariant: opens only regular files, for reading, without reading their content.

use std::ffi::CStr;

use crate::platform::{Directory, Errno};

/// Ability of a file system to share space between files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Files do not share space, or the system cannot tell.
    Never,
    /// Files can share space, and [`private_bytes`] reports it.
    Possible,
}

/// Layout of a file on the disk, as far as the system reports it. Bytes are those of the content, before
/// compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes shared with no other file.
    pub private: u64,
    /// Disk usage in bytes that certainly belongs to this file alone. The system does not report the size of
    /// compressed data, so only one block of each extent counts; the same applies to data without a location
    /// yet, which may still be compressed.
    pub certain: u64,
    /// Bytes shared with copies or snapshots; always 0 on macOS, which reports only private bytes.
    pub shared: u64,
    /// Bytes stored compressed.
    pub compressed: u64,
    /// Bytes allocated but never written.
    pub unwritten: u64,
    /// Bytes without a location on the disk yet.
    pub delayed: u64,
    /// Number of pieces on the disk; `None` if the system does not report it.
    pub pieces: Option<u64>,
    /// `true` if there are more pieces than were read.
    pub is_cut_short: bool,
    /// Number shared by clones of one another, on macOS; `None` if the system does not report it.
    pub clone: Option<u64>,
}

/// Returns a lower bound of the disk usage that the regular file `name` shares with no other: there may be
/// more in compressed data, data without a location yet, and pieces beyond those that are read.
///
/// # Errors
/// Those of [`layout`].
pub fn private_bytes(directory: &Directory, name: &CStr) -> Result<u64, Errno> {
    Ok(layout(directory, name)?.certain)
}

#[cfg(target_os = "linux")]
pub use linux::{layout, sharing};
#[cfg(target_os = "macos")]
pub use macos::{layout, sharing};
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub use none::{layout, sharing};

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::{AsRawFd, OwnedFd};

    use nix::sys::statfs::fstatfs;

    use super::{CStr, Directory, Errno, Layout, Sharing};
    use crate::platform::retry;

    /// Number of extents read in one call.
    const EXTENTS: usize = 128;
    /// Number of calls for one file, for about 130,000 extents.
    const CALLS: usize = 1024;

    /// `struct fiemap_extent` of linux/fiemap.h.
    #[repr(C)]
    #[derive(Clone, Copy, Default)]
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

    const _: () = assert!(size_of::<Map>() == 32 + EXTENTS * 56);

    /// Smallest size of a compressed extent on the disk.
    const BLOCK: u64 = 4096;

    const LAST: u32 = 0x1;
    /// Written, but without a location yet.
    const DELAYED: u32 = 0x4;
    const ENCODED: u32 = 0x8;
    /// Encrypted, which counts as encoded but not as compressed.
    const ENCRYPTED: u32 = 0x80;
    const UNWRITTEN: u32 = 0x800;
    const SHARED: u32 = 0x2000;
    /// `FS_IOC_FIEMAP`: `_IOWR('f', 11, struct fiemap)`
    const FIEMAP: u32 = 0xc020_660b;

    /// Returns if the file system of `directory` can share space: the magic numbers of those that can and
    /// report it.
    pub fn sharing(directory: &Directory) -> Sharing {
        const SHARING: [u32; 4] = [
            0x9123_683e, // btrfs
            0x5846_5342, // xfs
            0xca45_1a4e, // bcachefs
            0x7461_636f, // ocfs2
        ];
        // The type of the magic number differs between C libraries; the number has 32 bits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let shares =
            fstatfs(directory).is_ok_and(|status| SHARING.contains(&(status.filesystem_type().0 as u32)));
        if shares { Sharing::Possible } else { Sharing::Never }
    }

    /// Returns the layout of the regular file `name`.
    ///
    /// # Errors
    /// Those of openat(2) and `ioctl_fiemap(2)`: `EOPNOTSUPP` if the file system does not report it; `EINVAL`
    /// if it is not a regular file.
    pub fn layout(directory: &Directory, name: &CStr) -> Result<Layout, Errno> {
        let file = directory.open_file(name)?;
        let mut layout = Layout { pieces: Some(0), is_cut_short: true, ..Layout::default() };
        let (mut start, mut end) = (0, None);
        for _ in 0..CALLS {
            let map = ask(&file, start)?;
            let mapped = &map.extents[..EXTENTS.min(usize::try_from(map.mapped).unwrap_or(0))];
            for extent in mapped {
                add(&mut layout, extent, end);
                end = Some(extent.physical.saturating_add(extent.length));
            }
            let Some(last) = mapped.last().filter(|last| last.flags & LAST == 0) else {
                layout.is_cut_short = false;
                break;
            };
            start = last.logical.saturating_add(last.length);
        }
        Ok(layout)
    }

    /// Returns the extents from byte `start` on.
    #[allow(unsafe_code)]
    fn ask(file: &OwnedFd, start: u64) -> Result<Map, Errno> {
        let mut map = Map {
            start,
            length: u64::MAX - start,
            flags: 0,
            mapped: 0,
            count: u32::try_from(EXTENTS).expect("a small number"),
            reserved: 0,
            extents: [Extent::default(); EXTENTS],
        };
        // The type of a request differs between C libraries; its number has 32 bits.
        #[allow(clippy::cast_possible_wrap, clippy::cast_lossless)]
        retry(|| {
            // SAFETY: `map` is a whole `struct fiemap` with room for as many extents as its count says, and nothing else
            // refers to it during the call.
            Errno::result(unsafe { libc::ioctl(file.as_raw_fd(), FIEMAP as _, &raw mut map) })
        })?;
        Ok(map)
    }

    /// Adds an extent; `end` is the position on the disk at which the previous one ended.
    fn add(layout: &mut Layout, extent: &Extent, end: Option<u64>) {
        let is = |flag| extent.flags & flag != 0;
        let add = |sum: &mut u64| *sum = sum.saturating_add(extent.length);
        // Data without a location cannot share one.
        let is_shared = is(SHARED) && !is(DELAYED);
        add(if is_shared { &mut layout.shared } else { &mut layout.private });
        if !is_shared {
            let is_of_any_size = is(ENCODED) && !is(ENCRYPTED) || is(DELAYED);
            let least = if is_of_any_size { extent.length.min(BLOCK) } else { extent.length };
            layout.certain = layout.certain.saturating_add(least);
        }
        if is(ENCODED) && !is(ENCRYPTED) {
            add(&mut layout.compressed);
        }
        if is(UNWRITTEN) {
            add(&mut layout.unwritten);
        }
        if is(DELAYED) {
            add(&mut layout.delayed);
        }
        // The length of a compressed extent is not its size on the disk, so each one counts as a piece.
        if end != Some(extent.physical) {
            layout.pieces = layout.pieces.map(|pieces| pieces + 1);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn extents_are_added_up_by_what_they_are() {
            let mut layout = Layout { pieces: Some(0), ..Layout::default() };
            let mut end = None;
            for (physical, length, flags) in [
                (0, 10, 0),
                (10, 5, UNWRITTEN),
                (100, 7, SHARED),
                (200, 3, SHARED | DELAYED),
                (300, 2, ENCODED),
                (400, 1, ENCODED | ENCRYPTED | LAST),
            ] {
                add(&mut layout, &Extent { physical, length, flags, ..Extent::default() }, end);
                end = Some(physical + length);
            }
            let expected = Layout {
                private: 21,
                certain: 21,
                shared: 7,
                compressed: 2,
                unwritten: 5,
                delayed: 3,
                pieces: Some(5),
                is_cut_short: false,
                clone: None,
            };
            assert_eq!(layout, expected);
            // A compressed extent of any length may take a single block.
            for (flags, certain) in [
                (ENCODED, 4096),
                (DELAYED, 4096),
                (SHARED | DELAYED, 4096),
                (SHARED | ENCODED, 0),
                (0, 131_072),
                (ENCODED | ENCRYPTED, 131_072),
            ] {
                let mut layout = Layout::default();
                add(&mut layout, &Extent { length: 131_072, flags, ..Extent::default() }, None);
                assert_eq!(layout.certain, certain, "{flags:#x}");
            }
            let huge = Extent { length: u64::MAX, ..Extent::default() };
            add(&mut layout, &huge, None);
            assert_eq!(layout.private, u64::MAX);
        }
    }
}

#[cfg(target_os = "macos")]
mod macos {
    use std::os::fd::{AsFd, AsRawFd};

    use super::{CStr, Directory, Errno, Layout, Sharing, clones};
    use crate::platform::retry;

    /// Returns if the file system of `directory` can share space: APFS can, and others do not report it.
    pub fn sharing(directory: &Directory) -> Sharing {
        let is_apfs =
            nix::sys::statfs::fstatfs(directory).is_ok_and(|status| status.filesystem_type_name() == "apfs");
        if is_apfs { Sharing::Possible } else { Sharing::Never }
    }

    /// Returns the bytes of `name` shared with no clone, and the number of its clones
    /// (`ATTR_CMNEXT_PRIVATESIZE` and `ATTR_CMNEXT_CLONEID`, getattrlist(2), macOS 10.13 and later).
    ///
    /// # Errors
    /// Those of getattrlistat(2); `ENOTSUP` if the file system does not report it.
    pub fn layout(directory: &Directory, name: &CStr) -> Result<Layout, Errno> {
        let answer = match ask(directory, name, clones::PRIVATE_SIZE | clones::CLONE_ID) {
            // An older kernel that does not know the second attribute still knows the first.
            Err(Errno::EINVAL) => ask(directory, name, clones::PRIVATE_SIZE),
            answer => answer,
        }?;
        clones::layout(&answer).ok_or(Errno::ENOTSUP)
    }

    #[allow(unsafe_code)]
    fn ask(directory: &Directory, name: &CStr, attributes: u32) -> Result<clones::Answer, Errno> {
        /// `FSOPT_NOFOLLOW | FSOPT_ATTR_CMN_EXTENDED`
        const OPTIONS: u32 = 0x1 | 0x20;
        let mut list = libc::attrlist {
            bitmapcount: libc::ATTR_BIT_MAP_COUNT,
            reserved: 0,
            commonattr: libc::ATTR_CMN_RETURNED_ATTRS,
            volattr: 0,
            dirattr: 0,
            fileattr: 0,
            forkattr: attributes,
        };
        let mut answer: clones::Answer = [0; 40];
        let fd = directory.as_fd().as_raw_fd();
        retry(|| {
            let (list, start) = ((&raw mut list).cast(), answer.as_mut_ptr().cast());
            // SAFETY: `list` is a complete `attrlist`, which the call reads; `name` ends in NUL; `start` points to
            // `answer.len()` writable bytes.
            Errno::result(unsafe {
                libc::getattrlistat(fd, name.as_ptr(), list, start, answer.len(), OPTIONS.into())
            })
        })?;
        Ok(answer)
    }
}

/// Parser for the answer of getattrlistat(2) about clones: its length, five words of returned bits, then the
/// announced numbers.
#[cfg(any(target_os = "macos", test))]
mod clones {
    use super::Layout;

    /// `ATTR_CMNEXT_PRIVATESIZE`
    pub(crate) const PRIVATE_SIZE: u32 = 0x8;
    /// `ATTR_CMNEXT_CLONEID`
    pub(crate) const CLONE_ID: u32 = 0x100;

    pub(crate) type Answer = [u8; 40];

    /// Returns the layout, or `None` without the private size.
    pub(crate) fn layout(answer: &Answer) -> Option<Layout> {
        let word = |at: usize| answer[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
        let length = usize::try_from(word(0)).unwrap_or(usize::MAX).min(answer.len());
        let returned = word(20);
        let mut numbers = answer.get(24..length)?.chunks_exact(8).map_while(<[u8]>::first_chunk);
        // In the order of their bits.
        let mut number = |bit| {
            let bytes = if returned & bit == 0 { None } else { numbers.next() };
            bytes.map(|bytes| u64::from_ne_bytes(*bytes))
        };
        let (private, clone) = (number(PRIVATE_SIZE), number(CLONE_ID));
        let private = private?;
        Some(Layout { private, certain: private, clone, ..Layout::default() })
    }

    #[test]
    fn the_numbers_are_those_that_were_returned() {
        let answer = |length: u32, returned: u32, numbers: [u64; 2]| {
            let mut answer: Answer = [0; 40];
            answer[..4].copy_from_slice(&length.to_ne_bytes());
            answer[20..24].copy_from_slice(&returned.to_ne_bytes());
            answer[24..32].copy_from_slice(&numbers[0].to_ne_bytes());
            answer[32..].copy_from_slice(&numbers[1].to_ne_bytes());
            answer
        };
        let told = |answer: Answer| layout(&answer).map(|layout| (layout.private, layout.clone));
        assert_eq!(told(answer(40, PRIVATE_SIZE | CLONE_ID, [4096, 77])), Some((4096, Some(77))));
        assert_eq!(told(answer(32, PRIVATE_SIZE, [4096, 77])), Some((4096, None)));
        assert_eq!(told(answer(32, CLONE_ID, [77, 0])), None);
        assert_eq!(told(answer(32, PRIVATE_SIZE | CLONE_ID, [4096, 77])), Some((4096, None)), "cut short");
        assert_eq!(told(answer(24, 0, [1, 1])), None);
        assert_eq!(
            told(answer(u32::MAX, PRIVATE_SIZE, [1, 2])),
            Some((1, None)),
            "longer than there is room"
        );
        assert_eq!(told(answer(0, PRIVATE_SIZE, [1, 2])), None);
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod none {
    use super::{CStr, Directory, Errno, Layout, Sharing};

    /// Returns [`Sharing::Never`], since these systems do not report it.
    pub fn sharing(_: &Directory) -> Sharing {
        Sharing::Never
    }

    /// Fails, since these systems do not report it.
    ///
    /// # Errors
    /// Always.
    pub fn layout(_: &Directory, _: &CStr) -> Result<Layout, Errno> {
        Err(Errno::ENOTSUP)
    }
}
