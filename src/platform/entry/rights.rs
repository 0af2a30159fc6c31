//! Permission of this process to delete names from a directory, determined without deleting one.
//!
//! Invariant: a check changes nothing.

use nix::NixPath;
use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::unistd::{AccessFlags, faccessat, geteuid};

use super::imp::owns_all;
use crate::platform::{Attributes, Directory, STICKY};

/// Permission to delete names from a directory.
#[derive(Clone, Copy, Debug)]
pub struct Rights {
    /// Reason why no name may be deleted; `None` if names may be deleted.
    refused: Option<Errno>,
    /// User ID of the only owner whose entries may be deleted; `None` if there is no such restriction.
    only: Option<u32>,
}

impl Directory {
    /// Returns the permissions of this process in the directory, derived from the effective user, the
    /// permission bits and access control lists. A read-only file system permits nothing.
    pub fn rights(&self) -> Rights {
        let refused = self.may_change().err();
        // Names cannot be deleted from an immutable or append-only directory either.
        let refused = refused.or_else(|| self.is_locked(".").unwrap_or(false).then_some(Errno::EPERM));
        let user = geteuid().as_raw();
        // With the sticky bit (unlink(2)), only the owner of an entry and the owner of the directory can delete
        // it.
        let is_sticky = |found: &Attributes| found.mode & STICKY != 0 && found.uid != user;
        let is_restricted = self.attributes().is_ok_and(|found| is_sticky(&found)) && !owns_all();
        Rights { refused, only: is_restricted.then_some(user) }
    }

    /// Checks that this process may move `name`, an entry of this directory with these attributes, to another
    /// directory.
    ///
    /// # Errors
    /// Those of [`Rights::to_remove`]. A directory must itself be writable to be moved, because its `..` changes.
    pub fn may_move(&self, name: &(impl NixPath + ?Sized), found: &Attributes) -> Result<(), Errno> {
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
    /// Checks that an entry with these attributes may be deleted.
    ///
    /// # Errors
    /// `EACCES`, `EROFS` on a read-only file system, `EPERM` if no name may be deleted from the directory.
    pub fn to_remove(self, found: &Attributes) -> Result<(), Errno> {
        match self {
            Self { refused: Some(error), .. } => Err(error),
            Self { only: Some(user), .. } if found.uid != user => Err(Errno::EACCES),
            _ => Ok(()),
        }
    }
}
