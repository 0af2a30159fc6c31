//! Writing ncdu's JSON export, version 1.2, byte for byte as ncdu 2 writes it but for the name of the program.
//!
//! Sizes of directories are their own; names are the bytes they are; what hard links share stands at every name. What the
//! format has no word for: why something could not be read, caches left out (as a pattern), times before 1970 (as 1970).
//!
//! Invariant: nothing recurses, and memory is held for the way down only. What was read from an export is written as it was.

use std::io::{self, Write};

use crate::json::Writer;
use crate::kind::Kind;
use crate::tree::{Content, DirId, Entries, Exclusion, Facts, Record, Tree};

/// A tree with one root, to be written once.
pub struct Export<'t> {
    /// The tree, complete.
    pub tree: &'t Tree,
    /// What the root is called: its absolute path.
    pub name: &'t [u8],
    /// When it was scanned, in seconds since 1970.
    pub scanned_at: i64,
}

/// A directory whose entries are being written.
struct Open<'t> {
    entries: Entries<'t>,
    device: u64,
}

impl<'t> Export<'t> {
    /// The root of a tree that can be written: a directory, and the only one.
    pub fn root(tree: &'t Tree) -> Option<(Record<'t>, DirId)> {
        let mut roots = tree.listing(DirId::TOP).into_iter();
        match (roots.next(), roots.next()) {
            (Some(root), None) => match root.content {
                Content::Known(Facts { directory: Some(id), .. }) => Some((root, id)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Writes the document.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut json = Writer::new(out);
        json.raw("[1,2,{\"progname\":\"duke\",\"progver\":\"");
        json.raw(env!("CARGO_PKG_VERSION"));
        json.raw("\",\"timestamp\":");
        json.number(self.scanned_at.max(0).unsigned_abs());
        json.raw("}");
        if let Some((root, _)) = Self::root(self.tree) {
            self.directory(&mut json, &Record { name: self.name, ..root })?;
        }
        json.raw("]\n");
        json.finish()
    }

    fn directory(&self, json: &mut Writer<'_>, root: &Record<'t>) -> io::Result<()> {
        let mut open: Vec<Open<'t>> = Vec::new();
        // As ncdu: the root always says its device.
        open.extend(self.entry(json, root, 0));
        while let Some(directory) = open.last_mut() {
            if let Some(record) = directory.entries.next() {
                let device = directory.device;
                open.extend(self.entry(json, &record, device));
            } else {
                json.raw("]");
                open.pop();
            }
            json.spill()?;
        }
        Ok(())
    }

    /// Writes an entry of a directory on `device`; of a directory, everything before its entries.
    fn entry(&self, json: &mut Writer<'_>, record: &Record<'t>, device: u64) -> Option<Open<'t>> {
        let facts = match &record.content {
            Content::Known(facts) => facts,
            Content::Failed(_) => {
                begin(json, ",\n{", record.name);
                json.raw(",\"read_error\":true}");
                return None;
            }
            Content::Excluded(exclusion) => {
                self::excluded(json, record.name, *exclusion);
                return None;
            }
        };
        begin(json, if facts.directory.is_some() { ",\n[{" } else { ",\n{" }, record.name);
        sizes(json, facts);
        let own = facts.directory.map(|id| self.tree.device(id));
        let linked = facts.links.map(|links| self.tree.devices().number(links.device));
        if let Some(other) = own.or(linked).filter(|other| *other != device) {
            json.field(",\"dev\":", other);
        }
        if let Some(links) = facts.links {
            json.field(",\"ino\":", facts.inode);
            json.raw(",\"hlnkc\":true");
            // Not known from old exports.
            if links.count > 0 {
                json.field(",\"nlink\":", links.count);
            }
        }
        if facts.directory.is_none() && record.kind != Kind::File {
            json.raw(",\"notreg\":true");
        }
        extended(json, facts);
        let Some(id) = facts.directory else {
            json.raw("}");
            return None;
        };
        json.raw(if self.tree.status(id).errno.is_some() { ",\"read_error\":true}" } else { "}" });
        Some(Open { entries: self.tree.listing(id).into_iter(), device: self.tree.device(id) })
    }
}

fn begin(json: &mut Writer<'_>, bracket: &str, name: &[u8]) {
    json.raw(bracket);
    json.raw("\"name\":");
    json.raw_string(name);
}

fn sizes(json: &mut Writer<'_>, facts: &Facts) {
    if facts.apparent > 0 {
        json.field(",\"asize\":", facts.apparent);
    }
    if facts.blocks > 0 {
        json.field(",\"dsize\":", facts.disk());
    }
}

/// What `-e` asks for. A time alone is what gdu knows.
fn extended(json: &mut Writer<'_>, facts: &Facts) {
    let Some(owner) = facts.owner else { return };
    json.field(",\"uid\":", u64::from(owner.uid));
    json.field(",\"gid\":", u64::from(owner.gid));
    json.field(",\"mode\":", u64::from(owner.mode));
    json.field(",\"mtime\":", facts.mtime.max(0).unsigned_abs());
}

fn excluded(json: &mut Writer<'_>, name: &[u8], exclusion: Exclusion) {
    let (bracket, rest) = match exclusion {
        Exclusion::OtherFileSystem => (",\n[{", ",\"excluded\":\"otherfs\"}]"),
        Exclusion::KernelFileSystem => (",\n[{", ",\"excluded\":\"kernfs\"}]"),
        Exclusion::Pattern | Exclusion::Caches | Exclusion::Dataless => {
            (",\n{", ",\"excluded\":\"pattern\"}")
        }
    };
    begin(json, bracket, name);
    json.raw(rest);
}
