//! When the rows of a directory are put in order, and where.
//!
//! Few rows are sorted at once. Those of a huge directory take a while, so that is done beside the screen: what was shown stays
//! until the new rows are there, and keys are answered meanwhile. Where what was shown would be wrong (with a filter put on or
//! taken off, and in a directory just entered) nothing is shown until then.
//!
//! Invariant: rows that come are those of the directory and the order asked for last.

use std::time::Duration;

use super::App;
use super::filtering::{Filtering, sums};
use crate::rows::{Beside, Column, Direction};
use crate::ui::work::{Ask, Findings, Wish};

/// How long rows keep their order after a key.
const HOLD: Duration = Duration::from_millis(800);

impl App<'_> {
    /// Whether the rows are being put in order.
    pub fn is_sorting(&self) -> bool {
        self.sorting.is_some()
    }

    /// Sorts by a column, or the other way round if it is that one already.
    pub(super) fn sort_by(&mut self, column: Column) {
        self.order.direction =
            if self.order.column == column { self.order.direction.other() } else { Direction::Usual };
        self.order.column = column;
        self.shown.show(column);
        self.sort();
    }

    /// Whether it is time to put the rows in order because of what was read meanwhile.
    pub(super) fn may_sort(&self) -> bool {
        let now = self.scan.last.now;
        let is_held = self.pressed.is_some_and(|pressed| now.saturating_sub(pressed) < HOLD);
        let since = now.saturating_sub(self.sorted);
        // What is complete is sorted for the last time, however long the time before took.
        let is_due = !self.is_scanning() || self.place.rows().may_sort(since);
        (self.place.rows().is_empty() || (is_due && !is_held)) && !self.is_sorting()
    }

    /// Puts the rows in order, now or soon.
    pub(super) fn sort(&mut self) {
        let order = self.order_here();
        // As of now, not of when the rows will be there: what is read meanwhile makes them stale.
        self.is_stale = self.is_scanning();
        if self.place.is_large(self.tree) {
            let filtered = self.views.filtering.as_ref().map(Filtering::filtered).cloned();
            // As in `sums`: what a filter leaves cannot be compared.
            let growth = self.views.compared.growth().filter(|_| filtered.is_none()).cloned();
            let wish = self.wish(Ask::Rows(order), crate::search::Query::default());
            self.sorting = Some(Wish { beside: Beside { filtered, growth }, ..wish });
        } else {
            self.sorting = None;
            let lines = self.lines_here();
            self.place.sort(self.tree, sums(&self.live, &self.views), order, lines);
            self.sorted = self.scan.last.now;
        }
    }

    /// Puts other rows in the place of those that are shown.
    pub(super) fn sort_anew(&mut self) {
        self.place.forget_rows();
        self.sort();
    }

    /// Takes rows that were put in order beside the screen.
    pub(super) fn take_rows(&mut self, number: u64, findings: &Findings) {
        if self.sorting.as_ref().is_none_or(|wish| wish.number != number) {
            return;
        }
        match findings {
            // Something was deleted or read again since.
            Findings::Rows(rows) if rows.is_of_old(self.tree) => self.sort(),
            Findings::Rows(rows) => {
                self.sorting = None;
                let lines = self.lines_here();
                self.place.take(self.tree, rows.clone(), lines);
                self.sorted = self.scan.last.now;
                self.go_to_expected();
            }
            Findings::Failed(reason) => {
                self.sorting = None;
                self.say(reason.clone());
            }
            _ => {}
        }
    }
}
