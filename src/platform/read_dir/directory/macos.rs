//! macOS: flags for opening directories, the volume that firmlinks point to, kinds of file systems, and entries whose
//! contents are in the cloud.

#[path = "unix.rs"]
#[allow(dead_code)] // this file replaces some items of `unix`
mod unix;

use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::stat::{FileStat, fstat};
use nix::sys::statfs::fstatfs;

use crate::platform::{Attributes, Boundary, FileSystem, retry};

pub use unix::*;

/// Empty set of flags. On macOS, opening a terminal never makes it the controlling terminal, so no flag is needed.
pub const NO_CTTY: OFlag = OFlag::empty();
/// Flags for a descriptor that is used only for lookups (`O_SEARCH`, from sys/fcntl.h). With them, a directory can be
/// opened without permission to list it. Systems before macOS 11 ignore `O_SEARCH` and open the directory for reading.
pub const PLACE: OFlag = OFlag::from_bits_retain(0x4000_0000)
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_CLOEXEC)
    .union(OFlag::O_NONBLOCK)
    .union(OFlag::O_NOFOLLOW);
/// Flags for opening a mount point.
pub const MOUNT_POINT: OFlag = PLACE;
/// Mount point of the data volume. Firmlinks point to directories on this volume.
pub const BEHIND_FIRMLINKS: Option<&str> = Some("/System/Volumes/Data");

/// Returns the kind of file system that a directory is on.
pub fn file_system(directory: &OwnedFd) -> Result<FileSystem, Errno> {
    if is_disk(Attributes::from(retry(|| fstat(directory))?).device) {
        return Ok(FileSystem::Ordinary);
    }
    Ok(FileSystem::of_type(retry(|| fstatfs(directory))?.filesystem_type_name().as_bytes()))
}

/// Returns `true` for the device number of a disk. File systems that are not on a disk have major numbers above those
/// of the 24 block drivers (`vfs_getnewfsid` in XNU). Their type must be read with fstatfs(2).
fn is_disk(device: u64) -> bool {
    const BLOCK_DRIVERS: u64 = 24;
    device >> 24 < BLOCK_DRIVERS
}

/// Returns the boundary indicated by the flags of an entry.
pub fn border(stat: &FileStat) -> Boundary {
    if stat.st_flags & Boundary::DATALESS_FLAG != 0 { Boundary::Dataless } else { Boundary::None }
}
