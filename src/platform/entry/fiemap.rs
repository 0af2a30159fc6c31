//! Extents of a file on Linux, from `ioctl_fiemap(2)`.

use std::collections::HashSet;
use std::ffi::CStr;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, AsRawFd};

use nix::sys::stat::fstat;
use nix::sys::statfs::fstatfs;
use nix::sys::statvfs::{Statvfs, fstatvfs};

use crate::platform::entry::extents::{
    ExtentLayout, ExtentReference, ExtentVolume, SMALLEST_COMPRESSED, Sharing, StoredForm, StoredPart,
};
use crate::platform::fs::overhead::btrfs::has_unwritten_data;
use crate::platform::{Directory, Errno, retry};

/// Number of extents read per call.
const EXTENTS: usize = 128;
/// Maximum number of calls per file, enough for about 130,000 extents.
const CALLS: usize = 1024;

/// `struct fiemap_extent` from linux/fiemap.h.
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

impl Extent {
    /// Returns the number of bytes of the extent that lie before the offset `end` in the file.
    fn before(&self, end: u64) -> u64 {
        self.length.min(end.saturating_sub(self.logical))
    }
}

/// `struct fiemap` from linux/fiemap.h, followed by the extents.
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

impl Map {
    /// Returns the extents that the kernel has stored in the reply.
    fn mapped(&self) -> &[Extent] {
        &self.extents[..EXTENTS.min(usize::try_from(self.mapped).unwrap_or(0))]
    }
}

const _: () = assert!(size_of::<Map>() == 32 + EXTENTS * 56);

const LAST: u32 = 0x1;
const UNKNOWN: u32 = 0x2;
/// Flag for data that has no location on disk yet.
const DELAYED: u32 = 0x4;
const ENCODED: u32 = 0x8;
/// Flag for encrypted data, which also has the flag `ENCODED` but is not compressed.
const ENCRYPTED: u32 = 0x80;
const INLINE: u32 = 0x200;
const UNWRITTEN: u32 = 0x800;
const SHARED: u32 = 0x2000;
/// `FIEMAP_FLAG_SYNC`: first writes the file's cached changes to disk, so that the extents include them.
const SYNC: u32 = 0x1;
/// `FS_IOC_FIEMAP` from linux/fs.h, which is `_IOWR('f', 11, struct fiemap)`.
const FIEMAP: u32 = 0xc020_660b;

/// Determines from the magic number of `directory`'s file system how the files on it can share extents.
pub fn sharing(directory: &Directory) -> Sharing {
    const XFS: u32 = 0x5846_5342;
    const BTRFS: u32 = 0x9123_683e;
    const BCACHEFS: u32 = 0xca45_1a4e;
    const OCFS2: u32 = 0x7461_636f;
    // The type of the magic number depends on the C library, but the number always fits into 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let magic = fstatfs(directory).map(|status| status.filesystem_type().0 as u32);
    match magic {
        Ok(XFS) => Sharing::Bounded,
        Ok(BTRFS | BCACHEFS | OCFS2) => Sharing::Unbounded,
        _ => Sharing::Never,
    }
}

/// Returns the layout of the regular file `name`.
///
/// # Errors
/// Returns any error of openat(2) and `ioctl_fiemap(2)`, such as `EOPNOTSUPP` if the file system does not report the
/// layout, or `EINVAL` if `name` is not a regular file.
pub fn layout(directory: &Directory, name: &CStr) -> Result<ExtentLayout, Errno> {
    let file = directory.open_file(name)?;
    let status = fstat(&file)?;
    let size = u64::try_from(status.st_size).unwrap_or(0);
    let mut sums = Sums { end_of_file: size.next_multiple_of(block(&fstatvfs(&file)?)), ..Sums::default() };
    let end = visit(&file, 0, |extent| {
        sums.add(extent);
        ControlFlow::Continue(())
    })?;
    Ok(ExtentLayout { is_cut_short: end == End::CutShort, changed: status.st_ctime, ..sums.layout })
}

/// Flushes cached changes to disk. Then calls `each` with the parts of `file` in the order of their offsets in the
/// file, until `each` returns `Break`. Returns `true` if all parts were visited.
///
/// # Errors
/// Returns any error of `ioctl_fiemap(2)`.
pub fn locate(
    file: &impl AsRawFd,
    each: &mut dyn FnMut(StoredPart) -> ControlFlow<()>,
) -> Result<bool, Errno> {
    Ok(visit(file, SYNC, |extent| each(part(extent)))? == End::Whole)
}

fn part(extent: &Extent) -> StoredPart {
    let Extent { logical, physical, length, flags, .. } = *extent;
    let form = match flags {
        _ if flags & INLINE != 0 => StoredForm::Inline,
        _ if flags & (DELAYED | UNKNOWN | ENCRYPTED) != 0 => StoredForm::Unknown,
        _ if flags & ENCODED != 0 => StoredForm::Compressed,
        _ if flags & UNWRITTEN != 0 => StoredForm::Reserved,
        _ => StoredForm::Plain,
    };
    StoredPart { logical, physical, length, form }
}

/// Calls `each` for every extent that `file` refers to before the offset `end`. Returns `false` if the file has more
/// extents than [`CALLS`] calls return. Cached changes are not flushed, so nothing is written to disk.
///
/// # Errors
/// Returns any error of `ioctl_fiemap(2)`.
pub fn references(
    file: &impl AsRawFd,
    end: u64,
    each: &mut dyn FnMut(ExtentReference),
) -> Result<bool, Errno> {
    let visited = visit(file, 0, |extent| {
        let length = extent.before(end);
        if length > 0 {
            each(reference(&Extent { length, ..*extent }));
        }
        ControlFlow::Continue(())
    })?;
    Ok(visited == End::Whole)
}

fn reference(extent: &Extent) -> ExtentReference {
    let is = |flag| extent.flags & flag != 0;
    let Extent { physical, length, .. } = *extent;
    if is(INLINE) {
        ExtentReference::Inline
    } else if is(DELAYED | UNKNOWN) {
        ExtentReference::Unlocated { length }
    } else {
        let is_compressed = is(ENCODED) && !is(ENCRYPTED);
        let length = if is_compressed { SMALLEST_COMPRESSED.min(length) } else { length };
        ExtentReference::Located { start: physical, length, is_shared: is(SHARED), is_compressed }
    }
}

/// Returns the volume that the open directory is on, if its file system reports shared extents.
pub fn volume(directory: &Directory) -> Option<ExtentVolume> {
    let is_bounded = match sharing(directory) {
        Sharing::Never => return None,
        Sharing::Bounded => true,
        Sharing::Unbounded => false,
    };
    let status = fstatvfs(directory).ok()?;
    #[allow(clippy::useless_conversion)] // the counts have 32 bits on some systems
    let inodes = u64::from(status.files()).saturating_sub(u64::from(status.files_free()));
    let has_unwritten_data = has_unwritten_data(directory);
    Some(ExtentVolume { id: id_of(&status), is_bounded, has_unwritten_data, inodes, block: block(&status) })
}

/// Returns the size of a block in bytes.
fn block(status: &Statvfs) -> u64 {
    #[allow(clippy::useless_conversion)] // the size has 32 bits on some systems
    u64::from(status.fragment_size()).max(1)
}

/// Returns the identity of the volume that contains `file`. All subvolumes of a btrfs volume have the same identity.
pub fn volume_id(file: &impl AsFd) -> Option<u64> {
    fstatvfs(file).ok().map(|status| id_of(&status))
}

fn id_of(status: &Statvfs) -> u64 {
    // The subvolumes of a btrfs volume share extents, and only the upper 32 bits of their file system IDs differ.
    #[allow(clippy::useless_conversion)] // the ID has 32 bits on some systems
    let id = u64::from(status.filesystem_id());
    id & u64::from(u32::MAX)
}

/// Result of visiting the extents of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// All extents were visited.
    Whole,
    /// `each` ended the visit, or [`CALLS`] calls did not return all extents.
    CutShort,
}

/// Calls `each` with the extents of `file` until `each` returns `Break`. Makes at most [`CALLS`] ioctl(2) calls.
fn visit(
    file: &impl AsRawFd,
    flags: u32,
    mut each: impl FnMut(&Extent) -> ControlFlow<()>,
) -> Result<End, Errno> {
    let mut start = 0;
    for _ in 0..CALLS {
        let map = ask(file, start, flags)?;
        let mapped = map.mapped();
        if mapped.iter().try_for_each(&mut each).is_break() {
            return Ok(End::CutShort);
        }
        let Some(last) = mapped.last().filter(|last| last.flags & LAST == 0) else { return Ok(End::Whole) };
        start = last.logical.saturating_add(last.length);
    }
    Ok(End::CutShort)
}

/// Returns up to [`EXTENTS`] extents of `file`, starting at byte `start`.
#[allow(unsafe_code)]
fn ask(file: &impl AsRawFd, start: u64, flags: u32) -> Result<Map, Errno> {
    let mut map = Map {
        start,
        length: u64::MAX - start,
        flags,
        mapped: 0,
        count: u32::try_from(EXTENTS).expect("EXTENTS is a small number"),
        reserved: 0,
        extents: [Extent::default(); EXTENTS],
    };
    // The type of ioctl's request parameter depends on the C library, but a request always has 32 bits.
    #[allow(clippy::cast_possible_wrap, clippy::cast_lossless)]
    retry(|| {
        // SAFETY: `map` is a complete `struct fiemap` with room for `count` extents, and nothing else refers to it
        // during the call.
        Errno::result(unsafe { libc::ioctl(file.as_raw_fd(), FIEMAP as _, &raw mut map) })
    })?;
    Ok(map)
}

/// Layout of the extents added so far.
struct Sums {
    layout: ExtentLayout,
    /// Offset of the first block after the end of the file.
    end_of_file: u64,
    /// Position on the disk at which the previous extent ended.
    end: Option<u64>,
    /// Disk positions of the compressed extents counted in [`ExtentLayout::certain`]. If the middle of a compressed
    /// extent is overwritten, the system reports the remainder as two extents with the same position, and only the
    /// first counts.
    compressed: HashSet<u64>,
}

impl Default for Sums {
    fn default() -> Self {
        let layout = ExtentLayout { pieces: Some(0), ..ExtentLayout::default() };
        Self { layout, end_of_file: u64::MAX, end: None, compressed: HashSet::new() }
    }
}

impl Sums {
    fn add(&mut self, extent: &Extent) {
        let layout = &mut self.layout;
        let is = |flag| extent.flags & flag != 0;
        let add = |sum: &mut u64| *sum = sum.saturating_add(extent.length);
        let is_compressed = is(ENCODED) && !is(ENCRYPTED);
        // Data that has no location on the disk yet cannot be shared.
        let is_shared = is(SHARED) && !is(DELAYED);
        add(if is_shared { &mut layout.shared } else { &mut layout.private });
        if !is_shared {
            let length = extent.before(self.end_of_file);
            let least = if is(DELAYED) {
                length.min(SMALLEST_COMPRESSED)
            } else if is_compressed {
                let is_new = self.compressed.insert(extent.physical);
                if is_new { length.min(SMALLEST_COMPRESSED) } else { 0 }
            } else {
                length
            };
            layout.certain = layout.certain.saturating_add(least);
        }
        if is_compressed {
            add(&mut layout.compressed);
        }
        if is(UNWRITTEN) {
            add(&mut layout.unwritten);
        }
        if is(DELAYED) {
            add(&mut layout.delayed);
        }
        // An extent belongs to the same piece as the previous extent if it starts where that extent ends. A compressed
        // extent is shorter on disk than its length, so the extent after it counts as a new piece.
        if self.end != Some(extent.physical) {
            layout.pieces = layout.pieces.map(|pieces| pieces + 1);
        }
        self.end = Some(extent.physical.saturating_add(extent.length));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_added_up_by_kind() {
        let mut sums = Sums::default();
        for (physical, length, flags) in [
            (0, 10, 0),
            (10, 5, UNWRITTEN),
            (100, 7, SHARED),
            (200, 3, SHARED | DELAYED),
            (300, 2, ENCODED),
            (400, 1, ENCODED | ENCRYPTED | LAST),
        ] {
            sums.add(&Extent { physical, length, flags, ..Extent::default() });
        }
        let expected = ExtentLayout {
            changed: 0,
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
        assert_eq!(sums.layout, expected);
    }

    #[test]
    fn compressed_extents_certainly_take_one_block_each() {
        for (flags, certain) in [
            (ENCODED, 4096),
            (DELAYED, 4096),
            (SHARED | DELAYED, 4096),
            (SHARED | ENCODED, 0),
            (0, 131_072),
            (ENCODED | ENCRYPTED, 131_072),
        ] {
            let mut sums = Sums::default();
            sums.add(&Extent { length: 131_072, flags, ..Extent::default() });
            assert_eq!(sums.layout.certain, certain, "{flags:#x}");
        }
        // The middle of the first extent was overwritten, so the extent is reported in two parts.
        let mut sums = Sums::default();
        for (physical, length, flags) in [(0, 65_536, ENCODED), (90_112, 8192, 0), (0, 57_344, ENCODED)] {
            sums.add(&Extent { physical, length, flags, ..Extent::default() });
        }
        assert_eq!(sums.layout.certain, 4096 + 8192);
    }

    #[test]
    fn compressed_references_have_the_least_possible_length() {
        let made = |flags, length| reference(&Extent { physical: 8192, length, flags, ..Extent::default() });
        let located = |length, is_shared, is_compressed| ExtentReference::Located {
            start: 8192,
            length,
            is_shared,
            is_compressed,
        };
        assert_eq!(made(0, 131_072), located(131_072, false, false));
        assert_eq!(made(ENCODED | SHARED, 131_072), located(4096, true, true));
        assert_eq!(made(ENCODED | ENCRYPTED, 131_072), located(131_072, false, false));
        assert_eq!(made(INLINE | ENCODED, 77), ExtentReference::Inline);
        assert_eq!(made(DELAYED | UNKNOWN, 77), ExtentReference::Unlocated { length: 77 });
    }

    #[test]
    fn blocks_after_the_end_of_the_file_are_not_certain() {
        let mut sums = Sums { end_of_file: 8192, ..Sums::default() };
        for (logical, flags) in [(0, 0), (4096, 0), (8192, UNWRITTEN), (12_288, DELAYED)] {
            sums.add(&Extent { logical, physical: logical, length: 4096, flags, ..Extent::default() });
        }
        sums.add(&Extent { logical: 6144, length: 4096, ..Extent::default() });
        assert_eq!((sums.layout.certain, sums.layout.private), (8192 + 2048, 5 * 4096));
    }

    #[test]
    fn sums_of_extents_saturate() {
        let mut sums = Sums::default();
        for _ in 0..2 {
            sums.add(&Extent { length: u64::MAX, ..Extent::default() });
        }
        assert_eq!(sums.layout.private, u64::MAX);
    }
}
