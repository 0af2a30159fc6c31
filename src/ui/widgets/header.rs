//! Header: the path of the shown directory, whose parts can be clicked, and its totals.
//!
//! ```text
//!  /usr/share/doc                     ≥ 1.2 GiB disk · 84,120 items
//! ```
//!
//! If there is little room, the right side first loses the number of items and then disappears, before the path
//! is cut to less than half of the line. A long path loses parts in its middle. With a filter, "n of m" is shown
//! instead of the number of items.

use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::row::draw_ends;
use super::table;
use crate::base::calendar::date_and_time;
use crate::base::format::{grouped, plain_size};
use crate::base::text::{escape, fit, printable, width};
use crate::table::row::Precision;
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::theme::Role;

pub fn draw(cx: &Context<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    canvas.buffer.set_style(area, cx.theme.style(Role::Surface));
    let room = usize::from(area.width);
    let dot = cx.theme.glyphs.dot();
    let title = match &cx.views.page {
        Some(page) => format!(" {dot} {}", page.title),
        None if cx.is_filtered() => format!(" {dot} /{}", printable(cx.views.text.as_str().as_bytes())),
        None => String::new(),
    };
    let path = escape(&cx.path).into_owned();
    let wanted = (width(&path) + width(&title)).min(room / 2);
    let right = match &cx.views.page {
        Some(page) => table::totals(cx, page),
        None => totals(cx).into(),
    };
    // An active filter is shown even if there is no room for anything else.
    let last = right.last().filter(|_| cx.is_filtered()).cloned();
    let fitting = right.into_iter().find(|text| width(text) + wanted + 2 <= room);
    let right = Line::raw(fit(&fitting.or(last).unwrap_or_default(), room, "").into_owned());
    // A space on either side of the path.
    let room = room.saturating_sub(right.width() + 2);
    let parts = breadcrumb(cx, &path, room.saturating_sub(width(&title)));
    let strong = cx.theme.style(Role::Strong);
    let mut left = Line::raw(" ");
    if parts.iter().map(|part| width(&part.text)).sum::<usize>() + width(&title) > room {
        left.push_span(Span::styled(fit(&(path + &title), room, cx.theme.glyphs.gap()).into_owned(), strong));
    } else {
        let mut x = area.x + 1;
        for Part { text, level } in parts {
            let cells = Rect { x, width: u16::try_from(width(&text)).unwrap_or(u16::MAX), ..area };
            x += cells.width;
            if let Some(level @ 1..) = level {
                canvas.hits.add(cells, Hit::Level(level));
                left.push_span(Span::styled(
                    text,
                    cx.theme.style(Role::Accent).remove_modifier(Modifier::BOLD),
                ));
            } else {
                left.push_span(Span::styled(text, strong));
            }
        }
        left.push_span(Span::styled(title, strong));
    }
    draw_ends(&left, &right, area, canvas.buffer);
}

/// Part of the path, with the slash after it.
struct Part {
    text: String,
    /// Number of levels above the shown directory; `None` for omitted parts.
    level: Option<usize>,
}

/// Returns the parts of the path. If they do not fit into `room` columns, those in the middle are omitted.
fn breadcrumb(cx: &Context<'_>, path: &str, room: usize) -> Vec<Part> {
    let levels = cx.tree.ancestry(cx.place.id).count().saturating_sub(1);
    let mut names: Vec<&str> = path.rsplitn(levels + 1, '/').collect();
    names.reverse();
    let last = names.len() - 1;
    let part = |(number, name): (usize, &&str)| {
        let slash = if number == last { "" } else { "/" };
        Part { text: format!("{name}{slash}"), level: Some(last - number) }
    };
    let mut parts: Vec<Part> = names.iter().enumerate().map(part).collect();
    while parts.len() > 2 && parts.iter().map(|part| width(&part.text)).sum::<usize>() > room {
        if parts[1].level.is_some() {
            parts[1] = Part { text: format!("{}/", cx.theme.glyphs.gap()), level: None };
        } else if parts.len() > 3 {
            parts.remove(2);
        } else {
            break;
        }
    }
    parts
}

/// Returns the totals in several lengths, the longest first.
fn totals(cx: &Context<'_>) -> [String; 3] {
    let glyphs = cx.theme.glyphs;
    let measure = cx.order.measure;
    let bound = match cx.window.bound {
        Precision::AtLeast => format!("{} ", glyphs.at_least()),
        Precision::Recorded => format!("{} ", glyphs.recorded()),
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
    if let Some(record) = cx.record.as_ref().filter(|_| cx.window.bound == Precision::Recorded) {
        return recorded(cx, &size, record.scanned_at);
    }
    [
        format!("{size} {} {} {} {word} ", measure.name(), glyphs.dot(), grouped(items)),
        format!("{size} {} ", measure.name()),
        format!("{size} "),
    ]
}

/// Returns a recorded size with the time of its scan and the share that was read again, in several lengths.
fn recorded(cx: &Context<'_>, size: &str, scanned_at: i64) -> [String; 3] {
    let dot = cx.theme.glyphs.dot();
    let time = date_and_time(scanned_at, &cx.zone);
    let percent = cx.scan.percent().unwrap_or(0);
    [
        format!(
            "{size} {} {dot} as of {} {dot} {percent} % read again ",
            cx.order.measure.name(),
            time.trim_end()
        ),
        format!("{size} {dot} {percent} % read again "),
        format!("{size} "),
    ]
}
