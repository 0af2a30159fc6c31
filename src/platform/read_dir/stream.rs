//! Directory stream on macOS. Uses `fdopendir(3)` and `readdir_r(3)`, as the standard library does there.
//!
//! Invariant: dropping the stream closes it and its descriptor.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::ptr::{NonNull, null_mut};

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;

use crate::base::kind::Kind;
use crate::platform::{Directory, retry};

/// Directory stream that returns one name at a time.
pub(crate) struct Stream {
    stream: NonNull<libc::DIR>,
}

/// Directory entry returned by a [`Stream`].
pub(crate) struct Name {
    entry: libc::dirent,
}

// SAFETY: a stream is not bound to a thread. It has one owner, and every use of the stream needs `&mut`.
#[allow(unsafe_code)]
unsafe impl Send for Stream {}

/// Opens `directory` again as a stream.
///
/// # Errors
/// Returns any error of openat(2) and fdopendir(3).
#[allow(unsafe_code)]
pub(crate) fn open(directory: &Directory) -> Result<Stream, Errno> {
    const FLAGS: OFlag = OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC);
    let fd = retry(|| openat(directory, c".", FLAGS, Mode::empty()))?;
    // SAFETY: `fd` is open.
    let stream = NonNull::new(unsafe { libc::fdopendir(fd.as_raw_fd()) }).ok_or_else(Errno::last)?;
    // The stream owns the descriptor now.
    let _ = fd.into_raw_fd();
    Ok(Stream { stream })
}

#[allow(unsafe_code)]
impl Iterator for Stream {
    type Item = Result<Name, Errno>;

    fn next(&mut self) -> Option<Self::Item> {
        // `zeroed` initializes all bytes, as `assume_init` requires. The call below writes only as many as needed.
        let mut entry = MaybeUninit::<libc::dirent>::zeroed();
        let mut result = null_mut();
        // SAFETY: the stream is open, `entry` has room for the longest name, and `result` for a pointer.
        match unsafe { libc::readdir_r(self.stream.as_ptr(), entry.as_mut_ptr(), &raw mut result) } {
            0 if result.is_null() => None,
            // SAFETY: every field of a `dirent` is a number or an array of numbers, for which zeros are valid.
            0 => Some(Ok(Name { entry: unsafe { entry.assume_init() } })),
            error => Some(Err(Errno::from_raw(error))),
        }
    }
}

#[allow(unsafe_code)]
impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream was open until now, and is not used again. A close error cannot be handled.
        unsafe { libc::closedir(self.stream.as_ptr()) };
    }
}

#[allow(unsafe_code)]
impl Name {
    pub(crate) fn file_name(&self) -> &CStr {
        // SAFETY: readdir_r(3) has terminated the name with a NUL inside the array, which lives as long as `self`.
        unsafe { CStr::from_ptr(self.entry.d_name.as_ptr()) }
    }

    pub(crate) fn ino(&self) -> u64 {
        self.entry.d_ino
    }
}

/// Returns the kind of an entry according to the listing.
pub(crate) fn kind_of(name: &Name) -> Kind {
    Kind::of_hint(name.entry.d_type)
}
