//! Marking entries, and the pane that lists the marks.
//!
//! Invariant: only the commands in this file change marks, and rescans, which keep those whose entry is still there.

use super::{App, Effect, Mode};
use crate::kind::Kind;
use crate::tree::{Position, Record, Successors};
use crate::ui::keys::{Command, Motion, Scope};
use crate::ui::marks::{Mark, Marks, Place};
use crate::ui::place::moved;
use crate::ui::view::layout;
use crate::ui::window::totals_size;

/// The list of the marks.
#[derive(Default)]
pub struct Pane<'t> {
    /// The lines that are visible.
    pub lines: Vec<PaneLine>,
    /// The line of the cursor, among all.
    pub index: usize,
    /// The first visible line, among all.
    pub offset: usize,
    marks: Vec<(Place<'t>, Mark)>,
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
    name: &'t [u8],
}

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

    /// Marks the entry under the cursor or takes its mark off, and moves down.
    pub(super) fn mark(&mut self) {
        let Some(record) = self.place.entry() else { return };
        if !self.marks.clear((self.place.id, record.name)) {
            self.set_marks(&[record]);
        }
        self.marks.add_up(self.tree);
        self.place.step(Motion::Down, self.lines_here());
        self.place.pin();
    }

    /// Begins a range, or marks what is between its beginning and the cursor.
    pub(super) fn mark_range(&mut self) {
        let Some(record) = self.place.entry() else { return };
        let Some(anchor) = self.anchor.take() else {
            self.place.pin();
            self.anchor = Some(Anchor { name: record.name });
            let name = |command| self.keymap.first(command, Scope::List).unwrap_or_default();
            let (again, none) = (name(Command::MarkRange), name(Command::Back));
            let text = format!("A range begins here; move and press {again} again ({none}: none)");
            self.notice = Some(text.into());
            return;
        };
        let listing = self.place.listing();
        let is_anchor = |position| listing.name(position) == Some(anchor.name);
        let begin = self.place.rows().positions().position(is_anchor);
        let Some(begin) = begin else {
            self.notice = Some("Where the range began is not shown any more".into());
            return;
        };
        let (first, last) = (begin.min(self.place.index()), begin.max(self.place.index()));
        let records = self.records(first, last - first + 1);
        self.set_marks(&records);
        self.marks.add_up(self.tree);
    }

    /// Marks everything that has a row.
    pub(super) fn mark_shown(&mut self) {
        let records = self.records(0, usize::MAX);
        self.set_marks(&records);
        self.marks.add_up(self.tree);
    }

    /// Marks what is not marked of what has a row, and the other way round.
    pub(super) fn invert_marks(&mut self) {
        let records = self.records(0, usize::MAX);
        let id = self.place.id;
        let missing: Vec<_> =
            records.into_iter().filter(|record| !self.marks.clear((id, record.name))).collect();
        self.set_marks(&missing);
        self.marks.add_up(self.tree);
    }

    /// The entries of `count` rows, in the listing's order: read in one pass.
    fn records(&self, first: usize, count: usize) -> Vec<Record<'t>> {
        let mut wanted: Vec<Position> = self.place.rows().positions().skip(first).take(count).collect();
        wanted.sort_unstable();
        let entries = self.place.listing().entries();
        let is_wanted = |position: &Position| wanted.binary_search(position).is_ok();
        entries.filter(|(position, _)| is_wanted(position)).map(|(_, record)| record).collect()
    }

    fn set_marks(&mut self, records: &[Record<'t>]) {
        let id = self.place.id;
        let unknown = records.iter().filter(|record| !self.marks.set(self.tree, id, record)).count();
        if unknown > 0 {
            self.notice = Some("What was not read cannot be marked".into());
        }
    }

    /// Opens the list of the marks.
    pub(super) fn open_pane(&mut self) {
        self.mode = Mode::Marks;
        self.pane.index = 0;
        self.list_marks();
    }

    fn list_marks(&mut self) {
        self.pane.marks = self.marks.in_order(self.tree);
    }

    /// Gathers what is visible of the list.
    pub(super) fn look_at_marks(&mut self) {
        let pane = &mut self.pane;
        let lines = layout(self.size).list_lines().max(1);
        pane.index = pane.index.min(pane.marks.len().saturating_sub(1));
        let least = (pane.index + 1).saturating_sub(lines);
        let most = pane.index.min(pane.marks.len().saturating_sub(lines));
        pane.offset = pane.offset.clamp(least, most);
        let visible = self.pane.marks.iter().skip(self.pane.offset).take(lines);
        let measure = self.order.measure;
        let line = |(place, mark): &(Place<'_>, Mark)| PaneLine {
            path: self.shown_path(&Marks::path(self.tree, *place)),
            kind: mark.kind,
            size: totals_size(&mark.totals(self.tree), measure),
        };
        let lines = visible.map(line).collect();
        self.pane.lines = lines;
    }

    /// What a key does to the list of the marks.
    pub(super) fn command_marks(&mut self, command: Command) -> Option<Effect> {
        let under_cursor = self.pane.marks.get(self.pane.index).map(|(place, _)| *place);
        match (command, under_cursor) {
            (Command::Move(motion), _) => {
                let lines = layout(self.size).list_lines();
                self.pane.index = moved(self.pane.index, motion, lines, self.pane.marks.len());
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
            self.notice = Some("Nothing is marked".into());
            return None;
        }
        let path = |(place, _): &(Place<'_>, Mark)| self.shown_path(&Marks::path(self.tree, *place));
        Some(Effect::Print(self.marks.in_order(self.tree).iter().map(path).collect()))
    }

    /// The path of the entry under the cursor, or else of the directory that is shown.
    pub(super) fn copy_path(&mut self) -> Effect {
        let name = self.place.entry().map(|record| record.name);
        let path = match name {
            Some(name) => self.shown_path(&Marks::path(self.tree, (self.place.id, name))),
            None => self.path.clone(),
        };
        self.notice = Some(format!("Copied {}", crate::text::escape(&path)).into());
        Effect::Copy(path)
    }

    pub(super) fn renew_marks(&mut self, successors: &mut Successors<'t>) {
        let gone = self.marks.renew(self.tree, successors);
        if self.mode == Mode::Marks {
            self.list_marks();
        }
        match gone {
            0 => {}
            1 => self.notice = Some("1 mark is gone with its entry".into()),
            _ => self.notice = Some(format!("{gone} marks are gone with their entries").into()),
        }
    }
}
