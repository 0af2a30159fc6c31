//! Drawing of the deletion dialog: the entries, the preview, and the buttons.
//!
//! ```text
//! ┌ Delete permanently? ─────────────────────────────────┐
//! │ /home/me/project/target                      1.2 GiB │
//! │ 12,345 files, 678 directories                        │
//! │ frees at least 1.2 GiB, up to 1.9 GiB                │
//! │ last change 3 hours ago                              │
//! │ 2 mount points below are skipped                     │
//! │ e deletes the contents only                          │
//! │                                                      │
//! │                  [ Yes ]   [ No ]                    │
//! └──────────────────────────────────────────────────────┘
//! ```
//!
//! Lines appear as the preview proceeds. The Yes button has brackets only while a Yes is accepted
//! ([`crate::ui::answer_gate`]). On a small screen, the least important lines are omitted, but never the
//! buttons.
//!
//! Invariant: a name never occupies more than one line.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph, Widget};

use super::{ConfirmStep, DeleteDialog};
use crate::base::format::{counted, grouped, plain_size};
use crate::base::sort::sort_by_key;
use crate::base::text::{escape, fit, width};
use crate::delete::{CHANGED, DeleteWarning, Kept, OperationKind, Preview};
use crate::ui::context::Context;
use crate::ui::hit_map::{Button, Canvas};
use crate::ui::keys::{Command, Scope};
use crate::ui::layers::dialog::{BUTTONS, bordered, draw_button, side_by_side};
use crate::ui::sentences::frees_text;
use crate::ui::theme::Role;
use crate::ui::widgets::field;

/// Maximum width of the dialog in columns.
const WIDEST: u16 = 76;
/// Minimum width, in columns, of a line that shows the size beside the path.
const NARROW: usize = 30;
/// Number of blank columns on either side of the dialog.
const MARGIN: u16 = 2;
/// Maximum number of items that are listed by name.
const NAMED: usize = 4;

/// Line of the dialog. If there is little room, lines with high ranks are omitted first.
struct Fact {
    rank: u8,
    left: String,
    right: String,
    role: Role,
}

impl Fact {
    fn new(rank: u8, left: String, role: Role) -> Self {
        Self { rank, left, right: String::new(), role }
    }
}

struct Plan<'a> {
    place: Rect,
    is_framed: bool,
    lines: Vec<Line<'a>>,
    buttons: Vec<(Button, Rect)>,
}

fn plan<'a>(cx: &Context<'_>, dialog: &DeleteDialog, area: Rect) -> Plan<'a> {
    let is_framed = area.width >= 16 && area.height >= 5;
    let frame = u16::from(is_framed) * 2;
    let inner = usize::from(area.width.min(WIDEST) - frame.min(area.width));
    // The buttons need one line. Without a frame, the title needs another line.
    let room = usize::from((area.height - frame).saturating_sub(2 - frame / 2));
    let mut metadata = metadata(cx, dialog);
    while metadata.len() > room {
        let least = metadata.iter().map(|fact| fact.rank).max();
        if let Some(index) = metadata.iter().rposition(|fact| Some(fact.rank) == least) {
            metadata.remove(index);
        }
    }
    let mut lines: Vec<Line<'a>> = metadata.iter().map(|fact| line(cx, fact, inner)).collect();
    if is_framed && lines.len() < room {
        lines.push(Line::default());
    }
    lines.push(answer(cx, dialog, inner));
    if !is_framed && usize::from(area.height) > lines.len() {
        lines.insert(0, Line::styled(title(dialog), cx.theme.style(Role::Strong)));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(frame).min(area.height);
    let width = area.width.min(WIDEST);
    let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
    let place = Rect { x, y, width, height };
    let last = Rect { y: place.bottom().saturating_sub(1 + frame / 2), height: 1, ..place };
    Plan { place, is_framed, lines, buttons: buttons(dialog, last.intersection(place)) }
}

/// Returns the buttons on the last line: none while the user types a name, and only No if the deletion is
/// refused.
fn buttons(dialog: &DeleteDialog, line: Rect) -> Vec<(Button, Rect)> {
    let [yes, no] = BUTTONS;
    let placed = |((button, ..), place): ((Button, &str, u16), Rect)| (button, place);
    match dialog.stage {
        ConfirmStep::Type(..) => Vec::new(),
        _ if dialog.probe.is_none() || dialog.is_open() => {
            BUTTONS.into_iter().zip(side_by_side([yes, no], line)).map(placed).collect()
        }
        _ => [no].into_iter().zip(side_by_side([no], line)).map(placed).collect(),
    }
}

impl DeleteDialog {
    pub fn draw_in(&self, cx: &Context<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        canvas.hits.clear();
        if area.is_empty() {
            return;
        }
        let Plan { place, is_framed, lines, buttons } = plan(cx, self, area);
        // Clear a margin on both sides, because a narrow strip of the view beside the frame would look like part of the
        // dialog.
        let left = place.x.saturating_sub(MARGIN).max(area.x);
        let right = place.right().saturating_add(MARGIN).min(area.right());
        Clear.render(Rect { x: left, width: right - left, ..place }, canvas.buffer);
        if let (ConfirmStep::Type(..), Some(line), true) = (&self.stage, lines.last(), self.gate.was_open()) {
            let frame = u16::from(is_framed);
            let last = Rect { x: place.x + frame, y: place.bottom() - 1 - frame, height: 1, ..place };
            field::record_caret(&line.spans, last.intersection(place), canvas);
        }
        let text = Paragraph::new(lines);
        if is_framed {
            let inner = usize::from(place.width.saturating_sub(2));
            let title = fit(title(self), inner.saturating_sub(2), cx.theme.glyphs.gap()).into_owned();
            let title = Span::styled(format!(" {title} "), cx.theme.style(Role::Strong));
            text.block(bordered(cx.theme).title(title)).render(place, canvas.buffer);
        } else {
            text.render(place, canvas.buffer);
        }
        for button in buttons {
            draw_button(cx.theme, button, self.button, &self.gate, canvas);
        }
    }
}

fn title(dialog: &DeleteDialog) -> &'static str {
    if matches!(dialog.stage, ConfirmStep::AskAgain) {
        return match dialog.kind {
            OperationKind::Trash => "Move another user's directory?",
            _ => "Delete another user's directory?",
        };
    }
    match (dialog.is_rehearsal, dialog.kind) {
        (true, OperationKind::Trash) => "Dry run: moves nothing to the trash",
        (true, _) => "Dry run: deletes nothing",
        (false, OperationKind::Trash) => "Move to the trash?",
        (false, OperationKind::Empty) => "Delete the contents only?",
        (false, _) => "Delete permanently?",
    }
}

fn line<'a>(cx: &Context<'_>, fact: &Fact, room: usize) -> Line<'a> {
    let gap = cx.theme.glyphs.gap();
    let right = if room < NARROW { "" } else { &fact.right };
    let right = fit(right, room / 2, gap).into_owned();
    let left = room.saturating_sub(width(&right) + 1 + 2 * usize::from(!right.is_empty()));
    let text = fit(&fact.left, left, gap).into_owned();
    let fill = room.saturating_sub(1 + width(&text) + width(&right)) * usize::from(!right.is_empty());
    let fill = fill.saturating_sub(1);
    Line::styled(format!(" {text}{}{right}", " ".repeat(fill)), cx.theme.style(fact.role))
}

/// Returns the last line: the text field for the name, or an empty line for the buttons.
fn answer<'a>(cx: &Context<'_>, dialog: &DeleteDialog, room: usize) -> Line<'a> {
    match &dialog.stage {
        // Letters are accepted once the user has had time to read the name. Until then, there is no field for them.
        ConfirmStep::Type(..) if !dialog.gate.was_open() => {
            Line::styled(format!("   wait{}", cx.theme.glyphs.gap()), cx.theme.style(Role::Faint))
        }
        ConfirmStep::Type(_, typed) => {
            Line::from(field::spans(cx.theme, " > ", typed, room.saturating_sub(2)))
        }
        // The buttons are drawn on this line later.
        ConfirmStep::Ask | ConfirmStep::AskAgain => Line::default(),
    }
}

fn metadata(cx: &Context<'_>, dialog: &DeleteDialog) -> Vec<Fact> {
    let mut metadata = Vec::new();
    let probe = dialog.probe.as_deref();
    if let ConfirmStep::Type(wanted, _) = &dialog.stage {
        metadata.push(Fact::new(1, "Type this name, then press Enter:".to_owned(), Role::Plain));
        metadata.push(Fact::new(0, wanted.clone(), Role::Strong));
    }
    if let Some(probe) = probe {
        metadata.extend(refusals(cx, dialog, probe));
        metadata.extend(
            probe.warnings.iter().map(|concern| Fact::new(1, warning_text(cx, concern), Role::Warning)),
        );
    }
    if let Some(probe) = probe.filter(|probe| !probe.changed.is_empty()) {
        metadata.extend(changed(cx, dialog, probe));
    }
    metadata.extend(items(cx, dialog));
    match probe {
        None => metadata.push(Fact::new(4, format!("Scanning{}", cx.theme.glyphs.gap()), Role::Faint)),
        Some(probe) => metadata.extend(findings(cx, dialog, probe)),
    }
    if cx.is_filtered() && dialog.selection.items().any(|(_, item)| item.directory.is_some()) {
        let text = "May include entries that the filter hides".to_owned();
        metadata.push(Fact::new(3, text, Role::Warning));
    }
    let key = cx.keymap.first(Command::Empty, Scope::Confirm);
    if let Some(key) = key.filter(|_| dialog.can_be_emptied && matches!(dialog.stage, ConfirmStep::Ask)) {
        let does = match dialog.kind {
            OperationKind::Empty => "switches to deleting the directory too",
            _ => "switches to deleting only the contents",
        };
        metadata.push(Fact::new(9, format!("{key} {does}"), Role::Faint));
    }
    metadata
}

fn refusals(cx: &Context<'_>, dialog: &DeleteDialog, probe: &Preview) -> Vec<Fact> {
    let named = probe.refusals.iter().take(NAMED).filter_map(|(number, refusal)| {
        let (group, item) = dialog.selection.items().nth(*number)?;
        let path = cx.shown_path(&group.path_of(item));
        Some(Fact::new(0, format!("{}: {}", refusal.text(), escape(&path)), Role::Warning))
    });
    named.collect()
}

/// Returns the lines about changed entries, which will not be deleted, and about the key that rescans them.
fn changed(cx: &Context<'_>, dialog: &DeleteDialog, probe: &Preview) -> Vec<Fact> {
    let mut metadata: Vec<Fact> = Vec::new();
    for number in probe.changed.iter().take(NAMED) {
        let Some((group, item)) = dialog.selection.items().nth(*number) else { continue };
        let path = cx.shown_path(&group.path_of(item));
        metadata.push(Fact::new(0, format!("{CHANGED}: {}", escape(&path)), Role::Warning));
    }
    let more = probe.changed.len().saturating_sub(NAMED);
    if more > 0 {
        metadata.push(Fact::new(1, format!("{CHANGED}: {} more", grouped(more as u64)), Role::Warning));
    }
    if let Some(key) = cx.keymap.first(Command::Retry, Scope::Confirm) {
        let them = if probe.changed.len() == 1 { "it" } else { "them" };
        metadata.push(Fact::new(0, format!("{key} rescans {them} and asks again"), Role::Plain));
    }
    metadata
}

fn warning_text(cx: &Context<'_>, concern: &DeleteWarning) -> String {
    concern.text(&escape(&cx.shown_path(concern.path())))
}

fn items(cx: &Context<'_>, dialog: &DeleteDialog) -> Vec<Fact> {
    let count = dialog.selection.count();
    let mut items: Vec<_> = dialog.selection.items().collect();
    sort_by_key(&mut items, |(_, item)| std::cmp::Reverse(item.disk));
    let named = if count == NAMED + 1 { count } else { NAMED };
    let mut metadata: Vec<Fact> = items
        .iter()
        .take(named)
        .enumerate()
        .map(|(number, (group, item))| {
            let path = cx.shown_path(&group.path_of(item));
            let slash = if item.directory.is_some() { "/" } else { "" };
            Fact {
                rank: if number == 0 { 2 } else { 8 },
                left: format!("{}{slash}", escape(&path)),
                right: plain_size(item.disk, cx.units),
                role: Role::Strong,
            }
        })
        .collect();
    if count > named {
        let text = format!("and {} more, in total", grouped((count - named) as u64));
        metadata.push(Fact {
            right: plain_size(dialog.selection.disk(), cx.units),
            ..Fact::new(7, text, Role::Plain)
        });
    }
    metadata
}

fn findings(cx: &Context<'_>, dialog: &DeleteDialog, probe: &Preview) -> Vec<Fact> {
    let mut metadata = Vec::new();
    let so_far =
        if probe.is_complete { String::new() } else { format!(", scanning{}", cx.theme.glyphs.gap()) };
    let files = counted(probe.files, "file", "files");
    let directories = counted(probe.directories, "directory", "directories");
    metadata.push(Fact::new(4, format!("{files}, {directories}{so_far}"), Role::Plain));
    let (least, most) = (plain_size(probe.least, cx.units), plain_size(probe.most, cx.units));
    let by_now = if probe.is_complete { "" } else { " so far" };
    let frees = match (dialog.kind, dialog.known_exclusive(probe)) {
        (OperationKind::Trash, _) => "frees no space until the trash is emptied".to_owned(),
        // The result of the search for exclusive sizes takes precedence. That search accounts for copies that
        // are deleted together, whereas the preview considers each file separately.
        (_, Some(exclusive)) => frees_text(exclusive, cx.units),
        _ if probe.least == probe.most => format!("frees {least}{by_now}"),
        _ => format!("frees at least {least}, up to {most}{by_now}"),
    };
    metadata.push(Fact::new(3, frees, Role::Strong));
    if probe.linked > 0 && dialog.kind != OperationKind::Trash {
        let files = counted(
            probe.linked,
            "file with hard links elsewhere frees",
            "files with hard links elsewhere free",
        );
        metadata.push(Fact::new(6, format!("{files} nothing"), Role::Plain));
    }
    if probe.recent > 0 {
        let text = format!("{} changed within the last minute", counted(probe.recent, "entry", "entries"));
        metadata.push(Fact::new(5, text, Role::Warning));
    } else if let Some(newest) = probe.newest {
        metadata.push(Fact::new(7, format!("last change {}", ago(dialog.now, newest)), Role::Plain));
    }
    metadata.extend(staying(dialog, probe));
    metadata
}

/// Returns the lines about entries that will not be deleted, with the reasons.
fn staying(dialog: &DeleteDialog, probe: &Preview) -> Vec<Fact> {
    let mut metadata = Vec::new();
    let mut add = |rank, count: u64, text: &dyn Fn(&str) -> String| {
        if count > 0 {
            metadata.push(Fact::new(rank, text(&grouped(count)), Role::Warning));
        }
    };
    let Kept { mounts, unseen, .. } = probe.kept;
    // Moving a directory to the trash would also move the mounts below it.
    let (one, many) = match dialog.kind {
        OperationKind::Trash => (
            "mount point below: entries that contain it are not moved",
            "mount points below: entries that contain them are not moved",
        ),
        _ => ("mount point below is skipped", "mount points below are skipped"),
    };
    add(4, mounts, &|count| format!("{count} {}", if mounts == 1 { one } else { many }));
    let entries = |count| if count == 1 { "entry" } else { "entries" };
    add(5, unseen, &|count| format!("{count} {} cannot be read", entries(unseen)));
    // A directory is moved to the trash as a whole, so obstacles inside it do not matter. The text about a move to
    // the trash therefore counts only the selected items that cannot be moved.
    let (verb, kept) = match dialog.kind {
        OperationKind::Trash => ("move", probe.unmoved),
        _ => ("delete", probe.kept),
    };
    for (count, why) in [
        (kept.denied, "permission denied"),
        (kept.read_only, "read-only file system"),
        (kept.locked, "immutable or append-only"),
    ] {
        add(3, count, &|number| format!("cannot {verb} {number} {}: {why}", entries(count)));
    }
    metadata
}

/// Formats the time since `then` in the largest suitable unit, for example `3 hours ago`.
fn ago(now: i64, then: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(365 * 86_400, "year"), (86_400, "day"), (3600, "hour"), (60, "minute")];
    let since = now.saturating_sub(then);
    if since < -60 {
        return "in the future".to_owned();
    }
    for (unit, name) in UNITS {
        match since / unit {
            0 => {}
            1 => return format!("1 {name} ago"),
            number if number > 0 => return format!("{number} {name}s ago"),
            _ => {}
        }
    }
    "within the last minute".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_given_in_the_largest_unit() {
        for (since, text) in [
            (0, "within the last minute"),
            (-30, "within the last minute"),
            (-100, "in the future"),
            (60, "1 minute ago"),
            (7199, "1 hour ago"),
            (86_400 * 364, "364 days ago"),
            (i64::MAX, "292471208677 years ago"),
        ] {
            assert_eq!(ago(0, 0_i64.saturating_sub(since)), text);
        }
    }
}
