//! macOS: mounts from the kernel's table, 64-bit capacities, and APFS.

#[path = "overhead/apfs.rs"]
mod apfs;
#[path = "unix.rs"]
#[allow(dead_code)] // partly replaced here
mod unix;

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

use crate::platform::entry::probe::{Probe, Trait};
use crate::platform::fs::capacity::Capacity;
use crate::platform::fs::mounts::Mount;
use crate::platform::fs::overhead::Native;
use crate::platform::{Directory, Errno, retry};

pub use unix::*;

/// Returns the capacity of the file system that `path` is on. For APFS, this is the capacity of the container, which
/// its volumes share.
///
/// # Errors
/// Returns any error of statfs(2).
pub fn capacity(path: &Path) -> Result<Capacity, Errno> {
    let status = retry(|| nix::sys::statfs::statfs(path))?;
    let unit = u64::from(status.block_size());
    let bytes = |blocks| unit.saturating_mul(blocks);
    let capacity = Capacity {
        size: bytes(status.blocks()),
        free: bytes(status.blocks_free()),
        available: bytes(status.blocks_available()),
        unit,
        ..Capacity::default()
    };
    Ok(capacity.with_inodes(status.files(), status.files_free()))
}

/// Reads what the file system of `mount` reports about itself. `path` must be on that mount.
pub fn ask(mount: &Mount, path: &Path) -> Native {
    match mount.kind.as_slice() {
        b"apfs" => Native::Apfs(apfs::ask(path)),
        _ => Native::Silent,
    }
}

/// Returns `true` if a file system is mounted at `path`. On macOS, mounts are always of whole file systems.
pub fn is_whole(path: &Path) -> bool {
    standing(path).is_ok_and(|standing| standing.is_mount_point)
}

/// Returns all mounts.
///
/// # Errors
/// Returns any error of getfsstat(2).
#[allow(unsafe_code)]
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    // SAFETY: without a buffer the call only returns the number of mounts.
    let count = Errno::result(unsafe { libc::getfsstat(std::ptr::null_mut(), 0, libc::MNT_NOWAIT) })?;
    // Leaves room for mounts made in the meantime.
    let room = usize::try_from(count).unwrap_or(0) + 8;
    let mut found: Vec<libc::statfs> = Vec::with_capacity(room);
    let bytes = libc::c_int::try_from(room * size_of::<libc::statfs>()).map_err(|_| Errno::EOVERFLOW)?;
    // SAFETY: `found` has room for the given number of bytes, and nothing else refers to it.
    let filled = Errno::result(unsafe { libc::getfsstat(found.as_mut_ptr(), bytes, libc::MNT_NOWAIT) })?;
    // SAFETY: the kernel has filled that many elements, never more than there is room for.
    unsafe { found.set_len(usize::try_from(filled).unwrap_or(0).min(room)) };
    Ok(found.iter().map(mount).collect())
}

/// Returns the mount of the entry `name` in `place`; `probe` describes the entry. The device does not distinguish the
/// volumes of a group, and the mount that a directory leads to is known only after the directory is opened.
///
/// # Errors
/// Returns any error of fstatfs(2).
pub fn mount_of(place: &Directory, name: &CStr, probe: &Probe) -> Result<Mount, Errno> {
    let attributes = &probe.attributes;
    let leads_elsewhere = attributes.is_directory()
        && !probe.traits.contains(&Trait::Dataless)
        && (probe.traits.contains(&Trait::Firmlink)
            || place.attributes().is_ok_and(|above| above.device != attributes.device));
    let inside = if leads_elsewhere { place.open_child(name).ok() } else { None };
    mount_at(inside.as_ref().unwrap_or(place))
}

#[allow(unsafe_code)]
fn mount_at(directory: &Directory) -> Result<Mount, Errno> {
    let mut answer = MaybeUninit::<libc::statfs>::uninit();
    let fd = directory.as_fd().as_raw_fd();
    // SAFETY: `answer` is writable memory of the size that the call fills.
    retry(|| Errno::result(unsafe { libc::fstatfs(fd, answer.as_mut_ptr()) }))?;
    // SAFETY: the call has succeeded, so it has filled the whole structure.
    Ok(mount(&unsafe { answer.assume_init() }))
}

fn mount(status: &libc::statfs) -> Mount {
    Mount {
        // The first half of a file system's ID is its device (`vfs_getnewfsid`).
        device: device(status),
        root: b"/".to_vec(),
        point: text(&status.f_mntonname),
        kind: text(&status.f_fstypename),
        source: text(&status.f_mntfromname),
        is_network: is_network(status),
        ..Mount::default()
    }
}

/// Returns `true` for a network file system. Automounters are not local either, but they contact no server until they
/// are triggered, and a scan never triggers one.
#[allow(clippy::cast_sign_loss)]
fn is_network(status: &libc::statfs) -> bool {
    status.f_flags & libc::MNT_LOCAL as u32 == 0 && text(&status.f_fstypename) != b"autofs"
}

#[allow(unsafe_code, clippy::cast_sign_loss)]
fn device(status: &libc::statfs) -> u64 {
    // SAFETY: `fsid_t` consists of two 32-bit numbers (sys/_types/_fsid_t.h), whose fields are private in the
    // crate.
    let [device, _] = unsafe { std::mem::transmute::<libc::fsid_t, [i32; 2]>(status.f_fsid) };
    device as u64
}

#[allow(clippy::cast_sign_loss)]
fn text(chars: &[libc::c_char]) -> Vec<u8> {
    let bytes: Vec<u8> = chars.iter().map(|byte| *byte as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map_or(bytes.clone(), |text| text.to_bytes().to_vec())
}
