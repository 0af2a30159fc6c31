//! Index for fast access to the entries of a listing in any order.
//!
//! An entry is encoded relative to the previous entry, so decoding must begin at an earlier entry. The index keeps the
//! decoder's state at every entry of a short listing, and at every eighth entry of a long listing. For a long listing,
//! the index takes eight bytes per entry, and a lookup decodes three to four additional entries on average.
//!
//! A listing consists of segments, which are decoded independently. Without an index, every lookup would decode its
//! segment from the start. Reading the entries in sorted order would therefore take time proportional to the square of
//! the segment length.
//!
//! Invariant: for every position, the index returns the same entry as the listing.

use super::encoding::Records;
use super::{Entry, Listing, Position};

/// Maximum number of entries from one stop to the next. A stop is a position at which decoding can resume.
const LONGEST_STRIDE: usize = 8;
/// Divisor for the stride of an index. The stride is the length of the listing in bytes divided by `STEP`, limited to
/// the range from 1 to [`LONGEST_STRIDE`]. The index of a short listing therefore has a stop at every entry.
const STEP: u64 = 1 << 16;

/// Index of a listing: positions at which decoding can resume.
pub struct Index<'t> {
    stops: Vec<Stop<'t>>,
    /// Number of entries from one stop to the next.
    stride: usize,
}

struct Stop<'t> {
    position: Position,
    /// Start of the segment that contains `position`.
    start: Position,
    /// Decoder whose next entry is the one at `position`.
    records: Records<'t>,
}

impl<'t> Index<'t> {
    /// Creates an index of all entries.
    pub fn new(listing: &Listing<'t>) -> Self {
        let stride = usize::try_from(listing.length() / STEP).unwrap_or(LONGEST_STRIDE);
        Self::with_stride(listing, stride.clamp(1, LONGEST_STRIDE))
    }

    fn with_stride(listing: &Listing<'t>, stride: usize) -> Self {
        let mut stops = Vec::new();
        for (start, mut records) in listing.segments() {
            loop {
                let stop = records.clone();
                let Some((at, Ok(_))) = records.next() else { break };
                stops.push(Stop { position: start + at as u64, start, records: stop });
                if records.by_ref().take(stride - 1).any(|(_, record)| record.is_err()) {
                    break;
                }
            }
        }
        Self { stops, stride }
    }

    /// Returns the entry at `position`, if one begins there.
    pub fn record(&self, position: Position) -> Option<Entry<'t>> {
        let after = self.stops.partition_point(|stop| stop.position <= position);
        let stop = self.stops.get(after.checked_sub(1)?)?;
        let mut records =
            stop.records.clone().take(self.stride).map(|(at, record)| (stop.start + at as u64, record));
        records.find(|(at, _)| *at == position)?.1.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::kind::Kind;
    use crate::tree::encoding::Draft;
    use crate::tree::{EntryState, Metadata};

    fn segment(entries: std::ops::Range<u64>) -> Vec<u8> {
        let mut draft = Draft::default();
        for number in entries {
            let name = number.to_string();
            let metadata = Metadata { inode: number * number, apparent: number, ..Metadata::default() };
            let state = if number % 5 == 0 { EntryState::Failed(13) } else { EntryState::Known(metadata) };
            draft.push(&Entry { name: name.as_bytes(), kind: Kind::File, state });
        }
        let (bytes, head) = draft.segment();
        bytes[head..].to_vec()
    }

    #[test]
    fn every_entry_is_found_at_its_position_and_nothing_between() {
        let segments = [segment(0..1), segment(1..30), segment(30..30), segment(30..46)];
        let listing = Listing::from_segments(segments.iter().map(Vec::as_slice));
        let entries: Vec<_> = listing.entries().collect();
        assert_eq!(entries.len(), 46);
        for stride in 1..=LONGEST_STRIDE {
            let index = Index::with_stride(&listing, stride);
            for position in 0..listing.length() + 20 {
                let expected = entries.iter().find(|(at, _)| *at == position).map(|(_, record)| *record);
                assert_eq!(index.record(position), expected, "at {position}");
            }
        }
    }

    #[test]
    fn a_malformed_listing_ends_where_it_is_malformed() {
        let whole = segment(0..20);
        for length in 0..whole.len() {
            let listing = Listing::from_segments([&whole[..length]]);
            for stride in [1, 3, LONGEST_STRIDE] {
                let index = Index::with_stride(&listing, stride);
                for (position, record) in listing.entries() {
                    assert_eq!(index.record(position), Some(record));
                }
            }
        }
    }
}
