//! Open views: requests for their data, updates of their results, and their commands.
//!
//! Table views form a stack. For example, the files of one type are on top of the table of types. At the
//! bottom is the directory itself, as a list, a treemap or an overview. A search filters all of these views
//! until it is cleared.
//!
//! Invariant: every open view is a view of the shown directory.

use std::time::Duration;

use super::Context;
use crate::analysis::search;
use crate::analysis::search::Query;
use crate::base::calendar::day_and_time;
use crate::base::sync::Arc;
use crate::base::text::printable;
use crate::source::SourceKind;
use crate::table::column::Column;
use crate::table::outline::{OutlineRequest, outline};
use crate::table::rows::{Direction, Grouping, Hidden, Order};
use crate::tree::{DirId, EntryId, Relocation};
use crate::ui::cells;
use crate::ui::keys::Side;
use crate::ui::layout::layout;
use crate::ui::list_state::SavedCursor;
use crate::ui::loader::{Loader, Sources, TableRequest};
use crate::ui::notice::Notice;
use crate::ui::table_page::Sight;
use crate::ui::table_view::TableView;
use crate::ui::title::{Title, baseline_title, recorded_title};
use crate::ui::view_state::BaseView;
use crate::ui::views::{Needs, OVERVIEW, TREEMAP, ViewSpec};
use crate::ui::views::{TableAnswer, df};

/// Minimum interval between updates of a view during a scan.
const REFRESH: Duration = Duration::from_secs(2);

impl Context<'_> {
    pub fn clock(&self) -> i64 {
        self.views.clock
    }

    /// Loads the rows of the top table view or, if none is open, of the filter. Returns `true` if anything has changed.
    pub fn poll_shown(&mut self, sources: &Sources<'_>) -> bool {
        let order = self.request(Query::default()).order;
        if let Some((top, covered)) = self.views.tables.split_last_mut() {
            for view in covered {
                view.rows.pause();
            }
            self.views.filtering.iter_mut().for_each(|filtering| filtering.result.pause());
            let compared = &self.views.compared;
            let is_of_changes = top.spec.is_of_changes();
            if is_of_changes && self.record.is_some() && compared.baseline.is_loading() {
                // The previous scan is compared with the baseline only if it is newer, which is not known yet.
                return false;
            }
            let record = self.record.as_ref().filter(|record| !is_of_changes || compared.precedes(record));
            let has_changed = top.poll(sources, record);
            if has_changed {
                self.mark_found();
            }
            return has_changed;
        }
        let has_changed =
            self.views.filtering.as_mut().is_some_and(|filtering| filtering.poll(sources, order));
        if has_changed {
            self.sort();
        }
        has_changed
    }

    pub fn table(&self) -> Option<&TableView> {
        self.views.tables.last()
    }

    pub fn set_clock(&mut self, seconds: i64) {
        self.views.clock = seconds;
    }

    /// Returns the order of the directory's rows: by size in a treemap, otherwise the user's order.
    pub fn order_here(&self) -> Order {
        if !self.views.is_treemap() {
            return self.order;
        }
        let (column, direction, grouping) = (Column::Size, Direction::Usual, Grouping::Mixed);
        Order { column, direction, grouping, ..self.order }
    }

    /// Returns the maximum number of rows of the shown directory that are collected for drawing.
    pub fn lines_here(&self) -> usize {
        if self.views.is_treemap() { cells::MOST } else { layout(self.size).list_lines() }
    }

    /// Collects the visible parts of table view, treemap, overview and preview. Must be called after updating `window`.
    pub fn collect_views(&mut self) {
        let (lines, measure, scale) = (layout(self.size).list_lines(), self.order.measure, self.shown.scale);
        let sight = Sight {
            marks: &self.marks,
            measure,
            scale,
            glyphs: self.theme.glyphs,
            columns: usize::from(self.regions(self.size).view.list.width),
            lines,
        };
        self.views.page = self.views.tables.last_mut().map(|view| view.update(self.tree, sight));
        let has_results = self.views.has_results();
        if let Some(page) = self.views.page.as_mut().filter(|_| !self.views.text.is_empty()) {
            let search = format!("/{}", printable(self.views.text.as_str().as_bytes()));
            let title = std::mem::take(&mut page.title);
            page.title =
                if has_results { search.into() } else { title.map(|title| format!("{title} {search}")) };
        }
        if let Some((page, record)) = self.views.page.as_mut().zip(self.record.as_ref())
            && page.is_recorded
        {
            let time = day_and_time(record.scanned_at, self.views.clock, &self.zone);
            page.title = recorded_title(std::mem::take(&mut page.title), &time);
        }
        self.collect_overview();
        self.collect_preview();
        self.views.tiles = if self.views.is_treemap() {
            let area = cells::map_area(layout(self.size).list);
            let parts = u64::from(area.width) * u64::from(area.height);
            let (directory, order, sizes) = (self.location.id, self.order, self.sizes());
            let request = OutlineRequest { directory, order, sizes, parts };
            self.views.map.want(request, |one, other| one.directory == other.directory);
            cells::tiles(&self.window, self.order.measure, area, self.theme)
        } else {
            self.views.map.forget();
            Vec::new()
        };
    }

    /// Reloads results that may lack new entries, at intervals during the scan and once at its end.
    pub fn refresh_views(&mut self, has_grown: bool) {
        if has_grown {
            // During the scan, views with rows from the previous scan are not reloaded, because new entries do not
            // change such rows.
            let keeps_recorded = self.is_scanning() && self.record.is_some();
            let outdated = self.views.tables.iter_mut().filter(|it| !(keeps_recorded && it.is_recorded()));
            outdated.for_each(|view| view.rows.outdate());
            self.views.filtering.iter_mut().for_each(|filtering| filtering.result.outdate());
            self.views.map.outdate();
            self.views.overview.outdate(keeps_recorded);
            self.views.preview.outdate();
            self.views.compared.column.iter_mut().for_each(Loader::outdate);
        }
        let now = self.scan.last.now;
        let is_due = !self.is_scanning() || now.saturating_sub(self.views.refreshed) >= REFRESH;
        if is_due && self.views.is_outdated() {
            self.views.refreshed = now;
            self.views.refresh();
        }
    }

    /// Updates the table views after a rescan has replaced directories. Closes all of them if the directory of any
    /// view no longer exists.
    pub fn relocate_views(&mut self, relocation: &mut Relocation<'_>) {
        self.views.return_to = None;
        let mut tables = std::mem::take(&mut self.views.tables);
        for view in &mut tables {
            if view.relocate(relocation).is_none() {
                self.begin_filter();
                return;
            }
        }
        self.views.tables = tables;
    }

    pub fn show(&mut self, spec: &'static ViewSpec) {
        if self.checked(self.check_view(spec)).is_none() {
            return;
        }
        self.views.return_to = None;
        let Some(table) = spec.table else {
            self.views.tables.clear();
            self.views.base = match spec {
                spec if *spec == TREEMAP => BaseView::Treemap,
                spec if *spec == OVERVIEW => BaseView::Overview,
                _ => BaseView::List,
            };
            self.begin_filter();
            self.sort();
            return;
        };
        let mut request = self.request(self.views.filter.clone());
        request.order.by = table.first_order.unwrap_or(request.order.by);
        self.views.tables = vec![TableView::new(self.title(spec), table, request)];
    }

    /// Checks that a view can be shown: the scan or baseline that it needs must be available.
    fn check_view(&self, spec: &ViewSpec) -> Result<(), Notice> {
        match spec.needs {
            Needs::LiveScan | Needs::CompleteScan if self.source_kind != SourceKind::Live => {
                Err(Notice::RecordedNotHere)
            }
            Needs::CompleteScan if self.is_scanning() => Err(Notice::ScanRunning),
            Needs::CompleteScan if self.rescan().is_some() => Err(Notice::RescanRunning),
            Needs::Baseline => self.check_baseline(),
            Needs::Nothing | Needs::LiveScan | Needs::CompleteScan => Ok(()),
        }
    }

    /// Returns the title of a view. If the view needs a baseline, the title describes the baseline.
    pub fn title(&self, spec: &ViewSpec) -> Title {
        let info = self.views.compared.baseline().filter(|_| spec.needs == Needs::Baseline);
        match info.and_then(|info| Some((info.since?, info))) {
            Some(baseline) => baseline_title(spec.title, baseline, self.views.clock, &self.zone),
            None => spec.title.to_owned().into(),
        }
    }

    pub fn request(&self, query: Query) -> TableRequest {
        let order = search::Order { by: self.by_size(), reversed: false };
        TableRequest { from: self.location.id, query, order, now: self.views.clock, units: self.units }
    }

    /// Loads the treemap's outline. Returns `true` if anything has changed.
    pub fn poll_map(&mut self, sources: &Sources<'_>) -> bool {
        self.views
            .map
            .poll(|request| Ok(Some(outline(sources.pool, Arc::clone(sources.tree), request)?.into())))
    }

    /// Switches the treemap to the next coloring: by type, age, or growth. Growth is skipped without a baseline, and
    /// while a filter is active, because filtered totals cannot be compared.
    pub fn next_map_colors(&mut self) {
        self.views.map_colors = self.views.map_colors.next(self.views.can_grow() && !self.is_filtered());
    }

    pub fn step_cell(&mut self, side: Side) {
        if let Some(index) = cells::neighbor(&self.views.tiles, self.window.index, side) {
            self.location.go_to(index);
            self.pin();
        }
    }

    /// Shows an entry in the list of its directory, and clears the search and the filter. Returns `false` if the
    /// entry no longer exists.
    pub fn go_to_entry(&mut self, entry: EntryId) -> bool {
        let EntryId { directory, position } = entry;
        let Some(record) = entry.record(self.tree) else {
            self.notify(Notice::EntryMissing);
            return false;
        };
        if self.order.hides(&record) {
            self.order.hidden = Hidden::Shown;
        }
        self.go_to(directory, SavedCursor::at(position, record.name));
        true
    }

    /// Shows the list of `directory` and restores `cursor` in it. Clears the search and the filter.
    pub fn go_to(&mut self, directory: DirId, cursor: SavedCursor) {
        self.leave_search();
        self.views.return_to = None;
        self.views.base = BaseView::List;
        let ancestors = self.ancestors_of(directory);
        self.enter(directory);
        // Save a cursor in each ancestor, so that going up puts the cursor on the directory just left.
        for (above, below) in ancestors.iter().zip(ancestors.iter().skip(1).chain([&directory])) {
            let child =
                self.tree.listing(*above).entries().find(|(_, record)| record.directory() == Some(*below));
            if let Some((position, record)) = child {
                self.memories.insert(*above, SavedCursor::at(position, record.name));
            }
        }
        self.history = ancestors;
        self.memories.insert(directory, cursor);
        self.enter_again(directory);
    }

    /// Checks once, after the scan, whether the scan covered a whole file system.
    pub fn poll_whole(&mut self, sources: &Sources<'_>) -> bool {
        let can_start = sources.may_ask_system && !self.is_scanning();
        self.views.whole.poll(|| {
            let job = can_start.then(|| crate::df::is_whole(sources.pool, Arc::clone(sources.tree)));
            Ok(job.transpose()?.map(Into::into))
        })
    }

    /// Opens a view with text that explains a row of the df view.
    pub fn open_explanation(&mut self, label: String, words: Vec<String>) {
        let view = TableView::new(label, &df::TABLE, self.request(Query::default()));
        self.views.tables.push(view.with_answer(TableAnswer::new(df::Explanation(words))));
    }
}
