//! Sorts the entries of a listing by a number, then by name.
//!
//! Rows of 16 bytes are first sorted by number. Rows with equal numbers are then sorted by name, eight bytes at a
//! time, so a million files of the same size are sorted as fast as a million files of different sizes. Large
//! listings are read and sorted in parallel.
//!
//! Invariant: the order depends only on numbers and names, so the same entries are always in the same order.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::encoding::Records;
use super::{Entry, Listing, Position};

/// Position of an entry, and the number that determines its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortRow {
    /// Sort key; the largest key comes first.
    pub key: u64,
    /// Position of the entry in its listing.
    pub position: Position,
}

/// Order of entries with equal sort keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Ascending by name, compared byte by byte.
    Ascending,
    /// Natural order: numbers are compared by value, and ASCII case is ignored.
    Natural,
    /// Reverse natural order.
    NaturalReversed,
}

impl Names {
    /// Compares the names of two entries whose sort keys are equal.
    pub fn compare(self, one: &[u8], other: &[u8]) -> Ordering {
        match self {
            Self::Ascending => one.cmp(other),
            Self::Natural => compare_naturally(one, other),
            Self::NaturalReversed => compare_naturally(other, one),
        }
    }
}

/// Minimum number of rows that are sorted in parallel.
const MANY: usize = 1 << 14;
/// Size in bytes of a listing with about [`MANY`] entries.
const MANY_BYTES: u64 = 20 << 14;
/// Maximum number of rows with equal keys that are sorted by comparing whole names.
const FEW: usize = 12;
/// Number of names sampled to find a common prefix.
const SAMPLES: usize = 16;
/// Position that marks an omitted row. No listing is that long.
const LEFT_OUT: Position = Position::MAX;

/// Returns the entries of `listing` sorted by `key`, largest first. An entry without a key is omitted.
pub fn sort<'t>(
    listing: &Listing<'t>,
    names: Names,
    key: impl Fn(&Entry<'t>) -> Option<u64> + Sync,
) -> Vec<SortRow> {
    let mut rows = rows(listing, key);
    sort_rows(&mut rows, |key| !key);
    if rows.len() < MANY {
        rows.chunk_by_mut(same_key).for_each(|equal| sort_by_name(listing, names, equal));
    } else {
        rows.par_chunk_by_mut(same_key).for_each(|equal| sort_by_name(listing, names, equal));
    }
    rows
}

fn same_key(a: &SortRow, b: &SortRow) -> bool {
    a.key == b.key
}

/// Returns a row for each entry of `listing` that has a key, in listing order.
fn rows<'t>(listing: &Listing<'t>, key: impl Fn(&Entry<'t>) -> Option<u64> + Sync) -> Vec<SortRow> {
    if listing.length() < MANY_BYTES {
        let row = |(position, record): (Position, Entry<'t>)| Some(SortRow { key: key(&record)?, position });
        return listing.entries().filter_map(row).collect();
    }
    // The entries are counted first, so that each worker fills its part of a single allocation. Vectors that grow would
    // fragment the memory.
    let segments: Vec<_> = listing.segments().collect();
    let entries = |records: &Records<'t>| records.clone().map_while(|(at, record)| Some((at, record.ok()?)));
    let counts: Vec<usize> = segments.par_iter().map(|(_, records)| entries(records).count()).collect();
    let mut rows = vec![SortRow { key: 0, position: LEFT_OUT }; counts.iter().sum()];
    let mut rest = rows.as_mut_slice();
    let parts: Vec<_> = counts.iter().map_while(|count| rest.split_off_mut(..*count)).collect();
    parts.into_par_iter().zip(segments).for_each(|(part, (start, records))| {
        for (row, (at, record)) in part.iter_mut().zip(entries(&records)) {
            if let Some(key) = key(&record) {
                *row = SortRow { key, position: start + at as u64 };
            }
        }
    });
    rows.retain(|row| row.position != LEFT_OUT);
    rows
}

/// Sorts rows by name. The name decides only among rows with equal sort keys, so all `rows` must have the same
/// `SortRow::key`.
pub fn sort_by_name(listing: &Listing<'_>, names: Names, rows: &mut [SortRow]) {
    if rows.len() <= FEW {
        return sort_few(listing, names, rows);
    }
    let key = rows[0].key;
    // Ranges of rows that are still to be sorted, each with the number of leading bytes known to be equal in its names.
    let mut parts = vec![(0..rows.len(), 0)];
    while let Some((part, agreed)) = parts.pop() {
        let rows = &mut rows[part.clone()];
        if rows.len() <= FEW {
            sort_few(listing, names, rows);
            continue;
        }
        let agreed = number_by_name(listing, names, rows, agreed);
        match names {
            Names::Ascending | Names::Natural => sort_rows(rows, |key| key),
            Names::NaturalReversed => sort_rows(rows, |key| !key),
        }
        let mut start = part.start;
        for equal in rows.chunk_by_mut(same_key) {
            // Names contain no zero bytes. If the last byte of the key is zero, the key contains the end of the name.
            if equal.len() > 1 && equal[0].key & 0xff != 0 {
                parts.push((start..start + equal.len(), agreed + 8));
            } else if equal.len() > 1 && names != Names::Ascending {
                // The names differ only in case or in leading zeros of a number.
                sort_few(listing, names, equal);
            }
            start += equal.len();
        }
    }
    for row in rows {
        row.key = key;
    }
}

fn sort_few(listing: &Listing<'_>, names: Names, rows: &mut [SortRow]) {
    rows.sort_unstable_by(|a, b| {
        names.compare(name(listing, a), name(listing, b)).then(a.position.cmp(&b.position))
    });
}

/// Compares two names in natural order.
pub fn compare_naturally(one: &[u8], other: &[u8]) -> Ordering {
    natural(one).cmp(natural(other)).then_with(|| one.cmp(other))
}

/// Sorts rows by the `rank` of their keys, then by position. Rank and position are combined into a single number, so
/// that rows are compared without a branch.
fn sort_rows(rows: &mut [SortRow], rank: impl Fn(u64) -> u64 + Sync) {
    let number = |row: &SortRow| u128::from(rank(row.key)) << 64 | u128::from(row.position);
    if rows.len() < MANY { rows.sort_unstable_by_key(number) } else { rows.par_sort_unstable_by_key(number) }
}

/// Sets the key of each row to the eight bytes after the common prefix of all names, or of their natural forms (see
/// [`natural`]), and returns the length of this prefix. The first `agreed` bytes are already known to be equal.
///
/// Reading a million names takes as long as sorting them, so each name is usually read only once: the prefix of a
/// sample is assumed to be common to all names, and this is verified while the keys are set.
fn number_by_name(listing: &Listing<'_>, names: Names, rows: &mut [SortRow], agreed: usize) -> usize {
    let Some(first) = rows.first() else { return agreed };
    let first = name(listing, first);
    let some: Vec<SortRow> = rows.iter().step_by(rows.len().div_ceil(SAMPLES)).copied().collect();
    let likely = agreement(listing, names, &some, agreed);
    let number = |row: &mut SortRow, start: usize| {
        let name = name(listing, row);
        row.key = match names {
            Names::Ascending => chunk(name, start),
            Names::Natural | Names::NaturalReversed => natural_chunk(name, start),
        };
        name
    };
    let is_likely = |other: &[u8]| match names {
        Names::Ascending => first.get(agreed..likely) == other.get(agreed..likely),
        Names::Natural | Names::NaturalReversed => {
            let part = |name| natural(name).take(likely).skip(agreed);
            part(first).eq(part(other))
        }
    };
    let try_number = |row: &mut SortRow| is_likely(number(row, likely)).then_some(());
    if rows.par_iter_mut().with_min_len(MANY).try_for_each(try_number).is_some() {
        return likely;
    }
    let agreed = agreement(listing, names, rows, agreed);
    rows.par_iter_mut().with_min_len(MANY).for_each(|row| _ = number(row, agreed));
    agreed
}

/// Returns the length of the common prefix of all names. The first `agreed` bytes are already known to be equal.
fn agreement(listing: &Listing<'_>, names: Names, rows: &[SortRow], agreed: usize) -> usize {
    let Some((first, others)) = rows.split_first() else { return agreed };
    let first = name(listing, first);
    let same = |row: &SortRow| {
        let name = name(listing, row);
        match names {
            Names::Ascending => common(bytes(first, agreed), bytes(name, agreed)),
            Names::Natural | Names::NaturalReversed => {
                common(natural(first).skip(agreed), natural(name).skip(agreed))
            }
        }
    };
    agreed + others.par_iter().with_min_len(MANY).map(same).min().unwrap_or(0)
}

fn common(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

fn bytes(name: &[u8], start: usize) -> impl Iterator<Item = u8> + '_ {
    name.get(start..).unwrap_or_default().iter().copied()
}

/// Returns eight bytes of a name, from `start` on, as a number with the same order. Missing bytes count as zeros.
fn chunk(name: &[u8], start: usize) -> u64 {
    let rest = name.get(start..).unwrap_or_default();
    let mut bytes = [0; 8];
    let length = rest.len().min(8);
    bytes[..length].copy_from_slice(&rest[..length]);
    u64::from_be_bytes(bytes)
}

/// Returns the bytes of the name's natural form. Comparing these bytes yields natural order. Letters are in lower case.
/// A number is encoded as the character `0`, a length byte (the count of digits plus one), and the digits without
/// leading zeros. No byte of the result is zero.
fn natural(name: &[u8]) -> Natural<'_> {
    Natural { rest: name, length: None, digits: 0 }
}

#[derive(Clone)]
struct Natural<'n> {
    rest: &'n [u8],
    /// Length byte to return next, if any: the number of digits that follow, plus one.
    length: Option<u8>,
    /// Number of bytes at the start of `rest` that are digits of the current number.
    digits: usize,
}

impl Iterator for Natural<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if let Some(length) = self.length.take() {
            return Some(length);
        }
        let (&byte, rest) = self.rest.split_first()?;
        if self.digits > 0 {
            self.digits -= 1;
        } else if byte.is_ascii_digit() {
            let zeros = self.rest.iter().take_while(|byte| **byte == b'0').count();
            self.rest = &self.rest[zeros..];
            self.digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            // A number with 255 or more digits gets the same length byte as a number with 254 digits. Such long numbers
            // hardly ever occur, because names on local file systems have at most 255 bytes.
            self.length = Some(u8::try_from(self.digits + 1).unwrap_or(u8::MAX));
            return Some(b'0');
        }
        self.rest = rest;
        Some(byte.to_ascii_lowercase())
    }
}

/// Returns the number that [`chunk`] would return for `start` and the natural form of `name`; see [`natural`].
fn natural_chunk(name: &[u8], start: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(natural(name).skip(start)).for_each(|(byte, next)| *byte = next);
    u64::from_be_bytes(bytes)
}

fn name<'t>(listing: &Listing<'t>, row: &SortRow) -> &'t [u8] {
    listing.name(row.position).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::kind::Kind;
    use crate::tree::encoding::Draft;
    use crate::tree::{EntryState, Metadata};

    fn records(entries: &[(String, u64)]) -> Vec<u8> {
        let mut draft = Draft::default();
        for (name, apparent) in entries {
            let metadata = Metadata { apparent: *apparent, ..Metadata::default() };
            draft.push(&Entry {
                name: name.as_bytes(),
                kind: Kind::File,
                state: EntryState::Known(metadata),
            });
        }
        let (bytes, head) = draft.segment();
        bytes[head..].to_vec()
    }

    fn apparent(record: &Entry<'_>) -> Option<u64> {
        match record.state {
            EntryState::Known(metadata) => Some(metadata.apparent),
            _ => None,
        }
    }

    /// Returns names with common prefixes of many lengths, shuffled with a fixed stride.
    fn entries() -> Vec<(String, u64)> {
        let mut entries = Vec::new();
        for number in (0..4000_usize).map(|step| step * 1237 % 4000) {
            let prefix = "shared prefix of names, ".repeat(number % 4);
            entries.push((format!("{prefix}{number:x}"), (number % 3) as u64));
            entries.push((format!("{prefix}{number:x} longer"), (number % 3) as u64));
        }
        entries
    }

    #[test]
    fn rows_are_sorted_by_key_and_then_by_name() {
        let mut entries = entries();
        let bytes = records(&entries);
        let listing = Listing::from_segments([bytes.as_slice()]);
        let rows = sort(&listing, Names::Ascending, apparent);
        let sorted: Vec<_> = rows
            .iter()
            .map(|row| (String::from_utf8(name(&listing, row).to_vec()).unwrap(), row.key))
            .collect();
        entries.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        assert_eq!(sorted, entries);
    }

    fn natural_names(names: &[&str], order: Names) -> Vec<String> {
        let entries: Vec<_> = names.iter().map(|name| ((*name).to_owned(), 0)).collect();
        let bytes = records(&entries);
        let listing = Listing::from_segments([bytes.as_slice()]);
        let text = |row| String::from_utf8(name(&listing, row).to_vec()).unwrap();
        sort(&listing, order, |_| Some(0)).iter().map(text).collect()
    }

    #[test]
    fn naturally_numbers_count_and_case_does_not() {
        let names =
            ["b10", "B9", "a", "b9", "b09", "b", "B", "img-2-x", "img-10-a", "Z", "7", "07a", "12", "é"];
        let sorted =
            ["7", "07a", "12", "a", "B", "b", "B9", "b09", "b9", "b10", "img-2-x", "img-10-a", "Z", "é"];
        assert_eq!(natural_names(&names, Names::Natural), sorted);
        let mut reversed = natural_names(&names, Names::NaturalReversed);
        reversed.reverse();
        assert_eq!(reversed, sorted);
    }

    #[test]
    fn many_names_have_the_same_natural_order_as_few() {
        let many: Vec<String> = entries().into_iter().map(|(name, _)| name).collect();
        let names: Vec<&str> = many.iter().map(String::as_str).collect();
        let sorted = natural_names(&names, Names::Natural);
        for few in sorted.windows(FEW).step_by(7) {
            let mut shuffled: Vec<&str> = few.iter().map(String::as_str).collect();
            shuffled.reverse();
            assert_eq!(natural_names(&shuffled, Names::Natural), few);
        }
        let mut reversed = natural_names(&names, Names::NaturalReversed);
        reversed.reverse();
        assert_eq!(reversed, sorted);
    }

    #[test]
    fn sorting_with_all_processors_gives_the_same_order() {
        let mut entries: Vec<_> = (0..5_u64)
            .flat_map(|round| {
                entries().into_iter().map(move |(name, key)| (format!("{name}, {round}"), key + round))
            })
            .collect();
        let segments: Vec<_> = entries.chunks(9_999).map(records).collect();
        let listing = Listing::from_segments(segments.iter().map(Vec::as_slice));
        assert!(listing.length() > MANY_BYTES && entries.len() > MANY);
        let rows = sort(&listing, Names::Ascending, |record| apparent(record).filter(|key| *key != 3));
        let sorted: Vec<_> = rows
            .iter()
            .map(|row| (String::from_utf8(name(&listing, row).to_vec()).unwrap(), row.key))
            .collect();
        entries.retain(|(_, key)| *key != 3);
        entries.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        assert!(sorted == entries);
    }

    #[test]
    fn equal_names_and_omitted_entries_are_sorted() {
        let bytes = records(&vec![("same".to_owned(), 1); 100]);
        let listing = Listing::from_segments([bytes.as_slice(), bytes.as_slice()]);
        let rows = sort(&listing, Names::Ascending, |_| Some(0));
        assert_eq!(rows.len(), 200);
        assert!(rows.is_sorted_by_key(|row| row.position));
        assert_eq!(sort(&listing, Names::Ascending, |_| None), []);
    }
}
