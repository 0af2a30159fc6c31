//! What it takes to remove things, and nothing else: going down and up without leaving the file system, unlinking, moving.
//!
//! Everything is relative to an open directory and takes one name. Knows nothing of trees or plans. Invariant: no call
//! here follows a symbolic link, and none crosses the border of a mount.

use std::os::fd::AsFd;

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{AccessFlags, UnlinkatFlags, faccessat, unlinkat};

#[cfg(target_os = "linux")]
use super::directory::OPEN;
use super::{Directory, retry};

/// Opens `name` in `directory` and lets the kernel keep us on this mount: bind mounts, too, which share the device of what
/// they show.
#[cfg(target_os = "linux")]
fn confined(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<Directory, Errno> {
    use nix::fcntl::{OpenHow, ResolveFlag, openat2};
    let how = OpenHow::new()
        .flags(OPEN | OFlag::O_NOFOLLOW)
        .resolve(ResolveFlag::RESOLVE_NO_XDEV | ResolveFlag::RESOLVE_NO_SYMLINKS);
    Ok(Directory { fd: retry(|| openat2(&directory.fd, name, how))? })
}

/// No other kernel does.
#[cfg(not(target_os = "linux"))]
fn confined(_: &Directory, _: &(impl NixPath + ?Sized)) -> Result<Directory, Errno> {
    Err(Errno::ENOSYS)
}

impl Directory {
    /// Opens the directory `name` in this one, if it is on the same mount.
    ///
    /// # Errors
    /// As openat(2); `EXDEV` when something is mounted there, `ENOTDIR` or `ELOOP` when it is no directory.
    pub fn open_inside(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        match confined(self, name) {
            // Kernels before 5.6 do not know the call, sandboxes older than it refuse it.
            Err(Errno::ENOSYS | Errno::EPERM) => self.open_compared(name),
            result => result,
        }
    }

    /// Opens the directory above, if it is on the same mount.
    ///
    /// # Errors
    /// As [`Directory::open_inside`].
    pub fn open_above(&self) -> Result<Self, Errno> {
        match confined(self, "..") {
            Err(Errno::ENOSYS | Errno::EPERM) => {
                let above = self.open_child("..")?;
                if above.attributes()?.device == self.attributes()?.device {
                    Ok(above)
                } else {
                    Err(Errno::EXDEV)
                }
            }
            result => result,
        }
    }

    /// As [`Directory::open_inside`], by comparing what is on both sides: the way of systems without openat2(2).
    ///
    /// # Errors
    /// As [`Directory::open_inside`].
    pub fn open_compared(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        if self.is_mount(name)? {
            return Err(Errno::EXDEV);
        }
        let inside = self.open_child(name)?;
        if inside.attributes()?.device == self.attributes()?.device { Ok(inside) } else { Err(Errno::EXDEV) }
    }

    /// Removes the name of anything but a directory.
    ///
    /// # Errors
    /// As unlinkat(2).
    pub fn unlink(&self, name: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        retry(|| unlinkat(&self.fd, name, UnlinkatFlags::NoRemoveDir))
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// As unlinkat(2): `ENOTEMPTY` or `EEXIST` when something is in it.
    pub fn remove_directory(&self, name: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        retry(|| unlinkat(&self.fd, name, UnlinkatFlags::RemoveDir))
    }

    /// Makes the directory `name`, which only its owner may use.
    ///
    /// # Errors
    /// As mkdirat(2).
    pub fn make_directory(&self, name: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        mkdirat(&self.fd, name, Mode::S_IRWXU)
    }

    /// Makes the file `name` with this content, if there is nothing of that name; only its owner may use it.
    ///
    /// # Errors
    /// As openat(2) and write(2); `EEXIST` when there is something. What was begun is removed.
    pub fn make_file(&self, name: &(impl NixPath + ?Sized), content: &[u8]) -> Result<(), Errno> {
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = retry(|| openat(&self.fd, name, flags, Mode::S_IRUSR | Mode::S_IWUSR))?;
        let mut rest = content;
        while !rest.is_empty() {
            match retry(|| nix::unistd::write(&file, rest)) {
                Ok(written) => rest = &rest[written..],
                Err(error) => {
                    let _ = self.unlink(name);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Whether this process may add and remove names here.
    ///
    /// # Errors
    /// As faccessat(2): `EACCES`, or `EROFS` on a file system that is read-only.
    pub fn may_change(&self) -> Result<(), Errno> {
        let flags = if cfg!(target_os = "linux") { AtFlags::AT_EACCESS } else { AtFlags::empty() };
        faccessat(&self.fd, ".", AccessFlags::W_OK | AccessFlags::X_OK, flags)
    }

    /// Moves `name` to `new` in the directory `to` of the same mount, if there is nothing yet.
    ///
    /// # Errors
    /// As renameat2(2): `EEXIST` when there is something, `EXDEV` when `to` is on another mount.
    pub fn move_to(
        &self,
        name: &(impl NixPath + ?Sized),
        to: &Self,
        new: &(impl NixPath + ?Sized),
    ) -> Result<(), Errno> {
        let exclusively =
            name.with_nix_path(|name| new.with_nix_path(|new| rename_exclusively(self, name, to, new)))??;
        match exclusively {
            // A file system that cannot promise it, or a kernel before 3.15.
            Err(Errno::EINVAL | Errno::ENOSYS | Errno::ENOTSUP) => match to.attributes_of(new) {
                Err(Errno::ENOENT) => nix::fcntl::renameat(&self.fd, name, &to.fd, new),
                Ok(_) => Err(Errno::EEXIST),
                Err(error) => Err(error),
            },
            result => result,
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::CStr;
    use std::os::fd::AsRawFd;

    use super::{AsFd, Directory, Errno, NixPath};
    use crate::platform::status;

    impl Directory {
        /// Whether `name` is the root of a mount (`STATX_ATTR_MOUNT_ROOT`, Linux 5.8; before that the device tells).
        ///
        /// # Errors
        /// As statx(2).
        pub fn is_mount(&self, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
            Ok(said_of(self, name)? & status::MOUNT_ROOT != 0)
        }

        /// Whether `name` is immutable or may only be appended to, so that it cannot be removed (chattr(1)).
        ///
        /// # Errors
        /// As statx(2).
        pub fn is_locked(&self, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
            const IMMUTABLE: u64 = 0x10;
            const APPEND: u64 = 0x20;
            Ok(said_of(self, name)? & (IMMUTABLE | APPEND) != 0)
        }
    }

    /// `stx_attributes` of an entry, none where the kernel or a sandbox does not know the call.
    fn said_of(directory: &Directory, name: &(impl NixPath + ?Sized)) -> Result<u64, Errno> {
        let ask = |name: &CStr| status::ask(directory, name, libc::AT_SYMLINK_NOFOLLOW, libc::STATX_TYPE);
        match name.with_nix_path(ask)? {
            Ok(answer) => Ok(status::said(&answer)),
            Err(Errno::ENOSYS | Errno::EPERM) => Ok(0),
            Err(error) => Err(error),
        }
    }

    #[allow(unsafe_code)]
    pub(super) fn rename_exclusively(
        from: &Directory,
        name: &CStr,
        to: &Directory,
        new: &CStr,
    ) -> Result<(), Errno> {
        let (from, to) = (from.as_fd().as_raw_fd(), to.as_fd().as_raw_fd());
        let (name, new) = (name.as_ptr(), new.as_ptr());
        // SAFETY: both names end in NUL and live through the call, which only reads them.
        let done = unsafe { libc::syscall(libc::SYS_renameat2, from, name, to, new, libc::RENAME_NOREPLACE) };
        Errno::result(done).map(drop)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ffi::CStr;

    use super::{Directory, Errno, NixPath};

    impl Directory {
        /// Whether `name` is the root of a mount: on these systems each has a device of its own.
        ///
        /// # Errors
        /// As fstatat(2).
        pub fn is_mount(&self, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
            let inside = self.attributes_of(name)?;
            Ok(inside.is_directory() && inside.device != self.attributes()?.device)
        }

        /// Whether `name` is immutable or may only be appended to, so that it cannot be removed (chflags(2)).
        ///
        /// # Errors
        /// As fstatat(2).
        #[cfg(target_os = "macos")]
        pub fn is_locked(&self, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
            use nix::fcntl::AtFlags;
            const LOCKS: u32 = libc::UF_IMMUTABLE | libc::UF_APPEND | libc::SF_IMMUTABLE | libc::SF_APPEND;
            let stat = nix::sys::stat::fstatat(&self.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
            Ok(stat.st_flags & LOCKS != 0)
        }
        /// Nothing is known of locks here.
        ///
        /// # Errors
        /// Never.
        #[cfg(not(target_os = "macos"))]
        pub fn is_locked(&self, _: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
            Ok(false)
        }
    }

    #[cfg(target_os = "macos")]
    #[allow(unsafe_code)]
    pub(super) fn rename_exclusively(
        from: &Directory,
        name: &CStr,
        to: &Directory,
        new: &CStr,
    ) -> Result<(), Errno> {
        use super::AsFd;
        use std::os::fd::AsRawFd;
        let (from, to) = (from.as_fd().as_raw_fd(), to.as_fd().as_raw_fd());
        let (name, new) = (name.as_ptr(), new.as_ptr());
        // SAFETY: both names end in NUL and live through the call, which only reads them.
        let done = unsafe { libc::renameatx_np(from, name, to, new, libc::RENAME_EXCL) };
        Errno::result(done).map(drop)
    }

    #[cfg(not(target_os = "macos"))]
    pub(super) fn rename_exclusively(_: &Directory, _: &CStr, _: &Directory, _: &CStr) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
}

use system::rename_exclusively;
