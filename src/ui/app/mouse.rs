//! Mouse: clicks and the wheel, translated to the actions of keys.
//!
//! A click moves the cursor, a second click on the same place opens the entry, a click on a title sorts, one
//! on a hint in the footer acts as its key, and one on a button presses it.
//!
//! A click is looked up in the parts of the last frame ([`crate::ui::hit_map`]). Invariant: the mouse does
//! nothing that a key could not do.

use std::time::Duration;

use ratatui::Frame;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::{App, Effect};
use crate::ui::component::{Handled, Input};
use crate::ui::cursor::Motion;
use crate::ui::hit_map::{Button, Hit};
use crate::ui::keys::{Answer, Command, Scope};
use crate::ui::layers::Layer;
use crate::ui::view;

/// Time within which two clicks on one place are a double click.
const DOUBLE: Duration = Duration::from_millis(400);
/// Number of rows for one step of the wheel.
const STEP: usize = 3;

/// Previous click.
#[derive(Clone, Copy, Debug)]
pub struct Click {
    row: usize,
    when: Duration,
}

impl App<'_> {
    /// Draws the whole screen, and records its clickable parts.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let mut hits = std::mem::take(&mut self.hits);
        hits.clear();
        view::draw(self, frame, &mut hits);
        self.hits = hits;
    }

    /// Clears the clickable parts if another component has the keys now, since a click would hit something
    /// that was never visible.
    pub(super) fn forget_hits_of_another(&mut self, scope: Scope) {
        if self.scope() != scope {
            self.hits.clear();
        }
    }

    /// Processes a mouse event at this time since the browser began.
    pub(super) fn mouse(&mut self, event: MouseEvent, now: Duration) -> Option<Effect> {
        self.pressed = Some(self.scan.last.now);
        let at = Position { x: event.column, y: event.row };
        match event.kind {
            MouseEventKind::ScrollUp => self.wheel(Motion::Up),
            MouseEventKind::ScrollDown => self.wheel(Motion::Down),
            MouseEventKind::Down(MouseButton::Left) => {
                self.notice = None;
                return self.click(at, now);
            }
            _ => {}
        }
        None
    }

    fn wheel(&mut self, motion: Motion) {
        // A question refers to what is visible now.
        if !matches!(self.layers.last(), Some(Layer::Question(_))) {
            for _ in 0..STEP {
                // Moving has no effect outside.
                let _ = self.perform(Command::Move(motion));
            }
        }
    }

    fn click(&mut self, at: Position, now: Duration) -> Option<Effect> {
        match self.hits.at(at)? {
            Hit::Button(Button::Yes) => self.perform(Command::Answer(Answer::Yes)),
            Hit::Button(Button::No) => self.perform(Command::Answer(Answer::No)),
            Hit::Key(key) => self.key(key.event()),
            // Results cannot be sorted while a search is typed.
            Hit::Column(column) => self.layers.is_empty().then(|| self.perform(Command::Sort(column)))?,
            Hit::Row(row) => self.click_row(row, now),
        }
    }

    fn click_row(&mut self, row: usize, now: Duration) -> Option<Effect> {
        self.go_to_row(row);
        let last = self.click.replace(Click { row, when: now });
        if last.is_none_or(|last| last.row != row || now.saturating_sub(last.when) > DOUBLE) {
            return None;
        }
        self.click = None;
        if self.scope() == Scope::Prompt {
            // Accepting has no effect outside.
            let _ = self.perform(Command::Accept);
            if self.scope() == Scope::Prompt {
                return None;
            }
        }
        self.perform(Command::Open)
    }

    fn go_to_row(&mut self, row: usize) {
        if !matches!(self.offer(Input::Row(row)), Handled::No) {
            return;
        }
        if let Some(sheet) = self.views.sheets.last_mut() {
            sheet.go_to(row);
        } else {
            self.place.go_to(row);
            self.pin();
        }
    }
}
