//! Document that `duke duplicates --json` prints. Its schema is `duke-duplicates/1`, described in docs/duplicates.md
//! and docs/schema.json.
//!
//! Invariant: the document is streamed; memory holds only one buffer of its text at a time.

use std::io::{self, Write};

use super::report::errors;
use crate::base::json::JsonWriter;
use crate::duplicates::{Duplicate, DuplicateGroup, DuplicateKind, Duplicates, SkipReason, Skipped};
use crate::tree::{EntryId, Tree};

/// Duplicates to write as JSON.
pub struct DuplicatesReport<'t> {
    pub tree: &'t Tree,
    pub found: &'t Duplicates,
    /// `true` if the scan read all readable entries.
    pub is_complete: bool,
}

impl DuplicatesReport<'_> {
    /// Writes the document.
    ///
    /// # Errors
    /// Returns an error if `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = JsonWriter::new(out);
        let json = &mut writer;
        let found = self.found;
        json.head("duke-duplicates/1");
        json.boolean(self.is_complete);
        json.field(",\"wasted\":", found.wasted());
        json.field(",\"bytes_read\":", found.progress.read);
        json.field(",\"not_ordinary\":", found.unopened);
        json.raw(",\n");
        errors(json, self.tree)?;
        list(json, ",\n\"skipped\":", &found.skipped, |json, skipped| {
            self.skipped(json, skipped);
            Ok(())
        })?;
        list(json, ",\n\"groups\":", &found.groups, |json, group| self.group(json, group))?;
        json.raw("}\n");
        writer.finish()
    }

    fn skipped(&self, json: &mut JsonWriter<'_>, skipped: &Skipped) {
        json.raw("{");
        self.path(json, skipped.entry);
        json.raw(match skipped.reason {
            SkipReason::Failed(_) => ",\"reason\":\"unreadable\"",
            SkipReason::Changing => ",\"reason\":\"changed\"",
            SkipReason::Special => ",\"reason\":\"special\"",
        });
        if let SkipReason::Failed(errno) = skipped.reason {
            json.failure(errno);
        }
        json.raw("}");
    }

    fn group(&self, json: &mut JsonWriter<'_>, group: &DuplicateGroup) -> io::Result<()> {
        match group.kind {
            DuplicateKind::File => json.raw("{\"type\":\"file\""),
            DuplicateKind::Directory { files } => {
                json.raw("{\"type\":\"directory\"");
                json.field(",\"files\":", files);
            }
        }
        json.field(",\"size\":", group.size);
        json.field(",\"wasted\":", group.wasted);
        list(json, ",\"copies\":", &group.copies, |json, copy| self.copy(json, copy))?;
        json.raw("}");
        Ok(())
    }

    fn copy(&self, json: &mut JsonWriter<'_>, copy: &Duplicate) -> io::Result<()> {
        json.raw("{");
        self.path(json, copy.entry);
        json.field(",\"disk\":", copy.disk);
        json.raw(",\"mtime\":");
        json.signed(copy.mtime);
        if copy.is_linked_elsewhere {
            json.raw(",\"linked_elsewhere\":true");
        }
        if copy.is_shared {
            json.field(",\"storage\":", u64::from(copy.storage));
        }
        if !copy.other_names.is_empty() {
            list(json, ",\"other_names\":", &copy.other_names, |json, name| {
                json.raw("{");
                self.path(json, *name);
                json.raw("}");
                Ok(())
            })?;
        }
        json.raw("}");
        Ok(())
    }

    fn path(&self, json: &mut JsonWriter<'_>, entry: EntryId) {
        json.name("path", &entry.path(self.tree).unwrap_or_default());
    }
}

/// Writes a list, one element on each line.
fn list<T>(
    json: &mut JsonWriter<'_>,
    key: &str,
    elements: &[T],
    mut write: impl FnMut(&mut JsonWriter<'_>, &T) -> io::Result<()>,
) -> io::Result<()> {
    json.raw(key);
    json.raw("[");
    let mut separator = "\n";
    for element in elements {
        json.raw(std::mem::replace(&mut separator, ",\n"));
        write(json, element)?;
        json.spill()?;
    }
    json.raw("]");
    Ok(())
}
