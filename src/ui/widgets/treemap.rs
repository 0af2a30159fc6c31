//! Treemap: one cell for each entry of the directory, with an area in proportion to its share.
//!
//! ```text
//!  music/  1.6 GiB  84.3%                                      the entry under the cursor
//!  ┌────────────────────┐████████▌
//!  │music/              │backup.t▌
//!  │1.6 GiB             │400.0 Mi▌
//!  └────────────────────┘▀▀▀▀▀▀▀▀▘
//! ```
//!
//! Cells of files have the color of their category, and cells of directories the color of bars. The cell under
//! the cursor is drawn as a frame. Only the largest entries have their own cells; all others share one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line as Text, Span};
use ratatui::widgets::{Clear, Widget};

use super::list::filtered;
use crate::analysis::search::Category;
use crate::base::format::{grouped, percent, plain_size, share};
use crate::base::kind::Kind;
use crate::base::text::fit;
use crate::table::row::Row;
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::layers::bordered;
use crate::ui::theme::{Glyphs, Role, filled};
use crate::ui::treemap_layout::Tile;

pub fn draw(cx: &Context<'_>, titles: Rect, area: Rect, canvas: &mut Canvas<'_>) {
    let Canvas { buffer, hits } = canvas;
    if !titles.is_empty() {
        buffer.set_line(titles.x, titles.y, &title(cx), titles.width);
    }
    if cx.views.tiles.is_empty() && !area.is_empty() {
        let text = if cx.is_sorting() {
            format!("Sorting{}", cx.theme.glyphs.gap())
        } else if cx.is_filtered() {
            filtered(cx)
        } else if cx.window.is_complete {
            "All entries are empty".to_owned()
        } else {
            "reading".to_owned() + cx.theme.glyphs.gap()
        };
        buffer.set_stringn(
            area.x + 1,
            area.y,
            text,
            usize::from(area.width.saturating_sub(1)),
            cx.theme.style(Role::Faint),
        );
    }
    for Tile { index, area: cells } in &cx.views.tiles {
        let cells =
            Rect { x: cells.x, y: cells.y, width: cells.width, height: cells.height }.intersection(area);
        draw_cell(cx, *index, cells, buffer);
        if *index < cx.window.lines.len() {
            hits.add(cells, Hit::Row(*index));
        }
    }
}

/// Returns a line that describes the entry under the cursor, because its cell may be too small for the name.
fn title(cx: &Context<'_>) -> Text<'static> {
    let Some(line) = cx.window.selected() else { return Text::default() };
    let mut spans = vec![Span::styled(format!(" {}", line.label), cx.theme.style(Role::Strong))];
    if let Some(size) = line.size() {
        let whole = cx.window.size(cx.order.measure);
        let share = percent(share(size, whole));
        let text = format!("  {}  {}", plain_size(size, cx.units), share.trim_start());
        spans.push(Span::raw(text));
    }
    Text::from(spans)
}

fn draw_cell(cx: &Context<'_>, index: usize, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let line = cx.window.lines.get(index);
    let is_selected = line.is_some() && cx.window.offset + index == cx.window.index;
    if is_selected {
        draw_frame(cx, area, buffer);
    } else {
        let style = line.map_or_else(|| cx.theme.style(Role::Faint), |line| style(cx, line));
        fill(cx.theme.glyphs, style, area, buffer);
    }
    // Room for text: inside the frame, or left of the seam and above it.
    let inside = match (is_selected, area.width, area.height) {
        (true, 3.., 3..) => {
            Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 }
        }
        _ => Rect { width: area.width - 1, ..area },
    };
    let (label, size) = match line {
        Some(line) if line.is_marked => (
            format!("{} {}", cx.theme.glyphs.marked(), line.label),
            line.size().map(|size| plain_size(size, cx.units)),
        ),
        Some(line) => (line.label.clone(), line.size().map(|size| plain_size(size, cx.units))),
        None => (format!("{} others", grouped((cx.window.rows - cx.window.lines.len()) as u64)), None),
    };
    if inside.width >= 3 {
        let room = usize::from(inside.width);
        let label = fit(&label, room, cx.theme.glyphs.gap()).into_owned();
        buffer.set_stringn(inside.x, inside.y, label, room, Style::new());
        if let Some(size) = size.filter(|size| inside.height >= 3 && size.len() <= room) {
            buffer.set_stringn(inside.x, inside.y + 1, size, room, Style::new());
        }
    }
}

/// Fills a cell, except for a seam along its right and bottom edges.
fn fill(glyphs: Glyphs, style: Style, area: Rect, buffer: &mut Buffer) {
    let (right, below, corner) = match glyphs {
        Glyphs::Unicode => ("▌", "▀", "▘"),
        Glyphs::Ascii => ("|", "-", "+"),
    };
    let (last, bottom) = (area.right() - 1, area.bottom() - 1);
    for position in area.positions() {
        let cell = &mut buffer[position];
        // A cell one line high has no room for a seam at the bottom.
        let is_below = position.y == bottom && area.height > 1;
        match (position.x == last, is_below) {
            (true, true) => cell.set_symbol(corner).set_style(style),
            (true, false) => cell.set_symbol(right).set_style(style),
            (false, true) => cell.set_symbol(below).set_style(style),
            (false, false) => cell.set_symbol(" ").set_style(filled(style)),
        };
    }
}

fn draw_frame(cx: &Context<'_>, area: Rect, buffer: &mut Buffer) {
    Clear.render(area, buffer);
    let style = cx.theme.style(Role::Strong);
    if area.width >= 3 && area.height >= 3 {
        bordered(cx.theme).border_style(style).render(area, buffer);
        return;
    }
    // A cell too small for a frame gets a pattern that no other cell has.
    let fill = if cx.theme.glyphs == Glyphs::Unicode { "░" } else { "*" };
    for position in area.positions() {
        buffer[position].set_symbol(fill).set_style(style);
    }
}

fn style(cx: &Context<'_>, line: &Row) -> Style {
    match line.kind {
        Some(Kind::Directory) => cx.theme.style(Role::Bar),
        Some(Kind::File) => cx.theme.class(Category::of_name(line.label.as_bytes())),
        _ => cx.theme.style(Role::Faint),
    }
}
