//! State of the views: open views, search, filter, comparison, and rows being sorted.

use std::time::Duration;

use super::field::Field;
use super::loader::{Loader, Sources};
use super::map_colors::MapColors;
use super::overview::OverviewState;
use super::preview::PreviewState;
use super::requested::Requested;
use super::table_view::{TablePage, TableView};
use super::treemap_layout::Tile;
use super::views::{self, Needs, ViewSpec};
use crate::analysis::compare::Comparison;
use crate::analysis::search::{self, Filtered, Order, Query, Request};
use crate::base::sync::Arc;
use crate::source::baseline::BaselineInfo;
use crate::table::outline::{Level, OutlineRequest};
use crate::table::recorded::RecordedTotals;
use crate::table::rows::{self, SizeSource, SortedEntries};
use crate::tree::{DirId, LiveTotals};

/// State of the views.
#[derive(Debug, Default)]
pub struct Views {
    /// View of the directory itself, below all others.
    pub base: BaseView,
    /// State of the preview.
    pub preview: PreviewState,
    /// State of the overview.
    pub overview: OverviewState,
    /// Search as it was typed; empty if there is none.
    pub text: Field,
    /// Text about an error in the search, or about a part that is still missing.
    pub error_text: Option<String>,
    /// Visible part of the top table view; `None` in the list and the treemap.
    pub page: Option<TablePage>,
    /// Outline for the treemap.
    pub map: Requested<OutlineRequest, Level>,
    /// Meaning of the colors in the treemap.
    pub map_colors: MapColors,
    /// Areas of the rows in the treemap.
    pub tiles: Vec<Tile>,
    /// Open table views, the top one last.
    pub sheets: Vec<TableView>,
    /// Query parsed from the valid part of the search.
    pub filter: Query,
    /// Filter of the list, if a search is active.
    pub filtering: Option<Filtering>,
    /// View to which Esc returns, after the user went from a row to its entry.
    pub return_to: Option<Return>,
    /// Current time in seconds since 1970.
    pub clock: i64,
    /// Time of the last refresh of a view, since the session began.
    pub refreshed: Duration,
    /// Check whether a whole file system was scanned.
    pub whole: Loader<Arc<bool>>,
    /// Baseline, and comparison for the growth column.
    pub compared: GrowthState,
}

/// View of the directory itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseView {
    /// List of its entries.
    #[default]
    List,
    /// Treemap.
    Treemap,
    /// Overview of everything below it.
    Overview,
}

impl Views {
    /// Returns `true` if the directory is shown as a treemap, which other views may cover.
    pub fn is_treemap(&self) -> bool {
        self.base == BaseView::Treemap
    }

    /// Returns `true` if the overview is shown.
    pub fn is_overview(&self) -> bool {
        self.base == BaseView::Overview && self.sheets.is_empty()
    }

    /// Returns `true` if a result on the screen (of the top view or of the filter), or the comparison, lacks
    /// new entries.
    pub fn is_outdated(&self) -> bool {
        let shown = match (self.sheets.last(), &self.filtering) {
            (Some(sheet), _) => sheet.rows.is_outdated(),
            (None, Some(filtering)) => filtering.result.is_outdated(),
            (None, None) => false,
        };
        shown
            || self.map.is_outdated()
            || self.overview.is_outdated()
            || self.preview.is_outdated()
            || self.compared.column.as_ref().is_some_and(Loader::is_outdated)
    }

    /// Loads outdated results again.
    pub fn refresh(&mut self) {
        match (self.sheets.last_mut(), &mut self.filtering) {
            (Some(sheet), _) => sheet.rows.refresh(),
            (None, Some(filtering)) => filtering.result.refresh(),
            (None, None) => {}
        }
        self.map.refresh();
        self.overview.refresh();
        self.preview.refresh();
        self.compared.column.iter_mut().for_each(Loader::refresh);
    }

    /// Returns `true` if a job of a view is running.
    pub fn is_loading(&self) -> bool {
        let column = self.compared.column.as_ref();
        self.sheets.iter().any(|sheet| sheet.rows.is_running())
            || self.filtering.as_ref().is_some_and(|filtering| filtering.result.is_running())
            || self.whole.is_running()
            || self.map.is_loading()
            || self.overview.is_running()
            || self.preview.is_busy()
            || self.compared.offer.is_running()
            || column.is_some_and(Loader::is_running)
    }

    /// Returns `true` if the results of a search are shown.
    pub fn has_results(&self) -> bool {
        self.sheets.first().is_some_and(|sheet| *sheet.table == views::search::TABLE)
    }

    /// Returns `true` if the prerequisite of a view is met, so that a hint for its key is useful.
    pub fn is_of_use(&self, view: &ViewSpec) -> bool {
        match view.needs {
            Needs::Nothing => true,
            Needs::FileSystem => self.is_whole(),
            Needs::Baseline => self.can_grow(),
        }
    }

    /// Returns `true` if a whole file system was scanned; `false` until that has been checked.
    pub fn is_whole(&self) -> bool {
        self.whole.value().is_some_and(|is_whole| **is_whole)
    }

    /// Returns the baseline for the hint, unless a comparison with it is shown.
    pub fn offer(&self) -> Option<BaselineInfo> {
        self.compared.offer().filter(|_| self.compared.column.is_none())
    }

    /// Returns `true` if there is a baseline.
    pub fn can_grow(&self) -> bool {
        self.compared.offer().is_some()
    }

    /// Returns the current time in seconds since 1970.
    pub fn now(&self) -> i64 {
        self.clock
    }

    /// Returns the source of directory totals.
    pub fn sizes(&self, live: &Arc<LiveTotals>, recorded: Option<&Arc<RecordedTotals>>) -> SizeSource {
        let filtered = self.filtering.as_ref().map(Filtering::filtered).cloned();
        // A filtered total cannot be compared with the earlier total of the whole directory.
        let growth = self.compared.growth().filter(|_| filtered.is_none()).cloned();
        SizeSource { live: Arc::clone(live), filtered, growth, recorded: recorded.cloned() }
    }
}

/// Active filter and its result.
#[derive(Debug)]
pub struct Filtering {
    /// Result of the filter.
    pub result: Loader<Arc<Filtered>>,
    pub query: Query,
    pub nothing: Arc<Filtered>,
}

impl Filtering {
    pub fn new(query: Query) -> Self {
        Self { result: Loader::default(), query, nothing: Arc::new(Filtered::nothing()) }
    }

    /// Returns the latest result of the filter; empty until there is one.
    pub fn filtered(&self) -> &Arc<Filtered> {
        self.result.value().unwrap_or(&self.nothing)
    }

    /// Starts the job of the filter if necessary, and takes its results. Returns `true` if the result has
    /// changed.
    pub fn poll(&mut self, sources: &Sources<'_>, order: Order) -> bool {
        let request = || {
            let (tree, query) = (Arc::clone(sources.tree), self.query.clone());
            Request { tree, from: DirId::TOP, query, order }
        };
        self.result.poll(|| Ok(Some(search::filter(sources.pool, request())?.into())))
    }
}

/// Baseline, and comparison for the growth column.
#[derive(Debug)]
pub struct GrowthState {
    /// Search for a baseline that can be offered.
    pub offer: Loader<Arc<BaselineInfo>>,
    /// Comparison for the growth column; `None` if the column is hidden.
    pub column: Option<Loader<Arc<Comparison>>>,
    /// Number of newer snapshots that the user has passed over.
    pub chosen: usize,
    /// `false` while the snapshot that the user has chosen is being searched for.
    pub is_told: bool,
    /// Problem with the comparison that was last reported to the user.
    pub reported: Option<String>,
}

impl Default for GrowthState {
    fn default() -> Self {
        Self { offer: Loader::default(), column: None, chosen: 0, is_told: true, reported: None }
    }
}

impl GrowthState {
    /// Returns the latest comparison for the growth column.
    pub fn growth(&self) -> Option<&Arc<Comparison>> {
        self.column.as_ref()?.value()
    }

    /// Returns the baseline that was found, if any.
    pub fn offer(&self) -> Option<BaselineInfo> {
        self.offer.value().map(|offer| **offer).filter(|offer| offer.is_there)
    }

    /// Returns the problem with the comparison, if it has not been reported. The comparison is repeated during
    /// a scan, and each problem is reported only once.
    pub fn new_problem(&mut self) -> Option<String> {
        let column = self.column.as_ref()?;
        let Some(error) = column.error() else {
            self.reported = None;
            return column.value()?.trouble.clone();
        };
        let problem = Some(error.to_string());
        let is_new = problem != self.reported;
        self.reported.clone_from(&problem);
        problem.filter(|_| is_new)
    }
}

/// View to which Esc returns, with the state to restore.
#[derive(Debug)]
pub struct Return {
    pub sheets: Vec<TableView>,
    pub text: Field,
    pub filter: Query,
    pub base: BaseView,
    pub place: DirId,
    pub history: Vec<DirId>,
    /// Directory that was opened from the view.
    pub opened: DirId,
    /// `true` if the directory was opened in place.
    pub is_in_place: bool,
    /// `true` if the scan was running when the user left the view.
    pub was_scanning: bool,
}

/// Job that sorts the rows of a directory, with its parameters.
#[derive(Debug)]
pub struct Sorting {
    /// Sorted rows.
    pub rows: Loader<Arc<SortedEntries>>,
    pub directory: DirId,
    pub order: rows::Order,
    pub sizes: SizeSource,
}
