//! Space map of a volume: a list of the volume's ranges and their owners (`FS_IOC_GETFSMAP` from linux/fsmap.h).

use std::ops::ControlFlow;
use std::os::fd::AsFd;

use super::ioctl;
use crate::platform::fs::overhead::FileExtent;
use crate::platform::fs::overhead::xfs::OwnedExtent;
use crate::platform::{Directory, Errno};

/// Maximum number of ranges that one call returns.
const RANGES: usize = 1024;

/// `struct fsmap` from linux/fsmap.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct MapRange {
    device: u32,
    flags: u32,
    physical: u64,
    owner: u64,
    offset: u64,
    length: u64,
    _reserved: [u64; 3],
}

/// `struct fsmap_head` from linux/fsmap.h, including its array of the ranges that the kernel returns.
#[repr(C)]
struct Question {
    _in_flags: u32,
    _out_flags: u32,
    count: u32,
    entries: u32,
    _reserved: [u64; 6],
    first: MapRange,
    last: MapRange,
    ranges: [MapRange; RANGES],
}

const HEAD: usize = 192;
const _: () = assert!(size_of::<MapRange>() == 64 && size_of::<Question>() == HEAD + RANGES * 64);
const GET_MAP: u64 = ioctl::exchanges(b'X', 59, HEAD);

/// Flag of a range that contains a file's extended attributes.
const ATTRIBUTES: u32 = 0x2;
/// Flag of a range that contains the locations of a file's extents.
const EXTENT_MAP: u32 = 0x4;
const SHARED: u32 = 0x8;
/// Flag of a range whose owner is not a file.
const SPECIAL_OWNER: u32 = 0x10;
const LAST: u32 = 0x20;
/// Owner of the superblocks: `XFS_FMR_OWN_FS`, which is `FMR_OWNER('X', 1)`.
const FILE_SYSTEM: u64 = (b'X' as u64) << 32 | 1;

/// Returns `true` if the space map of the volume contains the owner of each range. XFS reports owners only to root,
/// and only if the volume was made with a reverse-mapping tree (`rmapbt=1`).
pub fn has_owners(directory: &Directory) -> bool {
    let mut is_owned = false;
    // The first range is the superblock, whose owner is the file system if the map contains owners.
    let found = visit(directory, |range| {
        is_owned = range.flags & SPECIAL_OWNER != 0 && range.owner == FILE_SYSTEM;
        ControlFlow::Break(())
    });
    found.is_ok() && is_owned
}

/// Calls `each` with every range that belongs to a file on the volume, until `each` returns `Break`. Does not report
/// data that has no location on the disk yet, or blocks that XFS has set aside for copy-on-write.
///
/// # Errors
/// Returns any error of ioctl(2), such as `EOPNOTSUPP` or `ENOTTY` if the file system has no space map.
pub fn extents(
    directory: &Directory,
    mut each: impl FnMut(OwnedExtent) -> ControlFlow<()>,
) -> Result<(), Errno> {
    visit(directory, |range| {
        if range.flags & SPECIAL_OWNER != 0 {
            return ControlFlow::Continue(());
        }
        let extent = FileExtent {
            inode: range.owner,
            start: range.physical,
            length: range.length,
            accounts_for: range.length,
        };
        let offset = (range.flags & (ATTRIBUTES | EXTENT_MAP) == 0).then_some(range.offset);
        each(OwnedExtent { extent, offset, is_shared: range.flags & SHARED != 0 })
    })
}

#[allow(unsafe_code)]
#[allow(clippy::large_stack_arrays)] // 64 KiB, before it is moved to the heap
fn visit(directory: &Directory, mut each: impl FnMut(&MapRange) -> ControlFlow<()>) -> Result<(), Errno> {
    let device = data_device(directory)?;
    let every = MapRange { device, flags: u32::MAX, ..MapRange::default() };
    let mut question = Box::new(Question {
        _in_flags: 0,
        _out_flags: 0,
        count: u32::try_from(RANGES).expect("RANGES is a small number"),
        entries: 0,
        _reserved: [0; 6],
        first: MapRange { device, ..MapRange::default() },
        last: MapRange { physical: u64::MAX, owner: u64::MAX, offset: u64::MAX, ..every },
        ranges: [MapRange::default(); RANGES],
    });
    loop {
        // SAFETY: the request reads and writes a `Question`, which contains only integers, so any bytes are valid.
        // `count` is the length of `ranges`.
        unsafe { ioctl::ask(directory, GET_MAP, &mut *question) }?;
        let count = RANGES.min(usize::try_from(question.entries).unwrap_or(RANGES));
        let ranges = &question.ranges[..count];
        if ranges.iter().try_for_each(&mut each).is_break() {
            return Ok(());
        }
        // The next call continues after the last range.
        match ranges.last() {
            Some(end) if end.flags & LAST == 0 => question.first = *end,
            _ => return Ok(()),
        }
    }
}

/// Returns the number of the volume's data device, encoded as in the space map. XFS can also store file contents on a
/// separate realtime device, whose ranges this module does not read.
fn data_device(directory: &Directory) -> Result<u32, Errno> {
    let device = nix::sys::stat::fstat(directory.as_fd())?.st_dev;
    let (major, minor) = (nix::sys::stat::major(device), nix::sys::stat::minor(device));
    // The encoding of the kernel (`new_encode_dev`): bits 8 to 19 are the major number.
    u32::try_from(minor & 0xff | major << 8 | (minor & !0xff) << 12).map_err(|_| Errno::EOVERFLOW)
}
