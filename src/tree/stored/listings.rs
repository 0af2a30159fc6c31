//! Listings in a file.
//!
//! ```text
//! block   = listings, of directories with ascending numbers; those without entries have none
//! listing = directory varint (difference to the listing before in the block; of the first, zero)
//!           node: a segment, or a run of them (`tree::encoding`)
//! ```
//!
//! The directories named in a block have consecutive numbers, from the one its place in the index tells. Only the top may
//! name others as well, which are below it elsewhere; so its listing is a block of its own.
//!
//! Invariant: decoding is total. What it accepts is whole: every record can be read, and every name is one.

use std::ops::Range;

use crate::tree::encoding::{Node, Records, decode_node, segments_of};
use crate::tree::varint::{Cursor, Malformed, write_varint};
use crate::tree::{Content, DirId, LinkedName, Record};

/// A block of listings being written.
#[derive(Debug, Default)]
pub struct ListingsDraft {
    bytes: Vec<u8>,
    /// The first and the last directory.
    ends: Option<(u32, u32)>,
}

impl ListingsDraft {
    /// Adds the listing of `directory`, whose number is larger than any before: its segments back to back.
    pub fn push(&mut self, directory: u32, segments: &[u8], count: usize) {
        let (first, last) = self.ends.unwrap_or((directory, directory));
        let step = directory.checked_sub(last).expect("directories come in the order of their numbers");
        write_varint(&mut self.bytes, u64::from(step));
        if count != 1 {
            write_varint(&mut self.bytes, (segments.len() as u64) << 1 | 1);
        }
        self.bytes.extend_from_slice(segments);
        self.ends = Some((first, directory));
    }

    /// Its length in bytes.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The first directory and the bytes of the block, if there is any. The next one begins empty.
    pub fn take(&mut self) -> Option<(u32, Vec<u8>)> {
        let draft = std::mem::take(self);
        draft.ends.map(|(first, _)| (first, draft.bytes))
    }
}

/// The numbers that may appear in a block.
#[derive(Clone, Debug)]
pub struct Span {
    /// Of directories with a listing in it; it begins with the first.
    pub parents: Range<u32>,
    /// Of the directories named in it, all of them.
    pub children: Range<u32>,
    /// How many directories there are at all.
    pub all: u32,
}

/// A directory named in a block.
#[derive(Debug)]
pub struct Child {
    /// Its number.
    pub id: DirId,
    /// The directory that names it.
    pub parent: DirId,
    /// Where its record begins in the block.
    pub record: usize,
}

/// What a block holds, with places in it.
#[derive(Debug, Default)]
pub struct Found {
    /// Directories and where their listings' nodes begin.
    pub listings: Vec<(DirId, usize)>,
    /// The directories named.
    pub children: Vec<Child>,
    /// Names of inodes with several links.
    pub linked: Vec<LinkedName>,
    /// Entries without attributes: their directory, where the record begins, the error number.
    pub failures: Vec<(DirId, usize, i32)>,
}

/// What a block holds.
///
/// # Errors
/// When the bytes are no such block: where.
pub fn decode(bytes: &[u8], span: &Span) -> Result<Found, usize> {
    let mut decoder = Decoder { bytes, span, child: span.children.start, found: Found::default() };
    let mut cursor = Cursor::new(bytes);
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
    /// The next directory to be named.
    child: u32,
    found: Found,
}

impl Decoder<'_> {
    /// Reads the node at the beginning of `rest`, which begins at `start` in the block, and says how long it is.
    fn listing(&mut self, id: DirId, rest: &[u8], start: usize) -> Result<usize, usize> {
        let base = self.bytes.as_ptr() as usize;
        let place = |records: &[u8]| records.as_ptr() as usize - base;
        match decode_node(rest) {
            Ok(Node::Segment(records)) => {
                self.segment(id, records, place(records))?;
                Ok(place(records) + records.len() - start)
            }
            Ok(Node::Run(run)) => {
                let mut end = place(run);
                for records in segments_of(run) {
                    self.segment(id, records, place(records))?;
                    end = place(records) + records.len();
                }
                // What is no segment ends the run early.
                if end == place(run) + run.len() { Ok(end - start) } else { Err(end) }
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

    fn record(&mut self, id: DirId, record: &Record<'_>, at: usize) -> Result<(), usize> {
        match record.content {
            Content::Known(facts) => {
                if let Some(child) = facts.directory {
                    if child.0 == self.child && self.span.children.contains(&child.0) {
                        self.found.children.push(Child { id: child, parent: id, record: at });
                        self.child += 1;
                    } else if id != DirId::TOP || child == DirId::TOP || child.0 >= self.span.all {
                        return Err(at);
                    }
                } else if let Some(links) = facts.links {
                    self.found.linked.push(LinkedName::counted(id, &facts, links));
                }
            }
            Content::Failed(errno) => self.found.failures.push((id, at, errno)),
            Content::Excluded(_) => {}
        }
        Ok(())
    }
}

/// Whether a directory can hold this name. Roots have paths.
fn is_name(directory: DirId, name: &[u8]) -> bool {
    let is_plain = directory == DirId::TOP
        || !(name.is_empty() || name == b"." || name == b".." || name.contains(&b'/'));
    is_plain && !name.contains(&0)
}
