//! Commands of the top sheet: its cursor, its order, and the way back.
//!
//! Invariant: a command that a sheet does not support causes a notice.

use super::{App, Effect};
use crate::analysis::search;
use crate::analysis::search::{By, Query};
use crate::table::column::Column;
use crate::ui::cursor::Motion;
use crate::ui::keys::Command;
use crate::ui::layout::layout;
use crate::ui::sheet::Sheet;
use crate::ui::views::{LIST, TableSpec};

impl App<'_> {
    /// Performs a command on a sheet.
    pub(super) fn sheet_command(&mut self, command: Command) -> Option<Effect> {
        let lines = layout(self.size).list_lines();
        match command {
            Command::Move(motion) => self.step_sheet(motion, lines),
            Command::Open => self.follow(),
            Command::Inside => self.look_inside(),
            Command::Sort(column) => self.sort_sheet(column),
            Command::Measure => {
                let effect = self.command(command);
                self.turn_sheets();
                return effect;
            }
            _ if self.sheet().is_some_and(|sheet| !sheet.has(command)) => self.say_not_here(command),
            Command::Back if self.end_range() => {}
            Command::Back | Command::Quit | Command::View(_) | Command::Search => self.view_command(command),
            other => return self.command(other),
        }
        None
    }

    /// Sorts the top sheet by a column, or reverses its order.
    pub(super) fn sort_sheet(&mut self, column: Column) {
        let Some(table) = self.sheet().map(|sheet| sheet.table) else { return };
        let by = match column {
            Column::Size => self.by_size(),
            // The names of ages are times.
            Column::Name if table.time == Column::Name => By::Modified,
            Column::Name => By::Path,
            Column::Items => By::Items,
            Column::Modified => By::Modified,
            Column::Growth if table.may_sort(column) => self.by_size(),
            // Only the list has this column.
            Column::Growth => return self.say_not_here(Command::Sort(column)),
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

    /// Switches the sheets to the other size.
    pub(super) fn turn_sheets(&mut self) {
        let by = self.by_size();
        for sheet in &mut self.views.sheets {
            let before = sheet.order();
            if matches!(before.by, By::Disk | By::Apparent) {
                sheet.sort(search::Order { by, ..before });
            }
        }
    }

    pub(super) fn by_size(&self) -> By {
        self.order.measure.into()
    }

    pub(in crate::ui) fn step_sheet(&mut self, motion: Motion, lines: usize) {
        if let Some(sheet) = self.views.sheets.last_mut() {
            sheet.step(motion, lines);
        }
    }

    /// Opens the entries behind a row, above it.
    pub(super) fn show_files(&mut self, label: String, table: &'static TableSpec, query: &Query) {
        let request = self.request(self.views.filter.clone().narrowed_by(query));
        self.views.sheets.push(Sheet::new(label, table, request));
    }

    /// Closes the top sheet, or the treemap. A search is dropped with its own results; other views lead back
    /// to a list that it restricts.
    pub(super) fn close_view(&mut self) {
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
