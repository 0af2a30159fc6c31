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
use super::line::draw_rows;
use crate::base::format::Measure;
use crate::base::os_error::error_text;
use crate::table::column::Column;
use crate::table::rows::Direction;
use crate::ui::app::App;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::Command;
use crate::ui::loader::Loader;
use crate::ui::theme::Role;

pub(super) fn draw(app: &App<'_>, titles: Rect, list: Rect, canvas: &mut Canvas<'_>) {
    let columns = columns(app, usize::from(list.width));
    if !titles.is_empty() {
        let order = (app.order.column, app.order.direction);
        let line = title_line(app, &columns, order, |_| None);
        canvas.buffer.set_line(titles.x, titles.y, &line, titles.width);
        columns.add_hits(titles, canvas.hits);
    }
    if app.window.lines.is_empty() {
        draw_empty(app, list, canvas.buffer);
    }
    draw_rows(app, &columns, &app.window.lines, (app.window.offset, app.window.index), list, canvas);
}

fn draw_empty(app: &App<'_>, list: Rect, buffer: &mut Buffer) {
    let text = match (app.window.errno, app.window.left_out) {
        _ if app.is_sorting() => format!("Sorting{}", app.theme.glyphs.gap()),
        _ if app.is_filtered() => filtered(app),
        (Some(errno), _) => error_text(errno),
        (None, 1..) => {
            let shows = app.key_hint(Command::Hidden, "shows them");
            let entries = if app.window.left_out == 1 { "entry" } else { "entries" };
            format!("{} hidden {entries}{shows}", app.window.left_out)
        }
        (None, 0) if app.window.is_complete => "Empty directory".to_owned(),
        (None, 0) if app.is_scanning() => "Reading".to_owned() + app.theme.glyphs.gap(),
        (None, 0) => "Not read: the scan ended early".to_owned(),
    };
    let role = if app.window.errno.is_some() { Role::Warning } else { Role::Faint };
    if !list.is_empty() {
        buffer.set_stringn(
            list.x,
            list.y,
            format!("   {text}"),
            usize::from(list.width),
            app.theme.style(role),
        );
    }
}

/// Returns the reason why a filter shows nothing.
pub(super) fn filtered(app: &App<'_>) -> String {
    let result = app.filter_result();
    match result.and_then(Loader::error) {
        Some(error) => error.to_string(),
        None if result.is_some_and(|result| result.value().is_some()) => {
            format!("No entries match the filter{}", app.key_hint(Command::Back, "clears it"))
        }
        None => format!("Searching{}", app.theme.glyphs.gap()),
    }
}

fn columns(app: &App<'_>, width: usize) -> Columns {
    Columns::fit(width, app.shown.columns, Column::Size, NAME, app.units)
}

/// Returns the line of titles with an arrow at the column that is sorted by; `own` are titles of one view only.
pub(super) fn title_line(
    app: &App<'_>,
    columns: &Columns,
    (sorted, direction): (Column, Direction),
    own: impl Fn(Column) -> Option<&'static str>,
) -> Text<'static> {
    let title = |column: Column, is_wide: bool| {
        let [wide, narrow] = column.spec().titles;
        let text = own(column).unwrap_or(match (column, app.order.measure) {
            (Column::Size, Measure::Apparent) if is_wide => "Apparent",
            _ if is_wide => wide,
            _ => narrow,
        });
        // A to Z counts as ascending.
        let is_up = (direction == Direction::Usual) == (column == Column::Name);
        let arrow = if is_up { app.theme.glyphs.ascending() } else { app.theme.glyphs.descending() };
        format!("{text}{}", if sorted == column { arrow } else { "" })
    };
    Text::styled(columns.title_line(title), app.theme.style(Role::Faint))
}
