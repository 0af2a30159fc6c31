//! Header: the path of the shown directory, with clickable parts, and its totals.
//!
//! ```text
//!  /usr/share/doc                     ≥ 1.2 GiB disk · 84,120 items
//! ```
//!
//! If the path needs the room, the right side is shortened: first the number of items is omitted, then the name of the
//! measure, and finally the whole right side. The path can claim up to half of the line. In a table view, the title of
//! the view follows the path. The title and up to `PATH` columns of the path can then claim up to three quarters of the
//! line. If that is not enough, the path is shortened in the middle, and a shorter title is used.
//! With a filter, "n of m" is shown instead of the number of items and is never omitted. The right side of a table view
//! comes from `table::totals`.

use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::row::draw_ends;
use super::status_line_texts::searching_text;
use super::table;
use crate::base::calendar::day_and_time;
use crate::base::format::{grouped, plain_size};
use crate::base::text::{escape, fit, printable, width};
use crate::table::row::Precision;
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::theme::Role;
use crate::ui::title::Title;

/// Number of columns reserved for the path beside a long title.
const PATH: usize = 10;

pub fn draw(cx: &Context<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    canvas.buffer.set_style(area, cx.theme.style(Role::Surface));
    let room = usize::from(area.width);
    let dot = cx.theme.glyphs.dot();
    let title = match &cx.views.page {
        Some(page) => page.title.clone(),
        None if cx.is_filtered() => format!("/{}", printable(cx.views.text.as_str().as_bytes())).into(),
        None => Title::default(),
    };
    let title = title.map(|text| if text.is_empty() { String::new() } else { format!(" {dot} {text}") });
    let path = escape(&cx.path).into_owned();
    let wanted = match width(title.text()) {
        0 => width(&path).min(room / 2),
        // If there is a title, the left side gets more room, because the title tells the user which view is shown.
        title => (width(&path).min(PATH) + title).min(room * 3 / 4),
    };
    let mut right = match &cx.views.page {
        Some(page) => table::totals(cx, page),
        None => totals(cx).into(),
    };
    // While results from the previous scan are shown and more are being found, the header shows `searching`, because
    // the status line shows the progress of the scan.
    let is_looking = match &cx.views.page {
        Some(page) => page.is_recorded && !page.is_complete,
        None => cx.views.is_overview() && cx.views.overview.is_finding_recorded(),
    };
    if is_looking {
        let with_sign: Vec<String> = right.iter().map(|text| searching_text(cx) + text).collect();
        right.splice(0..0, with_sign);
    }
    // If a filter is active, the shortest text is shown even if it leaves too little room for the path.
    let last = right.last().filter(|_| cx.is_filtered()).cloned();
    let fitting = right.into_iter().find(|text| width(text) + wanted + 2 <= room);
    let right = Line::raw(fit(&fitting.or(last).unwrap_or_default(), room, "").into_owned());
    // The two columns are for a space on either side of the path.
    let room = room.saturating_sub(right.width() + 2);
    let title = title.fit(room.saturating_sub(width(&path).min(PATH)), cx.theme.glyphs.gap());
    let parts = breadcrumb(cx, &path, room.saturating_sub(width(&title)));
    let strong = cx.theme.style(Role::Strong);
    let mut left = Line::raw(" ");
    let mut x = area.x + 1;
    for Part { text, level } in parts {
        let text = match above_root(cx, &text, level) {
            Some((above, name)) => {
                let cells = Rect { x, width: u16::try_from(width(above)).unwrap_or(u16::MAX), ..area };
                canvas.hits.add(cells, Hit::AboveRoot);
                x += cells.width;
                left.push_span(Span::styled(above.to_owned(), cx.theme.style(Role::Faint)));
                name.to_owned()
            }
            None => text,
        };
        let cells = Rect { x, width: u16::try_from(width(&text)).unwrap_or(u16::MAX), ..area };
        x += cells.width;
        if let Some(level @ 1..) = level {
            canvas.hits.add(cells, Hit::Level(level));
            left.push_span(Span::styled(text, cx.theme.style(Role::Accent).remove_modifier(Modifier::BOLD)));
        } else {
            left.push_span(Span::styled(text, strong));
        }
    }
    left.push_span(Span::styled(title.into_owned(), strong));
    draw_ends(&left, &right, area, canvas.buffer);
}

/// Splits `text`, a part of the displayed path, into the directories above the root and the root's name. Returns `None`
/// if `text` does not name the root, or contains no directory above the root. `level` is the number of levels from the
/// shown directory up to `text`.
fn above_root<'t>(cx: &Context<'_>, text: &'t str, level: Option<usize>) -> Option<(&'t str, &'t str)> {
    level.filter(|level| cx.tree.ancestry(cx.location.id).count() == level + 1)?;
    let name = text.strip_suffix('/').unwrap_or(text);
    let (above, _) = text.split_at(name.rfind('/')? + 1);
    (above.len() < text.len()).then(|| text.split_at(above.len()))
}

/// Part of the path, including the slash after it.
struct Part {
    text: String,
    /// Number of levels above the shown directory; `None` if the part stands for omitted parts.
    level: Option<usize>,
}

/// Returns the parts of the path. If they do not fit into `room` columns, omits some in the middle, then all but the
/// last one, and finally shortens the last one.
fn breadcrumb(cx: &Context<'_>, path: &str, room: usize) -> Vec<Part> {
    let levels = cx.tree.ancestry(cx.location.id).count().saturating_sub(1);
    let mut names: Vec<&str> = path.rsplitn(levels + 1, '/').collect();
    names.reverse();
    let last = names.len() - 1;
    let part = |(number, name): (usize, &&str)| {
        let slash = if number == last { "" } else { "/" };
        Part { text: format!("{name}{slash}"), level: Some(last - number) }
    };
    let mut parts: Vec<Part> = names.iter().enumerate().map(part).collect();
    let is_wide = |parts: &[Part]| parts.iter().map(|part| width(&part.text)).sum::<usize>() > room;
    while parts.len() > 2 && is_wide(&parts) {
        if parts[1].level.is_some() {
            parts[1] = Part { text: format!("{}/", cx.theme.glyphs.gap()), level: None };
        } else if parts.len() > 3 {
            parts.remove(2);
        } else {
            break;
        }
    }
    if is_wide(&parts) {
        let gap = format!("{}/", cx.theme.glyphs.gap());
        let last = parts.pop().into_iter().map(|part| Part {
            // The text of the root is a whole path, of which only the last component is shown.
            text: part.text.rsplit('/').find(|name| !name.is_empty()).unwrap_or("/").to_owned(),
            ..part
        });
        parts = [Part { text: gap, level: None }].into_iter().chain(last).collect();
    }
    if let (true, [gap, last]) = (is_wide(&parts), parts.as_mut_slice()) {
        last.text =
            fit(&last.text, room.saturating_sub(width(&gap.text)), cx.theme.glyphs.gap()).into_owned();
    }
    parts
}

/// Returns three versions of the text with the totals, longest first.
fn totals(cx: &Context<'_>) -> [String; 3] {
    let glyphs = cx.theme.glyphs;
    let measure = cx.order.measure;
    // Without a filter, the totals of a directory that the previous scan recorded are `Growing` only if the running
    // scan has found more than was recorded. The header then still shows the sign for recorded totals.
    let is_known = cx.recorded.as_ref().is_some_and(|recorded| recorded.has(cx.location.id));
    let is_outgrown = cx.window.bound == Precision::Growing && is_known && !cx.is_filtered();
    let bound = if is_outgrown { Precision::Recorded } else { cx.window.bound };
    let sign = match bound {
        Precision::AtLeast => format!("{} ", glyphs.at_least()),
        Precision::Recorded => format!("{} ", glyphs.recorded()),
        Precision::Growing => format!("{} ", glyphs.growing()),
        Precision::Exact => String::new(),
    };
    let size = format!("{sign}{}", plain_size(cx.window.size(measure), cx.units));
    let items = cx.window.totals.items;
    let word = if cx.window.all_items.unwrap_or(items) == 1 { "item" } else { "items" };
    if let Some(all) = cx.window.all_items {
        let of = format!("{} of {}", grouped(items), grouped(all));
        let dot = glyphs.dot();
        return [
            format!("{size} {} {dot} {of} {word} ", measure.name()),
            format!("{size} {dot} {of} "),
            format!("{of} "),
        ];
    }
    if let Some(record) = cx.record.as_ref().filter(|_| bound == Precision::Recorded) {
        return recorded(cx, &size, (!is_outgrown).then_some(record.scanned_at));
    }
    [
        format!("{size} {} {} {} {word} ", measure.name(), glyphs.dot(), grouped(items)),
        format!("{size} {} ", measure.name()),
        format!("{size} "),
    ]
}

/// Returns three versions of the text for an unconfirmed size, longest first. The longest one contains the size and the
/// percentage that has been confirmed. If the size is from the previous scan, it also contains the time of that scan.
fn recorded(cx: &Context<'_>, size: &str, scanned_at: Option<i64>) -> [String; 3] {
    let dot = cx.theme.glyphs.dot();
    let time = scanned_at.map(|at| format!("{dot} as of {} ", day_and_time(at, cx.clock(), &cx.zone)));
    let (measure, time) = (cx.order.measure.name(), time.unwrap_or_default());
    let percent = cx.scan.percent().unwrap_or(0);
    let brief = if time.is_empty() { format!("{dot} {percent}% confirmed ") } else { time.clone() };
    [
        format!("{size} {measure} {time}{dot} {percent}% confirmed "),
        format!("{size} {brief}"),
        format!("{size} "),
    ]
}
