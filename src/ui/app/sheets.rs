//! What keys do on the sheet that lies on top: its cursor, its order, and the way back.
//!
//! Invariant: a sheet that has no use for a key says so.

use super::{App, Effect};
use crate::rows::Column;
use crate::search::{self, By, Query};
use crate::ui::keys::{Command, Motion, View};
use crate::ui::layout::layout;
use crate::ui::sheet::{Sheet, may_sort};
use crate::ui::work::Ask;

impl App<'_> {
    /// What a key does on a sheet.
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

    /// Sorts the sheet on top by a column, or the other way round if it is that one already.
    pub(super) fn sort_sheet(&mut self, column: Column) {
        let by = match column {
            Column::Size => self.by_size(),
            // The names of ages are times.
            Column::Name if self.is_of_ages() => By::Modified,
            Column::Name => By::Path,
            Column::Items => By::Items,
            Column::Modified => By::Modified,
            Column::Growth if self.sheet().is_some_and(|sheet| sheet.view == View::Growth) => self.by_size(),
            // That is a column of the list.
            Column::Growth => return self.say_not_here(Command::Sort(column)),
            Column::Shared => return,
        };
        let number = self.next_wish();
        let Some(sheet) = self.views.sheets.last_mut() else { return };
        if !may_sort(sheet.inquiry.asked().ask, column) {
            let sorts = sheet.sorts();
            self.say(sorts);
            return;
        }
        let before = sheet.inquiry.asked().order;
        let reversed = before.by == by && !before.reversed;
        sheet.inquiry.turn(search::Order { by, reversed }, number);
    }

    pub(super) fn is_of_ages(&self) -> bool {
        self.sheet().is_some_and(|sheet| matches!(sheet.inquiry.asked().ask, Ask::Ages { .. }))
    }

    /// Another size is meant.
    pub(super) fn turn_sheets(&mut self) {
        let by = self.by_size();
        for index in 0..self.views.sheets.len() {
            let number = self.next_wish();
            let inquiry = &mut self.views.sheets[index].inquiry;
            let before = inquiry.asked().order;
            if matches!(before.by, By::Disk | By::Apparent) {
                inquiry.turn(search::Order { by, ..before }, number);
            }
        }
    }

    pub(super) fn by_size(&self) -> By {
        self.order.measure.into()
    }

    pub(super) fn step_sheet(&mut self, motion: Motion, lines: usize) {
        if let Some(sheet) = self.views.sheets.last_mut() {
            sheet.step(motion, lines);
        }
    }

    /// Shows the entries behind a row, on top of it.
    pub(super) fn show_files(&mut self, label: String, ask: Ask, query: &Query) {
        let Some(view) = self.views.sheets.last().map(|sheet| sheet.view) else { return };
        match self.views.filter.clone().and(query) {
            Ok(query) => {
                let wish = self.wish(ask, query);
                self.views.sheets.push(Sheet::new(view, label, wish));
            }
            Err(_) => self.say("Too many words to look for"),
        }
    }

    /// Leaves the sheet on top, or the treemap. What was searched for is forgotten with its own results; other views lead
    /// back to a list that it restricts.
    pub(super) fn close_view(&mut self) {
        if self.views.sheets.len() > 1 {
            self.views.sheets.pop();
        } else if self.views.sheets.is_empty() {
            self.show(View::List);
        } else if self.views.sheets.iter().any(|sheet| sheet.view == View::Search) {
            self.clear_filter();
        } else {
            self.views.sheets.clear();
            self.begin_filter();
        }
    }
}
