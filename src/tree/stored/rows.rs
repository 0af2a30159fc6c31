//! Rows of the directory table in a file.
//!
//! ```text
//! block = rows of directories with consecutive numbers
//! row   = flags u8
//!         parent varint   (increase over the previous row's parent; in the first row of a block, the parent itself)
//!         disk varint  apparent varint  items varint
//!         DEVICE: device index varint   (without this flag, as in the previous row; in the first row, 0)
//!         ERRORS: errors varint   ERRNO: errno varint   SHARED: shared varint
//! flags = PARTIAL 1  DEVICE 2  ERRORS 4  ERRNO 8  SHARED 16
//! ```
//!
//! Invariant: any bytes decode to rows or an error. In decoded rows, each parent has a smaller number than its
//! children; only the top is its own parent.

use crate::tree::Totals;
use crate::tree::varint::{ByteReader, Malformed, write_varint};

const PARTIAL: u8 = 1;
const DEVICE: u8 = 2;
const ERRORS: u8 = 4;
const ERRNO: u8 = 8;
const SHARED: u8 = 16;
const KNOWN: u8 = PARTIAL | DEVICE | ERRORS | ERRNO | SHARED;

/// Length in bytes of the shortest possible row.
pub const LEAST: u64 = 5;

/// Data stored for a directory besides its listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// ID of the parent directory. [`DirId::TOP`](crate::tree::DirId::TOP) is its own parent.
    pub parent: u32,
    /// Totals of the directory and everything below it.
    pub totals: Totals,
    /// Index of the directory's device in the tree's list of devices.
    pub device: u32,
    /// `true` if the totals are lower bounds; see [`crate::tree::Status::partial`].
    pub is_partial: bool,
    /// Error number if the directory could not be read, otherwise 0.
    pub errno: i32,
    /// Disk usage shared between entries; see [`crate::tree::Tree::shared`].
    pub shared: u64,
}

/// Block of rows that is being written.
#[derive(Debug, Default)]
pub struct RowsDraft {
    bytes: Vec<u8>,
    count: u32,
    parent: u32,
    device: u32,
}

impl RowsDraft {
    /// Adds the row of the next directory. Directories are added in the order of their numbers.
    pub fn push(&mut self, row: &Row) {
        let flag = |flag, is_set: bool| if is_set { flag } else { 0 };
        let errors = u64::from(row.totals.errors);
        self.bytes.push(
            flag(PARTIAL, row.is_partial)
                | flag(DEVICE, row.device != self.device)
                | flag(ERRORS, errors != 0)
                | flag(ERRNO, row.errno != 0)
                | flag(SHARED, row.shared != 0),
        );
        let parent = row
            .parent
            .checked_sub(self.parent)
            .expect("rows are added in the order of their parents' numbers");
        let always = [u64::from(parent), row.totals.disk, row.totals.apparent, row.totals.items];
        let device = (row.device != self.device).then_some(u64::from(row.device));
        let sometimes = [errors, u64::from(row.errno.unsigned_abs()), row.shared];
        let sometimes = sometimes.into_iter().filter(|number| *number != 0);
        for number in always.into_iter().chain(device).chain(sometimes) {
            write_varint(&mut self.bytes, number);
        }
        (self.parent, self.device, self.count) = (row.parent, row.device, self.count + 1);
    }

    /// Returns the number of rows in the block.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the bytes of the block and starts the next one.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self).bytes
    }
}

/// Decodes a block of `count` rows. The first row belongs to directory `first`.
///
/// # Errors
/// Returns the position of the first malformed row, or of the first extra byte after the last row.
pub fn decode(bytes: &[u8], first: u32, count: u32) -> Result<Vec<Row>, usize> {
    let mut cursor = ByteReader::new(bytes);
    let mut before = Row::default();
    let mut rows = Vec::with_capacity(count as usize);
    for id in first..first + count {
        let start = bytes.len() - cursor.rest().len();
        before = row(&mut cursor, id, &before).map_err(|Malformed| start)?;
        rows.push(before);
    }
    if cursor.rest().is_empty() { Ok(rows) } else { Err(bytes.len() - cursor.rest().len()) }
}

fn row(cursor: &mut ByteReader<'_>, id: u32, before: &Row) -> Result<Row, Malformed> {
    let flags = cursor.byte()?;
    let parent = before.parent.checked_add(cursor.narrow()?).ok_or(Malformed)?;
    if flags & !KNOWN != 0 || parent >= id.max(1) {
        return Err(Malformed);
    }
    let mut totals =
        Totals { disk: cursor.varint()?, apparent: cursor.varint()?, items: cursor.varint()?, errors: 0 };
    let device = if flags & DEVICE == 0 { before.device } else { cursor.narrow()? };
    if flags & ERRORS != 0 {
        totals.errors = cursor.narrow()?;
    }
    let errno = if flags & ERRNO == 0 { 0 } else { cursor.errno()? };
    let shared = if flags & SHARED == 0 { 0 } else { cursor.varint()? };
    Ok(Row { parent, totals, device, is_partial: flags & PARTIAL != 0, errno, shared })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::cases;
    use proptest::prelude::*;

    type Numbers = ([u64; 4], [u32; 3], bool, i32, u32);

    fn any_rows() -> impl Strategy<Value = Vec<Row>> {
        let numbers = (any::<[u64; 4]>(), any::<[u32; 3]>(), any::<bool>(), 0..=i32::MAX, 0..64_u32);
        proptest::collection::vec(numbers, 1..200).prop_map(|rows| {
            let mut parent = 0;
            let row = |(id, numbers): (u32, Numbers)| {
                let ([disk, apparent, items, shared], [errors, device, rare], is_partial, errno, step) =
                    numbers;
                parent = (parent + step).min(id.saturating_sub(1));
                let (errors, shared) = if rare % 3 == 0 { (errors, shared) } else { (0, 0) };
                let errno = if errors % 2 == 0 { errno } else { 0 };
                let totals = Totals { disk, apparent, items, errors };
                Row { parent, totals, device: device % 3, is_partial, errno, shared }
            };
            (0..).zip(rows).map(row).collect()
        })
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn rows_are_read_back_unchanged(rows in any_rows()) {
            let mut draft = RowsDraft::default();
            for row in &rows {
                draft.push(row);
            }
            let (count, bytes) = (draft.count(), draft.take());
            prop_assert_eq!(decode(&bytes, 0, count), Ok(rows));
            prop_assert_eq!(decode(&bytes, 0, count + 1), Err(bytes.len()));
            for end in 0..bytes.len().min(40) {
                prop_assert!(decode(&bytes[..end], 0, count).is_err());
            }
        }

        #[test]
        fn any_bytes_give_rows_without_cycles(bytes in proptest::collection::vec(0..20_u8, 0..400), first in 0..3_u32) {
            if let Ok(rows) = decode(&bytes, first, 8) {
                for (id, row) in (first..).zip(&rows) {
                    prop_assert!(row.parent < id || row.parent == 0);
                }
            }
        }
    }
}
