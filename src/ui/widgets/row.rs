//! Row of the list or of another view, drawn in columns.
//!
//! ```text
//!  !≥   1.0 GiB  84.3% ████████▍      12,001   doc/
//! ▌   120.0 MiB   9.8% ▉                     ● core.bz2  2 names
//!      excluded                               proc/  kernel file system
//! ```
//!
//! `▌` marks the row under the cursor, and `!` an entry that could not be read completely. Before a size, `≥`
//! means a lower bound, `·` means that the size may still change, and `~` that it is from the previous scan.
//!
//! Invariant: every cell is exactly as wide as its column.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line as Text, Span};

use super::columns::{Columns, aligned, right};
use crate::base::text::{beginning, fit, width};
use crate::table::column::{Column, SIGNS};
use crate::table::row::{CellValue, Precision, Row, RowStyle};
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::theme::{Colors, Role};

/// Minimum room for a note in columns, including the two blanks before the note. With less room, the note would be
/// unreadable and is omitted.
const MIN_NOTE_ROOM: usize = 10;

/// Draws rows. The bar of each row has the color of its role in `roles`, or the usual color if `roles` is too short.
/// `offset` is the index of the first row, and `index` is the index of the row under the cursor.
pub fn draw_rows(
    cx: &Context<'_>,
    columns: &Columns,
    (rows, roles): (&[Row], &[Role]),
    (offset, index): (usize, usize),
    list: Rect,
    canvas: &mut Canvas<'_>,
) {
    let range = cx.ranged_rows();
    let roles = roles.iter().copied().chain(std::iter::repeat(Role::Bar));
    for (((number, row), role), y) in (offset..).zip(rows).zip(roles).zip(list.y..list.bottom()) {
        let area = Rect { y, height: 1, ..list };
        canvas.hits.add(area, Hit::Row(number));
        let room = inner(area);
        let sign = match &range {
            _ if row.is_marked => cx.theme.glyphs.marked(),
            Some(range) if range.contains(&number) => cx.theme.glyphs.ranged(),
            _ => "",
        };
        canvas.buffer.set_line(room.x, y, &text(cx, columns, row, role, sign), room.width);
        if number == index {
            if cx.has_page_beside {
                select_behind(cx, area, canvas.buffer);
            } else {
                select(cx, area, columns.bar(room), canvas.buffer);
            }
        }
    }
}

/// Returns a row as a line of text, with a bar in the color of `role`, and `sign` in the gap before the label.
fn text<'a>(cx: &Context<'_>, columns: &Columns, row: &Row, role: Role, sign: &'static str) -> Text<'a> {
    let format = cx.number_format();
    let mut spans = Vec::with_capacity(16);
    for (number, (column, room)) in columns.cells.iter().enumerate() {
        if number > 0 {
            spans.push(Span::raw(" "));
        }
        let span = match (column, row.cell(*column)) {
            (Column::Size, size) => {
                signs(cx, row, &mut spans);
                let text = right(&size.text(room - SIGNS, format), room - SIGNS);
                let is_number = matches!(size, CellValue::Bytes(_)) && row.precision != Precision::Recorded;
                if is_number { Span::raw(text) } else { Span::styled(text, cx.theme.style(Role::Faint)) }
            }
            (Column::Bar, share) => {
                let share = if let CellValue::Share(share) = share { share } else { 0 };
                spans.extend(cx.theme.bar_of(role, share, *room));
                continue;
            }
            (_, CellValue::Trend(heights)) => {
                Span::styled(cx.theme.glyphs.chart(heights), cx.theme.style(Role::Bar))
            }
            (_, value) => {
                let text = aligned(&value.text(*room, format), column.spec().align, *room);
                Span::styled(text, cx.theme.style(role_of(*column, value)))
            }
        };
        spans.push(span);
    }
    gap(cx, columns.gap(), sign, &mut spans);
    label(cx, columns.name, row, &mut spans);
    Text::from(spans)
}

/// Adds the symbols for errors and precision, which are shown before a size.
fn signs(cx: &Context<'_>, row: &Row, spans: &mut Vec<Span<'_>>) {
    let theme = cx.theme;
    let error = Span::styled("!", theme.style(Role::Warning));
    spans.push(if row.has_errors { error } else { Span::raw(" ") });
    let sign = theme.glyphs.precision(row.precision);
    spans.push(match row.precision {
        Precision::AtLeast => Span::raw(sign),
        Precision::Growing | Precision::Recorded => Span::styled(sign, theme.style(Role::Faint)),
        Precision::Exact => Span::raw(" "),
    });
}

/// Adds the gap before the label, with `sign` in its middle. `sign` is empty or one column wide.
fn gap(cx: &Context<'_>, gap: &'static str, sign: &'static str, spans: &mut Vec<Span<'_>>) {
    if sign.is_empty() || gap.is_empty() {
        spans.push(Span::raw(gap));
        return;
    }
    let (before, behind) = gap.split_at(gap.len() / 2);
    spans.push(Span::raw(before));
    spans.push(Span::styled(sign, cx.theme.style(Role::Strong)));
    spans.push(Span::raw(&behind[1..]));
}

fn label(cx: &Context<'_>, room: usize, row: &Row, spans: &mut Vec<Span<'_>>) {
    let gap = cx.theme.glyphs.gap();
    let label = fit(&row.label, room, gap).into_owned();
    let left = room.saturating_sub(width(&label));
    let style = cx.theme.style(role_of_label(row.style));
    // The indentation of a row in a tree is not underlined.
    let (blanks, name) = label.split_at(label.len() - label.trim_start().len());
    spans.push(Span::raw(blanks.to_owned()));
    spans.push(Span::styled(name.to_owned(), if row.is_marked { style.underlined() } else { style }));
    if let Some(note) = row.note.as_ref().filter(|_| left >= MIN_NOTE_ROOM) {
        let role = if note.is_warning { Role::Warning } else { Role::Faint };
        let note = shortened(&note.text, left - 2, gap);
        spans.push(Span::styled(format!("  {note}"), cx.theme.style(role)));
    }
}

/// Returns the role of a cell outside the size column. Most of these cells are faint.
pub fn role_of(column: Column, value: CellValue) -> Role {
    match (column, value) {
        (_, CellValue::Change(before, after)) if before.unwrap_or(0) < after.unwrap_or(0) => Role::More,
        (_, CellValue::Change(before, after)) if before > after => Role::Less,
        (Column::Total, _) => Role::Plain,
        _ => Role::Faint,
    }
}

pub fn role_of_label(style: RowStyle) -> Role {
    match style {
        RowStyle::Plain => Role::Plain,
        RowStyle::Strong => Role::Strong,
        RowStyle::Directory => Role::Directory,
        RowStyle::Link => Role::Link,
        RowStyle::Special => Role::Special,
        RowStyle::Faint => Role::Faint,
        RowStyle::Warning => Role::Warning,
    }
}

/// Returns as much of a note as fits: the whole note, its first clause, or the start of that clause.
fn shortened<'t>(note: &'t str, room: usize, gap: &str) -> Cow<'t, str> {
    if width(note) <= room {
        return Cow::Borrowed(note);
    }
    // For example, the first clause of "npm packages; npm install downloads them again" is "npm packages".
    let clause = note.split_once("; ").map_or(note, |(first, _)| first);
    beginning(clause, room, gap)
}

/// Returns an area without its first column, which is reserved for the cursor symbol.
pub fn inner(area: Rect) -> Rect {
    let width = area.width.saturating_sub(1);
    Rect { x: area.right() - width, width, ..area }
}

/// Highlights the cursor line of a pane without keyboard focus, using only the cursor symbol and a faint background.
pub fn select_behind(cx: &Context<'_>, row: Rect, buffer: &mut Buffer) {
    // Set only the background, so that names and bars keep their colors.
    let tint = Style { bg: cx.theme.style(Role::Surface).bg, ..Style::new() };
    buffer.set_style(row, tint);
    set_sign(cx, row, cx.theme.style(Role::Faint), buffer);
}

/// Puts the cursor symbol in the first cell if that cell is blank.
fn set_sign(cx: &Context<'_>, row: Rect, style: Style, buffer: &mut Buffer) {
    let first = buffer.cell_mut((row.x, row.y)).filter(|_| !row.is_empty());
    if let Some(first) = first.filter(|cell| cell.symbol() == " ") {
        first.set_symbol(if cx.theme.colors == Colors::None { ">" } else { cx.theme.glyphs.cursor() });
        first.set_style(style);
    }
}

/// Highlights the line under the cursor: puts a symbol in the first cell if that cell is blank, and changes the
/// background color. Bold text stays bold.
///
/// - With sixteen colors, the line is white on blue. Terminals use different shades of blue, and only white is
///   visible on all of them. On a light background, the size bar (`bar`) is yellow, because a white bar would look
///   like a gap.
/// - If the theme has no background color for the line, the line is in reverse video. The first cell is not, so that
///   the symbol stands out. The size bar is gray if the terminal has a gray that differs from any text and background.
/// - Without colors, the line is only made bold.
pub fn select(cx: &Context<'_>, row: Rect, bar: Rect, buffer: &mut Buffer) {
    /// Gray with the same contrast to black and to white.
    const GRAY: Color = Color::Indexed(243);
    let theme = cx.theme;
    let (selected, faint) = (theme.style(Role::Selected), theme.style(Role::Faint).fg);
    let is_tint = matches!(selected.bg, Some(Color::Rgb(..) | Color::Indexed(_)));
    for position in row.positions() {
        let cell = &mut buffer[position];
        let mut style = Style::reset().patch(selected).add_modifier(cell.modifier & Modifier::BOLD);
        if theme.colors == Colors::None {
            style = Style::new().add_modifier(cell.modifier).bold();
        } else if is_tint {
            // The text keeps its color, unless it would have too little contrast with this background.
            if cell.fg != Color::Reset && ![selected.bg, faint].contains(&Some(cell.fg)) {
                style = style.fg(cell.fg);
            }
        } else if bar.contains(position) {
            match (selected.bg, theme.colors) {
                // The row is in reverse video, which swaps foreground and background. So `bg` is the color of the
                // characters that form the bar.
                (None, Colors::Palette | Colors::True) => style = style.bg(GRAY),
                (Some(_), _) if !theme.options.is_dark() => style = style.fg(Color::Yellow),
                _ => {}
            }
        }
        cell.set_style(style);
    }
    let sign = match selected.bg {
        _ if is_tint => theme.style(Role::Accent),
        None if theme.colors != Colors::None => Style::reset(),
        _ => Style::new(),
    };
    set_sign(cx, row, sign, buffer);
}

/// Draws `left` at the start of the line, and `right` at the end if it fits.
pub fn draw_ends(left: &Text<'_>, right: &Text<'_>, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    buffer.set_line(area.x, area.y, left, area.width);
    let width = u16::try_from(right.width()).unwrap_or(u16::MAX);
    if let Some(start) = area.width.checked_sub(width) {
        buffer.set_line(area.x + start, area.y, right, width);
    }
}
