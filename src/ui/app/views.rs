//! Current scope of the key bindings, background jobs of views and layers, and commands that open or close views.

use super::App;
use crate::source::SourceKind;
use crate::table::column::Column;
use crate::ui::keys::{Command, Scope};
use crate::ui::layers::Layer;
use crate::ui::loader::Sources;
use crate::ui::widgets::overview;

impl App<'_> {
    /// Starts the background jobs of views and layers, and collects their results. Returns `true` if a result is new.
    pub fn poll(&mut self, sources: &Sources<'_>) -> bool {
        let scope = self.scope();
        let mut has_changed = false;
        // A result may require another job, so poll until nothing changes.
        while self.poll_loads(sources) {
            has_changed = true;
        }
        if has_changed {
            self.collect();
            self.forget_hits_of_another(scope);
        }
        has_changed
    }

    fn poll_loads(&mut self, sources: &Sources<'_>) -> bool {
        let info = self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Info(page) => Some(page),
            _ => None,
        });
        let has_facts = info.is_some_and(|page| page.info.poll(sources));
        let has_rows = self.cx.poll_rows(sources);
        let is_whole = self.cx.poll_whole(sources);
        let is_compared = self.cx.poll_comparison(sources) | self.cx.poll_exclusive(sources);
        let is_found = self.cx.poll_shown(sources)
            | self.cx.poll_map(sources)
            | self.cx.poll_overview(sources)
            | self.cx.poll_preview(sources);
        // User IDs in a snapshot or export may be those of another machine, so their names are not looked up.
        let may_name = self.cx.shown.columns.has(Column::Owner) && self.cx.source_kind == SourceKind::Live;
        let has_names = may_name && self.cx.owners.poll(&self.cx.window.lines, sources);
        has_facts || has_rows || is_whole || is_compared || is_found || has_names
    }

    pub fn is_loading(&self) -> bool {
        let is_inspected =
            |layer: &Layer<'_>| matches!(layer, Layer::Info(page) if page.info.inspection.is_running());
        self.cx.views.is_loading()
            || self.cx.sorting.as_ref().is_some_and(|sorting| sorting.rows.is_running())
            || self.cx.owners.is_loading()
            || self.layers.iter().any(is_inspected)
    }

    /// Returns the scope of the top layer, or of the view if no layer is open.
    pub fn scope(&self) -> Scope {
        match self.layers.last() {
            Some(layer) => layer.component().scope(),
            None if !self.cx.views.tables.is_empty() => Scope::Table,
            None if self.cx.views.is_treemap() => Scope::Treemap,
            None if self.cx.views.is_overview() => Scope::Overview,
            None => Scope::List,
        }
    }

    /// Opens or closes a view, starts a search, or moves to another cell.
    pub(super) fn view_command(&mut self, command: Command) {
        match command {
            Command::View(view) => self.cx.show(view),
            Command::Search => self.begin_search(),
            Command::Cell(side) if self.cx.views.is_overview() => {
                let has_space = overview::has_space(&self.cx, self.cx.regions(self.cx.size).view);
                self.cx.views.overview.step(side, self.cx.size.0, has_space);
            }
            Command::Cell(side) => self.cx.step_cell(side),
            Command::Back | Command::Quit => self.cx.close_view(),
            _ => {}
        }
    }
}
