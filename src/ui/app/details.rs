//! Entry under the cursor: its info page, and programs started for it.

use super::App;
use crate::analysis::compare::diff::ChangeKind;
use crate::source::SourceKind;
use crate::tree::{DirId, Position};
use crate::ui::errand::Errand;
use crate::ui::keys::Program;
use crate::ui::layers::Layer;
use crate::ui::layers::info::InfoPage;
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::views::Target;

impl App<'_> {
    /// Opens the info page of the entry under the cursor, or of the directory if there is none.
    pub(super) fn inspect(&mut self) {
        let Some((directory, position)) = self.shown_under_cursor().or_else(|| self.cx.directory_itself())
        else {
            self.cx.notify(Notice::NoEntry);
            return;
        };
        self.layers.push(Layer::Info(InfoPage::new(directory, position, self.cx.nature)));
    }

    /// Returns the entry under the cursor, in any view.
    pub(super) fn under_cursor(&self) -> Option<(DirId, Position)> {
        if let Some(Layer::Marks(list)) = self.layers.last() {
            let (parent, name) = list.selected()?;
            let listing = self.cx.tree.listing(parent);
            let found = listing.entries().find(|(_, record)| record.name == name);
            return found.map(|(position, _)| (parent, position));
        }
        match self.cx.sheet() {
            Some(sheet) => match sheet.target()? {
                Target::Entry(directory, position) => Some((directory, position)),
                Target::Change(row) if row.fate != ChangeKind::Gone => Some((row.directory, row.position)),
                Target::Change(_) | Target::Files { .. } | Target::Words { .. } => None,
            },
            None => Some((self.cx.place.id, self.cx.place.rows().position(self.cx.place.index())?)),
        }
    }

    /// Returns the entry under the cursor; for a file with several names, the first.
    fn shown_under_cursor(&self) -> Option<(DirId, Position)> {
        let first_of_names = || self.cx.sheet()?.entries(self.cx.row()).first().copied();
        self.under_cursor().or_else(first_of_names)
    }

    /// Closes the pages above the view. Returns `true` if there was any.
    pub(super) fn close_page(&mut self) -> bool {
        let is_page = self.layers.last().is_some_and(Layer::is_page);
        if is_page {
            self.layers.clear();
        }
        is_page
    }

    /// Relocates everything in these replaced directories.
    pub(super) fn renew(&mut self, replaced: Vec<DirId>) {
        let mut relocation = self.cx.renew(replaced);
        self.layers.retain_mut(|layer| layer.component_mut().relocate(&mut relocation, &mut self.cx));
    }

    /// Starts a program for the entry under the cursor.
    pub(super) fn start(&mut self, program: Program) -> Option<Effect> {
        if self.cx.nature == SourceKind::Recorded {
            self.cx.notify(Notice::RecordedNotHere);
            return None;
        }
        if program == Program::Shell {
            return self.shell();
        }
        let entry = self.shown_under_cursor().and_then(|(directory, position)| {
            let record = self.cx.tree.listing(directory).record(position)?;
            Some((directory, record))
        });
        let Some((directory, record)) = entry else {
            self.cx.notify(Notice::NoEntry);
            return None;
        };
        if program == Program::Opener {
            let path = self.cx.entry_path(directory, record.name);
            self.cx.notify(Notice::Opening(path.clone()));
            return Some(Effect::Start(Errand::Open(path)));
        }
        if record.kind != crate::base::kind::Kind::File {
            self.cx.notify(Notice::OnlyFiles);
            return None;
        }
        Some(Effect::Start(Errand::View(directory, record.name.to_vec())))
    }

    /// Starts a shell in the shown directory; in a view of a subtree, in the directory of the entry under the
    /// cursor.
    fn shell(&mut self) -> Option<Effect> {
        let place = match self.cx.sheet() {
            Some(_) => self.shown_under_cursor().map_or(self.cx.place.id, |(directory, _)| directory),
            None => self.cx.place.id,
        };
        if place == DirId::TOP {
            self.cx.notify(Notice::NotInRoot);
            return None;
        }
        Some(Effect::Start(Errand::Shell(place)))
    }
}
