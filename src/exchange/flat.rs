//! One line for each entry: for engines that ask questions of many machines' files at once. docs/exchange.md lists the fields.
//!
//! Sizes are each entry's own, so that sums over any lines are right but for hard links, which `device` and `inode` tell apart.
//!
//! Invariant: a line is a line: whatever the name, it is valid UTF-8 and holds no control character. Nothing recurses.

use std::io::{self, Write};

use super::Provenance;
use crate::json::{Writer, name_of};
use crate::platform::error_text;
use crate::text::base64;
use crate::tree::{Content, DirId, Entries, Facts, Record, Tree};

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A JSON object a line.
    Json,
    /// Comma-separated values (RFC 4180) below a line of names.
    Csv,
}

/// A tree, to be written once.
pub struct Flat<'t> {
    /// The tree.
    pub tree: &'t Tree,
    /// How.
    pub form: Form,
    /// Where each root comes from, in their order.
    pub provenance: &'t [Provenance],
}

/// The fields in their order.
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

/// A directory whose entries are being written.
struct Open<'t> {
    entries: Entries<'t>,
    device: u64,
    /// Length of its path.
    path: usize,
}

/// One value of a line.
enum Value<'v> {
    /// Any bytes; the next field gets them in base64 if they cannot be written exactly.
    Path(&'v [u8]),
    Text(&'v str),
    Number(u64),
    Signed(i64),
}

/// What the lines of a root have in common.
struct Common<'t> {
    name: &'t [u8],
    provenance: Provenance,
}

impl<'t> Flat<'t> {
    /// Writes all lines.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = Writer::new(out);
        if self.form == Form::Csv {
            writer.raw(&FIELDS.join(","));
            writer.raw("\n");
        }
        let aliases = self.tree.alias_positions();
        let roots = self.tree.listing(DirId::TOP);
        for (number, (position, root)) in roots.entries().enumerate() {
            // Each entry has one line, in the outermost root.
            if aliases.contains(&position) {
                continue;
            }
            let provenance = self.provenance.get(number).cloned().unwrap_or_default();
            self.root(&mut writer, &root, &Common { name: root.name, provenance })?;
        }
        writer.finish()
    }

    fn root(&self, writer: &mut Writer<'_>, root: &Record<'t>, common: &Common<'_>) -> io::Result<()> {
        let mut path = root.name.to_vec();
        let mut open: Vec<Open<'t>> = Vec::new();
        open.extend(self.entry(writer, root, &path, None, common));
        while let Some(directory) = open.last_mut() {
            path.truncate(directory.path);
            if let Some(record) = directory.entries.next() {
                if !path.ends_with(b"/") {
                    path.push(b'/');
                }
                path.extend_from_slice(record.name);
                let device = Some(directory.device);
                open.extend(self.entry(writer, &record, &path, device, common));
            } else {
                open.pop();
            }
            writer.spill()?;
        }
        Ok(())
    }

    /// Writes the line of an entry of a directory on `device`.
    fn entry(
        &self,
        writer: &mut Writer<'_>,
        record: &Record<'t>,
        path: &[u8],
        device: Option<u64>,
        common: &Common<'_>,
    ) -> Option<Open<'t>> {
        let facts = match &record.content {
            Content::Known(facts) => Some(facts),
            Content::Failed(_) | Content::Excluded(_) => None,
        };
        let id = facts.and_then(|facts| facts.directory);
        let errno = match record.content {
            Content::Failed(errno) => Some(errno),
            _ => id.and_then(|id| self.tree.status(id).errno),
        };
        let excluded = match record.content {
            Content::Excluded(exclusion) => Some(name_of(exclusion)),
            _ => None,
        };
        let mut line = Line { writer, form: self.form, is_first: true };
        line.begin();
        line.put("path", Some(Value::Path(path)));
        line.put("type", Some(Value::Text(record.kind.name())));
        line.put("disk", facts.map(|facts| Value::Number(facts.disk())));
        line.put("apparent", facts.map(|facts| Value::Number(facts.apparent)));
        line.put("mtime", facts.map(|facts| Value::Signed(facts.mtime)));
        self.identity(&mut line, facts, id, device);
        line.put("error", errno.map(error_text).as_deref().map(Value::Text));
        line.put("excluded", excluded.map(Value::Text));
        line.put("root", Some(Value::Path(common.name)));
        line.put("host", common.provenance.host.as_deref().map(Value::Text));
        line.put("scanned_at", common.provenance.scanned_at.map(Value::Signed));
        line.end();
        let id = id?;
        let entries = self.tree.listing(id).into_iter();
        Some(Open { entries, device: self.tree.device(id), path: path.len() })
    }

    fn identity(
        &self,
        line: &mut Line<'_, '_>,
        facts: Option<&Facts>,
        id: Option<DirId>,
        above: Option<u64>,
    ) {
        let owner = facts.and_then(|facts| facts.owner);
        line.put("uid", owner.map(|owner| Value::Number(u64::from(owner.uid))));
        line.put("gid", owner.map(|owner| Value::Number(u64::from(owner.gid))));
        line.put("mode", owner.map(|owner| Value::Number(u64::from(owner.mode))));
        // Most exports do not say the inode of what has one name.
        let inode = facts.map(|facts| facts.inode).filter(|inode| *inode != 0);
        let links = facts.and_then(|facts| facts.links);
        let device = match (id, links) {
            (Some(id), _) => Some(self.tree.device(id)),
            (None, Some(links)) => Some(self.tree.devices().number(links.device)),
            (None, None) => above.filter(|_| facts.is_some()),
        };
        line.put("inode", inode.map(Value::Number));
        line.put("device", device.map(Value::Number));
        line.put("links", links.filter(|links| links.count > 0).map(|links| Value::Number(links.count)));
    }
}

/// A line being written.
struct Line<'l, 'o> {
    writer: &'l mut Writer<'o>,
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

    /// Writes a field, if it has a value. In JSON one without is left out.
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

    /// Writes a value; of a path that cannot be written as it is, returns it in base64.
    fn csv(&mut self, value: &Value<'_>) -> Option<String> {
        match value {
            Value::Path(bytes) => {
                let shown = printable(bytes);
                self.quoted(&shown);
                return (shown.as_bytes() != *bytes).then(|| base64(bytes));
            }
            Value::Text(text) => self.quoted(text),
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

/// U+FFFD stands for what is not UTF-8, and for control characters, which CSV cannot escape.
fn printable(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    let is_unprintable = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    if text.contains(is_unprintable) { text.replace(is_unprintable, "\u{fffd}").into() } else { text }
}
