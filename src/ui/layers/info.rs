//! Info page: everything known about one entry, shown in place of the view or in a pane beside it.
//!
//! ```text
//!  Info
//!  Path        /usr/lib/x86_64-linux-gnu/libexample.so.3
//!  Type        file
//!  Disk        1.4 MiB (1,470,464 bytes)
//!  Note        sparse: 12.0 MiB of holes
//! ```
//!
//! The page first shows the data in the tree, and adds data from the system as soon as that is available. In a
//! narrow window, labels have lines of their own.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::info_notes::notes;
use crate::base::calendar::date_and_time;
use crate::base::format::{counted, grouped, plain_size};
use crate::base::kind::Kind;
use crate::base::os_error::OsError;
use crate::base::sync::Arc;
use crate::base::text::{escape, pad, wrap};
use crate::platform::entry::probe::{Probe, major_minor};
use crate::platform::fs::mounts::Mount;
use crate::scan::inspect::Inspection;
use crate::source::SourceKind;
use crate::table::row::Precision;
use crate::tree::{DirId, Entry, EntryId, EntryState, Relocation};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::cursor::moved;
use crate::ui::entry_info::EntryInfo;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Command, Scope};
use crate::ui::list_texts::exclusion_text;
use crate::ui::notice::Notice;
use crate::ui::sentences::frees_text;
use crate::ui::theme::Role;
use crate::ui::widgets::row::draw_ends;

const LABEL: usize = 12;
/// Minimum width, in columns, at which a label and its text share a line.
const NARROW: usize = 36;

#[derive(Debug)]
pub struct InfoPage {
    /// Entry, with the information that the system reports about it.
    pub info: EntryInfo,
    /// Index of the first visible line. The value can be too large after the text or the window size has changed, so
    /// it is clamped on each use.
    pub offset: usize,
}

impl InfoPage {
    /// Creates the info page for an entry. If the entry is from a snapshot or export, the page does not query the
    /// system.
    pub fn new(entry: EntryId, source_kind: SourceKind) -> Self {
        Self { info: EntryInfo::new(entry, source_kind), offset: 0 }
    }
}

/// Returns all lines of the info page for an entry, wrapped to `columns`.
pub fn lines(cx: &Context<'_>, info: &EntryInfo, columns: usize) -> Vec<Line<'static>> {
    let is_narrow = columns < NARROW;
    let (label_width, room) = if is_narrow { (0, 2) } else { (LABEL, LABEL + 2) };
    let room = columns.saturating_sub(room).max(1);
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String, role| {
        let label = Span::styled(format!(" {}", pad(label, label_width, "")), cx.theme.style(Role::Faint));
        lines.push(Line::from(vec![label, Span::styled(text, cx.theme.style(role))]));
    };
    for Fact { label, text, role } in metadata(cx, info) {
        let mut label = label;
        if is_narrow && !label.is_empty() {
            add("", label.to_owned(), Role::Faint);
            label = "";
        }
        for line in wrap(&text, room) {
            add(label, if is_narrow { format!(" {line}") } else { line.to_owned() }, role);
            label = "";
        }
    }
    lines
}

impl<'t> Component<'t> for InfoPage {
    fn scope(&self) -> Scope {
        Scope::Details
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        match input {
            Input::Command(Command::Move(motion)) => {
                let area = cx.page_regions(cx.size).1;
                let height = usize::from(area.height);
                let rows = lines(cx, &self.info, usize::from(area.width)).len();
                let last = rows.saturating_sub(height.max(1));
                self.offset = moved(self.offset.min(last), motion, height, last + 1);
                if last == 0 {
                    cx.notify(Notice::NoMoreLines);
                }
                Handled::Yes(None)
            }
            Input::Command(_) => Handled::Close(None),
            _ => Handled::Yes(None),
        }
    }

    fn goes_beside(&self) -> bool {
        true
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let (theme, (header, list)) = (cx.theme, cx.page_regions((screen.width, screen.height)));
        let (height, room) = (usize::from(list.height), usize::from(list.width));
        let rows = lines(cx, &self.info, room);
        let offset = self.offset.min(rows.len().saturating_sub(height.max(1)));
        let title = Line::styled(" Info", theme.style(Role::Strong));
        let shown = (offset + height).min(rows.len());
        let right = if self.info.inspection.is_loading() {
            format!("Loading{} ", theme.glyphs.gap())
        } else if rows.len() > height {
            format!("{} to {shown} of {} ", offset + 1, rows.len())
        } else {
            String::new()
        };
        let right = Line::styled(right, theme.style(Role::Faint));
        draw_ends(&title, &right, header, canvas.buffer);
        for (row, y) in rows.iter().skip(offset).zip(list.y..list.bottom()) {
            canvas.buffer.set_line(list.x, y, row, list.width);
        }
    }

    fn relocate(&mut self, moved: &mut Relocation<'t>, cx: &mut Context<'t>) -> bool {
        let name = self.info.entry.name(cx.tree);
        let directory = moved.find(self.info.entry.directory);
        let found =
            directory.zip(name).and_then(|(directory, name)| EntryId::named(cx.tree, directory, name));
        match found {
            Some(entry) => {
                let offset = self.offset;
                *self = Self { offset, ..Self::new(entry, cx.source_kind) };
            }
            None => cx.notify(Notice::EntryMissing),
        }
        found.is_some()
    }
}

/// Line about the entry. If its label is empty, its text continues the line before it.
struct Fact {
    label: &'static str,
    text: String,
    role: Role,
}

fn metadata(cx: &Context<'_>, details: &EntryInfo) -> Vec<Fact> {
    let Some(record) = details.entry.record(cx.tree) else {
        return vec![Fact { label: "", text: "Entry no longer exists".to_owned(), role: Role::Warning }];
    };
    let mut metadata = DetailLines { cx, metadata: Vec::new() };
    let path = cx.entry_path(details.entry.directory, record.name);
    metadata.add("Path", escape(&path).into_owned());
    let inspection = details.inspection.value().map(Arc::as_ref);
    let probe = inspection.and_then(|found| found.probe.as_ref());
    metadata.add_tree(&record, details.entry.directory);
    match probe {
        Some(Ok(probe)) => metadata.add_probe(probe, inspection, &record),
        Some(Err(errno)) => metadata.warn("Now", OsError(*errno).to_string()),
        None => {}
    }
    if let Some(error) = details.inspection.error() {
        metadata.warn("Failed", error.to_string());
    }
    metadata.metadata
}

struct DetailLines<'a> {
    cx: &'a Context<'a>,
    metadata: Vec<Fact>,
}

impl DetailLines<'_> {
    fn add(&mut self, label: &'static str, text: String) {
        self.metadata.push(Fact { label, text, role: Role::Plain });
    }

    fn warn(&mut self, label: &'static str, text: String) {
        self.metadata.push(Fact { label, text, role: Role::Warning });
    }

    /// Adds the lines with data from the scan.
    fn add_tree(&mut self, record: &Entry<'_>, parent: DirId) {
        self.add("Type", kind(record.kind).to_owned());
        let metadata = match record.state {
            EntryState::Known(metadata) => metadata,
            EntryState::Excluded(exclusion) => {
                return self.add("Excluded", exclusion_text(exclusion).to_owned());
            }
            EntryState::Failed(errno) => return self.warn("Unreadable", OsError(errno).to_string()),
        };
        let exclusive = self.cx.tree.exclusive().and_then(|sizes| sizes.of(parent, &metadata));
        if let Some(exclusive) = exclusive {
            self.add("Deleting", frees_text(exclusive, self.cx.units));
        }
        let Some(id) = metadata.directory else {
            self.add("Disk", self.bytes(metadata.disk(), Precision::Exact));
            self.add("Apparent", self.bytes(metadata.apparent, Precision::Exact));
            if let Some(class) = metadata.storage_class {
                let name = self.cx.tree.storage_classes().name(class);
                self.add("Storage", escape(name.as_bytes()).into_owned());
            }
            return self.add_recorded_time(metadata.mtime);
        };
        let (totals, bound, errno) = self.cx.standing(id);
        self.add("Disk", self.bytes(totals.disk, bound));
        self.add("Apparent", self.bytes(totals.apparent, bound));
        self.add("Items", format!("{} below", grouped(totals.items)));
        self.add_recorded_time(metadata.mtime);
        let shared = self.cx.shared(id);
        if shared > 0 {
            self.add("Shared", format!("entries inside add up to {} more than the total", self.size(shared)));
        }
        if totals.errors > 0 {
            self.warn("Errors", grouped(totals.errors.into()));
        }
        if let Some(errno) = errno {
            self.warn("Unreadable", OsError(errno).to_string());
            if let Some(recorded) = self.cx.tree.recorded(id) {
                let text =
                    format!("{} in the whole directory, according to the file system", self.size(recorded));
                self.add("Recorded", text);
            }
        }
        if parent == DirId::TOP {
            self.add("Root", "this directory is a scan root".to_owned());
        }
    }

    /// Adds the modification time recorded in the tree, if it is known and the tree is not from a live scan. In a live
    /// scan, [`Self::add_probe`] adds the time that the system reports.
    fn add_recorded_time(&mut self, mtime: i64) {
        if self.cx.source_kind != SourceKind::Live && mtime != 0 {
            self.add("Modified", self.time(mtime));
        }
    }

    /// Adds the lines with data that the system has just reported.
    fn add_probe(&mut self, probe: &Probe, inspection: Option<&Inspection>, record: &Entry<'_>) {
        let Some(inspection) = inspection else { return };
        let attributes = &probe.attributes;
        if let Some(target) = &probe.target {
            self.add("Target", escape(target).into_owned());
        }
        let bits = attributes.mode & 0o7777;
        self.add("Mode", format!("{} ({bits:04o})", permissions(attributes.kind, bits)));
        self.add("Owner", user_text(inspection.owner.as_deref(), attributes.uid, inspection.is_complete));
        self.add("Group", user_text(inspection.group.as_deref(), attributes.gid, inspection.is_complete));
        self.add("Modified", self.time(attributes.mtime));
        self.add("Changed", format!("{} (contents, mode, owner or names)", self.time(probe.changed)));
        self.add("Accessed", self.time(probe.accessed));
        // Some file systems report zero if they do not know the creation time.
        if let Some(born) = probe.born.filter(|born| *born != 0) {
            self.add("Created", self.time(born));
        }
        let (major, minor) = major_minor(attributes.device);
        self.add("Inode", format!("{} on device {major}:{minor}", attributes.inode));
        if attributes.kind != Kind::Directory {
            self.add_names(attributes.links, inspection);
        }
        if let Some(mount) = &inspection.mount {
            self.add("File system", mount_text(mount));
        }
        let layout = inspection.layout.as_ref();
        let rescan = self.cx.key_hint(Command::Rescan, "rescans it in the list");
        let notes = notes(probe, layout, record, self.cx.units, &rescan);
        for (number, note) in notes.into_iter().enumerate() {
            self.add(if number == 0 { "Note" } else { "" }, note);
        }
    }

    /// Adds the number of hard links, and the paths of those that are known.
    fn add_names(&mut self, links: u64, inspection: &Inspection) {
        if links < 2 {
            return self.add("Names", "only this one".to_owned());
        }
        let elsewhere = match inspection.names_in_tree {
            None if inspection.is_complete => {
                let is_whole = self.cx.tree.status(DirId::TOP).is_complete();
                let cause = if is_whole { "" } else { " (scan incomplete)" };
                format!("; the other names are unknown{cause}")
            }
            Some(known) if known < links => format!(", {} of them not scanned", grouped(links - known)),
            None | Some(_) => String::new(),
        };
        self.add("Names", format!("{}{elsewhere}", grouped(links)));
        for name in &inspection.names {
            self.add("", escape(&self.cx.shown_path(name)).into_owned());
        }
        let shown = inspection.names.len() as u64 + 1;
        if let Some(more) = inspection.names_in_tree.and_then(|known| known.checked_sub(shown + 1)) {
            self.add("", format!("and {} more", grouped(more + 1)));
        }
    }

    fn size(&self, bytes: u64) -> String {
        plain_size(bytes, self.cx.units)
    }

    fn bytes(&self, bytes: u64, bound: Precision) -> String {
        let bound = match bound {
            Precision::Exact => "",
            Precision::Growing => ", may still change",
            Precision::Recorded => ", from the previous scan",
            Precision::AtLeast => " or more",
        };
        format!("{} ({}{bound})", self.size(bytes), counted(bytes, "byte", "bytes"))
    }

    fn time(&self, seconds: i64) -> String {
        date_and_time(seconds, &self.cx.zone).trim_end().to_owned()
    }
}

/// Formats a mount as its mount point, file system type and source.
fn mount_text(mount: &Mount) -> String {
    format!("{} ({} on {})", escape(&mount.point), escape(&mount.kind), escape(&mount.source))
}

fn user_text(name: Option<&str>, number: u32, is_complete: bool) -> String {
    match name {
        Some(name) => format!("{} ({number})", escape(name.as_bytes())),
        None if is_complete => format!("{number} (unknown)"),
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

/// Formats the kind and the permissions of an entry like ls(1), for example `drwxr-sr-t`.
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
    fn unknown_users_are_numbers() {
        assert_eq!(user_text(Some("root"), 0, false), "root (0)");
        assert_eq!(user_text(None, 1000, false), "1000");
        assert_eq!(user_text(None, 1000, true), "1000 (unknown)");
    }
}
