//! Commands of the top table view: moving its cursor, sorting, and closing.
//!
//! Invariant: a command that the view does not support only shows a notice.

use super::Context;
use crate::analysis::search;
use crate::analysis::search::{Query, SortBy};
use crate::table::column::Column;
use crate::ui::cursor::Motion;
use crate::ui::keys::Command;
use crate::ui::table_view::TableView;
use crate::ui::views::{LIST, TableSpec};

impl Context<'_> {
    /// Sorts the top view by a column, or reverses the order if the view is already sorted by it.
    pub fn sort_table(&mut self, column: Column) {
        let Some(table) = self.table().map(|view| view.spec) else { return };
        let by = match column {
            Column::Size => self.by_size(),
            // In the age view, the name column contains times, so the rows are sorted by modification time.
            Column::Name if table.time == Column::Name => SortBy::Modified,
            Column::Name => SortBy::Path,
            Column::Items => SortBy::Items,
            Column::Modified => SortBy::Modified,
            Column::Growth if table.can_sort(column) => self.by_size(),
            // A view without a growth column cannot be sorted by growth.
            Column::Growth => return self.notify_unavailable(Command::Sort(column)),
            _ => return,
        };
        let Some(view) = self.views.tables.last_mut() else { return };
        if !table.can_sort(column) {
            let sorts = view.sorts();
            self.notify(sorts);
            return;
        }
        let before = view.order();
        let reversed = before.by == by && !before.reversed;
        view.sort(search::Order { by, reversed });
    }

    /// Sorts open views by the new measure if they are sorted by size. Called after the user has changed the measure.
    pub fn switch_measure(&mut self) {
        let by = self.by_size();
        for view in self.views.tables.iter_mut().filter(|view| view.spec.has_measure) {
            let before = view.order();
            if matches!(before.by, SortBy::Disk | SortBy::Apparent) {
                view.sort(search::Order { by, ..before });
            }
        }
    }

    pub fn by_size(&self) -> SortBy {
        self.order.measure.into()
    }

    pub fn step_table(&mut self, motion: Motion, lines: usize) {
        if let Some(view) = self.views.tables.last_mut() {
            view.step(motion, lines);
        }
    }

    /// Opens a view of the entries that match `query` on top of the current view.
    pub fn show_files(&mut self, label: String, table: &'static TableSpec, query: &Query) {
        let request = self.request(self.views.filter.clone().narrowed_by(query));
        self.views.tables.push(TableView::new(label, table, request));
    }

    /// Closes the topmost table view or, if none is open, the treemap or the overview. If the last open table view
    /// shows search results, closing it also clears the search. Otherwise, the search is kept as a filter of the list.
    pub fn close_view(&mut self) {
        if self.views.tables.len() > 1 {
            self.views.tables.pop();
        } else if self.views.tables.is_empty() {
            self.show(&LIST);
        } else if self.views.has_results() {
            self.clear_filter();
        } else {
            self.views.tables.clear();
            self.begin_filter();
        }
    }
}
