//! A question, in the middle of whatever is there.
//!
//! ```text
//! ┌──────────────────────────────────────┐
//! │  Quit and lose the scan of 1:05?     │
//! │                                      │
//! │           [ Yes ]   [ No ]           │
//! └──────────────────────────────────────┘
//! ```
//!
//! Where a box does not fit, one line: `Quit? y/n`.

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

use super::failures::doing;
use crate::size::{duration, grouped};
use crate::text::{escape, fit, width};
use crate::ui::app::{About, App, Button, Question};
use crate::ui::export::Order;
use crate::ui::theme::{Glyphs, Role};

const HEIGHT: u16 = 5;
/// Columns for the name of a file.
const FILE: usize = 30;

/// The buttons with their columns, and the columns between them.
pub(super) const BUTTONS: [(Button, &str, u16); 2] = [(Button::Yes, "[ Yes ]", 7), (Button::No, "[ No ]", 6)];
const BETWEEN: u16 = 3;

/// What is asked, at length and in one line.
fn texts(app: &App<'_>, question: &Question, columns: u16) -> (String, &'static str) {
    match &question.about {
        About::Quit => (loss(app), "Quit? y/n"),
        About::Replace(order) => (replace(app, order, usize::from(columns)), "Replace? y/n"),
        About::Above => (above(app, usize::from(columns)), "Scan above? y/n"),
    }
}

/// The box, if there is room for it.
fn place(text: &str, area: Rect) -> Option<Rect> {
    let width = u16::try_from(width(text)).unwrap_or(u16::MAX).saturating_add(6);
    (area.width >= width && area.height >= HEIGHT).then(|| Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - HEIGHT) / 2,
        width,
        height: HEIGHT,
    })
}

/// Where the buttons are in the box, or the letters that stand for them in the line.
fn buttons(app: &App<'_>, question: &Question, area: Rect) -> [Rect; 2] {
    let (text, brief) = texts(app, question, area.width);
    if let Some(frame) = place(&text, area) {
        return side_by_side(BUTTONS, Rect { y: frame.y + 3, height: 1, ..frame });
    }
    let end = area.x.saturating_add(u16::try_from(brief.len()).unwrap_or(u16::MAX));
    [3, 1].map(|back| Rect {
        x: end.saturating_sub(back),
        y: area.bottom().saturating_sub(1),
        width: 1,
        height: 1,
    })
}

/// Where buttons are that stand in the middle of a line.
pub(super) fn side_by_side<const COUNT: usize>(
    buttons: [(Button, &str, u16); COUNT],
    line: Rect,
) -> [Rect; COUNT] {
    let columns = buttons.iter().map(|(.., width)| width + BETWEEN).sum::<u16>().saturating_sub(BETWEEN);
    let mut x = line.x + line.width.saturating_sub(columns) / 2;
    buttons.map(|(.., width)| {
        let button = Rect { x, width, ..line }.intersection(line);
        x += width + BETWEEN;
        button
    })
}

/// The button at a place of the screen.
pub(super) fn button_at(app: &App<'_>, question: &Question, area: Rect, at: Position) -> Option<Button> {
    let places = buttons(app, question, area).into_iter().zip(BUTTONS);
    places.into_iter().find(|(place, _)| place.contains(at)).map(|(_, (button, ..))| button)
}

pub(super) fn draw(app: &App<'_>, question: &Question, area: Rect, buffer: &mut Buffer) {
    let (text, brief) = texts(app, question, area.width);
    let style = app.theme.style(Role::Strong);
    let Some(frame) = place(&text, area) else {
        let line = Rect { y: area.bottom().saturating_sub(1), height: area.height.min(1), ..area };
        Clear.render(line, buffer);
        Paragraph::new(Line::styled(brief, style)).render(line, buffer);
        return;
    };
    let block = match app.theme.glyphs {
        Glyphs::Unicode => Block::bordered(),
        Glyphs::Ascii => Block::bordered().border_set(ASCII),
    };
    Clear.render(frame, buffer);
    Paragraph::new(Line::styled(text, style)).alignment(Alignment::Center).block(block).render(frame, buffer);
    for (place, (button, name, width)) in buttons(app, question, area).into_iter().zip(BUTTONS) {
        let role = if button == question.button { Role::Selected } else { Role::Plain };
        buffer.set_stringn(place.x, place.y, name, usize::from(width), app.theme.style(role));
    }
}

/// What would be scanned instead, and what that costs.
fn above(app: &App<'_>, columns: usize) -> String {
    let path = app.above().unwrap_or_default();
    let cost = match app.marks().count() {
        0 => String::new(),
        1 => " and lose 1 mark".to_owned(),
        marks => format!(" and lose {} marks", grouped(marks)),
    };
    let room = columns.saturating_sub(30 + cost.len()).max(10);
    format!("Scan {}{cost}?", fit(&escape(&path), room, app.theme.glyphs.gap()))
}

/// Which file would be another one.
fn replace(app: &App<'_>, order: &Order, columns: usize) -> String {
    format!("Replace {}?", fit(&order.shown(), columns.saturating_sub(20).max(10), app.theme.glyphs.gap()))
}

/// What leaving would cost.
fn loss(app: &App<'_>) -> String {
    let scan = duration(app.scan.last.elapsed);
    if let Some(running) = &app.reclaim.running {
        return format!("Quit and stop {} midway?", doing(running.deed));
    }
    if let Some(order) = app.written() {
        let shown = fit(&order.shown(), FILE, app.theme.glyphs.gap()).into_owned();
        return format!("Quit and give up writing {shown}?");
    }
    match app.marks().count() {
        0 => format!("Quit and lose the scan of {scan}?"),
        1 => format!("Quit and lose the scan of {scan} and 1 mark?"),
        marks => format!("Quit and lose the scan of {scan} and {} marks?", grouped(marks)),
    }
}

pub(super) const ASCII: ratatui::symbols::border::Set<'static> = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
