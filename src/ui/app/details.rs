//! All there is to know of one entry, and programs started for it.
//!
//! Invariant: what is shown of the system was asked about the entry that is shown.

use super::{App, Effect, Mode};
use crate::inspect::Inspection;
use crate::source::Nature;
use crate::sync::Arc;
use crate::tree::diff::Fate;
use crate::tree::{DirId, Position, Record, Successors, Totals, join};
use crate::ui::cursor::moved;
use crate::ui::errand::Errand;
use crate::ui::keys::{Command, Program};
use crate::ui::layout::layout;
use crate::ui::sheet::Target;
use crate::ui::view::details::{self, Row};
use crate::ui::window::{Bound, bound};
use crate::ui::work::{Ask, Findings, Wish};

/// What is shown of one entry.
#[derive(Clone, Debug)]
pub struct Details {
    /// The directory it is in.
    pub directory: DirId,
    /// Where it is in the directory's listing.
    pub position: Position,
    /// What was found so far.
    pub inspection: Option<Arc<Inspection>>,
    /// Why nothing will be found.
    pub failure: Option<String>,
    /// Everything there is to say, line by line.
    pub rows: Vec<Row>,
    /// The first visible line.
    pub offset: usize,
    wish: Wish,
    /// Of what was recorded elsewhere the system here knows nothing.
    nature: Nature,
    /// What was there before.
    before: Mode,
}

impl Details {
    /// Whether more will come.
    pub fn is_awaited(&self) -> bool {
        self.nature == Nature::Live
            && self.failure.is_none()
            && self.inspection.as_ref().is_none_or(|found| !found.is_complete)
    }

    /// What it waits for.
    pub(super) fn wish(&self) -> Option<&Wish> {
        self.is_awaited().then_some(&self.wish)
    }
}

impl<'t> App<'t> {
    /// What is shown of one entry.
    pub fn details(&self) -> Option<&Details> {
        self.details.as_ref()
    }

    /// Shows what there is to know of the entry under the cursor, or where there is none, of the directory.
    pub(super) fn inspect(&mut self) {
        let Some((directory, position)) = self.shown_under_cursor().or_else(|| self.directory_itself())
        else {
            self.say("There is no entry here");
            return;
        };
        let wish = self.wish_for(directory, position);
        let before = self.mode;
        self.details = Some(Details {
            directory,
            position,
            inspection: None,
            failure: None,
            rows: Vec::new(),
            offset: 0,
            wish,
            nature: self.nature,
            before,
        });
        self.mode = Mode::Details;
    }

    fn wish_for(&mut self, from: DirId, position: Position) -> Wish {
        let number = self.next_wish();
        Wish {
            number,
            ask: Ask::Inspect(position),
            from,
            query: crate::search::Query::default(),
            order: crate::search::Order::default(),
            beside: crate::rows::Beside::default(),
        }
    }

    /// The entry under the cursor, wherever that is.
    pub(super) fn under_cursor(&self) -> Option<(DirId, Position)> {
        if self.mode == Mode::Marks {
            let (parent, name) = self.marked_under_cursor()?;
            let listing = self.tree.listing(parent);
            let found = listing.entries().find(|(_, record)| record.name == name);
            return found.map(|(position, _)| (parent, position));
        }
        match self.sheet() {
            Some(sheet) => match sheet.target()? {
                Target::Entry(directory, position) => Some((directory, position)),
                Target::Change(row) if row.fate != Fate::Gone => Some((row.directory, row.position)),
                Target::Change(_) | Target::Files { .. } | Target::Words { .. } => None,
            },
            None => Some((self.place.id, self.place.rows().position(self.place.index())?)),
        }
    }

    /// The entry under the cursor; of several names of a file, the first.
    fn shown_under_cursor(&self) -> Option<(DirId, Position)> {
        let first_of_names = || self.sheet()?.entries(self.row()).first().copied();
        self.under_cursor().or_else(first_of_names)
    }

    /// The entry that the directory is in the one above it.
    fn directory_itself(&self) -> Option<(DirId, Position)> {
        let parent = self.tree.parent(self.place.id)?;
        let listing = self.tree.listing(parent);
        let found = listing.entries().find(|(_, record)| record.directory() == Some(self.place.id));
        found.map(|(position, _)| (parent, position))
    }

    /// What the tree has of an entry.
    pub fn record(&self, directory: DirId, position: Position) -> Option<Record<'t>> {
        self.tree.listing(directory).record(position)
    }

    /// What lies in a directory, how that relates to the truth, and why it could not be read.
    pub fn standing(&self, id: DirId) -> (Totals, Bound, Option<i32>) {
        let (totals, status) = (self.live.totals(self.tree, id), self.tree.status(id));
        (totals, bound(status, &totals, totals.disk), status.errno)
    }

    /// What hard links share in a directory.
    pub fn shared(&self, id: DirId) -> u64 {
        self.tree.shared(id)
    }

    /// The path of an entry, its root as shown.
    pub fn entry_path(&self, directory: DirId, name: &[u8]) -> Vec<u8> {
        self.shown_path(&join([self.tree.path(directory).as_slice(), name]))
    }

    /// What a key does while details are shown.
    pub(super) fn command_details(&mut self, command: Command) {
        let lines = layout(self.size).list_lines();
        let Some(details) = &mut self.details else { return };
        match command {
            Command::Move(motion) => {
                let last = details.rows.len().saturating_sub(lines);
                details.offset = moved(details.offset, motion, lines, last + 1);
            }
            _ => self.close_details(),
        }
    }

    fn close_details(&mut self) {
        if let Some(details) = self.details.take() {
            self.mode = details.before;
        }
    }

    /// Takes what was found, if it is about this entry.
    pub(super) fn take_inspection(&mut self, number: u64, findings: &Findings) {
        let Some(details) = self.details.as_mut().filter(|details| details.wish.number == number) else {
            return;
        };
        match findings {
            Findings::Inspected(inspection) => details.inspection = Some(Arc::clone(inspection)),
            Findings::Failed(reason) => details.failure = Some(reason.clone()),
            _ => {}
        }
    }

    /// Gathers what is visible.
    pub(super) fn look_at_details(&mut self) {
        let Some(mut details) = self.details.take() else { return };
        let area = layout(self.size).list;
        details.rows = details::rows(self, &details, usize::from(area.width));
        let last = details.rows.len().saturating_sub(usize::from(area.height).max(1));
        details.offset = details.offset.min(last);
        self.details = Some(details);
    }

    /// After a rescan: the entry may be somewhere else, or be gone.
    pub(super) fn renew_details(&mut self, successors: &mut Successors<'t>) {
        let Some(mut details) = self.details.take() else { return };
        let name = self.tree.listing(details.directory).name(details.position).map(<[u8]>::to_vec);
        let directory = successors.find(details.directory);
        let found = directory.zip(name).and_then(|(directory, name)| {
            let listing = self.tree.listing(directory);
            let found = listing.entries().find(|(_, record)| record.name == name);
            found.map(|(position, _)| (directory, position))
        });
        let Some((directory, position)) = found else {
            self.mode = details.before;
            self.say("It is not there any more");
            return;
        };
        details.wish = self.wish_for(directory, position);
        self.details = Some(Details { directory, position, inspection: None, ..details });
    }

    /// Starts a program for what is under the cursor.
    pub(super) fn start(&mut self, program: Program) -> Option<Effect> {
        if self.nature == Nature::Recorded {
            self.say("This was read from an export, and is not here");
            return None;
        }
        if program == Program::Shell {
            return self.shell();
        }
        let entry = self.shown_under_cursor().and_then(|(directory, position)| {
            let record = self.tree.listing(directory).record(position)?;
            Some((directory, record))
        });
        let Some((directory, record)) = entry else {
            self.say("There is no entry here");
            return None;
        };
        if program == Program::Opener {
            let path = self.entry_path(directory, record.name);
            self.say(format!("Opening {}", crate::text::escape(&path)));
            return Some(Effect::Start(Errand::Open(path)));
        }
        if record.kind != crate::kind::Kind::File {
            self.say("Only files can be viewed");
            return None;
        }
        Some(Effect::Start(Errand::View(directory, record.name.to_vec())))
    }

    /// A shell where one stands; in a view of everything below, where the entry under the cursor is.
    fn shell(&mut self) -> Option<Effect> {
        let place = match self.sheet() {
            Some(_) => self.shown_under_cursor().map_or(self.place.id, |(directory, _)| directory),
            None => self.place.id,
        };
        if place == DirId::TOP {
            self.say("Go to one of the roots first");
            return None;
        }
        Some(Effect::Start(Errand::Shell(place)))
    }
}
