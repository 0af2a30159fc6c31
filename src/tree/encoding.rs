//! The entries of a directory as bytes, and reading them back.
//!
//! ```text
//! segment = head  records                          one batch of the kernel, in the kernel's order
//! head    = varint(length of records << 1)
//! link    = 1  address of the link or segment before: u64 LE  address of a segment: u64 LE
//! run     = varint(length of segments << 1 | 1)  segments      the whole listing; only in files
//!
//! record  = tag  name-length varint  name
//!           EXCLUDED:  reason u8
//!           FAILED:    errno varint
//!           else:      apparent varint  blocks varint  mtime delta  inode delta
//!             directory:  DirId delta
//!             LINKED:     links varint  device index varint
//!             OWNED:      uid varint  gid varint  mode varint
//! tag     = kind (3 bits)  LINKED 8  OWNED 16  EXCLUDED 32  FAILED 64
//! delta   = zigzag varint of the difference to the record before it in the segment, first to zero
//! ```
//!
//! A directory points to its only segment, or to the newest link of a chain that leads back to the first; so a longer
//! listing is published by replacing one address, and a listing in hand never changes. A record's name can be read on
//! its own, which is all a path needs; the rest of it wants the records before it, at most one batch.
//!
//! Knows no directory table. Invariant: decoding is total; whatever the bytes, it gives records or [`Malformed`],
//! never a panic.

use super::varint::{Cursor, write_varint, zigzag};
use super::{Content, DirId, Exclusion, Facts, Links, Owner, Record};
use crate::kind::Kind;

pub use super::varint::Malformed;

const LINKED: u8 = 8;
const OWNED: u8 = 16;
const EXCLUDED: u8 = 32;
const FAILED: u8 = 64;

/// The fields coded as differences.
#[derive(Clone, Copy, Default)]
struct Previous {
    mtime: i64,
    inode: u64,
    directory: u32,
}

/// Room kept in front of the records for the head: the longest varint.
const HEAD: usize = 10;
/// What a draft has room for from the start, more than a batch of the kernel becomes. Only pages written to are used.
const ROOM: usize = 160 << 10;

/// A segment being written. Used again and again: [`Draft::clear`] keeps the memory.
pub struct Draft {
    /// [`HEAD`] bytes for the head, then the records.
    bytes: Vec<u8>,
    head: Vec<u8>,
    previous: Previous,
}

impl Default for Draft {
    fn default() -> Self {
        let mut bytes = Vec::with_capacity(ROOM);
        bytes.resize(HEAD, 0);
        Self { bytes, head: Vec::new(), previous: Previous::default() }
    }
}

impl Draft {
    /// A draft that takes memory only as it grows, for where there are many.
    pub fn small() -> Self {
        Self { bytes: vec![0; HEAD], head: Vec::new(), previous: Previous::default() }
    }

    /// Whether nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.length() == 0
    }

    /// Bytes of the records.
    pub fn length(&self) -> usize {
        self.bytes.len() - HEAD
    }

    /// Forgets the records.
    pub fn clear(&mut self) {
        self.bytes.truncate(HEAD);
        self.previous = Previous::default();
    }

    /// Appends one record and returns where it begins, in bytes from the first record. A directory is what has a number:
    /// where kind and number disagree, the number decides, since a reader looks for one behind that kind only.
    pub fn push(&mut self, record: &Record<'_>) -> usize {
        let start = self.length();
        let flags = match &record.content {
            Content::Excluded(_) => EXCLUDED,
            Content::Failed(_) => FAILED,
            Content::Known(facts) => facts.links.map_or(0, |_| LINKED) | facts.owner.map_or(0, |_| OWNED),
        };
        self.bytes.push(kind_as_stored(record) as u8 | flags);
        self.varint(record.name.len() as u64);
        self.bytes.extend_from_slice(record.name);
        match &record.content {
            Content::Excluded(reason) => self.bytes.push(*reason as u8),
            Content::Failed(errno) => self.varint(u64::from(errno.unsigned_abs())),
            Content::Known(facts) => self.facts(facts),
        }
        start
    }

    /// The segment as it is stored: the head, then the records. Says how long the head is.
    pub fn segment(&mut self) -> (&[u8], usize) {
        let length = self.length() as u64;
        self.head.clear();
        write_varint(&mut self.head, length << 1);
        let start = HEAD - self.head.len();
        self.bytes[start..HEAD].copy_from_slice(&self.head);
        (&self.bytes[start..], self.head.len())
    }

    fn facts(&mut self, facts: &Facts) {
        let previous = self.previous;
        self.varint(facts.apparent);
        self.varint(facts.blocks);
        self.varint(zigzag(facts.mtime.wrapping_sub(previous.mtime)));
        self.varint(zigzag(facts.inode.wrapping_sub(previous.inode).cast_signed()));
        self.previous.mtime = facts.mtime;
        self.previous.inode = facts.inode;
        if let Some(DirId(directory)) = facts.directory {
            self.varint(zigzag(i64::from(directory) - i64::from(previous.directory)));
            self.previous.directory = directory;
        }
        if let Some(links) = facts.links {
            self.varint(links.count);
            self.varint(u64::from(links.device));
        }
        if let Some(owner) = facts.owner {
            self.varint(u64::from(owner.uid));
            self.varint(u64::from(owner.gid));
            self.varint(u64::from(owner.mode));
        }
    }

    fn varint(&mut self, value: u64) {
        write_varint(&mut self.bytes, value);
    }
}

fn kind_as_stored(record: &Record<'_>) -> Kind {
    match (&record.content, record.kind) {
        (Content::Known(Facts { directory: Some(_), .. }), _) => Kind::Directory,
        (Content::Known(_), Kind::Directory) => Kind::Unknown,
        (_, kind) => kind,
    }
}

/// A link of a chain, as it is stored.
pub(super) fn encode_link(before: u64, segment: u64) -> [u8; 17] {
    let mut bytes = [1; 17];
    bytes[1..9].copy_from_slice(&before.to_le_bytes());
    bytes[9..].copy_from_slice(&segment.to_le_bytes());
    bytes
}

/// What an address of a listing holds.
pub(super) enum Node<'a> {
    /// The records of a segment.
    Segment(&'a [u8]),
    /// A link: the address before, and a segment's.
    Link { before: u64, segment: u64 },
    /// The bytes of all segments; see [`segments_of`].
    Run(&'a [u8]),
}

/// Reads the node at the beginning of `bytes`, which may go on behind it.
pub(super) fn decode_node(bytes: &[u8]) -> Result<Node<'_>, Malformed> {
    let mut cursor = Cursor::new(bytes);
    let head = cursor.varint()?;
    if head & 1 == 0 {
        return Ok(Node::Segment(cursor.take(head >> 1)?));
    }
    if head != 1 {
        return Ok(Node::Run(cursor.take(head >> 1)?));
    }
    let mut address = || {
        let bytes = cursor.take(8)?.try_into().map_err(|_| Malformed)?;
        Ok(u64::from_le_bytes(bytes))
    };
    Ok(Node::Link { before: address()?, segment: address()? })
}

/// The records of each segment of a run. Ends where the bytes are no segment.
pub(super) fn segments_of(run: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut cursor = Cursor::new(run);
    std::iter::from_fn(move || {
        let head = cursor.varint().ok().filter(|head| head & 1 == 0)?;
        cursor.take(head >> 1).ok()
    })
}

/// The name of the record at the beginning of `bytes`, which may go on behind it.
///
/// # Errors
/// When the bytes end too early.
pub fn decode_name(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let mut cursor = Cursor::new(bytes);
    cursor.byte()?;
    let length = cursor.varint()?;
    cursor.take(length)
}

/// The records of one segment, each with where it begins. An error is the last thing it gives.
#[derive(Clone)]
pub struct Records<'a> {
    cursor: Cursor<'a>,
    length: usize,
    previous: Previous,
}

impl<'a> Records<'a> {
    /// Reads the records of a segment, its head not included.
    pub fn new(records: &'a [u8]) -> Self {
        Self { cursor: Cursor::new(records), length: records.len(), previous: Previous::default() }
    }

    fn record(&mut self) -> Result<Record<'a>, Malformed> {
        let tag = self.cursor.byte()?;
        let kind = Kind::from_bits(tag);
        let length = self.cursor.varint()?;
        let name = self.cursor.take(length)?;
        let content = if tag & EXCLUDED != 0 {
            let reason = self.cursor.byte()?;
            Content::Excluded(*Exclusion::ALL.get(usize::from(reason)).ok_or(Malformed)?)
        } else if tag & FAILED != 0 {
            Content::Failed(self.cursor.errno()?)
        } else {
            Content::Known(self.facts(kind, tag)?)
        };
        Ok(Record { name, kind, content })
    }

    fn facts(&mut self, kind: Kind, tag: u8) -> Result<Facts, Malformed> {
        let cursor = &mut self.cursor;
        let apparent = cursor.varint()?;
        let blocks = cursor.varint()?;
        let mtime = self.previous.mtime.wrapping_add(cursor.delta()?);
        let inode = self.previous.inode.wrapping_add_signed(cursor.delta()?);
        self.previous.mtime = mtime;
        self.previous.inode = inode;
        let directory = if kind == Kind::Directory {
            let number = i64::from(self.previous.directory).checked_add(cursor.delta()?).ok_or(Malformed)?;
            self.previous.directory = u32::try_from(number).map_err(|_| Malformed)?;
            Some(DirId(self.previous.directory))
        } else {
            None
        };
        let mut links = None;
        if tag & LINKED != 0 {
            links = Some(Links { count: cursor.varint()?, device: cursor.narrow()? });
        }
        let mut owner = None;
        if tag & OWNED != 0 {
            owner = Some(Owner { uid: cursor.narrow()?, gid: cursor.narrow()?, mode: cursor.narrow()? });
        }
        Ok(Facts { apparent, blocks, mtime, inode, directory, links, owner })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (usize, Result<Record<'a>, Malformed>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.rest().is_empty() {
            return None;
        }
        let start = self.length - self.cursor.rest().len();
        let record = self.record();
        if record.is_err() {
            self.cursor = Cursor::new(&[]);
        }
        Some((start, record))
    }
}
