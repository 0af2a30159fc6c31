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
pub mod cursor;
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
mod session;
pub mod sheet;
pub mod shown;
pub mod tab;
pub mod theme;
pub mod view;
pub mod window;
pub mod work;

use std::io::{self, BufWriter};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;

use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::growth::{Basis, Earlier};
use crate::platform::absolute::absolute;
use crate::platform::signals::{self, Watch};
use crate::rows::Order;
use crate::size::Units;
use crate::source::{Nature, Source};
use keys::Keymap;
use reclaim::Safety;
pub use screen::Mouse;
use screen::{Guard, Screen};
use session::{Left, Session};
use tab::Tab;
use theme::Theme;

/// A frame goes out in one write, if it is not larger than this.
const FRAME: usize = 1 << 18;
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
                // Freeing a large tree takes time. Without a thread for it, the process frees it at its end.
                let below = std::mem::ManuallyDrop::new(below);
                let _ = thread::Builder::new().spawn(move || drop(std::mem::ManuallyDrop::into_inner(below)));
            }
        }
    }
}

/// What a root is called in the directory above.
fn name(root: &Path) -> Option<Vec<u8>> {
    absolute(root).file_name().map(|name| name.as_bytes().to_vec())
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
