//! Browser: one thread waits for keys, reads the tree, and draws.
//!
//! ```text
//! keys, resizes, ticks  ->  App::update  ->  Window  ->  App::draw  ->  cells
//!                               |
//!                               +-> Effect: quit, scan, stop, rescan, delete, write, start a program, copy, suspend,
//!                                           repaint
//! ```
//!
//! During a scan or an operation, this thread checks the progress several times a second. Otherwise, it sleeps until a
//! key is pressed. A second thread waits for signals and for a hangup of the terminal.
//!
//! Invariant: this thread makes no system call on a scanned path, so no file system can prevent the user from
//! quitting.

pub mod answer_gate;
pub mod app;
pub mod cells;
pub mod component;
pub mod context;
pub mod cursor;
pub mod deletion_state;
pub mod entry_info;
pub mod field;
mod folding;
pub mod frame_writer;
pub mod hit_map;
pub mod keys;
pub mod layers;
pub mod layout;
mod list_state;
pub mod list_texts;
pub mod loader;
pub mod map_colors;
pub mod marked_copies;
mod marks;
pub mod message;
pub mod notice;
pub mod operations;
pub mod options;
pub mod overview;
mod owner_names;
pub mod preview;
pub mod progress;
pub mod requested;
pub mod runner;
mod sentences;
mod session;
mod settings;
pub mod table_page;
pub mod table_view;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod theme;
pub mod title;
pub mod treemap_layout;
pub mod view_state;
pub mod views;
pub mod waiting_command;
pub mod widgets;
pub mod window;

use std::io::{self, BufWriter};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::base::absolute::absolute;
use crate::platform::terminal::signals;
use crate::platform::terminal::signals::Watch;
use crate::platform::terminal::stops;
use crate::source::Source;
use crate::source::baseline::{Baseline, BaselineSpec};
use crate::table::recorded::RecordedTree;
use notice::Notice;
pub use options::{MouseCapture, Start};
pub use session::BrowserEnd;
use session::{Left, Session};
pub use settings::Settings;
use terminal::input::Input;
use terminal::screen::{Guard, Screen};

/// Size in bytes of the output buffer. A frame up to this size is sent in one write.
const FRAME: usize = 1 << 18;

/// Previous scan to show while a source is read, and a notice about a snapshot that was ignored.
pub type LastScan = (Option<RecordedTree>, Option<Notice>);

/// Shows the tree of `source` until the user quits, and does not wait for the source to finish. Returns the paths to
/// print and the directory that was shown last. If the user scans the parent directory, the new scan replaces `source`.
/// `earlier` is the baseline for growth. Calls `begin` with each source. `begin` returns a notice, and the previous
/// scan to show while the source is read.
///
/// # Errors
/// Returns an error if the terminal cannot be taken over or no longer responds. In both cases, the terminal has already
/// been restored.
pub fn run(
    source: &mut Source,
    mut settings: Settings,
    mut earlier: BaselineSpec,
    begin: &mut dyn FnMut(&Source) -> LastScan,
) -> io::Result<BrowserEnd> {
    let screen = Screen::new(settings.mouse, settings.tab)?;
    let _guard = Guard(screen.clone());
    restore_on_panic(&screen);
    screen.give_back_on_abort()?;
    watch(&screen)?;
    screen.enter()?;
    let mut input = Input::default();
    if settings.theme.adapts() {
        input.ask_background(screen.clone())?;
    }
    let writer = BufWriter::with_capacity(FRAME, screen.clone());
    let mut terminal = Terminal::new(CrosstermBackend::new(writer))?;
    let mut expected = None;
    loop {
        let (record, notice) = begin(source);
        settings.record = record;
        settings.notice = settings.notice.take().or(notice);
        let basis = Baseline::new(earlier.clone(), source.clone());
        let mut session = Session::new(&mut terminal, &screen, &mut input, source, &settings, basis)?;
        if let Some(name) = expected.take() {
            session.expect(name);
        }
        match session.run()? {
            Left::Browser(ended) => {
                input.settle()?;
                return Ok(ended);
            }
            Left::Tree(above) => {
                earlier = earlier.above();
                settings.start = Start::Sizes;
                settings.notice = None;
                if let Some(background) = input.background {
                    settings.theme.options.background = background;
                }
                expected = source.roots().first().and_then(|root| name(root));
                let below = std::mem::replace(source, above);
                below.stop();
                // Dropping a large tree takes time, so a background thread does it. If no thread can be
                // started, the memory is freed when the process ends.
                let below = std::mem::ManuallyDrop::new(below);
                let _ = thread::Builder::new().spawn(move || drop(std::mem::ManuallyDrop::into_inner(below)));
            }
        }
    }
}

/// Returns the name of a root in its parent directory; `None` for `/`.
fn name(root: &Path) -> Option<Vec<u8>> {
    absolute(root).file_name().map(|name| name.as_bytes().to_vec())
}

/// Installs a hook that restores the terminal if the drawing thread panics, and then prints the panic message. Panics
/// in other threads are reported by their jobs and scans.
fn restore_on_panic(screen: &Screen) {
    let (screen, drawing) = (screen.clone(), thread::current().id());
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == drawing {
            drop(screen.leave_before_exit());
            report(panic);
        }
    }));
}

/// Starts the thread that waits for signals and for a hangup of the terminal, and registers the actions to take before
/// and after a suspension (SIGTSTP).
fn watch(screen: &Screen) -> io::Result<()> {
    let mut watch = Watch::new(Some(screen.descriptor()?))?;
    let screen = screen.clone();
    let stopped = screen.clone();
    stops::around(Box::new(move |stop| {
        // After the suspension, a resize event makes the drawing thread redraw the screen.
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
        let _left = screen.leave_before_exit();
        signals::die(signal);
    })?;
    Ok(())
}
