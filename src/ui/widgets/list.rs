//! List: a line of titles, and one line per entry.
//!
//! ```text
//!        Disk▾  Share                Items   Name
//! !≥   1.0 GiB  84.3% ████████▍     12,001   doc/
//!    120.0 MiB   9.8% ▉                      core.bz2
//!     excluded                               proc/  kernel file system
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line as Text;

use super::columns::{Columns, NAME};
use super::row::{draw_ends, draw_rows, inner};
use crate::base::format::Measure;
use crate::base::os_error::OsError;
use crate::table::column::Column;
use crate::table::rows::Direction;
use crate::ui::context::Context;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::Command;
use crate::ui::list_texts::{
    APPARENT, CLEARS, EMPTY_DIRECTORY, ENDED_EARLY, NO_MATCHES, READING, SEARCHING, SORTING, omitted_text,
};
use crate::ui::loader::Loader;
use crate::ui::theme::Role;

pub fn draw(cx: &Context<'_>, titles: Rect, list: Rect, canvas: &mut Canvas<'_>) {
    let columns = columns(cx, usize::from(inner(list).width));
    let order = (cx.order.column, cx.order.direction);
    draw_titles(cx, &columns, order, |_| None, titles, canvas);
    if cx.window.lines.is_empty() {
        draw_empty(cx, list, canvas.buffer);
    }
    draw_rows(cx, &columns, (&cx.window.lines, &[]), (cx.window.offset, cx.window.index), list, canvas);
}

/// Returns text that explains why no entries are shown.
pub fn empty_text(cx: &Context<'_>) -> String {
    let gap = cx.theme.glyphs.gap();
    match (cx.window.errno, cx.window.omitted) {
        _ if cx.is_sorting() => format!("{SORTING}{gap}"),
        _ if cx.is_filtered() => filtered(cx),
        (Some(errno), _) => OsError(errno).to_string(),
        (None, omitted @ 1..) => omitted_text(omitted, |does| cx.key_hint(Command::Hidden, does)),
        (None, 0) if cx.window.is_partial => ENDED_EARLY.to_owned(),
        (None, 0) if cx.window.is_complete => EMPTY_DIRECTORY.to_owned(),
        (None, 0) if cx.is_scanning() => format!("{READING}{gap}"),
        (None, 0) => ENDED_EARLY.to_owned(),
    }
}

fn draw_empty(cx: &Context<'_>, list: Rect, buffer: &mut Buffer) {
    let text = empty_text(cx);
    let role = if cx.window.errno.is_some() { Role::Warning } else { Role::Faint };
    if !list.is_empty() {
        buffer.set_stringn(
            list.x,
            list.y,
            format!("   {text}"),
            usize::from(list.width),
            cx.theme.style(role),
        );
    }
}

/// Returns text that explains why the filter shows no entries.
fn filtered(cx: &Context<'_>) -> String {
    let result = cx.filter_result();
    match result.and_then(Loader::error) {
        Some(error) => error.to_string(),
        None if result.is_some_and(|result| result.value().is_some()) => {
            NO_MATCHES[usize::from(cx.is_scanning())].to_owned() + &cx.key_hint(Command::Back, CLEARS)
        }
        None => format!("{SEARCHING}{}", cx.theme.glyphs.gap()),
    }
}

fn columns(cx: &Context<'_>, width: usize) -> Columns {
    Columns::fit(width, cx.list_columns(), Column::Size, (NAME, NAME), cx.units)
}

/// Draws the line of titles, with an arrow at the sorted column. A symbol at the end of the line indicates that some
/// columns do not fit. `own` returns the title of a column in this view if it differs from the usual title.
pub fn draw_titles(
    cx: &Context<'_>,
    columns: &Columns,
    (sorted, direction): (Column, Direction),
    own: impl Fn(Column) -> Option<&'static str>,
    titles: Rect,
    canvas: &mut Canvas<'_>,
) {
    if titles.is_empty() {
        return;
    }
    let titles = inner(titles);
    let title = |column: Column, is_wide: bool| {
        let [wide, narrow] = column.spec().titles;
        let text = own(column).unwrap_or(match (column, cx.order.measure) {
            (Column::Size, Measure::Apparent) if is_wide => APPARENT,
            _ if is_wide => wide,
            _ => narrow,
        });
        // By default, names are in ascending order (A to Z), and all other columns in descending order.
        let is_up = (direction == Direction::Usual) == (column == Column::Name);
        let arrow = if is_up { cx.theme.glyphs.ascending() } else { cx.theme.glyphs.descending() };
        format!("{text}{}", if sorted == column { arrow } else { "" })
    };
    let line = Text::styled(columns.title_line(cx.units, title), cx.theme.style(Role::Faint));
    canvas.buffer.set_line(titles.x, titles.y, &line, titles.width);
    if columns.is_cut {
        let sign = Text::styled(format!(" {} ", cx.theme.glyphs.gap()), cx.theme.style(Role::Faint));
        draw_ends(&Text::default(), &sign, titles, canvas.buffer);
    }
    columns.add_hits(titles, canvas.hits);
}
