//! The mouse: what a click or the wheel does, in terms of what keys do.
//!
//! A click puts the cursor where it points, a second one at once opens that, a title sorts, a hint in the footer is its key, a button
//! is pressed.
//!
//! Knows no cells but by asking `view`. Invariant: nothing happens by the mouse that a key could not do.

use std::time::Duration;

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::{App, Button, Effect, Mode};
use crate::ui::keys::{Answer, Command, Motion, View};
use crate::ui::layout::layout;
use crate::ui::view;

/// Clicks on one place within this time are a double click.
const DOUBLE: Duration = Duration::from_millis(400);
/// Rows for one step of the wheel.
const STEP: usize = 3;

/// The click before.
#[derive(Clone, Copy, Debug)]
pub struct Click {
    /// Of which row; none of a button.
    row: Option<usize>,
    when: Duration,
}

impl App<'_> {
    /// Takes what the mouse did at this time since the browser began.
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
        // A question is about what is to be seen now.
        if self.question.is_none() {
            for _ in 0..STEP {
                // Moving has no effect outside.
                let _ = self.perform(Command::Move(motion));
            }
        }
    }

    fn click(&mut self, at: Position, now: Duration) -> Option<Effect> {
        let places = layout(self.size);
        if self.question.is_some() || self.mode == Mode::Confirm {
            return self.press_button(at, now);
        }
        let is_list = matches!(self.mode, Mode::List | Mode::Prompt | Mode::Marks);
        if self.mode == Mode::List && places.titles.contains(at) {
            let column = view::column_at(self, at.x)?;
            return self.perform(Command::Sort(column));
        }
        if places.footer.contains(at) {
            let key = view::key_at(self, at.x)?;
            return self.key(key.event());
        }
        if !is_list || !places.list.contains(at) {
            return None;
        }
        let row = self.row_at(at, usize::from(at.y - places.list.y))?;
        self.go_to_row(row);
        let last = self.click.replace(Click { row: Some(row), when: now });
        if last.is_none_or(|last| last.row != Some(row) || now.saturating_sub(last.when) > DOUBLE) {
            return None;
        }
        self.click = None;
        if self.mode == Mode::Prompt {
            self.accept();
            if self.mode == Mode::Prompt {
                return None;
            }
        }
        self.perform(Command::Open)
    }

    /// Presses the button at a place; two clicks at once press one button, whatever is asked after the first.
    fn press_button(&mut self, at: Position, now: Duration) -> Option<Effect> {
        let answer = match view::button_at(self, at)? {
            Button::Yes => Answer::Yes,
            Button::No => Answer::No,
        };
        let last = self.click.replace(Click { row: None, when: now });
        let is_second =
            last.is_some_and(|last| last.row.is_none() && now.saturating_sub(last.when) <= DOUBLE);
        if is_second { None } else { self.perform(Command::Answer(answer)) }
    }

    /// The row drawn at a place.
    fn row_at(&self, at: Position, line: usize) -> Option<usize> {
        if self.mode == Mode::Marks {
            let pane = self.pane();
            return (line < pane.lines.len()).then_some(pane.cursor.offset + line);
        }
        match (&self.views.page, self.views.base) {
            (Some(page), _) => (line < page.visible()).then_some(page.offset + line),
            (None, View::Treemap) => {
                let tile = self.views.tiles.iter().find(|tile| tile.area.contains(at.x, at.y))?;
                (tile.index < self.window.lines.len()).then_some(tile.index)
            }
            (None, _) => (line < self.window.lines.len()).then_some(self.window.offset + line),
        }
    }

    fn go_to_row(&mut self, row: usize) {
        if self.mode == Mode::Marks {
            self.go_to_line(row);
        } else if let Some(sheet) = self.views.sheets.last_mut() {
            sheet.go_to(row);
        } else {
            self.place.go_to(row);
            self.pin();
        }
    }
}
