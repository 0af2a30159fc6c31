//! Linux: mounts from `/proc/self/mountinfo`; mount IDs from statx(2); and data that only ext, XFS and btrfs report,
//! from superblocks, /sys and ioctls.

#[path = "overhead/btrfs/ask.rs"]
pub mod btrfs;
#[path = "overhead/ioctl.rs"]
mod ioctl;
#[path = "overhead/quota.rs"]
mod quota;
#[path = "overhead/xfs/space_map.rs"]
pub mod space_map;
#[path = "unix.rs"]
#[allow(dead_code)] // this file replaces some items of `unix`
mod unix;
#[path = "overhead/xfs/ask.rs"]
mod xfs;

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::platform::entry::imp::statx;
use crate::platform::entry::probe::Probe;
use crate::platform::fs::mountinfo::parse;
use crate::platform::fs::mounts::{Mount, MountPosition};
use crate::platform::fs::overhead::{Native, ext};
use crate::platform::{Boundary, Directory, Errno, FileSystem, errno_of};

pub use quota::of_user as quota;
pub use unix::*;

/// `true`, because covered files can be read: `open_tree(2)` clones a mount without the mounts below it.
pub const CAN_READ_COVERED_FILES: bool = true;

/// Returns all mounts that this process can see, in the order in which they were mounted.
///
/// # Errors
/// Returns an error if /proc is not available.
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    match std::fs::read("/proc/self/mountinfo") {
        Ok(table) => Ok(parse(&table)),
        Err(error) => Err(errno_of(&error)),
    }
}

/// Returns the kind of each mounted file system, keyed by device. The map is empty if the mount table cannot be read.
pub fn file_systems() -> HashMap<u64, FileSystem> {
    let mounts = mounts().unwrap_or_default();
    let is = |mount: &Mount| FileSystem::of_mount(&mount.kind, &mount.source);
    mounts.iter().map(|mount| (mount.device, is(mount))).collect()
}

/// Returns the devices of all mounted `CephFS` file systems, which report the total size below a directory as the
/// length of that directory. Returns an empty list if the mount table cannot be read.
pub fn recursive_lengths() -> Vec<u64> {
    let mut mounts = mounts().unwrap_or_default();
    mounts.retain(|mount| FileSystem::has_recursive_lengths(&mount.kind));
    mounts.iter().map(|mount| mount.device).collect()
}

/// Returns the mount of the entry that `probe` describes.
///
/// # Errors
/// Returns any error of [`mounts`], or `ENOENT` if the mount table does not list the mount.
pub fn mount_of(_: &Directory, _: &CStr, probe: &Probe) -> Result<Mount, Errno> {
    numbered(probe.mount, probe.attributes.device)
}

/// Returns the mount with the ID `number`. If `number` is `None`, returns the latest mount of `device`.
fn numbered(number: Option<u64>, device: u64) -> Result<Mount, Errno> {
    let is_it = |mount: &Mount| number.map_or(mount.device == device, |number| mount.id == number);
    mounts()?.into_iter().rfind(is_it).ok_or(Errno::ENOENT)
}

/// Determines the mount that `path` is on, and whether `path` is the root of that mount. A symbolic link at the end of
/// the path is followed.
///
/// # Errors
/// Returns any error of stat(2).
pub fn standing(path: &Path) -> Result<MountPosition, Errno> {
    match statx::of_path(path) {
        // A kernel without mount IDs has no flag for mount roots either. In this case, or if statx(2) is denied, mount
        // points are recognized by device.
        Ok(statx::Status { mount: None, .. }) | Err(Errno::ENOSYS | Errno::EPERM) => unix::standing(path),
        Ok(statx::Status { mount, attributes }) => Ok(MountPosition {
            mount,
            point: None,
            device: attributes.device,
            inode: attributes.inode,
            is_mount_point: attributes.border == Boundary::Mount,
        }),
        Err(error) => Err(error),
    }
}

/// Returns `true` if a whole file system is mounted at `path`, not only a subvolume or another directory of one.
pub fn is_whole(path: &Path) -> bool {
    let mount = |standing: MountPosition| numbered(standing.mount, standing.device).ok();
    let standing = standing(path).ok().filter(|standing| standing.is_mount_point);
    standing.and_then(mount).is_some_and(|mount| mount.root == b"/")
}

/// Asks the file system of `mounts` for information that statvfs(3) does not report, such as the size of its journal.
/// `path` is a directory on this file system.
pub fn ask(mounts: &[Mount], path: &Path) -> Native {
    let Some(mount) = mounts.first() else { return Native::Silent };
    match mount.kind.as_slice() {
        b"ext2" | b"ext3" | b"ext4" => ext::read(mount).map_or_else(Native::Refused, |superblock| {
            Native::Ext { superblock, delayed_write_reserve: delayed_write_reserve(mount) }
        }),
        b"xfs" => xfs::ask(path).map_or_else(Native::Refused, Native::Xfs),
        b"btrfs" => btrfs::ask(path).map_or_else(Native::Refused, Native::Btrfs),
        _ => Native::Silent,
    }
}

/// Returns the number of clusters that ext4 reserves for delayed writes (`reserved_clusters`), or `None` if /sys does
/// not report this number.
fn delayed_write_reserve(mount: &Mount) -> Option<u64> {
    let (major, minor) = (nix::sys::stat::major(mount.device), nix::sys::stat::minor(mount.device));
    let device = std::fs::read_link(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    let path = Path::new("/sys/fs/ext4").join(device.file_name()?).join("reserved_clusters");
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Clones the mount at `point` without the mounts below it (`open_tree(2)`).
#[allow(unsafe_code)]
pub fn clone_of_mount(point: &Path) -> Result<OwnedFd, Errno> {
    /// Flag of `open_tree(2)`, from linux/mount.h.
    const OPEN_TREE_CLONE: libc::c_uint = 1;
    let path = CString::new(point.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
    let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC.cast_unsigned();
    // SAFETY: `path` ends with NUL, and the call accesses no other memory.
    let fd =
        Errno::result(unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) })?;
    let fd = libc::c_int::try_from(fd).map_err(|_| Errno::EBADF)?;
    // SAFETY: the kernel has just opened `fd`, which has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
