//! All there is to know of one entry, in plain words, in the place of the list.
//!
//! ```text
//!  Info
//!  Path        /usr/lib/x86_64-linux-gnu/libexample.so.3
//!  Type        file
//!  Disk        1.4 MiB (1,470,464 bytes)
//!  Note        sparse: 12.0 MiB of its length are holes, which take nothing
//! ```
//!
//! What is shown first comes from the tree; the rest follows as it is found. In narrow windows a label has a line of its own.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::draw_ends;
use super::notes::notes;
use crate::inspect::Inspection;
use crate::kind::Kind;
use crate::platform::error_text;
use crate::platform::mounts::Mount;
use crate::platform::probe::{Probe, major_minor};
use crate::size::{date_and_time, grouped, plain_size};
use crate::text::{escape, pad, wrap};
use crate::tree::{Content, DirId, Record};
use crate::ui::app::{App, Details};
use crate::ui::keys::Command;
use crate::ui::layout::Layout;
use crate::ui::remark::exclusion_text;
use crate::ui::theme::Role;
use crate::ui::window::Bound;

/// Columns for labels.
const LABEL: usize = 12;
/// Columns below which labels have lines of their own.
const NARROW: usize = 36;

/// A line of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    label: &'static str,
    text: String,
    role: Role,
}

/// Something known.
struct Fact {
    label: &'static str,
    text: String,
    role: Role,
}

pub(super) fn draw(app: &App<'_>, layout: Layout, buffer: &mut Buffer) {
    let Some(details) = app.details() else { return };
    let (theme, lines) = (app.theme, layout.list_lines());
    let title = Line::styled(" Info", theme.style(Role::Strong));
    let shown = (details.offset + lines).min(details.rows.len());
    let place = if details.is_awaited() {
        format!("asking{} ", theme.glyphs.gap())
    } else if details.rows.len() > lines {
        format!("{} of {} lines ", grouped(shown as u64), grouped(details.rows.len() as u64))
    } else {
        String::new()
    };
    draw_ends(&title, &Line::styled(place, theme.style(Role::Faint)), layout.header, buffer);
    for (row, y) in details.rows.iter().skip(details.offset).zip(layout.list.y..layout.list.bottom()) {
        let columns = if usize::from(layout.list.width) < NARROW { 0 } else { LABEL };
        let label = Span::styled(format!(" {}", pad(row.label, columns, "")), theme.style(Role::Faint));
        let text = Span::styled(row.text.clone(), theme.style(row.role));
        buffer.set_line(layout.list.x, y, &Line::from(vec![label, text]), layout.list.width);
    }
}

/// Everything there is to say, in lines of so many columns.
pub fn rows(app: &App<'_>, details: &Details, columns: usize) -> Vec<Row> {
    let is_narrow = columns < NARROW;
    let room = columns.saturating_sub(if is_narrow { 2 } else { LABEL + 2 }).max(1);
    let mut rows = Vec::new();
    for Fact { label, text, role } in facts(app, details) {
        let mut label = label;
        if is_narrow && !label.is_empty() {
            rows.push(Row { label: "", text: label.to_owned(), role: Role::Faint });
            label = "";
        }
        for line in wrap(&text, room) {
            let text = if is_narrow { format!(" {line}") } else { line.to_owned() };
            rows.push(Row { label, text, role });
            label = "";
        }
    }
    rows
}

fn facts(app: &App<'_>, details: &Details) -> Vec<Fact> {
    let Some(record) = app.record(details.directory, details.position) else {
        return vec![Fact { label: "", text: "It is not there any more".to_owned(), role: Role::Warning }];
    };
    let mut facts = Facts { app, facts: Vec::new() };
    let path = app.entry_path(details.directory, record.name);
    facts.add("Path", escape(&path).into_owned());
    let inspection = details.inspection.as_deref();
    let probe = inspection.and_then(|found| found.probe.as_ref());
    facts.add_tree(&record, details.directory);
    match probe {
        Some(Ok(probe)) => facts.add_probe(probe, inspection, &record),
        Some(Err(errno)) => facts.warn("Now", error_text(*errno)),
        None => {}
    }
    if let Some(reason) = &details.failure {
        facts.warn("Failed", reason.clone());
    }
    facts.facts
}

struct Facts<'a> {
    app: &'a App<'a>,
    facts: Vec<Fact>,
}

impl Facts<'_> {
    fn add(&mut self, label: &'static str, text: String) {
        self.facts.push(Fact { label, text, role: Role::Plain });
    }

    fn warn(&mut self, label: &'static str, text: String) {
        self.facts.push(Fact { label, text, role: Role::Warning });
    }

    /// What the scan has found.
    fn add_tree(&mut self, record: &Record<'_>, parent: DirId) {
        self.add("Type", kind(record.kind).to_owned());
        let facts = match record.content {
            Content::Known(facts) => facts,
            Content::Excluded(exclusion) => {
                return self.add("Left out", exclusion_text(exclusion).to_owned());
            }
            Content::Failed(errno) => return self.warn("Unreadable", error_text(errno)),
        };
        let Some(id) = facts.directory else {
            self.add("Disk", self.bytes(facts.disk(), Bound::Exact));
            self.add("Apparent", self.bytes(facts.apparent, Bound::Exact));
            return;
        };
        let (totals, bound, errno) = self.app.standing(id);
        self.add("Disk", self.bytes(totals.disk, bound));
        self.add("Apparent", self.bytes(totals.apparent, bound));
        self.add("Items", format!("{} below", grouped(totals.items)));
        let shared = self.app.shared(id);
        if shared > 0 {
            self.add("Shared", format!("{} counted in more than one entry", self.size(shared)));
        }
        if totals.errors > 0 {
            self.warn("Errors", grouped(totals.errors.into()));
        }
        if let Some(errno) = errno {
            self.warn("Unreadable", error_text(errno));
        }
        if parent == DirId::TOP {
            self.add("Root", "the scan begins here".to_owned());
        }
    }

    /// What the system says now.
    fn add_probe(&mut self, probe: &Probe, inspection: Option<&Inspection>, record: &Record<'_>) {
        let Some(inspection) = inspection else { return };
        let attributes = &probe.attributes;
        if let Some(target) = &probe.target {
            self.add("Leads to", escape(target).into_owned());
        }
        let bits = attributes.mode & 0o7777;
        self.add("Mode", format!("{} ({bits:04o})", permissions(attributes.kind, bits)));
        self.add("Owner", person(inspection.owner.as_deref(), attributes.uid, inspection.is_complete));
        self.add("Group", person(inspection.group.as_deref(), attributes.gid, inspection.is_complete));
        self.add("Modified", self.time(attributes.mtime));
        self.add("Changed", format!("{} (mode, owner or names too)", self.time(probe.changed)));
        self.add("Accessed", self.time(probe.accessed));
        // Some file systems have the field and nothing in it.
        if let Some(born) = probe.born.filter(|born| *born != 0) {
            self.add("Created", self.time(born));
        }
        let (major, minor) = major_minor(attributes.device);
        self.add("Inode", format!("{} on device {major}:{minor}", attributes.inode));
        if attributes.kind != Kind::Directory {
            self.add_names(attributes.links, inspection);
        }
        if let Some(mount) = &inspection.mount {
            self.add("Mounted at", place(mount));
        }
        let layout = inspection.layout.as_ref();
        let rescan = self.app.key_hint(Command::Rescan, "reads its directory again");
        let notes = notes(probe, layout, record, self.app.units, &rescan);
        for (number, note) in notes.into_iter().enumerate() {
            self.add(if number == 0 { "Note" } else { "" }, note);
        }
    }

    /// How many names there are, and where.
    fn add_names(&mut self, links: u64, inspection: &Inspection) {
        if links < 2 {
            return self.add("Names", "this one only".to_owned());
        }
        let elsewhere = match inspection.names_in_tree {
            None if inspection.is_complete => ", the others not known before the scan is over".to_owned(),
            Some(known) if known < links => format!(", {} of them outside", grouped(links - known)),
            None | Some(_) => String::new(),
        };
        self.add("Names", format!("{}{elsewhere}", grouped(links)));
        for name in &inspection.names {
            self.add("", escape(&self.app.shown_path(name)).into_owned());
        }
        let shown = inspection.names.len() as u64 + 1;
        if let Some(more) = inspection.names_in_tree.and_then(|known| known.checked_sub(shown + 1)) {
            self.add("", format!("and {} more", grouped(more + 1)));
        }
    }

    fn size(&self, bytes: u64) -> String {
        plain_size(bytes, self.app.units)
    }

    fn bytes(&self, bytes: u64, bound: Bound) -> String {
        let bound = match bound {
            Bound::Exact => "",
            Bound::Growing => ", still growing",
            Bound::AtLeast => ", at least",
        };
        format!("{} ({} bytes{bound})", self.size(bytes), grouped(bytes))
    }

    fn time(&self, seconds: i64) -> String {
        date_and_time(seconds, &self.app.zone).trim_end().to_owned()
    }
}

/// Where a file system is mounted, and what it is.
fn place(mount: &Mount) -> String {
    format!("{} ({} of {})", escape(&mount.point), escape(&mount.kind), escape(&mount.source))
}

fn person(name: Option<&str>, number: u32, is_complete: bool) -> String {
    match name {
        Some(name) => format!("{} ({number})", escape(name.as_bytes())),
        None if is_complete => format!("{number}, which has no name here"),
        None => number.to_string(),
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "directory",
        Kind::File => "file",
        Kind::Symlink => "symbolic link",
        Kind::Fifo => "named pipe",
        Kind::Socket => "socket",
        Kind::BlockDevice => "block device",
        Kind::CharDevice => "character device",
        Kind::Unknown => "unknown",
    }
}

/// `drwxr-sr-t`, as ls(1) shows it.
fn permissions(kind: Kind, bits: u32) -> String {
    let first = match kind {
        Kind::Directory => 'd',
        Kind::File => '-',
        Kind::Symlink => 'l',
        Kind::Fifo => 'p',
        Kind::Socket => 's',
        Kind::BlockDevice => 'b',
        Kind::CharDevice => 'c',
        Kind::Unknown => '?',
    };
    let mut text = String::from(first);
    for (shift, special, mark) in [(6, 0o4000, 's'), (3, 0o2000, 's'), (0, 0o1000, 't')] {
        let three = bits >> shift;
        text.push(if three & 4 == 0 { '-' } else { 'r' });
        text.push(if three & 2 == 0 { '-' } else { 'w' });
        text.push(match (three & 1 != 0, bits & special != 0) {
            (true, true) => mark,
            (false, true) => mark.to_ascii_uppercase(),
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_those_of_ls() {
        assert_eq!(permissions(Kind::File, 0o644), "-rw-r--r--");
        assert_eq!(permissions(Kind::Directory, 0o1777), "drwxrwxrwt");
        assert_eq!(permissions(Kind::File, 0o6711), "-rws--s--x");
        assert_eq!(permissions(Kind::Symlink, 0o7000), "l--S--S--T");
    }

    #[test]
    fn who_has_no_name_is_a_number() {
        assert_eq!(person(Some("root"), 0, false), "root (0)");
        assert_eq!(person(None, 1000, false), "1000");
        assert_eq!(person(None, 1000, true), "1000, which has no name here");
    }
}
