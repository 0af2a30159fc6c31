//! Entries of a listing in the order a person or a script wants them: by a number, then by name.
//!
//! Sorting moves 16 bytes an entry, on all processors when there are many, and compares numbers only. Names take part eight bytes at a time, and only among
//! entries whose numbers are equal, so that a million files of the same size are sorted as fast as any other million.
//!
//! Knows no columns. Invariant: the order depends on nothing but numbers and names; the same entries always come the same way.

use std::cmp::Reverse;

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
    /// The other way round.
    Descending,
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
fn sort_by_name(listing: &Listing<'_>, names: Names, rows: &mut [Row]) {
    let Some(key) = rows.first().map(|row| row.key) else { return };
    // Parts still to be sorted, with the number of bytes in which their names are known to agree.
    let mut parts = vec![(0..rows.len(), 0)];
    while let Some((part, agreed)) = parts.pop() {
        let rows = &mut rows[part.clone()];
        if rows.len() <= FEW {
            sort_few(listing, names, rows);
            continue;
        }
        let agreed = agreement(listing, rows, agreed);
        rows.par_iter_mut().with_min_len(MANY).for_each(|row| row.key = chunk(name(listing, row), agreed));
        match names {
            Names::Ascending => sort_rows(rows, |row| (row.key, row.position)),
            Names::Descending => sort_rows(rows, |row| (Reverse(row.key), row.position)),
        }
        let mut start = part.start;
        for equal in rows.chunk_by(|a, b| a.key == b.key) {
            // A chunk that ends in zero is the end of the name: the same name more than once.
            if equal.len() > 1 && equal[0].key & 0xff != 0 {
                parts.push((start..start + equal.len(), agreed + 8));
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
        let order = name(listing, a).cmp(name(listing, b));
        let order = if names == Names::Ascending { order } else { order.reverse() };
        order.then(a.position.cmp(&b.position))
    });
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

    #[test]
    fn names_can_come_the_other_way_round() {
        let bytes = records(&entries());
        let listing = Listing::from_segments([bytes.as_slice()]);
        let ascending = sort(&listing, Names::Ascending, |_| Some(0));
        let mut descending = sort(&listing, Names::Descending, |_| Some(0));
        descending.reverse();
        assert_eq!(ascending, descending);
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
