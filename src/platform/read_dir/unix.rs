//! Any Unix: names from `readdir(3)`, which is called through the nix crate.

use nix::dir::{Dir, Entry, OwningIter, Type};
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;

use crate::base::kind::Kind;
use crate::platform::Directory;

pub use crate::platform::read_dir::readdir::{Buffer, Reader};

/// Directory stream that returns one name at a time.
pub type Stream = OwningIter;

/// Opens `directory` again as a stream.
///
/// # Errors
/// Returns any error of openat(2) and fdopendir(3).
pub fn open(directory: &Directory) -> Result<Stream, Errno> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    Ok(Dir::openat(directory, ".", flags, Mode::empty())?.into_iter())
}

/// Returns the kind of an entry as reported by readdir(3), or `Kind::Unknown` if readdir(3) did not report it.
pub fn kind_of(entry: &Entry) -> Kind {
    match entry.file_type() {
        Some(Type::Directory) => Kind::Directory,
        Some(Type::File) => Kind::File,
        Some(Type::Symlink) => Kind::Symlink,
        Some(Type::Fifo) => Kind::Fifo,
        Some(Type::Socket) => Kind::Socket,
        Some(Type::BlockDevice) => Kind::BlockDevice,
        Some(Type::CharacterDevice) => Kind::CharDevice,
        None => Kind::Unknown,
    }
}
