//! The screen: regions, one file each.
//!
//! ```text
//! header     /usr/share                                        1.2 GiB disk · 84,120 items     from 2 lines on
//! titles           Disk▾  Share                Items   Name                                   from 6 lines on
//! list          1.0 GiB  84.3% ████████▍      12,001  doc/
//!             120.0 MiB   9.8% ▉               4,242  icons/
//! footer     ? help  q quit  Enter open  Left parent  s size                       1 of 212    from 3 lines on
//! ```
//!
//! Knows nothing but the state it draws. Invariant: drawing changes nothing, and any size of the terminal will do.

pub mod columns;
mod confirm;
pub mod details;
mod failures;
mod field;
mod footer;
mod growth;
mod header;
pub mod help;
mod line;
mod list;
mod marks;
mod notes;
mod question;
mod sheet;
mod space;
pub mod treemap;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::app::{App, Button, Mode};
use super::keys::{Key, View};
use super::layout::{Layout, layout};
use crate::rows::Column;

/// Draws the whole screen.
pub fn draw(app: &App<'_>, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    match app.mode {
        Mode::Help(line) => help::draw(app.theme, &app.keymap, line, area, buffer),
        _ => draw_regions(app, area, buffer),
    }
    if let Some(question) = &app.question {
        question::draw(app, question, area, buffer);
    }
}

fn draw_regions(app: &App<'_>, area: Rect, buffer: &mut Buffer) {
    let layout = layout((area.width, area.height));
    match (app.mode, &app.reclaim.failed) {
        (Mode::Marks, _) => marks::draw(app, layout, buffer),
        (Mode::Details, _) => details::draw(app, layout, buffer),
        (Mode::Failures, Some(failed)) => failures::draw(app, failed, layout, buffer),
        _ => draw_directory(app, layout, buffer),
    }
    footer::draw(app, layout.footer, buffer);
    if let (Mode::Confirm, Some(confirm)) = (app.mode, &app.reclaim.confirm) {
        confirm::draw(app, confirm, layout.above_footer(area), buffer);
    }
}

fn draw_directory(app: &App<'_>, layout: Layout, buffer: &mut Buffer) {
    header::draw(app, layout.header, buffer);
    match (&app.views.page, app.views.base) {
        (Some(page), _) if !page.ledger.is_empty() => space::draw(app, page, layout, buffer),
        (Some(page), _) => sheet::draw(app, page, layout.titles, layout.list, buffer),
        (None, View::Treemap) => treemap::draw(app, layout.titles, layout.list, buffer),
        (None, _) => list::draw(app, layout.titles, layout.list, buffer),
    }
}

/// The column whose title is at `x`; none where there are no titles.
pub fn column_at(app: &App<'_>, x: u16) -> Option<Column> {
    let (x, width) = (usize::from(x), usize::from(app.size.0));
    match (&app.views.page, app.views.base) {
        (Some(page), _) => Some(sheet::column_at(app, page, x, width)),
        (None, View::Treemap) => None,
        (None, _) => Some(list::column_at(app, x, width)),
    }
}

/// The button of what is asked at a place of the screen.
pub fn button_at(app: &App<'_>, at: Position) -> Option<Button> {
    let (width, height) = app.size;
    let area = Rect { x: 0, y: 0, width, height };
    if let Some(question) = &app.question {
        return question::button_at(app, question, area, at);
    }
    confirm::button_at(app, app.reclaim.confirm.as_ref()?, layout(app.size).above_footer(area), at)
}

/// The key whose hint stands at `x` in the footer.
pub fn key_at(app: &App<'_>, x: u16) -> Option<Key> {
    footer::key_at(app, usize::from(x))
}

/// Puts `left` at the beginning of the line and `right` at its end.
fn draw_ends(left: &Line<'_>, right: &Line<'_>, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    buffer.set_line(area.x, area.y, left, area.width);
    let width = u16::try_from(right.width()).unwrap_or(u16::MAX);
    if let Some(start) = area.width.checked_sub(width) {
        buffer.set_line(area.x + start, area.y, right, width);
    }
}
