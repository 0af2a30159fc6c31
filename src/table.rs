//! An append-only table: rows are found by number, never move, and are read without a lock.
//!
//! Knows nothing of what a row is. Invariant: once made, a row stays at its address until the table is dropped.
//!
//! Leaves of `LEAF` rows are made on demand and hang in groups: one leaf in the first, twice as many in each next one. So an
//! empty table costs some hundred bytes, a row of a full one its own size, and a row is three loads away.

use crate::sync::OnceLock;

/// As many as hold 2^32 rows, in leaves of at least two.
const GROUPS: usize = 32;

type Leaf<T, const LEAF: usize> = OnceLock<Box<[T; LEAF]>>;

/// A table of up to 2^32 rows of `T`, each made by `T::default()` when its leaf of `LEAF` rows is first touched.
pub struct Table<T, const LEAF: usize> {
    groups: [OnceLock<Box<[Leaf<T, LEAF>]>>; GROUPS],
}

impl<T: Default, const LEAF: usize> Table<T, LEAF> {
    /// An empty table.
    pub fn new() -> Self {
        Self { groups: [const { OnceLock::new() }; GROUPS] }
    }

    /// Row `index`, made now if it did not exist.
    pub fn make(&self, index: u32) -> &T {
        self.find(index).unwrap_or_else(|| self.grow(index))
    }

    /// Row `index`, if its leaf was made.
    #[inline]
    pub fn find(&self, index: u32) -> Option<&T> {
        let [group, leaf, row] = Self::split(index);
        self.groups[group].get()?.get(leaf)?.get()?.get(row)
    }

    #[cold]
    fn grow(&self, index: u32) -> &T {
        let [group, leaf, row] = Self::split(index);
        let leaves =
            self.groups[group].get_or_init(|| (0..1_usize << group).map(|_| OnceLock::new()).collect());
        let make = || {
            let rows: Box<[T]> = (0..LEAF).map(|_| T::default()).collect();
            rows.try_into().unwrap_or_else(|_| unreachable!("as many were made"))
        };
        &leaves[leaf].get_or_init(make)[row]
    }

    #[inline]
    fn split(index: u32) -> [usize; 3] {
        // Group g begins with leaf 2^g - 1.
        let number = index as usize / LEAF + 1;
        let group = number.ilog2() as usize;
        [group, number - (1 << group), index as usize % LEAF]
    }
}

impl<T: Default, const LEAF: usize> Default for Table<T, LEAF> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::{AtomicU32, Ordering};

    #[test]
    fn rows_are_found_again_at_the_edges_of_every_level() {
        let table = Table::<AtomicU32, 1024>::new();
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
