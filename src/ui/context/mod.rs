//! Context: state that components read and change, such as the tree, the shown directory, views, marks and
//! settings.
//!
//! Layers, views and drawing code get a reference to the context. The list of layers belongs to
//! [`App`](super::app::App).

mod deleting;
mod entries;
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
mod sheets;
mod sorting;
mod views;
mod walking;

use std::collections::HashMap;
use std::time::Duration;

use jiff::tz::TimeZone;

pub use panes::{PaneLayout, ParentList, beside_edge};

use super::deletion_state::DeletionState;
use super::keys::Keymap;
use super::list_state::{ListState, SavedCursor};
use super::marks::{self, Marks};
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
use crate::table::column::RowLook;
use crate::table::recorded::{RecordedTotals, RecordedTree};
use crate::table::rows::{Order, SizeSource};
use crate::tree::{DirId, LiveTotals, Tree};

/// State that components read and change.
pub struct Context<'t> {
    pub tree: &'t Tree,
    /// Roots, each as the user gave it and as displayed.
    pub roots: Vec<(Vec<u8>, Vec<u8>)>,
    /// Order of the entries, and the measure of sizes.
    pub order: Order,
    /// Look of the rows.
    pub shown: RowLook,
    /// Unit system for sizes.
    pub units: Units,
    /// Colors and characters.
    pub theme: Theme,
    /// Key bindings.
    pub keymap: Keymap,
    /// Time zone for displayed times.
    pub zone: TimeZone,
    /// Kind of the source, which determines whether the tree can be rescanned and entries deleted.
    pub source_kind: SourceKind,
    /// Condition for a question before the browser quits.
    pub quitting: Quitting,
    /// State of the scan.
    pub scan: ScanState,
    /// Path of the shown directory, with the root as displayed.
    pub path: Vec<u8>,
    /// Visible part of the directory.
    pub window: Window,
    /// Message in the status line.
    pub notice: Option<Notice>,
    /// Number of columns and lines of the terminal.
    pub size: (u16, u16),
    /// State of the other views.
    pub views: Views,
    /// State of deletions.
    pub deletion: DeletionState,
    pub place: ListState<'t>,
    /// Directories above the shown one, the outermost first.
    pub history: Vec<DirId>,
    /// Directory above the shown one, if its pane is shown.
    pub parent_list: Option<ParentList<'t>>,
    /// Panes to show in a wide window.
    pub panes: Panes,
    pub memories: HashMap<DirId, SavedCursor<'t>>,
    /// Directories of the roots at the last tick.
    pub known_roots: Vec<DirId>,
    pub rescan: Option<Rescan>,
    pub marks: Marks<'t>,
    /// State of exports.
    pub export: Exporting,
    /// Name of the entry to which the cursor moves as soon as that entry exists.
    pub expected: Option<Vec<u8>>,
    /// Start of the range to mark, if one has been started.
    pub anchor: Option<marks::EntryName<'t>>,
    pub live: Arc<LiveTotals>,
    /// Tree of an earlier scan, while its sizes may be shown.
    pub record: Option<RecordedTree>,
    /// Recorded totals of the directories on the screen.
    pub recorded: Option<Arc<RecordedTotals>>,
    pub pressed: Option<Duration>,
    pub sorted: Duration,
    /// `true` if the order of the rows may be outdated.
    pub is_stale: bool,
    /// Sorting of rows in the background, if one is running.
    pub sorting: Option<Sorting>,
    /// Names of the owners in the list.
    pub owners: OwnerNames,
}

impl<'t> Context<'t> {
    /// Creates the state of a browser for `tree`, which may be empty. `roots` are the roots, each as the user
    /// gave it and as displayed.
    pub fn new(
        tree: &'t Tree,
        roots: Vec<(Vec<u8>, Vec<u8>)>,
        settings: &Settings,
        size: (u16, u16),
    ) -> Self {
        let order = settings.order;
        let place =
            ListState::enter(tree, &SizeSource::default(), DirId::TOP, order, SavedCursor::default(), 0);
        let known_roots = place.listing().directories().collect();
        let mut cx = Self {
            tree,
            roots,
            order,
            shown: settings.look,
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
            size,
            views: Views::default(),
            deletion: DeletionState { policy: settings.policy.clone(), ..DeletionState::default() },
            place,
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
            pressed: None,
            sorted: Duration::ZERO,
            is_stale: true,
            sorting: None,
            owners: OwnerNames::default(),
        };
        cx.scan.recorded_items = settings.record.as_ref().map(RecordedTree::items);
        cx.path = cx.place_path();
        match settings.start {
            Start::Growth => cx.sort_by_growth(),
            Start::Overview => cx.views.base = BaseView::Overview,
            Start::Treemap => cx.views.base = BaseView::Treemap,
            Start::Sizes => {}
        }
        cx.enter_only_root();
        cx
    }

    /// Returns `true` if the screen can change without a key.
    pub fn wants_ticks(&self) -> bool {
        self.is_scanning()
            || self.is_stale
            || self.rescan.is_some()
            || self.is_deleting()
            || self.views.is_outdated()
    }

    /// Returns the present frame of the spinner, which advances eight times a second.
    pub fn spinner(&self) -> &'static str {
        self.theme.glyphs.spinner(u64::try_from(self.scan.last.now.as_millis() / 125).unwrap_or(0))
    }

    /// Returns `true` if the scan is running.
    pub fn is_scanning(&self) -> bool {
        self.scan.is_running()
    }

    /// Collects everything visible as plain data.
    pub fn look(&mut self) {
        let lines = self.lines_here();
        if self.views.is_treemap() {
            self.place.show_first(lines);
        } else {
            self.place.show_cursor(lines);
        }
        let sizes = self.sizes();
        let look = (self.order, self.shown, self.units);
        self.window = Window::new(self.tree, &sizes, &self.place, &self.marks, look, lines);
        self.collect_parent();
        self.collect_views();
    }
}
