//! Encoding of a directory's entries as bytes.
//!
//! ```text
//! segment = header  records                        one batch of entries, in the order in which they were read
//! header  = varint(length of records << 1)
//! link    = 1  address of the previous node: u64 LE  address of a segment or run: u64 LE
//! run     = varint(length of segments << 1 | 1)  segments      the whole listing; only in files
//!
//! record  = tag  name-length varint  name
//!           EXCLUDED:  reason u8
//!           FAILED:    errno varint
//!           else:      apparent varint  blocks varint  mtime delta  inode delta
//!             directory:  DirId delta
//!             LINKED:     links varint  device index varint
//!             OWNED:      uid varint  gid varint  mode varint
//!             CLASSED:    storage class u8
//! tag     = kind (3 bits)  LINKED 8  OWNED 16  EXCLUDED 32  FAILED 64  CLASSED 96  EXECUTABLE 128
//!           CLASSED has the bits of EXCLUDED and FAILED; such an entry is neither excluded nor failed
//! delta   = zigzag varint of the difference from the previous record in the segment, or from zero in the first
//! ```
//!
//! A directory points to its only segment, or to the newest node of a chain that leads back to the first segment. A
//! longer listing is therefore published by replacing a single address, and a listing that a reader holds never
//! changes. A name can be decoded without reading any other record, and paths need only names. Decoding the attributes
//! of a record requires reading all earlier records in its segment.
//!
//! Invariant: any bytes decode to records or [`Malformed`] and never cause a panic.

use super::varint::{ByteReader, write_varint, zigzag};
use super::{DirId, Entry, EntryState, Exclusion, Links, Metadata, Owner, StorageClass};
use crate::base::kind::Kind;

pub use super::varint::Malformed;

const LINKED: u8 = 8;
const OWNED: u8 = 16;
const EXCLUDED: u8 = 32;
const FAILED: u8 = 64;
/// Flag of a record with a storage class. No record is both excluded and failed, so this combination of bits is free.
const CLASSED: u8 = EXCLUDED | FAILED;
const EXECUTABLE: u8 = 128;

/// Values of the previous record. The next record stores its differences from these values.
#[derive(Clone, Copy, Default)]
struct Previous {
    mtime: i64,
    inode: u64,
    directory: u32,
}

/// Number of bytes reserved for the header before the records: the length of the longest varint.
const HEAD: usize = 10;
/// Initial capacity of a draft in bytes, more than a kernel batch needs. Unused bytes take no physical memory.
const ROOM: usize = 160 << 10;

/// Segment being written. [`Draft::clear`] keeps the allocation for the next segment.
pub struct Draft {
    /// [`HEAD`] bytes for the header, followed by the records.
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
    /// Creates a draft that allocates memory only as it grows, for callers with many drafts.
    pub fn small() -> Self {
        Self { bytes: vec![0; HEAD], head: Vec::new(), previous: Previous::default() }
    }

    /// Returns `true` if the draft has no records.
    pub fn is_empty(&self) -> bool {
        self.length() == 0
    }

    /// Returns the size of the records in bytes.
    pub fn length(&self) -> usize {
        self.bytes.len() - HEAD
    }

    /// Removes all records, and keeps the bytes reserved for the header.
    pub fn clear(&mut self) {
        self.bytes.truncate(HEAD);
        self.previous = Previous::default();
    }

    /// Appends a record, and returns its byte offset from the first record. A directory that has metadata but no ID is
    /// encoded as [`Kind::Unknown`], because decoders expect an ID in each directory with metadata.
    pub fn push(&mut self, record: &Entry<'_>) -> usize {
        let start = self.length();
        let flags = match &record.state {
            EntryState::Excluded(_) => EXCLUDED,
            EntryState::Failed(_) => FAILED,
            EntryState::Known(metadata) => {
                let executable = if metadata.is_executable { EXECUTABLE } else { 0 };
                metadata.links.map_or(0, |_| LINKED)
                    | metadata.owner.map_or(0, |_| OWNED)
                    | metadata.storage_class.map_or(0, |_| CLASSED)
                    | executable
            }
        };
        self.bytes.push(kind_as_stored(record) as u8 | flags);
        self.varint(record.name.len() as u64);
        self.bytes.extend_from_slice(record.name);
        match &record.state {
            EntryState::Excluded(reason) => self.bytes.push(*reason as u8),
            EntryState::Failed(errno) => self.varint(u64::from(errno.unsigned_abs())),
            EntryState::Known(metadata) => self.metadata(metadata),
        }
        start
    }

    /// Returns the encoded segment and the length of its header.
    pub fn segment(&mut self) -> (&[u8], usize) {
        let length = self.length() as u64;
        self.head.clear();
        write_varint(&mut self.head, length << 1);
        let start = HEAD - self.head.len();
        self.bytes[start..HEAD].copy_from_slice(&self.head);
        (&self.bytes[start..], self.head.len())
    }

    fn metadata(&mut self, metadata: &Metadata) {
        let previous = self.previous;
        self.varint(metadata.apparent);
        self.varint(metadata.blocks);
        self.varint(zigzag(metadata.mtime.wrapping_sub(previous.mtime)));
        self.varint(zigzag(metadata.inode.wrapping_sub(previous.inode).cast_signed()));
        self.previous.mtime = metadata.mtime;
        self.previous.inode = metadata.inode;
        if let Some(DirId(directory)) = metadata.directory {
            self.varint(zigzag(i64::from(directory) - i64::from(previous.directory)));
            self.previous.directory = directory;
        }
        if let Some(links) = metadata.links {
            self.varint(links.count);
            self.varint(u64::from(links.device));
        }
        if let Some(owner) = metadata.owner {
            self.varint(u64::from(owner.uid));
            self.varint(u64::from(owner.gid));
            self.varint(u64::from(owner.mode));
        }
        if let Some(StorageClass(class)) = metadata.storage_class {
            self.bytes.push(class);
        }
    }

    fn varint(&mut self, value: u64) {
        write_varint(&mut self.bytes, value);
    }
}

fn kind_as_stored(record: &Entry<'_>) -> Kind {
    match (&record.state, record.kind) {
        (EntryState::Known(Metadata { directory: Some(_), .. }), _) => Kind::Directory,
        (EntryState::Known(_), Kind::Directory) => Kind::Unknown,
        (_, kind) => kind,
    }
}

/// Encodes a link node of a listing. `before` is the address of the listing's previous node, and `segment` the
/// address of a segment or a run of segments.
pub(crate) fn encode_link(before: u64, segment: u64) -> [u8; 17] {
    let mut bytes = [1; 17];
    bytes[1..9].copy_from_slice(&before.to_le_bytes());
    bytes[9..].copy_from_slice(&segment.to_le_bytes());
    bytes
}

/// Node of a listing.
pub(crate) enum Node<'a> {
    /// Encoded records of a segment.
    Segment(&'a [u8]),
    /// Link to the previous node and to a segment or run, both given by address.
    Link { before: u64, segment: u64 },
    /// Bytes of a run of segments; see [`segments_of`].
    Run(&'a [u8]),
}

/// Decodes the node at the start of `bytes`, ignoring any bytes after it.
pub(crate) fn decode_node(bytes: &[u8]) -> Result<Node<'_>, Malformed> {
    let mut cursor = ByteReader::new(bytes);
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

/// Returns the encoded records of each segment in a run, up to the first malformed segment.
pub(crate) fn segments_of(run: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut cursor = ByteReader::new(run);
    std::iter::from_fn(move || {
        let head = cursor.varint().ok().filter(|head| head & 1 == 0)?;
        cursor.take(head >> 1).ok()
    })
}

/// Returns the name of the record at the start of `bytes`, ignoring any bytes after it.
///
/// # Errors
/// Returns an error if `bytes` ends before the name does.
pub fn decode_name(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let mut cursor = ByteReader::new(bytes);
    cursor.byte()?;
    let length = cursor.varint()?;
    cursor.take(length)
}

/// Iterator over the records of a segment and their positions. If a record is malformed, the last item is the error.
#[derive(Clone)]
pub struct Records<'a> {
    cursor: ByteReader<'a>,
    length: usize,
    previous: Previous,
}

impl<'a> Records<'a> {
    /// Creates an iterator over the records of a segment. `records` must not include the segment's header.
    pub fn new(records: &'a [u8]) -> Self {
        Self { cursor: ByteReader::new(records), length: records.len(), previous: Previous::default() }
    }

    fn record(&mut self) -> Result<Entry<'a>, Malformed> {
        let tag = self.cursor.byte()?;
        let kind = Kind::from_bits(tag);
        let length = self.cursor.varint()?;
        let name = self.cursor.take(length)?;
        let state = match tag & CLASSED {
            EXCLUDED => {
                let reason = self.cursor.byte()?;
                EntryState::Excluded(*Exclusion::ALL.get(usize::from(reason)).ok_or(Malformed)?)
            }
            FAILED => EntryState::Failed(self.cursor.errno()?),
            _ => EntryState::Known(self.metadata(kind, tag)?),
        };
        Ok(Entry { name, kind, state })
    }

    fn metadata(&mut self, kind: Kind, tag: u8) -> Result<Metadata, Malformed> {
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
        let storage_class = if tag & CLASSED == CLASSED { Some(StorageClass(cursor.byte()?)) } else { None };
        let is_executable = tag & EXECUTABLE != 0;
        Ok(Metadata { apparent, blocks, mtime, inode, directory, links, owner, is_executable, storage_class })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (usize, Result<Entry<'a>, Malformed>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.rest().is_empty() {
            return None;
        }
        let start = self.length - self.cursor.rest().len();
        let record = self.record();
        if record.is_err() {
            self.cursor = ByteReader::new(&[]);
        }
        Some((start, record))
    }
}
