//! The box that asks before something is deleted.
//!
//! ```text
//! ┌ Delete for good? ────────────────────────────────────┐
//! │ /home/me/project/target                      1.2 GiB │
//! │ 12,345 files, 678 directories                        │
//! │ frees 1.2 GiB, up to 1.9 GiB                         │
//! │ newest change 3 hours ago                            │
//! │ 2 things are mounted inside, and stay                │
//! │ e empties it and keeps the directory                 │
//! │                                                      │
//! │                  [ Yes ]   [ No ]                    │
//! └──────────────────────────────────────────────────────┘
//! ```
//!
//! It fills in as more is known. Where it does not fit, what matters least is left out, never the buttons.
//!
//! Invariant: whatever a name is, it is one line here.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

use super::field;
use super::question::{ASCII, BUTTONS, side_by_side};
use crate::delete::{Concern, Deed, Probe, Reason};
use crate::size::{grouped, plain_size};
use crate::text::{escape, fit, width};
use crate::ui::app::{App, Button, Confirm, Stage};
use crate::ui::keys::{Command, Scope};
use crate::ui::theme::{Glyphs, Role};

/// Columns of the widest box.
const WIDEST: u16 = 76;
/// Columns below which a path says more than a size.
const NARROW: usize = 30;
/// Items that are named.
const NAMED: usize = 4;

/// A line of the box, and how much it matters: the least goes first where there is no room.
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

/// A box as it is to be drawn.
struct Plan<'a> {
    place: Rect,
    is_framed: bool,
    lines: Vec<Line<'a>>,
    /// The buttons that stand on the last line, and where.
    buttons: Vec<(Button, &'static str, Rect)>,
}

fn plan<'a>(app: &App<'_>, confirm: &Confirm, area: Rect) -> Plan<'a> {
    let is_framed = area.width >= 16 && area.height >= 5;
    let frame = u16::from(is_framed) * 2;
    let inner = usize::from(area.width.min(WIDEST) - frame.min(area.width));
    // One line is for the buttons, and without a frame one for the title.
    let room = usize::from((area.height - frame).saturating_sub(2 - frame / 2));
    let mut facts = facts(app, confirm);
    while facts.len() > room {
        let least = facts.iter().map(|fact| fact.rank).max();
        if let Some(index) = facts.iter().rposition(|fact| Some(fact.rank) == least) {
            facts.remove(index);
        }
    }
    let mut lines: Vec<Line<'a>> = facts.iter().map(|fact| line(app, fact, inner)).collect();
    if is_framed && lines.len() < room {
        lines.push(Line::default());
    }
    lines.push(answer(app, confirm, inner));
    if !is_framed && usize::from(area.height) > lines.len() {
        lines.insert(0, Line::styled(title(confirm), app.theme.style(Role::Strong)));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(frame).min(area.height);
    let width = area.width.min(WIDEST);
    let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
    let place = Rect { x, y, width, height };
    let last = Rect { y: place.bottom().saturating_sub(1 + frame / 2), height: 1, ..place };
    Plan { place, is_framed, lines, buttons: buttons(confirm, last.intersection(place)) }
}

/// The buttons on a line: none where something has to be typed, and no Yes as long as nothing may be confirmed.
fn buttons(confirm: &Confirm, line: Rect) -> Vec<(Button, &'static str, Rect)> {
    let [yes, no] = BUTTONS;
    let placed = |((button, name, _), place)| (button, name, place);
    match confirm.stage {
        Stage::Type(..) => Vec::new(),
        _ if confirm.is_open() => {
            BUTTONS.into_iter().zip(side_by_side([yes, no], line)).map(placed).collect()
        }
        _ => [no].into_iter().zip(side_by_side([no], line)).map(placed).collect(),
    }
}

/// The button at a place of the screen.
pub(super) fn button_at(app: &App<'_>, confirm: &Confirm, area: Rect, at: Position) -> Option<Button> {
    let buttons = plan(app, confirm, area).buttons;
    buttons.into_iter().find(|(.., place)| place.contains(at)).map(|(button, ..)| button)
}

pub(super) fn draw(app: &App<'_>, confirm: &Confirm, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let Plan { place, is_framed, lines, buttons } = plan(app, confirm, area);
    Clear.render(place, buffer);
    let text = Paragraph::new(lines);
    if is_framed {
        let block = match app.theme.glyphs {
            Glyphs::Unicode => Block::bordered(),
            Glyphs::Ascii => Block::bordered().border_set(ASCII),
        };
        let inner = usize::from(place.width.saturating_sub(2));
        let title = fit(title(confirm), inner.saturating_sub(2), app.theme.glyphs.gap()).into_owned();
        let title = Span::styled(format!(" {title} "), app.theme.style(Role::Strong));
        text.block(block.title(title)).render(place, buffer);
    } else {
        text.render(place, buffer);
    }
    for (button, name, place) in buttons {
        let role = if button == confirm.button { Role::Selected } else { Role::Plain };
        buffer.set_stringn(place.x, place.y, name, usize::from(place.width), app.theme.style(role));
    }
}

fn title(confirm: &Confirm) -> &'static str {
    if confirm.stage == Stage::AskAgain {
        return "Really?";
    }
    match (confirm.is_rehearsal, confirm.deed) {
        (true, _) => "Rehearsal: what would go",
        (false, Deed::Trash) => "Move to the trash?",
        (false, Deed::Empty) => "Empty, and keep the directory?",
        (false, _) => "Delete for good?",
    }
}

fn line<'a>(app: &App<'_>, fact: &Fact, room: usize) -> Line<'a> {
    let gap = app.theme.glyphs.gap();
    let right = if room < NARROW { "" } else { &fact.right };
    let right = fit(right, room / 2, gap).into_owned();
    let left = room.saturating_sub(width(&right) + 1 + usize::from(!right.is_empty()));
    let text = fit(&fact.left, left, gap).into_owned();
    let fill = room.saturating_sub(1 + width(&text) + width(&right)) * usize::from(!right.is_empty());
    let fill = fill.saturating_sub(1);
    Line::styled(format!(" {text}{}{right}", " ".repeat(fill)), app.theme.style(fact.role))
}

/// The last line: what is typed, or room for the buttons.
fn answer<'a>(app: &App<'_>, confirm: &Confirm, room: usize) -> Line<'a> {
    if let Stage::Type(_, typed) = &confirm.stage {
        return Line::from(field::spans(app, " > ", typed, room.saturating_sub(2)));
    }
    // The buttons stand there.
    Line::default()
}

/// Everything there is to know, in the order it is shown.
fn facts(app: &App<'_>, confirm: &Confirm) -> Vec<Fact> {
    let mut facts = Vec::new();
    let probe = confirm.probe.as_deref();
    if let Stage::Type(wanted, _) = &confirm.stage {
        facts.push(Fact::new(1, "Type this name, then Enter:".to_owned(), Role::Plain));
        facts.push(Fact::new(0, wanted.clone(), Role::Strong));
    }
    if let Some(probe) = probe {
        facts.extend(refusals(app, confirm, probe));
        facts.extend(
            probe.concerns.iter().map(|concern| Fact::new(1, concern_text(app, concern), Role::Warning)),
        );
    }
    facts.extend(items(app, confirm));
    match probe {
        None => facts.push(Fact::new(4, format!("looking{}", app.theme.glyphs.gap()), Role::Faint)),
        Some(probe) => facts.extend(findings(app, confirm, probe)),
    }
    if app.is_filtered() && confirm.selection.items().any(|(_, item)| item.directory.is_some()) {
        let text = "All of it goes, whatever the filter shows".to_owned();
        facts.push(Fact::new(3, text, Role::Warning));
    }
    let key = app.keymap.first(Command::Empty, Scope::Confirm);
    if let Some(key) = key.filter(|_| confirm.can_be_emptied && confirm.stage == Stage::Ask) {
        let does = match confirm.deed {
            Deed::Empty => "deletes the directory, too",
            _ => "empties it and keeps the directory",
        };
        facts.push(Fact::new(9, format!("{key} {does}"), Role::Faint));
    }
    facts
}

fn refusals(app: &App<'_>, confirm: &Confirm, probe: &Probe) -> Vec<Fact> {
    let named = probe.refusals.iter().take(NAMED).filter_map(|(number, refusal)| {
        let (group, item) = confirm.selection.items().nth(*number)?;
        let path = app.shown_path(&group.path_of(item));
        Some(Fact::new(0, format!("{}: {}", refusal.words(), escape(&path)), Role::Warning))
    });
    named.collect()
}

fn concern_text(app: &App<'_>, concern: &Concern) -> String {
    match concern {
        Concern::SomebodysHome(path) => format!("{} is somebody's home", escape(path)),
        Concern::OthersDirectory(path, 0) => {
            format!("you are root, and anybody may change {}", escape(&app.shown_path(path)))
        }
        Concern::OthersDirectory(path, user) => {
            format!("you are root, and user {user} may change {}", escape(&app.shown_path(path)))
        }
    }
}

fn items(app: &App<'_>, confirm: &Confirm) -> Vec<Fact> {
    let count = confirm.selection.count();
    let mut items: Vec<_> = confirm.selection.items().collect();
    items.sort_by_key(|(_, item)| std::cmp::Reverse(item.disk));
    let named = if count == NAMED + 1 { count } else { NAMED };
    let mut facts: Vec<Fact> = items
        .iter()
        .take(named)
        .enumerate()
        .map(|(number, (group, item))| {
            let path = app.shown_path(&group.path_of(item));
            let slash = if item.directory.is_some() { "/" } else { "" };
            Fact {
                rank: if number == 0 { 2 } else { 8 },
                left: format!("{}{slash}", escape(&path)),
                right: plain_size(item.disk, app.units),
                role: Role::Strong,
            }
        })
        .collect();
    if count > named {
        let text = format!("and {} more", grouped((count - named) as u64));
        facts.push(Fact {
            right: plain_size(confirm.selection.disk(), app.units),
            ..Fact::new(7, text, Role::Plain)
        });
    }
    facts
}

fn findings(app: &App<'_>, confirm: &Confirm, probe: &Probe) -> Vec<Fact> {
    let mut facts = Vec::new();
    let so_far =
        if probe.is_complete { String::new() } else { format!(", looking{}", app.theme.glyphs.gap()) };
    let count = |number: u64, one: &str, many: &str| {
        format!("{} {}", grouped(number), if number == 1 { one } else { many })
    };
    let files = count(probe.files, "file", "files");
    let directories = count(probe.directories, "directory", "directories");
    facts.push(Fact::new(4, format!("{files}, {directories}{so_far}"), Role::Plain));
    let (least, most) = (plain_size(probe.least, app.units), plain_size(probe.most, app.units));
    let frees = match (confirm.deed, probe.least == probe.most) {
        (Deed::Trash, _) => "frees nothing until the trash is emptied".to_owned(),
        (_, true) => format!("frees {least}"),
        (_, false) => format!("frees {least}, up to {most}"),
    };
    facts.push(Fact::new(3, frees, Role::Strong));
    if probe.linked > 0 && confirm.deed != Deed::Trash {
        let files = count(
            probe.linked,
            "file has other names outside, and frees",
            "files have other names outside, and free",
        );
        facts.push(Fact::new(6, format!("{files} nothing"), Role::Plain));
    }
    if probe.recent > 0 {
        let entries = if probe.recent == 1 { "entry" } else { "entries" };
        let text = format!("{} {entries} changed within the last minute", grouped(probe.recent));
        facts.push(Fact::new(5, text, Role::Warning));
    } else if let Some(newest) = probe.newest {
        facts.push(Fact::new(7, format!("newest change {}", ago(confirm.now, newest)), Role::Plain));
    }
    let mounts = probe.failures.first.iter().filter(|failure| failure.reason == Reason::Mount).count() as u64;
    if mounts > 0 {
        let text = match confirm.deed {
            // What is mounted below a directory would go along with it.
            Deed::Trash => count(mounts, "mount inside: it stays here", "mounts inside: it stays here"),
            _ => count(mounts, "mount inside, which stays", "mounts inside, which stay"),
        };
        facts.push(Fact::new(4, text, Role::Warning));
    }
    let unseen = probe.failures.count.saturating_sub(mounts);
    if unseen > 0 {
        let text = format!("{} cannot be looked at", grouped(unseen));
        facts.push(Fact::new(5, text, Role::Warning));
    }
    if probe.locked > 0 {
        let text = format!("{} read-only or immutable, and may stay", grouped(probe.locked));
        facts.push(Fact::new(5, text, Role::Warning));
    }
    facts
}

/// How long ago something was.
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
    fn times_are_told_in_the_largest_unit() {
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
