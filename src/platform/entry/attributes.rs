//! Attributes of an inode, in the same form on all systems.
//!
//! This module makes no system calls. Invariant: sizes are unsigned, and no size is computed from another one.

use crate::base::kind::Kind;

/// Identity of an inode on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device (`st_dev`).
    pub device: u64,
    /// Inode number (`st_ino`).
    pub inode: u64,
}

/// Attributes of an entry, as in stat(2), and the boundary that opening the entry would cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    pub kind: Kind,
    /// Allocated blocks of 512 bytes (`st_blocks`).
    pub blocks: u64,
    /// Length in bytes (`st_size`), also for directories.
    pub apparent: u64,
    /// Modification time in seconds since 1970 (`st_mtime`); negative for earlier times.
    pub mtime: i64,
    /// Inode number (`st_ino`).
    pub inode: u64,
    /// Device (`st_dev`): major and minor numbers in the encoding of this system.
    pub device: u64,
    /// Number of hard links (`st_nlink`).
    pub links: u64,
    /// User ID of the owner (`st_uid`).
    pub uid: u32,
    /// Group ID (`st_gid`).
    pub gid: u32,
    /// Type and permission bits (`st_mode`).
    pub mode: u32,
    /// Boundary that opening the entry would cross, if the kernel reports it.
    pub border: Boundary,
}

/// Boundary that is crossed when an entry is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// Opening the entry crosses no boundary that the kernel reports.
    #[default]
    None,
    /// Root of a mount, as reported by the kernel (`STATX_ATTR_MOUNT_ROOT`, Linux 5.8; `DIR_MNTSTATUS_MNTPOINT`,
    /// macOS). The device number does not always show a mount: with bind mounts and APFS volume groups, the root of the
    /// mount may have the same device as its parent directory.
    Mount,
    /// Link to another volume of the same volume group (`SF_FIRMLINK`, macOS), such as `/Users`.
    Firmlink,
    /// Directory with several hard links (`ATTR_DIR_LINKCOUNT`), as in Time Machine backups on HFS+.
    Linked,
    /// Automount trigger: opening the directory would mount something (`DIR_MNTSTATUS_TRIGGER`, macOS).
    Trigger,
    /// Directory whose contents are in the cloud; opening it would start a download (`SF_DATALESS`, macOS).
    Dataless,
}

impl Boundary {
    /// Bit `SF_DATALESS` of `st_flags`.
    pub(crate) const DATALESS_FLAG: u32 = 0x4000_0000;
    /// Bit `SF_FIRMLINK` of `st_flags`.
    pub(crate) const FIRMLINK_FLAG: u32 = 0x0080_0000;

    /// Returns `true` if the entry must not be opened.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Trigger | Self::Dataless)
    }
}

impl Attributes {
    /// Returns the identity of the inode.
    pub fn file_id(&self) -> FileId {
        FileId { device: self.device, inode: self.inode }
    }

    pub fn is_directory(&self) -> bool {
        self.kind == Kind::Directory
    }
}
