//! Reads a list, which has one line per entry, and writes the entries to a tree.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::ListOptions;
use super::entry_line::EntryLine;
use super::faults::LineFaults;
use super::field::ListField;
use super::json_line::ObjectParser;
use super::layout::{ListForm, ListLayout};
use super::live::LiveTree;
use super::path_tree::{ListHost, PathTree};
use super::records::{RecordEnd, RecordReader};
use super::separated::FieldTexts;
use super::value::{LineError, url_decoded};
use super::write::{ListTarget, RootLabel};
use crate::base::os_error::error_numbers;
use crate::formats::builder::{Builder, Counts, UNREADABLE};
use crate::formats::flat::Provenance;
use crate::formats::input::Reason;
use crate::tree::{Batch, EntryState, Tree};

/// Map from host names to host numbers. A host name has the same number in all inputs.
#[derive(Debug)]
pub(crate) struct HostNumbers {
    known: HashMap<Vec<u8>, u32>,
    next: u32,
}

impl HostNumbers {
    /// Creates an empty map. The first new host gets the number `first`.
    pub(crate) fn from(first: u32) -> Self {
        Self { known: HashMap::new(), next: first }
    }

    fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.known.get(name) {
            return *number;
        }
        self.known.insert(name.to_vec(), self.next);
        self.next += 1;
        self.next - 1
    }
}

/// Reader for one list, with the entries that have been read but not written yet.
pub(crate) struct ListReader<'d> {
    layout: ListLayout,
    objects: ObjectParser,
    texts: FieldTexts,
    line: EntryLine,
    tree: PathTree,
    faults: LineFaults,
    errnos: HashMap<String, i32>,
    target: &'d Tree,
    /// Host number, device number and device index of the most recent line that names a device.
    device: Option<(u32, u64, u32)>,
    /// Host number for lines that do not name a host.
    host: u32,
    /// `true` if the program that wrote the list failed.
    has_failed: bool,
    /// Message to report if the list has no entries.
    empty_message: &'static str,
}

impl<'d> ListReader<'d> {
    /// Creates a reader that reads a list into the tree `target`. `host` is the host number for lines that do not
    /// name a host.
    ///
    /// # Errors
    /// Returns an error if the root in `options` is not a valid path.
    pub(crate) fn new(
        layout: ListLayout,
        options: &ListOptions,
        target: &'d Tree,
        host: u32,
    ) -> Result<Self, LineError> {
        let tree = PathTree::new(options.root.as_deref());
        let is_part = options.root.is_some();
        Ok(Self {
            objects: ObjectParser::new(&layout.given),
            layout,
            texts: FieldTexts::default(),
            line: EntryLine::default(),
            tree: tree.map_err(|reason| format!("--root: {reason}"))?,
            faults: LineFaults::default(),
            errnos: error_numbers(),
            target,
            device: None,
            host,
            has_failed: false,
            empty_message: if is_part {
                "no entry is inside the directory given with --root"
            } else {
                "the list has no entries"
            },
        })
    }

    /// Reads all lines, and counts their entries in `counts`. If there is a `live` tree, adds the entries to it.
    /// Otherwise, stores the entries until [`ListReader::write`] is called.
    ///
    /// # Errors
    /// Returns an error if reading is stopped or fails. The lines read so far can still be written.
    pub(crate) fn read(
        &mut self,
        records: &mut RecordReader<'_>,
        hosts: &mut HostNumbers,
        counts: &Cell<Counts>,
        live: &RefCell<Option<LiveTree<'d>>>,
    ) -> Result<(), Reason> {
        let end = match self.layout.form {
            ListForm::Objects { .. } => RecordEnd::Newline,
            ListForm::Csv { separator, .. } => RecordEnd::Csv(separator),
            ListForm::Tabs { end, .. } => end,
        };
        let mut is_open = self.layout.form == ListForm::Objects { is_array: true };
        while let Some(record) = records.next(end)? {
            let read = record.bytes.and_then(|bytes| {
                let bytes = records.bytes(bytes);
                is_open &= bytes.trim_ascii_end().last() != Some(&b']');
                self.facts(bytes)
            });
            if matches!(read, Ok(true)) {
                self.line.number_class(self.target.storage_classes());
            }
            let added = read.and_then(|is_entry| match live.borrow_mut().as_mut() {
                _ if !is_entry => Ok(false),
                Some(live) => live.add(&self.line).map(|()| true),
                None => self.add(hosts),
            });
            match added {
                Ok(true) => self.count(counts),
                Ok(false) => {}
                Err(reason) => self.faults.note(|| format!("{} {}: {reason}", unit(end), record.number)),
            }
        }
        if is_open {
            let last = records.number().saturating_sub(1);
            self.faults.note(|| match last {
                0 => "the input is empty".to_owned(),
                _ => format!("truncated after line {last} (the JSON array is not closed)"),
            });
        }
        Ok(())
    }

    /// Sets a read error for every root. Used if the program that wrote the list failed.
    pub(crate) fn fail(&mut self) {
        self.has_failed = true;
        self.tree.fail();
    }

    /// Adds the entries of all lines read so far to the tree. Returns the host and scan time of each root, and
    /// the messages for errors in the list. If there are neither roots nor errors, the only message says that there
    /// are no entries.
    pub(crate) fn write(
        mut self,
        builder: &mut Builder<'d>,
        label: RootLabel<'_>,
    ) -> (Vec<Provenance>, Vec<String>) {
        let mut target = ListTarget {
            tree: self.target,
            builder,
            label,
            sizes: self.layout.sizes,
            faults: &mut self.faults,
            batch: Batch::default(),
            counts: Counts::default(),
        };
        let mut roots = self.tree.write(&mut target);
        if let RootLabel::Name(name) = label
            && roots.is_empty()
            && !self.has_failed
        {
            roots.push(target.write_empty(name, self.host));
        }
        let mut messages = self.faults.into_messages();
        if roots.is_empty() && messages.is_empty() {
            messages.push(self.empty_message.to_owned());
        }
        (roots, messages)
    }

    /// Returns the messages for errors in the list. Does not write any entries to the tree.
    pub(crate) fn into_messages(self) -> Vec<String> {
        self.faults.into_messages()
    }

    /// Parses the fields of a line. Returns `false` if the line contains no entry.
    fn facts(&mut self, record: &[u8]) -> Result<bool, LineError> {
        self.line.clear();
        match self.layout.form {
            ListForm::Objects { is_array } => {
                let text = if is_array { element(record) } else { record.trim_ascii() };
                if text.is_empty() {
                    return Ok(false);
                }
                let errnos = &self.errnos;
                self.objects.read(text, &mut self.line, |text| errno(errnos, text))?;
                return Ok(true);
            }
            ListForm::Csv { separator, width } => {
                if record.trim_ascii().is_empty() {
                    return Ok(false);
                }
                self.texts.split_csv(record, separator)?;
                check_width(self.texts.len(), width)?;
            }
            ListForm::Tabs { width, path, .. } => self.texts.split_tabs(record, width, path)?,
        }
        for (index, meaning) in &self.layout.columns {
            if *index >= self.texts.len() {
                return Err(format!("no column {}", index + 1).into());
            }
            let text = match self.layout.form {
                ListForm::Tabs { .. } => self.texts.tabbed(*index),
                ListForm::Csv { .. } | ListForm::Objects { .. } => self.texts.csv(*index),
            };
            let is_encoded = meaning.field == ListField::Path && self.layout.is_url_encoded;
            let decoded = if is_encoded { url_decoded(text).map(Cow::from) } else { Ok(text.into()) };
            let set = decoded.and_then(|text| match &*text {
                b"" => Ok(()),
                text => self.line.set(*meaning, text, |text| errno(&self.errnos, text)),
            });
            set.map_err(|reason| format!("{}: {reason}", meaning.field.name().replace(' ', "_")))?;
        }
        Ok(true)
    }

    fn add(&mut self, hosts: &mut HostNumbers) -> Result<bool, LineError> {
        let number = if self.line.host.is_empty() { self.host } else { hosts.number(&self.line.host) };
        let device = self.line.facts.device.map(|device| match self.device {
            Some((host, known, index)) if (host, known) == (number, device) => index,
            _ => {
                let index = self.target.devices().of_host(number).index(device);
                self.device = Some((number, device, index));
                index
            }
        });
        self.tree.add(&self.line, ListHost { number, name: &self.line.host }, device)
    }

    fn count(&self, counts: &Cell<Counts>) {
        let mut sums = counts.get();
        let state = self.line.facts.state();
        sums.entries += u64::from(!matches!(state, EntryState::Excluded(_)));
        sums.errors += u64::from(self.line.facts.errno().is_some());
        if let EntryState::Known(metadata) = state {
            sums.disk = sums.disk.saturating_add(metadata.disk());
        }
        counts.set(sums);
    }
}

/// Returns the error number for an error message, or [`UNREADABLE`] if the message is unknown.
fn errno(errnos: &HashMap<String, i32>, message: &[u8]) -> i32 {
    let known = std::str::from_utf8(message).ok().and_then(|message| errnos.get(message));
    known.copied().unwrap_or(UNREADABLE)
}

/// Returns the JSON object in a line of an array, without the brackets and commas around it.
fn element(line: &[u8]) -> &[u8] {
    let mut text = line.trim_ascii();
    text = text.strip_prefix(b"[").or_else(|| text.strip_prefix(b",")).unwrap_or(text).trim_ascii_start();
    if text == b"]" {
        return b"";
    }
    let end = text.strip_suffix(b"]").map(<[u8]>::trim_ascii_end).filter(|text| text.ends_with(b"}"));
    end.or_else(|| text.strip_suffix(b",")).unwrap_or(text)
}

fn check_width(found: usize, expected: Option<usize>) -> Result<(), LineError> {
    match expected {
        Some(expected) if found < expected => Err("fewer columns than the header".into()),
        Some(expected) if found > expected => Err("more columns than the header".into()),
        _ => Ok(()),
    }
}

/// Returns the word that messages use for a record.
fn unit(end: RecordEnd) -> &'static str {
    if end == RecordEnd::Nul { "record" } else { "line" }
}
