//! Entries of a listing in the order a person or a script wants them: by a number, then by name.
//!
//! Sorting moves 16 bytes an entry, on all processors when there are many, and compares numbers only. Names take part eight bytes at a time, and only among
//! entries whose numbers are equal, so that a million files of the same size are sorted as fast as any other million.
//!
//! Knows no columns. Invariant: the order depends on nothing but numbers and names; the same entries always come the same way.

use std::cmp::{Ordering, Reverse};

use rayon::prelude::*;

use super::{Listing, Position, Record};

/// An entry of a listing, with the number it is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Larger ones come first.
    pub key: u64,
    /// Where the entry is in its listing.
    pub position: Position,
}

/// How entries with equal numbers follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// By the bytes of their names.
    Ascending,
    /// As a person counts: numbers by what they are worth, letters of either case together.
    Natural,
    /// That the other way round.
    NaturalReversed,
}

/// From so many rows on, it is worth waking other processors.
const MANY: usize = 1 << 14;
/// Up to so many equal numbers are sorted by comparing whole names.
const FEW: usize = 24;

/// The entries of `listing` in order of their keys, the largest first; `key` says `None` to leave one out.
pub fn sort<'t>(
    listing: &Listing<'t>,
    names: Names,
    mut key: impl FnMut(&Record<'t>) -> Option<u64>,
) -> Vec<Row> {
    let row = |(position, record): (Position, Record<'t>)| Some(Row { key: key(&record)?, position });
    let mut rows: Vec<Row> = listing.entries().filter_map(row).collect();
    sort_rows(&mut rows, |row| (Reverse(row.key), row.position));
    for equal in rows.chunk_by_mut(|a, b| a.key == b.key) {
        sort_by_name(listing, names, equal);
    }
    rows
}

/// Sorts rows of one key by name.
pub fn sort_by_name(listing: &Listing<'_>, names: Names, rows: &mut [Row]) {
    let Some(key) = rows.first().map(|row| row.key) else { return };
    // Parts still to be sorted, with the number of bytes in which their names are known to agree.
    let mut parts = vec![(0..rows.len(), 0)];
    while let Some((part, agreed)) = parts.pop() {
        let rows = &mut rows[part.clone()];
        if rows.len() <= FEW {
            sort_few(listing, names, rows);
            continue;
        }
        let agreed = if names == Names::Ascending { agreement(listing, rows, agreed) } else { agreed };
        rows.par_iter_mut().with_min_len(MANY).for_each(|row| {
            let name = name(listing, row);
            row.key = match names {
                Names::Ascending => chunk(name, agreed),
                Names::Natural | Names::NaturalReversed => natural_chunk(name, agreed),
            };
        });
        match names {
            Names::Ascending | Names::Natural => sort_rows(rows, |row| (row.key, row.position)),
            Names::NaturalReversed => sort_rows(rows, |row| (Reverse(row.key), row.position)),
        }
        let mut start = part.start;
        for equal in rows.chunk_by_mut(|a, b| a.key == b.key) {
            // A chunk that ends in zero is the end of the name.
            if equal.len() > 1 && equal[0].key & 0xff != 0 {
                parts.push((start..start + equal.len(), agreed + 8));
            } else if equal.len() > 1 && names != Names::Ascending {
                // They differ in the case of letters, or in zeros before a number.
                sort_few(listing, names, equal);
            }
            start += equal.len();
        }
    }
    for row in rows {
        row.key = key;
    }
}

fn sort_few(listing: &Listing<'_>, names: Names, rows: &mut [Row]) {
    rows.sort_unstable_by(|a, b| {
        let (one, other) = (name(listing, a), name(listing, b));
        let order = match names {
            Names::Ascending => one.cmp(other),
            Names::Natural => compare_naturally(one, other),
            Names::NaturalReversed => compare_naturally(other, one),
        };
        order.then(a.position.cmp(&b.position))
    });
}

/// How two names follow each other as a person counts.
pub fn compare_naturally(one: &[u8], other: &[u8]) -> Ordering {
    natural(one).cmp(natural(other)).then_with(|| one.cmp(other))
}

/// Sorts rows by numbers.
fn sort_rows<K: Ord>(rows: &mut [Row], key: impl Fn(&Row) -> K + Sync) {
    if rows.len() < MANY { rows.sort_unstable_by_key(key) } else { rows.par_sort_unstable_by_key(key) }
}

/// In how many leading bytes, at least `agreed`, the names of all rows agree.
fn agreement(listing: &Listing<'_>, rows: &[Row], agreed: usize) -> usize {
    let Some((first, others)) = rows.split_first() else { return agreed };
    let first = name(listing, first).get(agreed..).unwrap_or_default();
    let same = |row: &Row| {
        let rest = name(listing, row).get(agreed..).unwrap_or_default();
        first.iter().zip(rest).take_while(|(a, b)| a == b).count()
    };
    agreed + others.par_iter().with_min_len(MANY).map(same).min().unwrap_or(first.len())
}

/// Eight bytes of a name from `start` on as a number that sorts like them; zeros stand behind the end.
fn chunk(name: &[u8], start: usize) -> u64 {
    let rest = name.get(start..).unwrap_or_default();
    let mut bytes = [0; 8];
    let length = rest.len().min(8);
    bytes[..length].copy_from_slice(&rest[..length]);
    u64::from_be_bytes(bytes)
}

/// Bytes that sort as a person sorts the name: small letters, and each number as a `0`, how many digits it has, and those
/// without leading zeros. None of them is zero.
fn natural(name: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let runs = name.chunk_by(|a, b| a.is_ascii_digit() && b.is_ascii_digit());
    runs.flat_map(|run| {
        let digits = if run[0].is_ascii_digit() { run } else { &[] };
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        let digits = &digits[zeros..];
        // No name has more than 255 bytes.
        let length = u8::try_from(digits.len() + 1).unwrap_or(u8::MAX);
        let head = if run[0].is_ascii_digit() { [b'0', length] } else { [run[0].to_ascii_lowercase(), 0] };
        head.into_iter().filter(|byte| *byte != 0).chain(digits.iter().copied())
    })
}

/// As [`chunk`], of the natural bytes.
fn natural_chunk(name: &[u8], start: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(natural(name).skip(start)).for_each(|(byte, next)| *byte = next);
    u64::from_be_bytes(bytes)
}

fn name<'t>(listing: &Listing<'t>, row: &Row) -> &'t [u8] {
    listing.name(row.position).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;
    use crate::tree::listing::Draft;
    use crate::tree::{Content, Facts};

    fn records(entries: &[(String, u64)]) -> Vec<u8> {
        let mut draft = Draft::default();
        for (name, apparent) in entries {
            let facts = Facts { apparent: *apparent, ..Facts::default() };
            draft.push(&Record { name: name.as_bytes(), kind: Kind::File, content: Content::Known(facts) });
        }
        let (bytes, head) = draft.segment();
        bytes[head..].to_vec()
    }

    fn apparent(record: &Record<'_>) -> Option<u64> {
        match record.content {
            Content::Known(facts) => Some(facts.apparent),
            _ => None,
        }
    }

    /// Names that share prefixes of many lengths, shuffled by a fixed stride.
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
    fn rows_come_by_key_and_then_by_name() {
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
    fn many_names_come_in_the_same_natural_order_as_few() {
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
    fn equal_names_and_left_out_entries_are_no_trouble() {
        let bytes = records(&vec![("same".to_owned(), 1); 100]);
        let listing = Listing::from_segments([bytes.as_slice(), bytes.as_slice()]);
        let rows = sort(&listing, Names::Ascending, |_| Some(0));
        assert_eq!(rows.len(), 200);
        assert!(rows.is_sorted_by_key(|row| row.position));
        assert_eq!(sort(&listing, Names::Ascending, |_| None), []);
    }
}
