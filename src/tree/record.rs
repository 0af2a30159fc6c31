//! An entry of a directory: its name and what is known of it.
//!
//! Knows no bytes. Invariant: an entry has attributes, or a reason why it has none.

use super::DirId;
use crate::kind::Kind;

/// One entry of a directory, as it was when the directory was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The name; any bytes. For a root the path as given.
    pub name: &'a [u8],
    /// What it is; of an entry nobody has asked about, what the kernel's listing hinted at.
    pub kind: Kind,
    /// What is known of it.
    pub content: Content,
}

impl Record<'_> {
    /// The directory it is, if it is one that was entered.
    pub fn directory(&self) -> Option<DirId> {
        match self.content {
            Content::Known(facts) => facts.directory,
            Content::Excluded(_) | Content::Failed(_) => None,
        }
    }
}

/// What is known of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Its attributes.
    Known(Facts),
    /// Left out on purpose, and never counted.
    Excluded(Exclusion),
    /// Its attributes could not be had: the error number.
    Failed(i32),
}

/// Why an entry was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exclusion {
    /// A pattern given by the person matches.
    Pattern = 0,
    /// It is on another file system, and one was asked for.
    OtherFileSystem = 1,
    /// It is on a file system the kernel makes up.
    KernelFileSystem = 2,
    /// It holds a CACHEDIR.TAG.
    Caches = 3,
    /// Its content is in the cloud and takes no space here; to look at it would fetch it.
    Dataless = 4,
}

impl Exclusion {
    pub(super) const ALL: [Self; 5] =
        [Self::Pattern, Self::OtherFileSystem, Self::KernelFileSystem, Self::Caches, Self::Dataless];
}

/// The attributes kept of an entry: its own, never those of what lies below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Own length in bytes.
    pub apparent: u64,
    /// Own allocated blocks of 512 bytes.
    pub blocks: u64,
    /// Own time of last change, in seconds since 1970.
    pub mtime: i64,
    /// Inode number.
    pub inode: u64,
    /// A directory's place in the table.
    pub directory: Option<DirId>,
    /// Set for anything but a directory that has more than one link.
    pub links: Option<Links>,
    /// Set when owners were asked for.
    pub owner: Option<Owner>,
}

impl Facts {
    /// Own disk usage in bytes.
    pub fn disk(&self) -> u64 {
        self.blocks.saturating_mul(512)
    }

    /// Its hard links, if it has several names. A root that is a file says how many it has even where that is one.
    pub fn several_names(&self) -> Option<Links> {
        self.links.filter(|links| links.count > 1)
    }
}

/// The hard links of an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// How many names the file system says it has, here or elsewhere.
    pub count: u64,
    /// Index of its device in the tree's table of devices.
    pub device: u32,
}

/// Who owns an entry, and who may use it how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// User.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Type and permission bits.
    pub mode: u32,
}
