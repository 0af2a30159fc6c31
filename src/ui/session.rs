//! One tree in the browser: the loop between the terminal, the state, and the work beside the screen.
//!
//! ```text
//! wait  ->  keys, ticks, what was found  ->  App::update  ->  effects, carried out  ->  a frame
//! ```
//!
//! Knows what there is to do, and leaves how to the state and to those who do it. Invariant: nothing here waits for a path that is
//! scanned, or for a job.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};

use super::app::{Action, App, Effect};
use super::errand::{self, Errand, Errands};
use super::export::{self, Exports, Told};
use super::progress::{Again, Tick};
use super::reclaim::Bench;
use super::screen::Screen;
use super::work::Desk;
use super::{Settings, clipboard, suspend, tab, view};
use crate::growth::Basis;
use crate::job::Pool;
use crate::platform::absolute::absolute;
use crate::platform::limits::processors;
use crate::scan::Scan;
use crate::source::Source;
use crate::sync::Arc;
use crate::writing::Unwritten;

/// Between two looks at a growing tree.
const TICK: Duration = Duration::from_millis(80);
/// Between two looks at jobs while any runs: what they find is to be seen at once.
const GLANCE: Duration = Duration::from_millis(10);
/// Keys that are taken before the next frame, so that holding one down does not draw them all.
const KEYS_PER_FRAME: usize = 64;

/// What frames are written to.
pub(super) type Output = CrosstermBackend<BufWriter<Screen>>;

/// What a person goes on to.
pub(super) enum Left {
    /// Whatever is outside, with these paths.
    Browser(Vec<Vec<u8>>),
    /// The tree of another source.
    Tree(Source),
}

/// A tree that is looked at.
pub(super) struct Session<'s> {
    terminal: &'s mut Terminal<Output>,
    screen: &'s Screen,
    source: &'s Source,
    app: App<'s>,
    desk: Desk,
    bench: Bench,
    errands: Errands,
    exports: Exports,
    /// Part of the tree that is being read again.
    again: Option<Scan>,
    /// What the tab was told last.
    told: tab::Shown,
    begun: Instant,
    next_tick: Instant,
    /// What is to be done next.
    effects: VecDeque<Effect>,
    /// Whether the screen is to be drawn anew.
    has_changed: bool,
}

impl<'s> Session<'s> {
    /// Begins to look at `source`, which can be compared with `basis`.
    pub(super) fn new(
        terminal: &'s mut Terminal<Output>,
        screen: &'s Screen,
        source: &'s Source,
        settings: &Settings,
        basis: Basis,
    ) -> io::Result<Self> {
        let begun = Instant::now();
        let size = terminal.size()?;
        let roots = source.roots().iter().map(|root| titled(root)).collect();
        let app = App::new(source.tree(), roots, settings, (size.width, size.height));
        let pool = Pool::new(processors())?;
        Ok(Self {
            terminal,
            screen,
            source,
            app,
            desk: Desk::new(pool.clone(), Arc::clone(source.tree())).comparing(basis),
            bench: Bench::default(),
            errands: Errands::new(pool.clone(), Arc::clone(source.tree())),
            exports: Exports::new(pool, source.clone()),
            again: None,
            told: tab::Shown::Nothing,
            begun,
            next_tick: begun,
            effects: VecDeque::new(),
            has_changed: true,
        })
    }

    /// Puts the cursor on the entry of this name as soon as there is one.
    pub(super) fn expect(&mut self, name: Vec<u8>) {
        self.app.expect(name);
    }

    /// Goes on until the person leaves.
    pub(super) fn run(mut self) -> io::Result<Left> {
        loop {
            // What is wrong with a snapshot is met when somebody looks there, long after everything seemed over.
            if !self.app.wants_ticks() && self.source.outcome() != self.app.scan.last.outcome {
                self.act(Action::Tick(self.tick()));
            }
            if std::mem::take(&mut self.has_changed) {
                self.draw()?;
            }
            self.app.update(Action::Clock(Timestamp::now().as_second()));
            for action in pending(self.wait(), self.begun)? {
                if let Action::Key(_) = action {
                    self.errands.forget();
                }
                self.act(action);
            }
            if self.app.wants_ticks() && Instant::now() >= self.next_tick {
                self.look_at_scans()?;
            }
            self.collect()?;
            while let Some(effect) = self.effects.pop_front() {
                if let Some(left) = self.carry_out(effect)? {
                    return Ok(left);
                }
            }
        }
    }

    /// Tells the state of something that has happened.
    fn act(&mut self, action: Action) {
        self.effects.extend(self.app.update(action));
        self.has_changed = true;
    }

    /// How long nothing has to be done unless a key comes; none: for ever.
    fn wait(&self) -> Option<Duration> {
        let is_busy =
            self.desk.is_busy() || self.errands.is_busy() || self.bench.is_busy() || self.exports.is_busy();
        let tick = self.app.wants_ticks().then(|| self.next_tick.saturating_duration_since(Instant::now()));
        if is_busy { Some(tick.unwrap_or(GLANCE).min(GLANCE)) } else { tick }
    }

    /// How the scan goes on.
    fn tick(&self) -> Tick {
        // The outcome first: what it says is over is in the progress then.
        let outcome = self.source.outcome();
        let (progress, elapsed) = (self.source.progress(), self.source.elapsed());
        Tick { now: self.begun.elapsed(), progress, outcome, elapsed }
    }

    /// Sees how the scan and the reading of a part go on, and tells the tab.
    fn look_at_scans(&mut self) -> io::Result<()> {
        self.act(Action::Tick(self.tick()));
        if let Some(again) = &self.again {
            // The outcome first, as above.
            let outcome = again.outcome();
            let news = Again { progress: again.progress(), outcome };
            if news.outcome.is_some() {
                self.again = None;
            }
            self.act(Action::Again(news));
        }
        let shown = self.app.scan.in_tab();
        if shown != self.told {
            self.screen.tell(shown)?;
            self.told = shown;
        }
        self.next_tick = Instant::now() + TICK;
        Ok(())
    }

    /// Takes what was found and done beside the screen.
    fn collect(&mut self) -> io::Result<()> {
        for (number, findings) in self.desk.serve(self.app.wishes()) {
            self.act(Action::Findings(number, findings));
        }
        self.lend()?;
        for news in self.bench.news() {
            self.act(Action::Reclaim(news));
        }
        if let Some(told) = self.exports.news() {
            self.act(Action::Exported(told));
        }
        Ok(())
    }

    /// Lends the terminal to a program that is ready to be started, and tells what became of those before.
    fn lend(&mut self) -> io::Result<()> {
        let mut complaints = self.errands.complaints();
        match self.errands.ready().as_deref() {
            Some(Ok(ready)) => {
                complaints.extend(errand::lend(self.screen, ready)?);
                self.resume()?;
            }
            Some(Err(reason)) => complaints.push(reason.clone()),
            None => {}
        }
        for complaint in complaints {
            self.act(Action::Failed(complaint));
        }
        Ok(())
    }

    /// Does what the state asks for. Says what the person goes on to, if that was it.
    fn carry_out(&mut self, effect: Effect) -> io::Result<Option<Left>> {
        match effect {
            Effect::Quit => return Ok(Some(Left::Browser(Vec::new()))),
            Effect::Print(paths) => return Ok(Some(Left::Browser(paths))),
            Effect::ScanAbove(path) => return Ok(self.scan_above(path).map(Left::Tree)),
            Effect::Start(errand) => self.start(errand),
            Effect::Export(order) => self.export(order),
            Effect::StopScan => self.source.stop(),
            Effect::Rescan(directory) => {
                self.read_again(self.source.scan().map(|scan| scan.rescan(directory)));
            }
            Effect::LookAgain(places) => {
                self.read_again(self.source.scan().map(|scan| scan.look_again(places)));
            }
            Effect::Reclaim(order) => {
                if let Some(news) = self.bench.take(order) {
                    self.act(Action::Reclaim(news));
                }
                self.has_changed = true;
            }
            Effect::StopRescan => self.again.iter().for_each(Scan::stop),
            Effect::Copy(text) => {
                self.terminal.backend_mut().write_all(clipboard::sequence(&text).as_bytes())?;
                clipboard::offer(text);
            }
            Effect::Suspend => {
                suspend(self.screen)?;
                self.told = tab::Shown::Nothing;
                self.resume()?;
            }
            Effect::Repaint => self.repaint()?,
        }
        Ok(None)
    }

    /// Begins to start a program.
    fn start(&mut self, errand: Errand) {
        if let Err(error) = self.errands.begin(errand) {
            self.act(Action::Failed(format!("No thread for that: {error}")));
        }
    }

    /// Begins to write a file.
    fn export(&mut self, order: export::Order) {
        if let Err(error) = self.exports.begin(order.clone()) {
            let written = Err(Unwritten::Failed(format!("no thread to write: {error}")));
            self.act(Action::Exported(Told { order, written }));
        }
    }

    /// Begins to scan the directory above. None where there is no thread for it, which is said, and where nothing is scanned,
    /// when the state does not ask; see [`Nature`](crate::source::Nature).
    fn scan_above(&mut self, path: Vec<u8>) -> Option<Source> {
        match self.source.elsewhere(OsString::from_vec(path).into())? {
            Ok(above) => Some(above),
            Err(error) => {
                self.act(Action::Failed(format!("No thread to scan: {error}")));
                None
            }
        }
    }

    /// Takes a reading that was begun for part of the tree. Without a scan there is none: the state asks for none then; see
    /// [`Nature`](crate::source::Nature).
    fn read_again(&mut self, begun: Option<io::Result<Scan>>) {
        match begun {
            Some(Ok(scan)) => self.again = Some(scan),
            Some(Err(error)) => {
                self.act(Action::Again(Again::failed()));
                self.act(Action::Failed(format!("No thread to read again: {error}")));
            }
            None => {}
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| view::draw(&self.app, frame))?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        self.terminal.backend_mut().flush()
    }

    /// Goes on after others had the terminal: nobody tells a stopped program of a new size.
    fn resume(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.act(Action::Resize(size.width, size.height));
        self.repaint()
    }

    /// Makes the next frame draw every cell. (`Terminal::clear` would ask the terminal for its cursor, and wait for an answer.)
    fn repaint(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.has_changed = true;
        self.terminal.resize(size.into())
    }
}

/// A root as given, and as it is shown: `.` says little to who looks at it later.
fn titled(root: &Path) -> (Vec<u8>, Vec<u8>) {
    (root.as_os_str().as_bytes().to_vec(), absolute(root).as_os_str().as_bytes().to_vec())
}

/// What has happened, after waiting for something at most for `wait`; without it, as long as it takes.
fn pending(wait: Option<Duration>, begun: Instant) -> io::Result<Vec<Action>> {
    let mut actions = Vec::new();
    let mut is_there = match wait {
        Some(wait) => event::poll(wait)?,
        None => true,
    };
    while is_there && actions.len() < KEYS_PER_FRAME {
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => actions.push(Action::Key(key)),
            Event::Mouse(mouse) => actions.push(Action::Mouse(mouse, begun.elapsed())),
            Event::Resize(columns, lines) => actions.push(Action::Resize(columns, lines)),
            // What is pasted is no command, but may be searched for.
            Event::Paste(text) => actions.push(Action::Paste(text)),
            _ => {}
        }
        is_there = event::poll(Duration::ZERO)?;
    }
    Ok(actions)
}
