//! File systems on macOS. Mounts are read with getfsstat(2), and capacities with statfs(2), whose block counts have 64
//! bits. APFS is asked for numbers that neither call reports.

#[path = "overhead/apfs.rs"]
mod apfs;
#[path = "unix.rs"]
#[allow(dead_code)] // this file replaces some items of `unix`
mod unix;

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::platform::entry::probe::{Probe, Trait};
use crate::platform::fs::capacity::Capacity;
use crate::platform::fs::mounts::{Mount, MountPosition};
use crate::platform::fs::overhead::Native;
use crate::platform::fs::volume::{VolumeId, is_snapshot};
use crate::platform::{Directory, Errno, FIRMLINK_TARGET, errno_of, retry};

pub use unix::*;

/// `true`, because the volumes of a volume group can share a device number, and a volume can be mounted several times.
pub const HAS_VOLUMES: bool = true;
/// `false`, because reading covered files requires a clone of the mount, and macOS cannot clone mounts.
pub const CAN_READ_COVERED_FILES: bool = false;

/// Returns the capacity of the file system that `path` is on. For APFS this is the capacity of the container,
/// which its volumes share.
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

/// Returns the number of bytes used on the volume that `path` is on. For `/`, the result includes the data volume,
/// which a scan of `/` reads through firmlinks.
///
/// # Errors
/// Returns any error of statfs(2).
pub fn used(path: &Path) -> Result<u64, Errno> {
    let data = FIRMLINK_TARGET.filter(|_| path.canonicalize().is_ok_and(|path| path == Path::new("/")));
    let own =
        apfs::used(path).map(|own| own + data.and_then(|data| apfs::used(Path::new(data)).ok()).unwrap_or(0));
    own.or_else(|_| Ok(capacity(path)?.used()))
}

/// Asks APFS for information that statfs(2) does not report: the space used by the volumes of `mounts`, and the names
/// of their file-system snapshots. Returns [`Native::Silent`] for other file systems.
pub fn ask(mounts: &[Mount], _: &Path) -> Native {
    match mounts.first().map_or(b"".as_slice(), |mount| mount.kind.as_slice()) {
        b"apfs" => Native::Apfs(apfs::ask(mounts)),
        _ => Native::Silent,
    }
}

/// Returns `true` if a whole file system is mounted at `path`. This is the case at every mount point, because macOS
/// cannot mount a single directory of a file system.
pub fn is_whole(path: &Path) -> bool {
    standing(path).is_ok_and(|standing| standing.is_mount_point)
}

/// Determines the mount that `path` is on, and whether `path` is the root of that mount. Follows a symbolic link at the
/// end of the path. The kernel is asked for the mount point, because path and device do not identify the volume: the
/// path may contain a firmlink to another volume, and volumes can share a device number.
///
/// # Errors
/// Returns any error of stat(2).
#[allow(unsafe_code)]
pub fn standing(path: &Path) -> Result<MountPosition, Errno> {
    let own = unix::standing(path)?;
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
    let mut answer = MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: `name` ends with NUL, and `answer` is writable memory of the size that the call fills.
    let result = retry(|| Errno::result(unsafe { libc::statfs(name.as_ptr(), answer.as_mut_ptr()) }));
    if result.is_err() {
        return Ok(own);
    }
    // SAFETY: the call has succeeded, so it has filled the whole structure.
    let point = text(&unsafe { answer.assume_init() }.f_mntonname);
    let full = path.canonicalize().map_err(|error| errno_of(&error))?;
    let is_mount_point = full.as_os_str().as_bytes() == point;
    Ok(MountPosition { point: Some(point), is_mount_point, ..own })
}

/// Returns all mounts.
///
/// # Errors
/// Returns any error of getfsstat(2).
#[allow(unsafe_code)]
pub fn mounts() -> Result<Vec<Mount>, Errno> {
    // SAFETY: without a buffer the call only returns the number of mounts.
    let count = Errno::result(unsafe { libc::getfsstat(std::ptr::null_mut(), 0, libc::MNT_NOWAIT) })?;
    // Leaves room for file systems that are mounted between the two calls.
    let room = usize::try_from(count).unwrap_or(0) + 8;
    let mut found: Vec<libc::statfs> = Vec::with_capacity(room);
    let bytes = libc::c_int::try_from(room * size_of::<libc::statfs>()).map_err(|_| Errno::EOVERFLOW)?;
    // SAFETY: `found` has room for `bytes` bytes, and nothing else refers to it.
    let filled = Errno::result(unsafe { libc::getfsstat(found.as_mut_ptr(), bytes, libc::MNT_NOWAIT) })?;
    // SAFETY: the kernel has filled the first `filled` elements, and the new length is at most `room`, the capacity.
    unsafe { found.set_len(usize::try_from(filled).unwrap_or(0).min(room)) };
    Ok(found.iter().map(mount).collect())
}

/// Returns the mount of the entry `name` in `directory`; `probe` describes the entry. If the entry may be a mount point
/// or a firmlink, opens it and asks the kernel for the mount. The device number alone is not enough, because the
/// volumes of a volume group can share it.
///
/// # Errors
/// Returns any error of fstatfs(2).
pub fn mount_of(directory: &Directory, name: &CStr, probe: &Probe) -> Result<Mount, Errno> {
    let attributes = &probe.attributes;
    let leads_elsewhere = attributes.is_directory()
        && !probe.traits.contains(&Trait::Dataless)
        && (probe.traits.contains(&Trait::Firmlink)
            || directory.attributes().is_ok_and(|above| above.device != attributes.device));
    let inside = if leads_elsewhere { directory.open_child(name).ok() } else { None };
    mount_at(inside.as_ref().unwrap_or(directory))
}

/// Returns the mount of an open directory.
///
/// # Errors
/// Returns any error of fstatfs(2).
#[allow(unsafe_code)]
pub fn mount_at(directory: &Directory) -> Result<Mount, Errno> {
    let mut answer = MaybeUninit::<libc::statfs>::uninit();
    let fd = directory.as_fd().as_raw_fd();
    // SAFETY: `answer` is writable and large enough for the structure that the call writes.
    retry(|| Errno::result(unsafe { libc::fstatfs(fd, answer.as_mut_ptr()) }))?;
    // SAFETY: the call has succeeded, so it has filled the whole structure.
    Ok(mount(&unsafe { answer.assume_init() }))
}

#[allow(clippy::cast_sign_loss)]
fn mount(status: &libc::statfs) -> Mount {
    /// Flag for mounts of file-system snapshots, from sys/mount.h.
    const MNT_SNAPSHOT: u32 = 0x4000_0000;
    let source = text(&status.f_mntfromname);
    Mount {
        // The first half of a file system's ID is its device (`vfs_getnewfsid`).
        device: device(status),
        root: b"/".to_vec(),
        point: text(&status.f_mntonname),
        kind: text(&status.f_fstypename),
        is_snapshot: status.f_flags & MNT_SNAPSHOT != 0 || is_snapshot(&source),
        volume: VolumeId::of_source(&source),
        source,
        is_network: is_network(status),
        ..Mount::default()
    }
}

/// Returns `true` for a network file system, which lacks the flag `MNT_LOCAL`. Returns `false` for
/// automounters (`autofs`), which also lack this flag: they contact no server until they are triggered, and a scan
/// never triggers them.
#[allow(clippy::cast_sign_loss)]
fn is_network(status: &libc::statfs) -> bool {
    status.f_flags & libc::MNT_LOCAL as u32 == 0 && text(&status.f_fstypename) != b"autofs"
}

#[allow(unsafe_code, clippy::cast_sign_loss)]
fn device(status: &libc::statfs) -> u64 {
    // SAFETY: `fsid_t` consists of two 32-bit numbers (sys/_types/_fsid_t.h). `transmute` is needed because
    // the libc crate keeps these fields private.
    let [device, _] = unsafe { std::mem::transmute::<libc::fsid_t, [i32; 2]>(status.f_fsid) };
    device as u64
}

#[allow(clippy::cast_sign_loss)]
fn text(chars: &[libc::c_char]) -> Vec<u8> {
    let bytes: Vec<u8> = chars.iter().map(|byte| *byte as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map_or(bytes.clone(), |text| text.to_bytes().to_vec())
}
