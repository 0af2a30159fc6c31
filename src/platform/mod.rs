//! Access to the operating system: the interface that every implementation provides, and calls common to all Unix
//! systems.
//!
//! A directory is opened ([`Directory`]) and read in batches ([`Reader::fill`] into a [`Buffer`]). The entries of a
//! batch borrow from the buffer. Attributes that a batch does not contain are read one entry at a time, so an entry
//! that is skipped costs no system call. The implementation is chosen at compile time:
//!
//! | module     | system                  | names             | attributes  |
//! |------------|-------------------------|-------------------|-------------|
//! | `read_dir::linux` | Linux                   | `getdents64(2)`   | `statx(2)`  |
//! | `read_dir::macos` | macOS                   | `getattrlistbulk(2)`, parsed by `read_dir::attr_list` | the same call; `fstatat(2)` for directories |
//! | `read_dir::readdir` | any Unix; reference implementation in tests | `readdir(3)` | `fstatat(2)` |
//!
//! Folders and their purposes:
//!
//! | folder | purpose |
//! |---|---|
//! | `read_dir` | an open directory, its names and attributes |
//! | `entry` | one entry: attributes, identity, permissions and extents; reading, deleting and moving; safe path lookup |
//! | `fs` | file systems: mounts, kinds, `df`'s numbers, overhead, files under mount points; calls that may never return |
//! | `process` | limits, users, files that processes hold open |
//! | `terminal` | standard streams, signals, suspension by Ctrl-Z, programs run in the terminal |
//! | `memory` | append-only memory for listings; a file that is read one block at a time |
//! | `atomic_file` | files that are written completely or not at all |
//!
//! Invariant: all `unsafe` code of the crate is in this module, and each block states why it is sound.

#[cfg(feature = "formats")]
pub mod atomic_file;
pub mod entry;
pub mod fs;
pub mod memory;
pub mod process;
pub mod read_dir;
pub mod terminal;

pub use crate::platform::entry::attributes::{Attributes, Boundary, FileId};
pub use crate::platform::entry::identity::Identity;
pub use crate::platform::fs::kind::FileSystem;
pub use crate::platform::process::imp::remedy;
pub(crate) use crate::platform::read_dir::directory::NO_CTTY;
pub use crate::platform::read_dir::directory::{
    Directory, FIRMLINK_TARGET, attributes_of_path, firmlink_target,
};
pub use crate::platform::read_dir::{Buffer, Reader};

pub use crate::platform::entry::rights::Rights;

pub use nix::errno::Errno;

use std::ffi::CStr;

use crate::base::kind::Kind;

/// Directory entry as listed by the kernel, borrowed from the [`Buffer`] into which it was read.
#[derive(Clone, Copy, Debug)]
pub struct DirEntry<'b> {
    /// Name, which can contain any bytes except `/` and NUL.
    pub name: &'b CStr,
    /// Kind according to the listing. Only a hint, because a file system may omit the kind or report a wrong one.
    pub hint: Kind,
    /// Inode number according to the listing. For a mount point, this is the inode number of the covered directory,
    /// unlike [`Attributes::inode`].
    pub inode: u64,
    /// Attributes that the listing already contains. [`Buffer::attributes`] reads the rest.
    pub prefetched: Prefetched,
}

/// Attributes that the listing returns along with the name of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetched {
    /// The listing has no reliable attributes.
    Nothing,
    /// The entry is a boundary of this kind. Its attributes must be read by name, because those in the listing are not
    /// reliable. At a mount point, for example, they describe the covered directory.
    Boundary(Boundary),
    /// All attributes.
    All(Attributes),
    /// Reading the attributes failed with this error.
    Failed(Errno),
}

/// Result of [`Reader::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// The buffer contains entries, and there may be more.
    Some,
    /// There are no more entries.
    End,
}

/// Returns the host name, or `None` if it is unknown or not UTF-8.
pub fn host_name() -> Option<String> {
    nix::unistd::gethostname().ok()?.into_string().ok()
}

/// Number of times an interrupted call is repeated before the interruption counts as an error.
const RETRIES: usize = 64;

/// Repeats `attempt` a limited number of times while it fails with `EINTR`.
fn retry<T>(mut attempt: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    let mut result = attempt();
    for _ in 0..RETRIES {
        if !matches!(result, Err(Errno::EINTR)) {
            break;
        }
        result = attempt();
    }
    result
}

/// Returns the error number of a standard library error, or `EIO` if the error has no number.
pub fn errno_of(error: &std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

/// Sticky bit (chmod(2)). In a directory with this bit, users can rename and delete only their own entries.
pub(crate) const STICKY: u32 = 0o1000;
