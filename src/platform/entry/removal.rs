//! System calls for deleting and moving entries: reading the identity of an entry, opening a child or the parent on
//! the same mount, unlinking, renaming.
//!
//! Every call is relative to an open directory, and every name is a single path component. Invariant: no call returns a
//! directory on another mount. The only symbolic links that are followed are those in /proc to duke's own open files.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{AccessFlags, UnlinkatFlags, faccessat, unlinkat};

use super::imp::{self, confined, rename_exclusively};
use crate::platform::{Directory, Identity, retry};

impl Directory {
    /// Returns the identity of `name` in this directory. Does not follow a symbolic link.
    ///
    /// # Errors
    /// Returns any error of statx(2) or fstatat(2).
    pub fn identity_of(&self, name: &(impl NixPath + ?Sized)) -> Result<Identity, Errno> {
        name.with_nix_path(|name: &CStr| imp::identity(self, name))?
    }

    /// Returns the identity of the directory itself.
    ///
    /// # Errors
    /// Returns any error of statx(2) or fstat(2).
    pub fn identity(&self) -> Result<Identity, Errno> {
        imp::own_identity(self)
    }

    /// Opens the child directory `name`, provided that it is on the same mount.
    ///
    /// # Errors
    /// Returns any error of openat(2), such as `ENOTDIR` or `ELOOP` if `name` is not a directory, or `EXDEV` if it is a
    /// mount point.
    pub fn open_inside(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        match confined(self, name) {
            // Kernels before 5.6 do not have openat2(2), and older sandboxes deny it.
            Err(Errno::ENOSYS | Errno::EPERM) => self.open_compared(name),
            result => result,
        }
    }

    /// Opens the parent directory, provided that it is on the same mount.
    ///
    /// # Errors
    /// Returns any error of [`Directory::open_inside`].
    pub fn open_above(&self) -> Result<Self, Errno> {
        match confined(self, "..") {
            Err(Errno::ENOSYS | Errno::EPERM) => {
                let above = self.step_into("..")?;
                if above.attributes()?.device == self.attributes()?.device {
                    Ok(above)
                } else {
                    Err(Errno::EXDEV)
                }
            }
            result => result,
        }
    }

    /// Opens the child directory `name` without openat2(2). Fails with `EXDEV` if the system reports that `name` is a
    /// mount point, or if `name` is on another device.
    ///
    /// # Errors
    /// Returns any error of [`Directory::open_inside`].
    pub fn open_compared(&self, name: &(impl NixPath + ?Sized)) -> Result<Self, Errno> {
        if self.is_mount(name)? {
            return Err(Errno::EXDEV);
        }
        let inside = self.open_child(name)?;
        if inside.attributes()?.device == self.attributes()?.device { Ok(inside) } else { Err(Errno::EXDEV) }
    }

    /// Deletes an entry that is not a directory.
    ///
    /// # Errors
    /// Returns any error of unlinkat(2).
    pub fn unlink(&self, name: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        retry(|| unlinkat(&self.fd, name, UnlinkatFlags::NoRemoveDir))
    }

    /// Deletes a directory whose contents are only in the cloud, without downloading them. On systems without such
    /// directories, deletes an empty directory.
    ///
    /// # Errors
    /// Returns any error of unlinkat(2).
    pub fn remove_dataless(&self, name: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        name.with_nix_path(|name: &CStr| imp::remove_dataless(self, name))?
    }

    /// Deletes an empty directory.
    ///
    /// # Errors
    /// Returns any error of unlinkat(2), such as `ENOTEMPTY` or `EEXIST` if the directory is not empty.
    pub fn remove_directory(&self, name: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        retry(|| unlinkat(&self.fd, name, UnlinkatFlags::RemoveDir))
    }

    /// Creates the directory `name`, accessible only to its owner.
    ///
    /// # Errors
    /// Returns any error of mkdirat(2).
    pub fn make_directory(&self, name: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        mkdirat(&self.fd, name, Mode::S_IRWXU)
    }

    /// Creates the file `name` with the given content, accessible only to its owner.
    ///
    /// # Errors
    /// Returns any error of openat(2) and write(2), such as `EEXIST` if the name is in use. An incomplete file is
    /// deleted.
    pub fn make_file(&self, name: &(impl NixPath + ?Sized), content: &[u8]) -> Result<(), Errno> {
        let file = self.create_file(name)?;
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

    /// Checks that this process may create and delete entries in this directory.
    ///
    /// # Errors
    /// Returns any error of faccessat(2), such as `EACCES`, or `EROFS` on a read-only file system.
    pub fn check_change(&self) -> Result<(), Errno> {
        faccessat(&self.fd, ".", AccessFlags::W_OK | AccessFlags::X_OK, AtFlags::AT_EACCESS)
    }

    /// Moves the entry `name` to the directory `to` and renames the entry to `new`, unless the name `new` is
    /// in use there. Both directories must be on the same mount.
    ///
    /// # Errors
    /// Returns any error of renameat2(2), such as `EEXIST` if the name is in use, or `EXDEV` if `to` is on another
    /// mount.
    pub fn move_to(
        &self,
        name: &(impl NixPath + ?Sized),
        to: &Self,
        new: &(impl NixPath + ?Sized),
    ) -> Result<(), Errno> {
        let exclusively =
            name.with_nix_path(|name| new.with_nix_path(|new| rename_exclusively(self, name, to, new)))??;
        match exclusively {
            // Some systems (such as Linux before 3.15) and file systems do not support a rename that fails if the new
            // name exists. duke then checks that `new` is unused, and renames in a separate step.
            Err(Errno::EINVAL | Errno::ENOSYS | Errno::ENOTSUP) => match to.attributes_of(new) {
                Err(Errno::ENOENT) => nix::fcntl::renameat(&self.fd, name, &to.fd, new),
                Ok(_) => Err(Errno::EEXIST),
                Err(error) => Err(error),
            },
            result => result,
        }
    }

    /// Returns `true` if the system reports that `name` is a mount point.
    ///
    /// # Errors
    /// Returns any error of statx(2) or fstatat(2).
    pub fn is_mount(&self, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
        imp::is_mount(self, name)
    }

    /// Returns `true` if `name` is immutable or append-only, so that it cannot be deleted (on Linux, chattr(1); on
    /// macOS, chflags(2)). Always returns `false` on other systems, where duke does not read these flags.
    ///
    /// # Errors
    /// Returns any error of statx(2) or fstatat(2).
    pub fn is_locked(&self, name: &(impl NixPath + ?Sized)) -> Result<bool, Errno> {
        imp::is_locked(self, name)
    }

    /// Creates an unnamed file in this directory, accessible only to its owner, and opens it for writing. When the file
    /// is closed, the system deletes it, unless [`Self::link_unnamed`] has given it a name.
    ///
    /// # Errors
    /// Returns any error of openat(2), such as `EOPNOTSUPP` if the system or the file system does not support unnamed
    /// files. Also returns `EOPNOTSUPP` without /proc, which is needed to name the file.
    pub fn create_unnamed(&self) -> Result<OwnedFd, Errno> {
        imp::create_unnamed(self)
    }

    /// Gives an unnamed file the name `new` in this directory.
    ///
    /// # Errors
    /// Returns any error of linkat(2), such as `EEXIST` if the name is in use.
    pub fn link_unnamed(&self, file: &impl AsFd, new: &(impl NixPath + ?Sized)) -> Result<(), Errno> {
        imp::link_unnamed(self, file, new)
    }

    /// Returns `true` if the directory has an access control list, or if this cannot be determined. The list may
    /// grant write access beyond the permission bits. Always returns `false` on systems other than Linux, because
    /// duke reads these lists only on Linux.
    pub(crate) fn has_access_list(&self) -> bool {
        imp::has_access_list(self)
    }
}
