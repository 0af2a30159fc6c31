//! State of the views: the open views, the search, the filter, the comparison, and the background sort.

use std::time::Duration;

use super::field::Field;
use super::loader::{Loader, Sources};
use super::map_colors::MapColors;
use super::overview::OverviewState;
use super::preview::PreviewState;
use super::requested::Requested;
use super::sentences::{growth_error, growth_warning};
use super::table_page::TablePage;
use super::table_view::TableView;
use super::treemap_layout::Tile;
use super::views::{self, Needs, ViewSpec};
use crate::analysis::compare::Comparison;
use crate::analysis::search::{self, Filter, Order, Query, Request};
use crate::base::sync::Arc;
use crate::exclusive::ExclusiveProgress;
use crate::source::baseline::BaselineInfo;
use crate::table::outline::{Level, OutlineRequest};
use crate::table::recorded::{RecordedTotals, RecordedTree};
use crate::table::rows::{self, SizeSource, SortedEntries};
use crate::tree::{DirId, LiveTotals};

#[derive(Debug, Default)]
pub struct Views {
    /// View of the shown directory. Table views open on top of it.
    pub base: BaseView,
    pub preview: PreviewState,
    pub overview: OverviewState,
    /// Search as typed by the user; empty if there is no search.
    pub text: Field,
    /// Error in the search text, or a hint that a part of a search term is still missing.
    pub error_text: Option<String>,
    /// Visible part of the top table view; `None` if no table view is open.
    pub page: Option<TablePage>,
    pub map: Requested<OutlineRequest, Level>,
    pub map_colors: MapColors,
    /// Tiles of the treemap; empty if the treemap is not shown.
    pub tiles: Vec<Tile>,
    /// Open table views, with the top one last.
    pub tables: Vec<TableView>,
    /// Query parsed from the search text. Ignores an unfinished last term; empty if the search is invalid.
    pub filter: Query,
    /// Filter that applies the search to the list and the treemap; `None` unless started by `Context::begin_filter`.
    pub filtering: Option<Filtering>,
    /// View from which the user has jumped to an entry. Esc returns to this view.
    pub return_to: Option<Return>,
    /// Current time in seconds since 1970.
    pub clock: i64,
    /// Time of the last refresh of any view, measured from the start of the session.
    pub refreshed: Duration,
    /// Result of checking whether the scan covered a whole file system.
    pub whole: Loader<Arc<bool>>,
    pub compared: GrowthState,
    /// Search for exclusive sizes; `None` unless requested.
    pub exclusive: Option<Loader<Arc<ExclusiveProgress>>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseView {
    #[default]
    List,
    Treemap,
    Overview,
}

impl Views {
    pub fn is_treemap(&self) -> bool {
        self.base == BaseView::Treemap
    }

    pub fn is_overview(&self) -> bool {
        self.base == BaseView::Overview && self.tables.is_empty()
    }

    /// Returns `true` if the tree has grown since one of the shown results was requested.
    pub fn is_outdated(&self) -> bool {
        let shown = match (self.tables.last(), &self.filtering) {
            (Some(view), _) => view.rows.is_outdated(),
            (None, Some(filtering)) => filtering.result.is_outdated(),
            (None, None) => false,
        };
        shown
            || self.map.is_outdated()
            || self.overview.is_outdated()
            || self.preview.is_outdated()
            || self.compared.column.as_ref().is_some_and(Loader::is_outdated)
    }

    pub fn refresh(&mut self) {
        match (self.tables.last_mut(), &mut self.filtering) {
            (Some(view), _) => view.rows.refresh(),
            (None, Some(filtering)) => filtering.result.refresh(),
            (None, None) => {}
        }
        self.map.refresh();
        self.overview.refresh();
        self.preview.refresh();
        self.compared.column.iter_mut().for_each(Loader::refresh);
    }

    pub fn is_loading(&self) -> bool {
        let column = self.compared.column.as_ref();
        self.tables.iter().any(|view| view.rows.is_running())
            || self.filtering.as_ref().is_some_and(|filtering| filtering.result.is_running())
            || self.whole.is_running()
            || self.map.is_loading()
            || self.overview.is_running()
            || self.preview.is_busy()
            || self.compared.baseline.is_running()
            || column.is_some_and(Loader::is_running)
            || self.exclusive.as_ref().is_some_and(Loader::is_running)
    }

    /// Returns `true` if the results of a search are shown.
    pub fn has_results(&self) -> bool {
        self.tables.first().is_some_and(|view| *view.spec == views::search::TABLE)
    }

    /// Returns `true` if the view is likely to have rows, so its tab and key hint are worth showing.
    pub fn is_useful(&self, view: &ViewSpec) -> bool {
        match view.needs {
            Needs::Nothing => true,
            Needs::LiveScan => self.is_whole(),
            Needs::Baseline => self.can_grow(),
            // Only the duplicates view needs a complete scan. To find out whether it has rows, duke would have to
            // compare the contents of files, which takes too long.
            Needs::CompleteScan => false,
        }
    }

    /// Returns `true` if the scan covered a whole file system; `false` until that has been checked.
    pub fn is_whole(&self) -> bool {
        self.whole.value().is_some_and(|is_whole| **is_whole)
    }

    /// Returns the baseline to mention in the status line and in the overview; `None` if no baseline was found, or if
    /// the growth column, sorting by growth, or the treemap's growth colors are in use.
    pub fn unused_baseline(&self) -> Option<BaselineInfo> {
        self.compared.baseline().filter(|_| self.compared.column.is_none())
    }

    pub fn can_grow(&self) -> bool {
        self.compared.baseline().is_some()
    }

    pub fn now(&self) -> i64 {
        self.clock
    }

    /// Returns the source of directory totals.
    pub fn sizes(&self, live: &Arc<LiveTotals>, recorded: Option<&Arc<RecordedTotals>>) -> SizeSource {
        let filtered = self.filtering.as_ref().map(Filtering::filtered).cloned();
        // Filtered totals cannot be compared with the earlier totals, which are unfiltered.
        let growth = self.compared.growth().filter(|_| filtered.is_none()).cloned();
        SizeSource {
            live: Arc::clone(live),
            filtered,
            growth,
            recorded: recorded.cloned(),
            has_heads_only: false,
        }
    }
}

#[derive(Debug)]
pub struct Filtering {
    pub result: Loader<Arc<Filter>>,
    pub query: Query,
    pub nothing: Arc<Filter>,
}

impl Filtering {
    pub fn new(query: Query) -> Self {
        Self { result: Loader::default(), query, nothing: Arc::new(Filter::nothing()) }
    }

    /// Returns the latest result of the filter. Before the first result, nothing matches.
    pub fn filtered(&self) -> &Arc<Filter> {
        self.result.value().unwrap_or(&self.nothing)
    }

    /// Starts the filter's job if necessary, and collects its results. Returns `true` if the result has changed.
    pub fn poll(&mut self, sources: &Sources<'_>, order: Order) -> bool {
        let request = || {
            let (tree, query) = (Arc::clone(sources.tree), self.query.clone());
            Request { tree, from: DirId::TOP, query, order }
        };
        self.result.poll(|| Ok(Some(search::filter(sources.pool, request())?.into())))
    }
}

#[derive(Debug)]
pub struct GrowthState {
    pub baseline: Loader<Arc<BaselineInfo>>,
    /// Comparison used by the growth column, by the sort order "growth" and by the treemap's growth colors; `None` if
    /// none of them is in use.
    pub column: Option<Loader<Arc<Comparison>>>,
    /// Index of the chosen snapshot, counted from the newest.
    pub chosen: usize,
    /// `false` while the notice about a newly chosen snapshot has not been shown yet.
    pub is_announced: bool,
    /// Problem found by the last call of [`Self::new_problem`]. Stored so that a lasting problem is reported only once.
    pub reported: Option<String>,
}

impl Default for GrowthState {
    fn default() -> Self {
        Self { baseline: Loader::default(), column: None, chosen: 0, is_announced: true, reported: None }
    }
}

impl GrowthState {
    pub fn growth(&self) -> Option<&Arc<Comparison>> {
        self.column.as_ref()?.value()
    }

    /// Returns the baseline, if one was found.
    pub fn baseline(&self) -> Option<BaselineInfo> {
        self.baseline.value().map(|info| **info).filter(|info| info.is_there)
    }

    /// Returns `true` if the baseline is known to be older than the tree of the previous scan. Only then can the two
    /// be compared.
    pub fn precedes(&self, record: &RecordedTree) -> bool {
        let info = self.baseline().filter(|_| !self.baseline.is_loading());
        info.and_then(|info| info.since).is_some_and(|since| since < record.scanned_at)
    }

    /// Returns the current problem with the comparison, unless the last call found the same problem. The comparison is
    /// repeated during a scan, and would otherwise report its problem each time.
    pub fn new_problem(&mut self) -> Option<String> {
        let column = self.column.as_ref()?;
        let problem = match column.error() {
            Some(error) => Some(growth_error(error)),
            None => column.value()?.trouble.as_deref().map(growth_warning),
        };
        let is_new = problem != self.reported;
        self.reported.clone_from(&problem);
        problem.filter(|_| is_new)
    }
}

/// View to which Esc returns, with the state to restore.
#[derive(Debug)]
pub struct Return {
    pub tables: Vec<TableView>,
    pub text: Field,
    pub filter: Query,
    pub base: BaseView,
    pub location: DirId,
    pub history: Vec<DirId>,
    /// Directory that was opened from the view.
    pub opened: DirId,
    /// `true` if `opened` is the directory in the row under the cursor; `false` if it contains the entry in that row.
    pub is_in_place: bool,
    /// `true` if the scan was running when the user left the view.
    pub was_scanning: bool,
}

/// Background sort of the rows of a directory, with its parameters.
#[derive(Debug)]
pub struct Sorting {
    pub rows: Loader<Arc<SortedEntries>>,
    pub directory: DirId,
    pub order: rows::Order,
    pub sizes: SizeSource,
}
