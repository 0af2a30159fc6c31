//! Append-only table whose rows are numbered, never move, and can be read without a lock.
//!
//! Invariant: a row stays at its address until the table is dropped.
//!
//! Rows are stored in leaves of `LEAF` rows. Leaves are allocated on demand and form groups: the first group has one
//! leaf, and each later group has twice as many as the one before. An empty table takes a few hundred bytes, and
//! reading a row takes three loads.

use crate::base::sync::OnceLock;

/// Number of groups, enough for 2^32 rows if a leaf has at least two rows.
const GROUPS: usize = 32;

type Leaf<T, const LEAF: usize> = OnceLock<Box<[T; LEAF]>>;

/// Table of up to 2^32 rows of `T`, stored in leaves of `LEAF` rows. A leaf is created when one of its rows is first
/// used. The rows of a new leaf are `T::default()`, except those that the caller of [`Slots::make_from`] supplies.
pub struct Slots<T, const LEAF: usize> {
    groups: [OnceLock<Box<[Leaf<T, LEAF>]>>; GROUPS],
}

impl<T: Default, const LEAF: usize> Slots<T, LEAF> {
    pub fn new() -> Self {
        Self { groups: [const { OnceLock::new() }; GROUPS] }
    }

    /// Returns row `index`, creating it if necessary.
    pub fn make(&self, index: u32) -> &T {
        self.make_from(index, |_| Vec::new())
    }

    /// Returns row `index`. If the leaf of the row does not exist yet, calls `rows` with the index of the leaf's first
    /// row, and creates the leaf with the rows that `rows` returns. Default rows fill the rest of the leaf.
    pub fn make_from(&self, index: u32, rows: impl FnOnce(u32) -> Vec<T>) -> &T {
        self.find(index).unwrap_or_else(|| self.grow(index, rows))
    }

    /// Returns row `index` if its leaf exists.
    #[inline]
    pub fn find(&self, index: u32) -> Option<&T> {
        let [group, leaf, row] = Self::split(index);
        self.groups[group].get()?.get(leaf)?.get()?.get(row)
    }

    #[cold]
    fn grow(&self, index: u32, rows: impl FnOnce(u32) -> Vec<T>) -> &T {
        let [group, leaf, row] = Self::split(index);
        let leaves =
            self.groups[group].get_or_init(|| (0..1_usize << group).map(|_| OnceLock::new()).collect());
        let make = || {
            let mut rows = rows(index - u32::try_from(index as usize % LEAF).unwrap_or(0));
            rows.resize_with(LEAF, T::default);
            rows.into_boxed_slice()
                .try_into()
                .unwrap_or_else(|_| unreachable!("the vector was resized to this length"))
        };
        &leaves[leaf].get_or_init(make)[row]
    }

    #[inline]
    fn split(index: u32) -> [usize; 3] {
        // Group g starts at leaf 2^g - 1.
        let number = index as usize / LEAF + 1;
        let group = number.ilog2() as usize;
        [group, number - (1 << group), index as usize % LEAF]
    }
}

impl<T: Default, const LEAF: usize> Default for Slots<T, LEAF> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::{AtomicU32, Ordering};

    #[test]
    fn a_leaf_is_filled_once_by_its_first_user() {
        let table = Slots::<AtomicU32, 1024>::new();
        let fill = |first| {
            assert_eq!(first, 2048);
            vec![AtomicU32::new(7), AtomicU32::new(8)]
        };
        let value = |row: &AtomicU32| row.load(Ordering::Relaxed);
        assert_eq!(value(table.make_from(2049, fill)), 8);
        assert_eq!(value(table.make_from(2048, |_| panic!("it is there"))), 7);
        assert_eq!(value(table.make(2050)), 0);
    }

    #[test]
    fn rows_are_found_again_at_the_edges_of_every_level() {
        let table = Slots::<AtomicU32, 1024>::new();
        let edges = [0, 1, 1023, 1024, 3 * 1024 - 1, 3 * 1024, (1 << 21) - 1, 1 << 21, u32::MAX];
        for index in edges {
            assert!(matches!(index, 1 | 1023) || table.find(index).is_none());
            table.make(index).store(index ^ 7, Ordering::Relaxed);
        }
        for index in edges {
            assert_eq!(table.find(index).map(|row| row.load(Ordering::Relaxed)), Some(index ^ 7));
        }
    }
}
