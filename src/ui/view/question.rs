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
use ratatui::layout::{Alignment, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

use crate::size::{duration, grouped};
use crate::text::{escape, fit, width};
use crate::ui::app::{About, App, Button, Question};
use crate::ui::export::Order;
use crate::ui::theme::{Glyphs, Role};

const HEIGHT: u16 = 5;
/// Columns for the name of a file.
const FILE: usize = 30;

pub(super) fn draw(app: &App<'_>, question: Question, area: Rect, buffer: &mut Buffer) {
    let (text, brief) = match question.about {
        About::Quit => (loss(app), "Quit? y/n"),
        About::Replace => (replace(app, usize::from(area.width)), "Replace? y/n"),
        About::Above => (above(app, usize::from(area.width)), "Scan above? y/n"),
    };
    let style = app.theme.style(Role::Strong);
    let width = u16::try_from(width(&text)).unwrap_or(u16::MAX).saturating_add(6);
    if area.width < width || area.height < HEIGHT {
        let line = Rect { y: area.bottom().saturating_sub(1), height: area.height.min(1), ..area };
        Clear.render(line, buffer);
        Paragraph::new(Line::styled(brief, style)).render(line, buffer);
        return;
    }
    let area = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - HEIGHT) / 2,
        width,
        height: HEIGHT,
    };
    let block = match app.theme.glyphs {
        Glyphs::Unicode => Block::bordered(),
        Glyphs::Ascii => Block::bordered().border_set(ASCII),
    };
    let button = |button, name| {
        let role = if button == question.button { Role::Selected } else { Role::Plain };
        Span::styled(format!("[ {name} ]"), app.theme.style(role))
    };
    let buttons = Line::from(vec![button(Button::Yes, "Yes"), Span::raw("   "), button(Button::No, "No")]);
    let lines = vec![Line::styled(text, style), Line::default(), buttons];
    Clear.render(area, buffer);
    Paragraph::new(lines).alignment(Alignment::Center).block(block).render(area, buffer);
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
fn replace(app: &App<'_>, columns: usize) -> String {
    let shown = app.export.order.as_ref().map(Order::shown).unwrap_or_default();
    format!("Replace {}?", fit(&shown, columns.saturating_sub(20).max(10), app.theme.glyphs.gap()))
}

/// What leaving would cost.
fn loss(app: &App<'_>) -> String {
    let scan = duration(app.scan.last.elapsed);
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
