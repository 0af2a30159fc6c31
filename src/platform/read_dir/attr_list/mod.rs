//! Records of macOS's `getattrlistbulk(2)`: the requested attributes, and the parser for the reply.
//!
//! ```text
//! record = length u32, including this field | returned bits 5 * u32 | fields, each rounded up to 4 bytes | names
//! fields = ERROR, then the common attributes by ascending bit, then those of a directory or of a file
//! NAME   = offset i32 relative to the start of this field, length u32 including the NUL
//! ```
//!
//! A field is present only if its returned bit is set. An entry with an error has only ERROR and NAME; all other
//! entries have no ERROR or an ERROR of 0 (getattrlist(2), and `vfs_attr_pack` in XNU). Numbers are in the machine's
//! byte order.
//!
//! This module makes no system calls, so it can be tested on every system. Invariant: bytes are read only through
//! bounds-checked slices, and any bytes produce an entry or `None`.

use std::ffi::CStr;

use nix::errno::Errno;

use crate::base::kind::Kind;
use crate::platform::{Attributes, Boundary, DirEntry, Prefetched};

/// Attributes that one call requests. Each field is the bit set of one group in `struct attrlist`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Bit set of the attributes requested for every entry.
    pub common: u32,
    /// Bit set of the attributes requested for directories.
    pub directory: u32,
    /// Bit set of the attributes requested for entries that are not directories.
    pub file: u32,
}

// Attribute bits of `sys/attr.h`.
const RETURNED: u32 = 0x8000_0000;
const ERROR: u32 = 0x2000_0000;
const NAME: u32 = 0x1;
const DEVICE: u32 = 0x2;
const TYPE: u32 = 0x8;
const MODIFIED: u32 = 0x400;
const OWNER: u32 = 0x8000;
const GROUP: u32 = 0x1_0000;
const ACCESS: u32 = 0x2_0000;
const FLAGS: u32 = 0x4_0000;
const INODE: u32 = 0x200_0000;
/// Bit that requests the link count of a directory. Only HFS+ has directories with several links.
const DIRECTORY_LINKS: u32 = 0x1;
/// Bit that requests the mount status of a directory.
const MOUNT_STATUS: u32 = 0x4;
/// Bit that requests the link count of an entry that is not a directory.
const LINKS: u32 = 0x1;
/// Bit that requests the allocated size of all forks in bytes, the same as `st_blocks` times 512.
const ALLOCATED: u32 = 0x4;
/// Bit that requests the length of the data fork in bytes, the same as `st_size`.
const LENGTH: u32 = 0x200;

/// Attributes that a record must contain. If one is missing, the entry's attributes are read by name instead.
const KEPT: u32 = DEVICE | TYPE | MODIFIED | INODE;
/// Attributes that must be present in addition to `KEPT` if owners are requested. They take 12 bytes in every record.
const OWNERS: u32 = OWNER | GROUP | ACCESS;

impl Wanted {
    /// All attributes that a scan requests. A separate call reads the sizes of directories by name if they are needed.
    pub const ALL: Self = Self {
        common: RETURNED | ERROR | NAME | FLAGS | KEPT | OWNERS,
        directory: DIRECTORY_LINKS | MOUNT_STATUS,
        file: LINKS | ALLOCATED | LENGTH,
    };

    /// The same attributes as [`Self::ALL`] except owner, group and permissions.
    pub const WITHOUT_OWNERS: Self = Self { common: Self::ALL.common & !OWNERS, ..Self::ALL };

    /// Attributes to request in a directory for which this process has read permission, but no search permission.
    /// There, a request for more attributes fails with `EACCES`.
    pub const NAMES: Self = Self { common: RETURNED | ERROR | NAME | TYPE | INODE, directory: 0, file: 0 };
}

/// Size in bytes of a record's header: the record length (4) and the bits of the returned attributes (20).
const HEAD: usize = 24;

/// Returns the length of the first `count` records in `bytes`; `None` if a record is malformed or has no name.
pub fn measure(bytes: &[u8], count: usize) -> Option<usize> {
    let mut rest = bytes;
    for _ in 0..count {
        let record = split(&mut rest)?;
        name(record)?;
    }
    Some(bytes.len() - rest.len())
}

/// Returns the entries in `bytes`, the reply to a request for `wanted`. `bytes` must have the length that [`measure`]
/// returned. Stops at a malformed record.
pub fn entries(bytes: &[u8], wanted: Wanted) -> impl Iterator<Item = DirEntry<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || entry(split(&mut rest)?, wanted))
}

/// Splits off the first record of `rest`. Returns `None` if the record is shorter than [`HEAD`] or longer than `rest`.
fn split<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(u32::from_ne_bytes(*rest.first_chunk()?)).ok()?;
    let (record, after) = rest.split_at_checked(length).filter(|_| length >= HEAD)?;
    *rest = after;
    Some(record)
}

fn entry(record: &[u8], wanted: Wanted) -> Option<DirEntry<'_>> {
    let name = name(record)?;
    let nothing = (Kind::Unknown, 0, Prefetched::Nothing);
    let (hint, inode, prefetched) = Fields::of(record)?.read(wanted).unwrap_or(nothing);
    Some(DirEntry { name, hint, inode, prefetched })
}

/// Returns the name of the entry. The name is the first field, or the second if there is an ERROR field.
fn name(record: &[u8]) -> Option<&CStr> {
    let fields = Fields::of(record)?;
    if fields.common & NAME == 0 {
        return None;
    }
    let at = if fields.common & ERROR == 0 { HEAD } else { HEAD + 4 };
    let field = record.get(at..at + 8)?;
    let offset = i32::from_ne_bytes(*field.first_chunk()?);
    let length = usize::try_from(u32::from_ne_bytes(*field.last_chunk()?)).ok()?;
    let start = at.checked_add_signed(isize::try_from(offset).ok()?)?;
    let name = CStr::from_bytes_until_nul(record.get(start..start.checked_add(length)?)?).ok()?;
    (!name.is_empty()).then_some(name)
}

/// Fields of a record that have not been read yet, and the bits that show which fields are present.
struct Fields<'b> {
    bytes: &'b [u8],
    common: u32,
    directory: u32,
    file: u32,
}

impl<'b> Fields<'b> {
    fn of(record: &'b [u8]) -> Option<Self> {
        let (head, bytes) = record.split_at_checked(HEAD)?;
        let set = |index: usize| Some(u32::from_ne_bytes(*head.get(4 + 4 * index..)?.first_chunk()?));
        Some(Self { bytes, common: set(0)?, directory: set(2)?, file: set(3)? })
    }

    /// Reads the fields. Returns `None` if the record is too short for its fields, or if it contains a field that duke
    /// never requests. The size of such a field is unknown, so the fields after it cannot be found.
    fn read(&mut self, wanted: Wanted) -> Option<(Kind, u64, Prefetched)> {
        const ALL: Wanted = Wanted::ALL;
        let Self { common, directory, file, .. } = *self;
        if common & !ALL.common != 0 || directory & !ALL.directory != 0 || file & !ALL.file != 0 {
            return None;
        }
        let error = self.number(common & ERROR)?;
        self.long(common & NAME)?;
        let device = self.number(common & DEVICE)?;
        let kind = kind_of_type(self.number(common & TYPE)?);
        let mtime = self.long(common & MODIFIED)?.cast_signed();
        self.long(common & MODIFIED)?; // skips the nanoseconds
        let (uid, gid) = (self.number(common & OWNER)?, self.number(common & GROUP)?);
        let access = self.number(common & ACCESS)?;
        let flags = self.number(common & FLAGS)?;
        let inode = self.long(common & INODE)?;
        if error != 0 {
            return Some((kind, inode, Prefetched::Failed(Errno::from_raw(error.cast_signed()))));
        }
        let own = Attributes {
            kind,
            blocks: 0,
            apparent: 0,
            mtime,
            inode,
            // The device is sign-extended, as in stat(2).
            device: i64::from(device.cast_signed()).cast_unsigned(),
            links: 1,
            uid,
            gid,
            mode: mode_of(kind, access),
            border: Boundary::None,
        };
        let prefetched =
            if kind == Kind::Directory { self.directory(own, flags) } else { self.file(own, wanted) };
        Some((kind, inode, prefetched?))
    }

    /// Returns the boundary that opening the directory would cross, or [`Prefetched::Nothing`] if there is none. For a
    /// directory that must not be opened ([`Boundary::is_closed`]), returns all attributes instead; the sizes are 0,
    /// because they are not requested. Returns `None` if the record is too short.
    fn directory(&mut self, own: Attributes, flags: u32) -> Option<Prefetched> {
        let links = self.number(self.directory & DIRECTORY_LINKS)?;
        let border = match border(self.number(self.directory & MOUNT_STATUS)?, flags) {
            Boundary::None if links > 1 => Boundary::Linked,
            border => border,
        };
        Some(match border {
            Boundary::None => Prefetched::Nothing,
            border if border.is_closed() => Prefetched::All(Attributes { border, ..own }),
            border => Prefetched::Boundary(border),
        })
    }

    /// Returns all attributes of an entry that is not a directory, or [`Prefetched::Nothing`] if one of them is
    /// missing. Returns `None` if the record is too short.
    fn file(&mut self, own: Attributes, wanted: Wanted) -> Option<Prefetched> {
        let links = u64::from(self.number(self.file & LINKS)?);
        let blocks = self.long(self.file & ALLOCATED)?.div_ceil(512);
        let apparent = self.long(self.file & LENGTH)?;
        let needed = wanted.common & (KEPT | OWNERS);
        let complete = self.common & needed == needed && self.file == Wanted::ALL.file;
        let all = Prefetched::All(Attributes { blocks, apparent, links, ..own });
        Some(if complete { all } else { Prefetched::Nothing })
    }

    /// Reads the next four-byte field. Returns `Some(0)` if the record does not contain the field (`returned_bit` is
    /// 0), and `None` if the record is too short.
    fn number(&mut self, returned_bit: u32) -> Option<u32> {
        Some(u32::from_ne_bytes(self.take(returned_bit)?))
    }

    /// Like [`Self::number`], but for an eight-byte field.
    fn long(&mut self, returned_bit: u32) -> Option<u64> {
        Some(u64::from_ne_bytes(self.take(returned_bit)?))
    }

    fn take<const SIZE: usize>(&mut self, returned_bit: u32) -> Option<[u8; SIZE]> {
        if returned_bit == 0 {
            return Some([0; SIZE]);
        }
        let (field, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*field)
    }
}

/// Returns the boundary for a directory's mount status (`DIR_MNTSTATUS_*` in sys/attr.h) and flags (sys/stat.h).
fn border(mount_status: u32, flags: u32) -> Boundary {
    const MOUNT: u32 = 0x1;
    const TRIGGER: u32 = 0x2;
    if mount_status & MOUNT != 0 {
        Boundary::Mount
    } else if mount_status & TRIGGER != 0 {
        Boundary::Trigger
    } else if flags & Boundary::DATALESS_FLAG != 0 {
        Boundary::Dataless
    } else if flags & Boundary::FIRMLINK_FLAG != 0 {
        Boundary::Firmlink
    } else {
        Boundary::None
    }
}

/// Returns the kind for an object type (`enum vtype` in sys/vnode.h).
fn kind_of_type(vtype: u32) -> Kind {
    match vtype {
        1 => Kind::File,
        2 => Kind::Directory,
        3 => Kind::BlockDevice,
        4 => Kind::CharDevice,
        5 => Kind::Symlink,
        6 => Kind::Socket,
        7 => Kind::Fifo,
        _ => Kind::Unknown,
    }
}

/// Returns the mode as in stat(2), combined from `kind` and the permission bits of `access`.
fn mode_of(kind: Kind, access: u32) -> u32 {
    let bits = match kind {
        Kind::Fifo => 0o01_0000,
        Kind::CharDevice => 0o02_0000,
        Kind::Directory => 0o04_0000,
        Kind::BlockDevice => 0o06_0000,
        Kind::File => 0o10_0000,
        Kind::Symlink => 0o12_0000,
        Kind::Socket => 0o14_0000,
        Kind::Unknown => 0,
    };
    bits | access & 0o7777
}

#[cfg(test)]
mod tests;
