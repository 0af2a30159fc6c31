//! Open directory. `unix.rs` contains flags and calls that work on any Unix; `linux.rs` and `macos.rs` replace some
//! of them.
//!
//! Invariant: only [`Directory::open`] and [`Directory::open_for_lookup`], which take a path, follow symbolic links
//! when they open a directory. An entry of an open directory is never opened through a symbolic link.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), path = "unix.rs")]
mod imp;

use std::ffi::{CStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, open, openat, renameat};
use nix::sys::stat::{FileStat, Mode, fstat, fstatat};
use nix::unistd::{fsync, linkat, read};

use crate::base::kind::Kind;
use crate::platform::{Attributes, FileId, FileSystem, retry};
use imp::{MOUNT_POINT, NO_AUTOMOUNT, PLACE};

pub(crate) use imp::NO_CTTY;

/// Open directory. Its entries are opened, read and changed relative to it.
#[derive(Debug)]
pub struct Directory {
    pub(crate) fd: OwnedFd,
}

pub(crate) const OPEN: OFlag =
    OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC).union(OFlag::O_NONBLOCK);

impl From<FileStat> for Attributes {
    // The fields of `struct stat` differ in width and signedness between systems; each cast preserves the bits.
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast, clippy::cast_lossless)]
    fn from(stat: FileStat) -> Self {
        Self {
            kind: Kind::of_mode(stat.st_mode as u32),
            blocks: stat.st_blocks as u64,
            apparent: stat.st_size as u64,
            mtime: stat.st_mtime as i64,
            inode: stat.st_ino as u64,
            device: stat.st_dev as u64,
            links: stat.st_nlink as u64,
            uid: stat.st_uid,
            gid: stat.st_gid,
            mode: stat.st_mode as u32,
            border: imp::border(&stat),
        }
    }
}

impl Directory {
    /// Opens the directory `path`. Follows symbolic links in `path`.
    ///
    /// # Errors
    /// Returns any error of open(2).
    pub fn open(path: &Path) -> Result<Self, Errno> {
        Ok(Self { fd: retry(|| open(path, OPEN, Mode::empty()))? })
    }

    /// Opens the directory `path` for lookups only. On Linux and macOS, this requires no permission to list the
    /// directory. Follows symbolic links in `path`.
    ///
    /// # Errors
    /// Returns any error of open(2).
    pub fn open_for_lookup(path: &Path) -> Result<Self, Errno> {
        let flags = (PLACE | OFlag::O_DIRECTORY).difference(OFlag::O_NOFOLLOW);
        Ok(Self { fd: retry(|| open(path, flags, Mode::empty()))? })
    }

    /// Opens the child directory `name`. Never follows a symbolic link.
    ///
    /// # Errors
    /// Returns any error of openat(2), such as `ENOTDIR` or `ELOOP` if `name` is no longer a directory.
    pub fn open_child(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        Ok(Self { fd: retry(|| openat(&self.fd, name, OPEN | OFlag::O_NOFOLLOW, Mode::empty()))? })
    }

    /// Opens the child directory `name` for lookups only. On Linux and macOS, this requires no permission to list the
    /// directory. Never follows a symbolic link.
    ///
    /// # Errors
    /// Returns any error of openat(2).
    pub fn step_into(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        let flags = PLACE | OFlag::O_DIRECTORY;
        Ok(Self { fd: retry(|| openat(&self.fd, name, flags, Mode::empty()))? })
    }

    /// Returns the attributes of the directory itself.
    ///
    /// # Errors
    /// Returns any error of fstat(2).
    pub fn attributes(&self) -> Result<Attributes, Errno> {
        Ok(retry(|| fstat(&self.fd))?.into())
    }

    /// Returns the attributes of `name` in this directory. Does not follow a symbolic link.
    ///
    /// # Errors
    /// Returns any error of fstatat(2).
    pub fn attributes_of(&self, name: &(impl NixPath + ?Sized)) -> Result<Attributes, Errno> {
        Ok(retry(|| fstatat(&self.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW | NO_AUTOMOUNT))?.into())
    }

    /// Returns the attributes of the entry that the symbolic link `name` in this directory points to.
    ///
    /// # Errors
    /// Returns any error of fstatat(2).
    pub fn attributes_of_target(&self, name: &(impl NixPath + ?Sized)) -> Result<Attributes, Errno> {
        Ok(retry(|| fstatat(&self.fd, name, NO_AUTOMOUNT))?.into())
    }

    /// Opens the regular file `name` in this directory for reading. Never follows a symbolic link and never opens
    /// another kind of file: a fifo without a writer would block, and a tape drive might start to move.
    ///
    /// # Errors
    /// Returns any error of fstatat(2) or openat(2), or `EINVAL` if `name` is not a regular file.
    pub fn open_file(&self, name: &CStr) -> Result<OwnedFd, Errno> {
        self.open_regular(name, OFlag::empty())
    }

    /// Opens the regular file `name` like [`Directory::open_file`]. On Linux, reading the file does not change its
    /// access time if the file belongs to this user or the user is root.
    ///
    /// # Errors
    /// Returns any error of [`Directory::open_file`].
    pub fn open_file_quietly(&self, name: &CStr) -> Result<OwnedFd, Errno> {
        match self.open_regular(name, imp::NO_ATIME) {
            Err(Errno::EPERM) => self.open_file(name),
            opened => opened,
        }
    }

    fn open_regular(&self, name: &CStr, more: OFlag) -> Result<OwnedFd, Errno> {
        const FLAGS: OFlag = OFlag::O_RDONLY
            .union(OFlag::O_CLOEXEC)
            .union(OFlag::O_NONBLOCK)
            .union(OFlag::O_NOFOLLOW)
            .union(NO_CTTY);
        // The kind is also checked before opening, because opening a device can have side effects.
        if self.attributes_of(name)?.kind != Kind::File {
            return Err(Errno::EINVAL);
        }
        let file = retry(|| openat(&self.fd, name, FLAGS | more, Mode::empty()))?;
        if Attributes::from(fstat(&file)?).kind != Kind::File {
            return Err(Errno::EINVAL);
        }
        Ok(file)
    }

    /// Reads the start of the regular file `name` in this directory into `start`, and returns the number of
    /// bytes read.
    ///
    /// # Errors
    /// Returns any error of [`Directory::open_file`] and read(2).
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

    /// Reads the symbolic link `name` in this directory. Returns its attributes and target. On Linux, both always
    /// belong to the same link. On other systems, duke can only compare the attributes before and after reading the
    /// target.
    ///
    /// # Errors
    /// Returns any error of readlinkat(2), such as `EINVAL` if `name` is not a link, or `EAGAIN` if the link was
    /// replaced in the meantime.
    pub fn read_link(&self, name: &(impl NixPath + ?Sized)) -> Result<(Attributes, OsString), Errno> {
        imp::read_link(&self.fd, name)
    }

    /// Creates the file `name` in this directory, accessible only to its owner, and opens it for writing.
    ///
    /// # Errors
    /// Returns any error of openat(2), such as `EEXIST` if the name is in use, even by a symbolic link.
    pub fn create_file(&self, name: &(impl NixPath + ?Sized)) -> Result<OwnedFd, Errno> {
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        retry(|| openat(&self.fd, name, flags, Mode::S_IRUSR | Mode::S_IWUSR))
    }

    /// Renames `name` in this directory to `new`, replacing any existing entry of that name.
    ///
    /// # Errors
    /// Returns any error of renameat(2).
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
    /// Returns any error of linkat(2), such as `EEXIST` if the new name is in use.
    pub fn link(&self, name: &(impl NixPath + ?Sized), new: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        retry(|| linkat(&self.fd, name, &self.fd, new, AtFlags::empty()))
    }

    /// Flushes the list of this directory's entries to disk.
    ///
    /// # Errors
    /// Returns any error of openat(2) and fsync(2).
    pub fn sync(&self) -> Result<(), Errno> {
        let readable = self.open_child(".")?;
        retry(|| fsync(&readable.fd))
    }

    /// Returns the number of bytes below this directory if the file system records it, as `CephFS` does.
    pub fn recursive_size(&self) -> Option<u64> {
        imp::recursive_size(&self.fd)
    }

    /// Returns the kind of the file system that this directory is on.
    ///
    /// # Errors
    /// Returns any error of fstatfs(2).
    pub fn file_system(&self) -> Result<FileSystem, Errno> {
        imp::file_system(&self.fd)
    }

    /// Returns the kind of the file system mounted on `name`. On Linux, this does not trigger an automount.
    ///
    /// # Errors
    /// Returns any error of openat(2) and fstatfs(2).
    pub fn file_system_of(&self, name: &CStr) -> Result<FileSystem, Errno> {
        Self { fd: retry(|| openat(&self.fd, name, MOUNT_POINT, Mode::empty()))? }.file_system()
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Returns the attributes of a path given by the user. A symbolic link is followed only if it points to a directory or
/// the path ends with a slash.
///
/// # Errors
/// Returns any error of stat(2).
pub fn attributes_of_path(path: &Path) -> Result<Attributes, Errno> {
    let own = retry(|| fstatat(AT_FDCWD, path, AtFlags::AT_SYMLINK_NOFOLLOW))?;
    let target = || retry(|| fstatat(AT_FDCWD, path, AtFlags::empty())).ok().map(Attributes::from);
    let own = Attributes::from(own);
    Ok(target().filter(Attributes::is_directory).unwrap_or(own))
}

/// Path of the directory that firmlinks point to, if the system has firmlinks.
pub const FIRMLINK_TARGET: Option<&str> = imp::BEHIND_FIRMLINKS;

/// Returns the file ID of [`FIRMLINK_TARGET`], the data volume of macOS. Returns `None` on other systems, or if the
/// attributes of that directory cannot be read. A scan that starts above this directory must not enter it, because the
/// scan reads its contents through firmlinks such as `/Users`.
pub fn firmlink_target() -> Option<FileId> {
    Some(attributes_of_path(Path::new(FIRMLINK_TARGET?)).ok()?.file_id())
}
