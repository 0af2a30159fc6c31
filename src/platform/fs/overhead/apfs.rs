//! APFS: space used by the volumes of a container, and the names of their file-system snapshots.
//!
//! Purgeable space is not reported by any system call, only by Apple's frameworks.

use std::ffi::{CStr, CString, OsString};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::platform::fs::mounts::Mount;
use crate::platform::fs::overhead::Apfs;
use crate::platform::{Directory, Errno};

/// Returns the space used by the volumes of `mounts`, and the names of their file-system snapshots.
pub fn ask(mounts: &[Mount]) -> Apfs {
    let point = |mount: &Mount| PathBuf::from(OsString::from_vec(mount.point.clone()));
    let volumes = mounts.iter().map(|mount| used(&point(mount)).ok()).sum();
    // Mounts of file-system snapshots are skipped. `/` is one of them: macOS runs from a file-system snapshot of the
    // system volume, and that snapshot is managed by system updates, not by the user.
    let own = mounts.iter().filter(|mount| !mount.is_snapshot);
    let lists: Vec<_> = own.filter_map(|mount| snapshots(&point(mount)).ok()).collect();
    Apfs { volumes, snapshots: (!lists.is_empty()).then(|| lists.concat()) }
}

/// Returns the number of bytes that the volume at `path` uses (`ATTR_VOL_SPACEUSED`, since macOS 12).
#[allow(unsafe_code)]
pub fn used(path: &Path) -> Result<u64, Errno> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
    let mut list = libc::attrlist {
        bitmapcount: libc::ATTR_BIT_MAP_COUNT,
        reserved: 0,
        commonattr: 0,
        volattr: libc::ATTR_VOL_INFO | libc::ATTR_VOL_SPACEUSED,
        dirattr: 0,
        fileattr: 0,
        forkattr: 0,
    };
    // The reply is a 32-bit length followed by the 64-bit value of `ATTR_VOL_SPACEUSED`.
    let mut answer = [0_u8; 12];
    let (list, start) = (std::ptr::from_mut(&mut list).cast(), answer.as_mut_ptr().cast());
    // SAFETY: `path` ends with NUL, `list` is a complete `attrlist`, and `answer` has the given length.
    Errno::result(unsafe { libc::getattrlist(path.as_ptr(), list, start, answer.len(), 0) })?;
    Ok(u64::from_ne_bytes(answer[4..].try_into().expect("eight bytes are left")))
}

/// Returns the names of the file-system snapshots of a volume. Fails with `EINVAL` if `path` is not the topmost
/// directory of the volume.
#[allow(unsafe_code)]
fn snapshots(path: &Path) -> Result<Vec<Vec<u8>>, Errno> {
    // Declaration from sys/snapshot.h.
    unsafe extern "C" {
        fn fs_snapshot_list(
            directory: libc::c_int,
            list: *mut libc::attrlist,
            buffer: *mut libc::c_void,
            size: libc::size_t,
            flags: u32,
        ) -> libc::c_int;
    }
    let directory = Directory::open(path)?;
    let mut list = libc::attrlist {
        bitmapcount: libc::ATTR_BIT_MAP_COUNT,
        reserved: 0,
        commonattr: libc::ATTR_CMN_NAME | libc::ATTR_CMN_RETURNED_ATTRS,
        volattr: 0,
        dirattr: 0,
        fileattr: 0,
        forkattr: 0,
    };
    let fd = directory.as_fd().as_raw_fd();
    let mut names = Vec::new();
    loop {
        let mut buffer = vec![0_u8; 64 << 10];
        let (start, size) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: the declaration matches the header; `list` is a complete `attrlist`, and the buffer has the
        // given length.
        let count = Errno::result(unsafe { fs_snapshot_list(fd, &raw mut list, start, size, 0) })?;
        if count == 0 {
            return Ok(names);
        }
        let mut rest = buffer.as_slice();
        for _ in 0..count {
            let Some((name, after)) = split(rest) else { return Ok(names) };
            names.push(name);
            rest = after;
        }
    }
}

/// Splits off the first record, which has the same format as in getattrlistbulk(2). Returns the name and the bytes
/// after the record, or `None` if the record is malformed.
fn split(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    /// Position of the field that contains the offset of the name. The field follows the record length (4 bytes) and
    /// the bits of the returned attributes (20 bytes). The offset counts from the start of the field.
    const NAME: usize = 24;
    let number = |at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let record = bytes.get(..usize::try_from(number(0)?).ok()?).filter(|record| record.len() >= NAME + 8)?;
    let offset = usize::try_from(number(NAME)?).ok()?;
    let name = CStr::from_bytes_until_nul(record.get(NAME.checked_add(offset)?..)?).ok()?;
    Some((name.to_bytes().to_vec(), &bytes[record.len()..]))
}
