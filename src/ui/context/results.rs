//! Navigation from a row of a view to its entry, and back to the view.
//!
//! Enter goes to the entry in the list of its directory. Right opens a directory in place, as if it were part
//! of the view. Esc returns to the view, as does Left in a directory that was opened in place.
//!
//! Invariant: a saved view refers only to existing directories, because a rescan discards the saved view.

use super::Context;
use crate::tree::{DirId, EntryId};
use crate::ui::list_state::SavedCursor;
use crate::ui::notice::Notice;
use crate::ui::table_view::TableView;
use crate::ui::view_state::Return;
use crate::ui::views::Target;

impl Context<'_> {
    /// Folds or unfolds the row under the cursor. If the row cannot be folded, goes to its target.
    pub fn follow(&mut self) {
        if !self.views.tables.last_mut().is_some_and(TableView::toggle) {
            self.follow_target();
        }
    }

    fn follow_target(&mut self) {
        match self.views.tables.last().and_then(TableView::target) {
            Some(Target::Entry(entry)) => self.leave_for(entry, false),
            Some(Target::Recorded(directory, name)) => self.leave_for_recorded(directory, name),
            Some(Target::Files { label, table, query }) => self.show_files(label, table, &query),
            Some(Target::Change(row)) => self.follow_change(&row),
            Some(Target::Words { label, words }) => self.open_explanation(label, words),
            None if self.table().is_some_and(|view| view.count() > 0) => self.notify(Notice::NothingToOpen),
            None => {}
        }
    }

    /// Opens the directory under the cursor, so that going up from it returns to the view. Has the same effect as Enter
    /// if the row shows no directory, or is from the previous scan.
    pub fn open_in_place(&mut self) {
        match self.views.tables.last().and_then(TableView::target) {
            Some(Target::Entry(entry)) => {
                let is_directory = entry.record(self.tree).is_some_and(|record| record.directory().is_some());
                self.leave_for(entry, is_directory);
            }
            Some(Target::Change(row)) if row.itself.is_some() => self.leave_for(row.entry, true),
            Some(Target::Change(_)) => self.follow_target(),
            _ => self.follow(),
        }
    }

    /// Leaves the view for a directory of the previous scan, or for the entry `name` in it. If the running scan has
    /// found only part of the path so far, opens the deepest directory found instead, with the cursor on the next name
    /// of the path.
    ///
    /// If the scan has read all entries of the directory to open, but has not found the entry for the cursor, only
    /// shows a notice. The view then stays open.
    fn leave_for_recorded(&mut self, directory: DirId, name: Option<Vec<u8>>) {
        let found = self.record.as_ref().and_then(|record| record.locate(self.tree, directory));
        let Some((directory, missing)) = found else { return };
        let name = missing.or(name);
        let is_missing = |name: &Vec<u8>| self.tree.entry(directory, name).is_none();
        if let Some(name) = name.clone().filter(|name| self.tree.is_listed(directory) && is_missing(name)) {
            return self.notify(Notice::NoLongerExists(name));
        }
        let cursor = name.as_ref().map_or_else(SavedCursor::default, |name| SavedCursor::at(None, name));
        let return_to = self.take_view(false);
        self.go_to(directory, cursor);
        self.views.return_to = Some(Return { opened: self.location.id, ..return_to });
        if name.is_none() {
            self.notify(Notice::FormerDirectory);
        }
    }

    /// Goes to an entry, and saves the state of the view for [`Self::return_to_view`]. If `is_in_place` is `true`, the
    /// entry must be a directory, and is opened. If the entry no longer exists, the view stays open.
    pub fn leave_for(&mut self, entry: EntryId, is_in_place: bool) {
        let return_to = self.take_view(is_in_place);
        if !self.go_to_entry(entry) {
            self.views.tables = return_to.tables;
            return;
        }
        if is_in_place {
            self.open();
        }
        self.views.return_to = Some(Return { opened: self.location.id, ..return_to });
    }

    /// Closes the view and returns its state, which Esc restores.
    fn take_view(&mut self, is_in_place: bool) -> Return {
        let mut tables = std::mem::take(&mut self.views.tables);
        for view in &mut tables {
            view.rows.pause();
        }
        Return {
            tables,
            text: self.views.text.clone(),
            filter: self.views.filter.clone(),
            base: self.views.base,
            location: self.location.id,
            history: self.history.clone(),
            opened: DirId::TOP,
            is_in_place,
            was_scanning: self.is_scanning(),
        }
    }

    /// Goes back to the saved view. Returns `false` if no view was saved.
    pub fn return_to_view(&mut self) -> bool {
        let Some(return_to) = self.views.return_to.take() else { return false };
        self.views.base = return_to.base;
        self.enter(return_to.location);
        self.history = return_to.history;
        self.views.tables = return_to.tables;
        self.views.text = return_to.text;
        self.views.filter = return_to.filter;
        if return_to.was_scanning {
            self.views.tables.iter_mut().for_each(|view| view.rows.outdate());
        }
        true
    }

    /// Returns to the saved view if the shown directory was opened directly from a row of that view (see
    /// [`Return::is_in_place`]). Returns `true` if the view was restored. Must be called before going to the parent
    /// directory.
    pub fn return_upwards(&mut self) -> bool {
        let Some(return_to) = &self.views.return_to else { return false };
        if return_to.opened != self.location.id {
            return false;
        }
        if return_to.is_in_place {
            return self.return_to_view();
        }
        // The user chose an entry inside the directory that is now shown, not the directory itself. Going up therefore
        // leads to the parent directory, not back to the saved view.
        self.views.return_to = None;
        false
    }
}
