//! The document of `--json`: schema `duke/1`, described in docs/json.md and docs/schema.json.
//!
//! Knows nothing of how a tree comes to be. Invariant: memory is held for the buffer and for the order of the directories on
//! the way down, never for the depth of a call or the size of the tree.

use std::io::{self, Write};
use std::time::Duration;

use super::summary::Summary;
use super::writer::Writer;
use super::{filesystem, links, sizes};
use crate::space::{FileSystem, Space};
use crate::tree::order::{Names, Row, sort};
use crate::tree::{Content, DirId, Exclusion, Facts, Index, Live, Owner, Record, Totals, Tree};

/// What a scan has found, to be written once.
pub struct Report<'t> {
    /// The tree.
    pub tree: &'t Tree,
    /// What is still open in it: nothing, unless the scan had to be left alone.
    pub live: Live,
    /// Whether everything was read, as far as it could be.
    pub is_complete: bool,
    /// How long the scan took.
    pub elapsed: Duration,
    /// Entries that take fewer bytes of the disk are left out, but for roots.
    pub least: u64,
    /// What is written of it.
    pub body: Body<'t>,
}

/// What is written of a scan.
#[derive(Clone, Copy, Debug)]
pub enum Body<'t> {
    /// The tree.
    Tree {
        /// How many levels below the roots are written; none for all.
        depth: Option<usize>,
        /// The lists that were asked for.
        summary: &'t Summary,
        /// The file system of a root, if it is known.
        system: Option<&'t FileSystem>,
    },
    /// The file systems it has met.
    Spaces(&'t [Space]),
}

/// What stands before the first element of a list, and before every other: each has a line of its own.
const FIRST: &str = "\n";
const NEXT: &str = ",\n";

/// A directory whose children are being written.
struct Open<'t> {
    rows: std::vec::IntoIter<Row>,
    index: Index<'t>,
    separator: &'static str,
    end: End,
}

/// What stands behind the children of a directory.
#[derive(Clone, Copy)]
struct End {
    owner: Option<Owner>,
    errno: Option<i32>,
}

impl<'t> Report<'t> {
    /// Writes the document.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut json = Writer::new(out);
        self.head(&mut json);
        self.errors(&mut json)?;
        match self.body {
            Body::Tree { depth, summary, system } => {
                if let Some(system) = system {
                    json.raw(",\n\"filesystem\":");
                    filesystem::of_root(&mut json, system);
                }
                summary.write(&mut json, self.tree)?;
                self.roots(&mut json, depth)?;
            }
            Body::Spaces(spaces) => spaces_list(&mut json, spaces),
        }
        json.raw("]}\n");
        json.finish()
    }

    fn roots(&self, json: &mut Writer<'_>, limit: Option<usize>) -> io::Result<()> {
        json.raw(",\n\"roots\":[");
        let roots = self.tree.listing(DirId::TOP);
        let mut separator = FIRST;
        for (_, root) in roots.entries() {
            json.raw(std::mem::replace(&mut separator, NEXT));
            self.root(json, &root, limit)?;
        }
        Ok(())
    }

    fn head(&self, json: &mut Writer<'_>) {
        json.head("duke/1");
        json.boolean(self.is_complete);
        json.field(",\"elapsed_ms\":", u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX));
        let Totals { disk, apparent, items, errors } = self.totals(DirId::TOP);
        json.field(",\n\"totals\":{\"disk\":", disk);
        json.field(",\"apparent\":", apparent);
        json.field(",\"items\":", items);
        json.field(",\"errors\":", u64::from(errors));
        json.raw("},\n");
    }

    /// What could not be read, by path: threads find errors in any order.
    fn errors(&self, json: &mut Writer<'_>) -> io::Result<()> {
        let mut failures: Vec<(Vec<u8>, i32)> = self
            .tree
            .failures()
            .iter()
            .map(|failure| (self.tree.failure_path(failure), failure.errno))
            .collect();
        failures.sort_unstable();
        json.raw("\"errors\":[");
        let mut separator = FIRST;
        for (path, errno) in &failures {
            json.raw(std::mem::replace(&mut separator, NEXT));
            json.raw("{");
            json.name("path", path);
            json.failure(*errno);
            json.raw("}");
            json.spill()?;
        }
        json.raw("]");
        Ok(())
    }

    fn root(&self, json: &mut Writer<'_>, root: &Record<'t>, limit: Option<usize>) -> io::Result<()> {
        let mut open: Vec<Open<'t>> = Vec::new();
        open.extend(self.entry(json, root, limit));
        while let Some(directory) = open.last_mut() {
            if let Some(row) = directory.rows.next() {
                let Some(record) = directory.index.record(row.position) else { continue };
                json.raw(std::mem::replace(&mut directory.separator, NEXT));
                let left = limit.map(|limit| limit - open.len());
                open.extend(self.entry(json, &record, left));
            } else {
                json.raw("]");
                end(json, directory.end);
                open.pop();
            }
            json.spill()?;
        }
        Ok(())
    }

    /// Writes an entry; of a directory with children to come, everything before them. So many levels below it are `left`.
    fn entry(&self, json: &mut Writer<'_>, record: &Record<'t>, left: Option<usize>) -> Option<Open<'t>> {
        // As `Writer::name`, in fewer pieces: this is done for every entry.
        json.raw("{\"name\":");
        if !json.string(record.name) {
            json.raw(",\"name_base64\":");
            json.base64(record.name);
        }
        json.raw(",\"type\":\"");
        json.raw(record.kind.name());
        json.raw("\"");
        match &record.content {
            Content::Excluded(exclusion) => {
                json.raw(",\"excluded\":\"");
                json.raw(name_of(*exclusion));
                json.raw("\"}");
            }
            Content::Failed(errno) => end(json, End { owner: None, errno: Some(*errno) }),
            Content::Known(facts) => match facts.directory {
                Some(id) => return self.directory(json, facts, id, left),
                None => self.file(json, facts),
            },
        }
        None
    }

    fn file(&self, json: &mut Writer<'_>, facts: &Facts) {
        sizes(json, facts.disk(), facts.apparent, facts.mtime);
        links(json, self.tree, facts);
        end(json, End { owner: facts.owner, errno: None });
    }

    fn directory(
        &self,
        json: &mut Writer<'_>,
        facts: &Facts,
        id: DirId,
        left: Option<usize>,
    ) -> Option<Open<'t>> {
        let totals = self.totals(id);
        sizes(json, totals.disk, totals.apparent, facts.mtime);
        json.raw(",\"items\":");
        json.number(totals.items);
        json.raw(",\"shared\":");
        json.number(self.tree.shared(id));
        let after = End { owner: facts.owner, errno: self.tree.status(id).errno };
        if left == Some(0) {
            end(json, after);
            return None;
        }
        json.raw(",\"children\":[");
        let listing = self.tree.listing(id);
        let disk = |record: &Record<'_>| Some(self.disk(record)).filter(|disk| *disk >= self.least);
        let rows = sort(&listing, Names::Ascending, disk).into_iter();
        Some(Open { rows, index: Index::new(&listing), separator: FIRST, end: after })
    }

    fn disk(&self, record: &Record<'_>) -> u64 {
        match &record.content {
            Content::Known(facts) => facts.directory.map_or(facts.disk(), |id| self.totals(id).disk),
            Content::Excluded(_) | Content::Failed(_) => 0,
        }
    }

    fn totals(&self, id: DirId) -> Totals {
        self.live.totals(self.tree, id)
    }
}

fn spaces_list(json: &mut Writer<'_>, spaces: &[Space]) {
    json.raw(",\n\"filesystems\":[");
    let mut separator = FIRST;
    for space in spaces {
        json.raw(std::mem::replace(&mut separator, NEXT));
        filesystem::write(json, space);
    }
}

/// Writes the last keys of an entry and closes it.
fn end(json: &mut Writer<'_>, end: End) {
    if let Some(Owner { uid, gid, mode }) = end.owner {
        json.field(",\"uid\":", u64::from(uid));
        json.field(",\"gid\":", u64::from(gid));
        json.field(",\"mode\":", u64::from(mode));
    }
    if let Some(errno) = end.errno {
        json.failure(errno);
    }
    json.raw("}");
}

/// The word for why an entry was left out.
pub(crate) fn name_of(exclusion: Exclusion) -> &'static str {
    match exclusion {
        Exclusion::Pattern => "pattern",
        Exclusion::OtherFileSystem => "other_filesystem",
        Exclusion::KernelFileSystem => "kernel_filesystem",
        Exclusion::Caches => "caches",
        Exclusion::Dataless => "dataless",
    }
}
