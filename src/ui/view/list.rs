//! The list: a line of titles, and one line per entry.
//!
//! ```text
//!        Disk▾  Share                Items   Name
//! !≥   1.0 GiB  84.3% ████████▍     12,001   doc/
//!    120.0 MiB   9.8% ▉                      core.bz2
//!     excluded                               proc/  kernel file system
//! ```
//!
//! `!`: something in it could not be read. Before a size, `≥`: it is at least that; `·`: it is still growing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line as Text, Span};

use super::columns::{Cell, Columns, SizeColumn, TimeColumn, right};
use super::growth;
use crate::kind::Kind;
use crate::platform::error_text;
use crate::rows::{Column, Direction};
use crate::size::{
    BRIEF, COUNT, DATE, DATE_AND_TIME, Measure, PERCENT, brief_size, count, date, date_and_time, percent,
    share, size,
};
use crate::text::{escape, fit, width};
use crate::ui::app::App;
use crate::ui::keys::Command;
use crate::ui::remark::{exclusion_text, kind_text, linked_text};
use crate::ui::shown::Scale;
use crate::ui::theme::Role;
use crate::ui::window::{Bound, Line, Remark};
use crate::ui::work::Findings;

/// Columns below which a remark would say nothing.
pub(super) const REMARK: usize = 10;

pub(super) fn draw(app: &App<'_>, titles: Rect, list: Rect, buffer: &mut Buffer) {
    let columns = Columns::new(usize::from(list.width), app.shown, app.units);
    if !titles.is_empty() {
        buffer.set_line(titles.x, titles.y, &title_line(app, &columns), titles.width);
    }
    if app.window.lines.is_empty() {
        draw_empty(app, list, buffer);
    }
    for (line, y) in app.window.lines.iter().zip(list.y..list.bottom()) {
        let is_selected =
            y - list.y == u16::try_from(app.window.index - app.window.offset).unwrap_or(u16::MAX);
        buffer.set_line(list.x, y, &entry_line(app, &columns, line), list.width);
        if is_selected {
            select(app, Rect { y, height: 1, ..list }, buffer);
        }
    }
}

/// Makes a line the one under the cursor.
pub(super) fn select(app: &App<'_>, row: Rect, buffer: &mut Buffer) {
    // One look for all of the line: its own colours reversed would make a chequered one.
    for cell in row.positions() {
        buffer[cell].set_style(ratatui::style::Style::reset().patch(app.theme.style(Role::Selected)));
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

fn entry_line<'a>(app: &App<'_>, columns: &Columns, line: &Line<'_>) -> Text<'a> {
    let theme = app.theme;
    let mut spans = Vec::with_capacity(12);
    let gap = |spans: &mut Vec<Span<'a>>| spans.push(Span::raw(" "));
    if columns.size != SizeColumn::None {
        signs(app, line.has_errors, line.bound, &mut spans);
        if columns.size == SizeColumn::Full {
            gap(&mut spans);
        }
        spans.push(size_span(app, columns, line));
    }
    if columns.growth != SizeColumn::None {
        if columns.size != SizeColumn::None {
            gap(&mut spans);
        }
        spans.push(growth::span(app, columns, line.growth, line.size));
    }
    let thousandths = line.size.map(|size| share(size, app.window.size(app.order.measure)));
    if columns.percent {
        gap(&mut spans);
        spans.push(Span::raw(thousandths.map_or_else(|| " ".repeat(PERCENT), percent)));
    }
    if columns.bar > 0 {
        gap(&mut spans);
        let thousandths = line.size.map(|size| share(size, full_bar(app)));
        let bar = theme.glyphs.bar(thousandths.unwrap_or(0), columns.bar);
        spans.push(Span::styled(bar, theme.style(Role::Bar)));
    }
    if columns.items {
        gap(&mut spans);
        spans.push(Span::raw(line.items.map_or_else(|| " ".repeat(COUNT), count)));
    }
    if columns.shared {
        gap(&mut spans);
        let text = if line.shared == 0 { String::new() } else { size(line.shared, app.units) };
        spans.push(Span::raw(right(&text, app.units.width())));
    }
    if columns.time != TimeColumn::None {
        gap(&mut spans);
        spans.push(time_span(app, columns, line));
    }
    mark(app, columns, line.is_marked, &mut spans);
    name(app, columns.name, line, &mut spans);
    Text::from(spans)
}

/// What a full bar stands for.
fn full_bar(app: &App<'_>) -> u64 {
    match app.shown.scale {
        Scale::Directory => app.window.size(app.order.measure),
        Scale::Largest => app.window.largest,
    }
}

/// What a number is worth: whether something is unreadable, and how it relates to the truth.
pub(super) fn signs(app: &App<'_>, has_errors: bool, bound: Bound, spans: &mut Vec<Span<'_>>) {
    let theme = app.theme;
    let error = Span::styled("!", theme.style(Role::Warning));
    spans.push(if has_errors { error } else { Span::raw(" ") });
    spans.push(match bound {
        Bound::AtLeast => Span::raw(theme.glyphs.at_least()),
        Bound::Growing => Span::styled(theme.glyphs.growing(), theme.style(Role::Faint)),
        Bound::Exact => Span::raw(" "),
    });
}

/// What stands before a name: a sign if it is marked.
pub(super) fn mark(app: &App<'_>, columns: &Columns, is_marked: bool, spans: &mut Vec<Span<'_>>) {
    let gap = columns.gap();
    if !is_marked || gap.is_empty() {
        spans.push(Span::raw(gap));
        return;
    }
    let (before, behind) = gap.split_at(gap.len() / 2);
    spans.push(Span::raw(before));
    spans.push(Span::styled(app.theme.glyphs.marked(), app.theme.style(Role::Strong)));
    spans.push(Span::raw(&behind[1..]));
}

fn size_span<'a>(app: &App<'_>, columns: &Columns, line: &Line<'_>) -> Span<'a> {
    let (width, brief) = match columns.size {
        SizeColumn::Full => (app.units.width(), false),
        SizeColumn::Brief | SizeColumn::None => (BRIEF, true),
    };
    let text = match (line.size, line.remark) {
        (Some(bytes), _) if brief => return Span::raw(brief_size(bytes, app.units)),
        (Some(bytes), _) => return Span::raw(size(bytes, app.units)),
        (None, Some(Remark::Excluded(_))) if !brief => "excluded",
        (None, Some(Remark::Excluded(_))) => "excl",
        (None, _) if !brief => "unknown",
        (None, _) => "?",
    };
    Span::styled(format!("{text:>width$}"), app.theme.style(Role::Faint))
}

fn time_span<'a>(app: &App<'_>, columns: &Columns, line: &Line<'_>) -> Span<'a> {
    let time = line.modified;
    match columns.time {
        TimeColumn::Full => {
            Span::raw(time.map_or_else(|| " ".repeat(DATE_AND_TIME), |time| date_and_time(time, &app.zone)))
        }
        TimeColumn::Date | TimeColumn::None => {
            Span::raw(time.map_or_else(|| " ".repeat(DATE), |time| date(time, &app.zone)))
        }
    }
}

/// The name, and where there is room what else there is to say.
fn name(app: &App<'_>, room: usize, line: &Line<'_>, spans: &mut Vec<Span<'_>>) {
    let theme = app.theme;
    let is_directory = line.kind == Kind::Directory;
    let suffix = if is_directory && !line.name.ends_with(b"/") { "/" } else { "" };
    let shown =
        fit(&escape(line.name), room.saturating_sub(suffix.len()), theme.glyphs.gap()).into_owned() + suffix;
    let left = room.saturating_sub(width(&shown));
    let role = match (line.remark, is_directory) {
        (Some(Remark::Excluded(_)), _) => Role::Faint,
        (_, true) => Role::Strong,
        (_, false) => Role::Plain,
    };
    let mut style = theme.style(role);
    if line.is_marked {
        style = style.add_modifier(Modifier::UNDERLINED);
    }
    spans.push(Span::styled(shown, style));
    if let Some((text, role)) = remark(line)
        && left >= REMARK
    {
        let text = fit(&text, left - 2, theme.glyphs.gap());
        spans.push(Span::styled(format!("  {text}"), theme.style(role)));
    }
}

fn remark(line: &Line<'_>) -> Option<(String, Role)> {
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
