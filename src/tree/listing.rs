//! Listing: the entries of a directory at one point in time.
//!
//! The module `encoding` defines how entries are stored.
//!
//! Invariant: a listing that a reader holds never changes. A malformed record hides the rest of its segment, but not
//! the next segment.

use super::encoding::{Records, decode_name};
use super::{DirId, Entry};

/// Entries of a directory that have been published so far, borrowed from the tree.
#[derive(Clone, Debug, Default)]
pub struct Listing<'t> {
    /// Segments, each with its position in the listing and its records, in the order in which they were published.
    segments: Vec<(u64, &'t [u8])>,
}

/// Number of segments searched on each side of an estimated index before the whole listing is searched.
const NEAR: usize = 2;

/// Position of an entry in a [`Listing`], in bytes from the start. Positions do not change when entries are appended to
/// the listing, but may change when the listing is rewritten.
pub type Position = u64;

impl<'t> Listing<'t> {
    /// Creates a listing from the records of segments, in the given order.
    #[doc(hidden)]
    pub fn from_segments(records: impl IntoIterator<Item = &'t [u8]>) -> Self {
        let mut start = 0;
        let segment = |records: &'t [u8]| {
            let segment = (start, records);
            start += records.len() as u64;
            segment
        };
        Self { segments: records.into_iter().map(segment).collect() }
    }

    /// Returns `true` if the listing has no entries.
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(|(_, records)| records.is_empty())
    }

    /// Returns the length in bytes. During a scan, a listing only grows, so two listings of the same directory are
    /// equal if their lengths are equal.
    pub fn length(&self) -> u64 {
        self.segments.last().map_or(0, |(start, records)| start + records.len() as u64)
    }

    /// Returns every entry with its position, in ascending order of positions. After a malformed record, iteration
    /// continues with the next segment.
    pub fn entries(&self) -> impl Iterator<Item = (Position, Entry<'t>)> + Clone + '_ {
        self.segments.iter().flat_map(|&(start, records)| {
            Records::new(records).map_while(move |(at, record)| Some((start + at as u64, record.ok()?)))
        })
    }

    /// Returns the directories among the entries, in ascending order of position.
    pub fn directories(&self) -> impl Iterator<Item = DirId> + '_ {
        self.entries().filter_map(|(_, record)| record.directory())
    }

    /// Splits the listing into parts of about `bytes` bytes for several workers. Entries keep their positions.
    pub fn split(&self, bytes: u64) -> Vec<Self> {
        let piece = |start: &u64| start / bytes.max(1);
        self.segments
            .chunk_by(|(a, _), (b, _)| piece(a) == piece(b))
            .map(|segments| Self { segments: segments.to_vec() })
            .collect()
    }

    /// Returns the entry that begins at `position`, if there is one. Decodes all earlier entries of the segment, too.
    pub fn record(&self, position: Position) -> Option<Entry<'t>> {
        let (start, records) = self.segment_of(position)?;
        let wanted = usize::try_from(position - start).ok()?;
        let (_, record) =
            Records::new(records).find(|(at, _)| *at >= wanted).filter(|(at, _)| *at == wanted)?;
        record.ok()
    }

    /// Returns the name of the entry at `position` without decoding any other record.
    pub fn name(&self, position: Position) -> Option<&'t [u8]> {
        let (start, records) = self.segment_of(position)?;
        decode_name(records.get(usize::try_from(position - start).ok()?..)?).ok()
    }

    /// Returns the segments, each with its position in the listing and its records.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (Position, Records<'t>)> + '_ {
        self.segments.iter().map(|&(start, records)| (start, Records::new(records)))
    }

    fn segment_of(&self, position: Position) -> Option<(u64, &'t [u8])> {
        // Estimate the index of the segment first: when a sort looks up many names, binary searches over all segments
        // would take as long as decoding all names. The estimate is usually close, because most segments of a large
        // listing have about the same length.
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

/// Iterator that owns its listing, so that a tree walk can keep one iterator per level.
pub struct Entries<'t> {
    segments: std::vec::IntoIter<(u64, &'t [u8])>,
    records: Records<'t>,
}

impl<'t> IntoIterator for Listing<'t> {
    type Item = Entry<'t>;
    type IntoIter = Entries<'t>;

    fn into_iter(self) -> Entries<'t> {
        Entries { segments: self.segments.into_iter(), records: Records::new(&[]) }
    }
}

impl<'t> Iterator for Entries<'t> {
    type Item = Entry<'t>;

    /// Returns the next entry. After a malformed record, continues with the next segment, as [`Listing::entries`] does.
    fn next(&mut self) -> Option<Entry<'t>> {
        loop {
            if let Some((_, Ok(record))) = self.records.next() {
                return Some(record);
            }
            self.records = Records::new(self.segments.next()?.1);
        }
    }
}
