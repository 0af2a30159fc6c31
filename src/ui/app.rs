//! The browser's state, and how every action changes it.
//!
//! [`App::update`] is the only thing that changes the state; it does no input or output and asks for what it cannot do
//! through an [`Effect`]. It ends by gathering what is visible of the directory ([`Window`]) and of whatever else is open, so that
//! drawing changes nothing.
//!
//! While a scan runs, ticks bring its progress. What was read meanwhile puts rows in another order on ticks only: not while a
//! key was pressed a moment ago (so that nothing jumps under the finger), and not too often where it is expensive
//! ([`crate::rows`]).
//!
//! Knows no terminal and no scan. Invariant: after every update the cursor is on a visible row, if there is any.

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

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use super::errand::Errand;
use super::export::{self as export_work, Told};
use super::keys::{Keymap, View};
use super::marks::Marks;
use super::place::{Memory, Place};
use super::progress::{Again, ScanState, Tick};
use super::reclaim::{self as reclaim_work, News};
use super::shown::{self, Graph, Scale, Shown, Wanted};
use super::view::help;
use super::window::Window;
use super::work::{Findings, Wish};
use super::{Settings, Start, theme::Theme};
use crate::rows::{Order, Sums};
use crate::scan::Places;
use crate::size::Units;
use crate::source::Nature;
use crate::tree::{DirId, Live, Tree};
pub use asking::{About, Button, Question};
pub use details::Details;
pub use export::Exporting;
use filtering::sums;
use marking::Anchor;
pub use marking::{Pane, PaneLine};
pub use reclaim::{Confirm, Failed, Reclaim, Running, Stage};
pub use rescan::Rescan;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Action {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something, so long after the browser began.
    Mouse(MouseEvent, Duration),
    /// The terminal has this many columns and lines.
    Resize(u16, u16),
    /// Time has passed.
    Tick(Tick),
    /// It is so many seconds since 1970.
    Clock(i64),
    /// A text was pasted.
    Paste(String),
    /// This was found for the wish with this number.
    Findings(u64, Findings),
    /// The rescan has come further, or is over.
    Again(Again),
    /// This has become of a file that was to be written.
    Exported(Told),
    /// What is new about a deletion.
    Reclaim(News),
    /// What was asked for cannot be done.
    Failed(String),
}

/// Something the state cannot do itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Leave the browser.
    Quit,
    /// Ask the scan to stop.
    StopScan,
    /// Leave, and print these paths.
    Print(Vec<Vec<u8>>),
    /// Put this where it can be pasted.
    Copy(Vec<u8>),
    /// Read a directory again.
    Rescan(DirId),
    /// Ask the rescan to stop.
    StopRescan,
    /// See what has become of entries.
    LookAgain(Places),
    /// Delete, or find out what would go.
    Reclaim(reclaim_work::Order),
    /// Start a program.
    Start(Errand),
    /// Write a file.
    Export(export_work::Order),
    /// Leave this tree for one that begins at this path.
    ScanAbove(Vec<u8>),
    /// Give the terminal back and stop the process.
    Suspend,
    /// Draw everything anew.
    Repaint,
}

/// What is open, and has the keys unless something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The list.
    List,
    /// The help page, from this line on.
    Help(usize),
    /// The line in which a search is typed.
    Prompt,
    /// The line in which the name of a file is typed.
    FileName,
    /// The list of the marks.
    Marks,
    /// A box that asks before something is deleted.
    Confirm,
    /// The list of what could not be deleted.
    Failures,
    /// What there is to know of one entry.
    Details,
}

/// The state of the browser.
pub struct App<'t> {
    tree: &'t Tree,
    /// The roots, as given and as shown.
    roots: Vec<(Vec<u8>, Vec<u8>)>,
    /// The order of entries.
    pub order: Order,
    /// The columns.
    pub shown: Shown,
    /// How sizes are written.
    pub units: Units,
    /// Looks.
    pub theme: Theme,
    /// What the keys mean.
    pub keymap: Keymap,
    /// Where times are told.
    pub zone: TimeZone,
    /// Whether what is shown can be read again and changed.
    pub nature: Nature,
    /// What is open.
    pub mode: Mode,
    /// What is asked on top of that.
    pub question: Option<Question>,
    /// The scan.
    pub scan: ScanState,
    /// The path of the directory that is shown, its root as shown.
    pub path: Vec<u8>,
    /// What is visible in it.
    pub window: Window<'t>,
    /// Something to say until the next key.
    pub notice: Option<Cow<'static, str>>,
    /// Columns and lines of the terminal.
    pub size: (u16, u16),
    /// The other views.
    pub views: views::Views,
    /// Deleting.
    pub reclaim: Reclaim,
    place: Place<'t>,
    /// The directories above, as they were come through.
    trail: Vec<DirId>,
    memories: HashMap<DirId, Memory<'t>>,
    rescan: Option<Rescan>,
    marks: Marks<'t>,
    pane: Pane<'t>,
    /// The file that everything is written to.
    pub export: Exporting,
    details: Option<Details>,
    /// The name of the entry the cursor is to be on.
    expected: Option<Vec<u8>>,
    /// Where a range of marks begins.
    anchor: Option<Anchor<'t>>,
    live: Live,
    pressed: Option<Duration>,
    click: Option<mouse::Click>,
    sorted: Duration,
    /// Whether rows may be out of order.
    is_stale: bool,
    /// What puts them in order beside the screen.
    sorting: Option<Wish>,
}

impl<'t> App<'t> {
    /// A browser of `tree`, of which nothing may have been read yet. `roots` are its roots, as given and as shown.
    pub fn new(
        tree: &'t Tree,
        roots: Vec<(Vec<u8>, Vec<u8>)>,
        settings: &Settings,
        size: (u16, u16),
    ) -> Self {
        let live = Live::default();
        let order = settings.order;
        let place = Place::enter(tree, Sums::of(&live), DirId::TOP, order, Memory::default(), 0);
        let mut app = Self {
            tree,
            roots,
            order,
            shown: Shown {
                graph: Graph::Both,
                items: Wanted::Yes,
                modified: Wanted::No,
                shared: Wanted::No,
                scale: Scale::Directory,
                growth: shown::Compared::No,
            },
            units: settings.units,
            theme: settings.theme,
            keymap: settings.keymap.clone(),
            zone: settings.zone.clone(),
            nature: settings.nature,
            mode: Mode::List,
            question: None,
            scan: ScanState::default(),
            path: Vec::new(),
            window: Window::default(),
            notice: settings.notice.clone().map(Cow::Owned),
            size,
            views: views::Views::default(),
            reclaim: Reclaim::new(settings.safety.clone()),
            place,
            trail: Vec::new(),
            memories: HashMap::new(),
            rescan: None,
            marks: Marks::default(),
            pane: Pane::default(),
            export: Exporting::default(),
            details: None,
            expected: None,
            anchor: None,
            live,
            pressed: None,
            click: None,
            sorted: Duration::ZERO,
            is_stale: true,
            sorting: None,
        };
        app.path = app.place_path();
        if settings.start == Start::Growth {
            app.sort_by_growth();
        }
        app.enter_only_root();
        app.look();
        app
    }

    /// Takes one action.
    pub fn update(&mut self, action: Action) -> Option<Effect> {
        let effect = match action {
            Action::Key(event) => self.key(event),
            Action::Mouse(event, now) => self.mouse(event, now),
            Action::Resize(columns, lines) => {
                self.size = (columns, lines);
                // Terminals differ in what they leave on the screen.
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
                None
            }
            Action::Exported(told) => {
                self.take_export(told);
                None
            }
            Action::Findings(number, findings) => {
                self.take_inspection(number, &findings);
                self.take_rows(number, &findings);
                self.take_findings(number, &findings);
                None
            }
            Action::Again(again) => self.take_again(again),
            Action::Reclaim(news) => self.take_reclaim(news),
            Action::Failed(reason) => {
                self.say(reason);
                None
            }
        };
        self.look();
        effect
    }

    /// Says something until the next key.
    pub(super) fn say(&mut self, text: impl Into<Cow<'static, str>>) {
        self.notice = Some(text.into());
    }

    /// Whether time passing can change anything.
    pub fn wants_ticks(&self) -> bool {
        self.is_scanning()
            || self.is_stale
            || self.rescan.is_some()
            || self.is_deleting()
            || self.has_outdated_sheet()
    }

    /// Whether the scan runs.
    pub fn is_scanning(&self) -> bool {
        self.scan.is_running()
    }

    /// Gathers what is visible.
    fn look(&mut self) {
        self.open_failures();
        let lines = self.lines_here();
        match self.views.base {
            View::Treemap => self.place.show_first(lines),
            _ => self.place.show_cursor(lines),
        }
        if let Mode::Help(line) = self.mode {
            self.mode = Mode::Help(line.min(help::scroll_limit(&self.keymap, self.size)));
        }
        let sums = sums(&self.live, &self.views);
        self.window = Window::new(self.tree, sums, &self.place, &self.marks, self.order.measure, lines);
        self.look_at_views();
        if self.mode == Mode::Marks {
            self.look_at_marks();
        }
        if self.mode == Mode::Failures {
            self.look_at_failures();
        }
        self.look_at_details();
    }

    fn tick(&mut self, tick: Tick) {
        let was_scanning = self.is_scanning();
        self.scan.take(tick);
        self.live = if was_scanning { Live::sample(self.tree) } else { Live::default() };
        self.is_stale |= was_scanning;
        self.refresh_views(was_scanning);
        self.enter_only_root();
        let is_due = !self.is_scanning() || self.place.is_outdated(self.tree);
        if self.is_stale && is_due && self.may_sort() {
            self.sort();
        }
        self.go_to_expected();
    }
}
