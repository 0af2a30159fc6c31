//! An open directory and the calls every Unix system has for it.
//!
//! Knows nothing of reading it. Invariant: below a root nothing is opened through a symbolic link.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use super::NOT_OURS;
use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, open, openat};
use nix::sys::stat::{Mode, fstat, fstatat};
use nix::sys::statfs::fstatfs;
use nix::unistd::read;

use super::{Attributes, FileSystem, retry};
use crate::kind::Kind;

/// An open directory.
#[derive(Debug)]
pub struct Directory {
    pub(super) fd: OwnedFd,
}

pub(super) const OPEN: OFlag =
    OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC).union(OFlag::O_NONBLOCK);

impl Directory {
    /// Opens a root: symbolic links in `path` are followed.
    ///
    /// # Errors
    /// As open(2).
    pub fn open(path: &Path) -> Result<Self, Errno> {
        Ok(Self { fd: retry(|| open(path, OPEN, Mode::empty()))? })
    }

    /// Opens the directory `name` in this one, never through a symbolic link.
    ///
    /// # Errors
    /// As openat(2); `ENOTDIR` or `ELOOP` when `name` is no longer a directory.
    pub fn open_child(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        Ok(Self { fd: retry(|| openat(&self.fd, name, OPEN | OFlag::O_NOFOLLOW, Mode::empty()))? })
    }

    /// Opens a directory as a mere place from which to go on, which needs no right to list it.
    ///
    /// # Errors
    /// As openat(2).
    pub fn step_into(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        let flags = PLACE | OFlag::O_DIRECTORY;
        Ok(Self { fd: retry(|| openat(&self.fd, name, flags, Mode::empty()))? })
    }

    /// The attributes of the directory itself.
    ///
    /// # Errors
    /// As fstat(2).
    pub fn attributes(&self) -> Result<Attributes, Errno> {
        Ok(retry(|| fstat(&self.fd))?.into())
    }

    /// The attributes of `name` in this directory; of a symbolic link its own.
    ///
    /// # Errors
    /// As fstatat(2).
    pub fn attributes_of(&self, name: &(impl NixPath + ?Sized)) -> Result<Attributes, Errno> {
        Ok(retry(|| fstatat(&self.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW | NO_AUTOMOUNT))?.into())
    }

    /// Opens the regular file `name` in this directory for reading, never through a symbolic link. Nothing else is ever
    /// waited for, or set in motion: a fifo without a writer, a tape.
    ///
    /// # Errors
    /// As openat(2); `EINVAL` when it is no regular file.
    pub fn open_file(&self, name: &CStr) -> Result<OwnedFd, Errno> {
        const FLAGS: OFlag = OFlag::O_RDONLY
            .union(OFlag::O_CLOEXEC)
            .union(OFlag::O_NONBLOCK)
            .union(OFlag::O_NOFOLLOW)
            .union(NOT_OURS);
        // Looked at before as well, since opening a device may already do something.
        if self.attributes_of(name)?.kind != Kind::File {
            return Err(Errno::EINVAL);
        }
        let file = retry(|| openat(&self.fd, name, FLAGS, Mode::empty()))?;
        if Attributes::from(fstat(&file)?).kind != Kind::File {
            return Err(Errno::EINVAL);
        }
        Ok(file)
    }

    /// Reads the beginning of the regular file `name` in this directory into `start`, and says how much there was.
    ///
    /// # Errors
    /// As [`Directory::open_file`] and read(2).
    pub fn read_start(&self, name: &CStr, start: &mut [u8]) -> Result<usize, Errno> {
        let file = self.open_file(name)?;
        let mut length = 0;
        while length < start.len() {
            match retry(|| read(&file, &mut start[length..]))? {
                0 => break,
                more => length += more,
            }
        }
        Ok(length)
    }

    /// The kind of file system this directory is on.
    ///
    /// # Errors
    /// As fstatfs(2).
    pub fn file_system(&self) -> Result<FileSystem, Errno> {
        #[cfg(target_os = "macos")]
        if is_disk(self.attributes()?.device) {
            return Ok(FileSystem::Ordinary);
        }
        Ok(classify(&retry(|| fstatfs(&self.fd))?))
    }

    /// The kind of file system mounted on `name`, found without listing it or waking an automounter.
    ///
    /// # Errors
    /// As openat(2) and fstatfs(2).
    pub fn file_system_of(&self, name: &CStr) -> Result<FileSystem, Errno> {
        // `O_DIRECTORY` would wake it: open(2) spares automounters for a mere `O_PATH` only.
        let flags = if cfg!(target_os = "linux") { PLACE } else { PLACE | OFlag::O_DIRECTORY };
        Self { fd: retry(|| openat(&self.fd, name, flags, Mode::empty()))? }.file_system()
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The attributes of a path given by a person: what a symbolic link points to if that is a directory, as is a name with
/// a slash behind it; otherwise the entry itself.
///
/// # Errors
/// As stat(2).
pub fn attributes_of_path(path: &Path) -> Result<Attributes, Errno> {
    let own = retry(|| fstatat(AT_FDCWD, path, AtFlags::AT_SYMLINK_NOFOLLOW))?;
    let target = || retry(|| fstatat(AT_FDCWD, path, AtFlags::empty())).ok().map(Attributes::from);
    let own = Attributes::from(own);
    Ok(target().filter(Attributes::is_directory).unwrap_or(own))
}

/// Device and inode of the directory whose content is reached in a second way, and which a scan that comes from above must
/// therefore not enter: the data volume of macOS, which firmlinks such as `/Users` lead into.
#[cfg(target_os = "macos")]
pub fn second_way() -> Option<(u64, u64)> {
    let volume = attributes_of_path(Path::new("/System/Volumes/Data")).ok()?;
    Some((volume.device, volume.inode))
}
/// No directory is reached in a second way here.
#[cfg(not(target_os = "macos"))]
pub fn second_way() -> Option<(u64, u64)> {
    None
}

#[cfg(target_os = "linux")]
const NO_AUTOMOUNT: AtFlags = AtFlags::AT_NO_AUTOMOUNT;
#[cfg(not(target_os = "linux"))]
const NO_AUTOMOUNT: AtFlags = AtFlags::empty();

/// `O_PATH` where it exists: such a descriptor names a place and nothing more.
#[cfg(target_os = "linux")]
const PLACE: OFlag = OFlag::O_PATH.union(OFlag::O_CLOEXEC).union(OFlag::O_NOFOLLOW);
#[cfg(not(target_os = "linux"))]
const PLACE: OFlag = OPEN.difference(OFlag::O_DIRECTORY).union(OFlag::O_NOFOLLOW);

#[cfg(target_os = "linux")]
fn classify(status: &nix::sys::statfs::Statfs) -> FileSystem {
    // The magic's type differs between C libraries; the number has 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    FileSystem::of_magic(status.filesystem_type().0 as u32)
}

/// Whether a device number is that of a disk. File systems without one get numbers above those of the 24 block
/// drivers (`vfs_getnewfsid` in XNU); only they are worth another call.
#[cfg(target_os = "macos")]
fn is_disk(device: u64) -> bool {
    const BLOCK_DRIVERS: u64 = 24;
    device >> 24 < BLOCK_DRIVERS
}

#[cfg(target_os = "macos")]
fn classify(status: &nix::sys::statfs::Statfs) -> FileSystem {
    FileSystem::of_type(status.filesystem_type_name().as_bytes())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn classify(_: &nix::sys::statfs::Statfs) -> FileSystem {
    FileSystem::Ordinary
}
