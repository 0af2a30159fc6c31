//! The list: a line of titles, and one line per entry.
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

use super::columns::{Cell, Columns, SizeColumn};
use super::growth;
use super::line::{Line, select};
use crate::kind::Kind;
use crate::platform::error_text;
use crate::rows::{Column, Direction};
use crate::size::{Measure, share};
use crate::text::escape;
use crate::ui::app::App;
use crate::ui::keys::Command;
use crate::ui::remark::{exclusion_text, kind_text, linked_text};
use crate::ui::shown::Scale;
use crate::ui::theme::Role;
use crate::ui::window::{self, Remark};
use crate::ui::work::Findings;

pub(super) fn draw(app: &App<'_>, titles: Rect, list: Rect, buffer: &mut Buffer) {
    let columns = Columns::new(usize::from(list.width), app.shown, app.units);
    if !titles.is_empty() {
        buffer.set_line(titles.x, titles.y, &title_line(app, &columns), titles.width);
    }
    if app.window.lines.is_empty() {
        draw_empty(app, list, buffer);
    }
    for (entry, y) in app.window.lines.iter().zip(list.y..list.bottom()) {
        let is_selected =
            y - list.y == u16::try_from(app.window.index - app.window.offset).unwrap_or(u16::MAX);
        buffer.set_line(list.x, y, &line(app, entry).text(app, &columns), list.width);
        if is_selected {
            select(app, Rect { y, height: 1, ..list }, buffer);
        }
    }
}

fn draw_empty(app: &App<'_>, list: Rect, buffer: &mut Buffer) {
    let text = match (app.window.errno, app.window.left_out) {
        _ if app.is_sorting() => format!("sorting{}", app.theme.glyphs.gap()),
        _ if app.is_filtered() => filtered(app),
        (Some(errno), _) => error_text(errno),
        (None, 1..) => {
            let shows = app.key_hint(Command::Hidden, "shows them");
            format!("{} hidden entries{shows}", app.window.left_out)
        }
        (None, 0) if !app.window.is_complete => "reading".to_owned() + app.theme.glyphs.gap(),
        (None, 0) => "empty".to_owned(),
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

/// Why a filter shows nothing.
pub(super) fn filtered(app: &App<'_>) -> String {
    match app.filter_findings() {
        Some(Findings::Failed(reason)) => reason.clone(),
        Some(_) => format!("nothing here meets the filter{}", app.key_hint(Command::Back, "clears it")),
        None => format!("looking{}", app.theme.glyphs.gap()),
    }
}

fn title_line(app: &App<'_>, columns: &Columns) -> Text<'static> {
    let (down, up) = (app.theme.glyphs.descending(), app.theme.glyphs.ascending());
    let title = |cell: Cell| {
        let text = match cell {
            Cell::Size => size_title(app, columns),
            Cell::Growth => growth::title(columns),
            Cell::Percent => return "Share".to_owned(),
            Cell::Bar => return String::new(),
            Cell::Items => "Items",
            Cell::Shared => "Shared",
            Cell::Time => "Modified",
            Cell::Name => "Name",
        };
        let is_usual = app.order.direction == Direction::Usual;
        // A to Z is upwards.
        let arrow = if is_usual == (cell == Cell::Name) { up } else { down };
        format!("{text}{}", if app.order.column == cell.column() { arrow } else { "" })
    };
    Text::styled(columns.title_line(app.units, title), app.theme.style(Role::Faint))
}

pub(super) fn size_title(app: &App<'_>, columns: &Columns) -> &'static str {
    match (columns.size, app.order.measure) {
        (SizeColumn::Brief, _) => "Size",
        (_, Measure::Disk) => "Disk",
        (_, Measure::Apparent) => "Apparent",
    }
}

/// The column of the list at `x`.
pub(super) fn column_at(app: &App<'_>, x: usize, width: usize) -> Column {
    Columns::new(width, app.shown, app.units).column_at(x, app.units)
}

fn line(app: &App<'_>, entry: &window::Line<'_>) -> Line {
    let is_directory = entry.kind == Kind::Directory;
    let mut label = escape(entry.name).into_owned();
    if is_directory && !label.ends_with('/') {
        label.push('/');
    }
    let (role, unknown) = match (entry.remark, is_directory) {
        (Some(Remark::Excluded(_)), _) => (Role::Faint, ["excluded", "excl"]),
        (_, true) => (Role::Strong, ["unknown", "?"]),
        (_, false) => (Role::Plain, ["unknown", "?"]),
    };
    let of = |whole| entry.size.map(|size| share(size, whole));
    Line {
        has_errors: entry.has_errors,
        bound: entry.bound,
        size: entry.size.ok_or(unknown),
        growth: entry.growth,
        share: of(app.window.size(app.order.measure)),
        bar: of(full_bar(app)),
        items: entry.items,
        shared: entry.shared,
        modified: entry.modified,
        is_marked: entry.is_marked,
        label,
        role,
        note: remark(entry),
    }
}

/// What a full bar stands for.
fn full_bar(app: &App<'_>) -> u64 {
    match app.shown.scale {
        Scale::Directory => app.window.size(app.order.measure),
        Scale::Largest => app.window.largest,
    }
}

fn remark(line: &window::Line<'_>) -> Option<(String, Role)> {
    let text = match (line.remark, kind_text(line.kind)) {
        (Some(Remark::Error(errno)), _) => return Some((error_text(errno), Role::Warning)),
        (Some(Remark::Excluded(exclusion)), _) => exclusion_text(exclusion).to_owned(),
        (Some(Remark::SameAs(root)), _) => format!("the same as {}", escape(root)),
        (Some(Remark::CountedIn(root)), _) => format!("counted in {}", escape(root)),
        (_, Some(kind)) => kind.to_owned(),
        (Some(Remark::Linked(names)), None) => linked_text(names),
        (None, None) => return None,
    };
    Some((text, Role::Faint))
}
