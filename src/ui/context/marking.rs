//! Commands that mark entries.
//!
//! Invariant: only the functions in this file change marks. A rescan keeps the marks of entries that still exist. The
//! mark of a file is kept only if the file is unchanged.

use std::ops::RangeInclusive;

use super::Context;
use crate::duplicates::KeptCopy;
use crate::table::rows::RowEntry;
use crate::tree::{DirId, Entry, EntryId, EntryName, EntryState, Relocation, join};
use crate::ui::cursor::Motion;
use crate::ui::layout::layout;
use crate::ui::marks::{Dropped, Mark, Marks};
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::table_view::TableView;
use crate::ui::views::Target;
use crate::ui::views::table::Copies;

type Located<'t> = (DirId, Entry<'t>);

/// Limit for looking up entries of a directory one by one. For this many entries or more, the whole listing is read.
const FEW: usize = 16;

impl<'t> Context<'t> {
    pub fn marks(&self) -> &Marks<'t> {
        &self.marks
    }

    pub fn is_ranging(&self) -> bool {
        self.anchor.is_some()
    }

    /// Discards the start of a range. Returns `false` if no range was started.
    pub fn end_range(&mut self) -> bool {
        self.anchor.take().is_some()
    }

    /// Recomputes the total of the marked entries from the current totals of the marked directories.
    pub fn add_up_marks(&mut self) {
        self.marks.add_up(self.tree, &self.live);
    }

    /// Returns `true` if the entry under the cursor of the list can be marked, now or as soon as the scan has found it.
    pub fn can_mark(&self) -> bool {
        self.location
            .entry()
            .map_or(self.location.recorded_entry().is_some(), |record| Marks::can_mark(&record))
    }

    /// Marks or unmarks the entries of the row under the cursor, and moves the cursor down.
    pub fn mark(&mut self) {
        if self.views.tables.last().is_some_and(TableView::toggle_mark) {
            return self.step_down();
        }
        let entries = self.entries(self.row(), 1);
        if entries.iter().all(|(id, record)| self.marks.contains(*id, record.name)) {
            for (id, record) in &entries {
                self.marks.clear((*id, record.name));
            }
        } else {
            self.set_marks(&entries);
            if entries.iter().any(|entry| self.holds_more(entry)) {
                self.notify(Notice::MarkedWhole);
            }
        }
        if entries.is_empty() && self.row_count() == 0 {
            return self.notify(Notice::NothingToMark);
        }
        if entries.is_empty() && self.table().is_some() {
            if self.mark_total() {
                return;
            }
            return self.notify(match self.table() {
                Some(view) if view.spec.is_of_changes() => Notice::CannotMarkDeleted,
                Some(view) if matches!(view.target(), Some(Target::Files { .. })) => Notice::CannotMarkTotal,
                _ => Notice::NothingToMarkInRow,
            });
        }
        self.add_up_marks();
        self.step_down();
    }

    /// Opens a view of the files whose total is under the cursor, and marks all of them once they have been found,
    /// unless there is other input first. Returns `false` if the row is not the total of several files.
    fn mark_total(&mut self) -> bool {
        let target = self.table().and_then(TableView::target).filter(Target::is_of_files);
        let Some(Target::Files { label, table, query }) = target else { return false };
        self.show_files(label, table, &query);
        self.views.tables.last_mut().into_iter().for_each(|view| view.mark_all_found(true));
        true
    }

    /// Cancels any marking by [`Self::mark`] that is still waiting for files to be found. Called for every key and
    /// mouse event, because the user does not expect marks to appear after further input.
    pub fn cancel_mark_total(&mut self) {
        self.views.tables.iter_mut().for_each(|view| view.mark_all_found(false));
    }

    /// Marks all rows of the top view if [`Self::mark`] has requested this and the rows have been found.
    pub fn mark_found(&mut self) {
        let Some(view) = self.views.tables.last_mut() else { return };
        let Some((marked, found)) = view.take_found() else { return };
        self.notify(Notice::MarkedFound { marked, found });
        self.mark_shown();
    }

    fn step_down(&mut self) {
        if let Some(view) = self.views.tables.last_mut() {
            view.step(Motion::Down, layout(self.size).list_lines());
        } else {
            self.step(Motion::Down);
        }
    }

    /// Returns the rows from the start of the range to the cursor; `None` if no range was started, or if its first row
    /// is not shown.
    pub fn ranged_rows(&self) -> Option<RangeInclusive<usize>> {
        let begin = self.row_of(self.anchor?)?;
        Some(begin.min(self.row())..=begin.max(self.row()))
    }

    /// Returns the notice shown if there is no entry under the cursor. In a table of changes, a row without an entry
    /// stands for a deleted entry.
    pub fn no_entry(&self) -> Notice {
        let is_deleted = self.table().is_some_and(|view| view.spec.is_of_changes()) && self.row_count() > 0;
        if is_deleted { Notice::EntryMissing } else { Notice::NoEntry }
    }

    /// Starts a range, or marks the rows from the start of the range to the cursor.
    pub fn mark_range(&mut self) {
        let Some((id, record)) = self.entries(self.row(), 1).first().copied() else {
            let is_empty = self.row_count() == 0;
            return self.notify(if is_empty { Notice::NothingToMark } else { self.no_entry() });
        };
        if self.anchor.is_none() {
            self.location.pin();
            self.anchor = Some((id, record.name));
            self.notify(Notice::RangeBegun);
            return;
        }
        let range = self.ranged_rows();
        self.anchor = None;
        let Some(rows) = range else {
            self.notify(Notice::RangeStartHidden);
            return;
        };
        let entries = self.whole_entries(*rows.start(), rows.count());
        self.set_marks(&entries);
        self.add_up_marks();
    }

    pub fn mark_shown(&mut self) {
        let entries = self.all_entries();
        self.set_marks(&entries);
        self.add_up_marks();
    }

    pub fn invert_marks(&mut self) {
        let entries = self.all_entries();
        let missing: Vec<_> =
            entries.into_iter().filter(|(id, record)| !self.marks.clear((*id, record.name))).collect();
        self.set_marks(&missing);
        self.add_up_marks();
    }

    /// Marks all copies in the group under the cursor except the copy that `kept` selects, and unmarks that copy. Then
    /// moves the cursor to the next group.
    pub fn mark_copies(&mut self, kept: KeptCopy) {
        let Some(copies) = self.table().and_then(|view| view.copies(kept)) else {
            self.notify(Notice::NoCopies);
            return;
        };
        self.mark_others(copies);
        self.views.tables.last_mut().into_iter().for_each(TableView::step_to_next_group);
    }

    /// Unmarks all copies in and below the directory under the cursor, and marks all other copies in the same groups.
    /// If the cursor is on a file, the directory that contains the file is used.
    pub fn mark_elsewhere(&mut self) {
        let entry = self.entries(self.row(), 1).first().copied();
        let directory = entry.map(|(parent, copy)| copy.directory().unwrap_or(parent));
        let copies = |directory| Some((directory, self.table()?.copies_elsewhere(self.tree, directory)?));
        let Some((directory, copies)) = directory.and_then(copies) else {
            self.notify(Notice::NoDirectoryOfCopy);
            return;
        };
        let path = self.shown_path(&self.tree.path(directory));
        self.notify(Notice::MarkedElsewhere(copies.others.len(), path));
        if !copies.others.is_empty() {
            self.mark_others(copies);
        }
    }

    /// Unmarks the copies to keep, and marks the others.
    fn mark_others(&mut self, copies: Copies) {
        for entry in copies.kept {
            if let Some(name) = entry.name(self.tree) {
                self.marks.clear((entry.directory, name));
            }
        }
        let located = |entry: &EntryId| Some((entry.directory, entry.record(self.tree)?));
        let entries: Vec<_> = copies.others.iter().filter_map(located).collect();
        self.set_marks(&entries);
        self.add_up_marks();
    }

    pub fn row(&self) -> usize {
        self.views.tables.last().map_or_else(|| self.location.index(), TableView::index)
    }

    pub fn row_count(&self) -> usize {
        self.views.tables.last().map_or_else(|| self.location.rows().len(), TableView::count)
    }

    /// Returns the index of the row that shows an entry; `None` if the entry is not shown.
    fn row_of(&self, (parent, name): EntryName<'_>) -> Option<usize> {
        let Some(view) = self.views.tables.last() else {
            let find = || self.location.rows().find_name(self.location.listing(), name);
            return (self.location.id == parent).then(find).flatten();
        };
        let listing = self.tree.listing(parent);
        let is_it = |entry: &EntryId| entry.directory == parent && listing.name(entry.position) == Some(name);
        (0..view.count()).find(|row| view.entries(self.tree, *row).iter().any(is_it))
    }

    /// Returns the entries of `count` rows, starting at row `first`, each with its directory. If many of the entries
    /// are in the same directory, the listing of that directory is read only once.
    fn entries(&self, first: usize, count: usize) -> Vec<Located<'t>> {
        let mut wanted: Vec<EntryId> = if let Some(view) = self.views.tables.last() {
            let end = view.count().min(first.saturating_add(count));
            (first..end).flat_map(|row| view.entries(self.tree, row)).collect()
        } else {
            let found = self.location.rows().entries(first, count).filter_map(RowEntry::found);
            found.map(|position| EntryId { directory: self.location.id, position }).collect()
        };
        wanted.sort_unstable();
        let mut entries = Vec::with_capacity(wanted.len());
        for wanted in wanted.chunk_by(|one, other| one.directory == other.directory) {
            let id = wanted[0].directory;
            if wanted.len() < FEW {
                let records = wanted.iter().filter_map(|entry| entry.record(self.tree));
                entries.extend(records.map(|record| (id, record)));
                continue;
            }
            let listing = self.tree.listing(id);
            let mut next = wanted.iter().peekable();
            let mut is_wanted = |position| next.next_if(|wanted| wanted.position == position).is_some();
            let records = listing.entries().filter(|(position, _)| is_wanted(*position));
            entries.extend(records.map(|(_, record)| (id, record)));
        }
        entries
    }

    /// Returns the entries of [`Self::entries`], except directories in which the filter hides entries. A command for
    /// several rows therefore never marks hidden entries. Shows a notice if any directory is omitted.
    fn whole_entries(&mut self, first: usize, count: usize) -> Vec<Located<'t>> {
        let mut entries = self.entries(first, count);
        let before = entries.len();
        entries.retain(|entry| !self.holds_more(entry));
        let skipped = before - entries.len();
        if skipped > 0 {
            self.notify(Notice::NotMarked(skipped));
        }
        entries
    }

    /// Returns the entries of all rows that [`Self::whole_entries`] does not omit. If none are left, shows a notice.
    fn all_entries(&mut self) -> Vec<Located<'t>> {
        if self.views.tables.is_empty() {
            self.load_rows();
        }
        let entries = self.whole_entries(0, usize::MAX);
        if entries.is_empty() && self.notice.is_none() {
            self.notify(Notice::NothingToMark);
        }
        entries
    }

    fn holds_more(&self, (_, record): &Located<'_>) -> bool {
        match record.state {
            EntryState::Known(facts) => facts.directory.is_some_and(|id| self.is_partly_shown(id)),
            EntryState::Excluded(_) | EntryState::Failed(_) => false,
        }
    }

    fn set_marks(&mut self, entries: &[Located<'t>]) {
        let unknown = entries.iter().filter(|(id, record)| !self.marks.set(self.tree, *id, record)).count();
        if unknown > 0 {
            let notice =
                if entries.len() == 1 { Notice::CannotMarkUnread } else { Notice::NotMarkedUnread(unknown) };
            self.notify(notice);
        }
        if let Some(view) = self.views.tables.last() {
            self.marks.keep_copies(self.tree, view.sets(), entries);
        }
    }

    pub fn unmark(&mut self, name: EntryName<'t>) {
        self.marks.clear(name);
        self.add_up_marks();
    }

    /// Opens the directory that contains a marked entry, and moves the cursor to the entry.
    pub fn go_to_name(&mut self, (parent, name): EntryName<'t>) {
        if let Some(entry) = EntryId::named(self.tree, parent, name) {
            self.go_to_entry(entry);
        }
    }

    /// Requests that the browser quit and print the paths of the marked entries.
    pub fn print_marks(&mut self) -> Option<Effect> {
        if self.marks.count() == 0 {
            self.notify(Notice::NoMarks);
            return None;
        }
        let path = |(name, _): &(EntryName<'_>, Mark)| self.shown_path(&Marks::path(self.tree, *name));
        Some(Effect::Print(self.marks.in_order(self.tree).iter().map(path).collect()))
    }

    /// Requests that the path of the entry under the cursor be copied to the clipboard. The entry may be known only
    /// from the previous scan. If there is no entry under the cursor, copies the path of the shown directory or, in a
    /// table view, shows a notice.
    pub fn copy_path(&mut self) -> Option<Effect> {
        let path = match self.entries(self.row(), 1).first() {
            Some((id, record)) => Some(self.shown_path(&Marks::path(self.tree, (*id, record.name)))),
            None if self.table().is_some() => self.recorded_path(),
            None => Some(match self.location.recorded_entry() {
                Some(record) => join([self.path.as_slice(), record.name]),
                None => self.path.clone(),
            }),
        };
        let Some(path) = path else {
            self.notify(Notice::TotalHasNoPath);
            return None;
        };
        self.notify(Notice::Copied(path.clone()));
        Some(Effect::Copy(path))
    }

    /// Returns the displayed path of the entry under the cursor. Returns `None` if the cursor is not in a table, or if
    /// the row shows no entry of the previous scan.
    fn recorded_path(&self) -> Option<Vec<u8>> {
        let (record, entries) = self.table()?.recorded(self.row())?;
        let name = (entries[0].directory, entries[0].name(&record.tree)?);
        Some(self.shown_path(&Marks::path(&record.tree, name)))
    }

    /// Updates the marks after a rescan, and tells the user if marks were removed.
    pub fn relocate_marks(&mut self, relocation: &mut Relocation<'t>) {
        let dropped = self.marks.relocate(self.tree, relocation);
        self.notify_dropped(dropped);
    }

    /// Removes the marks of directories that have been replaced on disk.
    pub fn drop_replaced(&mut self, names: &[(DirId, Vec<u8>)]) {
        let is_dropped = |(directory, name): &&(DirId, Vec<u8>)| self.marks.clear((*directory, name));
        let changed = names.iter().filter(is_dropped).count() as u64;
        self.add_up_marks();
        self.notify_dropped(Dropped { missing: 0, changed });
    }

    fn notify_dropped(&mut self, Dropped { missing, changed }: Dropped) {
        if missing + changed > 0 {
            self.notify(Notice::MarksDropped { missing, changed });
        }
    }
}
