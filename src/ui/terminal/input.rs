//! Input: reads events from the terminal.

use std::io;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, KeyEventKind};

use crate::ui::message::Event;

/// Maximum number of events processed before the next frame, so that not every step of a held key is drawn.
const KEYS_PER_FRAME: usize = 64;

/// Returns the pending events, waiting for the first one for at most `wait`, or without limit if `wait` is
/// `None`. Returns `None` if no event arrives in time.
///
/// # Errors If the terminal cannot be read.
pub fn pending(wait: Option<Duration>, begun: Instant) -> io::Result<Option<Vec<Event>>> {
    let mut events = Vec::new();
    let mut is_there = match wait {
        Some(wait) => event::poll(wait)?,
        None => true,
    };
    if !is_there {
        return Ok(None);
    }
    while is_there && events.len() < KEYS_PER_FRAME {
        match event::read()? {
            event::Event::Key(key) if key.kind != KeyEventKind::Release => events.push(Event::Key(key)),
            event::Event::Mouse(mouse) => events.push(Event::Mouse(mouse, begun.elapsed())),
            event::Event::Resize(columns, lines) => events.push(Event::Resize(columns, lines)),
            // Pasted text is never a command, but can be part of a search.
            event::Event::Paste(text) => events.push(Event::Paste(text)),
            _ => {}
        }
        is_there = event::poll(Duration::ZERO)?;
    }
    Ok(Some(events))
}
