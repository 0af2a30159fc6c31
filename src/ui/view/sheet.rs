//! A view of a whole subtree: a line of titles, and one line per row.
//!
//! ```text
//!       Disk▾  Share                Items   Type
//!     1.6 GiB  84.3% ████████▍         12   audio
//! ```
//!
//! What the rows are is in the files of the views.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line as Text;
use ratatui::widgets::{Paragraph, Widget, Wrap};

use super::columns::{Cell, Columns, SizeColumn, TimeColumn};
use super::growth;
use super::line::{Line, select};
use super::list::size_title;
use crate::rows::Column;
use crate::search::By;
use crate::size::{COUNT, change, grouped, plain_size, share};
use crate::text::printable;
use crate::ui::app::App;
use crate::ui::keys::View;
use crate::ui::sheet::{Page, SheetLine};
use crate::ui::shown::{Compared, Graph, Scale, Shown, Wanted};
use crate::ui::theme::Role;
use crate::ui::window::{Bound, Grown, totals_size};
use crate::ui::work::Ask;

pub(super) fn draw(app: &App<'_>, page: &Page, titles: Rect, list: Rect, buffer: &mut Buffer) {
    let columns = columns(app, page, usize::from(list.width));
    if !titles.is_empty() && page.failure.is_none() {
        buffer.set_line(titles.x, titles.y, &title_line(app, page, &columns), titles.width);
    }
    if page.lines.is_empty() && !list.is_empty() {
        draw_empty(app, page, list, buffer);
    }
    for ((index, row), y) in (page.offset..).zip(&page.lines).zip(list.y..list.bottom()) {
        buffer.set_line(list.x, y, &line(app, page, row).text(app, &columns), list.width);
        if index == page.index {
            select(app, Rect { y, height: 1, ..list }, buffer);
        }
    }
}

/// The totals in words, the longest first.
pub(super) fn totals(app: &App<'_>, page: &Page) -> Vec<String> {
    if page.failure.is_some() || page.view == View::Space {
        return Vec::new();
    }
    let counted = if page.view == View::Errors { ("error", "errors") } else { ("entry", "entries") };
    let counted = if page.matched == 1 && page.matched == page.searched { counted.0 } else { counted.1 };
    let (matched, searched) = (grouped(page.matched), grouped(page.searched));
    let of = if page.matched == page.searched {
        format!("{matched} {counted}")
    } else {
        format!("{matched} of {searched}")
    };
    let dot = app.theme.glyphs.dot();
    if page.view == View::Growth {
        let word = if page.matched == 1 { "change" } else { "changes" };
        let by = page.growth.map(|(before, after)| change(before, after, app.units));
        let texts = [
            by.as_ref().map(|by| format!("{by} {} {dot} {matched} {word} ", app.order.measure.name())),
            by.as_ref().map(|by| format!("{by} {dot} {matched} ")),
            by.map(|by| by + " "),
        ];
        return texts.into_iter().flatten().collect();
    }
    let bound = match app.window.bound {
        Bound::AtLeast => format!("{} ", app.theme.glyphs.at_least()),
        Bound::Exact | Bound::Growing => String::new(),
    };
    let measure = app.order.measure;
    let sum = page.sum.map(|sum| plain_size(totals_size(&sum, measure), app.units));
    let with_sum = sum.map(|sum| format!("{bound}{sum} {} {dot} {of} ", measure.name()));
    with_sum.into_iter().chain([format!("{of} "), format!("{matched} ")]).collect()
}

fn columns(app: &App<'_>, page: &Page, width: usize) -> Columns {
    if page.ask == Ask::Errors {
        // What could not be read has no size.
        let items = width >= 30;
        let name = width.saturating_sub(if items { COUNT + 2 } else { 0 });
        let (size, time) = (SizeColumn::None, TimeColumn::None);
        let growth = SizeColumn::None;
        return Columns { size, growth, percent: false, bar: 0, items, shared: false, time, name };
    }
    // Paths and what is said of them need the room more than numbers of items, or than bars.
    let is_wordy = page.is_of_entries || page.ask == Ask::Hints;
    let items = if is_wordy { Wanted::No } else { app.shown.items };
    let modified = if is_wordy { app.shown.modified } else { Wanted::No };
    let (graph, growth) = match app.shown.graph {
        _ if page.ask == Ask::Changes => (Graph::None, Compared::First),
        Graph::Both if is_wordy => (Graph::Percent, Compared::No),
        graph => (graph, Compared::No),
    };
    Columns::new(width, Shown { graph, items, modified, shared: Wanted::No, growth, ..app.shown }, app.units)
}

fn title_line(app: &App<'_>, page: &Page, columns: &Columns) -> Text<'static> {
    let (down, up) = (app.theme.glyphs.descending(), app.theme.glyphs.ascending());
    let title = |cell: Cell| {
        let (text, is_sorted) = match cell {
            Cell::Size => {
                let is_sorted = page.ask != Ask::Changes && matches!(page.order.by, By::Disk | By::Apparent);
                (size_title(app, columns), is_sorted)
            }
            Cell::Growth => (growth::title(columns), matches!(page.order.by, By::Disk | By::Apparent)),
            Cell::Percent => return "Share".to_owned(),
            Cell::Bar | Cell::Shared => return String::new(),
            Cell::Items => {
                (if page.ask == Ask::Links { "Names" } else { "Items" }, page.order.by == By::Items)
            }
            Cell::Time => ("Modified", page.order.by == By::Modified),
            Cell::Name if matches!(page.ask, Ask::Ages { .. }) => {
                (name_title(page), page.order.by == By::Modified)
            }
            Cell::Name => (name_title(page), page.order.by == By::Path),
        };
        // A to Z is upwards.
        let arrow = if page.order.reversed == (cell == Cell::Name) { down } else { up };
        format!("{text}{}", if is_sorted { arrow } else { "" })
    };
    Text::styled(columns.title_line(app.units, title), app.theme.style(Role::Faint))
}

fn name_title(page: &Page) -> &'static str {
    match page.ask {
        Ask::Ages { .. } => "Last changed",
        Ask::Types => "Type",
        Ask::Errors => "Reason",
        _ => "Path",
    }
}

/// The column of the page at `x`.
pub(super) fn column_at(app: &App<'_>, page: &Page, x: usize, width: usize) -> Column {
    columns(app, page, width).column_at(x, app.units)
}

fn line(app: &App<'_>, page: &Page, row: &SheetLine) -> Line {
    let whole = match app.shown.scale {
        Scale::Largest if page.largest > 0 => page.largest,
        _ => page.sum.map_or(0, |sum| totals_size(&sum, app.order.measure)),
    };
    let share = row.size.map(|bytes| share(bytes, whole));
    let is_gone = matches!(row.growth, Some(Grown::Gone(_)));
    Line {
        has_errors: false,
        bound: row.bound,
        size: row.size.ok_or(if is_gone { ["gone"; 2] } else { [""; 2] }),
        growth: row.growth,
        share,
        bar: share,
        items: row.items,
        shared: 0,
        modified: row.modified,
        is_marked: row.is_marked,
        label: row.label.clone(),
        role: row.role,
        note: row.note.clone().map(|note| (note, Role::Faint)),
    }
}

fn draw_empty(app: &App<'_>, page: &Page, list: Rect, buffer: &mut Buffer) {
    let text = match (&page.failure, page.view) {
        (Some(text), _) => text.clone(),
        (None, _) if !page.is_complete => format!("looking{}", app.theme.glyphs.gap()),
        (None, View::Space) => "nothing here could be looked at".to_owned(),
        (None, View::Errors) => "everything could be read".to_owned(),
        (None, View::Growth) if app.is_scanning() => "nothing has changed so far".to_owned(),
        (None, View::Growth) => "nothing has changed".to_owned(),
        (None, View::Links) => "no file here has more than one name".to_owned(),
        (None, View::Search) => "nothing meets this".to_owned(),
        (None, _) => "nothing".to_owned(),
    };
    let style = app.theme.style(Role::Faint);
    let area = Rect { x: list.x + 3.min(list.width), width: list.width.saturating_sub(4), ..list };
    Paragraph::new(printable(text.as_bytes())).style(style).wrap(Wrap { trim: true }).render(area, buffer);
}
