//! Sorting of a directory's rows, synchronously or in the background.
//!
//! The rows of a huge directory are sorted in the background: keys work meanwhile, and the old rows are shown
//! until the new ones are ready. If the old rows would be wrong (because a filter was set or removed, or a
//! directory was just entered), no rows are shown until then.
//!
//! Invariant: sorted rows belong to the latest requested directory and order.

use std::time::Duration;

use super::Context;
use crate::base::sync::Arc;
use crate::table::column::Column;
use crate::table::rows::{self, Direction, SizeSource};
use crate::ui::loader::{Loader, Sources};
use crate::ui::notice::Notice;
use crate::ui::view_state::Sorting;

/// Time after an input during which rows keep their order.
const HOLD: Duration = Duration::from_millis(800);

impl Context<'_> {
    /// Returns `true` if rows are being sorted in the background.
    pub fn is_sorting(&self) -> bool {
        self.sorting.is_some()
    }

    /// Sorts by a column, or reverses its order.
    pub fn sort_by(&mut self, column: Column) {
        self.order.direction =
            if self.order.column == column { self.order.direction.other() } else { Direction::Usual };
        self.order.column = column;
        // The sorted column is always shown.
        self.shown.columns = self.shown.columns.with(column, true);
        self.sort();
    }

    /// Returns `true` if rows may be sorted again now because of new entries.
    pub fn may_sort(&self) -> bool {
        let now = self.scan.last.now;
        let is_held = self.pressed.is_some_and(|pressed| now.saturating_sub(pressed) < HOLD);
        let since = now.saturating_sub(self.sorted);
        // A complete directory is sorted once more, however long the previous sort took.
        let is_due = !self.is_scanning() || self.place.rows().may_sort(since);
        (self.place.rows().is_empty() || (is_due && !is_held)) && !self.is_sorting()
    }

    /// Returns the source of directory totals.
    pub fn sizes(&self) -> SizeSource {
        self.views.sizes(&self.live, self.recorded.as_ref())
    }

    /// Sorts the rows immediately, or, in a large directory, in the background.
    pub fn sort(&mut self) {
        let order = self.order_here();
        // Set before sorting, because entries read during the sort make the rows stale.
        self.is_stale = self.is_scanning();
        self.parent_list = None;
        if self.place.is_large(self.tree) {
            let (directory, sizes) = (self.place.id, self.sizes());
            self.sorting = Some(Sorting { rows: Loader::default(), directory, order, sizes });
        } else {
            self.sorting = None;
            let lines = self.lines_here();
            self.place.sort(self.tree, &self.sizes(), order, lines);
            self.sorted = self.scan.last.now;
        }
    }

    /// Drops the shown rows, and sorts again.
    pub fn sort_anew(&mut self) {
        self.place.forget_rows();
        self.sort();
    }

    /// Starts sorting in the background if requested, and takes the result. Returns `true` if there is one.
    pub fn poll_rows(&mut self, sources: &Sources<'_>) -> bool {
        let Some(Sorting { rows, directory, order, sizes }) = &mut self.sorting else { return false };
        let start =
            || rows::in_order(sources.pool, Arc::clone(sources.tree), *directory, *order, sizes.clone());
        if !rows.poll(|| Ok(Some(start()?.into()))) {
            return false;
        }
        if let Some(error) = rows.error().cloned() {
            self.sorting = None;
            self.notify(Notice::JobFailed("Sorting", error));
            return true;
        }
        match rows.value().cloned() {
            // The tree has changed since the sort began.
            Some(rows) if rows.is_of_old(self.tree) => self.sort(),
            Some(rows) => {
                self.sorting = None;
                let lines = self.lines_here();
                self.place.take(self.tree, rows, lines);
                self.sorted = self.scan.last.now;
                self.go_to_expected();
            }
            None => self.sorting = None,
        }
        true
    }
}
