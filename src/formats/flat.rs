//! Flat export: one line per entry, for query engines that combine the exports of many machines. docs/exchange.md lists
//! the fields.
//!
//! Each line contains the entry's own sizes, so the sizes of any set of lines can be added up. The only exception is a
//! file with several hard links, which has one line for each link. These lines have the same `device` and `inode`.
//!
//! Invariant: every line is valid UTF-8 without control characters, regardless of the names. No function is recursive.

use std::io::{self, Write};

use crate::base::json::JsonWriter;
use crate::base::os_error::OsError;
use crate::base::sync::Arc;
use crate::base::text::base64;
use crate::formats::WrittenEntries;
use crate::formats::long_paths::TooLong;
use crate::tree::{DirId, Entries, Entry, EntryState, ExclusiveSizes, Metadata, Tree};

/// Format of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object per line.
    Json,
    /// Comma-separated values (RFC 4180) below a header line.
    Csv,
}

/// Host and scan time of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Host name, if known.
    pub host: Option<String>,
    /// Time of the scan in seconds since 1970, if known.
    pub scanned_at: Option<i64>,
}

/// Flat export of a tree.
pub struct Flat<'t> {
    pub tree: &'t Tree,
    pub form: Form,
    /// Host and scan time of each root, in the order of the roots.
    pub provenance: &'t [Provenance],
    /// Bytes that deleting each entry would free; `None` unless requested.
    pub exclusive: Option<Arc<ExclusiveSizes>>,
    /// Counter of the entries processed so far. The roots are not counted. An entry that is skipped because its path is
    /// too long for a line is counted, but the entries below it are not.
    pub written: &'t WrittenEntries,
}

/// Field names, in the order in which they are written.
const FIELDS: [&str; 18] = [
    "path",
    "path_base64",
    "type",
    "disk",
    "apparent",
    "mtime",
    "uid",
    "gid",
    "mode",
    "inode",
    "device",
    "links",
    "error",
    "excluded",
    "root",
    "root_base64",
    "host",
    "scanned_at",
];

/// Name of the field for the storage class. This field follows [`FIELDS`] if the tree has storage classes.
const CLASS: &str = "storage_class";

/// Names of the fields for the bytes freed by deleting an entry. If they are written, they are the last fields.
const FREES: [&str; 3] = ["frees", "frees_at_most", "frees_shared"];

/// Directory whose entries are being written.
struct Open<'t> {
    id: DirId,
    entries: Entries<'t>,
    device: u64,
    /// Length of the directory's path in bytes.
    path: usize,
}

enum Value<'v> {
    /// Path. If it cannot be written exactly, the next field contains its bytes in base64.
    Path(&'v [u8]),
    Text(&'v str),
    Number(u64),
    Signed(i64),
}

/// Values shared by all lines of a root.
struct Common<'t> {
    name: &'t [u8],
    provenance: Provenance,
    /// `true` if the tree has storage classes.
    has_classes: bool,
}

impl<'t> Flat<'t> {
    /// Writes all lines.
    ///
    /// # Errors
    /// Returns an error if `out` cannot be written to, or if the path of an entry is too long for a line.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = JsonWriter::new(out);
        let has_classes = !self.tree.storage_classes().is_empty();
        if self.form == Form::Csv {
            writer.raw(&FIELDS.join(","));
            if has_classes {
                writer.raw(",");
                writer.raw(CLASS);
            }
            if self.exclusive.is_some() {
                writer.raw(",");
                writer.raw(&FREES.join(","));
            }
            writer.raw("\n");
        }
        let mut too_long = TooLong::default();
        let aliases = self.tree.alias_positions();
        let roots = self.tree.listing(DirId::TOP);
        for (number, (position, root)) in roots.entries().enumerate() {
            // A root that repeats another root or lies inside one is skipped, so that each entry has only one line.
            if aliases.contains(&position) {
                continue;
            }
            let provenance = self.provenance.get(number).cloned().unwrap_or_default();
            self.root(
                &mut writer,
                &root,
                &Common { name: root.name, provenance, has_classes },
                &mut too_long,
            )?;
        }
        writer.finish()?;
        too_long.result()
    }

    fn root(
        &self,
        writer: &mut JsonWriter<'_>,
        root: &Entry<'t>,
        common: &Common<'_>,
        too_long: &mut TooLong,
    ) -> io::Result<()> {
        let mut path = root.name.to_vec();
        let mut open: Vec<Open<'t>> = Vec::new();
        let mut is_refused =
            |path: &[u8], record: &Entry<'_>| too_long.skips(path, self.tree.items_below(record));
        if !is_refused(&path, root) {
            open.extend(self.entry(writer, root, (DirId::TOP, &path), None, common));
        }
        while let Some(directory) = open.last_mut() {
            path.truncate(directory.path);
            if let Some(record) = directory.entries.next() {
                if !path.ends_with(b"/") {
                    path.push(b'/');
                }
                path.extend_from_slice(record.name);
                let (device, id) = (Some(directory.device), directory.id);
                if !is_refused(&path, &record) {
                    open.extend(self.entry(writer, &record, (id, &path), device, common));
                }
                self.written.add(1);
            } else {
                open.pop();
            }
            writer.spill()?;
        }
        Ok(())
    }

    /// Writes the line of the entry at `path` in `directory`. `device` is the device of `directory`; `None` for a root.
    /// If the entry is a directory, returns it, so that its entries can be written next.
    fn entry(
        &self,
        writer: &mut JsonWriter<'_>,
        record: &Entry<'t>,
        (directory, path): (DirId, &[u8]),
        device: Option<u64>,
        common: &Common<'_>,
    ) -> Option<Open<'t>> {
        let metadata = match &record.state {
            EntryState::Known(metadata) => Some(metadata),
            EntryState::Failed(_) | EntryState::Excluded(_) => None,
        };
        let id = metadata.and_then(|metadata| metadata.directory);
        let errno = match record.state {
            EntryState::Failed(errno) => Some(errno),
            _ => id.and_then(|id| self.tree.status(id).errno),
        };
        let excluded = match record.state {
            EntryState::Excluded(exclusion) => Some(exclusion.name()),
            _ => None,
        };
        let mut line = Line { writer, form: self.form, is_first: true };
        line.begin();
        line.put("path", Some(Value::Path(path)));
        line.put("type", Some(Value::Text(record.kind.name())));
        line.put("disk", metadata.map(|metadata| Value::Number(metadata.disk())));
        line.put("apparent", metadata.map(|metadata| Value::Number(metadata.apparent)));
        line.put("mtime", metadata.map(|metadata| Value::Signed(metadata.mtime)));
        self.identity(&mut line, metadata, id, device);
        line.put("error", errno.map(|errno| OsError(errno).to_string()).as_deref().map(Value::Text));
        line.put("excluded", excluded.map(Value::Text));
        line.put("root", Some(Value::Path(common.name)));
        line.put("host", common.provenance.host.as_deref().map(Value::Text));
        line.put("scanned_at", common.provenance.scanned_at.map(Value::Signed));
        if common.has_classes {
            let class = metadata.and_then(|metadata| metadata.storage_class);
            let name = class.map(|class| self.tree.storage_classes().name(class));
            line.put(CLASS, name.as_deref().map(Value::Text));
        }
        if let Some(sizes) = &self.exclusive {
            let exclusive = metadata.and_then(|metadata| sizes.of(directory, metadata));
            line.put(FREES[0], exclusive.map(|exclusive| Value::Number(exclusive.at_least)));
            line.put(FREES[1], exclusive.and_then(|exclusive| exclusive.at_most).map(Value::Number));
            line.put(FREES[2], exclusive.map(|exclusive| Value::Number(exclusive.shared)));
        }
        line.end();
        let id = id?;
        let entries = self.tree.listing(id).into_iter();
        Some(Open { id, entries, device: self.tree.device(id), path: path.len() })
    }

    fn identity(
        &self,
        line: &mut Line<'_, '_>,
        metadata: Option<&Metadata>,
        id: Option<DirId>,
        above: Option<u64>,
    ) {
        let owner = metadata.and_then(|metadata| metadata.owner);
        line.put("uid", owner.map(|owner| Value::Number(u64::from(owner.uid))));
        line.put("gid", owner.map(|owner| Value::Number(u64::from(owner.gid))));
        line.put("mode", owner.map(|owner| Value::Number(u64::from(owner.mode))));
        // Most exports do not record the inode of a file with a single name; the tree then contains 0.
        let inode = metadata.map(|metadata| metadata.inode).filter(|inode| *inode != 0);
        let links = metadata.and_then(|metadata| metadata.links);
        let device = match (id, links) {
            (Some(id), _) => Some(self.tree.device(id)),
            (None, Some(links)) => Some(self.tree.devices().number(links.device)),
            (None, None) => above.filter(|_| metadata.is_some()),
        };
        line.put("inode", inode.map(Value::Number));
        line.put("device", device.map(Value::Number));
        line.put("links", links.filter(|links| links.count > 0).map(|links| Value::Number(links.count)));
    }
}

struct Line<'l, 'o> {
    writer: &'l mut JsonWriter<'o>,
    form: Form,
    is_first: bool,
}

impl Line<'_, '_> {
    fn begin(&mut self) {
        if self.form == Form::Json {
            self.writer.raw("{");
        }
    }

    fn end(&mut self) {
        self.writer.raw(if self.form == Form::Json { "}\n" } else { "\n" });
    }

    /// Writes a field. In JSON, a field without a value is omitted.
    fn put(&mut self, name: &str, value: Option<Value<'_>>) {
        let is_path = matches!(value, Some(Value::Path(_)));
        match (self.form, value) {
            (Form::Json, None) => {}
            (Form::Json, Some(value)) => self.json(name, &value),
            (Form::Csv, value) => {
                self.comma();
                let exact = value.and_then(|value| self.csv(&value));
                if is_path {
                    self.comma();
                    self.writer.raw(exact.as_deref().unwrap_or_default());
                }
            }
        }
    }

    fn json(&mut self, name: &str, value: &Value<'_>) {
        self.comma();
        if !matches!(value, Value::Path(_)) {
            self.writer.key(name);
        }
        match value {
            Value::Path(bytes) => self.writer.name(name, bytes),
            Value::Text(text) => drop(self.writer.string(text.as_bytes())),
            Value::Number(number) => self.writer.number(*number),
            Value::Signed(number) => self.writer.signed(*number),
        }
    }

    fn comma(&mut self) {
        if !std::mem::replace(&mut self.is_first, false) {
            self.writer.raw(",");
        }
    }

    /// Writes a value. If the value is a path that cannot be written exactly, returns the path in base64.
    fn csv(&mut self, value: &Value<'_>) -> Option<String> {
        match value {
            Value::Path(bytes) => {
                let shown = printable(bytes);
                self.quoted(&shown);
                return (shown.as_bytes() != *bytes).then(|| base64(bytes));
            }
            Value::Text(text) => self.quoted(&printable(text.as_bytes())),
            Value::Number(number) => self.writer.number(*number),
            Value::Signed(number) => self.writer.signed(*number),
        }
        None
    }

    fn quoted(&mut self, text: &str) {
        let is_plain = !text.contains([',', '"']);
        if is_plain {
            return self.writer.raw(text);
        }
        self.writer.raw("\"");
        self.writer.raw(&text.replace('"', "\"\""));
        self.writer.raw("\"");
    }
}

/// Replaces invalid UTF-8 and control characters, which CSV cannot escape, with U+FFFD.
fn printable(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    let is_unprintable = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    if text.contains(is_unprintable) { text.replace(is_unprintable, "\u{fffd}").into() } else { text }
}
