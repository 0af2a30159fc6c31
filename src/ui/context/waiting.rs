//! Commands that wait for the running scan. Such a command is meant for entries of the previous scan that the running
//! scan has not found yet.
//!
//! ```text
//! key on a row of the previous scan -> notice -> the entry is found: the command is performed on it
//!                                         -> the listing is complete: a notice says that the entry no longer exists
//!                                         -> any input, or another notice: the command is forgotten
//! ```
//!
//! While a command waits, the scan first reads the shown directory. If the row is in a table view, the scan first reads
//! the deepest directory found so far on the path of the entry ([`Context::viewed_directories`]). The notice that tells
//! the user about the command also stores the command. When the notice disappears, the command is therefore forgotten.
//!
//! Invariant: a waiting command acts only on entries that the scan has found, and never after further input.

use super::Context;
use crate::table::recorded::{Lookup, RecordedTree};
use crate::tree::{DirId, EntryId};
use crate::ui::keys::{Command, Program};
use crate::ui::notice::Notice;
use crate::ui::table_view::{MOST_AWAITED, TableView};
use crate::ui::view_state::BaseView;
use crate::ui::waiting_command::{Awaited, WaitingCommand};

impl Context<'_> {
    /// Makes `command` wait if it is meant for an entry that the running scan has not found yet, or for several rows of
    /// a list that contains such entries. Returns `false` if the command can be performed now.
    pub fn wait_for_scan(&mut self, command: Command) -> bool {
        if self.table().is_some_and(TableView::is_recorded) {
            return self.wait_for_row(command);
        }
        let is_list = self.views.tables.is_empty() && self.views.base != BaseView::Overview;
        if !is_list || self.location.rows().recorded().is_none() {
            return false;
        }
        let name = self.location.recorded_entry().map(|record| record.name.to_vec());
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
        // Pins the cursor to its entry, because the scan may add rows above the cursor.
        match self.views.tables.last_mut() {
            Some(view) => view.is_pinned = true,
            None => self.pin(),
        }
        let directory = self.location.id;
        self.notify(Notice::AwaitingScan(WaitingCommand { command, directory, awaited }));
    }

    /// Does the same as [`Self::wait_for_scan`], but in a table with rows from the previous scan. Refuses commands for
    /// several rows, because the scan replaces the rows when it ends.
    fn wait_for_row(&mut self, command: Command) -> bool {
        match command {
            Command::MarkRange | Command::MarkShown | Command::InvertMarks => {
                self.notify(Notice::RecordedRows);
                return true;
            }
            Command::Mark | Command::Inspect | Command::Start(_) => {}
            _ => return false,
        }
        let Some(view) = self.table() else { return false };
        let Some((record, entries)) = view.recorded(view.index()) else {
            // The row refers to no entry of the previous scan. In a table of changes, it shows an entry that was
            // deleted before that scan; in any other table, it shows totals or the viewed directory itself.
            self.notify(match command {
                Command::Mark if view.spec.is_of_changes() => Notice::CannotMarkDeleted,
                _ if view.spec.is_of_changes() => Notice::EntryMissing,
                _ => Notice::RecordedRow,
            });
            return true;
        };
        if entries.len() > MOST_AWAITED {
            self.notify(Notice::RecordedRow);
            return true;
        }
        match record.look_up_all(self.tree, &entries) {
            Err((entry, _)) => {
                let name = entry.name(&record.tree).unwrap_or_default().to_vec();
                let awaited = Awaited::Row(record.clone(), entries, name);
                self.wait(command, awaited);
                true
            }
            Ok(found) if found.is_empty() => {
                let notice = self.missing(record, entries[0]);
                self.notify(notice);
                true
            }
            Ok(_) => false,
        }
    }

    /// Returns a notice about an entry of the previous scan that the running scan has not found.
    fn missing(&self, record: &RecordedTree, entry: EntryId) -> Notice {
        let name = entry.name(&record.tree).unwrap_or_default().to_vec();
        match record.look_up(self.tree, entry) {
            Lookup::Missing(directory) => self.not_found(directory, name),
            Lookup::Found(_) | Lookup::Unread(_) => Notice::NotFound(name),
        }
    }

    /// Returns a notice about an entry that the scan has not found in `directory`.
    fn not_found(&self, directory: DirId, name: Vec<u8>) -> Notice {
        let has_ended_early = self.tree.status(directory).partial;
        if has_ended_early { Notice::NotFound(name) } else { Notice::NoLongerExists(name) }
    }

    /// Forgets the waiting command. Returns `false` if no command was waiting.
    pub fn forget_waiting(&mut self) -> bool {
        self.notice.take_if(|notice| matches!(notice, Notice::AwaitingScan(_))).is_some()
    }

    /// Returns `true` while a command is waiting.
    pub fn is_waiting(&self) -> bool {
        matches!(self.notice, Some(Notice::AwaitingScan(_)))
    }

    /// Returns the directory that the scan must read next to find the row that a command waits for.
    pub fn awaited_directory(&self) -> Option<DirId> {
        let Some(Notice::AwaitingScan(WaitingCommand { awaited: Awaited::Row(record, entries, _), .. })) =
            &self.notice
        else {
            return None;
        };
        record.look_up_all(self.tree, entries).err().map(|(_, directory)| directory)
    }

    /// Returns the waiting command once the scan has found the awaited entries. Forgets the command if another
    /// directory is shown, or if the cursor is no longer on the awaited entry. If the scan can no longer find the
    /// entries, forgets the command and shows a notice.
    pub fn take_ready(&mut self) -> Option<Command> {
        let Some(Notice::AwaitingScan(waiting)) = &self.notice else { return None };
        let WaitingCommand { command, directory, awaited } = waiting.clone();
        if directory != self.location.id {
            self.forget_waiting();
            return None;
        }
        let ready = match &awaited {
            Awaited::Row(record, entries, _) => self.row_state(record, entries),
            Awaited::Name(name) => self.list_state(Some(name)),
            Awaited::Listing => self.list_state(None),
        }?;
        self.forget_waiting();
        match ready {
            Ok(is_under_cursor) => is_under_cursor.then_some(command),
            Err(notice) => {
                self.notify(notice);
                None
            }
        }
    }

    /// Checks whether a waiting command can be performed now. The command is meant for the row that shows `entries`,
    /// which are entries of the previous scan.
    ///
    /// - `None`: the command must wait, because the running scan may still find one of the entries.
    /// - `Some(Err(notice))`: the scan has found none of the entries.
    /// - `Some(Ok(true))`: the row under the cursor shows the entries.
    /// - `Some(Ok(false))`: the row under the cursor does not show the entries.
    fn row_state(&self, record: &RecordedTree, entries: &[EntryId]) -> Option<Result<bool, Notice>> {
        let found = record.look_up_all(self.tree, entries).ok()?;
        if found.is_empty() {
            return Some(Err(self.missing(record, entries[0])));
        }
        Some(Ok(self.table().is_some_and(|view| view.is_on(entries, &found))))
    }

    /// Checks whether a waiting command can be performed now. The command waits for the entry `name` of the shown
    /// directory or, if `name` is `None`, for all entries of the directory.
    ///
    /// - `None`: the command must wait, because the scan may still find these entries, or the rows are being sorted.
    /// - `Some(Err(notice))`: the scan has not found `name`, and has read the whole directory or ended early.
    /// - `Some(Ok(true))`: the cursor is on `name`, or `name` is `None`.
    /// - `Some(Ok(false))`: `name` exists, but the cursor is not on it.
    fn list_state(&mut self, name: Option<&[u8]>) -> Option<Result<bool, Notice>> {
        let directory = self.location.id;
        // The listing is checked before the name is looked up. In the opposite order, an existing entry would count as
        // missing if the scan finished reading the directory in between.
        let is_whole = self.tree.is_listed(directory);
        let is_found = name.is_some_and(|name| self.tree.entry(directory, name).is_some());
        if !is_whole && !is_found {
            return None;
        }
        let has_old_row = match self.location.recorded_entry() {
            Some(record) if is_found => name == Some(record.name),
            _ => !is_found && self.location.rows().recorded().is_some(),
        };
        if has_old_row && !self.is_sorting() {
            // Sorted at once, without the usual delay after a key press, because the command waits for the rows.
            self.sort();
        }
        if self.is_sorting() {
            return None;
        }
        Some(match name {
            Some(name) if !is_found => Err(self.not_found(directory, name.to_vec())),
            Some(name) => Ok(self.location.entry().is_some_and(|record| record.name == name)),
            None => Ok(true),
        })
    }
}
