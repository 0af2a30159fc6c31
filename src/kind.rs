//! What an entry is: the one vocabulary shared by the kernel's side ([`crate::platform`]) and the tree's.
//!
//! Knows nothing of either. Invariant: the discriminants are the bits stored in a listing's tag byte.

/// The type of an entry, as `stat` reports it (inode(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A directory.
    Directory = 0,
    /// A regular file.
    File = 1,
    /// A symbolic link; never followed below a root.
    Symlink = 2,
    /// A named pipe.
    Fifo = 3,
    /// A Unix domain socket.
    Socket = 4,
    /// A block device.
    BlockDevice = 5,
    /// A character device.
    CharDevice = 6,
    /// Anything the kernel does not name, or an entry nobody asked about.
    Unknown = 7,
}

impl Kind {
    /// Every kind, in the order of its bits.
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

    /// The kind stored in the low three bits of `tag`.
    pub fn from_bits(tag: u8) -> Self {
        Self::ALL[usize::from(tag & 0b111)]
    }

    /// The name used in JSON (`type`) and in messages.
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
