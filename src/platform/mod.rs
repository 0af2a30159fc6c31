//! The only code that knows the kernel: the contract every implementation keeps, and what all Unix systems share.
//!
//! A directory is opened ([`Directory`]), read in batches ([`Reader::fill`] into a [`Buffer`]), and each batch hands
//! out its entries borrowed, valid only while the buffer is. Attributes are asked for entry by entry, so an entry nobody
//! wants costs no system call. Which implementation serves is decided here, at compile time:
//!
//! | module     | system                  | names             | attributes  |
//! |------------|-------------------------|-------------------|-------------|
//! | `linux`    | Linux                   | `getdents64(2)`   | `statx(2)`  |
//! | `macos`    | macOS                   | `getattrlistbulk(2)`, read by `bulk` | the same call, of directories `fstatat(2)` |
//! | `portable` | any Unix, and the oracle of the tests | `readdir(3)` | `fstatat(2)` |
//!
//! The others, by what they are for:
//!
//! | module | job |
//! |---|---|
//! | `directory` `attributes` | an open directory and its calls; what the kernel says of one inode |
//! | `status` `stream` `bulk` | `statx(2)` of Linux; the directory streams, and the records of `getattrlistbulk(2)`, of macOS |
//! | `file_system` `mounts` | the types of file systems; what is mounted where, and where a path stands in that |
//! | `descriptors` `limits` | how many directories may stay open; what the system allows this process |
//! | `cloud` | files that are only in the cloud are not fetched |
//! | `capacity` `native` | what `df` says of a file system (statvfs), and what it says of itself |
//! | `deleted` `uncover` | files without a name that processes hold; what lies below mount points |
//! | `probe` `extents` `people` | of one entry that a person asks about: what it is, how it lies on the disk, whose it is |
//! | `removal` | what it takes to remove and to move things |
//! | `spawn` | programs that are started from the terminal |
//! | `signals` `interrupt` `streams` | signals as events, Ctrl-C held back, the standard streams that were there |
//! | `trusted` `state` | files that decide what the program does; the folder for what it keeps |
//! | `memory` `blocks` | append-only memory for listings; a file that is read block by block |
//! | `absolute` | paths that say where they lead wherever they are read |
//! | `allocator` `image` | the memory of the static builds; what of the program is resident |
//!
//! Invariant: everything `unsafe` in the crate is below this module, each block with its reason.

pub mod absolute;
#[cfg(any(target_env = "musl", all(test, target_os = "linux")))]
pub mod allocator;
mod attributes;
pub mod blocks;
pub mod bulk;
pub mod capacity;
pub mod cloud;
pub mod deleted;
pub mod descriptors;
mod directory;
pub mod extents;
mod file_system;
pub mod image;
pub mod interrupt;
pub mod limits;
#[cfg(target_os = "linux")]
pub mod linux;
#[cfg(target_os = "macos")]
pub mod macos;
pub mod memory;
pub mod mounts;
pub mod native;
pub mod people;
pub mod portable;
pub mod probe;
mod removal;
pub mod signals;
pub mod spawn;
pub mod state;
#[cfg(target_os = "linux")]
mod status;
#[cfg(target_os = "macos")]
mod stream;
pub mod streams;
pub mod trusted;
pub mod uncover;

pub use attributes::{Attributes, Border, kind_of_mode};
pub use directory::{Directory, attributes_of_path, second_way};
pub use file_system::FileSystem;
#[cfg(target_os = "linux")]
pub use linux::{Buffer, Reader};
#[cfg(target_os = "macos")]
pub use macos::{Buffer, Reader};
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub use portable::{Buffer, Reader};

pub use nix::errno::Errno;

use std::ffi::CStr;

use crate::kind::Kind;

/// One name of a directory, as the kernel listed it: borrowed from the [`Buffer`] it was read into.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'b> {
    /// The name; any bytes except `/` and NUL.
    pub name: &'b CStr,
    /// What the listing says it is. Only a hint: file systems leave it out, and some lie.
    pub hint: Kind,
    /// The inode number of the listing: for a mount point the covered directory's, unlike [`Attributes::inode`].
    pub inode: u64,
    /// What else the listing says of it. [`Buffer::attributes`] asks for the rest.
    pub said: Said,
}

/// What a listing says of an entry beyond its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing that could be relied on.
    Nothing,
    /// What one crosses by opening it. The rest has to be asked by name, since the listing describes this side.
    Border(Border),
    /// Everything.
    All(Attributes),
    /// That its attributes cannot be had.
    Failed(Errno),
}

/// How a [`Reader::fill`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// The buffer holds entries; there may be more.
    Some,
    /// There is nothing left to read.
    End,
}

/// The name of this machine; none if it is not UTF-8.
pub fn host_name() -> Option<String> {
    nix::unistd::gethostname().ok()?.into_string().ok()
}

/// How often one call is made again when a signal interrupts it, before that counts as an error.
const RETRIES: usize = 64;

/// Calls `attempt` again while it says `EINTR`, a bounded number of times.
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

/// What to do about an error number, where the system's words do not say: the privacy settings of macOS refuse with `EPERM`
/// what a lack of rights would refuse with `EACCES`.
pub fn remedy(errno: i32) -> Option<&'static str> {
    let is_private = cfg!(target_os = "macos") && errno == Errno::EPERM as i32;
    is_private.then_some("Full Disk Access")
}

/// The error number of an error of the standard library; `EIO` where it has none.
pub fn errno_of(error: &std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

/// The words for an error: the system's, if it is the system's.
pub fn words(error: &std::io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), error_text)
}

/// The system's words for an error number, without a capital: `permission denied`.
pub fn error_text(errno: i32) -> String {
    let text = Errno::from_raw(errno).desc();
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        // Not an abbreviation such as "RPC version wrong".
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(text.chars().skip(1)).collect()
        }
        _ => text.to_owned(),
    }
}

/// The bit of a directory's mode that keeps others from renaming and removing what is not theirs (chmod(2)).
pub(crate) const STICKY: u32 = 0o1000;

/// Opening a terminal makes it nobody's controlling terminal; on BSD and macOS it never does.
#[cfg(not(target_os = "macos"))]
pub(crate) const NOT_OURS: nix::fcntl::OFlag = nix::fcntl::OFlag::O_NOCTTY;
#[cfg(target_os = "macos")]
pub(crate) const NOT_OURS: nix::fcntl::OFlag = nix::fcntl::OFlag::empty();

/// Gives back the memory that the allocator keeps for this thread, if it does: to be called when one of many threads ends.
pub fn release_memory() {
    #[cfg(target_env = "musl")]
    allocator::release();
}
