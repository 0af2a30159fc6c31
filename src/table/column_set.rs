//! Sets of table columns.

use crate::table::column::Column;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet(u16);

impl ColumnSet {
    pub const fn of(columns: &[Column]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < columns.len() {
            bits |= 1 << columns[at] as u16;
            at += 1;
        }
        Self(bits)
    }

    pub fn has(self, column: Column) -> bool {
        self.0 & 1 << column as u16 != 0
    }

    /// Returns the set with `column` added or removed.
    #[must_use]
    pub fn with(self, column: Column, is_in: bool) -> Self {
        let bit = 1 << column as u16;
        Self(if is_in { self.0 | bit } else { self.0 & !bit })
    }

    pub fn toggle(&mut self, column: Column) {
        *self = self.with(column, !self.has(column));
    }

    /// Returns the columns that are in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the columns that are in either set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Switches to the next choice of share columns, in this order: percentage and bar, bar, percentage, neither.
    pub fn next_graph(&mut self) {
        let (bar, percent) = match (self.has(Column::Bar), self.has(Column::Percent)) {
            (true, true) => (true, false),
            (true, false) => (false, true),
            (false, true) => (false, false),
            (false, false) => (true, true),
        };
        *self = self.with(Column::Bar, bar).with(Column::Percent, percent);
    }
}
