//! Views besides the list: the open one, the search, and the commands of their keys.
//!
//! Views are stacked as sheets, such as the files of one type above the list of types. At the bottom is the
//! directory, as a list or as a treemap. The search filters all of them until it is cleared.
//!
//! Invariant: every sheet is about the shown directory.

use std::time::Duration;

use super::App;
use super::filtering::Filtering;
use super::results::Origin;
use crate::analysis::search;
use crate::analysis::search::Query;
use crate::base::sync::Arc;
use crate::base::text::printable;
use crate::source::SourceKind;
use crate::table::column::Column;
use crate::table::rows::{Direction, Grouping, Hidden, Order};
use crate::tree::{DirId, Position, Relocation};
use crate::ui::cells;
use crate::ui::field::Field;
use crate::ui::keys::{Command, Scope, Side};
use crate::ui::layers::Layer;
use crate::ui::layout::layout;
use crate::ui::loader::{Loader, Sources, TableRequest};
use crate::ui::notice::Notice;
use crate::ui::place::Memory;
use crate::ui::sheet::{Page, Sheet, Sight};
use crate::ui::treemap::Tile;
use crate::ui::views::{self, Needs, TREEMAP, ViewSpec};

/// Interval between updates of a view of a growing tree.
const REFRESH: Duration = Duration::from_secs(2);

/// State of the views.
#[derive(Debug, Default)]
pub struct Views {
    /// `true` if the directory is shown as a treemap.
    pub is_treemap: bool,
    /// Search as it was typed; empty for none.
    pub text: Field,
    /// Error in the search, or the missing part.
    pub complaint: Option<String>,
    /// Visible part of the top sheet.
    pub page: Option<Page>,
    /// Rectangles of the rows in the treemap.
    pub tiles: Vec<Tile>,
    /// Sheets, the top one last.
    pub(in crate::ui) sheets: Vec<Sheet>,
    /// Valid part of the search.
    pub(super) filter: Query,
    /// Filter of the list by that search.
    pub(super) filtering: Option<Filtering>,
    /// View to return to.
    pub(super) origin: Option<Origin>,
    /// Present time in seconds since 1970.
    pub(super) clock: i64,
    /// Time of the last update of a sheet.
    refreshed: Duration,
    /// Check if a whole file system was scanned.
    pub(super) whole: Loader<Arc<bool>>,
    /// Baseline and comparison.
    pub(in crate::ui) compared: super::growth::Compared,
}

impl Views {
    /// Returns `true` if the result on the screen, of the top sheet or else of the filter, or the comparison lacks new
    /// entries.
    pub(super) fn is_outdated(&self) -> bool {
        let shown = match (self.sheets.last(), &self.filtering) {
            (Some(sheet), _) => sheet.rows.is_outdated(),
            (None, Some(filtering)) => filtering.result.is_outdated(),
            (None, None) => false,
        };
        shown || self.compared.column.as_ref().is_some_and(Loader::is_outdated)
    }

    /// Loads outdated results again.
    fn refresh(&mut self) {
        match (self.sheets.last_mut(), &mut self.filtering) {
            (Some(sheet), _) => sheet.rows.refresh(),
            (None, Some(filtering)) => filtering.result.refresh(),
            (None, None) => {}
        }
        self.compared.column.iter_mut().for_each(Loader::refresh);
    }

    /// Returns `true` if a job is running for a result.
    fn is_loading(&self) -> bool {
        let column = self.compared.column.as_ref();
        self.sheets.iter().any(|sheet| sheet.rows.is_running())
            || self.filtering.as_ref().is_some_and(|filtering| filtering.result.is_running())
            || self.whole.is_running()
            || self.compared.offer.is_running()
            || column.is_some_and(Loader::is_running)
    }

    /// Returns `true` if the results of a search are open.
    pub(super) fn has_results(&self) -> bool {
        self.sheets.first().is_some_and(|sheet| *sheet.table == views::search::TABLE)
    }

    /// Returns `true` if the prerequisite of a view makes its key worth a hint.
    pub fn is_of_use(&self, view: &ViewSpec) -> bool {
        match view.needs {
            Needs::Nothing => true,
            Needs::FileSystem => self.is_whole(),
            Needs::Baseline => self.can_grow(),
        }
    }
}

impl App<'_> {
    /// Returns the present time in seconds since 1970.
    pub(super) fn clock(&self) -> i64 {
        self.views.clock
    }

    /// Starts the jobs of what is shown, and takes their results. Returns `true` if something has changed.
    pub fn poll(&mut self, sources: &Sources<'_>) -> bool {
        let scope = self.scope();
        let mut has_changed = false;
        // A result can lead to another request.
        while self.poll_loads(sources) {
            has_changed = true;
        }
        if has_changed {
            self.look();
            self.forget_hits_of_another(scope);
        }
        has_changed
    }

    fn poll_loads(&mut self, sources: &Sources<'_>) -> bool {
        let info = self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Info(page) => Some(page),
            _ => None,
        });
        let has_facts = info.is_some_and(|page| page.poll(sources));
        let has_rows = self.poll_rows(sources);
        let is_whole = self.poll_whole(sources);
        let is_compared = self.poll_comparison(sources);
        let is_found = self.poll_shown(sources);
        // Numbers of other systems have other names.
        let may_name = self.shown.columns.has(Column::Owner) && self.nature == SourceKind::Live;
        let has_names = may_name && self.owners.poll(&self.window.lines, sources);
        has_facts || has_rows || is_whole || is_compared || is_found || has_names
    }

    /// Loads the rows of the top sheet, or else the filter.
    fn poll_shown(&mut self, sources: &Sources<'_>) -> bool {
        let order = self.request(Query::default()).order;
        if let Some((top, covered)) = self.views.sheets.split_last_mut() {
            for sheet in covered {
                sheet.rows.pause();
            }
            self.views.filtering.iter_mut().for_each(|filtering| filtering.result.pause());
            return top.poll(sources);
        }
        let has_changed =
            self.views.filtering.as_mut().is_some_and(|filtering| filtering.poll(sources, order));
        if has_changed {
            self.sort();
        }
        has_changed
    }

    /// Returns `true` if there may be results soon.
    pub fn is_loading(&self) -> bool {
        let is_inspected =
            |layer: &Layer<'_>| matches!(layer, Layer::Info(page) if page.inspection.is_running());
        self.views.is_loading()
            || self.owners.is_loading()
            || self.sorting.as_ref().is_some_and(|sorting| sorting.rows.is_running())
            || self.layers.iter().any(is_inspected)
    }

    /// Returns the top sheet.
    pub(super) fn sheet(&self) -> Option<&Sheet> {
        self.views.sheets.last()
    }

    /// Returns the scope whose key bindings apply: of the top layer, or else of the view.
    pub fn scope(&self) -> Scope {
        match self.layers.last() {
            Some(layer) => layer.component().scope(),
            None if !self.views.sheets.is_empty() => Scope::Sheet,
            None if self.views.is_treemap => Scope::Treemap,
            None => Scope::List,
        }
    }

    pub(super) fn set_clock(&mut self, seconds: i64) {
        self.views.clock = seconds;
    }

    /// Returns the order of the rows: by size in a treemap, or else the chosen order.
    pub(super) fn order_here(&self) -> Order {
        if !self.views.is_treemap {
            return self.order;
        }
        let (column, direction, grouping) = (Column::Size, Direction::Usual, Grouping::Mixed);
        Order { column, direction, grouping, ..self.order }
    }

    /// Returns the number of rows to collect for this view.
    pub(super) fn lines_here(&self) -> usize {
        if self.views.is_treemap { cells::MOST } else { layout(self.size).list_lines() }
    }

    /// Collects the visible part of the views, after the window.
    pub(super) fn look_at_views(&mut self) {
        let (lines, measure, scale) = (layout(self.size).list_lines(), self.order.measure, self.shown.scale);
        let sight = Sight { marks: &self.marks, measure, scale, columns: usize::from(self.size.0), lines };
        self.views.page = self.views.sheets.last_mut().map(|sheet| sheet.look(self.tree, sight));
        let has_results = self.views.has_results();
        if let Some(page) = self.views.page.as_mut().filter(|_| !self.views.text.is_empty()) {
            let title = if has_results { String::new() } else { page.title.clone() + " " };
            page.title = format!("{title}/{}", printable(self.views.text.as_str().as_bytes()));
        }
        self.views.tiles = if self.views.is_treemap {
            cells::tiles(&self.window, self.order.measure, layout(self.size).list)
        } else {
            Vec::new()
        };
    }

    /// Updates results that may lack new entries: at the end of a scan, and at intervals before.
    pub(super) fn refresh_views(&mut self, has_grown: bool) {
        if has_grown {
            self.views.sheets.iter_mut().for_each(|sheet| sheet.rows.outdate());
            self.views.filtering.iter_mut().for_each(|filtering| filtering.result.outdate());
            self.views.compared.column.iter_mut().for_each(Loader::outdate);
        }
        let now = self.scan.last.now;
        let is_due = !self.is_scanning() || now.saturating_sub(self.views.refreshed) >= REFRESH;
        if is_due && self.views.is_outdated() {
            self.views.refreshed = now;
            self.views.refresh();
        }
    }

    /// Relocates results after a rescan, which has replaced directories.
    pub(super) fn renew_views(&mut self, relocation: &mut Relocation<'_>) {
        self.views.origin = None;
        let mut sheets = std::mem::take(&mut self.views.sheets);
        for sheet in &mut sheets {
            if sheet.relocate(relocation).is_none() {
                self.begin_filter();
                return;
            }
        }
        self.views.sheets = sheets;
    }

    /// Performs a command that concerns the views, not one of the list.
    pub(super) fn view_command(&mut self, command: Command) {
        match command {
            Command::View(view) => self.show(view),
            Command::Search => self.begin_search(),
            Command::Cell(side) => self.step_cell(side),
            Command::Back | Command::Quit => self.close_view(),
            _ => {}
        }
    }

    pub(super) fn show(&mut self, spec: &'static ViewSpec) {
        if self.checked(self.check_view(spec)).is_none() {
            return;
        }
        self.views.origin = None;
        let Some(table) = spec.table else {
            self.views.sheets.clear();
            self.views.is_treemap = *spec == TREEMAP;
            self.begin_filter();
            self.sort();
            return;
        };
        let mut request = self.request(self.views.filter.clone());
        request.order.by = table.first_order.unwrap_or(request.order.by);
        self.views.sheets = vec![Sheet::new(self.title(spec), table, request)];
    }

    /// Checks that a view has its prerequisite.
    fn check_view(&self, spec: &ViewSpec) -> Result<(), Notice> {
        match spec.needs {
            Needs::FileSystem if self.nature == SourceKind::Recorded => Err(Notice::RecordedNotHere),
            Needs::Baseline => self.check_baseline(),
            Needs::Nothing | Needs::FileSystem => Ok(()),
        }
    }

    /// Returns the title of a view, with the age of the baseline if it has one.
    fn title(&self, spec: &ViewSpec) -> String {
        let offer = self.views.compared.offer().filter(|_| spec.needs == Needs::Baseline);
        let since = offer.and_then(|offer| offer.since);
        let since = since.map(|since| format!(" {}", crate::base::format::since(since, self.views.clock)));
        format!("{}{}", spec.title, since.unwrap_or_default())
    }

    /// Returns the request of a table of the shown directory.
    pub(super) fn request(&self, query: Query) -> TableRequest {
        let order = search::Order { by: self.by_size(), reversed: false };
        TableRequest { from: self.place.id, query, order, now: self.views.clock, units: self.units }
    }

    fn step_cell(&mut self, side: Side) {
        if let Some(index) = cells::neighbour(&self.views.tiles, self.window.index, side) {
            self.place.go_to(index);
            self.pin();
        }
    }

    /// Goes to an entry in its directory, without a filter. Returns `true` if it still exists.
    pub(super) fn go_to_entry(&mut self, directory: DirId, position: Position) -> bool {
        let listing = self.tree.listing(directory);
        let Some(record) = listing.record(position) else {
            self.notify(Notice::EntryGone);
            return false;
        };
        if self.order.hides(&record) {
            self.order.hidden = Hidden::Shown;
        }
        self.leave_search();
        self.views.origin = None;
        self.views.is_treemap = false;
        let mut way: Vec<DirId> = self.tree.ancestry(directory).skip(1).collect();
        if self.roots.len() != 1 && directory != DirId::TOP {
            way.push(DirId::TOP);
        }
        way.reverse();
        self.enter(directory);
        // Going back up, the cursor is on the directory that was left.
        for (above, below) in way.iter().zip(way.iter().skip(1).chain([&directory])) {
            let child =
                self.tree.listing(*above).entries().find(|(_, record)| record.directory() == Some(*below));
            if let Some((position, record)) = child {
                self.memories.insert(*above, Memory::at(position, record.name));
            }
        }
        self.trail = way;
        self.memories.insert(directory, Memory::at(position, record.name));
        self.enter_again(directory);
        true
    }
}
