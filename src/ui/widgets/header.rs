//! Header: path and totals of the shown directory.
//!
//! ```text
//!  /usr/share/doc                     ≥ 1.2 GiB disk · 84,120 items
//! ```
//!
//! If there is little room, the number of items is dropped first, then all totals; the path is not cut below
//! half of the line for them. With a filter, the number of items is "n of m", and is never dropped.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::row::draw_ends;
use super::table;
use crate::base::format::{grouped, plain_size};
use crate::base::text::{escape, fit, printable};
use crate::table::row::Precision;
use crate::ui::context::Context;
use crate::ui::theme::Role;

pub fn draw(cx: &Context<'_>, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let mut path = escape(&cx.path).into_owned();
    if let Some(page) = &cx.views.page {
        path = format!("{path} {} {}", cx.theme.glyphs.dot(), page.title);
    }
    if cx.is_filtered() && cx.views.page.is_none() {
        path = format!("{path} {} /{}", cx.theme.glyphs.dot(), printable(cx.views.text.as_str().as_bytes()));
    }
    let wanted = crate::base::text::width(&path).min(width / 2);
    let right = match &cx.views.page {
        Some(page) => table::totals(cx, page),
        None => totals(cx).into(),
    };
    // An active filter is shown even if there is no room for anything else.
    let last = right.last().filter(|_| cx.is_filtered()).cloned();
    let fitting = right.into_iter().find(|text| crate::base::text::width(text) + wanted + 2 <= width);
    let right = fitting.or(last).unwrap_or_default();
    let right = Line::styled(fit(&right, width, "").into_owned(), cx.theme.style(Role::Plain));
    // One space on either side of the path.
    let room = width.saturating_sub(right.width() + 2);
    let path = fit(&path, room, cx.theme.glyphs.gap());
    let left = Line::from(vec![Span::raw(" "), Span::styled(path, cx.theme.style(Role::Strong))]);
    draw_ends(&left, &right, area, buffer);
}

/// Returns the totals in several lengths, the longest first.
fn totals(cx: &Context<'_>) -> [String; 3] {
    let glyphs = cx.theme.glyphs;
    let measure = cx.order.measure;
    let bound = match cx.window.bound {
        Precision::AtLeast => format!("{} ", glyphs.at_least()),
        Precision::Exact | Precision::Growing => String::new(),
    };
    let size = format!("{bound}{}", plain_size(cx.window.size(measure), cx.units));
    let items = cx.window.totals.items;
    let word = if items == 1 { "item" } else { "items" };
    if let Some(all) = cx.window.all_items {
        let of = format!("{} of {}", grouped(items), grouped(all));
        let dot = glyphs.dot();
        return [
            format!("{size} {} {dot} {of} items ", measure.name()),
            format!("{size} {dot} {of} "),
            format!("{of} "),
        ];
    }
    [
        format!("{size} {} {} {} {word} ", measure.name(), glyphs.dot(), grouped(items)),
        format!("{size} {} ", measure.name()),
        format!("{size} "),
    ]
}
