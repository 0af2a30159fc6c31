//! Reads events from the terminal, including its answer to the background-color query.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, KeyEventKind};

use super::background::{QUESTION, Reply, Taken};
use crate::ui::message::Event;
use crate::ui::theme::Background;

/// Number of events after which [`Input::pending`] stops reading. The browser can then draw a frame even if more input
/// is waiting.
const EVENTS_PER_FRAME: usize = 64;
/// Maximum time to wait at exit for the terminal's answer. The shell would read a later answer as input.
const SETTLE: Duration = Duration::from_millis(50);

#[derive(Debug, Default)]
pub struct Input {
    reply: Reply,
    /// Background that the terminal has reported.
    pub background: Option<Background>,
}

impl Input {
    /// Asks the terminal for its background color.
    ///
    /// # Errors
    /// Returns an error if writing to the terminal fails.
    pub fn ask_background(&mut self, mut terminal: impl Write) -> io::Result<()> {
        terminal.write_all(QUESTION.as_bytes())?;
        self.reply.expect();
        terminal.flush()
    }

    /// Discards input until the terminal's answer has arrived, if an answer is expected. Waits for at most `SETTLE`.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be read.
    pub fn settle(&mut self) -> io::Result<()> {
        let begun = Instant::now();
        while self.reply.is_near() {
            match self.pending(Some(SETTLE.saturating_sub(begun.elapsed())), begun)? {
                Some(_) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Returns the events that arrive within `wait`, or `None` if there are none. If `wait` is `None`, waits until an
    /// event arrives. The times of mouse events are relative to `begun`.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be read.
    pub fn pending(&mut self, wait: Option<Duration>, begun: Instant) -> io::Result<Option<Vec<Event>>> {
        let mut events = Vec::new();
        let mut is_there = match wait {
            Some(wait) => event::poll(wait)?,
            None => true,
        };
        if !is_there {
            return Ok(None);
        }
        while is_there && events.len() < EVENTS_PER_FRAME {
            match event::read()? {
                event::Event::Key(key) if key.kind != KeyEventKind::Release => match self.reply.take(key) {
                    Taken::Keys(keys) => events.extend(keys.into_iter().map(Event::Key)),
                    Taken::Answer(background) => {
                        self.background = background.or(self.background);
                        events.extend(background.map(Event::Background));
                    }
                },
                event::Event::Mouse(mouse) => events.push(Event::Mouse(mouse, begun.elapsed())),
                event::Event::Resize(columns, lines) => events.push(Event::Resize(columns, lines)),
                // Pasted text never triggers a command. It only goes into an open text field.
                event::Event::Paste(text) => events.push(Event::Paste(text)),
                _ => {}
            }
            is_there = event::poll(Duration::ZERO)?;
        }
        Ok(Some(events))
    }
}
