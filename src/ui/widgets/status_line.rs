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
use super::tabs::growth_text;
use crate::base::format::{counted, duration, grouped, plain_size, share};
use crate::base::text::{escape, escape_path, fit, width};
use crate::delete::OperationKind;
use crate::exclusive::ExclusiveProgress;
use crate::scan::Outcome;
use crate::source::SourceKind;
use crate::table::column::Column;
use crate::ui::context::Context;
use crate::ui::deletion_state::Running;
use crate::ui::hit_map::{Canvas, Hit, HitMap};
use crate::ui::keys::{Command, Scope};
use crate::ui::progress::Rescan;
use crate::ui::sentences::frees_text;
use crate::ui::table_page::is_of_table;
use crate::ui::theme::Role;
use crate::ui::window::totals_size;

/// Minimum width of the status line at which the first key hint is always shown.
const NARROW: usize = 20;
/// Minimum width of the status line for a progress bar.
const WIDE: usize = 60;
/// Width of the progress bar in cells.
const BAR: usize = 12;
/// Width that is enough for a size written as an exact number of bytes.
const FACT: usize = 20;
/// Number of key hints that stay visible beside most texts on the right. The row number (see [`KEPT_BESIDE_ROW`]) and
/// texts about the filter or an incomplete scan may leave room for fewer hints.
const KEPT: usize = 4;
/// Number of key hints that the row number in the list, the treemap or the overview does not displace.
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
        Some(working(cx, Some(cx.written_share()), &[format!("writing {}", order.shown())], room))
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

/// Returns text such as `3 of 212`. `index` is counted from zero, the displayed number from one.
fn row_of(index: usize, rows: usize) -> String {
    format!("{} of {}", grouped((index + 1).min(rows) as u64), grouped(rows as u64))
}

/// Makes the key hints, which begin at column `x`, clickable.
fn add_hits(cx: &Context<'_>, top: Top<'_, '_>, room: usize, mut x: u16, area: Rect, hits: &mut HitMap) {
    for hint in fitting(cx, top, room) {
        let width = u16::try_from(hint.width()).unwrap_or(u16::MAX);
        hits.add(Rect { x, width, ..area }.intersection(area), Hit::Key(hint.key));
        x = x.saturating_add(width);
    }
}

/// Returns a bar for a share in thousandths, followed by a blank. Returns nothing if the share is unknown or the line
/// is short.
fn bar<'a>(cx: &Context<'_>, share: Option<u16>, room: usize) -> Vec<Span<'a>> {
    let Some(share) = share.filter(|_| room >= WIDE) else { return Vec::new() };
    let mut bar = cx.theme.bar(share, BAR);
    bar.push(Span::raw(" "));
    bar
}

/// Returns a spinner, the bar for `share` (see [`bar`]), and the first text that fits. If no text fits, the last one
/// is shortened.
fn working<'a>(cx: &Context<'_>, share: Option<u16>, texts: &[String], room: usize) -> Line<'a> {
    let mut spans = vec![Span::styled(format!(" {} ", cx.spinner()), cx.theme.style(Role::Bar))];
    spans.extend(bar(cx, share, room));
    let room = room.saturating_sub(spans.iter().map(Span::width).sum::<usize>() + 1);
    let text = texts.iter().find(|text| width(text) <= room).or(texts.last());
    spans.extend(text.map(|text| Span::raw(fit(text, room, cx.theme.glyphs.gap()).into_owned())));
    Line::from(spans)
}

fn rescan_progress<'a>(cx: &Context<'_>, rescan: &Rescan, room: usize) -> Line<'a> {
    let entries = counted(rescan.progress.entries, "entry", "entries");
    let name = escape(&rescan.name).into_owned();
    let stops = cx.key_hint(Command::Interrupt, "stops");
    let text = format!("rescanning {name} {} {entries}{stops}", cx.theme.glyphs.dot());
    working(cx, Some(share(rescan.progress.entries.min(rescan.expected), rescan.expected)), &[text], room)
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
    let stops = if works { cx.keymap.hint(command, top.scope, "stops") } else { String::new() };
    let text = format!("{}{stops}", progress.text());
    working(cx, progress.share(), &[text], room)
}

fn progress<'a>(cx: &Context<'_>, room: usize) -> Line<'a> {
    let theme = cx.theme;
    let tick = &cx.scan.last;
    let spinner = cx.spinner();
    let dot = format!(" {} ", theme.glyphs.dot());
    let errors = match tick.progress.errors {
        0 => String::new(),
        errors => format!("{dot}{}", counted(errors, "error", "errors")),
    };
    let percent = cx.scan.percent();
    let bar = bar(cx, percent.map(|percent| u16::from(percent) * 10), room);
    let percent = percent.map_or_else(String::new, |percent| format!("{percent}%{dot}"));
    let entries = format!("{percent}{}", counted(tick.progress.entries, "entry", "entries"));
    let bytes = plain_size(tick.progress.disk, cx.units);
    let rate = if cx.scan.rate == 0 { String::new() } else { format!("{dot}{}/s", grouped(cx.scan.rate)) };
    let texts = [
        format!("{entries}{rate}{dot}{bytes}"),
        format!("{entries}{dot}{bytes}"),
        entries,
        format!("{percent}{}", grouped(tick.progress.entries)),
    ];
    let bar_width: usize = bar.iter().map(Span::width).sum();
    let fits = |text: &&String| width(text) + width(&errors) + bar_width + 4 <= room;
    let text = texts.iter().find(fits).unwrap_or(&texts[3]);
    let mut spans = vec![Span::styled(format!(" {spinner} "), theme.style(Role::Bar))];
    spans.extend(bar);
    spans.extend([Span::raw(text.clone()), Span::styled(errors, theme.style(Role::Warning))]);
    let left = room.saturating_sub(spans.iter().map(Span::width).sum::<usize>() + 3);
    if let Some(silent) = tick.progress.silent.first() {
        const WORDS: &str = " is not responding";
        let path = escape_path(silent);
        let path = fit(&path, left.saturating_sub(WORDS.len()), theme.glyphs.gap()).into_owned();
        spans.push(Span::styled(format!("  {path}{WORDS}"), theme.style(Role::Warning)));
    } else if let Some(current) = tick.progress.current.as_deref().filter(|_| left >= 12) {
        let path = escape_path(current);
        let path = fit(&path, left, theme.glyphs.gap()).into_owned();
        spans.push(Span::styled(format!("  {path}"), theme.style(Role::Faint)));
    }
    Line::from(spans)
}

/// Returns the text shown while more rows are being found.
pub fn searching_text(cx: &Context<'_>) -> String {
    format!("searching{} ", cx.theme.glyphs.gap())
}

/// Returns the row number of the cursor in the open table view, and a summary of the marks. `searching` precedes them
/// until all rows have been found. Omits parts that do not fit.
pub fn table_position<'a>(cx: &Context<'_>, room: usize) -> Line<'a> {
    let Some(page) = &cx.views.page else { return Line::default() };
    let rows =
        if page.rows == 0 && !page.is_complete { String::new() } else { row_of(page.index, page.rows) };
    let searching_text = if page.is_complete { String::new() } else { searching_text(cx) };
    // Marks outside the view are counted, too, because commands apply to all marks.
    let dot = cx.theme.glyphs.dot();
    let (marked, mark_count) = match cx.marks().count() {
        0 => (String::new(), String::new()),
        _ => (format!(" {dot} {}", summary(cx)), format!(" {dot} {}", mark_count(cx))),
    };
    let texts = [
        (format!("{searching_text}{rows}"), marked.clone()),
        (rows.clone(), marked),
        (rows.clone(), mark_count),
        (rows, String::new()),
        (String::new(), String::new()),
    ];
    let fits = |(position, marked): &(String, String)| width(position) + width(marked) < room;
    let (position, marked) = texts.into_iter().find(fits).unwrap_or_default();
    Line::from(vec![Span::raw(position), Span::styled(marked, cx.theme.style(Role::Strong)), Span::raw(" ")])
}

/// Returns the facts about the list, such as the row number, the filter, the marks and the scan's result. Omits facts
/// that do not fit.
fn list_facts<'a>(cx: &Context<'_>, top: Top<'_, '_>, room: usize) -> Line<'a> {
    let (window, most) = (&cx.window, room - first_hint(cx, top, room));
    let left = room.saturating_sub(width_of_first(cx, top, KEPT));
    let spare = room.saturating_sub(width_of_first(cx, top, usize::MAX));
    // The last element of each fact is a width. A fact is shown only if it fits into this width together with the
    // facts shown before it.
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
        for (column, word) in [(Column::Frees, "frees"), (Column::Shared, "shared")] {
            let number = row.cell(column).text(FACT, format);
            if cx.shown.columns.has(column) && !number.trim().is_empty() {
                facts.push((format!("{word} {}", number.trim()), Role::Strong, left));
            }
        }
    }
    if cx.is_filtered() {
        let clears = cx.keymap.first(Command::Back, Scope::List).map(|key| format!(" ({key} shows all)"));
        let clears = clears.filter(|clears| {
            facts.iter().map(|(text, ..)| width(text)).sum::<usize>() + width(clears) + width(" · filtered ")
                <= most
        });
        facts.push((format!("filtered{}", clears.unwrap_or_default()), Role::Strong, most));
    }
    if cx.marks().count() > 0 {
        facts.push((summary(cx), Role::Strong, left));
    }
    if window.omitted > 0 {
        facts.push((format!("{} hidden", grouped(window.omitted as u64)), Role::Strong, left));
    }
    if let errors @ 1.. = window.totals.errors {
        facts.push((counted(u64::from(errors), "error", "errors"), Role::Warning, left));
    }
    facts.extend(growth_text(cx).map(|text| (text, Role::Plain, spare)));
    match &cx.scan.last.outcome {
        Some(Outcome::Stopped) => {
            let stopped = if cx.source_kind == SourceKind::Live { "scan stopped" } else { "reading stopped" };
            facts.push((stopped.to_owned(), Role::Warning, most));
        }
        Some(Outcome::Panicked(_)) => {
            facts.push(("internal error: scan ended early".to_owned(), Role::Warning, most));
        }
        Some(Outcome::Broken(faults)) => {
            let (whole, short) = (faults.join("; "), "not everything was read".to_owned());
            let text = if width(&whole) + 1 > most { short } else { whole };
            facts.insert(0, (text, Role::Warning, most));
        }
        Some(Outcome::Complete) | None => {
            let verb = if cx.source_kind == SourceKind::Live { "scanned" } else { "read" };
            let text = format!("{verb} in {}", duration(cx.scan.last.elapsed));
            facts.push((text, Role::Faint, spare));
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

pub fn operation_verb(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Delete | OperationKind::Empty => "deleting",
        OperationKind::Trash => "moving to the trash",
        OperationKind::Restore => "restoring",
        OperationKind::Share => "sharing data on disk",
    }
}

/// Returns the line that shows the progress of a file operation, such as a deletion.
fn deleting<'a>(cx: &Context<'_>, running: &Running, room: usize) -> Line<'a> {
    let dot = cx.theme.glyphs.dot();
    let operation_verb = operation_verb(running.kind);
    let report = &running.report;
    let (entries, bytes) = running.expected;
    let left = entries.saturating_sub(report.entries);
    // Moving an entry to or from the trash frees no space.
    let frees = !matches!(running.kind, OperationKind::Trash | OperationKind::Restore);
    let bytes = || format!(", {}", plain_size(bytes.saturating_sub(report.freed), cx.units));
    let bytes = if frees { bytes() } else { String::new() };
    let stay = match report.failures.count {
        0 => String::new(),
        count => format!(" {dot} {} failed", grouped(count)),
    };
    let end =
        if running.is_stopping { " (stopping)".to_owned() } else { cx.key_hint(Command::Interrupt, "stops") };
    let texts = [
        format!("{operation_verb} {dot} {}{bytes} left{stay}{end}", counted(left, "entry", "entries")),
        format!("{operation_verb} {dot} {} left{stay}{end}", grouped(left)),
        format!("{operation_verb} {dot} {} left", grouped(left)),
    ];
    let share = (entries > 0).then(|| share(report.entries.min(entries), entries));
    working(cx, share, &texts, room)
}

pub fn summary(cx: &Context<'_>) -> String {
    let marks = cx.marks();
    let size = plain_size(totals_size(&marks.totals(), cx.order.measure), cx.units);
    let mut directories = marks.all().filter_map(|(_, mark)| mark.directory);
    let is_growing = cx.is_scanning() && directories.any(|id| cx.tree.is_preliminary(id));
    let sign = if is_growing { cx.theme.glyphs.growing() } else { "" };
    let dot = cx.theme.glyphs.dot();
    let frees = cx.marks_exclusive().map(|exclusive| format!(", {}", frees_text(exclusive, cx.units)));
    format!("{} {dot} {sign}{size}{}", mark_count(cx), frees.unwrap_or_default())
}

pub fn mark_count(cx: &Context<'_>) -> String {
    format!("{} marked", grouped(cx.marks().count()))
}
