//! The browser: one thread that waits for keys, looks at the tree, and draws.
//!
//! ```text
//! keys, resizes, ticks  ->  App::update  ->  Window  ->  view::draw  ->  cells
//!                               |
//!                               +-> Effect: quit, scan, stop, read again, delete, write, start a program, copy, suspend, repaint
//! ```
//!
//! The scan writes atomics and this thread samples them a few times a second, for as long as something runs; afterwards
//! it sleeps until a key comes. A second thread waits for signals and for the end of the terminal.
//!
//! Knows no kernel, but asks `platform` for signals. Invariant: this thread makes no system call on a scanned path, so
//! that nothing a file system does can keep a person from leaving.

pub mod app;
pub mod cells;
mod clipboard;
pub mod errand;
pub mod export;
pub mod field;
mod inquiry;
#[cfg(test)]
mod journeys;
pub mod keys;
pub mod layout;
pub mod marks;
mod place;
pub mod progress;
pub mod reclaim;
pub mod remark;
mod screen;
pub mod sheet;
pub mod shown;
pub mod tab;
pub mod theme;
pub mod view;
pub mod window;
pub mod work;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufWriter};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};

use crate::growth::{Basis, Earlier};
use crate::job::Pool;
use crate::platform::absolute::absolute;
use crate::platform::limits::processors;
use crate::platform::signals::{self, Watch};
use crate::rows::Order;
use crate::scan::Scan;
use crate::size::Units;
use crate::source::{Nature, Source};
use crate::sync::Arc;
use crate::writing::Unwritten;
use app::{Action, App, Effect};
use errand::{Errand, Errands};
use export::{Exports, Told};
use keys::Keymap;
use progress::{Again, Tick};
use reclaim::{Bench, Safety};
pub use screen::Mouse;
use screen::{Guard, Screen};
use tab::Tab;
use theme::Theme;
use work::Desk;

/// Between two looks at a growing tree.
const TICK: Duration = Duration::from_millis(80);
/// Between two looks at jobs while any runs: what they find is to be seen at once.
const GLANCE: Duration = Duration::from_millis(10);
/// A frame goes out in one write, if it is not larger than this.
const FRAME: usize = 1 << 18;
/// Keys that are taken before the next frame, so that holding one down does not draw them all.
const KEYS_PER_FRAME: usize = 64;

/// What a browser is asked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The order of entries at first; says which size is meant, too.
    pub order: Order,
    /// How sizes are written.
    pub units: Units,
    /// Looks.
    pub theme: Theme,
    /// What the keys mean.
    pub keymap: Keymap,
    /// Something to say until the first key.
    pub notice: Option<String>,
    /// Where times are told.
    pub zone: TimeZone,
    /// Whose the mouse is.
    pub mouse: Mouse,
    /// Whether tabs are told of a scan.
    pub tab: Tab,
    /// What may happen to files.
    pub safety: Safety,
    /// What there is to look at: whether it can be read again and changed.
    pub nature: Nature,
    /// What is to be seen first.
    pub start: Start,
}

/// What is to be seen first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The entries by their sizes, or what else was asked for.
    #[default]
    Sizes,
    /// How they have grown.
    Growth,
}

impl Settings {
    /// The usual ones, with times told as in `zone`.
    pub fn new(order: Order, units: Units, theme: Theme, zone: TimeZone) -> Self {
        Self {
            order,
            units,
            theme,
            keymap: Keymap::default(),
            notice: None,
            zone,
            mouse: Mouse::default(),
            tab: Tab::default(),
            nature: Nature::default(),
            start: Start::default(),
            safety: Safety::default(),
        }
    }
}

/// Browses what `source` reads, until the person leaves. Returns the marked paths that are to be printed, without waiting
/// for the source. That may have become another one meanwhile, of a directory above. It can be compared with what it was
/// `earlier`.
///
/// # Errors
/// When the terminal cannot be taken over, or does not answer any more. It was given back then.
pub fn run(source: &mut Source, settings: &Settings, mut earlier: Earlier) -> io::Result<Vec<Vec<u8>>> {
    let screen = Screen::new(settings.mouse, settings.tab)?;
    let _guard = Guard(screen.clone());
    restore_on_panic(&screen);
    screen.give_back_on_abort()?;
    watch(&screen)?;
    screen.enter()?;
    let writer = BufWriter::with_capacity(FRAME, screen.clone());
    let mut terminal = Terminal::new(CrosstermBackend::new(writer))?;
    let mut expected = None;
    let mut settings = settings.clone();
    loop {
        let basis = Basis::new(earlier.clone(), source.clone());
        match browse(&mut terminal, &screen, source, &settings, (expected.take(), basis))? {
            Left::Browser(paths) => return Ok(paths),
            Left::Tree(above) => {
                earlier = earlier.above();
                settings.start = Start::Sizes;
                expected = source.roots().first().and_then(|root| name(root));
                let below = std::mem::replace(source, above);
                below.stop();
                // Freeing a large tree takes time. Without a thread for it, the process frees it at its end.
                let below = std::mem::ManuallyDrop::new(below);
                let _ = thread::Builder::new().spawn(move || drop(std::mem::ManuallyDrop::into_inner(below)));
            }
        }
    }
}

/// What a person goes on to.
enum Left {
    /// Whatever is outside, with these paths.
    Browser(Vec<Vec<u8>>),
    /// The tree of another source.
    Tree(Source),
}

/// What a root is called in the directory above.
fn name(root: &Path) -> Option<Vec<u8>> {
    absolute(root).file_name().map(|name| name.as_bytes().to_vec())
}

/// Lends the terminal to a program that is ready to be started, and tells what became of those before. Says whether there was
/// anything.
fn run_errand(
    errands: &mut Errands,
    terminal: &mut Terminal<Output>,
    screen: &Screen,
    app: &mut App<'_>,
) -> io::Result<bool> {
    let mut complaints = errands.complaints();
    let ready = errands.ready();
    match ready.as_deref() {
        Some(Ok(ready)) => {
            complaints.extend(errand::lend(screen, ready)?);
            resume(terminal, app)?;
        }
        Some(Err(reason)) => complaints.push(reason.clone()),
        None if complaints.is_empty() => return Ok(false),
        None => {}
    }
    for complaint in complaints {
        app.update(Action::Failed(complaint));
    }
    Ok(true)
}

type Output = CrosstermBackend<BufWriter<Screen>>;

fn browse(
    terminal: &mut Terminal<Output>,
    screen: &Screen,
    source: &Source,
    settings: &Settings,
    (expected, basis): (Option<Vec<u8>>, Basis),
) -> io::Result<Left> {
    let begun = Instant::now();
    let size = terminal.size()?;
    let roots = source.roots().iter().map(|root| titled(root)).collect();
    let mut app = App::new(source.tree(), roots, settings, (size.width, size.height));
    if let Some(name) = expected {
        app.expect(name);
    }
    let mut next_tick = begun;
    let pool = Pool::new(processors())?;
    let mut errands = Errands::new(pool.clone(), Arc::clone(source.tree()));
    let mut desk = Desk::new(pool.clone(), Arc::clone(source.tree())).comparing(basis);
    let mut bench = Bench::default();
    let mut exports = Exports::new(pool, source.clone());
    let mut has_changed = true;
    let mut again: Option<Scan> = None;
    let mut told = tab::Shown::Nothing;
    loop {
        // What is wrong with a snapshot is met when somebody looks there, long after everything seemed over.
        if !app.wants_ticks() && source.outcome() != app.scan.last.outcome {
            app.update(Action::Tick(tick(source, begun)));
            has_changed = true;
        }
        if has_changed {
            draw(terminal, &app)?;
        }
        has_changed = false;
        let wait = app.wants_ticks().then(|| next_tick.saturating_duration_since(Instant::now()));
        let is_busy = desk.is_busy() || errands.is_busy() || bench.is_busy() || exports.is_busy();
        let wait = if is_busy { Some(wait.unwrap_or(GLANCE).min(GLANCE)) } else { wait };
        let mut effects = Vec::new();
        app.update(Action::Clock(Timestamp::now().as_second()));
        for action in pending(wait, begun)? {
            if let Action::Key(_) = action {
                errands.forget();
            }
            effects.extend(app.update(action));
            has_changed = true;
        }
        if app.wants_ticks() && Instant::now() >= next_tick {
            effects.extend(app.update(Action::Tick(tick(source, begun))));
            if let Some(news) = again.as_ref().map(news) {
                again = again.filter(|_| news.outcome.is_none());
                effects.extend(app.update(Action::Again(news)));
            }
            tell(screen, &app, &mut told)?;
            next_tick = Instant::now() + TICK;
            has_changed = true;
        }
        for (number, findings) in desk.serve(app.wishes()) {
            effects.extend(app.update(Action::Findings(number, findings)));
            has_changed = true;
        }
        has_changed |= run_errand(&mut errands, terminal, screen, &mut app)?;
        let deeds = bench.news().into_iter().map(Action::Reclaim);
        for action in deeds.chain(exports.news().map(Action::Exported)) {
            effects.extend(app.update(action));
            has_changed = true;
        }
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Quit => return Ok(Left::Browser(Vec::new())),
                Effect::Print(paths) => return Ok(Left::Browser(paths)),
                Effect::ScanAbove(path) => {
                    if let Some(above) = scan_above(source, path, &mut app) {
                        return Ok(Left::Tree(above));
                    }
                }
                Effect::Start(errand) => start(&mut errands, errand, &mut app),
                Effect::Export(order) => export(&mut exports, order, &mut app),
                Effect::StopScan => source.stop(),
                Effect::Rescan(directory) => {
                    let begun = source.scan().map(|scan| scan.rescan(directory));
                    effects.extend(read_again(&mut again, begun, &mut app));
                }
                Effect::LookAgain(places) => {
                    let begun = source.scan().map(|scan| scan.look_again(places));
                    effects.extend(read_again(&mut again, begun, &mut app));
                }
                Effect::Reclaim(order) => {
                    if let Some(news) = bench.take(order) {
                        effects.extend(app.update(Action::Reclaim(news)));
                    }
                    has_changed = true;
                }
                Effect::StopRescan => again.iter().for_each(Scan::stop),
                Effect::Copy(text) => {
                    io::Write::write_all(terminal.backend_mut(), clipboard::sequence(&text).as_bytes())?;
                    clipboard::offer(text);
                }
                Effect::Suspend => {
                    suspend(screen)?;
                    told = tab::Shown::Nothing;
                    resume(terminal, &mut app)?;
                }
                Effect::Repaint => repaint(terminal)?,
            }
        }
    }
}

/// Begins to start a program.
fn start(errands: &mut Errands, errand: Errand, app: &mut App<'_>) {
    if let Err(error) = errands.begin(errand) {
        app.update(Action::Failed(format!("No thread for that: {error}")));
    }
}

/// Begins to write a file.
fn export(exports: &mut Exports, order: export::Order, app: &mut App<'_>) {
    if let Err(error) = exports.begin(order.clone()) {
        let written = Err(Unwritten::Failed(format!("no thread to write: {error}")));
        app.update(Action::Exported(Told { order, written }));
    }
}

/// Begins to scan another directory. None where there is no thread for it, which is said, and where nothing is scanned, when
/// the state does not ask; see [`Nature`].
fn scan_above(source: &Source, path: Vec<u8>, app: &mut App<'_>) -> Option<Source> {
    match source.elsewhere(OsString::from_vec(path).into())? {
        Ok(above) => Some(above),
        Err(error) => {
            app.update(Action::Failed(format!("No thread to scan: {error}")));
            None
        }
    }
}

/// Takes a reading that was begun for part of the tree; what there is to do where it was not. Without a scan there is none:
/// the state asks for none then; see [`Nature`].
fn read_again(again: &mut Option<Scan>, begun: Option<io::Result<Scan>>, app: &mut App<'_>) -> Vec<Effect> {
    match begun {
        Some(Ok(scan)) => *again = Some(scan),
        Some(Err(error)) => {
            let failed = app.update(Action::Again(Again::failed()));
            let complaint = app.update(Action::Failed(format!("No thread to read again: {error}")));
            return failed.into_iter().chain(complaint).collect();
        }
        None => {}
    }
    Vec::new()
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

/// Tells the tab what is new about the scan.
fn tell(screen: &Screen, app: &App<'_>, told: &mut tab::Shown) -> io::Result<()> {
    let shown = app.scan.in_tab();
    if shown != *told {
        screen.tell(shown)?;
        *told = shown;
    }
    Ok(())
}

fn draw(terminal: &mut Terminal<Output>, app: &App<'_>) -> io::Result<()> {
    queue!(terminal.backend_mut(), BeginSynchronizedUpdate)?;
    terminal.draw(|frame| view::draw(app, frame))?;
    queue!(terminal.backend_mut(), EndSynchronizedUpdate)?;
    io::Write::flush(terminal.backend_mut())
}

/// Goes on after others had the terminal: nobody tells a stopped program of a new size.
fn resume(terminal: &mut Terminal<Output>, app: &mut App<'_>) -> io::Result<()> {
    let size = terminal.size()?;
    app.update(Action::Resize(size.width, size.height));
    repaint(terminal)
}

/// Makes the next frame draw every cell. (`Terminal::clear` would ask the terminal for its cursor, and wait for an answer.)
fn repaint(terminal: &mut Terminal<Output>) -> io::Result<()> {
    let size = terminal.size()?;
    terminal.resize(size.into())
}

fn tick(source: &Source, begun: Instant) -> Tick {
    // The outcome first: what it says is over is in the progress then.
    let outcome = source.outcome();
    Tick { now: begun.elapsed(), progress: source.progress(), outcome, elapsed: source.elapsed() }
}

/// What is new about a rescan.
fn news(scan: &Scan) -> Again {
    let outcome = scan.outcome();
    Again { progress: scan.progress(), outcome }
}

/// A root as given, and as it is shown: `.` says little to who looks at it later.
fn titled(root: &Path) -> (Vec<u8>, Vec<u8>) {
    (root.as_os_str().as_bytes().to_vec(), absolute(root).as_os_str().as_bytes().to_vec())
}

fn suspend(screen: &Screen) -> io::Result<()> {
    screen.leave();
    signals::stop_group()?;
    screen.enter()
}

/// A panic of the thread that draws must be readable; those of other threads are told by the scan's outcome.
fn restore_on_panic(screen: &Screen) {
    let (screen, drawing) = (screen.clone(), thread::current().id());
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == drawing {
            screen.leave();
            report(panic);
        }
    }));
}

/// Waits for signals and the end of the terminal, on a thread of its own.
fn watch(screen: &Screen) -> io::Result<()> {
    let mut watch = Watch::new(Some(screen.descriptor()?))?;
    let screen = screen.clone();
    thread::Builder::new().name("signals".into()).spawn(move || {
        loop {
            match watch.wait() {
                Ok(signals::Event::Signal(signals::Signal::SIGTSTP)) => {
                    // The thread that draws is asleep or soon told of the new size, whereupon it draws everything.
                    if suspend(&screen).and_then(|()| signals::announce_resize()).is_err() {
                        signals::die(signals::Signal::SIGHUP);
                    }
                }
                Ok(signals::Event::Signal(signal)) => {
                    screen.leave();
                    signals::die(signal);
                }
                Ok(signals::Event::Hangup) | Err(_) => {
                    screen.leave();
                    signals::die(signals::Signal::SIGHUP);
                }
            }
        }
    })?;
    Ok(())
}
