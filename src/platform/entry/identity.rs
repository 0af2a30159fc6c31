//! Identity of an entry: distinguishes it from a later entry with the same name, and perhaps with the same
//! inode number, which ext4 reuses.
//!
//! Invariant: reading it opens, mounts and downloads nothing, and follows no symbolic link.

use std::ffi::CStr;

use nix::NixPath;

use crate::base::clock::Time;
use crate::base::kind::Kind;
use crate::platform::{Attributes, Directory, Errno};

/// Identity of an entry at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Attributes.
    pub attributes: Attributes,
    /// Time of birth, if the file system records it.
    pub born: Option<Time>,
    /// Last change of the content.
    pub modified: Time,
    /// Last change of the inode.
    pub changed: Time,
}

impl Identity {
    /// Returns `true` if `now` is the same inode, even if it was written to since.
    pub fn is_same_inode(&self, now: &Self) -> bool {
        let inode = |it: &Self| (it.attributes.kind, it.attributes.device, it.attributes.inode, it.born);
        inode(self) == inode(now)
    }

    /// Returns `true` if `now` is the same inode, under any name, and was not written to since. Entries of a
    /// directory may have been added and deleted if its time of birth is known; otherwise that counts as a
    /// change too.
    pub fn is_unchanged(&self, now: &Self) -> bool {
        let written = |it: &Self| (it.attributes.apparent, it.modified);
        let may_be_written = self.attributes.kind == Kind::Directory && self.born.is_some();
        self.is_same_inode(now) && (may_be_written || written(self) == written(now))
    }

    /// Returns `true` if `now` is unchanged under the same name. The last change of the inode counts too,
    /// since no program can set it back; but not for an inode with several names, which changes with each
    /// deleted name, and not for a directory whose time of birth is known.
    pub fn is_untouched(&self, now: &Self) -> bool {
        let is_directory = self.attributes.kind == Kind::Directory;
        let may_be_touched =
            self.attributes.links > 1 && !is_directory || is_directory && self.born.is_some();
        self.is_unchanged(now) && (may_be_touched || self.changed == now.changed)
    }
}

impl Directory {
    /// Returns the identity of `name` in this directory, or of the symbolic link itself.
    ///
    /// # Errors
    /// Those of statx(2), or fstatat(2).
    pub fn identity_of(&self, name: &(impl NixPath + ?Sized)) -> Result<Identity, Errno> {
        name.with_nix_path(|name: &CStr| system::identity(self, name))?
    }

    /// Returns the identity of the directory itself.
    ///
    /// # Errors
    /// Those of statx(2), or fstat(2).
    pub fn identity(&self) -> Result<Identity, Errno> {
        system::own_identity(self)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::{CStr, Directory, Errno, Identity, stat};
    use crate::platform::entry::statx;

    pub(crate) fn identity(directory: &Directory, name: &CStr) -> Result<Identity, Errno> {
        ask(directory, name, libc::AT_SYMLINK_NOFOLLOW, || stat::identity(directory, name))
    }

    pub(crate) fn own_identity(directory: &Directory) -> Result<Identity, Errno> {
        ask(directory, c"", libc::AT_EMPTY_PATH, || stat::own_identity(directory))
    }

    fn ask(
        directory: &Directory,
        name: &CStr,
        flags: i32,
        otherwise: impl FnOnce() -> Result<Identity, Errno>,
    ) -> Result<Identity, Errno> {
        let answer = match statx::ask(directory, name, flags, libc::STATX_BASIC_STATS | libc::STATX_BTIME) {
            // Older kernels and sandboxes do not have the call.
            Err(Errno::ENOSYS | Errno::EPERM) => return otherwise(),
            answer => answer?,
        };
        let time = |it: libc::statx_timestamp| (it.tv_sec, i64::from(it.tv_nsec));
        let is_born = answer.stx_mask & libc::STATX_BTIME != 0;
        Ok(Identity {
            attributes: statx::attributes(&answer),
            born: is_born.then(|| time(answer.stx_btime)),
            modified: time(answer.stx_mtime),
            changed: time(answer.stx_ctime),
        })
    }
}

/// Implementation with `fstatat(2)`, which every system has.
mod stat {
    use nix::fcntl::AtFlags;
    use nix::sys::stat::{FileStat, fstat, fstatat};

    use super::{CStr, Directory, Errno, Identity};
    use crate::platform::retry;

    pub(crate) fn identity(directory: &Directory, name: &CStr) -> Result<Identity, Errno> {
        retry(|| fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW)).map(of)
    }

    pub(crate) fn own_identity(directory: &Directory) -> Result<Identity, Errno> {
        retry(|| fstat(directory)).map(of)
    }

    // The fields of `struct stat` differ in width between systems.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
    fn of(stat: FileStat) -> Identity {
        #[cfg(target_os = "macos")]
        let born = Some((stat.st_birthtime as i64, stat.st_birthtime_nsec as i64));
        #[cfg(not(target_os = "macos"))]
        let born = None;
        Identity {
            attributes: stat.into(),
            born,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }
}

#[cfg(not(target_os = "linux"))]
use stat as system;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Border;

    fn identity(kind: Kind, born: Option<Time>) -> Identity {
        let attributes = Attributes {
            kind,
            blocks: 8,
            apparent: 100,
            mtime: 50,
            inode: 7,
            device: 3,
            links: 1,
            uid: 0,
            gid: 0,
            mode: 0,
            border: Border::None,
        };
        Identity { attributes, born, modified: (50, 1), changed: (60, 1) }
    }

    /// Inode 7, and another file that has got its number.
    #[test]
    fn an_inode_that_was_made_anew_is_another_one() {
        for kind in [Kind::File, Kind::Directory, Kind::Symlink] {
            let before = identity(kind, Some((40, 5)));
            assert!(before.is_untouched(&before));
            let now = Identity { born: Some((40, 6)), ..before };
            assert!(!before.is_same_inode(&now) && !before.is_unchanged(&now), "{kind:?}");
        }
    }

    #[test]
    fn a_file_is_the_same_until_it_is_written_to_a_directory_until_it_is_made_anew() {
        let grown = |it: Identity| Identity {
            attributes: Attributes { apparent: 101, ..it.attributes },
            modified: (50, 2),
            changed: (60, 2),
            ..it
        };
        let file = identity(Kind::File, Some((40, 5)));
        assert!(file.is_same_inode(&grown(file)) && !file.is_unchanged(&grown(file)));
        let directory = identity(Kind::Directory, Some((40, 5)));
        assert!(directory.is_untouched(&grown(directory)));
        // The time of birth of this one is unknown.
        let directory = identity(Kind::Directory, None);
        assert!(directory.is_untouched(&directory) && !directory.is_unchanged(&grown(directory)));
    }

    #[test]
    fn the_last_change_of_an_inode_with_one_name_tells_whatever_its_times_were_set_to() {
        let file = identity(Kind::File, None);
        let touched = Identity { changed: (60, 2), ..file };
        assert!(file.is_unchanged(&touched) && !file.is_untouched(&touched));
        let linked = |it: Identity| Identity { attributes: Attributes { links: 2, ..it.attributes }, ..it };
        assert!(linked(file).is_untouched(&linked(touched)));
        let born = identity(Kind::File, Some((1, 1)));
        assert!(!born.is_untouched(&Identity { changed: (60, 2), ..born }));
        let directory = identity(Kind::Directory, Some((1, 1)));
        assert!(directory.is_untouched(&Identity { changed: (60, 2), ..directory }));
    }
}
