//! Directory entry: name and metadata.
//!
//! Invariant: an entry has metadata, or a reason why it has none.

use super::directory::DirId;
use super::storage_classes::StorageClass;
use crate::base::kind::Kind;

/// Directory entry as of the time it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Name, which can contain any bytes. For a root, this is the path as the user gave it.
    pub name: &'a [u8],
    /// Kind of the entry. Until the attributes have been read, this is the type from the kernel's directory listing.
    pub kind: Kind,
    /// Metadata, or the reason why there is none.
    pub state: EntryState,
}

impl Entry<'_> {
    /// Returns the directory ID, if this entry is a directory that the scan entered.
    pub fn directory(&self) -> Option<DirId> {
        match self.state {
            EntryState::Known(metadata) => metadata.directory,
            EntryState::Excluded(_) | EntryState::Failed(_) => None,
        }
    }
}

/// Metadata of an entry, or the reason why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// The metadata is known.
    Known(Metadata),
    /// The entry was excluded and adds nothing to the totals.
    Excluded(Exclusion),
    /// The metadata could not be read. Contains the error number.
    Failed(i32),
}

/// Reason why an entry was excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exclusion {
    /// The entry matches an exclude pattern.
    Pattern = 0,
    /// The entry is on another file system, which the scan does not enter.
    OtherFileSystem = 1,
    /// The entry is the mount point of a kernel file system.
    KernelFileSystem = 2,
    /// The directory contains a CACHEDIR.TAG file.
    Caches = 3,
    /// The contents are in the cloud: they take no space on the local disk, and reading them would start a download.
    Dataless = 4,
    /// The directory is the mount point of a file-system snapshot. Most of its files are identical to the files of the
    /// volume itself.
    Snapshot = 5,
    /// The directory is another mount point of a volume that the scan counts elsewhere.
    SecondMount = 6,
    /// The directory has several hard links and is counted under another name.
    SecondLink = 7,
    /// The directory belongs to another part of a plan (`duke plan`), or to a part that has not been merged yet.
    OtherPart = 8,
}

impl Exclusion {
    pub(crate) const ALL: [Self; 9] = [
        Self::Pattern,
        Self::OtherFileSystem,
        Self::KernelFileSystem,
        Self::Caches,
        Self::Dataless,
        Self::Snapshot,
        Self::SecondMount,
        Self::SecondLink,
        Self::OtherPart,
    ];

    /// Returns the name of the reason in the output of `--json`, `--ndjson` and `--csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pattern => "pattern",
            Self::OtherFileSystem => "other_filesystem",
            Self::KernelFileSystem => "kernel_filesystem",
            Self::Caches => "caches",
            Self::Dataless => "dataless",
            Self::Snapshot => "snapshot",
            Self::SecondMount => "second_mount",
            Self::SecondLink => "second_link",
            Self::OtherPart => "other_part",
        }
    }
}

/// Attributes of the entry itself, excluding its contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Apparent size in bytes.
    pub apparent: u64,
    /// Number of allocated blocks of 512 bytes.
    pub blocks: u64,
    /// Modification time in seconds since 1970.
    pub mtime: i64,
    /// Inode number.
    pub inode: u64,
    /// Directory ID, if the entry is a directory that the scan entered.
    pub directory: Option<DirId>,
    /// Link count and device of a file that is a root or has more than one link. `None` for all other entries.
    pub links: Option<Links>,
    /// Owner, if owners were requested.
    pub owner: Option<Owner>,
    /// `true` for a regular file that a scan found to be executable.
    pub is_executable: bool,
    /// Storage class of an object in an object store, if the store has storage classes.
    pub storage_class: Option<StorageClass>,
}

impl Metadata {
    /// Returns the disk usage of the entry itself in bytes.
    pub fn disk(&self) -> u64 {
        self.blocks.saturating_mul(512)
    }

    /// Returns `true` if at least one user may execute a regular file with this metadata. In an import,
    /// `is_executable` is always `false`, so only the permission bits count.
    pub fn can_run(&self) -> bool {
        self.is_executable || self.owner.is_some_and(|owner| is_executable(owner.mode))
    }

    /// Returns the key of the inode, if the inode may have other names.
    pub fn linked_inode(&self) -> Option<InodeKey> {
        self.links.map(|links| InodeKey { device: links.device, inode: self.inode })
    }

    /// Returns [`Self::links`] if the link count is greater than 1. A file that is a root has `links` even if its link
    /// count is 1.
    pub fn several_names(&self) -> Option<Links> {
        self.links.filter(|links| links.count > 1)
    }
}

/// Returns `true` if the permission bits of a regular file allow at least one user to execute it.
pub fn is_executable(mode: u32) -> bool {
    mode & 0o111 != 0
}

/// Link count of an inode, and its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// Link count reported by the file system.
    pub count: u64,
    /// Index of the device in [`Tree::devices`](crate::tree::Tree::devices).
    pub device: u32,
}

/// Owner and permissions of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// User ID of the owner.
    pub uid: u32,
    /// Group ID of the owner.
    pub gid: u32,
    /// File type and permission bits.
    pub mode: u32,
}

/// Index of a device in its tree's list of devices.
pub type DeviceIndex = u32;

/// Key of an inode, unique within one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InodeKey {
    /// Index of the device in the tree's list of devices.
    pub device: DeviceIndex,
    /// Inode number on the device.
    pub inode: u64,
}
