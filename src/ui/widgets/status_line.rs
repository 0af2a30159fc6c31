//! Status line: shows a notice, the progress of a scan or operation, or key hints, in this order of priority.
//!
//! ```text
//!  ⠙ 12,345 entries · 85,000/s · 3.2 GiB · 2 errors  /usr/share/doc
//!  ? keys  Enter open  Space mark  d delete  / search  q quit     3 of 212
//! ```
//!
//! If there is little room, the facts on the right are omitted before the most important hints.

use std::slice;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub use super::hints::{Top, keys};
use super::hints::{fitting, width_of_first};
use super::overview;
use super::row::draw_ends;
use super::status_line_texts::{
    COLUMNS, FILTERED, INCOMPLETE, NOT_RESPONDING, PANICKED, SHOWS_ALL, STOPS, elapsed_text, errors_text,
    export_text, mark_count, omitted_text, operation_texts, rescan_text, row_of, scan_texts, searching_text,
    stopped_text, summary,
};
use super::tabs::growth_text;
use crate::base::format::share;
use crate::base::text::{escape_path, fit, width};
use crate::exclusive::ExclusiveProgress;
use crate::scan::Outcome;
use crate::table::column::Column;
use crate::ui::context::Context;
use crate::ui::deletion_state::Running;
use crate::ui::hit_map::{Canvas, Hit, HitMap};
use crate::ui::keys::Command;
use crate::ui::progress::Rescan;
use crate::ui::table_page::is_of_table;
use crate::ui::theme::Role;

/// Minimum width of the status line at which the first key hint is always shown.
const NARROW: usize = 20;
/// Minimum width of the status line for a progress bar.
const WIDE: usize = 60;
/// Width of the progress bar in cells.
const BAR: usize = 12;
/// Maximum width of a size written as a number of bytes.
const FACT: usize = 20;
/// Minimum number of key hints that stay visible beside the text on the right. The row number of the list has its own
/// minimum ([`KEPT_BESIDE_ROW`]). The word for the filter and the message about an incomplete scan may leave room for
/// only one hint.
const KEPT: usize = 4;
/// Number of key hints that stay visible beside the row number of the list, the treemap or the overview. If there is no
/// room for these hints and the row number, the row number is omitted.
const KEPT_BESIDE_ROW: usize = 2;

/// Draws the status line below the view, or below the page shown instead of the view.
pub fn draw(cx: &Context<'_>, top: Top<'_, '_>, area: Rect, canvas: &mut Canvas<'_>) {
    let Canvas { buffer, hits } = canvas;
    buffer.set_style(area, cx.theme.style(Role::Surface));
    let room = usize::from(area.width);
    let help = first_hint(cx, top, room);
    if let Some(state) = state(cx, top, room - help) {
        let right = keys(cx, top, help);
        draw_ends(&state, &right, area, buffer);
        let width = u16::try_from(right.width()).unwrap_or(u16::MAX);
        add_hits(cx, top, help, area.right().saturating_sub(width), area, hits);
    } else {
        let right = idle(cx, top, room);
        let room = room.saturating_sub(right.width() + 1);
        draw_ends(&keys(cx, top, room), &right, area, buffer);
        add_hits(cx, top, room, area.x, area, hits);
    }
}

/// Returns the notice or the progress to show, if there is any.
fn state<'a>(cx: &Context<'_>, top: Top<'_, '_>, room: usize) -> Option<Line<'a>> {
    if let Some(notice) = cx.notice_within(room.saturating_sub(2)) {
        Some(Line::styled(format!(" {notice}"), cx.theme.style(Role::Strong)))
    } else if cx.is_scanning() {
        Some(progress(cx, room))
    } else if let Some(running) = &cx.deletion.running {
        Some(deleting(cx, running, room))
    } else if let Some(rescan) = cx.rescan() {
        Some(rescan_progress(cx, rescan, room))
    } else if let Some(order) = cx.written() {
        Some(working(cx, Some(cx.written_share()), &[export_text(&order.shown())], room))
    } else if let Some(progress) = cx.exclusive_progress() {
        Some(exclusive_progress(cx, top, &progress, room))
    } else {
        let page = cx.views.page.as_ref().filter(|page| page.failure.is_none() && top.layer.is_none())?;
        page.progress.as_ref().map(|(text, share)| working(cx, Some(*share), slice::from_ref(text), room))
    }
}

/// Returns the width reserved for the first key hint, whose key opens the list of all keys.
fn first_hint(cx: &Context<'_>, top: Top<'_, '_>, room: usize) -> usize {
    let first = width_of_first(cx, top, 1);
    if room < NARROW || first == 0 { 0 } else { first + 1 }
}

/// Returns the text to the right of the key hints when there is no notice or progress to show.
fn idle<'a>(cx: &Context<'_>, top: Top<'_, '_>, room: usize) -> Line<'a> {
    let left = room.saturating_sub(width_of_first(cx, top, KEPT));
    match top.position {
        Some((index, count)) => line_position(index, count, left),
        // While a dialog is open, no facts about the list are shown, because they would seem to describe the dialog.
        None if top.layer.is_some() => Line::default(),
        None if cx.views.page.is_some() => table_position(cx, left),
        None => list_facts(cx, top, room),
    }
}

/// Returns the position of the cursor line, such as `3 of 212`. The text is empty if `room` is too small.
fn line_position<'a>(index: usize, count: usize, room: usize) -> Line<'a> {
    let text = row_of(index, count) + " ";
    Line::raw(if width(&text) <= room { text } else { String::new() })
}

/// Makes the key hints, which begin at column `x`, clickable.
fn add_hits(cx: &Context<'_>, top: Top<'_, '_>, room: usize, mut x: u16, area: Rect, hits: &mut HitMap) {
    for hint in fitting(cx, top, room) {
        let width = u16::try_from(hint.width()).unwrap_or(u16::MAX);
        hits.add(Rect { x, width, ..area }.intersection(area), Hit::Key(hint.key));
        x = x.saturating_add(width);
    }
}

/// Returns a bar for `share` (in thousandths), followed by a blank. Returns no spans if the share is unknown or the
/// line is too short.
fn bar<'a>(cx: &Context<'_>, share: Option<u16>, room: usize) -> Vec<Span<'a>> {
    let Some(share) = share.filter(|_| room >= WIDE) else { return Vec::new() };
    let mut bar = cx.theme.bar(share, BAR);
    bar.push(Span::raw(" "));
    bar
}

/// Returns a spinner, a bar for `share`, and the first text that fits. If none fits, the last text is shortened.
fn working<'a>(cx: &Context<'_>, share: Option<u16>, texts: &[String], room: usize) -> Line<'a> {
    let mut spans = vec![Span::styled(format!(" {} ", cx.spinner()), cx.theme.style(Role::Bar))];
    spans.extend(bar(cx, share, room));
    let room = room.saturating_sub(spans.iter().map(Span::width).sum::<usize>() + 1);
    let text = texts.iter().find(|text| width(text) <= room).or(texts.last());
    spans.extend(text.map(|text| Span::raw(fit(text, room, cx.theme.glyphs.gap()).into_owned())));
    Line::from(spans)
}

fn rescan_progress<'a>(cx: &Context<'_>, rescan: &Rescan, room: usize) -> Line<'a> {
    let share = share(rescan.progress.entries.min(rescan.expected), rescan.expected);
    working(cx, Some(share), &[rescan_text(cx, rescan)], room)
}

fn exclusive_progress<'a>(
    cx: &Context<'_>,
    top: Top<'_, '_>,
    progress: &ExclusiveProgress,
    room: usize,
) -> Line<'a> {
    let command = Command::Show(Column::Frees);
    let page = cx.views.page.as_ref().filter(|_| top.layer.is_none());
    let works = page.is_none_or(|page| is_of_table(page.table, command));
    let stops = if works { cx.keymap.hint(command, top.scope, STOPS) } else { String::new() };
    let text = format!("{}{stops}", progress.text());
    working(cx, progress.share(), &[text], room)
}

fn progress<'a>(cx: &Context<'_>, room: usize) -> Line<'a> {
    let theme = cx.theme;
    let tick = &cx.scan.last;
    let spinner = cx.spinner();
    let errors = match tick.progress.errors {
        0 => String::new(),
        errors => format!(" {} {}", theme.glyphs.dot(), errors_text(errors)),
    };
    let bar = bar(cx, cx.scan.percent().map(|percent| u16::from(percent) * 10), room);
    let texts = scan_texts(cx);
    let bar_width: usize = bar.iter().map(Span::width).sum();
    let fits = |text: &&String| width(text) + width(&errors) + bar_width + 4 <= room;
    let text = texts.iter().find(fits).unwrap_or(&texts[3]);
    let mut spans = vec![Span::styled(format!(" {spinner} "), theme.style(Role::Bar))];
    spans.extend(bar);
    spans.extend([Span::raw(text.clone()), Span::styled(errors, theme.style(Role::Warning))]);
    let left = room.saturating_sub(spans.iter().map(Span::width).sum::<usize>() + 3);
    if let Some(silent) = tick.progress.silent.first() {
        let path = escape_path(silent);
        let path = fit(&path, left.saturating_sub(NOT_RESPONDING.len()), theme.glyphs.gap()).into_owned();
        spans.push(Span::styled(format!("  {path}{NOT_RESPONDING}"), theme.style(Role::Warning)));
    } else if let Some(current) = tick.progress.current.as_deref().filter(|_| left >= 12) {
        let path = escape_path(current);
        let path = fit(&path, left, theme.glyphs.gap()).into_owned();
        spans.push(Span::styled(format!("  {path}"), theme.style(Role::Faint)));
    }
    Line::from(spans)
}

/// Returns the row number of the cursor in the open table view, and a summary of the marks. Until all rows have been
/// found, the text begins with `searching`. Omits parts that do not fit.
pub fn table_position<'a>(cx: &Context<'_>, room: usize) -> Line<'a> {
    let Some(page) = &cx.views.page else { return Line::default() };
    let rows =
        if page.rows == 0 && !page.is_complete { String::new() } else { row_of(page.index, page.rows) };
    let searching = if page.is_complete { String::new() } else { searching_text(cx) };
    // Marks outside the view also count, because commands apply to all marks.
    let dot = cx.theme.glyphs.dot();
    let (marked, mark_count) = match cx.marks().count() {
        0 => (String::new(), String::new()),
        _ => (format!(" {dot} {}", summary(cx)), format!(" {dot} {}", mark_count(cx))),
    };
    let texts = [
        (format!("{searching}{rows}"), marked.clone()),
        (rows.clone(), marked),
        (rows.clone(), mark_count),
        (rows, String::new()),
        (String::new(), String::new()),
    ];
    let fits = |(position, marked): &(String, String)| width(position) + width(marked) < room;
    let (position, marked) = texts.into_iter().find(fits).unwrap_or_default();
    Line::from(vec![Span::raw(position), Span::styled(marked, cx.theme.style(Role::Strong)), Span::raw(" ")])
}

/// Returns facts about the list, such as the row number, the filter, the marks and the scan's result. Omits facts for
/// which there is no room beside the key hints.
fn list_facts<'a>(cx: &Context<'_>, top: Top<'_, '_>, room: usize) -> Line<'a> {
    let (window, most) = (&cx.window, room - first_hint(cx, top, room));
    let left = room.saturating_sub(width_of_first(cx, top, KEPT));
    let spare = room.saturating_sub(width_of_first(cx, top, usize::MAX));
    // The last element of each fact is a maximum width. If the fact would make the line wider, the fact is omitted.
    let mut facts = Vec::new();
    let beside_keys = room.saturating_sub(width_of_first(cx, top, KEPT_BESIDE_ROW));
    if !cx.views.is_overview() {
        facts.push((row_of(window.index, window.rows), Role::Plain, beside_keys));
    } else if !overview::shows_all(cx, cx.regions(cx.size).view) {
        let overview = &cx.views.overview;
        facts.push((row_of(overview.index, overview.parts.len()), Role::Plain, beside_keys));
    }
    // The treemap has no columns, so the status line shows the Frees and Shared values of the selected entry.
    if let Some(row) = window.selected().filter(|_| cx.views.is_treemap()) {
        let format = cx.number_format();
        for (column, word) in COLUMNS {
            let number = row.cell(column).text(FACT, format);
            if cx.shown.columns.has(column) && !number.trim().is_empty() {
                facts.push((format!("{word} {}", number.trim()), Role::Strong, left));
            }
        }
    }
    if cx.is_filtered() {
        let shows_all = format!("{FILTERED}{}", cx.key_hint(Command::Back, SHOWS_ALL));
        // The four columns are for the dot before the text, the blanks around the dot, and the blank at the end.
        let used = facts.iter().map(|(text, ..)| width(text)).sum::<usize>() + 4;
        let has_room = used + width(&shows_all) <= most;
        facts.push((if has_room { shows_all } else { FILTERED.to_owned() }, Role::Strong, most));
    }
    if cx.marks().count() > 0 {
        facts.push((summary(cx), Role::Strong, left));
    }
    if window.omitted > 0 {
        facts.push((omitted_text(window.omitted), Role::Strong, left));
    }
    if let errors @ 1.. = window.totals.errors {
        facts.push((errors_text(u64::from(errors)), Role::Warning, left));
    }
    facts.extend(growth_text(cx).map(|text| (text, Role::Plain, spare)));
    match &cx.scan.last.outcome {
        Some(Outcome::Stopped) => {
            facts.push((stopped_text(cx.source_kind).to_owned(), Role::Warning, most));
        }
        Some(Outcome::Panicked(_)) => facts.push((PANICKED.to_owned(), Role::Warning, most)),
        Some(Outcome::Broken(faults)) => {
            let whole = faults.join("; ");
            let text = if width(&whole) + 1 > most { INCOMPLETE.to_owned() } else { whole };
            facts.insert(0, (text, Role::Warning, most));
        }
        Some(Outcome::Complete) | None => {
            facts.push((elapsed_text(cx.source_kind, cx.scan.last.elapsed), Role::Faint, spare));
        }
    }
    let mut spans = Vec::new();
    for (text, role, limit) in facts {
        let dot = if spans.is_empty() { String::new() } else { format!(" {} ", cx.theme.glyphs.dot()) };
        let used: usize = spans.iter().map(Span::width).sum();
        if used + width(&dot) + width(&text) + 1 > limit {
            continue;
        }
        spans.push(Span::styled(dot, cx.theme.style(Role::Faint)));
        spans.push(Span::styled(text, cx.theme.style(role)));
    }
    spans.push(Span::raw(" "));
    Line::from(spans)
}

/// Returns the line that shows the progress of a file operation, such as a deletion.
fn deleting<'a>(cx: &Context<'_>, running: &Running, room: usize) -> Line<'a> {
    let (entries, done) = (running.expected.0, running.report.entries);
    let share = (entries > 0).then(|| share(done.min(entries), entries));
    working(cx, share, &operation_texts(cx, running), room)
}
