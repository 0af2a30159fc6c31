//! Overview: the file system's space, and the largest rows of each important view.
//!
//! ```text
//!  0 Disk  ext4 /dev/sda1 on /
//!  ████▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░
//!  ■ here 5.9 GiB  ■ elsewhere 20.4 GiB  ■ free 65.3 GiB  ■ reserved 12.0 GiB
//!
//!  L Largest directories                 2 Largest files
//!    1.9 GiB ████████  lib/google          139.2 MiB ████  lib/jvm/modules
//! ```
//!
//! Enter opens the view that the selected part summarizes. A click on a part opens the view of that part. If not all
//! parts fit, the page scrolls with the selection.

use std::cmp::Reverse;

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::columns::right;
use super::strip;
use crate::base::format::{brief_size, plain_size};
use crate::base::sort::sort_by_key;
use crate::base::text::{beginning, fit, width};
use crate::table::column::Column;
use crate::table::row::{CellValue, Precision, Row};
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::keys::{Command, Scope};
use crate::ui::layout::Layout;
use crate::ui::overview::{Part, WIDE};
use crate::ui::theme::{Role, filled};
use crate::ui::views::{ViewSpec, df};
use crate::ui::widgets::row::role_of_label;

/// Width of the bar in a row of [`NARROW_ROW`] columns, and its maximum width in a wider row.
const BAR: (usize, usize) = (8, 40);
/// Row width in columns up to which the bar takes a fifth of the row. In a wider row, the bar takes a fifth of the
/// first `NARROW_ROW` columns and a third of the other columns.
const NARROW_ROW: usize = 40;
/// Minimum width in columns at which the used and free space are shown with full units (`1.5 GiB` instead of `1.5G`).
const ROOMY: u16 = 90;
/// Minimum height of a part: a heading, one row, and a blank line.
const LEAST: u16 = 3;
/// Minimum height in lines at which the overview has a blank line below the used and free space.
const LEAST_FOR_BLANK: u16 = 30;
/// Minimum height in lines at which the overview shows the used and free space of the file system at the top.
const LEAST_FOR_SPACE: u16 = 12;

pub fn draw(cx: &Context<'_>, layout: Layout, canvas: &mut Canvas<'_>) {
    if let (Some(area), _) = regions(cx, layout) {
        draw_space(cx, area, canvas);
    }
    let overview = &cx.views.overview;
    for (index, area) in areas(cx, layout) {
        let is_selected = index == overview.index && !overview.is_on_space;
        draw_part(cx, &overview.parts[index], is_selected, area, canvas);
    }
}

/// Returns the number of parts of the overview that are drawn side by side.
pub fn columns(width: u16) -> usize {
    if width >= WIDE { 2 } else { 1 }
}

/// Returns the number of parts that fit on the screen one below the other, at least 1.
pub fn parts_per_column(cx: &Context<'_>, layout: Layout) -> usize {
    usize::from(regions(cx, layout).1.height / LEAST).max(1)
}

/// Returns `true` if no part is scrolled off the screen.
pub fn shows_all(cx: &Context<'_>, layout: Layout) -> bool {
    parts_per_column(cx, layout) * columns(layout.list.width) >= cx.views.overview.parts.len()
}

/// Returns `true` if the space of the file system is shown.
pub fn has_space(cx: &Context<'_>, layout: Layout) -> bool {
    regions(cx, layout).0.is_some()
}

/// Returns the screen position (column and line) of the selected element, if visible.
pub fn selected(cx: &Context<'_>, layout: Layout) -> Option<(u16, u16)> {
    if cx.views.overview.is_on_space {
        return regions(cx, layout).0.map(|area| (area.x, area.y));
    }
    let is_selected = |(index, _): &(usize, Rect)| *index == cx.views.overview.index;
    areas(cx, layout).into_iter().find(is_selected).map(|(_, area)| (area.x, area.y))
}

/// Returns the area for the file system's space, if there is room for it, and the area for the parts.
fn regions(cx: &Context<'_>, layout: Layout) -> (Option<Rect>, Rect) {
    let area = Rect { y: layout.titles.y, height: layout.list.bottom() - layout.titles.y, ..layout.list };
    if area.height < LEAST_FOR_SPACE || !cx.expects_space() {
        return (None, area);
    }
    let used = if area.height < LEAST_FOR_BLANK { 3 } else { 4 };
    (Some(Rect { height: 3, ..area }), Rect { y: area.y + used, height: area.height - used, ..area })
}

/// Returns the index and the area of each visible part.
fn areas(cx: &Context<'_>, layout: Layout) -> Vec<(usize, Rect)> {
    let (area, overview) = (regions(cx, layout).1, &cx.views.overview);
    let columns = columns(area.width);
    let first = (overview.offset * columns).min(overview.parts.len());
    let last = (first + parts_per_column(cx, layout) * columns).min(overview.parts.len());
    let width = area.width / u16::try_from(columns).unwrap_or(1);
    let (mut y, mut areas) = (area.y, Vec::new());
    let indices: Vec<usize> = (first..last).collect();
    let heights = heights(&overview.parts[first..last], columns, area.height);
    for (line, height) in indices.chunks(columns).zip(heights) {
        for (index, x) in line.iter().zip([area.x, area.x + width]) {
            areas.push((*index, Rect { x, y, width, height }.intersection(area)));
        }
        y += height;
    }
    areas.retain(|(_, area)| !area.is_empty());
    areas
}

/// Returns the height of each row of parts: an even share of `room`, but no more than the row needs.
fn heights(parts: &[Part], columns: usize, room: u16) -> Vec<u16> {
    // A part needs a heading, its rows, and a blank line. Without rows, its `empty` text is beside the heading.
    let need = |part: &Part| u16::try_from(part.rows.len() + 2).unwrap_or(u16::MAX);
    let needs: Vec<u16> =
        parts.chunks(columns).map(|line| line.iter().map(need).max().unwrap_or(0)).collect();
    let mut heights: Vec<u16> = needs.iter().map(|need| LEAST.min(*need)).collect();
    for _ in heights.iter().sum::<u16>()..room {
        let wanting = heights.iter_mut().zip(&needs).filter(|(height, need)| **height < **need);
        let Some((lowest, _)) = wanting.min_by_key(|(height, _)| **height) else { break };
        *lowest += 1;
    }
    heights
}

/// Draws a heading for the file system, and a strip that shows how its space is used. A click opens the df view.
fn draw_space(cx: &Context<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let heading = heading(cx, &df::VIEW, cx.views.overview.is_on_space);
    draw_heading(cx, heading, &format!(" {}", cx.space_title().unwrap_or_default()), area, canvas);
    canvas.hits.add(area, Hit::View(&df::VIEW));
    let Some(parts) = cx.space_parts() else { return };
    let strip = Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: 2 };
    let size = if area.width < ROOMY { brief_size } else { plain_size };
    strip::draw(cx, &parts, strip, |bytes, _| size(bytes, cx.units).trim_start().to_owned(), canvas.buffer);
}

/// Returns the key that opens a view, followed by the title of the view's tab.
fn keyed_title(cx: &Context<'_>, view: &'static ViewSpec) -> String {
    let key = cx.keymap.first(Command::View(view), Scope::Overview).unwrap_or_default();
    format!("{key} {}", view.tab[0])
}

/// Returns the start of a heading: the cursor symbol if the part is selected, then the key and title of the view.
fn heading<'a>(cx: &Context<'_>, view: &'static ViewSpec, is_selected: bool) -> Line<'a> {
    let mark = if is_selected { cx.theme.glyphs.cursor() } else { " " };
    let accent = cx.theme.style(Role::Accent);
    let style = if is_selected { filled(accent) } else { cx.theme.style(Role::Strong) };
    Line::from(vec![Span::styled(mark, accent), Span::styled(format!("{} ", keyed_title(cx, view)), style)])
}

/// Draws `start`, followed by as much of `fact` as fits on the line. If `fact` does not fit, the advice in parentheses
/// at its end is omitted first.
fn draw_heading(cx: &Context<'_>, mut start: Line<'_>, fact: &str, area: Rect, canvas: &mut Canvas<'_>) {
    let room = usize::from(area.width).saturating_sub(start.width() + 1);
    let short = fact.split(" (").next().unwrap_or(fact);
    let fact =
        beginning(if width(fact) > room { short } else { fact }, room, cx.theme.glyphs.gap()).into_owned();
    start.push_span(Span::styled(fact, cx.theme.style(Role::Faint)));
    canvas.buffer.set_line(area.x, area.y, &start, area.width);
}

fn draw_part(cx: &Context<'_>, part: &Part, is_selected: bool, area: Rect, canvas: &mut Canvas<'_>) {
    // A part without rows has no total.
    let fact = if part.rows.is_empty() { &part.empty } else { &part.total };
    draw_heading(cx, heading(cx, part.view, is_selected), &format!(" {fact}"), area, canvas);
    canvas.hits.add(area, Hit::View(part.view));
    let parts_per_column = (area.y + 1)..area.bottom().saturating_sub(u16::from(area.height > 2));
    for ((row, role), y) in largest(part, parts_per_column.len()).into_iter().zip(parts_per_column) {
        canvas.buffer.set_line(area.x, y, &row_line(cx, row, *role, usize::from(area.width)), area.width);
    }
}

/// Returns the largest rows of a part, at most `room` of them, without changing their order.
fn largest(part: &Part, room: usize) -> Vec<&(Row, Role)> {
    let mut rows: Vec<_> = part.rows.iter().enumerate().collect();
    if !part.is_largest_first {
        sort_by_key(&mut rows, |(_, (row, _))| Reverse(row.size()));
    }
    rows.truncate(room);
    sort_by_key(&mut rows, |(index, _)| *index);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns a row as a line of at most `room` columns: its size, a bar if there is room for one, and its label.
pub fn row_line<'a>(cx: &Context<'_>, row: &Row, role: Role, room: usize) -> Line<'a> {
    let format = cx.number_format();
    let number = cx.units.width() + 1;
    // A row for a change shows its growth. A row for an error has no size and shows the number of entries with this
    // error. Any other row shows its size.
    let (column, value) = match (row.cell(Column::Growth), row.cell(Column::Size)) {
        // The earlier size of a new entry is set to 0, so that its size is shown instead of the word "new".
        (CellValue::Change(None, after), _) => (Column::Growth, CellValue::Change(Some(0), after)),
        (change @ CellValue::Change(..), _) => (Column::Growth, change),
        (_, CellValue::None) => (Column::Items, row.cell(Column::Items)),
        (_, size) => (Column::Size, size),
    };
    let style = cx.theme.style(super::row::role_of(column, value));
    let style = if column == Column::Size { Style::new() } else { style };
    let sign = match row.precision {
        Precision::Recorded | Precision::Growing => cx.theme.glyphs.precision(row.precision),
        Precision::Exact | Precision::AtLeast => " ",
    };
    let mut line = Line::from(vec![
        Span::raw(" "),
        Span::styled(sign, cx.theme.style(Role::Faint)),
        Span::styled(right(&value.text(number, format), number), style),
        Span::raw(" "),
    ]);
    let bar = (room / 5).min(BAR.0) + room.saturating_sub(NARROW_ROW) / 3;
    let bar = bar.min(BAR.1);
    if let (Column::Size, CellValue::Share(share)) = (column, row.cell(Column::Bar)) {
        line.extend(cx.theme.bar_of(role, share, bar));
        line.push_span("  ");
    }
    let left = room.saturating_sub(line.width() + 1);
    let label = fit(&row.label, left, cx.theme.glyphs.gap()).into_owned();
    let note = row.note.as_ref().map(|note| format!("  {}", note.text));
    let note = note.filter(|note| width(&label) + width(note) <= left);
    line.push_span(Span::styled(label, cx.theme.style(role_of_label(row.style))));
    line.push_span(Span::styled(note.unwrap_or_default(), cx.theme.style(Role::Faint)));
    line
}
