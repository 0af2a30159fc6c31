//! XFS: sizes read with ioctl(2). The structures are defined in `xfs_fs.h` (xfsprogs, and the kernel's
//! `fs/xfs/libxfs`).

use std::path::Path;

use super::ioctl;
use crate::platform::fs::overhead::Xfs;
use crate::platform::{Directory, Errno};

/// `struct xfs_fsop_geom_v1` of `xfs_fs.h`.
#[repr(C)]
#[derive(Default)]
struct Geometry {
    block_size: u32,
    /// Size of a realtime extent, and size and number of the allocation groups.
    _groups: [u32; 3],
    log_blocks: u32,
    sector_size: u32,
    inode_size: u32,
    _most_inodes: u32,
    _data_blocks: u64,
    _realtime: [u64; 2],
    /// First block of the log; 0 if the log is on another device.
    log_start: u64,
    _uuid: [u8; 16],
    _rest: [u32; 7],
}

/// `struct xfs_fsop_counts` of `xfs_fs.h`.
#[repr(C)]
#[derive(Default)]
struct Counts {
    _free_data: u64,
    _free_realtime: u64,
    _free_inodes: u64,
    inodes: u64,
}

/// `struct xfs_fsop_resblks` of `xfs_fs.h`.
#[repr(C)]
#[derive(Default)]
struct Reserve {
    _wanted: u64,
    available: u64,
}

const GEOMETRY: u64 = ioctl::reads(b'X', 100, size_of::<Geometry>());
const COUNTS: u64 = ioctl::reads(b'X', 113, size_of::<Counts>());
const RESERVE: u64 = ioctl::reads(b'X', 115, size_of::<Reserve>());

/// Reads three sizes of the XFS file system that contains `path`: those of the log, of all inodes, and of the reserve
/// pool. A size that cannot be read is `None`. The size of the log is also `None` if the log is on another device.
///
/// # Errors
/// Returns any error of open(2), or of ioctl(2) if the geometry cannot be read.
#[allow(unsafe_code)]
pub fn ask(path: &Path) -> Result<Xfs, Errno> {
    let directory = Directory::open(path)?;
    let (mut geometry, mut counts, mut reserve) =
        (Geometry::default(), Counts::default(), Reserve::default());
    // SAFETY: the request fills a `Geometry`, which contains only integers, so any bytes are valid.
    unsafe { ioctl::ask(&directory, GEOMETRY, &mut geometry) }?;
    // SAFETY: the request fills a `Counts`, which contains only integers, so any bytes are valid.
    let counted = unsafe { ioctl::ask(&directory, COUNTS, &mut counts) };
    // SAFETY: the request fills a `Reserve`, which contains only integers, so any bytes are valid.
    let reserved = unsafe { ioctl::ask(&directory, RESERVE, &mut reserve) };
    let block = u64::from(geometry.block_size);
    Ok(Xfs {
        log: (geometry.log_start != 0).then(|| u64::from(geometry.log_blocks).saturating_mul(block)),
        inodes: counted.ok().map(|()| counts.inodes.saturating_mul(u64::from(geometry.inode_size))),
        pool: reserved.ok().map(|()| reserve.available.saturating_mul(block)),
    })
}
