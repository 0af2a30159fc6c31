//! Browser: one thread that waits for keys, reads the tree, and draws.
//!
//! ```text
//! keys, resizes, ticks  ->  App::update  ->  Window  ->  App::draw  ->  cells
//!                               |
//!                               +-> Effect: quit, scan, stop, read again, delete, write, start a program, copy, suspend, repaint
//! ```
//!
//! The scan writes atomics, and this thread samples them a few times a second while something runs; otherwise
//! it sleeps until a key comes. A second thread waits for signals and for the end of the terminal.
//!
//! Invariant: this thread makes no system call on a scanned path, so no file system can keep the user from
//! leaving.

pub mod answer_gate;
pub mod app;
pub mod cells;
mod clipboard;
pub mod component;
pub mod cursor;
pub mod errand;
pub mod export;
pub mod field;
pub mod hit_map;
#[cfg(test)]
mod journeys;
pub mod keys;
pub mod layers;
pub mod layout;
pub mod loader;
pub mod marks;
pub mod notice;
pub mod options;
mod owner_names;
mod place;
pub mod progress;
pub mod reclaim;
pub mod remark;
pub mod runner;
mod screen;
mod session;
pub mod sheet;
pub mod tab;
pub mod theme;
pub mod treemap;
pub mod view;
pub mod views;
pub mod window;

use std::io::{self, BufWriter};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;

use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::base::absolute::absolute;
use crate::base::format::Units;
use crate::platform::terminal::signals;
use crate::platform::terminal::signals::Watch;
use crate::platform::terminal::stops;
use crate::source::baseline::{Basis, Earlier};
use crate::source::{Source, SourceKind};
use crate::table::rows::Order;
use keys::Keymap;
use notice::Notice;
pub use options::Mouse;
use options::{DeletePolicy, Tab};
use screen::{Guard, Screen};
use session::{Left, Session};
use theme::Theme;

/// Size in bytes up to which a frame is sent in one write.
const FRAME: usize = 1 << 18;
/// Settings of a browser.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Initial order of entries, and the kind of size.
    pub order: Order,
    /// Unit system of sizes.
    pub units: Units,
    /// Theme.
    pub theme: Theme,
    /// Key bindings.
    pub keymap: Keymap,
    /// Notice shown until the first key.
    pub notice: Option<Notice>,
    /// Time zone of displayed times.
    pub zone: TimeZone,
    /// Receiver of mouse events: the browser or the terminal.
    pub mouse: Mouse,
    /// Setting for progress in the terminal's tab.
    pub tab: Tab,
    /// Rules for deletion.
    pub safety: DeletePolicy,
    /// Kind of the source, which determines if it can be rescanned and changed.
    pub nature: SourceKind,
    /// First view.
    pub start: Start,
}

/// First view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// List in the requested order, by default by size.
    #[default]
    Sizes,
    /// List by growth.
    Growth,
}

impl Settings {
    /// Returns the default settings.
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
            nature: SourceKind::default(),
            start: Start::default(),
            safety: DeletePolicy::default(),
        }
    }
}

/// Shows the tree of `source` until the user quits, and returns the marked paths to print. Does not wait for the
/// source to finish. If the user scans the parent directory, `source` is replaced. The tree can be compared with
/// `earlier`.
///
/// # Errors
/// When the terminal cannot be taken over, or no longer responds. It has been restored by then.
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
        let mut session = Session::new(&mut terminal, &screen, source, &settings, basis)?;
        if let Some(name) = expected.take() {
            session.expect(name);
        }
        match session.run()? {
            Left::Browser(paths) => return Ok(paths),
            Left::Tree(above) => {
                earlier = earlier.above();
                settings.start = Start::Sizes;
                expected = source.roots().first().and_then(|root| name(root));
                let below = std::mem::replace(source, above);
                below.stop();
                // Freeing a large tree takes time, so another thread does it. Without one, the memory is
                // freed at the end of the process.
                let below = std::mem::ManuallyDrop::new(below);
                let _ = thread::Builder::new().spawn(move || drop(std::mem::ManuallyDrop::into_inner(below)));
            }
        }
    }
}

/// Returns the name of a root in the directory above.
fn name(root: &Path) -> Option<Vec<u8>> {
    absolute(root).file_name().map(|name| name.as_bytes().to_vec())
}

/// Restores the terminal before a panic of the drawing thread is printed. Panics of other threads are part of the
/// scan's outcome.
fn restore_on_panic(screen: &Screen) {
    let (screen, drawing) = (screen.clone(), thread::current().id());
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == drawing {
            drop(screen.leave_for_the_end());
            report(panic);
        }
    }));
}

/// Starts the thread that waits for signals and for the end of the terminal, and registers the actions before and
/// after a suspension (SIGTSTP).
fn watch(screen: &Screen) -> io::Result<()> {
    let mut watch = Watch::new(Some(screen.descriptor()?))?;
    let screen = screen.clone();
    let stopped = screen.clone();
    stops::around(Box::new(move |stop| {
        // A resize event wakes the drawing thread, which then redraws the whole screen.
        let announce = |was_on| if was_on { signals::announce_resize() } else { Ok(()) };
        if stopped.pause(stop).and_then(announce).is_err() {
            signals::die(signals::Signal::SIGHUP);
        }
    }));
    thread::Builder::new().name("signals".into()).spawn(move || {
        let signal = match watch.wait() {
            Ok(signals::Event::Signal(signal)) => signal,
            Ok(signals::Event::Hangup) | Err(_) => signals::Signal::SIGHUP,
        };
        let _left = screen.leave_for_the_end();
        signals::die(signal);
    })?;
    Ok(())
}
