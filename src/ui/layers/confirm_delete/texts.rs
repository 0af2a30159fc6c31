//! Texts of the deletion dialog: its title, and the lines about the entries and the preview.
//!
//! On a small screen, the least important lines are omitted.

use super::{ConfirmStep, DeleteDialog};
use crate::base::format::{counted, grouped, plain_size};
use crate::base::sort::sort_by_key;
use crate::base::text::escape;
use crate::delete::{OperationKind, Preview};
use crate::ui::context::Context;
use crate::ui::keys::{Command, Scope};
use crate::ui::sentences::frees_text;
use crate::ui::theme::{Glyphs, Role};

/// Maximum number of items that are listed by name.
const NAMED: usize = 4;
/// Rank of lines that only mention a key.
const TIP: u8 = 9;
/// Smallest rank of a minor line. If there is too little room, [`fitting`] omits all minor lines before it omits the
/// name of the largest item.
const MINOR: u8 = 4;

/// Line of the dialog. If there is little room, lines with high ranks are omitted first.
pub(super) struct Fact {
    rank: u8,
    pub left: String,
    pub right: String,
    pub role: Role,
}

impl Fact {
    fn new(rank: u8, left: String, role: Role) -> Self {
        Self { rank, left, right: String::new(), role }
    }
}

/// Returns at most `room` lines. If there are too many lines, takes these steps until the lines fit:
/// 1. Omit the tips.
/// 2. Name fewer items, until only the largest item is named.
/// 3. Omit the lines with a rank of at least [`MINOR`].
/// 4. Show the number of items instead of a name, and omit all lines that do not fit.
pub(super) fn fitting(cx: &Context<'_>, dialog: &DeleteDialog, room: usize) -> Vec<Fact> {
    for (named, kept) in [(NAMED, TIP), (3, TIP), (2, TIP), (1, MINOR), (0, 0)] {
        let mut facts = facts(cx, dialog, named);
        while facts.len() > room {
            let least = facts.iter().map(|fact| fact.rank).max().filter(|rank| *rank >= kept);
            let Some(index) = facts.iter().rposition(|fact| Some(fact.rank) == least) else { break };
            facts.remove(index);
        }
        if facts.len() <= room {
            return facts;
        }
    }
    Vec::new()
}

/// Returns the text shown in place of the text field until it accepts letters.
pub(super) fn wait(glyphs: Glyphs) -> String {
    format!("   wait{}", glyphs.gap())
}

pub(super) fn title(dialog: &DeleteDialog) -> &'static str {
    let is_again = matches!(dialog.stage, ConfirmStep::AskAgain);
    match (dialog.is_dry_run, dialog.kind) {
        (true, OperationKind::Trash) => "Dry run: moves nothing to the trash",
        (true, _) => "Dry run: deletes nothing",
        (false, OperationKind::Trash) if is_again => {
            "Move to the trash anyway? Other users can change this directory"
        }
        (false, _) if is_again => "Delete anyway? Other users can change this directory",
        (false, OperationKind::Trash) => "Move to the trash?",
        (false, OperationKind::Empty) => "Delete the contents only?",
        (false, _) => "Delete permanently?",
    }
}

fn facts(cx: &Context<'_>, dialog: &DeleteDialog, named: usize) -> Vec<Fact> {
    let mut facts = Vec::new();
    let preview = dialog.preview.as_deref();
    if let ConfirmStep::Type(wanted, _) = &dialog.stage {
        facts.push(Fact::new(1, "Type this name, then press Enter:".to_owned(), Role::Plain));
        facts.push(Fact::new(0, wanted.clone(), Role::Strong));
    }
    if let Some(preview) = preview {
        facts.extend(blocked(cx, dialog, preview));
        facts.extend(preview.warnings.iter().map(|warning| {
            let path = cx.shown_path(warning.path());
            Fact::new(1, warning.text(&escape(&path)), Role::Warning)
        }));
    }
    if let Some(preview) = preview.filter(|preview| !preview.changed.is_empty()) {
        facts.extend(changed(cx, dialog, preview));
    }
    facts.extend(items(cx, dialog, named));
    match preview {
        None => facts.push(Fact::new(4, format!("Scanning{}", cx.theme.glyphs.gap()), Role::Faint)),
        Some(preview) => facts.extend(findings(cx, dialog, preview)),
    }
    if cx.is_filtered() && dialog.selection.items().any(|(_, item)| item.directory.is_some()) {
        let text = "Directories may contain entries that the filter hides".to_owned();
        facts.push(Fact::new(3, text, Role::Warning));
    }
    let key = cx.keymap.first(Command::Empty, Scope::Confirm);
    if let Some(key) = key.filter(|_| dialog.can_be_emptied && matches!(dialog.stage, ConfirmStep::Ask)) {
        let does = match dialog.kind {
            OperationKind::Empty => "switches to deleting the directory too",
            _ => "switches to deleting only the contents",
        };
        facts.push(Fact::new(TIP, format!("{key} {does}"), Role::Faint));
    }
    facts
}

/// Returns the lines about changed entries, which will not be deleted, and about the key that rescans them.
fn changed(cx: &Context<'_>, dialog: &DeleteDialog, preview: &Preview) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for number in preview.changed.iter().take(NAMED) {
        let Some((group, item)) = dialog.selection.items().nth(*number) else { continue };
        let path = cx.shown_path(&group.path_of(item));
        facts.push(Fact::new(
            0,
            format!("Changed since the scan; will be skipped: {}", escape(&path)),
            Role::Warning,
        ));
    }
    let more = preview.changed.len().saturating_sub(NAMED);
    if more > 0 {
        let more = counted(more as u64, "more changed entry", "more changed entries");
        facts.push(Fact::new(1, format!("and {more}, also skipped"), Role::Warning));
    }
    // While the user types the name, key presses go into the text field, so no key for a rescan is offered.
    let key = cx.keymap.first(Command::Retry, Scope::Confirm);
    if let Some(key) = key.filter(|_| !matches!(dialog.stage, ConfirmStep::Type(..))) {
        let changed = if preview.changed.len() == 1 { "the changed entry" } else { "the changed entries" };
        facts.push(Fact::new(0, format!("{key} rescans {changed} and asks again"), Role::Plain));
    }
    facts
}

/// Returns the lines about the items: the paths of the `named` largest items, and the number of remaining items.
fn items(cx: &Context<'_>, dialog: &DeleteDialog, named: usize) -> Vec<Fact> {
    let count = dialog.selection.count();
    let mut items: Vec<_> = dialog.selection.items().collect();
    sort_by_key(&mut items, |(_, item)| std::cmp::Reverse(item.disk));
    // If a single item would remain, its name is shown, because a line with a count would take as much room.
    let named = if count == named + 1 { count } else { named };
    let mut facts: Vec<Fact> = items
        .iter()
        .take(named)
        .map(|(group, item)| {
            let path = cx.shown_path(&group.path_of(item));
            let slash = if item.directory.is_some() { "/" } else { "" };
            Fact {
                rank: 2,
                left: format!("{}{slash}", escape(&path)),
                right: plain_size(item.disk, cx.units),
                role: Role::Strong,
            }
        })
        .collect();
    if count > named {
        let total = plain_size(dialog.selection.disk(), cx.units);
        let text = match named {
            0 => format!("{} entries, {total}", grouped(count as u64)),
            _ => format!("and {} more ({total} for all entries)", grouped((count - named) as u64)),
        };
        facts.push(Fact::new(2, text, Role::Strong));
    }
    facts
}

fn findings(cx: &Context<'_>, dialog: &DeleteDialog, preview: &Preview) -> Vec<Fact> {
    let mut facts = Vec::new();
    let so_far =
        if preview.is_complete { String::new() } else { format!(", scanning{}", cx.theme.glyphs.gap()) };
    let files = counted(preview.files, "file", "files");
    let directories = counted(preview.directories, "directory", "directories");
    facts.push(Fact::new(4, format!("{files}, {directories}{so_far}"), Role::Plain));
    let (least, most) = (plain_size(preview.least, cx.units), plain_size(preview.most, cx.units));
    let by_now = if preview.is_complete { "" } else { " so far" };
    let frees = match (dialog.kind, dialog.known_exclusive(preview)) {
        (OperationKind::Trash, _) => "frees no space until the trash is emptied".to_owned(),
        // The result of the search for exclusive sizes takes precedence. That search accounts for copies that
        // are deleted together, whereas the preview considers each file separately.
        (_, Some(exclusive)) => frees_text(exclusive, cx.units),
        _ if preview.is_unbounded => format!("frees at least {least}{by_now}"),
        _ if preview.least == preview.most => format!("frees {least}{by_now}"),
        _ => format!("frees at least {least}, up to {most}{by_now}"),
    };
    facts.push(Fact::new(3, frees, Role::Strong));
    if preview.linked > 0 && dialog.kind != OperationKind::Trash {
        let files = counted(preview.linked, "file", "files");
        facts.push(Fact::new(6, format!("{files} not freed: other hard links remain"), Role::Plain));
    }
    if preview.recent > 0 {
        let text = format!("{} changed within the last minute", counted(preview.recent, "entry", "entries"));
        facts.push(Fact::new(5, text, Role::Warning));
    } else if let Some(newest) = preview.newest {
        facts.push(Fact::new(7, format!("last change {}", ago(dialog.now, newest)), Role::Plain));
    }
    facts.extend(staying(dialog, preview));
    facts
}

/// Returns the lines about entries that will not be deleted, with the reasons.
fn staying(dialog: &DeleteDialog, preview: &Preview) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |rank, count: u64, text: &dyn Fn(&str) -> String| {
        if count > 0 {
            facts.push(Fact::new(rank, text(&grouped(count)), Role::Warning));
        }
    };
    let mounts = preview.kept.mounts;
    // A directory with a mount point inside is not moved to the trash, because the mount would be moved with it.
    let (one, many) = match dialog.kind {
        OperationKind::Trash => (
            "mount point inside; the entry that contains it is not moved",
            "mount points inside; entries that contain one are not moved",
        ),
        _ => ("mount point inside is kept", "mount points inside are kept"),
    };
    add(4, mounts, &|count| format!("{count} {}", if mounts == 1 { one } else { many }));
    let entries = |count| if count == 1 { "entry" } else { "entries" };
    // Entries that could not be deleted do not prevent moving their directory to the trash as a whole. For a move, only
    // selected items that cannot be moved are therefore counted.
    let (verb, kept) = match dialog.kind {
        OperationKind::Trash => ("move", preview.unmoved),
        _ => ("delete", preview.kept),
    };
    let other = kept.other;
    add(5, other, &|count| format!("skips {count} {} that changed or cannot be read", entries(other)));
    for (count, why) in [
        (kept.denied, "permission denied"),
        (kept.read_only, "read-only file system"),
        (kept.locked, "immutable or append-only"),
    ] {
        add(3, count, &|number| format!("cannot {verb} {number} {}: {why}", entries(count)));
    }
    facts
}

/// Units of [`ago`], with their lengths in seconds.
const UNITS: [(i64, &str); 4] = [(365 * 86_400, "year"), (86_400, "day"), (3600, "hour"), (60, "minute")];

/// Formats the time since `then` in the largest suitable unit, for example `3 hours ago`.
fn ago(now: i64, then: i64) -> String {
    let since = now.saturating_sub(then);
    if since < -60 {
        return "dated in the future".to_owned();
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

fn blocked(cx: &Context<'_>, dialog: &DeleteDialog, preview: &Preview) -> Vec<Fact> {
    let named = preview.blocked.iter().take(NAMED).filter_map(|(number, blocked)| {
        let (group, item) = dialog.selection.items().nth(*number)?;
        let path = cx.shown_path(&group.path_of(item));
        Some(Fact::new(0, format!("{}: {}", escape(&path), blocked.text()), Role::Warning))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_given_in_the_largest_unit() {
        for (since, text) in [
            (0, "within the last minute"),
            (-30, "within the last minute"),
            (-100, "dated in the future"),
            (60, "1 minute ago"),
            (7199, "1 hour ago"),
            (86_400 * 364, "364 days ago"),
            (i64::MAX, "292471208677 years ago"),
        ] {
            assert_eq!(ago(0, 0_i64.saturating_sub(since)), text);
        }
    }
}
