//! Writes the browser's frames to the terminal, at most 60 a second.

use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::MoveTo;
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::layout::Size;

use super::app::App;
use super::terminal::screen::Screen;

/// Minimum time between two frames. After a longer pause, the next frame is drawn without delay.
const INTERVAL: Duration = Duration::from_micros(16_667);

pub type Output = CrosstermBackend<BufWriter<Screen>>;

pub struct FrameWriter<'s> {
    terminal: &'s mut Terminal<Output>,
    /// Time before which no frame is drawn.
    next: Instant,
    /// `true` if the state has changed since the last frame.
    has_changed: bool,
}

impl<'s> FrameWriter<'s> {
    pub fn new(terminal: &'s mut Terminal<Output>) -> Self {
        Self { terminal, next: Instant::now(), has_changed: true }
    }

    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Records that the state has changed, so that another frame is needed.
    pub fn request(&mut self) {
        self.has_changed = true;
    }

    /// Returns the time until the next frame is due; `None` if the screen is up to date.
    pub fn wait(&self) -> Option<Duration> {
        self.has_changed.then(|| self.next.saturating_duration_since(Instant::now()))
    }

    /// Draws a frame if one is due.
    pub fn draw(&mut self, app: &mut App<'_>) -> io::Result<()> {
        if self.wait() != Some(Duration::ZERO) {
            return Ok(());
        }
        self.has_changed = false;
        self.next = Instant::now() + INTERVAL;
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| app.draw(frame))?;
        // The terminal's cursor is invisible, but screen readers follow it.
        if let Some((column, line)) = app.cursor() {
            queue!(self.terminal.backend_mut(), MoveTo(column, line))?;
        }
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        self.terminal.backend_mut().flush()
    }

    /// Sends an escape sequence. The sequence must not change the screen, because a frame draws only the cells that
    /// differ from the previous frame.
    pub fn send(&mut self, sequence: &str) -> io::Result<()> {
        self.terminal.backend_mut().write_all(sequence.as_bytes())?;
        self.terminal.backend_mut().flush()
    }

    /// Makes the next frame redraw every cell. `Terminal::clear` is not used, because it waits for a reply from the
    /// terminal.
    pub fn repaint(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.has_changed = true;
        self.terminal.resize(size.into())
    }
}
