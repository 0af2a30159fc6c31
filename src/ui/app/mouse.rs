//! Mouse input: translates clicks and wheel steps into commands.
//!
//! A click on a row moves the cursor, and a double click opens the entry. A click on a column title sorts by that
//! column, a click on a tab opens its view, and a click on a part of the path goes up to that directory. Key hints in
//! the status line act like their keys, and buttons can be clicked.
//!
//! The target of a click is looked up in the clickable areas of the most recent frame ([`crate::ui::hit_map`]).
//! Invariant: the mouse does nothing that keys cannot do.

use std::time::Duration;

use ratatui::Frame;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::App;
use crate::ui::component::{Handled, Input};
use crate::ui::cursor::Motion;
use crate::ui::hit_map::{Button, Canvas, Hit};
use crate::ui::keys::{Answer, Command, Scope};
use crate::ui::layers::Layer;
use crate::ui::layout::layout;
use crate::ui::message::Effect;
use crate::ui::widgets;
use crate::ui::widgets::overview;
use crate::ui::widgets::status_line::{self, Top};

/// Maximum time between the two clicks of a double click.
const DOUBLE: Duration = Duration::from_millis(400);
/// Number of rows that the cursor moves per step of the wheel.
const STEP: usize = 3;

impl App<'_> {
    /// Draws the whole screen, and records its clickable areas.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        self.hits.clear();
        let (area, scope) = (frame.area(), self.scope());
        let canvas = &mut Canvas { buffer: frame.buffer_mut(), hits: &mut self.hits };
        let page = self.layers.iter().rposition(Layer::is_page);
        let (pages, above) = self.layers.split_at(page.map_or(0, |page| page + 1));
        let layout = layout((area.width, area.height));
        widgets::draw(&self.cx, pages.last().map(Layer::component), area, canvas);
        if !self.layers.iter().any(Layer::covers_status_line) {
            let layer = self.layers.last().map(Layer::component);
            let position = pages.last().and_then(|page| page.component().position());
            status_line::draw(&self.cx, Top { scope, layer, position }, layout.status_line, canvas);
        }
        for layer in above {
            layer.component().draw(&self.cx, area, canvas);
        }
    }

    /// Returns the column and line of the selection on the screen. In an open layer, this is the cursor of a text field
    /// or the selected row. In the view, it is the selected row, treemap cell or part of the overview. Returns `None`
    /// if the layer shows no selection, or if the selection is outside the view.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        if self.hits.caret.is_some() {
            return self.hits.caret;
        }
        let view = self.cx.regions(self.cx.size).view;
        let list = view.list;
        let row = match &self.cx.views.page {
            _ if !self.layers.is_empty() => return None,
            None if self.cx.views.is_overview() => return overview::selected(&self.cx, view),
            Some(page) => page.index.checked_sub(page.offset)?,
            None if self.cx.views.is_treemap() => {
                let tile = self.cx.views.tiles.iter().find(|tile| tile.index == self.cx.window.index)?;
                let cell = tile.area.on_screen();
                return (cell.y < list.bottom()).then_some((cell.x, cell.y));
            }
            None => self.cx.window.index.checked_sub(self.cx.window.offset)?,
        };
        let line = list.y.checked_add(u16::try_from(row).ok()?)?;
        (line < list.bottom()).then_some((list.x, line))
    }

    /// Clears the clickable areas if the scope has changed. The areas belong to a frame that was drawn for `scope`.
    pub(super) fn forget_hits_of_another(&mut self, scope: Scope) {
        if self.scope() != scope {
            self.hits.clear();
        }
    }

    /// Handles a mouse event. `now` is the time since the session began.
    pub(super) fn mouse(&mut self, event: MouseEvent, now: Duration) -> Option<Effect> {
        self.cx.pressed = Some(self.cx.scan.last.now);
        let at = Position { x: event.column, y: event.row };
        match event.kind {
            MouseEventKind::ScrollUp => self.wheel(Motion::Up),
            MouseEventKind::ScrollDown => self.wheel(Motion::Down),
            MouseEventKind::Down(MouseButton::Left) => {
                self.cx.notice = None;
                return self.click(at, now);
            }
            _ => {}
        }
        None
    }

    fn wheel(&mut self, motion: Motion) {
        // A question is about the visible rows, so nothing scrolls while it is open.
        if !matches!(self.layers.last(), Some(Layer::Question(_))) {
            for _ in 0..STEP {
                // The returned effect is ignored, because moving the cursor requests no I/O.
                let _ = self.perform(Command::Move(motion));
            }
        }
    }

    fn click(&mut self, at: Position, now: Duration) -> Option<Effect> {
        match self.hits.at(at)? {
            Hit::Button(Button::Yes) => self.perform(Command::Answer(Answer::Yes)),
            Hit::Button(Button::No) => self.perform(Command::Answer(Answer::No)),
            Hit::Key(key) => self.key(key.event(), false),
            // Column titles and tabs do nothing while a layer, such as the search prompt, is open.
            Hit::Column(column) => self.layers.is_empty().then(|| self.perform(Command::Sort(column)))?,
            Hit::View(view) => self.layers.is_empty().then(|| self.perform(Command::View(view)))?,
            Hit::Level(levels) => {
                if self.layers.is_empty() {
                    self.cx.go_up(levels);
                }
                None
            }
            Hit::AboveRoot => {
                if self.layers.is_empty() {
                    self.ask_to_scan_above();
                }
                None
            }
            Hit::Row(row) => self.click_row(row, now),
        }
    }

    fn click_row(&mut self, row: usize, now: Duration) -> Option<Effect> {
        self.go_to_row(row);
        let last = self.click.replace((row, now));
        if last.is_none_or(|(last, when)| last != row || now.saturating_sub(when) > DOUBLE) {
            return None;
        }
        self.click = None;
        if self.scope() == Scope::Prompt {
            // The returned effect is ignored, because accepting a search requests no I/O.
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
        if let Some(view) = self.cx.views.tables.last_mut() {
            view.go_to(row);
        } else {
            self.cx.location.go_to(row);
            self.cx.pin();
        }
    }
}
