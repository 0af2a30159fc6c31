//! Texts of the info page, except the notes.

use std::ops::Range;

use super::help_texts::position;
use super::info_notes::notes;
use crate::base::calendar::date_and_time;
use crate::base::format::{counted, grouped, plain_size};
use crate::base::kind::Kind;
use crate::base::os_error::OsError;
use crate::base::sync::Arc;
use crate::base::text::escape;
use crate::platform::entry::probe::{Probe, major_minor};
use crate::platform::fs::mounts::Mount;
use crate::scan::inspect::Inspection;
use crate::source::SourceKind;
use crate::table::row::Precision;
use crate::tree::{DirId, Entry, EntryState};
use crate::ui::context::Context;
use crate::ui::entry_info::EntryInfo;
use crate::ui::keys::Command;
use crate::ui::list_texts::exclusion_text;
use crate::ui::sentences::frees_text;
use crate::ui::theme::{Glyphs, Role};

/// Line of the info page. If the label is empty, the text continues the previous line.
pub struct InfoLine {
    pub label: &'static str,
    pub text: String,
    pub role: Role,
}

struct DetailLines<'a> {
    cx: &'a Context<'a>,
    lines: Vec<InfoLine>,
}

impl DetailLines<'_> {
    fn add(&mut self, label: &'static str, text: String) {
        self.lines.push(InfoLine { label, text, role: Role::Plain });
    }

    fn warn(&mut self, label: &'static str, text: String) {
        self.lines.push(InfoLine { label, text, role: Role::Warning });
    }

    fn size(&self, bytes: u64) -> String {
        plain_size(bytes, self.cx.units)
    }

    fn time(&self, seconds: i64) -> String {
        date_and_time(seconds, &self.cx.zone).trim_end().to_owned()
    }
}

/// Title of the page.
pub const TITLE: &str = " Info";

/// Returns the end of the title line: a loading note or the range of the visible lines; empty if all are visible.
pub fn title_end(is_loading: bool, visible: Range<usize>, lines: usize, glyphs: Glyphs) -> String {
    if is_loading {
        format!("Loading{} ", glyphs.gap())
    } else if visible.len() < lines {
        position(visible, lines)
    } else {
        String::new()
    }
}

/// Returns everything known about an entry.
pub fn info_lines(cx: &Context<'_>, details: &EntryInfo) -> Vec<InfoLine> {
    let Some(record) = details.entry.record(cx.tree) else {
        return vec![InfoLine { label: "", text: "Entry no longer exists".to_owned(), role: Role::Warning }];
    };
    let mut lines = DetailLines { cx, lines: Vec::new() };
    let path = cx.entry_path(details.entry.directory, record.name);
    lines.add("Path", escape(&path).into_owned());
    let inspection = details.inspection.value().map(Arc::as_ref);
    let probe = inspection.and_then(|found| found.probe.as_ref());
    lines.add_tree(&record, details.entry.directory);
    match probe {
        Some(Ok(probe)) => lines.add_probe(probe, inspection, &record),
        Some(Err(errno)) => lines.warn("Now", OsError(*errno).to_string()),
        None => {}
    }
    if let Some(error) = details.inspection.error() {
        lines.warn("Failed", error.to_string());
    }
    lines.lines
}

impl DetailLines<'_> {
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
            self.add("Shared", format!("{} in several entries, counted only once", self.size(shared)));
        }
        if totals.errors > 0 {
            self.warn("Errors", grouped(totals.errors.into()));
        }
        if let Some(errno) = errno {
            self.warn("Unreadable", OsError(errno).to_string());
            if let Some(recorded) = self.cx.tree.recorded(id) {
                let text =
                    format!("{} below this directory, according to the file system", self.size(recorded));
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
        self.add(
            "Changed",
            format!("{} (last change of contents, mode, owner or name)", self.time(probe.changed)),
        );
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
        let rescan = self.cx.key_hint(Command::Rescan, "in the list rescans the directory");
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
            Some(known) if known < links => format!("; {} not scanned", grouped(links - known)),
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

    fn bytes(&self, bytes: u64, bound: Precision) -> String {
        let bound = match bound {
            Precision::Exact => "",
            Precision::Growing => ", may still change",
            Precision::Recorded => ", from the previous scan",
            Precision::AtLeast => " or more",
        };
        format!("{} ({}{bound})", self.size(bytes), counted(bytes, "byte", "bytes"))
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
