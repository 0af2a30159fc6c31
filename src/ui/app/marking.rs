//! Marking entries, and the pane that lists the marks.
//!
//! Invariant: only the commands in this file change marks, and rescans, which keep those whose entry is still there.

use super::{App, Effect, Mode};
use crate::kind::Kind;
use crate::tree::{Content, DirId, Position, Record, Successors};
use crate::ui::cursor::Cursor;
use crate::ui::keys::{Command, Motion, Scope, View};
use crate::ui::layout::layout;
use crate::ui::marks::{Mark, Marks, Place};
use crate::ui::sheet::Sheet;
use crate::ui::window::totals_size;

/// The list of the marks.
#[derive(Default)]
pub struct Pane<'t> {
    /// The lines that are visible.
    pub lines: Vec<PaneLine>,
    /// Where one is among all.
    pub cursor: Cursor,
    marks: Vec<(Place<'t>, Mark)>,
}

impl Pane<'_> {
    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.marks.len()
    }
}

/// One mark in the pane.
#[derive(Debug, PartialEq, Eq)]
pub struct PaneLine {
    /// Its path.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// Its size, by the measure that is shown.
    pub size: u64,
}

/// The other end of a range: an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor<'t> {
    place: Place<'t>,
}

/// An entry, with the directory it is in.
type Entry<'t> = (DirId, Record<'t>);

/// Fewer entries of one directory than this are read one by one.
const FEW: usize = 16;

impl<'t> App<'t> {
    /// The marks.
    pub fn marks(&self) -> &Marks<'t> {
        &self.marks
    }

    /// The list of the marks.
    pub fn pane(&self) -> &Pane<'t> {
        &self.pane
    }

    /// Whether a range was begun.
    pub fn is_ranging(&self) -> bool {
        self.anchor.is_some()
    }

    /// Ends a range that was begun; says whether there was one.
    pub(super) fn end_range(&mut self) -> bool {
        self.anchor.take().is_some()
    }

    /// Marks what the row under the cursor stands for or takes the marks off, and moves down.
    pub(super) fn mark(&mut self) {
        let entries = self.entries(self.row(), 1);
        if entries.iter().all(|(id, record)| self.marks.contains(*id, record.name)) {
            for (id, record) in &entries {
                self.marks.clear((*id, record.name));
            }
        } else {
            self.set_marks(&entries);
            if entries.iter().any(|entry| self.holds_more(entry)) {
                self.say("Marked as a whole, with what the filter hides in it");
            }
        }
        let has_rows = self.views.sheets.last().is_some_and(|sheet| sheet.rows() > 0);
        if entries.is_empty() && has_rows {
            let is_of_changes = self.sheet().is_some_and(|sheet| sheet.view == View::Growth);
            if is_of_changes {
                self.say("What is gone cannot be marked");
            } else {
                let shows = self.keymap.hint(Command::Open, Scope::Sheet, "shows what is behind it");
                self.say(format!("A sum cannot be marked{shows}"));
            }
        }
        self.marks.add_up(self.tree);
        self.step_down();
    }

    fn step_down(&mut self) {
        let lines = layout(self.size).list_lines();
        if let Some(sheet) = self.views.sheets.last_mut() {
            sheet.step(Motion::Down, lines);
        } else {
            self.place.step(Motion::Down, self.lines_here());
            self.place.pin();
        }
    }

    /// Begins a range, or marks what is between its beginning and the cursor.
    pub(super) fn mark_range(&mut self) {
        let Some((id, record)) = self.entries(self.row(), 1).first().copied() else { return };
        let Some(Anchor { place }) = self.anchor.take() else {
            self.place.pin();
            self.anchor = Some(Anchor { place: (id, record.name) });
            let name = |command| self.keymap.first(command, Scope::List).unwrap_or_default();
            let (again, none) = (name(Command::MarkRange), name(Command::Back));
            let text = format!("A range begins here; move and press {again} again ({none}: none)");
            self.say(text);
            return;
        };
        let Some(begin) = self.row_of(place) else {
            self.say("Where the range began is not shown any more");
            return;
        };
        let (first, last) = (begin.min(self.row()), begin.max(self.row()));
        let entries = self.whole_entries(first, last - first + 1);
        self.set_marks(&entries);
        self.marks.add_up(self.tree);
    }

    /// Marks everything that has a row.
    pub(super) fn mark_shown(&mut self) {
        let entries = self.whole_entries(0, usize::MAX);
        self.set_marks(&entries);
        self.marks.add_up(self.tree);
    }

    /// Marks what is not marked of what has a row, and the other way round.
    pub(super) fn invert_marks(&mut self) {
        let entries = self.whole_entries(0, usize::MAX);
        let missing: Vec<_> =
            entries.into_iter().filter(|(id, record)| !self.marks.clear((*id, record.name))).collect();
        self.set_marks(&missing);
        self.marks.add_up(self.tree);
    }

    /// The row of the cursor.
    pub(super) fn row(&self) -> usize {
        self.views.sheets.last().map_or_else(|| self.place.index(), Sheet::index)
    }

    /// The row of an entry.
    fn row_of(&self, (parent, name): Place<'_>) -> Option<usize> {
        let Some(sheet) = self.views.sheets.last() else {
            let listing = self.place.listing();
            let is_it = |position| self.place.id == parent && listing.name(position) == Some(name);
            return self.place.rows().positions().position(is_it);
        };
        let listing = self.tree.listing(parent);
        let is_it =
            |(id, position): &(DirId, Position)| *id == parent && listing.name(*position) == Some(name);
        (0..sheet.rows()).find(|row| sheet.entries(*row).iter().any(is_it))
    }

    /// The entries of `count` rows, with the directories they are in; large parts of a directory are read in one pass.
    fn entries(&self, first: usize, count: usize) -> Vec<Entry<'t>> {
        let mut wanted: Vec<(DirId, Position)> = if let Some(sheet) = self.views.sheets.last() {
            let end = sheet.rows().min(first.saturating_add(count));
            (first..end).flat_map(|row| sheet.entries(row)).collect()
        } else {
            let positions = self.place.rows().positions().skip(first).take(count);
            positions.map(|position| (self.place.id, position)).collect()
        };
        wanted.sort_unstable();
        let mut entries = Vec::with_capacity(wanted.len());
        for wanted in wanted.chunk_by(|(one, _), (other, _)| one == other) {
            let id = wanted[0].0;
            let listing = self.tree.listing(id);
            if wanted.len() < FEW {
                let records = wanted.iter().filter_map(|(_, position)| listing.record(*position));
                entries.extend(records.map(|record| (id, record)));
                continue;
            }
            let mut next = wanted.iter().peekable();
            let mut is_wanted = |position| next.next_if(|(_, wanted)| *wanted == position).is_some();
            let records = listing.entries().filter(|(position, _)| is_wanted(*position));
            entries.extend(records.map(|(_, record)| (id, record)));
        }
        entries
    }

    /// Those of them that hold nothing that is not shown: what a filter hides is not marked along by many at once.
    fn whole_entries(&mut self, first: usize, count: usize) -> Vec<Entry<'t>> {
        let mut entries = self.entries(first, count);
        let before = entries.len();
        entries.retain(|entry| !self.holds_more(entry));
        match before - entries.len() {
            0 => {}
            1 => self.say("Not marked: 1 directory that holds more than is shown"),
            left => {
                self.say(format!("Not marked: {left} directories that hold more than is shown"));
            }
        }
        entries
    }

    fn holds_more(&self, (_, record): &Entry<'_>) -> bool {
        match record.content {
            Content::Known(facts) => facts.directory.is_some_and(|id| self.is_partly_shown(id)),
            Content::Excluded(_) | Content::Failed(_) => false,
        }
    }

    fn set_marks(&mut self, entries: &[Entry<'t>]) {
        let unknown = entries.iter().filter(|(id, record)| !self.marks.set(self.tree, *id, record)).count();
        if unknown > 0 {
            self.say("What was not read cannot be marked");
        }
    }

    /// Opens the list of the marks.
    pub(super) fn open_pane(&mut self) {
        self.mode = Mode::Marks;
        self.pane.cursor.index = 0;
        self.list_marks();
    }

    fn list_marks(&mut self) {
        self.pane.marks = self.marks.in_order(self.tree);
    }

    /// Gathers what is visible of the list.
    pub(super) fn look_at_marks(&mut self) {
        let pane = &mut self.pane;
        let lines = layout(self.size).list_lines().max(1);
        pane.cursor.show(lines, pane.marks.len());
        let visible = self.pane.marks.iter().skip(self.pane.cursor.offset).take(lines);
        let measure = self.order.measure;
        let line = |(place, mark): &(Place<'_>, Mark)| PaneLine {
            path: self.shown_path(&Marks::path(self.tree, *place)),
            kind: mark.kind,
            size: totals_size(&mark.totals(self.tree), measure),
        };
        let lines = visible.map(line).collect();
        self.pane.lines = lines;
    }

    /// Puts the cursor on a line of the list.
    pub(super) fn go_to_line(&mut self, line: usize) {
        self.pane.cursor.index = line;
    }

    /// What a key does to the list of the marks.
    pub(super) fn command_marks(&mut self, command: Command) -> Option<Effect> {
        let under_cursor = self.marked_under_cursor();
        match (command, under_cursor) {
            (Command::Move(motion), _) => {
                let lines = layout(self.size).list_lines();
                self.pane.cursor.step(motion, lines, self.pane.marks.len());
            }
            (Command::Mark, Some(place)) => {
                self.marks.clear(place);
                self.marks.add_up(self.tree);
                self.list_marks();
            }
            (Command::Open, Some(place)) => {
                self.mode = Mode::List;
                self.go_to_name(place);
            }
            (Command::PrintMarks, _) => return self.print_marks(),
            (Command::Mark | Command::Open, None) => {}
            _ => self.mode = Mode::List,
        }
        None
    }

    /// The mark under the cursor of the list.
    pub(super) fn marked_under_cursor(&self) -> Option<Place<'t>> {
        self.pane.marks.get(self.pane.cursor.index).map(|(place, _)| *place)
    }

    /// Goes to the directory a mark is in, with the cursor on it.
    fn go_to_name(&mut self, (parent, name): Place<'t>) {
        let found = self.tree.listing(parent).entries().find(|(_, record)| record.name == name);
        if let Some((position, _)) = found {
            self.go_to_entry(parent, position);
        }
    }

    /// Leaves, with the marks to be printed.
    pub(super) fn print_marks(&mut self) -> Option<Effect> {
        if self.marks.count() == 0 {
            self.say("Nothing is marked");
            return None;
        }
        let path = |(place, _): &(Place<'_>, Mark)| self.shown_path(&Marks::path(self.tree, *place));
        Some(Effect::Print(self.marks.in_order(self.tree).iter().map(path).collect()))
    }

    /// The path of the entry under the cursor, or else of the directory that is shown.
    pub(super) fn copy_path(&mut self) -> Option<Effect> {
        let path = match self.entries(self.row(), 1).first() {
            Some((id, record)) => self.shown_path(&Marks::path(self.tree, (*id, record.name))),
            None if self.views.sheets.is_empty() => self.path.clone(),
            None => {
                self.say("A sum has no path");
                return None;
            }
        };
        self.say(format!("Copied {}", crate::text::escape(&path)));
        Some(Effect::Copy(path))
    }

    pub(super) fn renew_marks(&mut self, successors: &mut Successors<'t>) {
        let gone = self.marks.renew(self.tree, successors);
        if self.mode == Mode::Marks {
            self.list_marks();
        }
        match gone {
            0 => {}
            1 => self.say("1 mark is gone with its entry"),
            _ => self.say(format!("{gone} marks are gone with their entries")),
        }
    }
}
