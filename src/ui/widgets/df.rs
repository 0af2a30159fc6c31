//! df view: one line for each part of the used space, or the text that explains one of these lines.
//!
//! ```text
//!     Size  /home: /dev/sda2 (ext4)
//!  60.0 GiB  used                                           60.0%
//!  50.0 GiB    scanned                                      123,456 entries
//!   9.0 GiB    deleted but open                             all processes checked
//! ```
//!
//! `crate::df` creates the lines. Lines are not entries and cannot be marked. Enter explains a line.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line as Text, Span};

use super::columns::right;
use super::row::{draw_ends, select};
use crate::base::format::{BRIEF, Units, brief_size, size};
use crate::base::text::{fit, width};
use crate::df::rows::{Amount, Row, Subject};
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::layout::Layout;
use crate::ui::table_page::TablePage;
use crate::ui::theme::Role;
use crate::ui::views::df::AMOUNT;

/// Minimum width of the list at which sizes are shown in full; a narrower list shows brief sizes.
const WIDE: usize = 40;
/// Minimum width of a label that is followed by a note.
const LABELS: usize = 30;
/// Minimum number of columns for a label together with its note. If fewer are available, all notes are omitted.
const NOTED: usize = LABELS + 8;

pub fn draw(cx: &Context<'_>, page: &TablePage, layout: Layout, canvas: &mut Canvas<'_>) {
    let Canvas { buffer, hits } = canvas;
    let list = layout.list;
    let is_text = page.ledger.iter().all(|row| row.amount == Amount::Nothing);
    if !is_text && !layout.titles.is_empty() {
        let title = right(AMOUNT, 1 + amount_width(cx.units, usize::from(list.width)));
        let style = cx.theme.style(Role::Faint);
        let lacks_notes = label_columns(usize::from(list.width), cx.units) < NOTED
            && page.ledger.iter().any(|row| row.note.is_some());
        let gap = if lacks_notes { cx.theme.glyphs.gap() } else { "" };
        draw_ends(&Text::styled(title, style), &Text::styled(gap, style), layout.titles, buffer);
    }
    let columns = usize::from(list.width);
    let labels = label_room(&page.ledger, label_columns(columns, cx.units));
    for ((row, line), y) in (page.offset..).zip(&page.ledger).zip(list.y..list.bottom()) {
        let area = Rect { y, height: 1, ..list };
        hits.add(area, Hit::Row(row));
        if is_text {
            buffer.set_line(area.x, y, &Text::raw(format!("  {}", line.label)), area.width);
        } else {
            buffer.set_line(area.x, y, &row_line(cx, line, columns, labels), area.width);
            if row == page.index {
                select(cx, area, Rect::default(), buffer);
            }
        }
    }
}

fn amount_width(units: Units, columns: usize) -> usize {
    if columns >= WIDE { units.width() + 1 } else { BRIEF + 1 }
}

/// Returns the width available for a label and its note in a row that is `columns` wide.
fn label_columns(columns: usize, units: Units) -> usize {
    columns.saturating_sub(amount_width(units, columns) + 3)
}

fn row_line<'a>(cx: &Context<'_>, row: &Row, columns: usize, labels: usize) -> Text<'a> {
    let room = amount_width(cx.units, columns);
    let bytes = |bytes| {
        let text = if columns >= WIDE { size(bytes, cx.units) } else { brief_size(bytes, cx.units) };
        text.trim_start().to_owned()
    };
    let amount = match row.amount {
        Amount::Bytes(amount) => bytes(amount),
        Amount::Less(amount) => format!("-{}", bytes(amount)),
        Amount::Unknown => "?".to_owned(),
        Amount::Nothing => String::new(),
    };
    let style = cx.theme.style(role(row));
    let mut spans = vec![Span::raw(" "), Span::styled(right(&amount, room), amount_style(cx, row))];
    let left = label_columns(columns, cx.units);
    let indent = "  ".repeat(row.depth);
    let note = row.note.as_ref().filter(|_| left >= NOTED);
    let label_room = if note.is_some() { labels } else { left };
    let label = fit(&row.label, label_room.saturating_sub(indent.len()), cx.theme.glyphs.gap()).into_owned();
    let label = format!("  {indent}{label}");
    let gap = (label_room + 2).saturating_sub(width(&label)) + 2;
    spans.push(Span::styled(label, style));
    if let Some(note) = note {
        let note = fit(note, left.saturating_sub(label_room + 2), cx.theme.glyphs.gap()).into_owned();
        spans.push(Span::styled(format!("{}{note}", " ".repeat(gap)), cx.theme.style(Role::Faint)));
    }
    Text::from(spans)
}

/// Returns the width of labels that have notes: the width of the longest label, or less if the longest note needs the
/// room, but at least [`LABELS`]. `left` is the number of columns for a label and its note.
fn label_room(rows: &[Row], left: usize) -> usize {
    let noted = || rows.iter().filter_map(|row| Some((row, row.note.as_ref()?)));
    let label = noted().map(|(row, _)| width(&row.label) + 2 * row.depth).max().unwrap_or(0);
    let note = noted().map(|(_, note)| width(note) + 2).max().unwrap_or(0);
    label.min(left.saturating_sub(note)).max(LABELS)
}

fn amount_style(cx: &Context<'_>, row: &Row) -> Style {
    cx.theme.style(if row.amount == Amount::Unknown { Role::Warning } else { Role::Plain })
}

/// Returns the role of a line. Highlights the numbers reported by df and the files that the scan could not see.
fn role(row: &Row) -> Role {
    match row.subject {
        Subject::Used | Subject::Size | Subject::Systems => Role::Strong,
        Subject::UnlinkedFile(_) | Subject::CoveredFiles(_) | Subject::Unreadable => Role::Warning,
        Subject::Note(_) | Subject::Overhead(_) | Subject::Inodes => Role::Faint,
        _ => Role::Plain,
    }
}
