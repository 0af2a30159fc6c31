//! Linux: openat2(2), statx(2), extents, renameat2(2), capabilities, access control lists and unnamed files.

mod dedupe;
mod fiemap;
pub mod statx;
#[path = "unix.rs"]
#[allow(dead_code)] // this file replaces some functions of `unix`
mod unix;

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, OpenHow, ResolveFlag, openat, openat2};
use nix::sys::stat::{Mode, fstat, fstatat};
use nix::unistd::{geteuid, linkat};

use crate::platform::entry::probe::{Probe, Trait};
use crate::platform::read_dir::directory::OPEN;
use crate::platform::{Directory, Identity, retry};

pub use dedupe::{CAN_SHARE, share_range, sync_file_system};
pub use fiemap::{layout, locate, references, sharing, volume, volume_id};
pub use unix::remove_dataless;

/// Opens the directory `name` in `directory`. The kernel ensures that both are on the same mount. Comparing devices
/// would not detect a bind mount, which has the same device as its source.
pub fn confined(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<Directory, Errno> {
    let how = OpenHow::new()
        .flags(OPEN | OFlag::O_NOFOLLOW)
        .resolve(ResolveFlag::RESOLVE_NO_XDEV | ResolveFlag::RESOLVE_NO_SYMLINKS);
    Ok(Directory { fd: retry(|| openat2(&directory.fd, name, how))? })
}

/// Returns `true` if `name` is a mount point (`STATX_ATTR_MOUNT_ROOT`, Linux 5.8). Returns `false` on
/// older kernels, so [`Directory::open_compared`] also compares devices.
pub fn is_mount(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
    Ok(attribute_bits_of(directory, name)? & statx::MOUNT_ROOT != 0)
}

/// Returns `true` if `name` is immutable or append-only (chattr(1)).
pub fn is_locked(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
    const IMMUTABLE: u64 = 0x10;
    const APPEND: u64 = 0x20;
    Ok(attribute_bits_of(directory, name)? & (IMMUTABLE | APPEND) != 0)
}

/// Returns `stx_attributes` of an entry, or 0 if the kernel or a sandbox does not support statx(2).
fn attribute_bits_of(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<u64, Errno> {
    let ask = |name: &CStr| statx::ask(directory, name, libc::AT_SYMLINK_NOFOLLOW, libc::STATX_TYPE);
    match name.with_nix_path(ask)? {
        Ok(answer) => Ok(statx::attribute_bits(&answer)),
        Err(Errno::ENOSYS | Errno::EPERM) => Ok(0),
        Err(error) => Err(error),
    }
}

/// Renames an entry (renameat2(2)). Fails if the new name is in use.
#[allow(unsafe_code)]
pub fn rename_exclusively(from: &Directory, name: &CStr, to: &Directory, new: &CStr) -> Result<(), Errno> {
    let (from, to) = (from.as_fd().as_raw_fd(), to.as_fd().as_raw_fd());
    let (name, new) = (name.as_ptr(), new.as_ptr());
    // SAFETY: both names end with NUL and outlive the call, which only reads them.
    let done = unsafe { libc::syscall(libc::SYS_renameat2, from, name, to, new, libc::RENAME_NOREPLACE) };
    Errno::result(done).map(drop)
}

/// Returns `true` if this process counts as the owner of every file, because it has `CAP_FOWNER` (capabilities(7)).
pub fn owns_all() -> bool {
    const CAP_FOWNER: u64 = 3;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    effective.map_or_else(|| geteuid().is_root(), |bits| bits & (1 << CAP_FOWNER) != 0)
}

/// Returns `true` if the directory has an ACL (acl(5)), or if this cannot be determined.
#[allow(unsafe_code)]
pub fn has_access_list(directory: &Directory) -> bool {
    // Extended attributes cannot be read through an `O_PATH` descriptor.
    let Ok(readable) = directory.open_child(".") else { return true };
    let (fd, name) = (readable.fd.as_raw_fd(), c"system.posix_acl_access");
    // SAFETY: the name ends with NUL and outlives the call, which writes nothing to a buffer of length 0.
    let length = unsafe { libc::fgetxattr(fd, name.as_ptr(), std::ptr::null_mut(), 0) };
    !matches!(Errno::result(length), Err(Errno::ENODATA | Errno::ENOTSUP))
}

/// Creates an unnamed file. Fails without /proc, which is needed to name the file later.
pub fn create_unnamed(directory: &Directory) -> Result<OwnedFd, Errno> {
    let flags = OFlag::O_TMPFILE | OFlag::O_WRONLY | OFlag::O_CLOEXEC;
    let file = retry(|| openat(&directory.fd, ".", flags, Mode::S_IRUSR | Mode::S_IWUSR))?;
    let own = fstat(&file)?;
    let seen = fstatat(AT_FDCWD, descriptor(&file).as_str(), AtFlags::empty());
    let is_seen = seen.is_ok_and(|seen| (seen.st_dev, seen.st_ino) == (own.st_dev, own.st_ino));
    if is_seen { Ok(file) } else { Err(Errno::EOPNOTSUPP) }
}

/// Gives an unnamed file the name `new` in `directory`.
pub fn link_unnamed(
    directory: &Directory,
    file: &impl AsFd,
    new: &(impl NixPath + ?Sized),
) -> Result<(), Errno> {
    let path = descriptor(file);
    retry(|| linkat(AT_FDCWD, path.as_str(), &directory.fd, new, AtFlags::AT_SYMLINK_FOLLOW))
}

fn descriptor(file: &impl AsFd) -> String {
    format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())
}

pub fn identity(directory: &Directory, name: &CStr) -> Result<Identity, Errno> {
    identity_by(directory, name, libc::AT_SYMLINK_NOFOLLOW, || unix::identity(directory, name))
}

pub fn own_identity(directory: &Directory) -> Result<Identity, Errno> {
    identity_by(directory, c"", libc::AT_EMPTY_PATH, || unix::own_identity(directory))
}

fn identity_by(
    directory: &Directory,
    name: &CStr,
    flags: i32,
    otherwise: impl FnOnce() -> Result<Identity, Errno>,
) -> Result<Identity, Errno> {
    let answer = match statx::ask(directory, name, flags, libc::STATX_BASIC_STATS | libc::STATX_BTIME) {
        // Older kernels and some sandboxes do not support statx(2).
        Err(Errno::ENOSYS | Errno::EPERM) => return otherwise(),
        answer => answer?,
    };
    let time = |it: libc::statx_timestamp| (it.tv_sec, i64::from(it.tv_nsec));
    let is_born = answer.stx_mask & libc::STATX_BTIME != 0;
    Ok(Identity {
        attributes: statx::attributes(&answer),
        born: is_born.then(|| time(answer.stx_btime)),
        modified: time(answer.stx_mtime),
        changed: time(answer.stx_ctime),
    })
}

/// Returns the attributes of the entry `name` in `directory`, and properties that a scan does not read.
///
/// # Errors
/// Returns any error of statx(2) or, if it is not supported, fstatat(2).
pub fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
    /// `STATX_ATTR_*` bits from linux/stat.h, each with the trait that it indicates.
    const KNOWN: [(u64, Trait); 9] = [
        (0x4, Trait::Compressed),
        (0x800, Trait::Encrypted),
        (0x10, Trait::Immutable),
        (0x20, Trait::AppendOnly),
        (0x40, Trait::NoDump),
        (0x10_0000, Trait::Verity),
        (0x20_0000, Trait::Direct),
        (statx::MOUNT_ROOT, Trait::MountPoint),
        (0x1000, Trait::Trigger),
    ];
    const MASK: u32 = libc::STATX_BASIC_STATS | libc::STATX_BTIME | statx::MOUNT_ID;
    let answer = match statx::ask(directory, name, libc::AT_SYMLINK_NOFOLLOW, MASK) {
        // Older kernels and some sandboxes do not support statx(2).
        Err(Errno::ENOSYS | Errno::EPERM) => return unix::probe(directory, name),
        answer => answer?,
    };
    let attributes = statx::attributes(&answer);
    let born = answer.stx_mask & libc::STATX_BTIME != 0;
    Ok(Probe {
        attributes,
        accessed: answer.stx_atime.tv_sec,
        changed: answer.stx_ctime.tv_sec,
        born: born.then_some(answer.stx_btime.tv_sec),
        traits: Trait::of_bits(statx::attribute_bits(&answer), &KNOWN),
        target: unix::target(directory, name, &attributes),
        mount: statx::mount(&answer),
    })
}
