//! An append-only table: rows are found by number, never move, and are read without a lock.
//!
//! Knows nothing of what a row is. Invariant: once made, a row stays at its address until the table is dropped.
//!
//! The shape is a fixed three-level tree (spine, branch, leaf) made on demand, so that an empty table costs a few
//! KiB and a row of a full one costs exactly its own size.

use crate::sync::OnceLock;

/// Rows in a leaf. With 64-byte rows a leaf is 64 KiB, so the unused end of the last one does not matter.
pub const LEAF: usize = 1 << 10;
const BRANCH: usize = 1 << 11;
const SPINE: usize = 1 << 11;

type Leaf<T> = Box<[T]>;
type Branch<T> = Box<[OnceLock<Leaf<T>>]>;

/// A table of up to 2^32 rows of `T`, each made by `T::default()` when its leaf is first touched.
pub struct Table<T> {
    spine: Box<[OnceLock<Branch<T>>]>,
}

impl<T: Default> Table<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self { spine: empty(SPINE) }
    }

    /// Row `index`, made now if it did not exist.
    pub fn make(&self, index: u32) -> &T {
        self.make_from(index, |_| Vec::new())
    }

    /// Row `index`; if its leaf was never touched, `rows` gives those of the leaf, from the number it is told on. The leaf
    /// is filled up with default rows.
    pub fn make_from(&self, index: u32, rows: impl FnOnce(u32) -> Vec<T>) -> &T {
        let [spine, branch, leaf] = split(index);
        let branches = self.spine[spine].get_or_init(|| empty(BRANCH));
        let rows = branches[branch].get_or_init(|| {
            let mut rows = rows(index - index % LEAF as u32);
            rows.resize_with(LEAF, T::default);
            rows.into_boxed_slice()
        });
        &rows[leaf]
    }

    /// Row `index`, if its leaf was made.
    pub fn find(&self, index: u32) -> Option<&T> {
        let [spine, branch, leaf] = split(index);
        self.spine[spine].get()?[branch].get()?.get(leaf)
    }
}

impl<T: Default> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

fn empty<T>(count: usize) -> Box<[OnceLock<T>]> {
    (0..count).map(|_| OnceLock::new()).collect()
}

fn split(index: u32) -> [usize; 3] {
    let index = index as usize;
    [index / (LEAF * BRANCH), index / LEAF % BRANCH, index % LEAF]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::{AtomicU32, Ordering};

    #[test]
    fn a_leaf_is_filled_once_and_by_whom_it_concerns() {
        let table = Table::<AtomicU32>::new();
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
        let table = Table::<AtomicU32>::new();
        let edges = [0, 1, 1023, 1024, (1 << 21) - 1, 1 << 21, u32::MAX];
        for index in edges {
            assert!(index == 1 || index == 1023 || table.find(index).is_none());
            table.make(index).store(index ^ 7, Ordering::Relaxed);
        }
        for index in edges {
            assert_eq!(table.find(index).map(|row| row.load(Ordering::Relaxed)), Some(index ^ 7));
        }
    }
}
