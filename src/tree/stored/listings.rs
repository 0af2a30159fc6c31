//! Encoding of listings in a file.
//!
//! ```text
//! block   = listings, in ascending order of directory numbers; directories without entries have none
//! listing = directory varint (difference from the previous listing in the block; 0 for the first)
//!           node: a segment, or a run of them (`tree::encoding`)
//! ```
//!
//! The child directories in the records of a block have consecutive numbers, starting with the number in the block's
//! index entry. Only the listing of the top directory may also refer to directories with other numbers. The listing of
//! the top directory therefore gets its own block.
//!
//! Invariant: any bytes decode to a result or an error. In an accepted block, every record can be read and every name
//! is valid.

use std::ops::Range;

use crate::tree::encoding::{Node, Records, decode_node, segments_of};
use crate::tree::varint::{ByteReader, Malformed, write_varint};
use crate::tree::{DirId, Entry, EntryState, LinkedName};

/// Block of listings being written.
#[derive(Debug, Default)]
pub struct ListingsDraft {
    bytes: Vec<u8>,
    /// IDs of the first and the last directory whose listings are in the block.
    ends: Option<(u32, u32)>,
}

impl ListingsDraft {
    /// Adds the listing of `directory`, which has `count` segments. Directories must be added in ascending order.
    pub fn push(&mut self, directory: u32, segments: &[u8], count: usize) {
        let (first, last) = self.ends.unwrap_or((directory, directory));
        let step = directory.checked_sub(last).expect("directories are added in the order of their numbers");
        write_varint(&mut self.bytes, u64::from(step));
        if count != 1 {
            write_varint(&mut self.bytes, (segments.len() as u64) << 1 | 1);
        }
        self.bytes.extend_from_slice(segments);
        self.ends = Some((first, directory));
    }

    /// Returns the length of the block in bytes.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Finishes the current block and starts a new block. Returns the first directory and the bytes of the finished
    /// block, or `None` if the finished block is empty.
    pub fn take(&mut self) -> Option<(u32, Vec<u8>)> {
        let draft = std::mem::take(self);
        draft.ends.map(|(first, _)| (first, draft.bytes))
    }
}

/// Directory numbers that are valid in a block.
#[derive(Clone, Debug)]
pub struct Span {
    /// Directories whose listings may be in the block. The block must begin with the listing of the first directory.
    pub parents: Range<u32>,
    /// Numbers of child directories. The block must contain the entries of all of them, in ascending order. Only the
    /// entry of a root may refer to a directory outside this range.
    pub children: Range<u32>,
    /// Total number of directories in the tree.
    pub all: u32,
}

/// Directory whose entry is in a block.
#[derive(Debug)]
pub struct Child {
    /// ID of the directory.
    pub id: DirId,
    /// Parent directory.
    pub parent: DirId,
    /// Position of the directory's entry, in bytes from the start of the block.
    pub record: usize,
}

/// Decoded contents of a block. Positions are relative to the start of the block.
#[derive(Debug, Default)]
pub struct Found {
    /// Directories, and the positions of their listings.
    pub listings: Vec<(DirId, usize)>,
    /// Directories that occur as entries in the block.
    pub children: Vec<Child>,
    /// Names of inodes with several links.
    pub linked: Vec<LinkedName>,
    /// Entries that could not be read: directory, position of the entry, and error number.
    pub failures: Vec<(DirId, usize, i32)>,
    /// Number of entries in the block.
    pub entries: u64,
}

/// Decodes a block.
///
/// # Errors
/// Returns the position of the first malformed record or listing. If the block is empty or lacks the entry of a child
/// directory, returns the length of the block.
pub fn decode(bytes: &[u8], span: &Span) -> Result<Found, usize> {
    let mut decoder = Decoder { bytes, span, child: span.children.start, found: Found::default() };
    let mut cursor = ByteReader::new(bytes);
    let mut last = None;
    while !cursor.rest().is_empty() {
        let start = bytes.len() - cursor.rest().len();
        let step = cursor.narrow().map_err(|Malformed| start)?;
        let id = match last {
            None => span.parents.start.checked_add(step).filter(|_| step == 0),
            Some(last) => span.parents.start.max(last).checked_add(step).filter(|_| step != 0),
        };
        let id = id.filter(|id| span.parents.contains(id)).ok_or(start)?;
        last = Some(id);
        let node = bytes.len() - cursor.rest().len();
        let length = decoder.listing(DirId(id), cursor.rest(), node)?;
        cursor.take(length as u64).map_err(|Malformed| node)?;
        decoder.found.listings.push((DirId(id), node));
    }
    if decoder.child == span.children.end && last.is_some() { Ok(decoder.found) } else { Err(bytes.len()) }
}

struct Decoder<'a> {
    bytes: &'a [u8],
    span: &'a Span,
    /// Number of the next child directory. The child directories in a block have consecutive numbers.
    child: u32,
    found: Found,
}

impl Decoder<'_> {
    /// Decodes the listing at the start of `rest`, which is at position `start` of the block, and returns the length
    /// of the listing. If the listing is malformed, returns the position of the error in the block.
    fn listing(&mut self, id: DirId, rest: &[u8], start: usize) -> Result<usize, usize> {
        let base = self.bytes.as_ptr() as usize;
        let offset = |records: &[u8]| records.as_ptr() as usize - base;
        match decode_node(rest) {
            Ok(Node::Segment(records)) => {
                self.segment(id, records, offset(records))?;
                Ok(offset(records) + records.len() - start)
            }
            Ok(Node::Run(run)) => {
                let mut end = offset(run);
                for records in segments_of(run) {
                    self.segment(id, records, offset(records))?;
                    end = offset(records) + records.len();
                }
                // If the bytes of a run are malformed, the iterator stops before the end of the run.
                if end == offset(run) + run.len() { Ok(end - start) } else { Err(end) }
            }
            Ok(Node::Link { .. }) | Err(Malformed) => Err(start),
        }
    }

    fn segment(&mut self, id: DirId, records: &[u8], start: usize) -> Result<(), usize> {
        for (at, record) in Records::new(records) {
            let at = start + at;
            let record = record.map_err(|Malformed| at)?;
            if !is_name(id, record.name) {
                return Err(at);
            }
            self.record(id, &record, at)?;
        }
        Ok(())
    }

    fn record(&mut self, id: DirId, record: &Entry<'_>, at: usize) -> Result<(), usize> {
        self.found.entries += 1;
        match record.state {
            EntryState::Known(metadata) => {
                if let Some(child) = metadata.directory {
                    if child.0 == self.child && self.span.children.contains(&child.0) {
                        self.found.children.push(Child { id: child, parent: id, record: at });
                        self.child += 1;
                    } else if id != DirId::TOP || child == DirId::TOP || child.0 >= self.span.all {
                        return Err(at);
                    }
                } else if let Some(links) = metadata.links {
                    self.found.linked.push(LinkedName::counted(id, &metadata, links));
                }
            }
            EntryState::Failed(errno) => self.found.failures.push((id, at, errno)),
            EntryState::Excluded(_) => {}
        }
        Ok(())
    }
}

/// Returns `true` if `name` is valid in this directory. The names of roots are paths.
pub fn is_name(directory: DirId, name: &[u8]) -> bool {
    let is_plain = directory == DirId::TOP
        || !(name.is_empty() || name == b"." || name == b".." || name.contains(&b'/'));
    is_plain && !name.contains(&0)
}
