//! Commands of the top table view: moving its cursor, sorting, and closing.
//!
//! Invariant: a command that the view does not support only shows a notice.

use super::Context;
use crate::analysis::search;
use crate::analysis::search::{By, Query};
use crate::table::column::Column;
use crate::ui::cursor::Motion;
use crate::ui::keys::Command;
use crate::ui::table_view::TableView;
use crate::ui::views::{LIST, TableSpec};

impl Context<'_> {
    /// Sorts the top view by a column, or reverses the order if the view is already sorted by it.
    pub fn sort_sheet(&mut self, column: Column) {
        let Some(table) = self.sheet().map(|sheet| sheet.table) else { return };
        let by = match column {
            Column::Size => self.by_size(),
            // In the age view, the name column contains times, so the rows are sorted by modification time.
            Column::Name if table.time == Column::Name => By::Modified,
            Column::Name => By::Path,
            Column::Items => By::Items,
            Column::Modified => By::Modified,
            Column::Growth if table.may_sort(column) => self.by_size(),
            // A view without a growth column cannot be sorted by growth.
            Column::Growth => return self.notify_unavailable(Command::Sort(column)),
            _ => return,
        };
        let Some(sheet) = self.views.sheets.last_mut() else { return };
        if !table.may_sort(column) {
            let sorts = sheet.sorts();
            self.notify(sorts);
            return;
        }
        let before = sheet.order();
        let reversed = before.by == by && !before.reversed;
        sheet.sort(search::Order { by, reversed });
    }

    /// Sorts open views by the new measure if they are sorted by size. Called after the user has changed the measure.
    pub fn switch_measure(&mut self) {
        let by = self.by_size();
        for sheet in self.views.sheets.iter_mut().filter(|sheet| sheet.table.has_measure) {
            let before = sheet.order();
            if matches!(before.by, By::Disk | By::Apparent) {
                sheet.sort(search::Order { by, ..before });
            }
        }
    }

    pub fn by_size(&self) -> By {
        self.order.measure.into()
    }

    pub fn step_sheet(&mut self, motion: Motion, lines: usize) {
        if let Some(sheet) = self.views.sheets.last_mut() {
            sheet.step(motion, lines);
        }
    }

    /// Opens a view of the entries that match `query` on top of the current view.
    pub fn show_files(&mut self, label: String, table: &'static TableSpec, query: &Query) {
        let request = self.request(self.views.filter.clone().narrowed_by(query));
        self.views.sheets.push(TableView::new(label, table, request));
    }

    /// Closes the topmost table view or, if none is open, the treemap or the overview. Closing search results also
    /// clears the search. Closing any other view keeps the search, which then filters the list.
    pub fn close_view(&mut self) {
        if self.views.sheets.len() > 1 {
            self.views.sheets.pop();
        } else if self.views.sheets.is_empty() {
            self.show(&LIST);
        } else if self.views.has_results() {
            self.clear_filter();
        } else {
            self.views.sheets.clear();
            self.begin_filter();
        }
    }
}
