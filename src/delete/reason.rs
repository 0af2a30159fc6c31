//! Reasons why an entry was not deleted or moved, or why a file does not share its data.

use crate::base::os_error::OsError;
use crate::platform::Errno;
use crate::platform::entry::contents::CAN_SHARE;
use crate::platform::entry::safe_path;
use crate::platform::entry::safe_path::Cause;

/// Message shown if files cannot share data because [`CAN_SHARE`] is `false`.
pub const ONLY_ON_LINUX: &str = "duke can share data only on Linux";

/// Message about an entry that was changed or replaced after it was selected.
const CHANGED: &str = "changed since duke read it";

/// Reason why an entry was not deleted or moved, or why a file does not share its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The system reported this error number.
    System(i32),
    /// The entry has changed since it was selected, or another entry has taken its place.
    Changed,
    /// The entry is or contains a mount point, or the destination is on a different mount.
    Mount,
    /// The trash on the entry's mount cannot be used, for this reason.
    NoTrash(NoTrash),
    /// The file system does not support sharing data between files.
    NoSharing,
    /// Copies cannot share data because they are stored differently, for example if only one has checksums (btrfs).
    StoredApart,
    /// A guard forbids the operation and cannot be overridden.
    Refused(Blocked),
}

impl Reason {
    pub fn text(self) -> String {
        match self {
            Self::System(errno) => OsError(errno).to_string(),
            Self::Changed => CHANGED.to_owned(),
            Self::Mount => "is or contains a mount point".to_owned(),
            Self::NoTrash(why) => why.text(),
            Self::NoSharing if CAN_SHARE => "needs btrfs, or XFS with reflink=1".to_owned(),
            Self::NoSharing => ONLY_ON_LINUX.to_owned(),
            Self::StoredApart => "chattr +C is set on some copies, but not on others".to_owned(),
            Self::Refused(blocked) => blocked.text().to_owned(),
        }
    }

    /// Returns `true` if the entry no longer exists.
    pub(crate) fn is_missing(self) -> bool {
        [Errno::ENOENT, Errno::ESTALE].iter().any(|error| self == Self::System(*error as i32))
    }
}

/// Reason why a trash cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTrash {
    /// The trash has no usable path, or is on a different device or mount than the entry.
    Nowhere,
    /// The trash or a directory above it belongs to another user, or the path to the trash contains an unsafe link,
    /// pipe, socket or device.
    Foreign,
    /// Other users can change the trash or a directory on the path to it.
    Writable,
    /// The trash, or `files` or `info` in the trash, is a symbolic link or not a directory.
    NoDirectory,
    /// The volume has no `.Trashes` folder, which only macOS itself creates.
    NoTrashes,
    /// The content of the entry is only in the cloud, and moving the entry to the trash would download it.
    InCloud,
    /// The trash cannot be opened or created; the system reported this error number.
    System(i32),
}

impl NoTrash {
    fn text(self) -> String {
        match self {
            Self::Nowhere => "no trash on this file system".to_owned(),
            Self::Foreign => "the trash or a directory above it belongs to another user".to_owned(),
            Self::Writable => {
                "other users can change the trash or a directory above it; run chmod go-w there".to_owned()
            }
            Self::NoDirectory => {
                "the trash and its files/ and info/ must be directories, not links".to_owned()
            }
            Self::NoTrashes => {
                "no trash on this volume; to create one, move a file of the volume to the Trash in Finder"
                    .to_owned()
            }
            Self::InCloud => "only in the cloud; trash it in Finder, or delete it".to_owned(),
            Self::System(errno) => format!("trash not available: {}", OsError(errno)),
        }
    }
}

impl From<Errno> for NoTrash {
    fn from(error: Errno) -> Self {
        match error {
            Errno::EXDEV => Self::Nowhere,
            Errno::ELOOP | Errno::ENOTDIR => Self::NoDirectory,
            error => Self::System(error as i32),
        }
    }
}

impl From<safe_path::Error> for NoTrash {
    fn from(error: safe_path::Error) -> Self {
        let blocked = match error {
            safe_path::Error::System(errno) => return errno.into(),
            safe_path::Error::Refused(blocked) => blocked,
        };
        match blocked.cause {
            Cause::Writable => Self::Writable,
            Cause::Owner(_) | Cause::PrivateLink(_) | Cause::Link(_) | Cause::Special(_) => Self::Foreign,
        }
    }
}

impl From<Errno> for Reason {
    fn from(error: Errno) -> Self {
        match error {
            Errno::EXDEV => Self::Mount,
            error => Self::System(error as i32),
        }
    }
}

/// Reason why a deletion is forbidden, even if the user confirms it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// The entry is the root directory of the system.
    Root,
    /// The entry is the user's home directory.
    Home,
    /// The directory contains the user's home directory.
    HoldsHome,
    /// The entry is a mount point or a btrfs subvolume.
    Mount,
    /// The directory is or contains the current directory.
    Working,
    /// The entry is or contains a file that may be the last copy: all copies that are not selected were changed or
    /// deleted, or cannot be checked.
    LastCopy,
}

impl Blocked {
    pub fn text(self) -> &'static str {
        match self {
            Self::Root => "cannot delete the root directory",
            Self::Home => "cannot delete your home directory",
            Self::HoldsHome => "contains your home directory",
            Self::Mount => "is a mount point or a subvolume",
            Self::Working => "is or contains the current directory",
            Self::LastCopy => "is or contains the last unchanged copy of a file",
        }
    }
}
