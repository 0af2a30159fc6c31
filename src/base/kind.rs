//! Kinds of entries, shared by the platform layer and the tree.
//!
//! Invariant: the discriminants are the bits stored in an entry's tag byte.

/// Type of an entry, as `stat` reports it (inode(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// Directory, including a mount point.
    Directory = 0,
    /// Regular file.
    File = 1,
    /// Symbolic link. Below a root, a scan never enters a directory through a link.
    Symlink = 2,
    /// Named pipe.
    Fifo = 3,
    /// Unix domain socket.
    Socket = 4,
    /// Block device.
    BlockDevice = 5,
    /// Character device.
    CharDevice = 6,
    /// Unknown type: the kernel did not report it, or the attributes were not read.
    Unknown = 7,
}

impl Kind {
    /// Returns the kind encoded in the type bits of a mode, which are the same on every Unix (inode(7)).
    pub fn of_mode(mode: u32) -> Self {
        match mode & 0o170_000 {
            0o100_000 => Self::File,
            0o040_000 => Self::Directory,
            0o120_000 => Self::Symlink,
            0o010_000 => Self::Fifo,
            0o140_000 => Self::Socket,
            0o060_000 => Self::BlockDevice,
            0o020_000 => Self::CharDevice,
            _ => Self::Unknown,
        }
    }

    /// Returns the kind encoded in `d_type` of a directory entry: the type bits of a mode (`DTTOIF` in readdir(3)).
    pub fn of_hint(d_type: u8) -> Self {
        Self::of_mode(u32::from(d_type) << 12)
    }

    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 8] = [
        Self::Directory,
        Self::File,
        Self::Symlink,
        Self::Fifo,
        Self::Socket,
        Self::BlockDevice,
        Self::CharDevice,
        Self::Unknown,
    ];

    /// Returns the kind stored in the low three bits of `tag`.
    pub fn from_bits(tag: u8) -> Self {
        Self::ALL[usize::from(tag & 0b111)]
    }

    /// Returns the name used in JSON (`type`) and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Symlink => "symlink",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::BlockDevice => "block_device",
            Self::CharDevice => "char_device",
            Self::Unknown => "unknown",
        }
    }
}
