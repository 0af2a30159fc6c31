//! Info page of the entry under the cursor, and programs started for it.

use super::{App, Effect};
use crate::analysis::compare::diff::ChangeKind;
use crate::source::SourceKind;
use crate::table::row::Precision;
use crate::tree::{DirId, Entry, Position, Relocation, Totals, join};
use crate::ui::errand::Errand;
use crate::ui::keys::Program;
use crate::ui::layers::Layer;
use crate::ui::layers::info::InfoPage;
use crate::ui::notice::Notice;
use crate::ui::views::Target;
use crate::ui::window::bound;

impl<'t> App<'t> {
    /// Opens the info page of the entry under the cursor, or of the directory if there is none.
    pub(super) fn inspect(&mut self) {
        let Some((directory, position)) = self.shown_under_cursor().or_else(|| self.directory_itself())
        else {
            self.notify(Notice::NoEntry);
            return;
        };
        self.layers.push(Layer::Info(InfoPage::new(directory, position, self.nature)));
    }

    /// Returns the entry under the cursor, in any view.
    pub(super) fn under_cursor(&self) -> Option<(DirId, Position)> {
        if let Some(Layer::Marks(list)) = self.layers.last() {
            let (parent, name) = list.selected()?;
            let listing = self.tree.listing(parent);
            let found = listing.entries().find(|(_, record)| record.name == name);
            return found.map(|(position, _)| (parent, position));
        }
        match self.sheet() {
            Some(sheet) => match sheet.target()? {
                Target::Entry(directory, position) => Some((directory, position)),
                Target::Change(row) if row.fate != ChangeKind::Gone => Some((row.directory, row.position)),
                Target::Change(_) | Target::Files { .. } | Target::Words { .. } => None,
            },
            None => Some((self.place.id, self.place.rows().position(self.place.index())?)),
        }
    }

    /// Returns the entry under the cursor; for a file with several names, the first.
    fn shown_under_cursor(&self) -> Option<(DirId, Position)> {
        let first_of_names = || self.sheet()?.entries(self.row()).first().copied();
        self.under_cursor().or_else(first_of_names)
    }

    /// Returns the entry of the shown directory in its parent.
    fn directory_itself(&self) -> Option<(DirId, Position)> {
        let parent = self.tree.parent(self.place.id)?;
        let listing = self.tree.listing(parent);
        let found = listing.entries().find(|(_, record)| record.directory() == Some(self.place.id));
        found.map(|(position, _)| (parent, position))
    }

    /// Returns an entry of the tree.
    pub fn record(&self, directory: DirId, position: Position) -> Option<Entry<'t>> {
        self.tree.listing(directory).record(position)
    }

    /// Returns the totals of a directory, their precision, and the error number.
    pub fn standing(&self, id: DirId) -> (Totals, Precision, Option<i32>) {
        let (totals, status) = (self.live.totals(self.tree, id), self.tree.status(id));
        (totals, bound(status, &totals, totals.disk), status.errno)
    }

    /// Returns the shared disk usage of a directory.
    pub fn shared(&self, id: DirId) -> u64 {
        self.tree.shared(id)
    }

    /// Returns the path of an entry, with its root as shown.
    pub fn entry_path(&self, directory: DirId, name: &[u8]) -> Vec<u8> {
        self.shown_path(&join([self.tree.path(directory).as_slice(), name]))
    }

    /// Closes the pages above the view. Returns `true` if there was any.
    pub(super) fn close_page(&mut self) -> bool {
        let is_page = self.layers.last().is_some_and(Layer::is_page);
        if is_page {
            self.layers.clear();
        }
        is_page
    }

    /// Relocates the layers after a rescan, which may have moved or deleted their entries.
    pub(super) fn relocate_layers(&mut self, moved: &mut Relocation<'t>) {
        for mut layer in std::mem::take(&mut self.layers) {
            if layer.component_mut().relocate(moved, self) {
                self.layers.push(layer);
            }
        }
    }

    /// Starts a program for the entry under the cursor.
    pub(super) fn start(&mut self, program: Program) -> Option<Effect> {
        if self.nature == SourceKind::Recorded {
            self.notify(Notice::RecordedNotHere);
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
            self.notify(Notice::NoEntry);
            return None;
        };
        if program == Program::Opener {
            let path = self.entry_path(directory, record.name);
            self.notify(Notice::Opening(path.clone()));
            return Some(Effect::Start(Errand::Open(path)));
        }
        if record.kind != crate::base::kind::Kind::File {
            self.notify(Notice::OnlyFiles);
            return None;
        }
        Some(Effect::Start(Errand::View(directory, record.name.to_vec())))
    }

    /// Starts a shell in the shown directory; in a view of a subtree, in the directory of the entry under the
    /// cursor.
    fn shell(&mut self) -> Option<Effect> {
        let place = match self.sheet() {
            Some(_) => self.shown_under_cursor().map_or(self.place.id, |(directory, _)| directory),
            None => self.place.id,
        };
        if place == DirId::TOP {
            self.notify(Notice::NotInRoot);
            return None;
        }
        Some(Effect::Start(Errand::Shell(place)))
    }
}
