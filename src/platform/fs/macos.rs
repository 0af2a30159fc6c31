//! Mounts of macOS, as the kernel remembers them.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};

use super::{Errno, Mount};
use crate::platform::{Directory, retry};

/// Implements [`super::mounts`].
#[allow(unsafe_code)]
pub(super) fn mounts() -> Result<Vec<Mount>, Errno> {
    // SAFETY: without a buffer the call only counts.
    let count = Errno::result(unsafe { libc::getfsstat(std::ptr::null_mut(), 0, libc::MNT_NOWAIT) })?;
    // Leaves room for mounts made in the meantime.
    let room = usize::try_from(count).unwrap_or(0) + 8;
    let mut found: Vec<libc::statfs> = Vec::with_capacity(room);
    let bytes = libc::c_int::try_from(room * size_of::<libc::statfs>()).map_err(|_| Errno::EOVERFLOW)?;
    // SAFETY: `found` has room for the given number of bytes, and nothing else refers to it.
    let filled = Errno::result(unsafe { libc::getfsstat(found.as_mut_ptr(), bytes, libc::MNT_NOWAIT) })?;
    // SAFETY: the kernel has filled that many, never more than there is room for.
    unsafe { found.set_len(usize::try_from(filled).unwrap_or(0).min(room)) };
    Ok(found.iter().map(mount).collect())
}

/// Implements [`super::mount_of`].
#[allow(unsafe_code)]
pub(super) fn mount_of(directory: &Directory) -> Result<Mount, Errno> {
    let mut answer = MaybeUninit::<libc::statfs>::uninit();
    let fd = directory.as_fd().as_raw_fd();
    // SAFETY: `answer` is writable memory of the size the call fills.
    retry(|| Errno::result(unsafe { libc::fstatfs(fd, answer.as_mut_ptr()) }))?;
    // SAFETY: the call succeeded, so it has filled the whole structure.
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

/// Returns `true` for a network file system. Automounters are not local either, but contact no server until
/// they are triggered, which a scan never does.
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
