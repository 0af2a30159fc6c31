//! Document that `--json` prints. Its schema is `duke/1`, described in docs/json.md and docs/schema.json.
//!
//! Invariant: besides the tree, writing keeps in memory only a buffer, the read errors, and the sorted entries of the
//! directories on the path to the current entry. No other memory grows with the size of the tree, and no function is
//! recursive.

use std::io::{self, Write};
use std::time::Duration;

use super::summary::Summary;
use super::{accuracy, filesystem, frees, links, sizes};
use crate::base::json::JsonWriter;
use crate::base::sort::sort_by;
use crate::base::sync::Arc;
use crate::df::{FileSystem, FileSystemUsage};
use crate::tree::sort::{Names, SortRow, sort};
use crate::tree::{
    Accuracy, DirId, Entry, EntryState, ExclusiveCoverage, ExclusiveSizes, Index, LiveTotals, Metadata,
    Owner, Totals, Tree,
};

/// Scan result to write as JSON.
pub struct Report<'t> {
    pub tree: &'t Tree,
    /// Totals of directories that were still incomplete when a hung scan was abandoned; otherwise empty.
    pub live: LiveTotals,
    /// `true` if the scan read all readable entries.
    pub is_complete: bool,
    pub elapsed: Duration,
    /// Disk usage in bytes below which entries are omitted. Roots are never omitted.
    pub least: u64,
    /// Bytes that deleting each entry would free; `None` unless requested.
    pub exclusive: Option<Arc<ExclusiveSizes>>,
    pub body: Body<'t>,
}

/// Contents of the document: a tree, or the usage of file systems.
#[derive(Clone, Copy, Debug)]
pub enum Body<'t> {
    /// The scanned tree, the lists requested with `--top` and `--by`, and a file system (see the field `system`).
    Tree {
        /// Number of levels below the roots; `None` for all.
        depth: Option<usize>,
        /// Lists requested with `--top` and `--by`.
        summary: &'t Summary,
        /// File system of the first root that is a mount point. If no root is a mount point: with `-x`, the file system
        /// of the first root that still exists, if any; without `-x`, `None`. Always `None` if the scan is incomplete,
        /// and for imports and snapshots.
        system: Option<&'t FileSystem>,
    },
    /// Usage of the file systems that the scan visited.
    Spaces(&'t [FileSystemUsage]),
}

/// Separators before the first element of a list and before each later element. Each element is on its own line.
const FIRST: &str = "\n";
const NEXT: &str = ",\n";

/// Directory whose children are being written.
struct Open<'t> {
    id: DirId,
    rows: std::vec::IntoIter<SortRow>,
    index: Index<'t>,
    separator: &'static str,
    end: End,
}

/// Values of the last keys in an entry's object. In a directory's object, these keys follow the children.
#[derive(Clone, Copy)]
struct End {
    owner: Option<Owner>,
    errno: Option<i32>,
}

impl<'t> Report<'t> {
    /// Writes the document.
    ///
    /// # Errors
    /// Returns an error if `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut json = JsonWriter::new(out);
        self.head(&mut json);
        errors(&mut json, self.tree)?;
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

    fn roots(&self, json: &mut JsonWriter<'_>, limit: Option<usize>) -> io::Result<()> {
        json.raw(",\n\"roots\":[");
        let roots = self.tree.listing(DirId::TOP);
        let mut separator = FIRST;
        for (_, root) in roots.entries() {
            json.raw(std::mem::replace(&mut separator, NEXT));
            self.root(json, &root, limit)?;
        }
        Ok(())
    }

    fn head(&self, json: &mut JsonWriter<'_>) {
        json.head("duke/1");
        json.boolean(self.is_complete);
        json.field(",\"elapsed_ms\":", u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX));
        let Totals { disk, apparent, items, errors } = self.totals(DirId::TOP);
        json.field(",\n\"totals\":{\"disk\":", disk);
        json.field(",\"apparent\":", apparent);
        json.field(",\"items\":", items);
        json.field(",\"errors\":", u64::from(errors));
        json.raw("},\n");
        if let Some(ExclusiveCoverage { read, by_links, unread, accuracy: found }) =
            self.exclusive.as_ref().map(|sizes| sizes.coverage)
        {
            json.field("\"frees_files\":{\"read\":", read);
            json.field(",\"by_links\":", by_links);
            json.field(",\"unread\":", unread);
            if found != Accuracy::Exact {
                accuracy(json, found);
            }
            json.raw("},\n");
        }
    }

    fn root(&self, json: &mut JsonWriter<'_>, root: &Entry<'t>, limit: Option<usize>) -> io::Result<()> {
        let mut open: Vec<Open<'t>> = Vec::new();
        open.extend(self.entry(json, DirId::TOP, root, limit));
        while let Some(directory) = open.last_mut() {
            if let Some(row) = directory.rows.next() {
                let Some(record) = directory.index.record(row.position) else { continue };
                json.raw(std::mem::replace(&mut directory.separator, NEXT));
                let directory = directory.id;
                let left = limit.map(|limit| limit - open.len());
                open.extend(self.entry(json, directory, &record, left));
            } else {
                json.raw("]");
                end(json, directory.end);
                open.pop();
            }
            json.spill()?;
        }
        Ok(())
    }

    /// Writes an entry of `directory`. If the entry is a directory with children to write, writes only what precedes
    /// the children, and returns the directory. `left` is the number of levels still to be written, or `None` for all.
    fn entry(
        &self,
        json: &mut JsonWriter<'_>,
        directory: DirId,
        record: &Entry<'t>,
        left: Option<usize>,
    ) -> Option<Open<'t>> {
        // Equivalent to `JsonWriter::name`, but with fewer calls, because this code runs for every entry.
        json.raw("{\"name\":");
        if !json.string(record.name) {
            json.raw(",\"name_base64\":");
            json.base64(record.name);
        }
        json.raw(",\"type\":\"");
        json.raw(record.kind.name());
        json.raw("\"");
        match &record.state {
            EntryState::Excluded(exclusion) => {
                json.raw(",\"excluded\":\"");
                json.raw(exclusion.name());
                json.raw("\"}");
            }
            EntryState::Failed(errno) => end(json, End { owner: None, errno: Some(*errno) }),
            EntryState::Known(metadata) => match metadata.directory {
                Some(id) => return self.directory(json, metadata, id, left),
                None => self.file(json, directory, metadata),
            },
        }
        None
    }

    fn file(&self, json: &mut JsonWriter<'_>, directory: DirId, metadata: &Metadata) {
        sizes(json, metadata.disk(), metadata.apparent, metadata.mtime);
        frees(json, self.exclusive.as_ref().and_then(|sizes| sizes.of(directory, metadata)));
        links(json, self.tree, metadata);
        if let Some(class) = metadata.storage_class {
            json.raw(",\"storage_class\":");
            json.string(self.tree.storage_classes().name(class).as_bytes());
        }
        end(json, End { owner: metadata.owner, errno: None });
    }

    fn directory(
        &self,
        json: &mut JsonWriter<'_>,
        metadata: &Metadata,
        id: DirId,
        left: Option<usize>,
    ) -> Option<Open<'t>> {
        let totals = self.totals(id);
        sizes(json, totals.disk, totals.apparent, metadata.mtime);
        frees(json, self.exclusive.as_ref().and_then(|sizes| sizes.directory(id)));
        json.raw(",\"items\":");
        json.number(totals.items);
        json.raw(",\"shared\":");
        json.number(self.tree.shared(id));
        let errno = self.tree.status(id).errno;
        if let Some(recorded) = errno.and_then(|_| self.tree.recorded(id)) {
            json.field(",\"recorded\":", recorded);
        }
        let after = End { owner: metadata.owner, errno };
        if left == Some(0) {
            end(json, after);
            return None;
        }
        json.raw(",\"children\":[");
        let listing = self.tree.listing(id);
        let disk = |record: &Entry<'_>| Some(self.disk(record)).filter(|disk| *disk >= self.least);
        let rows = sort(&listing, Names::Ascending, disk).into_iter();
        Some(Open { id, rows, index: Index::new(&listing), separator: FIRST, end: after })
    }

    fn disk(&self, record: &Entry<'_>) -> u64 {
        match &record.state {
            EntryState::Known(metadata) => {
                metadata.directory.map_or(metadata.disk(), |id| self.totals(id).disk)
            }
            EntryState::Excluded(_) | EntryState::Failed(_) => 0,
        }
    }

    fn totals(&self, id: DirId) -> Totals {
        self.live.totals(self.tree, id)
    }
}

/// Writes the read errors. They are sorted by path, because the order in which threads find them varies.
pub(super) fn errors(json: &mut JsonWriter<'_>, tree: &Tree) -> io::Result<()> {
    let failures = tree.failures();
    let mut failures: Vec<(Vec<u8>, i32)> =
        failures.iter().map(|failure| (tree.failure_path(failure), failure.errno)).collect();
    sort_by(&mut failures, Ord::cmp);
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

fn spaces_list(json: &mut JsonWriter<'_>, spaces: &[FileSystemUsage]) {
    json.raw(",\n\"filesystems\":[");
    let mut separator = FIRST;
    for space in spaces {
        json.raw(std::mem::replace(&mut separator, NEXT));
        filesystem::write(json, space);
    }
}

/// Writes the last keys of an entry's object, and closes the object.
fn end(json: &mut JsonWriter<'_>, end: End) {
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
