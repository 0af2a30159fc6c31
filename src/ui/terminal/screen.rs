//! Taking over the terminal and restoring it.
//!
//! The terminal is restored when the browser ends normally, or because of an error, a panic, an abort or one of the
//! signals that usually end a program. The terminal is also restored while another program uses it, and while the
//! process is suspended. After each takeover, only the first attempt to restore the terminal has an effect. Output is
//! then discarded until the next takeover. Only one thread at a time can take over or restore the terminal.
//!
//! Invariant: raw mode, the alternate screen and mouse capture are on exactly while `is_on` is `true`. Restoring
//! the terminal clears the progress in the terminal's tab.

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Holder {
    /// Neither the browser nor a program that it started uses the terminal: the session has not begun or has ended.
    #[default]
    Nobody,
    Browser,
    Program,
}

/// Sequence that makes the terminal report mouse buttons and the wheel, but not motion. The reported coordinates may
/// have any size (xterm's "Mouse Tracking", modes 1000 and 1006).
const TAKE_MOUSE: &str = "\x1b[?1000h\x1b[?1006h";
const LEAVE_MOUSE: &str = "\x1b[?1006l\x1b[?1000l";

/// Maximum time to wait for a thread that blocks while writing to the terminal, before restoring the terminal anyway.
const PATIENCE: Duration = Duration::from_secs(1);

/// Terminal, shared by all threads that draw on it or may have to restore it.
#[derive(Clone)]
pub struct Screen {
    terminal: Arc<File>,
    /// `true` while the terminal is taken over. Threads that take over or restore the terminal swap this value, so
    /// that only one of them does the work. The drawing thread reads it. The ordering is `SeqCst` for simplicity,
    /// because the value changes only a few times per session.
    is_on: Arc<AtomicBool>,
    /// Current holder of the terminal. Locked while the terminal is taken over or restored.
    holder: Arc<Mutex<Holder>>,
    /// Locked while a thread writes to the terminal, so that nothing is written after the terminal is restored.
    drawing: Arc<Mutex<()>>,
    mouse: MouseCapture,
    tab: TabProgress,
    /// `true` while the terminal's tab shows progress. Updated by the drawing thread, and set to `false` when the
    /// terminal is restored. The ordering is `SeqCst` for simplicity.
    has_progress: Arc<AtomicBool>,
}

impl Screen {
    /// Opens the terminal on standard output, or, if standard output is redirected, the controlling terminal.
    ///
    /// # Errors
    /// Returns an error if there is no free descriptor, or no terminal.
    pub fn new(mouse: MouseCapture, tab: TabProgress) -> io::Result<Self> {
        let terminal = if io::stdout().is_terminal() {
            File::from(io::stdout().as_fd().try_clone_to_owned()?)
        } else {
            File::options().read(true).write(true).open("/dev/tty")?
        };
        let (is_on, holder, drawing, has_progress) =
            (Arc::default(), Arc::default(), Arc::default(), Arc::default());
        Ok(Self { terminal: Arc::new(terminal), is_on, holder, drawing, mouse, tab, has_progress })
    }

    /// Returns a new file descriptor for the terminal.
    ///
    /// # Errors
    /// Returns an error if there is no free descriptor.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        self.terminal.as_fd().try_clone_to_owned()
    }

    /// Takes over the terminal.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be taken over completely. The terminal is restored in that case.
    pub fn enter(&self) -> io::Result<()> {
        let mut holder = lock(&self.holder);
        *holder = Holder::Browser;
        self.take()
    }

    /// Restores the terminal, runs `program`, and takes over the terminal again.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be taken over again.
    pub fn lend<R>(&self, program: impl FnOnce() -> R) -> io::Result<R> {
        self.give_to(Holder::Program);
        let result = program();
        self.enter()?;
        Ok(result)
    }

    /// Restores the terminal, and suspends this process by calling `stop`. If the browser used the terminal before,
    /// takes it over again when the process is resumed, and returns `true`.
    ///
    /// # Errors
    /// Returns an error if `stop` fails, or if the terminal cannot be taken over again.
    pub fn pause(&self, stop: impl FnOnce() -> io::Result<()>) -> io::Result<bool> {
        // Hold the lock throughout, so that no other thread can take over the terminal before the process stops.
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

    /// Shows progress in the terminal's tab, if the terminal supports it.
    ///
    /// # Errors
    /// Returns an error if writing to the terminal fails.
    pub fn tell(&self, shown: tab_progress::TabState) -> io::Result<()> {
        let is_something = shown != tab_progress::TabState::Nothing;
        if self.tab == TabProgress::Off || !self.is_on.load(Ordering::SeqCst) {
            return Ok(());
        }
        let was_something = self.has_progress.swap(is_something, Ordering::SeqCst);
        if is_something || was_something {
            self.draw(|mut terminal| terminal.write_all(shown.sequence().as_bytes()))?;
        }
        Ok(())
    }

    /// Calls `write` with the terminal. Does nothing if the browser has not taken over the terminal.
    fn draw<R: Default>(&self, write: impl FnOnce(&File) -> io::Result<R>) -> io::Result<R> {
        let _drawing = lock(&self.drawing);
        if self.is_on.load(Ordering::SeqCst) { write(&self.terminal) } else { Ok(R::default()) }
    }

    fn give_to(&self, whom: Holder) {
        let mut holder = lock(&self.holder);
        *holder = whom;
        self.leave();
    }

    /// Restores the terminal before the process exits. Returns a lock that keeps other threads from taking over the
    /// terminal, or no lock if another thread held it for longer than `PATIENCE`.
    #[must_use]
    pub fn leave_before_exit(&self) -> impl Sized {
        // Without the lock, a thread that is still taking over the terminal could write to it after the final
        // sequences. The wait is limited, because a thread that holds the lock may be blocked.
        let holder = lock_within(&self.holder, PATIENCE);
        self.leave();
        holder
    }

    /// Restores the terminal. Returns `false` if the terminal was not taken over.
    fn leave(&self) -> bool {
        if !self.is_on.swap(false, Ordering::SeqCst) {
            return false;
        }
        let _drawing = lock_within(&self.drawing, PATIENCE);
        let bytes = self.restore_sequences(self.has_progress.swap(false, Ordering::SeqCst));
        // Errors are ignored, because nothing can be done about them.
        if is_writable(self.terminal.as_fd()) {
            let _ = (&*self.terminal).write_all(&bytes);
        }
        let _ = disable_raw_mode();
        true
    }

    /// Ensures that the terminal is restored even if the process aborts. Must be called before the terminal is taken
    /// over for the first time.
    ///
    /// # Errors
    /// Returns an error if there is no free descriptor, if the terminal modes cannot be read, or if the system refuses
    /// the signal handler.
    pub fn give_back_on_abort(&self) -> io::Result<()> {
        let restore_sequences = self.restore_sequences(self.tab != TabProgress::Off);
        restore_on_abort(self.descriptor()?, Arc::clone(&self.is_on), restore_sequences)
    }

    /// Returns the sequences that restore the terminal. With `has_progress`, they also clear the progress in the tab.
    fn restore_sequences(&self, has_progress: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        if has_progress {
            bytes.extend_from_slice(tab_progress::TabState::Nothing.sequence().as_bytes());
        }
        if self.mouse == MouseCapture::On {
            bytes.extend_from_slice(LEAVE_MOUSE.as_bytes());
        }
        // Writing to a vector cannot fail.
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

/// Writes frames while the terminal is taken over, and discards them at other times.
impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.draw(|mut terminal| terminal.write(bytes).map(Some))?;
        Ok(written.unwrap_or(bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Guard that restores the terminal when dropped.
pub struct Guard(pub Screen);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.give_to(Holder::Nobody);
    }
}
