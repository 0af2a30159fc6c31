//! Taking over the terminal, and giving it back.
//!
//! Everything that ends the browser (the user, an error, a panic, a signal) gives it back; only the first one has
//! an effect. One thread at a time takes, lends and retakes the terminal. Later output is discarded.
//!
//! Invariant: raw mode, the alternate screen and the mouse are taken exactly while `is_on`, and the tab's
//! progress is cleared.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::style::ResetColor;
use ratatui::crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{execute, queue};

use crate::base::sync::{Arc, AtomicBool, Mutex, Ordering, lock, lock_within};
use crate::platform::terminal::signals::{is_writable, restore_on_abort};
use crate::ui::options::{MouseCapture, TabProgress};
use crate::ui::terminal::tab_progress;

/// User of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Holder {
    /// The process that started the browser, before it begins and after it has ended.
    #[default]
    Nobody,
    /// The browser.
    Browser,
    /// A program that the browser has started.
    Program,
}

/// Buttons and the wheel, without motion, in coordinates of any size (xterm's "Mouse Tracking", modes 1000
/// and 1006).
const TAKE_MOUSE: &str = "\x1b[?1000h\x1b[?1006h";
const LEAVE_MOUSE: &str = "\x1b[?1006l\x1b[?1000l";

/// Time after which a thread that holds up the end is no longer waited for: the terminal accepts nothing from it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Terminal, shared by all threads that may have to give it back.
#[derive(Clone)]
pub struct Screen {
    terminal: Arc<File>,
    /// `true` while it is taken over. Swapped on entering and leaving, so that only one of several threads
    /// does it; read by the drawing thread. `SeqCst` for simplicity: it changes a few times in a session.
    is_on: Arc<AtomicBool>,
    /// User of the terminal. Locked while it is taken, or given back to be retaken.
    holder: Arc<Mutex<Holder>>,
    /// Locked while something is drawn, so that it cannot follow the last sequences.
    drawing: Arc<Mutex<()>>,
    mouse: MouseCapture,
    tab: TabProgress,
    /// `true` if the tab shows progress. Set by the drawing thread, cleared on leaving; `SeqCst` as above.
    is_told: Arc<AtomicBool>,
}

impl Screen {
    /// Opens the terminal of standard output, or that of the session if the output is redirected.
    ///
    /// # Errors
    /// When no descriptor is left, or there is no terminal.
    pub fn new(mouse: MouseCapture, tab: TabProgress) -> io::Result<Self> {
        let terminal = if io::stdout().is_terminal() {
            File::from(io::stdout().as_fd().try_clone_to_owned()?)
        } else {
            File::options().read(true).write(true).open("/dev/tty")?
        };
        let (is_on, holder, drawing, is_told) =
            (Arc::default(), Arc::default(), Arc::default(), Arc::default());
        Ok(Self { terminal: Arc::new(terminal), is_on, holder, drawing, mouse, tab, is_told })
    }

    /// Returns another descriptor of the terminal.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        self.terminal.as_fd().try_clone_to_owned()
    }

    /// Takes the terminal over.
    ///
    /// # Errors
    /// When the terminal refuses; it is given back then.
    pub fn enter(&self) -> io::Result<()> {
        let mut holder = lock(&self.holder);
        *holder = Holder::Browser;
        self.take()
    }

    /// Lends it to a program.
    ///
    /// # Errors
    /// When the terminal cannot be taken over again.
    pub fn lend<R>(&self, program: impl FnOnce() -> R) -> io::Result<R> {
        self.give_to(Holder::Program);
        let result = program();
        self.enter()?;
        Ok(result)
    }

    /// Stops this process with `stop`, without the terminal, and takes it over again if the browser had it,
    /// which returns `true`.
    ///
    /// # Errors
    /// When the system does not stop it, or the terminal cannot be taken over again.
    pub fn pause(&self, stop: impl FnOnce() -> io::Result<()>) -> io::Result<bool> {
        // Locked until the terminal is retaken, so that no thread takes it before the stop.
        let holder = lock(&self.holder);
        let was_on = *holder == Holder::Browser && self.leave();
        stop()?;
        if was_on {
            self.take()?;
        }
        Ok(was_on)
    }

    fn take(&self) -> io::Result<()> {
        if self.is_on.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let entered = enable_raw_mode()
            .and_then(|()| execute!(&*self.terminal, EnterAlternateScreen, Hide, EnableBracketedPaste))
            .and_then(|()| match self.mouse {
                MouseCapture::On => (&*self.terminal).write_all(TAKE_MOUSE.as_bytes()),
                MouseCapture::Off => Ok(()),
            });
        if entered.is_err() {
            self.leave();
        }
        entered
    }

    /// Shows progress in the tab, if the terminal supports that.
    ///
    /// # Errors
    /// When the terminal accepts no output.
    pub fn tell(&self, shown: tab_progress::TabState) -> io::Result<()> {
        let is_something = shown != tab_progress::TabState::Nothing;
        if self.tab == TabProgress::Off || !self.is_on.load(Ordering::SeqCst) {
            return Ok(());
        }
        let was_something = self.is_told.swap(is_something, Ordering::SeqCst);
        if is_something || was_something {
            self.draw(|mut terminal| terminal.write_all(shown.sequence().as_bytes()))?;
        }
        Ok(())
    }

    /// Writes to the terminal if it is taken over.
    fn draw<R: Default>(&self, write: impl FnOnce(&File) -> io::Result<R>) -> io::Result<R> {
        let _drawing = lock(&self.drawing);
        if self.is_on.load(Ordering::SeqCst) { write(&self.terminal) } else { Ok(R::default()) }
    }

    /// Gives it to another user.
    fn give_to(&self, whom: Holder) {
        let mut holder = lock(&self.holder);
        *holder = whom;
        self.leave();
    }

    /// Gives it back because the process ends. No other thread takes it while the result exists.
    #[must_use]
    pub fn leave_for_the_end(&self) -> impl Sized {
        // A thread that is taking it would continue after the last sequences.
        let holder = lock_within(&self.holder, PATIENCE);
        self.leave();
        holder
    }

    /// Gives it back, if it accepts output. Returns `false` if it was not taken.
    fn leave(&self) -> bool {
        if !self.is_on.swap(false, Ordering::SeqCst) {
            return false;
        }
        let _drawing = lock_within(&self.drawing, PATIENCE);
        let bytes = self.farewell(self.is_told.swap(false, Ordering::SeqCst));
        // Errors are ignored, because leaving has no alternative.
        if is_writable(self.terminal.as_fd()) {
            let _ = (&*self.terminal).write_all(&bytes);
        }
        let _ = disable_raw_mode();
        true
    }

    /// Ensures that it is given back even if the process aborts. To be called before it is taken over for the
    /// first time.
    ///
    /// # Errors
    /// When no descriptor is left, or there is no terminal.
    pub fn give_back_on_abort(&self) -> io::Result<()> {
        let farewell = self.farewell(self.tab != TabProgress::Off);
        restore_on_abort(self.descriptor()?, Arc::clone(&self.is_on), farewell)
    }

    /// Returns the sequences that undo all changes to the terminal, and clear the tab if `is_told`.
    fn farewell(&self, is_told: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        if is_told {
            bytes.extend_from_slice(tab_progress::TabState::Nothing.sequence().as_bytes());
        }
        if self.mouse == MouseCapture::On {
            bytes.extend_from_slice(LEAVE_MOUSE.as_bytes());
        }
        // Queueing into memory cannot fail.
        let _ = queue!(
            bytes,
            EndSynchronizedUpdate,
            DisableBracketedPaste,
            ResetColor,
            LeaveAlternateScreen,
            Show
        );
        bytes
    }
}

/// Writes frames; discards them while the terminal is not taken over.
impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.draw(|mut terminal| terminal.write(bytes).map(Some))?;
        Ok(written.unwrap_or(bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives the terminal back when dropped.
pub struct Guard(pub Screen);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.give_to(Holder::Nobody);
    }
}
