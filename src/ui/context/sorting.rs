//! Sorting of a directory's rows, synchronously or in the background.
//!
//! The rows of a large directory are sorted in the background, so that keys keep working. Until the new rows
//! are ready, the old rows are shown. If a filter was set or cleared, or a directory was just entered, the old
//! rows would be wrong, so no rows are shown.
//!
//! In a snapshot, a large directory first shows only its largest entries. The other entries are loaded when the user
//! scrolls down to them, or when a command needs them.
//!
//! During a scan, the list also shows entries that only the previous scan has found. If there are many such entries,
//! only the largest are shown at first. The others are added after some time, or when the user scrolls to the end.
//!
//! Invariant: the result of a sort is used only if it is for the directory and order that were requested last.

use std::time::Duration;

use super::Context;
use crate::base::sync::Arc;
use crate::table::column::Column;
use crate::table::rows::{self, Direction, MERGE_FACTOR, SizeSource};
use crate::ui::cursor::Motion;
use crate::ui::loader::{Loader, Sources};
use crate::ui::notice::Notice;
use crate::ui::sentences::FailedJob;
use crate::ui::view_state::Sorting;

/// Time after an input during which new entries do not reorder the rows.
const HOLD: Duration = Duration::from_millis(800);

impl Context<'_> {
    pub fn is_sorting(&self) -> bool {
        self.sorting.is_some()
    }

    /// Sorts by a column, or reverses the order if the rows are already sorted by it.
    pub fn sort_by(&mut self, column: Column) {
        self.order.direction =
            if self.order.column == column { self.order.direction.other() } else { Direction::Usual };
        self.order.column = column;
        // Sorting by a hidden column shows that column.
        self.shown.columns = self.shown.columns.with(column, true);
        self.sort();
    }

    /// Returns `true` if the rows may be sorted now to include new entries. This requires that no other sort is
    /// running. If there are rows, enough time must also have passed since the last input (`HOLD`) and, during a scan,
    /// since the last sort.
    pub fn can_sort(&self) -> bool {
        let now = self.scan.last.now;
        let is_held = self.pressed.is_some_and(|pressed| now.saturating_sub(pressed) < HOLD);
        let since = now.saturating_sub(self.sorted);
        // At the end of the scan, rows are sorted once more, even if the previous sort took a long time.
        let is_due = !self.is_scanning() || self.location.rows().can_sort(since);
        (self.location.rows().is_empty() || (is_due && !is_held)) && !self.is_sorting()
    }

    /// Returns the source of the directory totals on the screen.
    pub fn sizes(&self) -> SizeSource {
        self.views.sizes(&self.live, self.recorded.as_ref())
    }

    /// Sorts the rows, in the background if the directory is large.
    pub fn sort(&mut self) {
        let order = self.order_here();
        // During a scan, the order is outdated at once, because entries may be read during the sort.
        self.is_stale = self.is_scanning();
        self.parent_list = None;
        let (mut sizes, lines) = (self.sizes(), self.lines_here());
        if self.location.sort_head(self.tree, &sizes, order, lines) {
            self.sorting = None;
            self.sorted = self.scan.last.now;
            return;
        }
        let directory = self.location.id;
        let long = sizes.recorded.as_ref().filter(|recorded| recorded.is_large(directory));
        let is_long = long.is_some();
        // Merging a long listing of the previous scan slows the running scan down. Early in the scan, only the largest
        // entries of that listing are therefore merged, unless the user has scrolled to the end of the list.
        let is_early = long.is_some_and(|recorded| {
            self.scan.last.elapsed < recorded.merge_time(directory).saturating_mul(MERGE_FACTOR)
        });
        sizes.has_heads_only = is_early && self.scrolled_through != Some(directory);
        if sizes.has_heads_only {
            sizes.recorded = sizes.recorded.filter(|recorded| recorded.has_head(directory));
        }
        if self.location.is_large(self.tree) || is_long && !sizes.has_heads_only {
            self.sorting = Some(Sorting { rows: Loader::default(), directory, order, sizes });
        } else {
            self.sorting = None;
            self.location.sort(self.tree, &sizes, order, lines);
            self.sorted = self.scan.last.now;
        }
    }

    /// Loads the entries of the shown directory that have not been loaded, and sorts all rows.
    pub fn load_rows(&mut self) {
        if self.location.rows().unloaded() > 0 {
            let (order, sizes, lines) = (self.order_here(), self.sizes(), self.lines_here());
            self.sorting = None;
            self.location.sort(self.tree, &sizes, order, lines);
        }
    }

    /// Moves the list cursor. If the loaded rows from the new cursor position on would not fill a screen, first loads
    /// all rows. If the cursor would reach the last row, and only the largest recorded entries have been merged, starts
    /// to merge all of them.
    pub fn step(&mut self, motion: Motion) {
        let lines = self.lines_here();
        if self.location.lacks_rows_for(motion, lines) {
            self.load_rows();
        } else if self.location.lacks_recorded_for(motion, lines) && !self.is_sorting() {
            self.scrolled_through = Some(self.location.id);
            self.sort();
        }
        self.location.step(motion, lines);
        self.pin();
    }

    pub fn sort_anew(&mut self) {
        self.location.forget_rows();
        self.sort();
    }

    /// Starts the background sort if one was requested, and collects its result. Returns `true` if there is a result.
    pub fn poll_rows(&mut self, sources: &Sources<'_>) -> bool {
        let Some(Sorting { rows, directory, order, sizes }) = &mut self.sorting else { return false };
        let start =
            || rows::in_order(sources.pool, Arc::clone(sources.tree), *directory, *order, sizes.clone());
        if !rows.poll(|| Ok(Some(start()?.into()))) {
            return false;
        }
        if let Some(error) = rows.error().cloned() {
            self.sorting = None;
            self.notify(Notice::JobFailed(FailedJob::Sort, error));
            return true;
        }
        match rows.value().cloned() {
            // The sorted rows are outdated, because entries were rescanned or deleted after the sort began.
            Some(rows) if rows.is_outdated(self.tree) => self.sort(),
            Some(rows) => {
                self.sorting = None;
                let lines = self.lines_here();
                self.location.take(self.tree, rows, lines);
                self.sorted = self.scan.last.now;
                self.go_to_expected();
            }
            None => self.sorting = None,
        }
        true
    }
}
