//! The browser's state, and how every action changes it.
//!
//! [`App::update`] is the only thing that changes the state; it does no input or output and asks for what it cannot do
//! through an [`Effect`]. It ends by gathering what is visible ([`Window`]), which is all that drawing needs.
//!
//! While a scan runs, ticks bring its progress. Rows are put in order anew on ticks only: not while a key was pressed a
//! moment ago (so that nothing jumps under the finger), and not too often where it is expensive ([`crate::rows`]).
//!
//! Knows no terminal and no scan. Invariant: after every update the cursor is on a visible row, if there is any.

mod above;
mod details;
mod export;
mod filtering;
mod growth;
mod marking;
mod mouse;
mod reclaim;
mod rescan;
mod results;
mod space;
mod views;

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use super::errand::Errand;
use super::export::{self as export_work, Told};
use super::keys::{Answer, Command, Keymap, Scope, View};
use super::marks::Marks;
use super::place::{Memory, Place, moved};
use super::progress::{Again, ScanState, Tick};
use super::reclaim::{self as reclaim_work, News};
use super::view::columns::{self, Graph, Scale, Shown, Wanted};
use super::view::help;
use super::window::Window;
use super::work::Findings;
use super::{Settings, Start, theme::Theme};
use crate::rows::{Column, Direction, Grouping, Hidden, Order, Sums};
use crate::scan::Places;
use crate::size::{Measure, Units};
use crate::source::Nature;
use crate::tree::{Content, DirId, Live, Tree};
pub use details::Details;
pub use export::Exporting;
use filtering::sums;
use marking::Anchor;
pub use marking::{Pane, PaneLine};
pub use reclaim::{Confirm, Failed, Reclaim, Running, Stage};
pub use rescan::Rescan;

/// How long rows keep their order after a key.
const HOLD: Duration = Duration::from_millis(800);
/// A scan that took longer than this is worth a question before it is thrown away.
const PRECIOUS: Duration = Duration::from_secs(5);

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

/// What has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The list.
    List,
    /// The help page, from this line on.
    Help(usize),
    /// A question.
    Question(Question),
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

/// A question with two buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub about: About,
    /// The selected button.
    pub button: Button,
}

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Leaving, and losing the scan.
    Quit,
    /// Scanning the directory above in place of this one.
    Above,
    /// Writing a file in the place of another.
    Replace,
}

/// The buttons of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Do it.
    Yes,
    /// Leave it; selected at first.
    No,
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
    /// What has the keys.
    pub mode: Mode,
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
                growth: columns::Compared::No,
            },
            units: settings.units,
            theme: settings.theme,
            keymap: settings.keymap.clone(),
            zone: settings.zone.clone(),
            nature: settings.nature,
            mode: Mode::List,
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
        };
        app.path = app.place_path();
        if settings.start == Start::Growth {
            app.views.compared.is_asked_for = true;
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
                self.take_findings(number, &findings);
                None
            }
            Action::Again(again) => self.take_again(again),
            Action::Reclaim(news) => self.take_reclaim(news),
            Action::Failed(reason) => {
                self.notice = Some(reason.into());
                None
            }
        };
        self.look();
        effect
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

    fn place_path(&self) -> Vec<u8> {
        if self.place.id == DirId::TOP {
            return match self.roots.as_slice() {
                [(_, shown)] => shown.clone(),
                roots => format!("{} roots", roots.len()).into_bytes(),
            };
        }
        self.shown_path(&self.tree.path(self.place.id))
    }

    /// A path of the tree as it is shown: its root not as given.
    pub fn shown_path(&self, path: &[u8]) -> Vec<u8> {
        let below = |given: &[u8]| {
            let below = path.strip_prefix(given)?;
            (below.is_empty() || given.ends_with(b"/") || below.starts_with(b"/")).then_some(below)
        };
        // Of roots in one another, the path begins with the longest.
        let roots = self.roots.iter().filter_map(|(given, shown)| Some((given.len(), shown, below(given)?)));
        match roots.max_by_key(|(length, ..)| *length) {
            Some((_, shown, [])) => shown.clone(),
            Some((_, shown, below)) => {
                crate::tree::join([shown.as_slice(), below.strip_prefix(b"/").unwrap_or(below)])
            }
            None => path.to_vec(),
        }
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

    /// Goes to the only root as soon as it is there: the level above it has nothing to show.
    fn enter_only_root(&mut self) {
        if self.place.id != DirId::TOP || self.roots.len() != 1 {
            return;
        }
        let root = self.tree.listing(DirId::TOP).directories().next();
        if let Some(root) = root {
            self.enter(root);
        }
    }

    fn may_sort(&self) -> bool {
        let now = self.scan.last.now;
        let is_held = self.pressed.is_some_and(|pressed| now.saturating_sub(pressed) < HOLD);
        let since = now.saturating_sub(self.sorted);
        self.place.rows().is_empty() || (!is_held && self.place.rows().may_sort(since))
    }

    fn sort(&mut self) {
        let (order, lines) = (self.order_here(), self.lines_here());
        self.place.sort(self.tree, sums(&self.live, &self.views), order, lines);
        self.note_sorted();
    }

    /// The rows were just put in order.
    fn note_sorted(&mut self) {
        self.sorted = self.scan.last.now;
        self.is_stale = self.is_scanning();
    }

    fn key(&mut self, event: KeyEvent) -> Option<Effect> {
        self.notice = None;
        self.pressed = Some(self.scan.last.now);
        let scope = self.scope();
        let command = self.keymap.lookup(scope, event);
        if command.is_none() && scope == Scope::Prompt {
            return self.prompt_key(event, None);
        }
        if scope == Scope::FileName && !command.is_some_and(Command::is_global) {
            return self.file_name_key(event, command);
        }
        if command.is_none() && scope == Scope::Typing {
            return self.typing_key(event);
        }
        match command? {
            command if scope == Scope::Prompt && !command.is_global() => {
                self.prompt_key(event, Some(command))
            }
            command => self.perform(command),
        }
    }

    /// Does what a key asks for where one is.
    fn perform(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::Suspend => Some(Effect::Suspend),
            Command::Repaint => Some(Effect::Repaint),
            Command::Interrupt => self.interrupt(),
            Command::Start(program) => self.start(program),
            Command::Inspect => {
                self.inspect();
                None
            }
            _ => match self.mode {
                Mode::List if self.scope() == Scope::Sheet => {
                    self.reclaim_command(command).unwrap_or_else(|| self.sheet_command(command))
                }
                Mode::List => self.command(command),
                Mode::Prompt => self.sheet_command(command),
                // All but what has a meaning everywhere was done before.
                Mode::FileName => None,
                Mode::Help(line) => {
                    self.read_help(line, command);
                    None
                }
                Mode::Question(question) => self.answer(question, command),
                Mode::Marks => self.reclaim_command(command).unwrap_or_else(|| self.command_marks(command)),
                Mode::Confirm => self.confirm_command(command),
                Mode::Failures => self.failures_command(command),
                Mode::Details => {
                    self.command_details(command);
                    None
                }
            },
        }
    }

    fn command(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::Move(motion) => {
                self.place.step(motion, self.lines_here());
                self.pin();
            }
            Command::Open => self.open(),
            Command::Parent => self.parent(),
            Command::Sort(Column::Growth) => self.sort_by_growth(),
            Command::Sort(column) => self.sort_by(column),
            Command::DirectoriesFirst => {
                self.order.grouping = match self.order.grouping {
                    Grouping::Mixed => Grouping::DirectoriesFirst,
                    Grouping::DirectoriesFirst => Grouping::Mixed,
                };
                self.sort();
            }
            Command::Measure => {
                self.order.measure = match self.order.measure {
                    Measure::Disk => Measure::Apparent,
                    Measure::Apparent => Measure::Disk,
                };
                self.sort();
            }
            Command::Hidden => {
                self.order.hidden = match self.order.hidden {
                    Hidden::Shown => Hidden::LeftOut,
                    Hidden::LeftOut => Hidden::Shown,
                };
                self.sort();
            }
            Command::Items => self.shown.items.toggle(),
            Command::Modified => self.shown.modified.toggle(),
            Command::Shared => self.shown.shared.toggle(),
            Command::Scale => self.shown.scale.toggle(),
            Command::Graph => self.shown.graph = self.shown.graph.next(),
            Command::Help => self.mode = Mode::Help(0),
            Command::Back if self.end_range() || self.come_back() || self.clear_filter() => {}
            Command::Quit | Command::Back if self.views.base == View::Treemap => self.view_command(command),
            Command::View(_) | Command::Search | Command::Cell(_) => self.view_command(command),
            Command::Quit => return self.quit(),
            Command::Rescan => return self.read_again(),
            Command::RescanRoot => return self.read_root_again(),
            Command::Mark => self.mark(),
            Command::MarkRange => self.mark_range(),
            Command::MarkShown => self.mark_shown(),
            Command::InvertMarks => self.invert_marks(),
            Command::Marks => self.open_pane(),
            Command::PrintMarks => return self.print_marks(),
            Command::Export => self.ask_for_file(),
            Command::CopyPath => return self.copy_path(),
            Command::Back => return self.stop_deleting().or_else(|| self.stop_rescan()),
            Command::Delete | Command::Trash | Command::Restore | Command::Script => {
                return self.reclaim_command(command).flatten();
            }
            // What has a meaning everywhere was done before, and the others are keys of the line in which a search is
            // typed.
            Command::Interrupt
            | Command::Suspend
            | Command::Repaint
            | Command::Inspect
            | Command::Start(_)
            | Command::Answer(_)
            | Command::Accept
            | Command::Empty
            | Command::Retry
            | Command::Inside
            | Command::Erase
            | Command::EraseAll => {}
        }
        None
    }

    fn read_help(&mut self, line: usize, command: Command) {
        match command {
            Command::Move(motion) => {
                let (limit, page) = (help::scroll_limit(&self.keymap, self.size), help::page(self.size));
                self.mode = Mode::Help(moved(line, motion, page, limit + 1));
            }
            _ => self.mode = Mode::List,
        }
    }

    fn answer(&mut self, question: Question, command: Command) -> Option<Effect> {
        let Command::Answer(answer) = command else { return None };
        let button = match (answer, question.button) {
            (Answer::Other, button) => {
                let button = if button == Button::Yes { Button::No } else { Button::Yes };
                self.mode = Mode::Question(Question { button, ..question });
                return None;
            }
            (Answer::Yes, _) => Button::Yes,
            (Answer::No, _) => Button::No,
            (Answer::Selected, button) => button,
        };
        self.mode = Mode::List;
        match (question.about, button) {
            (About::Quit, Button::Yes) => Some(Effect::Quit),
            (About::Above, Button::Yes) => self.above().map(Effect::ScanAbove),
            (About::Replace, Button::Yes) => self.replace_file(),
            (About::Replace, Button::No) => {
                self.keep_file();
                None
            }
            (About::Quit | About::Above, Button::No) => None,
        }
    }

    fn interrupt(&mut self) -> Option<Effect> {
        match self.mode {
            Mode::Confirm => Some(self.close_confirm()),
            // Asked already whether to leave: this is the answer.
            Mode::Question(Question { about: About::Quit, .. }) => Some(Effect::Quit),
            _ if self.is_scanning() && !self.scan.is_stopping => {
                self.scan.is_stopping = true;
                self.notice = Some("Stopping; what was read stays".into());
                Some(Effect::StopScan)
            }
            _ => self.stop_deleting().or_else(|| self.stop_rescan()).or_else(|| self.quit()),
        }
    }

    fn quit(&mut self) -> Option<Effect> {
        if self.scan.last.elapsed <= PRECIOUS && !self.is_deleting() && self.written().is_none() {
            return Some(Effect::Quit);
        }
        self.mode = Mode::Question(Question { about: About::Quit, button: Button::No });
        None
    }

    fn sort_by(&mut self, column: Column) {
        self.order.direction =
            if self.order.column == column { self.order.direction.other() } else { Direction::Usual };
        self.order.column = column;
        self.sort();
    }

    fn pin(&mut self) {
        self.place.pin();
    }

    fn open(&mut self) {
        let record = self.place.entry();
        let directory = record.and_then(|record| match record.content {
            Content::Known(facts) => facts.directory,
            _ => None,
        });
        match directory {
            Some(id) => {
                self.pin();
                self.trail.push(self.place.id);
                self.enter(id);
            }
            None if record.is_some() => self.notice = Some("Not a directory".into()),
            None => {}
        }
    }

    fn parent(&mut self) {
        if self.come_back_up() {
            return;
        }
        match self.trail.pop() {
            Some(id) => self.enter(id),
            None => self.offer_above(),
        }
    }

    fn enter(&mut self, id: DirId) {
        self.anchor = None;
        self.memories.insert(self.place.id, self.place.memory());
        self.enter_again(id);
    }

    /// Enters a directory as it is remembered; how the one left is to be remembered was said before.
    fn enter_again(&mut self, id: DirId) {
        let lines = self.lines_here();
        let memory = self.memories.remove(&id).unwrap_or_default();
        let sums = sums(&self.live, &self.views);
        self.place = Place::enter(self.tree, sums, id, self.order_here(), memory, lines);
        self.path = self.place_path();
        self.note_sorted();
    }
}
