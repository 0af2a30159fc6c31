//! macOS: the flags of chflags(2), birth times, bytes that clones do not share, renaming without replacement
//! (`renameatx_np(2)`), and deletion of directories whose contents are in the cloud.

#[path = "unix.rs"]
#[allow(dead_code)] // this file replaces some functions of `unix`
mod unix;

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd};

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::sys::stat::{FileStat, fstat, fstatat};

use crate::platform::entry::clones;
use crate::platform::entry::extents::{ExtentLayout, Sharing};
use crate::platform::entry::probe::{Probe, Trait};
use crate::platform::{Boundary, Directory, Identity, retry};

pub use unix::*;

/// Returns `true` if `name` is immutable or append-only (chflags(2)).
pub fn is_locked(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
    const LOCKS: u32 = libc::UF_IMMUTABLE | libc::UF_APPEND | libc::SF_IMMUTABLE | libc::SF_APPEND;
    let stat = fstatat(&directory.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
    Ok(stat.st_flags & LOCKS != 0)
}

/// Renames an entry (`renameatx_np(2)`). Fails if the new name is in use.
#[allow(unsafe_code)]
pub fn rename_exclusively(from: &Directory, name: &CStr, to: &Directory, new: &CStr) -> Result<(), Errno> {
    let (from, to) = (from.as_fd().as_raw_fd(), to.as_fd().as_raw_fd());
    let (name, new) = (name.as_ptr(), new.as_ptr());
    // SAFETY: both names end with NUL and outlive the call, which only reads them.
    let done = unsafe { libc::renameatx_np(from, name, to, new, libc::RENAME_EXCL) };
    Errno::result(done).map(drop)
}

/// Deletes a directory whose contents are only in the cloud, without downloading them.
#[allow(unsafe_code)]
pub fn remove_dataless(directory: &Directory, name: &CStr) -> Result<(), Errno> {
    /// `AT_REMOVEDIR | AT_REMOVEDIR_DATALESS` from sys/fcntl.h.
    const FLAGS: libc::c_int = 0x80 | 0x100;
    let fd = directory.as_fd().as_raw_fd();
    // SAFETY: `name` ends with NUL and outlives the call, which only reads it.
    retry(|| Errno::result(unsafe { libc::unlinkat(fd, name.as_ptr(), FLAGS) })).map(drop)
}

pub fn identity(directory: &Directory, name: &CStr) -> Result<Identity, Errno> {
    unix::status(directory, name).map(identity_in)
}

pub fn own_identity(directory: &Directory) -> Result<Identity, Errno> {
    retry(|| fstat(directory)).map(identity_in)
}

fn identity_in(stat: FileStat) -> Identity {
    Identity { born: Some((stat.st_birthtime, stat.st_birthtime_nsec)), ..unix::identity_in(stat) }
}

/// Returns the attributes of the entry `name` in `directory`, and properties that a scan does not read.
///
/// # Errors
/// Returns any error of fstatat(2).
pub fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
    /// `UF_*` and `SF_*` flags from sys/stat.h, each with the trait that it indicates.
    const KNOWN: [(u64, Trait); 9] = [
        (libc::UF_COMPRESSED as u64, Trait::Compressed),
        (libc::UF_IMMUTABLE as u64, Trait::Immutable),
        (libc::SF_IMMUTABLE as u64, Trait::Immutable),
        (libc::UF_APPEND as u64, Trait::AppendOnly),
        (libc::SF_APPEND as u64, Trait::AppendOnly),
        (libc::UF_NODUMP as u64, Trait::NoDump),
        // `SF_RESTRICTED` from sys/stat.h.
        (0x8_0000, Trait::Restricted),
        (Boundary::DATALESS_FLAG as u64, Trait::Dataless),
        (Boundary::FIRMLINK_FLAG as u64, Trait::Firmlink),
    ];
    let stat = unix::status(directory, name)?;
    let traits = Trait::of_bits(stat.st_flags.into(), &KNOWN);
    Ok(Probe { born: Some(stat.st_birthtime), traits, ..unix::probe_in(stat, directory, name) })
}

/// Returns [`Sharing::Bounded`] if `directory` is on APFS, the only file system on macOS that reports private bytes.
pub fn sharing(directory: &Directory) -> Sharing {
    let is_apfs =
        nix::sys::statfs::fstatfs(directory).is_ok_and(|status| status.filesystem_type_name() == "apfs");
    if is_apfs { Sharing::Bounded } else { Sharing::Never }
}

/// Returns the number of bytes of `name` that are not shared with any clone, and the clone ID
/// (`ATTR_CMNEXT_PRIVATESIZE` and `ATTR_CMNEXT_CLONEID`, getattrlist(2), macOS 10.13 and later).
///
/// # Errors
/// Returns any error of getattrlistat(2), or `ENOTSUP` if the file system does not report private bytes.
pub fn layout(directory: &Directory, name: &CStr) -> Result<ExtentLayout, Errno> {
    let answer = match ask(directory, name, clones::PRIVATE_SIZE | clones::CLONE_ID) {
        // Older kernels support only the private size.
        Err(Errno::EINVAL) => ask(directory, name, clones::PRIVATE_SIZE),
        answer => answer,
    }?;
    clones::layout(&answer).ok_or(Errno::ENOTSUP)
}

#[allow(unsafe_code)]
fn ask(directory: &Directory, name: &CStr, attributes: u32) -> Result<clones::Answer, Errno> {
    /// `FSOPT_NOFOLLOW | FSOPT_ATTR_CMN_EXTENDED` from sys/attr.h.
    const OPTIONS: u32 = 0x1 | 0x20;
    let mut list = libc::attrlist {
        bitmapcount: libc::ATTR_BIT_MAP_COUNT,
        reserved: 0,
        commonattr: libc::ATTR_CMN_RETURNED_ATTRS,
        volattr: 0,
        dirattr: 0,
        fileattr: 0,
        forkattr: attributes,
    };
    let mut answer: clones::Answer = [0; 40];
    let fd = directory.as_fd().as_raw_fd();
    retry(|| {
        let (list, start) = ((&raw mut list).cast(), answer.as_mut_ptr().cast());
        // SAFETY: `list` is a complete `attrlist`, which the call reads; `name` ends with NUL; `start` points
        // to `answer.len()` writable bytes.
        Errno::result(unsafe {
            libc::getattrlistat(fd, name.as_ptr(), list, start, answer.len(), OPTIONS.into())
        })
    })?;
    Ok(answer)
}
