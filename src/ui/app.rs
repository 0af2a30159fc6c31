//! State of the browser, and its change by actions.
//!
//! [`App::update`] is the only function that changes the state; it does no I/O, and asks for it through an
//! [`Effect`]. It ends by collecting the visible part of the directory ([`Window`]) and of other open parts,
//! so that drawing changes nothing.
//!
//! While a scan runs, ticks bring its progress. New entries change the order of rows on ticks only: not soon
//! after a key press (so that no row moves under the cursor), and not too often if it is expensive
//! ([`crate::table::rows`]).
//!
//! Invariant: after every update the cursor is on a visible row, if there is any.

mod above;
mod asking;
mod commands;
mod details;
mod export;
mod filtering;
mod growth;
mod idle;
mod marking;
mod mouse;
mod reclaim;
mod rescan;
mod results;
mod searching;
mod sheets;
mod sorting;
mod space;
mod views;
mod walking;

use std::collections::HashMap;
use std::time::Duration;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyEvent, KeyEventKind, MouseEvent};

use super::errand::Errand;
use super::export::{self as export_work, Told};
use super::hit_map::HitMap;
use super::keys::Keymap;
use super::layers::Layer;
use super::marks::Marks;
use super::notice::Notice;
use super::owner_names::OwnerNames;
use super::place::{Memory, Place};
use super::progress::{Again, ScanState, Tick};
use super::reclaim::{self as reclaim_work, News};
use super::window::Window;
use super::{Settings, Start, theme::Theme};
use crate::base::format::Units;
use crate::scan::Places;
use crate::source::SourceKind;
use crate::table::column::Shown;
use crate::table::rows::{Order, Sums};
use crate::tree::{DirId, LiveTotals, Tree};
pub use export::Exporting;
use filtering::sums;
use marking::Anchor;
pub use reclaim::{Reclaim, Running};
pub use rescan::Rescan;

/// Event for the state.
#[derive(Clone, Debug)]
pub enum Action {
    /// Key press.
    Key(KeyEvent),
    /// Mouse event, with the time since the browser began.
    Mouse(MouseEvent, Duration),
    /// Size of the terminal in columns and lines.
    Resize(u16, u16),
    /// Progress of the scan.
    Tick(Tick),
    /// Present time in seconds since 1970.
    Clock(i64),
    /// Pasted text.
    Paste(String),
    /// The question is on the screen and no input waits; with the time since the browser began.
    Idle(Duration),
    /// Progress or end of the rescan.
    Again(Again),
    /// Result of writing a file.
    Exported(Told),
    /// Progress or result of a deletion.
    Reclaim(News),
    /// Message to the user.
    Notice(Notice),
}

/// Request for I/O.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Leave the browser.
    Quit,
    /// Stop the scan.
    StopScan,
    /// Leave, and print these paths.
    Print(Vec<Vec<u8>>),
    /// Copy this to the clipboard.
    Copy(Vec<u8>),
    /// Rescan a directory.
    Rescan(DirId),
    /// Stop the rescan.
    StopRescan,
    /// Recheck entries.
    LookAgain(Places),
    /// Delete, or compute a preview.
    Reclaim(reclaim_work::Order),
    /// Start a program.
    Start(Errand),
    /// Write a file.
    Export(export_work::Order),
    /// Replace this tree by a scan that begins at this path.
    ScanAbove(Vec<u8>),
    /// Give the terminal back and stop the process.
    Suspend,
    /// Draw everything again.
    Repaint,
}

/// State of the browser.
pub struct App<'t> {
    pub(in crate::ui) tree: &'t Tree,
    /// Roots, as the user gave them and as they are shown.
    pub(in crate::ui) roots: Vec<(Vec<u8>, Vec<u8>)>,
    /// Order of entries.
    pub order: Order,
    /// Columns.
    pub shown: Shown,
    /// Unit system of sizes.
    pub units: Units,
    /// Theme.
    pub theme: Theme,
    /// Key bindings.
    pub keymap: Keymap,
    /// Time zone of displayed times.
    pub zone: TimeZone,
    /// Kind of the source, which determines if it can be rescanned and changed.
    pub nature: SourceKind,
    /// Scan.
    pub scan: ScanState,
    /// Path of the directory that is shown, with its root as shown.
    pub path: Vec<u8>,
    /// Visible part of it.
    pub window: Window,
    /// Message in the status line.
    pub notice: Option<Notice>,
    /// Columns and lines of the terminal.
    pub size: (u16, u16),
    /// Other views.
    pub views: views::Views,
    /// Deletion.
    pub reclaim: Reclaim,
    place: Place<'t>,
    /// Directories above, in the order in which the user came through them.
    trail: Vec<DirId>,
    memories: HashMap<DirId, Memory<'t>>,
    /// Directories among the roots at the last check of the scan.
    known_roots: Vec<DirId>,
    rescan: Option<Rescan>,
    marks: Marks<'t>,
    /// Export to a file.
    pub export: Exporting,
    /// Name of the entry that the cursor moves to once it exists.
    expected: Option<Vec<u8>>,
    /// Start of a range of marks.
    anchor: Option<Anchor<'t>>,
    live: LiveTotals,
    pressed: Option<Duration>,
    click: Option<mouse::Click>,
    sorted: Duration,
    /// `true` if rows may be out of order.
    is_stale: bool,
    /// Sorting in the background.
    pub(in crate::ui) sorting: Option<sorting::Sorting>,
    /// Layers above the view; the top one has the keys.
    pub layers: Vec<Layer<'t>>,
    /// Names of owners in the list.
    pub(in crate::ui) owners: OwnerNames,
    /// Clickable parts of the last frame.
    hits: HitMap,
}

impl<'t> App<'t> {
    /// Creates the browser of `tree`, which may be empty. `roots` are its roots, as the user gave them and as
    /// they are shown.
    pub fn new(
        tree: &'t Tree,
        roots: Vec<(Vec<u8>, Vec<u8>)>,
        settings: &Settings,
        size: (u16, u16),
    ) -> Self {
        let live = LiveTotals::default();
        let order = settings.order;
        let place = Place::enter(tree, Sums::of(&live), DirId::TOP, order, Memory::default(), 0);
        let known_roots = place.listing().directories().collect();
        let mut app = Self {
            tree,
            roots,
            order,
            shown: Shown::default(),
            units: settings.units,
            theme: settings.theme,
            keymap: settings.keymap.clone(),
            zone: settings.zone.clone(),
            nature: settings.nature,
            scan: ScanState::default(),
            path: Vec::new(),
            window: Window::default(),
            notice: settings.notice.clone(),
            size,
            views: views::Views::default(),
            reclaim: Reclaim::new(settings.safety.clone()),
            place,
            trail: Vec::new(),
            memories: HashMap::new(),
            known_roots,
            rescan: None,
            marks: Marks::default(),
            export: Exporting::default(),
            expected: None,
            anchor: None,
            live,
            pressed: None,
            click: None,
            sorted: Duration::ZERO,
            is_stale: true,
            sorting: None,
            layers: Vec::new(),
            owners: OwnerNames::default(),
            hits: HitMap::default(),
        };
        app.path = app.place_path();
        if settings.start == Start::Growth {
            app.sort_by_growth();
        }
        app.enter_only_root();
        app.look();
        app
    }

    /// Processes one action.
    pub fn update(&mut self, action: Action) -> Option<Effect> {
        // The input that opens a question is no answer to it.
        let (was_asked, scope) = (self.is_asking(), self.scope());
        let effect = match action {
            Action::Key(event) => {
                // Repetitions of a held key answer nothing.
                self.close_gate_if(event.kind == KeyEventKind::Repeat);
                let effect = self.key(event);
                self.close_gate_if(was_asked);
                effect
            }
            Action::Mouse(event, now) => {
                let effect = self.mouse(event, now);
                self.close_gate_if(was_asked);
                effect
            }
            Action::Idle(now) => {
                self.idle(now);
                return None;
            }
            Action::Resize(columns, lines) => {
                self.size = (columns, lines);
                // Terminals differ in what remains on the screen.
                Some(Effect::Repaint)
            }
            Action::Tick(tick) => {
                self.tick(tick);
                None
            }
            Action::Clock(seconds) => {
                self.set_clock(seconds);
                return None;
            }
            Action::Paste(text) => {
                self.paste(&text);
                self.close_gate_if(was_asked);
                None
            }
            Action::Exported(told) => {
                self.take_export(told);
                None
            }
            Action::Again(again) => self.take_again(again),
            Action::Reclaim(news) => self.take_reclaim(news),
            Action::Notice(notice) => {
                self.notify(notice);
                None
            }
        };
        self.look();
        self.forget_hits_of_another(scope);
        effect
    }

    /// Returns `true` if passing time can change anything.
    pub fn wants_ticks(&self) -> bool {
        self.is_scanning()
            || self.is_stale
            || self.rescan.is_some()
            || self.is_deleting()
            || self.views.is_outdated()
    }

    /// Returns the spinner of a running operation: eight steps a second.
    pub(in crate::ui) fn spinner(&self) -> &'static str {
        self.theme.glyphs.spinner(u64::try_from(self.scan.last.now.as_millis() / 125).unwrap_or(0))
    }

    /// Returns `true` if the scan is running.
    pub fn is_scanning(&self) -> bool {
        self.scan.is_running()
    }

    /// Collects the visible part.
    fn look(&mut self) {
        self.open_failures();
        let lines = self.lines_here();
        if self.views.is_treemap {
            self.place.show_first(lines);
        } else {
            self.place.show_cursor(lines);
        }
        let sums = sums(&self.live, &self.views);
        let scale = (self.order.measure, self.shown.scale);
        self.window = Window::new(self.tree, sums, &self.place, &self.marks, scale, lines);
        self.look_at_views();
    }

    fn tick(&mut self, tick: Tick) {
        let was_scanning = self.is_scanning();
        self.scan.take(tick);
        self.live = if was_scanning { LiveTotals::sample(self.tree) } else { LiveTotals::default() };
        self.is_stale |= was_scanning;
        if was_scanning {
            self.follow_roots();
        }
        self.refresh_views(was_scanning);
        self.enter_only_root();
        let is_due = !self.is_scanning() || self.place.is_outdated(self.tree);
        if self.is_stale && is_due && self.may_sort() {
            self.sort();
        }
        self.go_to_expected();
    }
}
