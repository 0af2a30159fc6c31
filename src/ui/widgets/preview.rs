//! Preview of the row under the cursor, on the right of a wide window.
//!
//! ```text
//! │ lib/  4.1 GiB · 72,676 items
//! │ changed 2026-11-22 · root:root 0755
//! │ types ████████████▓▓▓▓▓▓▒▒▒░░
//! │       ■ program 52%  ■ code 23%  ■ archive 12%
//! │ age   ███▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒░░░░░
//! │ gcc/        1.2 GiB  llvm-14/      355 MiB
//! ```
//!
//! For a directory, the preview shows types, ages and a treemap. For other entries, it shows the metadata and,
//! if the entry is a text file, the first lines. For a row that combines several files, it shows the largest files.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::map::Painter;
use super::overview::row_line;
use super::strip::{self, StripPart};
use crate::analysis::overview::Breakdown;
use crate::analysis::survey::Age;
use crate::base::calendar::date;
use crate::base::format::{counted, percent, plain_size, share};
use crate::base::os_error::OsError;
use crate::base::sort::sort_by_key;
use crate::base::text::{beginning, escape, fit, printable, width, wrap};
use crate::scan::head::FileHead;
use crate::scan::inspect::Inspection;
use crate::tree::{DirId, EntryId, EntryState};
use crate::ui::cells::tiles_area;
use crate::ui::context::Context;
use crate::ui::context::beside_edge;
use crate::ui::layers::info::lines;
use crate::ui::list_texts::{EMPTY_DIRECTORY, ENDED_EARLY, NO_MATCHES};
use crate::ui::map_colors::MapColors;
use crate::ui::preview::Previewed;
use crate::ui::theme::Role;
use crate::ui::views::{TableContext, TableData};
use crate::ui::window::totals_size;

/// Width in columns of the label to the left of a strip (see the module `strip`).
const LABEL: u16 = 6;

/// Labels of the strips for the types and the ages of files.
const STRIPS: [&str; 2] = ["types", "age"];
/// Text shown if the search for the files of a row finds nothing.
const NO_FILES: &str = "No files";

/// Returns the title of the preview of a row that combines several files.
fn files_title(label: &str) -> String {
    format!("{label}, largest first")
}

fn items_text(items: u64) -> String {
    counted(items, "item", "items")
}

/// Returns the text that says when a directory was last changed.
fn changed_text(date: &str) -> String {
    format!("changed {date}")
}

/// Returns text that explains why a directory has no items.
fn empty_text(cx: &Context<'_>, directory: DirId) -> &'static str {
    match cx.tree.listing(directory).is_empty() {
        true if cx.tree.status(directory).partial => ENDED_EARLY,
        true => EMPTY_DIRECTORY,
        false if cx.is_filtered() => NO_MATCHES[0],
        false => "Only excluded entries",
    }
}

/// Returns the text shown in place of the first lines of a file; `None` for a text file.
fn head_text(head: &FileHead) -> Option<String> {
    match head {
        FileHead::Text(_) => None,
        FileHead::Empty => Some("Empty file".to_owned()),
        FileHead::Binary => Some("Binary file".to_owned()),
        FileHead::Elsewhere => Some("Contents not read: network or virtual file system".to_owned()),
        FileHead::Failed(errno) => Some(OsError(*errno).to_string()),
    }
}

/// Draws the line between the view and a pane.
pub fn draw_edge(cx: &Context<'_>, pane: Rect, buffer: &mut Buffer) {
    let edge = if cx.theme.has_half_blocks() { "│" } else { "|" };
    for y in pane.y..pane.bottom() {
        buffer.set_stringn(pane.x, y, edge, 1, cx.theme.style(Role::Faint));
    }
}

pub fn draw(cx: &Context<'_>, pane: Rect, buffer: &mut Buffer) {
    let area = beside_edge(pane);
    match &cx.views.preview.subject {
        Some(Previewed::Entry(entry, Some(directory))) => {
            draw_directory(cx, *entry, *directory, area, buffer);
        }
        Some(Previewed::Entry(entry, None)) => draw_entry(cx, *entry, area, buffer),
        Some(Previewed::Files { label, .. }) => draw_files(cx, label, area, buffer),
        None => draw_row(cx, area, buffer),
    }
}

/// Draws the label of a row that combines several files, and below it the largest of these files.
fn draw_files(cx: &Context<'_>, label: &str, mut area: Rect, buffer: &mut Buffer) {
    let room = usize::from(area.width);
    let title = fit(&files_title(label), room, cx.theme.glyphs.gap()).into_owned();
    put(buffer, take(&mut area, 1), &Line::styled(title, cx.theme.style(Role::Strong)));
    let Some(found) = cx.views.preview.files.value() else { return };
    let context = TableContext { tree: cx.tree, from: cx.location.id, measure: cx.order.measure };
    let [whole, full] = [&found.sum, &found.largest].map(|totals| totals_size(totals, cx.order.measure));
    if found.rows.is_empty() && found.complete {
        put(buffer, take(&mut area, 1), &note(cx, NO_FILES));
    }
    for index in 0..usize::from(area.height) {
        let Some(mut row) = found.row(index, &context) else { return };
        row.add_shares(whole, full);
        put(buffer, take(&mut area, 1), &row_line(cx, &row, Role::Bar, room));
    }
}

/// Draws the label and the note of a row that does not stand for a single entry, such as a group.
fn draw_row(cx: &Context<'_>, mut area: Rect, buffer: &mut Buffer) {
    let row = cx.views.page.as_ref().and_then(|page| page.lines.get(page.index.checked_sub(page.offset)?));
    let Some(row) = row else { return };
    let room = usize::from(area.width);
    // In a view whose rows form a tree, labels are indented. The preview shows the label without indentation.
    let label = fit(row.label.trim_start(), room, cx.theme.glyphs.gap()).into_owned();
    put(buffer, take(&mut area, 1), &Line::styled(label, cx.theme.style(Role::Strong)));
    for line in row.note.iter().flat_map(|note| note.text.split("; ")).flat_map(|clause| wrap(clause, room)) {
        put(buffer, take(&mut area, 1), &Line::styled(line, cx.theme.style(Role::Faint)));
    }
}

/// Removes `lines` lines from the top of `area` and returns their area.
fn take(area: &mut Rect, lines: u16) -> Rect {
    let lines = lines.min(area.height);
    let taken = Rect { height: lines, ..*area };
    (area.y, area.height) = (area.y + lines, area.height - lines);
    taken
}

fn draw_directory(cx: &Context<'_>, entry: EntryId, directory: DirId, mut area: Rect, buffer: &mut Buffer) {
    let theme = cx.theme;
    let totals = cx.sizes().totals(cx.tree, directory);
    let record = entry.record(cx.tree);
    let metadata = match record.map(|record| record.state) {
        Some(EntryState::Known(metadata)) => Some(metadata),
        _ => None,
    };
    let changed = metadata.map(|metadata| changed_text(&date(metadata.mtime, &cx.zone)));
    let inspection = cx.views.preview.info.as_ref().and_then(|info| info.inspection.value());
    let owner = inspection.and_then(|found| owner_text(found)).or_else(|| {
        let owner = metadata?.owner?;
        Some(format!("{}:{} {:04o}", owner.uid, owner.gid, owner.mode & 0o7777))
    });
    let dot = format!(" {} ", theme.glyphs.dot());
    let bytes = totals_size(&totals, cx.order.measure);
    let precision = cx.sizes().precision(cx.tree, directory, bytes);
    let size = theme.glyphs.precision(precision).to_owned() + &plain_size(bytes, cx.units);
    let facts = format!("  {size}{dot}{}", items_text(totals.items));
    let room = usize::from(area.width).saturating_sub(width(&facts));
    let mut name = escape(record.map_or(b"", |record| record.name)).into_owned();
    if !name.ends_with('/') {
        name.push('/');
    }
    let title = Line::from(vec![
        Span::styled(fit(&name, room, theme.glyphs.gap()).into_owned(), theme.style(Role::Directory)),
        Span::styled(facts, theme.style(Role::Faint)),
    ]);
    put(buffer, take(&mut area, 1), &title);
    let facts = changed.into_iter().chain(owner).collect::<Vec<_>>().join(&dot);
    put(buffer, take(&mut area, 1), &Line::styled(facts, theme.style(Role::Faint)));
    let status = cx.tree.status(directory);
    let has_nothing = totals.items == 0 && status.is_complete();
    let text = status
        .errno
        .map(|errno| OsError(errno).to_string())
        .or_else(|| has_nothing.then(|| empty_text(cx, directory).to_owned()));
    if let Some(text) = text {
        put(buffer, take(&mut area, 1), &note(cx, &text));
    }
    if has_nothing {
        return;
    }
    if let Some(found) = cx.views.preview.breakdown.value() {
        // While the scan is reading the directory, a sign shows that the shares cover only the files found so far.
        let is_growing = !status.is_complete();
        let sign = if is_growing { theme.glyphs.growing() } else { "" };
        for (label, parts) in STRIPS.into_iter().zip([types(cx, found), ages(cx, found)]) {
            draw_strip(cx, (label, sign), &parts, take(&mut area, 2), buffer);
        }
    } else {
        take(&mut area, 4);
    }
    take(&mut area, 1);
    if let Some(level) = cx.views.preview.map.value().filter(|_| area.height > 2) {
        let mut painter = Painter::new(cx, MapColors::Type, area);
        painter.level(level, tiles_area(area, theme));
        painter.draw(buffer);
    }
}

/// Returns owner, group and permission bits, such as `root:root 0755`, if the system has reported them.
fn owner_text(found: &Inspection) -> Option<String> {
    let attributes = &found.probe.as_ref()?.as_ref().ok()?.attributes;
    let name = |name: &Option<String>, number: u32| {
        name.as_ref().map_or_else(|| number.to_string(), |name| escape(name.as_bytes()).into_owned())
    };
    let (owner, group) = (name(&found.owner, attributes.uid), name(&found.group, attributes.gid));
    Some(format!("{owner}:{group} {:04o}", attributes.mode & 0o7777))
}

/// Returns the categories of the files in a directory as parts of a strip, largest first. Categories that share a color
/// role form one part, which has the name of the role.
fn types(cx: &Context<'_>, found: &Breakdown) -> Vec<StripPart> {
    let mut parts: Vec<StripPart> = Vec::new();
    for (class, totals) in &found.types.classes {
        let (role, bytes) = (Role::of(*class), totals_size(totals, cx.order.measure));
        match parts.iter_mut().find(|part| part.role == role) {
            _ if bytes == 0 => {}
            Some(part) => {
                part.bytes = part.bytes.saturating_add(bytes);
                role.name().clone_into(&mut part.name);
            }
            None => parts.push(StripPart { name: class.name().replace('-', " "), bytes, role }),
        }
    }
    sort_by_key(&mut parts, |part| std::cmp::Reverse(part.bytes));
    parts
}

fn ages(cx: &Context<'_>, found: &Breakdown) -> Vec<StripPart> {
    let rows = Age::ALL.into_iter().zip(&found.ages.rows).zip(MapColors::Age.legend());
    let part = |((_, totals), (role, _, name)): ((Age, _), &(Role, char, &str))| StripPart {
        name: (*name).to_owned(),
        bytes: totals_size(totals, cx.order.measure),
        role: *role,
    };
    rows.map(part).collect()
}

/// Draws a strip and its legend. `sign` is shown before each percentage in the legend.
fn draw_strip(
    cx: &Context<'_>,
    (label, sign): (&str, &str),
    parts: &[StripPart],
    area: Rect,
    buffer: &mut Buffer,
) {
    if area.height < 2 {
        return;
    }
    buffer.set_stringn(area.x, area.y, label, usize::from(LABEL), cx.theme.style(Role::Faint));
    let strip = Rect { x: area.x + LABEL, width: area.width.saturating_sub(LABEL), ..area };
    let text = |bytes, whole| format!("{sign}{}", percent(share(bytes, whole)).trim_start());
    strip::draw(cx, parts, strip, text, buffer);
}

fn draw_entry(cx: &Context<'_>, entry: EntryId, mut area: Rect, buffer: &mut Buffer) {
    let name = entry.name(cx.tree).unwrap_or_default();
    let title = fit(&escape(name), usize::from(area.width), cx.theme.glyphs.gap()).into_owned();
    put(buffer, take(&mut area, 1), &Line::styled(title, cx.theme.style(Role::Strong)));
    if let Some(info) = &cx.views.preview.info {
        for line in lines(cx, info, usize::from(area.width)) {
            put(buffer, take(&mut area, 1), &line);
        }
    }
    take(&mut area, 1);
    let Some(head) = cx.views.preview.head.value() else { return };
    if let FileHead::Text(bytes) = &**head {
        for line in String::from_utf8_lossy(bytes).lines() {
            let line = printable(line.replace('\t', "    ").as_bytes()).into_owned();
            let line = beginning(&line, usize::from(area.width), cx.theme.glyphs.gap()).into_owned();
            put(buffer, take(&mut area, 1), &Line::raw(line));
        }
    }
    if let Some(text) = head_text(head) {
        put(buffer, take(&mut area, 1), &note(cx, &text));
    }
}

/// Returns a line with a short note, such as `Empty file` or an error message.
fn note(cx: &Context<'_>, text: &str) -> Line<'static> {
    Line::styled(text.to_owned(), cx.theme.style(Role::Faint).add_modifier(Modifier::ITALIC))
}

fn put(buffer: &mut Buffer, area: Rect, line: &Line<'_>) {
    if !area.is_empty() {
        buffer.set_line(area.x, area.y, line, area.width);
    }
}
