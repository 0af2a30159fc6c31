//! Info page of the entry under the cursor, and programs started for that entry.

use super::App;
use crate::source::SourceKind;
use crate::tree::{DirId, EntryId, Relocation};
use crate::ui::keys::Program;
use crate::ui::layers::Layer;
use crate::ui::layers::info::InfoPage;
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::operations::programs::Launch;

impl<'t> App<'t> {
    /// Opens the info page of the entry under the cursor, or of the shown directory if there is no such entry.
    pub(super) fn inspect(&mut self) {
        let Some(entry) =
            self.shown_under_cursor().or_else(|| EntryId::of(self.cx.tree, self.cx.location.id))
        else {
            self.cx.notify(Notice::NoEntry);
            return;
        };
        self.layers.push(Layer::Info(InfoPage::new(entry, self.cx.source_kind)));
    }

    /// Returns the entry under the cursor in any view; `None` if the row represents several entries.
    pub(super) fn under_cursor(&self) -> Option<EntryId> {
        if let Some(Layer::Marks(list)) = self.layers.last() {
            let (parent, name) = list.selected()?;
            return EntryId::named(self.cx.tree, parent, name);
        }
        self.cx.entry_under_cursor()
    }

    /// Returns the entry under the cursor. If the row represents several entries, such as the names of a file, returns
    /// the first of these entries.
    fn shown_under_cursor(&self) -> Option<EntryId> {
        let first_of_names = || self.cx.table()?.entries(self.cx.tree, self.cx.row()).first().copied();
        self.under_cursor().or_else(first_of_names)
    }

    /// Closes all layers if the top layer is a page. Returns `true` if it was a page.
    pub(super) fn close_page(&mut self) -> bool {
        let is_page = self.layers.last().is_some_and(Layer::is_page);
        if is_page {
            self.layers.clear();
        }
        is_page
    }

    /// Updates all references to directories that a rescan has replaced.
    pub(super) fn relocate(&mut self, replaced: Vec<DirId>) -> Relocation<'t> {
        let mut relocation = self.cx.relocate(replaced);
        self.layers.retain_mut(|layer| layer.component_mut().relocate(&mut relocation, &mut self.cx));
        relocation
    }

    /// Requests that `program` be started. A pager or an opener is started for the entry under the cursor.
    pub(super) fn start(&mut self, program: Program) -> Option<Effect> {
        if self.cx.source_kind != SourceKind::Live {
            self.cx.notify(Notice::RecordedNotHere);
            return None;
        }
        if program == Program::Shell {
            return self.shell();
        }
        let entry =
            self.shown_under_cursor().and_then(|entry| Some((entry.directory, entry.record(self.cx.tree)?)));
        let Some((directory, record)) = entry else {
            self.cx.notify(self.cx.no_entry());
            return None;
        };
        if program == Program::Opener {
            let path = self.cx.entry_path(directory, record.name);
            self.cx.notify(Notice::Opening(path.clone()));
            return Some(Effect::Start(Launch::Open(path)));
        }
        if record.kind != crate::base::kind::Kind::File {
            self.cx.notify(Notice::OnlyFiles);
            return None;
        }
        Some(Effect::Start(Launch::View(directory, record.name.to_vec())))
    }

    /// Requests a shell in the shown directory or, in a table view, in the directory of the entry under the cursor.
    fn shell(&mut self) -> Option<Effect> {
        let directory = match self.cx.table() {
            Some(_) => self.shown_under_cursor().map_or(self.cx.location.id, |entry| entry.directory),
            None => self.cx.location.id,
        };
        if directory == DirId::TOP {
            self.cx.notify(Notice::NotInRoot);
            return None;
        }
        Some(Effect::Start(Launch::Shell(directory)))
    }
}
