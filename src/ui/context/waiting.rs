//! Keys that wait for the running scan, because they were pressed on an entry that only the last scan has found.
//!
//! ```text
//! key on a row of the last scan -> notice -> the entry is found  -> cursor on it, the command is performed
//!                                    |    -> the listing is whole -> notice: it no longer exists
//!                                    any input, or another notice -> the command is forgotten
//! ```
//!
//! The scan reads the shown directory first or, if the row is in a table view, the deepest directory on the way to the
//! entry that it has found ([`Context::looked_at`]). The command is stored in the notice
//! that tells the user about it. When the notice disappears, the command is forgotten.
//!
//! Invariant: a command that was waiting acts only on an entry that the scan has found, and never after another input.

use super::Context;
use crate::tree::{DirId, EntryId};
use crate::ui::keys::{Command, Program};
use crate::ui::notice::Notice;
use crate::ui::table_view::TableView;
use crate::ui::view_state::BaseView;
use crate::ui::waiting_command::{Awaited, WaitingCommand};

impl Context<'_> {
    /// Makes a command wait if it would act on an entry that the last scan found and the running scan has not found
    /// yet, or on several rows of a list that contains such entries. Returns `false` if the command can be performed
    /// now.
    pub fn wait_for_scan(&mut self, command: Command) -> bool {
        if self.sheet().is_some_and(TableView::is_recorded) {
            return self.wait_for_row(command);
        }
        let is_list = self.views.sheets.is_empty() && self.views.base != BaseView::Overview;
        if !is_list || self.place.rows().recorded().is_none() {
            return false;
        }
        let name = self.place.recorded_entry().map(|record| record.name.to_vec());
        let awaited = match (command, name) {
            (Command::MarkRange | Command::MarkShown | Command::InvertMarks, _) => Awaited::Listing,
            (
                Command::Mark
                | Command::Open
                | Command::Inspect
                | Command::Start(Program::Pager | Program::Opener),
                Some(name),
            ) => Awaited::Name(name),
            // All other commands are performed immediately, except deletions, which are refused during a scan.
            _ => return false,
        };
        self.wait(command, awaited);
        true
    }

    fn wait(&mut self, command: Command, awaited: Awaited) {
        let directory = self.place.id;
        self.notify(Notice::AwaitingScan(WaitingCommand { command, directory, awaited }));
    }

    /// Does the same in a table of rows from the last scan. Refuses commands for several rows, because the scan
    /// replaces the rows when it ends.
    fn wait_for_row(&mut self, command: Command) -> bool {
        match command {
            Command::MarkRange | Command::MarkShown | Command::InvertMarks => {
                self.notify(Notice::RecordedRows);
                return true;
            }
            Command::Mark | Command::Inspect | Command::Script | Command::Start(_) => {}
            _ => return false,
        }
        let Some((record, entries)) = self.sheet().and_then(|sheet| sheet.recorded(sheet.index())) else {
            self.notify(Notice::RecordedRow);
            return true;
        };
        let is_missing = |entry: &EntryId| record.find_entry(self.tree, *entry).is_none();
        let Some(entry) = entries.into_iter().find(is_missing) else { return false };
        let name = entry.name(&record.tree).unwrap_or_default().to_vec();
        let awaited = Awaited::Row(record.clone(), entry, name);
        self.wait(command, awaited);
        true
    }

    /// Forgets the waiting command.
    pub fn forget_waiting(&mut self) {
        self.notice.take_if(|notice| matches!(notice, Notice::AwaitingScan(_)));
    }

    /// Returns the directory that the scan must read next to find the row that a command waits for.
    pub fn awaited_directory(&self) -> Option<DirId> {
        match &self.notice {
            Some(Notice::AwaitingScan(WaitingCommand {
                awaited: Awaited::Row(record, entry, _), ..
            })) => record.way_to(self.tree, entry.directory).map(|(directory, _)| directory),
            _ => None,
        }
    }

    /// Returns the waiting command once its entry is under the cursor. A command that is not for a single
    /// entry is returned once the whole listing is shown. If the entry does not exist, forgets the command
    /// and shows a notice.
    pub fn take_ready(&mut self) -> Option<Command> {
        let Some(Notice::AwaitingScan(waiting)) = &self.notice else { return None };
        let WaitingCommand { command, directory, awaited } = waiting.clone();
        if directory != self.place.id {
            self.forget_waiting();
            return None;
        }
        // Directory whose whole listing must be read to show that the entry does not exist.
        let searched = self.awaited_directory().unwrap_or(directory);
        let is_whole = self.tree.is_listed(searched);
        let is_found = match &awaited {
            Awaited::Listing => is_whole,
            Awaited::Name(name) => self.tree.entry(directory, name).is_some(),
            Awaited::Row(record, entry, _) => record.find_entry(self.tree, *entry).is_some(),
        };
        if !is_whole && !is_found {
            return None;
        }
        let is_row = matches!(awaited, Awaited::Row(..));
        if !is_row && self.place.rows().recorded().is_some() && !self.is_sorting() {
            // Sorting is usually delayed after a key press. Here, the rows are sorted at once, because the command
            // waits for them.
            self.sort();
        }
        if !is_row && self.is_sorting() {
            return None;
        }
        let is_under_cursor = match &awaited {
            Awaited::Listing => true,
            Awaited::Name(name) => self.place.entry().is_some_and(|record| record.name == name),
            Awaited::Row(record, entry, _) => {
                self.sheet().is_some_and(|sheet| sheet.is_on(self.tree, record, *entry))
            }
        };
        self.forget_waiting();
        if let (false, Awaited::Name(name) | Awaited::Row(.., name)) = (is_found, awaited) {
            let has_ended = self.tree.status(searched).partial;
            self.notify(if has_ended { Notice::NotFound(name) } else { Notice::NoLongerExists(name) });
        }
        (is_found && is_under_cursor).then_some(command)
    }
}
