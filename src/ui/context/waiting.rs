//! Keys that wait for the running scan, because they were pressed on an entry that only the last scan has found.
//!
//! ```text
//! key on a row of the last scan -> notice -> the entry is found  -> cursor on it, the command is performed
//!                                    |    -> the listing is whole -> notice: it no longer exists
//!                                    any input, or another notice -> the command is forgotten
//! ```
//!
//! The scan reads the shown directory first ([`Context::looked_at`]). The command is stored in the notice
//! that tells the user about it. When the notice disappears, the command is forgotten.
//!
//! Invariant: a command that was waiting acts only on an entry that the scan has found, and never after another input.

use super::Context;
use crate::ui::keys::{Command, Program};
use crate::ui::notice::Notice;
use crate::ui::table_view::TableView;
use crate::ui::view_state::BaseView;
use crate::ui::waiting_command::WaitingCommand;

impl Context<'_> {
    /// Makes a command wait if it would act on an entry that the last scan found and the running scan has not found
    /// yet, or on several rows of a list that contains such entries. In a table of rows from the last scan, refuses a
    /// command that would act on a row. Returns `false` if the command can be performed now.
    pub fn wait_for_scan(&mut self, command: Command) -> bool {
        if self.sheet().is_some_and(TableView::is_recorded) {
            return self.refuse_on_recorded_row(command);
        }
        let is_list = self.views.sheets.is_empty() && self.views.base != BaseView::Overview;
        if !is_list || self.place.rows().recorded().is_none() {
            return false;
        }
        let name = self.place.recorded_entry().map(|record| record.name.to_vec());
        let name = match command {
            Command::MarkRange | Command::MarkShown | Command::InvertMarks => None,
            Command::Mark
            | Command::Open
            | Command::Inspect
            | Command::Start(Program::Pager | Program::Opener)
                if name.is_some() =>
            {
                name
            }
            // All other commands are performed immediately, except deletions, which are refused during a scan.
            _ => return false,
        };
        let directory = self.place.id;
        self.notify(Notice::AwaitingScan(WaitingCommand { command, directory, name }));
        true
    }

    /// Refuses a command that would act on a row that only an earlier scan has found. Returns `false` for any other
    /// command.
    fn refuse_on_recorded_row(&mut self, command: Command) -> bool {
        let acts_on_row = matches!(
            command,
            Command::Mark
                | Command::MarkRange
                | Command::MarkShown
                | Command::InvertMarks
                | Command::Inspect
                | Command::CopyPath
                | Command::Script
                | Command::Start(_)
        );
        if acts_on_row {
            self.notify(Notice::RecordedRow);
        }
        acts_on_row
    }

    /// Forgets the waiting command.
    pub fn forget_waiting(&mut self) {
        self.notice.take_if(|notice| matches!(notice, Notice::AwaitingScan(_)));
    }

    /// Returns the waiting command once its entry is under the cursor. A command that is not for a single
    /// entry is returned once the whole listing is shown. If the entry does not exist, forgets the command
    /// and shows a notice.
    pub fn take_ready(&mut self) -> Option<Command> {
        let Some(Notice::AwaitingScan(waiting)) = &self.notice else { return None };
        let WaitingCommand { command, directory, name } = waiting.clone();
        if directory != self.place.id {
            self.forget_waiting();
            return None;
        }
        let is_whole = self.tree.is_listed(directory);
        let is_found = name.as_ref().is_some_and(|name| self.tree.entry(directory, name).is_some());
        if !is_whole && !is_found {
            return None;
        }
        if self.place.rows().recorded().is_some() && !self.is_sorting() {
            // Sorting is usually delayed after a key press. Here, the rows are sorted at once, because the command
            // waits for them.
            self.sort();
        }
        if self.is_sorting() {
            return None;
        }
        let is_ready = match &name {
            Some(name) => self.place.entry().is_some_and(|record| record.name == name),
            None => true,
        };
        self.forget_waiting();
        if let Some(name) = name.filter(|_| !is_found) {
            let has_ended = self.tree.status(directory).partial;
            self.notify(if has_ended { Notice::NotFound(name) } else { Notice::NoLongerExists(name) });
        }
        is_ready.then_some(command)
    }
}
