//! Writer of ncdu's JSON export, version 1.2. Apart from the program's name and version, the output is byte-for-byte
//! identical to that of ncdu 2.
//!
//! Each directory is written with its own sizes only. Names are written as raw bytes. Every name of a hard-linked inode
//! is written with the size of the inode. The format cannot express the cause of a read error, a time before 1970, or
//! some reasons for exclusion. Earlier times are written as 1970, and a cache directory, for example, is written as
//! excluded by a pattern.
//!
//! Invariant: no function is recursive, and memory holds only the directories on the path to the current entry. A tree
//! that was read from an export of ncdu 2 is written unchanged.

use std::io::{self, Write};

use crate::base::json::JsonWriter;
use crate::base::kind::Kind;
use crate::formats::WrittenEntries;
use crate::tree::{DirId, Entries, Entry, EntryState, Exclusion, Metadata, Tree};

/// Export of a tree that has exactly one root.
pub struct Export<'t> {
    /// Tree to export, which must be complete.
    pub tree: &'t Tree,
    /// Name of the root: its absolute path.
    pub name: &'t [u8],
    /// Time of the scan in seconds since 1970.
    pub scanned_at: i64,
    /// Counter of the entries written so far, excluding the root.
    pub written: &'t WrittenEntries,
}

/// Directory whose entries are being written.
struct Open<'t> {
    entries: Entries<'t>,
    device: u64,
}

impl<'t> Export<'t> {
    /// Returns the root to export; `None` unless the tree has exactly one root and that root is a directory.
    pub fn root(tree: &'t Tree) -> Option<(Entry<'t>, DirId)> {
        let mut roots = tree.listing(DirId::TOP).into_iter();
        match (roots.next(), roots.next()) {
            (Some(root), None) => match root.state {
                EntryState::Known(Metadata { directory: Some(id), .. }) => Some((root, id)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Writes the whole export to `out`.
    ///
    /// # Errors
    /// Returns an error if `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut json = JsonWriter::new(out);
        json.raw("[1,2,{\"progname\":\"duke\",\"progver\":\"");
        json.raw(env!("CARGO_PKG_VERSION"));
        json.raw("\",\"timestamp\":");
        json.number(self.scanned_at.max(0).unsigned_abs());
        json.raw("}");
        if let Some((root, _)) = Self::root(self.tree) {
            self.directory(&mut json, &Entry { name: self.name, ..root })?;
        }
        json.raw("]\n");
        json.finish()
    }

    fn directory(&self, json: &mut JsonWriter<'_>, root: &Entry<'t>) -> io::Result<()> {
        let mut open: Vec<Open<'t>> = Vec::new();
        // Because 0 is passed as the parent's device, the root gets a `dev` field, as in ncdu's exports.
        open.extend(self.entry(json, root, 0));
        while let Some(directory) = open.last_mut() {
            if let Some(record) = directory.entries.next() {
                let device = directory.device;
                open.extend(self.entry(json, &record, device));
                self.written.add(1);
            } else {
                json.raw("]");
                open.pop();
            }
            json.spill()?;
        }
        Ok(())
    }

    /// Writes an entry. If the entry is a directory, leaves its JSON array open, so that the caller can write its
    /// children, and returns the directory. `device` is the device of the parent directory.
    fn entry(&self, json: &mut JsonWriter<'_>, record: &Entry<'t>, device: u64) -> Option<Open<'t>> {
        let metadata = match &record.state {
            EntryState::Known(metadata) => metadata,
            EntryState::Failed(_) => {
                begin(json, ",\n{", record.name);
                json.raw(",\"read_error\":true}");
                return None;
            }
            EntryState::Excluded(exclusion) => {
                self::excluded(json, record.name, *exclusion);
                return None;
            }
        };
        begin(json, if metadata.directory.is_some() { ",\n[{" } else { ",\n{" }, record.name);
        sizes(json, metadata);
        let own = metadata.directory.map(|id| self.tree.device(id));
        let linked = metadata.links.map(|links| self.tree.devices().number(links.device));
        if let Some(other) = own.or(linked).filter(|other| *other != device) {
            json.field(",\"dev\":", other);
        }
        if let Some(links) = metadata.links {
            json.field(",\"ino\":", metadata.inode);
            json.raw(",\"hlnkc\":true");
            // The count is 0 if the tree was imported from an old export, which contains no link counts.
            if links.count > 0 {
                json.field(",\"nlink\":", links.count);
            }
        }
        if metadata.directory.is_none() && record.kind != Kind::File {
            json.raw(",\"notreg\":true");
        }
        extended(json, metadata);
        let Some(id) = metadata.directory else {
            json.raw("}");
            return None;
        };
        json.raw(if self.tree.status(id).errno.is_some() { ",\"read_error\":true}" } else { "}" });
        Some(Open { entries: self.tree.listing(id).into_iter(), device: self.tree.device(id) })
    }
}

fn begin(json: &mut JsonWriter<'_>, bracket: &str, name: &[u8]) {
    json.raw(bracket);
    json.raw("\"name\":");
    json.raw_string(name);
}

fn sizes(json: &mut JsonWriter<'_>, metadata: &Metadata) {
    if metadata.apparent > 0 {
        json.field(",\"asize\":", metadata.apparent);
    }
    if metadata.blocks > 0 {
        json.field(",\"dsize\":", metadata.disk());
    }
}

/// Writes the fields that ncdu writes with `-e`. Writes none of them if the owner is unknown, as in trees
/// read from exports of gdu, which record only the modification time.
fn extended(json: &mut JsonWriter<'_>, metadata: &Metadata) {
    let Some(owner) = metadata.owner else { return };
    json.field(",\"uid\":", u64::from(owner.uid));
    json.field(",\"gid\":", u64::from(owner.gid));
    json.field(",\"mode\":", u64::from(owner.mode));
    json.field(",\"mtime\":", metadata.mtime.max(0).unsigned_abs());
}

fn excluded(json: &mut JsonWriter<'_>, name: &[u8], exclusion: Exclusion) {
    let (bracket, rest) = match exclusion {
        Exclusion::OtherFileSystem | Exclusion::Snapshot | Exclusion::SecondMount => {
            (",\n[{", ",\"excluded\":\"otherfs\"}]")
        }
        Exclusion::KernelFileSystem => (",\n[{", ",\"excluded\":\"kernfs\"}]"),
        Exclusion::Pattern
        | Exclusion::Caches
        | Exclusion::Dataless
        | Exclusion::SecondLink
        | Exclusion::OtherPart => (",\n{", ",\"excluded\":\"pattern\"}"),
    };
    begin(json, bracket, name);
    json.raw(rest);
}
