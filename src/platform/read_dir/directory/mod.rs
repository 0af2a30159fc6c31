//! Open directory, with calls that every Unix system has.
//!
//! Invariant: below a root nothing is opened through a symbolic link.

use std::ffi::{CStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use crate::platform::NOT_OURS;
use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, open, openat, readlinkat, renameat};
use nix::sys::stat::{Mode, fstat, fstatat};
use nix::sys::statfs::fstatfs;
use nix::unistd::{fsync, linkat, read};

use crate::base::kind::Kind;
use crate::platform::{Attributes, FileId, FileSystem, retry};

/// Open directory.
#[derive(Debug)]
pub struct Directory {
    pub(crate) fd: OwnedFd,
}

pub(crate) const OPEN: OFlag =
    OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC).union(OFlag::O_NONBLOCK);

impl Directory {
    /// Opens a root, following symbolic links in `path`.
    ///
    /// # Errors
    /// Those of open(2).
    pub fn open(path: &Path) -> Result<Self, Errno> {
        Ok(Self { fd: retry(|| open(path, OPEN, Mode::empty()))? })
    }

    /// Opens the directory `name` in this one, never through a symbolic link.
    ///
    /// # Errors
    /// Those of openat(2); `ENOTDIR` or `ELOOP` if `name` is no longer a directory.
    pub fn open_child(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        Ok(Self { fd: retry(|| openat(&self.fd, name, OPEN | OFlag::O_NOFOLLOW, Mode::empty()))? })
    }

    /// Opens a directory only as a base for further lookups, which needs no permission to list it.
    ///
    /// # Errors
    /// Those of openat(2).
    pub fn step_into(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        let flags = PLACE | OFlag::O_DIRECTORY;
        Ok(Self { fd: retry(|| openat(&self.fd, name, flags, Mode::empty()))? })
    }

    /// Returns the attributes of the directory itself.
    ///
    /// # Errors
    /// Those of fstat(2).
    pub fn attributes(&self) -> Result<Attributes, Errno> {
        Ok(retry(|| fstat(&self.fd))?.into())
    }

    /// Returns the attributes of `name` in this directory, or of the symbolic link itself.
    ///
    /// # Errors
    /// Those of fstatat(2).
    pub fn attributes_of(&self, name: &(impl NixPath + ?Sized)) -> Result<Attributes, Errno> {
        Ok(retry(|| fstatat(&self.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW | NO_AUTOMOUNT))?.into())
    }

    /// Opens the regular file `name` in this directory for reading, never through a symbolic link. Never
    /// blocks on or activates another kind of file, such as a fifo without a writer or a tape drive.
    ///
    /// # Errors
    /// Those of openat(2); `EINVAL` if it is not a regular file.
    pub fn open_file(&self, name: &CStr) -> Result<OwnedFd, Errno> {
        const FLAGS: OFlag = OFlag::O_RDONLY
            .union(OFlag::O_CLOEXEC)
            .union(OFlag::O_NONBLOCK)
            .union(OFlag::O_NOFOLLOW)
            .union(NOT_OURS);
        // Checked before opening too, since opening a device can have an effect.
        if self.attributes_of(name)?.kind != Kind::File {
            return Err(Errno::EINVAL);
        }
        let file = retry(|| openat(&self.fd, name, FLAGS, Mode::empty()))?;
        if Attributes::from(fstat(&file)?).kind != Kind::File {
            return Err(Errno::EINVAL);
        }
        Ok(file)
    }

    /// Reads the beginning of the regular file `name` in this directory into `start`, and returns the number
    /// of bytes.
    ///
    /// # Errors
    /// Those of [`Directory::open_file`] and read(2).
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

    /// Reads the symbolic link `name` in this directory and returns attributes and text of the same link.
    ///
    /// # Errors
    /// Those of readlinkat(2): `EINVAL` if it is not a link.
    #[cfg(target_os = "linux")]
    pub fn read_link(&self, name: &(impl NixPath + ?Sized)) -> Result<(Attributes, OsString), Errno> {
        let link = retry(|| openat(&self.fd, name, PLACE, Mode::empty()))?;
        let found = Attributes::from(fstat(&link)?);
        // For anything but a link an empty name would fail with `ENOENT`.
        if found.kind != Kind::Symlink {
            return Err(Errno::EINVAL);
        }
        Ok((found, readlinkat(&link, "")?))
    }
    /// Reads the symbolic link `name` in this directory and returns attributes and text of the same link, as
    /// far as the system can ensure it.
    ///
    /// # Errors
    /// Those of readlinkat(2): `EINVAL` if it is not a link; `EAGAIN` if it was replaced meanwhile.
    #[cfg(not(target_os = "linux"))]
    pub fn read_link(&self, name: &(impl NixPath + ?Sized)) -> Result<(Attributes, OsString), Errno> {
        let found = self.attributes_of(name)?;
        let text = readlinkat(&self.fd, name)?;
        if self.attributes_of(name)? == found { Ok((found, text)) } else { Err(Errno::EAGAIN) }
    }

    /// Creates the file `name` in this directory, accessible by its owner only, and opens it for writing.
    ///
    /// # Errors
    /// Those of openat(2): `EEXIST` if the name is taken, by a symbolic link too.
    pub fn create_file(&self, name: &(impl NixPath + ?Sized)) -> Result<OwnedFd, Errno> {
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        retry(|| openat(&self.fd, name, flags, Mode::S_IRUSR | Mode::S_IWUSR))
    }

    /// Renames `name` in this directory to `new`, replacing an existing entry.
    ///
    /// # Errors
    /// Those of renameat(2).
    pub fn replace(
        &self,
        name: &(impl NixPath + ?Sized),
        new: &(impl NixPath + ?Sized),
    ) -> Result<(), Errno> {
        retry(|| renameat(&self.fd, name, &self.fd, new))
    }

    /// Gives the file `name` in this directory a second name.
    ///
    /// # Errors
    /// Those of linkat(2): `EEXIST` if the new name is taken.
    pub fn link(&self, name: &(impl NixPath + ?Sized), new: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        retry(|| linkat(&self.fd, name, &self.fd, new, AtFlags::empty()))
    }

    /// Waits until the names in this directory are on the disk.
    ///
    /// # Errors
    /// Those of openat(2) and fsync(2).
    pub fn sync(&self) -> Result<(), Errno> {
        let readable = self.open_child(".")?;
        retry(|| fsync(&readable.fd))
    }

    /// Returns the kind of the file system this directory is on.
    ///
    /// # Errors
    /// Those of fstatfs(2).
    pub fn file_system(&self) -> Result<FileSystem, Errno> {
        #[cfg(target_os = "macos")]
        if is_disk(self.attributes()?.device) {
            return Ok(FileSystem::Ordinary);
        }
        Ok(classify(&retry(|| fstatfs(&self.fd))?))
    }

    /// Returns the kind of the file system mounted on `name`, without listing it or triggering an automount.
    ///
    /// # Errors
    /// Those of openat(2) and fstatfs(2).
    pub fn file_system_of(&self, name: &CStr) -> Result<FileSystem, Errno> {
        // `O_DIRECTORY` would trigger it: open(2) spares automounts for a plain `O_PATH` only.
        let flags = if cfg!(target_os = "linux") { PLACE } else { PLACE | OFlag::O_DIRECTORY };
        Self { fd: retry(|| openat(&self.fd, name, flags, Mode::empty()))? }.file_system()
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Returns the attributes of a path that the user gave: of the target if it is a symbolic link to a directory
/// or a name with a slash at its end, otherwise of the entry itself.
///
/// # Errors
/// Those of stat(2).
pub fn attributes_of_path(path: &Path) -> Result<Attributes, Errno> {
    let own = retry(|| fstatat(AT_FDCWD, path, AtFlags::AT_SYMLINK_NOFOLLOW))?;
    let target = || retry(|| fstatat(AT_FDCWD, path, AtFlags::empty())).ok().map(Attributes::from);
    let own = Attributes::from(own);
    Ok(target().filter(Attributes::is_directory).unwrap_or(own))
}

/// Returns the identity of the directory that firmlinks such as `/Users` lead into, the data volume of
/// macOS. A scan from above must not enter it, since its content is reached through the firmlinks.
#[cfg(target_os = "macos")]
pub fn second_way() -> Option<FileId> {
    Some(attributes_of_path(Path::new("/System/Volumes/Data")).ok()?.file_id())
}
/// Returns `None`, since these systems have no firmlinks.
#[cfg(not(target_os = "macos"))]
pub fn second_way() -> Option<FileId> {
    None
}

#[cfg(target_os = "linux")]
const NO_AUTOMOUNT: AtFlags = AtFlags::AT_NO_AUTOMOUNT;
#[cfg(not(target_os = "linux"))]
const NO_AUTOMOUNT: AtFlags = AtFlags::empty();

/// `O_PATH` if it exists: such a descriptor only names a file.
#[cfg(target_os = "linux")]
const PLACE: OFlag = OFlag::O_PATH.union(OFlag::O_CLOEXEC).union(OFlag::O_NOFOLLOW);
#[cfg(not(target_os = "linux"))]
const PLACE: OFlag = OPEN.difference(OFlag::O_DIRECTORY).union(OFlag::O_NOFOLLOW);

#[cfg(target_os = "linux")]
fn classify(status: &nix::sys::statfs::Statfs) -> FileSystem {
    // The type of the magic number differs between C libraries; the number has 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    FileSystem::of_magic(status.filesystem_type().0 as u32)
}

/// Returns `true` for the device number of a disk. File systems without one get numbers above those of the 24
/// block drivers (`vfs_getnewfsid` in XNU); only they are worth another call.
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
