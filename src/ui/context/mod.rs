//! Context: the state that components share, such as the tree, the shown directory, views, marks and settings.
//!
//! Layers, views and drawing code get a reference to the context. The list of layers belongs to
//! [`App`](super::app::App), not to the context.

mod deleting;
mod entries;
mod exclusive;
mod export;
mod filtering;
mod growth;
mod marking;
mod notices;
mod overview;
mod panes;
mod preview;
mod recorded;
mod rescan;
mod results;
mod searching;
mod sorting;
mod tables;
mod views;
mod waiting;
mod walking;

use std::collections::HashMap;
use std::time::Duration;

use jiff::tz::TimeZone;

pub use panes::{PaneLayout, ParentList, beside_edge};

use super::deletion_state::DeletionState;
use super::keys::Keymap;
use super::list_state::{ListState, SavedCursor};
use super::marks::Marks;
use super::notice::Notice;
use super::operations::export::Exporting;
use super::options::{Panes, Quitting, Start};
use super::owner_names::OwnerNames;
use super::progress::{Rescan, ScanState};
use super::settings::Settings;
use super::theme::Theme;
use super::view_state::{BaseView, Sorting, Views};
use super::window::Window;
use crate::base::format::Units;
use crate::base::sync::Arc;
use crate::source::SourceKind;
use crate::table::column::{Column, ColumnSet, RowOptions};
use crate::table::recorded::{RecordedTotals, RecordedTree};
use crate::table::row::NumberFormat;
use crate::table::rows::{Order, SizeSource};
use crate::tree::{DirId, EntryName, LiveTotals, Tree};

pub struct Context<'t> {
    pub tree: &'t Tree,
    /// Two paths for each root: as given by the user, and as displayed.
    pub roots: Vec<(Vec<u8>, Vec<u8>)>,
    pub order: Order,
    pub shown: RowOptions,
    pub units: Units,
    pub theme: Theme,
    pub keymap: Keymap,
    pub zone: TimeZone,
    /// Kind of the source. Entries of a snapshot or export can be neither rescanned nor deleted.
    pub source_kind: SourceKind,
    pub quitting: Quitting,
    pub scan: ScanState,
    /// Displayed path of the shown directory. In the list of several roots, text such as `3 roots`.
    pub path: Vec<u8>,
    pub window: Window,
    pub notice: Option<Notice>,
    /// Time from the start of the session until the notice appeared on the screen; `None` if it has not appeared yet.
    pub notice_since: Option<Duration>,
    /// `true` if a page is open that can be drawn beside the view. The view then has no keyboard focus.
    pub has_page_beside: bool,
    /// Number of columns and lines of the terminal.
    pub size: (u16, u16),
    pub views: Views,
    pub deletion: DeletionState,
    pub location: ListState<'t>,
    /// Directories that the user can reach by going up from the shown directory, outermost first.
    pub history: Vec<DirId>,
    /// Contents of the parent directory's pane, if that pane is visible.
    pub parent_list: Option<ParentList<'t>>,
    pub panes: Panes,
    pub memories: HashMap<DirId, SavedCursor>,
    /// Directory IDs of the roots at the time of the last call to [`Context::follow_roots`].
    pub known_roots: Vec<DirId>,
    pub rescan: Option<Rescan>,
    pub marks: Marks<'t>,
    pub export: Exporting,
    /// Name of the entry that the cursor will move to as soon as that entry exists.
    pub expected: Option<Vec<u8>>,
    /// Entry at which the user started a range of marks.
    pub anchor: Option<EntryName<'t>>,
    pub live: Arc<LiveTotals>,
    /// Tree from the previous scan. `None` once the running scan has ended, or once damage has been found in the file
    /// that contains the tree.
    pub record: Option<RecordedTree>,
    /// Totals that the previous scan found for the directories on the screen.
    pub recorded: Option<Arc<RecordedTotals>>,
    /// Directory whose list the user has scrolled to the end. This list shows all of the directory's entries from the
    /// previous scan. Other lists may show only the largest of their entries from that scan.
    scrolled_through: Option<DirId>,
    pub pressed: Option<Duration>,
    pub sorted: Duration,
    /// `true` if the order of the rows may be outdated.
    pub is_stale: bool,
    pub sorting: Option<Sorting>,
    pub owners: OwnerNames,
}

impl<'t> Context<'t> {
    /// Creates the state of a browser for `tree`, which may still be empty. `roots` contains two paths for each root:
    /// as given by the user, and as displayed.
    pub fn new(
        tree: &'t Tree,
        roots: Vec<(Vec<u8>, Vec<u8>)>,
        settings: &Settings,
        size: (u16, u16),
    ) -> Self {
        let order = settings.order;
        let location =
            ListState::enter(tree, &SizeSource::default(), DirId::TOP, order, SavedCursor::default(), 0);
        let known_roots = location.listing().directories().collect();
        let mut cx = Self {
            tree,
            roots,
            order,
            shown: settings.row_options,
            units: settings.units,
            theme: settings.theme,
            keymap: settings.keymap.clone(),
            zone: settings.zone.clone(),
            source_kind: settings.source_kind,
            quitting: settings.quitting,
            scan: ScanState::default(),
            path: Vec::new(),
            window: Window::default(),
            notice: settings.notice.clone(),
            notice_since: None,
            has_page_beside: false,
            size,
            views: Views::default(),
            deletion: DeletionState { policy: settings.policy.clone(), ..DeletionState::default() },
            location,
            history: Vec::new(),
            parent_list: None,
            panes: settings.panes,
            memories: HashMap::new(),
            known_roots,
            rescan: None,
            marks: Marks::default(),
            export: Exporting::default(),
            expected: None,
            anchor: None,
            live: Arc::default(),
            record: settings.record.clone(),
            recorded: None,
            scrolled_through: None,
            pressed: None,
            sorted: Duration::ZERO,
            is_stale: true,
            sorting: None,
            owners: OwnerNames::default(),
        };
        cx.scan.recorded = settings.record.as_ref().map(|record| record.tree.totals(DirId::TOP));
        cx.path = cx.location_path();
        match settings.start {
            Start::Growth => cx.sort_by_growth(),
            Start::Overview => cx.views.base = BaseView::Overview,
            Start::Treemap => cx.views.base = BaseView::Treemap,
            Start::Sizes => {}
        }
        if cx.shown.columns.has(Column::Frees) {
            cx.start_with_frees();
        }
        cx.enter_only_root();
        cx
    }

    /// Returns `true` if the screen may change without input.
    pub fn wants_ticks(&self) -> bool {
        self.is_scanning()
            || self.is_stale
            || self.rescan.is_some()
            || self.is_deleting()
            || self.written().is_some()
            || self.views.is_outdated()
            || self.is_waiting()
    }

    /// Returns the current frame of the spinner, which changes eight times a second.
    pub fn spinner(&self) -> &'static str {
        self.theme.glyphs.spinner(u64::try_from(self.scan.last.now.as_millis() / 125).unwrap_or(0))
    }

    /// Returns the settings with which cells are formatted.
    pub fn number_format(&self) -> NumberFormat<'_> {
        NumberFormat {
            units: self.units,
            zone: &self.zone,
            users: self.owners.names(),
            classes: self.tree.storage_classes(),
        }
    }

    /// Returns the columns of the list, including the storage class if any entry has one.
    pub fn list_columns(&self) -> ColumnSet {
        self.shown.columns.with(Column::StorageClass, !self.tree.storage_classes().is_empty())
    }

    pub fn is_scanning(&self) -> bool {
        self.scan.is_running()
    }

    /// Collects the visible data, so that drawing only reads the state.
    pub fn collect(&mut self) {
        let lines = self.lines_here();
        if self.views.is_treemap() {
            self.location.show_first(lines);
        } else {
            self.location.show_cursor(lines);
        }
        if self.location.lacks_rows(lines) {
            self.load_rows();
        }
        let sizes = self.sizes();
        let options = (self.order, self.shown, self.units);
        self.window = Window::new(self.tree, &sizes, &self.location, &self.marks, options, lines);
        self.collect_parent();
        self.collect_views();
    }
}
