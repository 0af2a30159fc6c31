//! The terminal taken over and given back.
//!
//! Whoever ends the browser (the person, an error, a panic, a signal) calls [`Screen::leave`]; only the first call
//! does anything. What is drawn afterwards goes nowhere, so that a frame in flight cannot follow it.
//!
//! Knows nothing of what is drawn. Invariant: raw mode, the alternate screen and the mouse are taken exactly while `is_on`, and
//! what a tab shows is taken back.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};

use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::style::ResetColor;
use ratatui::crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{execute, queue};

use super::tab::{self, Tab};
use crate::platform::signals::{is_writable, restore_on_abort};
use crate::sync::{Arc, AtomicBool, Ordering};

/// Whether the mouse is for the browser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mouse {
    /// Clicks and the wheel come here; the terminal selects text with Shift.
    #[default]
    Taken,
    /// The terminal keeps it.
    Left,
}

/// Buttons and the wheel, without motion, in coordinates of any size (xterm's "Mouse Tracking", modes 1000 and 1006).
const TAKE_MOUSE: &str = "\x1b[?1000h\x1b[?1006h";
const LEAVE_MOUSE: &str = "\x1b[?1006l\x1b[?1000l";

/// The terminal, shared by all who may have to give it back.
#[derive(Clone)]
pub struct Screen {
    terminal: Arc<File>,
    /// Whether it is taken over. Swapped by whoever enters or leaves, so that one of several does it; read by whoever
    /// draws. `SeqCst`, for plainness: it changes a few times in a session.
    is_on: Arc<AtomicBool>,
    mouse: Mouse,
    tab: Tab,
    /// Whether a tab shows anything. Set by the thread that draws, cleared by whoever leaves; `SeqCst` as above.
    is_told: Arc<AtomicBool>,
}

impl Screen {
    /// The terminal behind standard output; where that goes elsewhere, the one of the session.
    ///
    /// # Errors
    /// When there is no descriptor left, or no terminal.
    pub fn new(mouse: Mouse, tab: Tab) -> io::Result<Self> {
        let terminal = if io::stdout().is_terminal() {
            File::from(io::stdout().as_fd().try_clone_to_owned()?)
        } else {
            File::options().read(true).write(true).open("/dev/tty")?
        };
        let (is_on, is_told) = (Arc::default(), Arc::default());
        Ok(Self { terminal: Arc::new(terminal), is_on, mouse, tab, is_told })
    }

    /// Another descriptor of the terminal.
    ///
    /// # Errors
    /// When there is no descriptor left.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        self.terminal.as_fd().try_clone_to_owned()
    }

    /// Takes the terminal over.
    ///
    /// # Errors
    /// When the terminal refuses; it is given back then.
    pub fn enter(&self) -> io::Result<()> {
        if self.is_on.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let entered = enable_raw_mode()
            .and_then(|()| execute!(&*self.terminal, EnterAlternateScreen, Hide, EnableBracketedPaste))
            .and_then(|()| match self.mouse {
                Mouse::Taken => (&*self.terminal).write_all(TAKE_MOUSE.as_bytes()),
                Mouse::Left => Ok(()),
            });
        if entered.is_err() {
            self.leave();
        }
        entered
    }

    /// Makes the tab show something, where the terminal understands that.
    ///
    /// # Errors
    /// When the terminal takes nothing.
    pub fn tell(&self, shown: tab::Shown) -> io::Result<()> {
        let is_something = shown != tab::Shown::Nothing;
        if self.tab == Tab::Untold || !self.is_on.load(Ordering::SeqCst) {
            return Ok(());
        }
        let was_something = self.is_told.swap(is_something, Ordering::SeqCst);
        if is_something || was_something {
            (&*self.terminal).write_all(shown.sequence().as_bytes())?;
        }
        Ok(())
    }

    /// Gives it back, as far as it takes anything.
    pub fn leave(&self) {
        if !self.is_on.swap(false, Ordering::SeqCst) {
            return;
        }
        let bytes = self.farewell(self.is_told.swap(false, Ordering::SeqCst));
        // Errors end here: whoever leaves has nothing else to fall back on.
        if is_writable(self.terminal.as_fd()) {
            let _ = (&*self.terminal).write_all(&bytes);
        }
        let _ = disable_raw_mode();
    }

    /// Makes sure that it is given back even if the process aborts. To be called before it is taken over for the first time.
    ///
    /// # Errors
    /// When there is no descriptor left, or no terminal.
    pub fn give_back_on_abort(&self) -> io::Result<()> {
        let farewell = self.farewell(self.tab != Tab::Untold);
        restore_on_abort(self.descriptor()?, Arc::clone(&self.is_on), farewell)
    }

    /// What undoes all that the terminal was told; with the tab, if that shows something.
    fn farewell(&self, is_told: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        if is_told {
            bytes.extend_from_slice(tab::Shown::Nothing.sequence().as_bytes());
        }
        if self.mouse == Mouse::Taken {
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

/// What is drawn; nothing while the terminal is not taken over.
impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_on.load(Ordering::SeqCst) {
            return Ok(bytes.len());
        }
        (&*self.terminal).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives the terminal back when dropped.
pub struct Guard(pub Screen);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.leave();
    }
}
