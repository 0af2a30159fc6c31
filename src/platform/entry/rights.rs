//! Checks that this process may delete or move the entries of a directory.
//!
//! Invariant: a check changes nothing.

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::unistd::{AccessFlags, faccessat, geteuid};

use super::imp::owns_all;
use crate::platform::{Attributes, Directory, STICKY};

/// Permission to delete entries from a directory.
#[derive(Clone, Copy, Debug)]
pub struct Rights {
    /// Error that prevents all deletions in the directory; `None` if there is no such error.
    refused: Option<Errno>,
    /// ID of the only user whose entries may be deleted, if the sticky bit restricts deletions; otherwise `None`.
    only: Option<u32>,
}

impl Directory {
    /// Determines which entries this process may delete from the directory, based on the effective user, permission
    /// bits and access control lists. Nothing may be deleted from a directory that is immutable, append-only, or on a
    /// read-only file system.
    pub fn rights(&self) -> Rights {
        let refused = self.check_change().err();
        // Deletions are also refused in an immutable or append-only directory.
        let refused = refused.or_else(|| self.is_locked(".").unwrap_or(false).then_some(Errno::EPERM));
        let user = geteuid().as_raw();
        // With the sticky bit (unlink(2)), an entry can be deleted only by its owner, by the owner of the directory,
        // or by a process that counts as the owner of every file (`owns_all`).
        let is_sticky = |found: &Attributes| found.mode & STICKY != 0 && found.uid != user;
        let is_restricted = self.attributes().is_ok_and(|found| is_sticky(&found)) && !owns_all();
        Rights { refused, only: is_restricted.then_some(user) }
    }

    /// Checks that this process may move the entry `name` to another directory. `found` contains the attributes of the
    /// entry.
    ///
    /// # Errors
    /// Returns any error of `Rights::to_remove`, or `EPERM` if the entry is immutable or append-only. For a directory,
    /// also returns any error of faccessat(2): a directory can be moved only if it is writable itself, because its `..`
    /// changes.
    pub fn check_move(&self, name: &(impl NixPath + ?Sized), found: &Attributes) -> Result<(), Errno> {
        self.rights().to_remove(found)?;
        if self.is_locked(name)? {
            return Err(Errno::EPERM);
        }
        if found.is_directory() {
            faccessat(self, name, AccessFlags::W_OK, AtFlags::AT_EACCESS)
        } else {
            Ok(())
        }
    }
}

impl Rights {
    /// Checks that an entry with the given attributes may be deleted.
    ///
    /// # Errors
    /// Returns `EACCES` if permission is missing, `EROFS` on a read-only file system, or `EPERM` if the directory is
    /// immutable or append-only.
    pub fn to_remove(self, found: &Attributes) -> Result<(), Errno> {
        match self {
            Self { refused: Some(error), .. } => Err(error),
            Self { only: Some(user), .. } if found.uid != user => Err(Errno::EACCES),
            _ => Ok(()),
        }
    }
}
