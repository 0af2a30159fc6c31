//! Attributes of an inode, in one form for all sources.
//!
//! Makes no system call. Invariant: sizes are unsigned and never derived from one another.

use nix::sys::stat::FileStat;

use crate::base::kind::Kind;

/// Identity of an inode on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device (`st_dev`).
    pub device: u64,
    /// Inode number (`st_ino`).
    pub inode: u64,
}

/// Attributes of an entry, named as in `stat(2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Kind of the entry.
    pub kind: Kind,
    /// Allocated blocks of 512 bytes (`st_blocks`).
    pub blocks: u64,
    /// Length in bytes (`st_size`); directories have one too.
    pub apparent: u64,
    /// Last change of the content in seconds since 1970, negative for earlier times (`st_mtime`).
    pub mtime: i64,
    /// Inode number (`st_ino`).
    pub inode: u64,
    /// Device (`st_dev`), major and minor packed in the system's way.
    pub device: u64,
    /// Number of hard links (`st_nlink`).
    pub links: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Type and permission bits (`st_mode`).
    pub mode: u32,
    /// Boundary that opening the entry would cross, as far as the kernel reports it.
    pub border: Border,
}

/// Boundary between an entry of a directory and the directory it opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Border {
    /// No known boundary.
    #[default]
    None,
    /// Root of a mount. Bind mounts share the device of their origin, and so do the volumes of a group, so
    /// only the kernel can tell (`STATX_ATTR_MOUNT_ROOT`, Linux 5.8; `DIR_MNTSTATUS_MNTPOINT`, macOS).
    Mount,
    /// Link to another volume of the same system: `/Users` on macOS is on the data volume (`SF_FIRMLINK`).
    Firmlink,
    /// Automount trigger: opening it would mount something (`DIR_MNTSTATUS_TRIGGER`, macOS).
    Trigger,
    /// Directory whose content is in the cloud and would be downloaded (`SF_DATALESS`, macOS).
    Dataless,
}

impl Border {
    /// `SF_DATALESS` in `st_flags`.
    pub(crate) const DATALESS_FLAG: u32 = 0x4000_0000;
    /// `SF_FIRMLINK` in `st_flags`.
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

    /// Returns `true` for a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == Kind::Directory
    }
}

/// Returns the kind for the `d_type` of a listing.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) fn kind_of_hint(d_type: u8) -> Kind {
    match d_type {
        libc::DT_DIR => Kind::Directory,
        libc::DT_REG => Kind::File,
        libc::DT_LNK => Kind::Symlink,
        libc::DT_FIFO => Kind::Fifo,
        libc::DT_SOCK => Kind::Socket,
        libc::DT_BLK => Kind::BlockDevice,
        libc::DT_CHR => Kind::CharDevice,
        _ => Kind::Unknown,
    }
}

impl From<FileStat> for Attributes {
    // The fields of `struct stat` differ in width and sign between systems; each cast keeps the kernel's
    // bits.
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
            border: border_of(&stat),
        }
    }
}

#[cfg(target_os = "macos")]
fn border_of(stat: &FileStat) -> Border {
    if stat.st_flags & Border::DATALESS_FLAG != 0 { Border::Dataless } else { Border::None }
}
#[cfg(not(target_os = "macos"))]
fn border_of(_: &FileStat) -> Border {
    Border::None
}
