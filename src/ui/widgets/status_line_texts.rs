//! Texts of the status line: the progress of scans and operations, and facts about the view.

use std::time::Duration;

use crate::base::format::{counted, duration, grouped, plain_size};
use crate::base::text::escape;
use crate::delete::OperationKind;
use crate::source::SourceKind;
use crate::table::column::Column;
use crate::ui::context::Context;
use crate::ui::deletion_state::Running;
use crate::ui::keys::Command;
use crate::ui::progress::Rescan;
use crate::ui::sentences::frees_text;
use crate::ui::window::totals_size;

/// Word after the key that stops a scan or an operation.
pub const STOPS: &str = "stops";
/// Text after the path of a file system that does not answer.
pub const NOT_RESPONDING: &str = " is not responding";

/// Text shown if a filter is active.
pub const FILTERED: &str = "filtered";
/// Description of the key that clears the filter. The key and this text follow [`FILTERED`].
pub const SHOWS_ALL: &str = "shows all";
/// Columns that the treemap's status line shows for the selected entry, each with the word in front of the value.
pub const COLUMNS: [(Column, &str); 2] = [(Column::Frees, "frees"), (Column::Shared, "shared")];
/// Text shown if a scan ended because of a bug.
pub const PANICKED: &str = "internal error: scan ended early";
/// Text shown if reading a source failed and there is no room for the error messages.
pub const INCOMPLETE: &str = "not everything was read";

/// Returns texts that describe the progress of a scan, without the errors, from the longest to the shortest.
pub fn scan_texts(cx: &Context<'_>) -> [String; 4] {
    let progress = &cx.scan.last.progress;
    let dot = format!(" {} ", cx.theme.glyphs.dot());
    let percent = cx.scan.percent().map_or_else(String::new, |percent| format!("{percent}%{dot}"));
    let entries = format!("{percent}{}", counted(progress.entries, "entry", "entries"));
    let bytes = plain_size(progress.disk, cx.units);
    let rate = if cx.scan.rate == 0 { String::new() } else { format!("{dot}{}/s", grouped(cx.scan.rate)) };
    [
        format!("{entries}{rate}{dot}{bytes}"),
        format!("{entries}{dot}{bytes}"),
        entries,
        format!("{percent}{}", grouped(progress.entries)),
    ]
}

pub fn rescan_text(cx: &Context<'_>, rescan: &Rescan) -> String {
    let entries = counted(rescan.progress.entries, "entry", "entries");
    let name = escape(&rescan.name);
    let stops = cx.key_hint(Command::Interrupt, STOPS);
    format!("rescanning {name} {} {entries}{stops}", cx.theme.glyphs.dot())
}

pub fn export_text(path: &str) -> String {
    format!("writing {path}")
}

/// Returns texts that describe the progress of a file operation, such as a deletion, from the longest to the shortest.
pub fn operation_texts(cx: &Context<'_>, running: &Running) -> [String; 3] {
    let dot = cx.theme.glyphs.dot();
    let operation_verb = operation_verb(running.kind);
    let report = &running.report;
    let (entries, bytes) = running.expected;
    let left = entries.saturating_sub(report.entries);
    // Moving an entry to or from the trash frees no space.
    let frees = !matches!(running.kind, OperationKind::Trash | OperationKind::Restore);
    let bytes = || format!(", {}", plain_size(bytes.saturating_sub(report.freed), cx.units));
    let bytes = if frees { bytes() } else { String::new() };
    let failed = match report.failures.count {
        0 => String::new(),
        count => format!(" {dot} {} failed", grouped(count)),
    };
    let end =
        if running.is_stopping { " (stopping)".to_owned() } else { cx.key_hint(Command::Interrupt, STOPS) };
    [
        format!("{operation_verb} {dot} {}{bytes} left{failed}{end}", counted(left, "entry", "entries")),
        format!("{operation_verb} {dot} {} left{failed}{end}", grouped(left)),
        format!("{operation_verb} {dot} {} left", grouped(left)),
    ]
}

pub fn operation_verb(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Delete | OperationKind::Empty => "deleting",
        OperationKind::Trash => "moving to the trash",
        OperationKind::Restore => "restoring",
        OperationKind::Share => "sharing data on disk",
    }
}

/// Returns the text shown while more rows are being found.
pub fn searching_text(cx: &Context<'_>) -> String {
    format!("searching{} ", cx.theme.glyphs.gap())
}

/// Returns text such as `3 of 212`. `index` is counted from zero, the displayed number from one.
pub fn row_of(index: usize, rows: usize) -> String {
    format!("{} of {}", grouped((index + 1).min(rows) as u64), grouped(rows as u64))
}

/// Returns text such as `212 not shown`. `entries` is the number of entries that the list omits.
pub fn omitted_text(entries: usize) -> String {
    format!("{} not shown", grouped(entries as u64))
}

pub fn errors_text(errors: u64) -> String {
    counted(errors, "error", "errors")
}

pub fn stopped_text(source: SourceKind) -> &'static str {
    if source == SourceKind::Live { "scan stopped" } else { "reading stopped" }
}

/// Returns text such as `scanned in 12 s` for a file system of this machine, or `read in 12 s` for any other source.
pub fn elapsed_text(source: SourceKind, elapsed: Duration) -> String {
    let verb = if source == SourceKind::Live { "scanned" } else { "read" };
    format!("{verb} in {}", duration(elapsed))
}

/// Returns the number and the total size of the marked entries and, if known, the space that deleting them frees.
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
