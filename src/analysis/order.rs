//! Order of rows: by a numeric key of each entry, or by path.
//!
//! A numeric key is computed when the entry is visited, so sorting by the key does not read the tree. Sorting
//! by path reads names from the tree, one directory at a time. If there are too many rows to keep, those with
//! the largest disk usage are kept and then sorted by path.
//!
//! Invariant: an entry without metadata has the key 0. In an order by key, such entries come last, even if the order is
//! reversed.

use crate::base::format::Measure;
use crate::tree::{Entry, EntryState, Totals};

/// Sort key of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortBy {
    /// Disk usage, largest first.
    #[default]
    Disk,
    /// Apparent size, largest first.
    Apparent,
    /// Modification time, newest first.
    Modified,
    /// Number of items, largest first: the items below an entry, or the items that a row combines.
    Items,
    /// Path of the directory, then name. Numbers within names are compared by value.
    Path,
}

impl From<Measure> for SortBy {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Disk => Self::Disk,
            Measure::Apparent => Self::Apparent,
        }
    }
}

/// Sort order of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    pub by: SortBy,
    pub reversed: bool,
}

impl Order {
    pub(crate) fn is_by_path(self) -> bool {
        self.by == SortBy::Path
    }

    /// Returns the sort key of an entry with these totals. The largest key sorts first.
    pub(crate) fn key(self, entry: &Entry<'_>, totals: Totals) -> u64 {
        let EntryState::Known(metadata) = entry.state else { return 0 };
        let number = match self.by {
            SortBy::Disk => totals.disk,
            SortBy::Apparent => totals.apparent,
            SortBy::Items => totals.items,
            // Maps signed times to unsigned numbers that sort in the same order.
            SortBy::Modified => metadata.mtime.cast_unsigned() ^ 1 << 63,
            SortBy::Path => return totals.disk,
        };
        self.directed(number)
    }

    /// Returns a sort key of at least 1; the largest key sorts first. `u64::MAX - 1` and `u64::MAX` have the same key.
    pub(crate) fn directed(self, number: u64) -> u64 {
        let number = number.min(u64::MAX - 1);
        if self.reversed { u64::MAX - number } else { number + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Order, SortBy};

    #[test]
    fn the_keys_of_different_numbers_differ_in_both_directions() {
        let numbers = [0, 1, 2, 1 << 63, u64::MAX - 1];
        for reversed in [false, true] {
            let order = Order { by: SortBy::Disk, reversed };
            let mut keys = numbers.map(|number| order.directed(number));
            if reversed {
                keys.reverse();
            }
            assert!(keys.is_sorted_by(|one, next| one < next) && keys[0] >= 1, "{keys:?}");
        }
    }
}
