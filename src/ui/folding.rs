//! Folding of rows that form a tree: the children of a folded row are hidden.
//!
//! Invariant: the visible rows are in the order of the data.

use std::collections::HashSet;

use super::views::{Branch, TableData};

#[derive(Debug, Default)]
pub struct Folding {
    /// Keys of unfolded rows; see [`Branch::key`].
    unfolded: HashSet<u64>,
    /// Index in the data of each visible row; empty if the rows do not form a tree.
    shown: Vec<usize>,
    /// `true` after the first [`Self::update`] with at least one row. That update unfolds the first row if the row's
    /// [`Branch::follows`] is set.
    is_arranged: bool,
}

impl Folding {
    /// Returns the number of visible rows.
    pub fn count(&self) -> usize {
        self.shown.len()
    }

    pub fn is_unfolded(&self, key: u64) -> bool {
        self.unfolded.contains(&key)
    }

    /// Converts the index of a visible row to its index in `data`.
    pub fn number(&self, data: &dyn TableData, row: usize) -> Option<usize> {
        if data.is_tree() { self.shown.get(row).copied() } else { Some(row) }
    }

    /// Converts the index `number` of a row in `data` to the index among the visible rows; `None` if the row is hidden.
    pub fn visible(&self, data: &dyn TableData, number: usize) -> Option<usize> {
        if data.is_tree() { self.shown.binary_search(&number).ok() } else { Some(number) }
    }

    /// Updates the list of visible rows. The rows of `data` must form a tree. `columns` is the width of the screen.
    pub fn update(&mut self, data: &dyn TableData, columns: usize) {
        let rows = data.rows(columns);
        if rows > 0 && !self.is_arranged {
            self.is_arranged = true;
            if data.branch(0).follows {
                self.unfold(data, 0);
            }
        }
        let mut folded = None;
        self.shown.clear();
        for row in 0..rows {
            let branch = data.branch(row);
            if folded.is_none_or(|depth| branch.depth <= depth) {
                let is_folded = branch.key.is_some_and(|key| !self.unfolded.contains(&key));
                folded = is_folded.then_some(branch.depth);
                self.shown.push(row);
            }
        }
    }

    /// Folds or unfolds a row. `key` is its key, and `row` is its index in `data`.
    pub fn toggle(&mut self, data: &dyn TableData, key: u64, row: usize) {
        if !self.unfolded.remove(&key) {
            self.unfold(data, row);
        }
    }

    /// Unfolds a row. Also unfolds its first child if [`Branch::follows`] is set for that child.
    fn unfold(&mut self, data: &dyn TableData, row: usize) {
        let Branch { depth, key: Some(key), .. } = data.branch(row) else { return };
        self.unfolded.insert(key);
        let next = data.branch(row + 1);
        if next.depth > depth && next.follows {
            self.unfold(data, row + 1);
        }
    }
}
