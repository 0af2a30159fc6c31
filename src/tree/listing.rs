//! The encoding of a directory's entries, and reading it back.
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

use super::DirId;
use crate::kind::Kind;

const LINKED: u8 = 8;
const OWNED: u8 = 16;
const EXCLUDED: u8 = 32;
const FAILED: u8 = 64;

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
    const ALL: [Self; 5] =
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

/// The bytes are no listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl std::fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("malformed listing")
    }
}

impl std::error::Error for Malformed {}

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
    let mut cursor = Cursor { bytes };
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
    let mut cursor = Cursor { bytes: run };
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
    let mut cursor = Cursor { bytes };
    cursor.byte()?;
    let length = cursor.varint()?;
    cursor.take(length)
}

/// A directory's entries as published at one moment. Cheap to copy around by reference, valid as long as its tree.
#[derive(Clone, Debug, Default)]
pub struct Listing<'t> {
    /// The records of each segment and where they begin in the listing, in the kernel's order.
    segments: Vec<(u64, &'t [u8])>,
}

/// How far a segment may be from where it would be if all were of one length, to be found at once.
const NEAR: usize = 2;

/// Where a record begins in a [`Listing`]: bytes from the listing's first. Longer prefixes of the listing keep it.
pub type Position = u64;

impl<'t> Listing<'t> {
    /// A listing of these segments' records, in this order.
    pub fn from_segments(records: impl IntoIterator<Item = &'t [u8]>) -> Self {
        let mut start = 0;
        let place = |records: &'t [u8]| {
            let segment = (start, records);
            start += records.len() as u64;
            segment
        };
        Self { segments: records.into_iter().map(place).collect() }
    }

    /// Whether it holds no entry.
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(|(_, records)| records.is_empty())
    }

    /// Its length in bytes: grows with every prefix published, so equal lengths mean equal listings of one directory.
    pub fn length(&self) -> u64 {
        self.segments.last().map_or(0, |(start, records)| start + records.len() as u64)
    }

    /// Every entry with its position, in the kernel's order. Ends early where bytes are malformed.
    pub fn entries(&self) -> impl Iterator<Item = (Position, Record<'t>)> + Clone + '_ {
        self.segments.iter().flat_map(|&(start, records)| {
            Records::new(records).map_while(move |(at, record)| Some((start + at as u64, record.ok()?)))
        })
    }

    /// The directories among the entries, in the kernel's order.
    pub fn directories(&self) -> impl Iterator<Item = DirId> + '_ {
        self.entries().filter_map(|(_, record)| match record.content {
            Content::Known(facts) => facts.directory,
            _ => None,
        })
    }

    /// The listing in pieces of about `bytes` bytes, so that several workers can share it. Positions stay what they are.
    pub fn split(&self, bytes: u64) -> Vec<Self> {
        let piece = |start: &u64| start / bytes.max(1);
        self.segments
            .chunk_by(|(a, _), (b, _)| piece(a) == piece(b))
            .map(|segments| Self { segments: segments.to_vec() })
            .collect()
    }

    /// The entry at `position`; reads the records before it in the same batch.
    pub fn record(&self, position: Position) -> Option<Record<'t>> {
        let (start, records) = self.segment_of(position)?;
        let wanted = usize::try_from(position - start).ok()?;
        let (_, record) =
            Records::new(records).find(|(at, _)| *at >= wanted).filter(|(at, _)| *at == wanted)?;
        record.ok()
    }

    /// The name of the entry at `position`; reads nothing else.
    pub fn name(&self, position: Position) -> Option<&'t [u8]> {
        let (start, records) = self.segment_of(position)?;
        decode_name(records.get(usize::try_from(position - start).ok()?..)?).ok()
    }

    /// The records of each segment, with where it begins in the listing.
    pub(super) fn segments(&self) -> impl Iterator<Item = (Position, Records<'t>)> + '_ {
        self.segments.iter().map(|&(start, records)| (start, Records::new(records)))
    }

    fn segment_of(&self, position: Position) -> Option<(u64, &'t [u8])> {
        // Most segments of a large listing are of about the same length, so a place near the right one is known; sorting asks
        // for names all over a listing, and a search from its middle costs as much as reading them.
        let count = self.segments.len();
        let likely = position.saturating_mul(count as u64) / self.length().max(1);
        let likely = usize::try_from(likely).unwrap_or(count).min(count);
        let (first, end) = (likely.saturating_sub(NEAR), count.min(likely + NEAR));
        let begins = |at: usize| self.segments.get(at).map(|(start, _)| *start);
        let is_near = begins(first).is_some_and(|start| start <= position)
            && begins(end).is_none_or(|start| position < start);
        let range = if is_near { first..end } else { 0..count };
        let after = range.start + self.segments[range].partition_point(|(start, _)| *start <= position);
        self.segments.get(after.checked_sub(1)?).copied()
    }
}

/// The entries of a listing, which they hold themselves: for who goes down from one listing to the next.
pub struct Entries<'t> {
    segments: std::vec::IntoIter<(u64, &'t [u8])>,
    records: Records<'t>,
}

impl<'t> IntoIterator for Listing<'t> {
    type Item = Record<'t>;
    type IntoIter = Entries<'t>;

    fn into_iter(self) -> Entries<'t> {
        Entries { segments: self.segments.into_iter(), records: Records::new(&[]) }
    }
}

impl<'t> Iterator for Entries<'t> {
    type Item = Record<'t>;

    /// As [`Listing::entries`], a malformed segment ends where it is malformed.
    fn next(&mut self) -> Option<Record<'t>> {
        loop {
            if let Some((_, Ok(record))) = self.records.next() {
                return Some(record);
            }
            self.records = Records::new(self.segments.next()?.1);
        }
    }
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
        Self { cursor: Cursor { bytes: records }, length: records.len(), previous: Previous::default() }
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
        if self.cursor.bytes.is_empty() {
            return None;
        }
        let start = self.length - self.cursor.bytes.len();
        let record = self.record();
        if record.is_err() {
            self.cursor.bytes = &[];
        }
        Some((start, record))
    }
}

/// Reads numbers and bytes, one behind the other.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Begins at the first of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// What was not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// An error number.
    pub(crate) fn errno(&mut self) -> Result<i32, Malformed> {
        i32::try_from(self.varint()?).map_err(|_| Malformed)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let (&byte, rest) = self.bytes.split_first().ok_or(Malformed)?;
        self.bytes = rest;
        Ok(byte)
    }

    pub(crate) fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(length).map_err(|_| Malformed)?;
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(Malformed)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// An unsigned LEB128 number of at most 64 bits.
    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Malformed);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    pub(crate) fn narrow(&mut self) -> Result<u32, Malformed> {
        u32::try_from(self.varint()?).map_err(|_| Malformed)
    }

    pub(crate) fn delta(&mut self) -> Result<i64, Malformed> {
        let coded = self.varint()?;
        Ok((coded >> 1).cast_signed() ^ -(coded & 1).cast_signed())
    }
}

pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

pub(crate) fn write_varint(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        #[allow(clippy::cast_possible_truncation)] // the low seven bits are what is wanted
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    #[allow(clippy::cast_possible_truncation)] // below 0x80 here
    into.push(value as u8);
}
