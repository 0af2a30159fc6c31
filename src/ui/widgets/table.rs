//! Table view of a subtree: a line of titles, and one line per row.
//!
//! ```text
//!       Disk▾  Share                Items   Type
//!     1.6 GiB  84.3% ████████▍         12   audio
//! ```
//!
//! The files in `views` create the rows.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Paragraph, Widget, Wrap};

use super::columns::Columns;
use super::list::draw_titles;
use super::row::{draw_rows, inner, role_of};
use crate::analysis::search::SortBy;
use crate::base::format::{change, grouped, plain_size};
use crate::base::text::printable;
use crate::table::column::Column;
use crate::table::row::{Precision, Row};
use crate::table::rows::Direction;
use crate::ui::context::Context;
use crate::ui::hit_map::Canvas;
use crate::ui::table_page::TablePage;
use crate::ui::theme::Role;
use crate::ui::views::{TableLayout, TableSummary};
use crate::ui::window::totals_size;

/// Width that the path column must reach before the bars ([`Column::Bar`]) become wider.
const PATH: usize = 60;
/// Maximum width of the progress bar of a search.
const BAR: usize = 48;

pub fn draw(cx: &Context<'_>, page: &TablePage, titles: Rect, list: Rect, canvas: &mut Canvas<'_>) {
    let columns = columns(cx, page, usize::from(inner(list).width));
    if page.failure.is_none() {
        draw_titles(cx, &columns, sorted(page), |column| page.table.title(column), titles, canvas);
    }
    if page.lines.is_empty() && !list.is_empty() {
        draw_empty(cx, page, list, canvas.buffer);
    }
    let of_change = |row: &Row| role_of(Column::Growth, row.cell(Column::Growth));
    let roles = if page.table.is_of_changes() {
        Cow::Owned(page.lines.iter().map(of_change).collect())
    } else {
        Cow::Borrowed(&page.roles)
    };
    draw_rows(cx, &columns, (&page.lines, &roles), (page.offset, page.index), list, canvas);
}

fn columns(cx: &Context<'_>, page: &TablePage, width: usize) -> Columns {
    let table = page.table;
    let shown = table.shown(cx.shown.columns, width);
    let shown = shown.with(Column::Trend, shown.has(Column::Trend) && page.summary.has_trend);
    let usual = if table.has_paths() { PATH } else { table.name_room };
    Columns::fit(width, shown, table.first, (table.name_room, usual), cx.units)
}

/// Returns the column that rows are sorted by, and the direction.
fn sorted(page: &TablePage) -> (Column, Direction) {
    let column = match page.order.by {
        SortBy::Disk | SortBy::Apparent => page.table.first,
        SortBy::Items => Column::Items,
        SortBy::Modified => page.table.time,
        SortBy::Path => Column::Name,
    };
    (column, if page.order.reversed { Direction::Reversed } else { Direction::Usual })
}

/// Returns the header's text with the number of matches and their total size or growth, in several versions, longest
/// first. Returns an empty list if there are no results yet, if the search failed, or if the view does not count
/// matches.
pub fn totals(cx: &Context<'_>, page: &TablePage) -> Vec<String> {
    // A search that shows its progress has no results yet.
    let has_totals = page.failure.is_none() && page.progress.is_none();
    let Some([one, several]) = page.table.counted.filter(|_| has_totals) else { return Vec::new() };
    let TableSummary { sum, growth, matched: found, searched, .. } = page.summary;
    let counted = if found == 1 && found == searched { one } else { several };
    let matched = grouped(found);
    let of = if found == searched {
        format!("{matched} {counted}")
    } else {
        format!("{matched} of {}", grouped(searched))
    };
    let dot = cx.theme.glyphs.dot();
    let recorded = if page.is_recorded { format!("{} ", cx.theme.glyphs.recorded()) } else { String::new() };
    if page.table.is_of_changes() {
        let by = growth.map(|growth| growth[cx.order.measure as usize]);
        let by = by.map(|(before, after)| recorded.clone() + &change(before, after, cx.units));
        let texts = [
            by.as_ref().map(|by| format!("{by} {} {dot} {matched} {counted} ", cx.order.measure.name())),
            by.as_ref().map(|by| format!("{by} {dot} {matched} ")),
            by.map(|by| by + " "),
        ];
        return texts.into_iter().flatten().collect();
    }
    let bound = match cx.window.bound {
        _ if page.is_recorded => recorded.clone(),
        Precision::AtLeast => format!("{} ", cx.theme.glyphs.at_least()),
        Precision::Exact | Precision::Growing | Precision::Recorded => String::new(),
    };
    let measure = page.table.measure(cx.order.measure);
    let sum = sum.map(|sum| plain_size(totals_size(&sum, measure), cx.units));
    let with_sum = sum.map(|sum| format!("{bound}{sum} {} {dot} {of} ", measure.name()));
    // If there are more matches than rows, the text also shows the number of rows.
    let is_cut = page.table.layout == TableLayout::List && page.is_complete && (page.rows as u64) < found;
    let first = is_cut.then(|| format!("showing {} ", grouped(page.rows as u64)));
    let with_end = with_sum.iter().zip(&first).map(|(sum, first)| format!("{sum}{dot} {first}"));
    let short_end = first.iter().map(|first| format!("{first}of {matched} "));
    let all: Vec<String> = with_end.chain(short_end).collect();
    all.into_iter().chain(with_sum).chain([of, matched].map(|count| format!("{recorded}{count} "))).collect()
}

fn draw_empty(cx: &Context<'_>, page: &TablePage, list: Rect, buffer: &mut Buffer) {
    let text = match &page.failure {
        Some(text) => text.clone(),
        None if !page.is_complete => {
            let progress = page.progress.as_ref().map(|(text, _)| format!(" {text}"));
            format!("Loading{}{}", cx.theme.glyphs.gap(), progress.unwrap_or_default())
        }
        None => page.table.empty[usize::from(cx.is_scanning())].to_owned(),
    };
    let style = cx.theme.style(Role::Faint);
    let area = Rect { x: list.x + 3.min(list.width), width: list.width.saturating_sub(4), ..list };
    let mut text = Text::styled(printable(text.as_bytes()), style);
    if let Some((_, share)) = page.progress.as_ref().filter(|_| page.failure.is_none()) {
        text.push_line(Line::from(cx.theme.bar(*share, usize::from(area.width).min(BAR))));
    }
    Paragraph::new(text).wrap(Wrap { trim: false }).render(area, buffer);
}
