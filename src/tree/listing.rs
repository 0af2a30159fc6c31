//! The entries of a directory as they were at one moment.
//!
//! Knows no directory table; how entries lie in memory is for `encoding`. Invariant: a listing in hand never changes, and what is
//! malformed in it ends its segment early: the next one is read again.

use super::encoding::{Records, decode_name};
use super::{DirId, Record};

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
    #[doc(hidden)]
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

    /// Every entry with its position, in the kernel's order. A malformed segment ends where it is malformed, and
    /// the next one follows.
    pub fn entries(&self) -> impl Iterator<Item = (Position, Record<'t>)> + Clone + '_ {
        self.segments.iter().flat_map(|&(start, records)| {
            Records::new(records).map_while(move |(at, record)| Some((start + at as u64, record.ok()?)))
        })
    }

    /// The directories among the entries, in the kernel's order.
    pub fn directories(&self) -> impl Iterator<Item = DirId> + '_ {
        self.entries().filter_map(|(_, record)| record.directory())
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
