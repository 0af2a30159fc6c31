//! What the kernel says of one inode, in one shape for every source.
//!
//! Knows no system call. Invariant: sizes are unsigned and never derived from one another.

use nix::sys::stat::FileStat;

use crate::kind::Kind;

/// The attributes of an entry, as `stat(2)` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// What it is.
    pub kind: Kind,
    /// Allocated blocks of 512 bytes (`st_blocks`).
    pub blocks: u64,
    /// Length in bytes (`st_size`); a directory has one too.
    pub apparent: u64,
    /// Last change of the content, in seconds since 1970, before it negative (`st_mtime`).
    pub mtime: i64,
    /// Inode number (`st_ino`).
    pub inode: u64,
    /// Device (`st_dev`), major and minor packed as the system does.
    pub device: u64,
    /// Number of hard links (`st_nlink`).
    pub links: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Type and permission bits (`st_mode`).
    pub mode: u32,
    /// What one crosses by opening it, as far as the kernel tells.
    pub border: Border,
}

/// What lies between an entry of a directory and the directory it opens as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Border {
    /// Nothing known of.
    #[default]
    None,
    /// It is the root of a mount. Bind mounts share the device of their origin and so do the volumes of a group, so that
    /// only the kernel can tell (`STATX_ATTR_MOUNT_ROOT`, Linux 5.8; `DIR_MNTSTATUS_MNTPOINT`, macOS).
    Mount,
    /// It leads to another volume of the same system: `/Users` of macOS lies on the data volume (`SF_FIRMLINK`).
    Firmlink,
    /// Opening it would mount something (`DIR_MNTSTATUS_TRIGGER`, macOS).
    Trigger,
    /// Its content is in the cloud, and opening it would fetch it (`SF_DATALESS`, macOS).
    Dataless,
}

impl Border {
    /// `SF_DATALESS` in `st_flags`.
    pub(super) const DATALESS_FLAG: u32 = 0x4000_0000;
    /// `SF_FIRMLINK` in `st_flags`.
    pub(super) const FIRMLINK_FLAG: u32 = 0x0080_0000;

    /// Whether it must not be opened.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Trigger | Self::Dataless)
    }
}

impl Attributes {
    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == Kind::Directory
    }
}

/// The kind in the type bits of a mode (inode(7)).
#[allow(clippy::useless_conversion)] // `mode_t` has 16 bits on some systems
pub fn kind_of_mode(mode: u32) -> Kind {
    const KINDS: [(libc::mode_t, Kind); 7] = [
        (libc::S_IFREG, Kind::File),
        (libc::S_IFDIR, Kind::Directory),
        (libc::S_IFLNK, Kind::Symlink),
        (libc::S_IFIFO, Kind::Fifo),
        (libc::S_IFSOCK, Kind::Socket),
        (libc::S_IFBLK, Kind::BlockDevice),
        (libc::S_IFCHR, Kind::CharDevice),
    ];
    let bits = mode & u32::from(libc::S_IFMT);
    KINDS.iter().find(|(kind, _)| u32::from(*kind) == bits).map_or(Kind::Unknown, |(_, kind)| *kind)
}

/// The kind for the `d_type` of a listing.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn kind_of_hint(d_type: u8) -> Kind {
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
    // The fields of `struct stat` differ in width and sign between systems; each cast keeps the bits the kernel meant.
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast, clippy::cast_lossless)]
    fn from(stat: FileStat) -> Self {
        Self {
            kind: kind_of_mode(stat.st_mode as u32),
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
