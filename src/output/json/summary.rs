//! Keys that `--top` and `--by` add to the `--json` document.
//!
//! Invariant: a requested list is written even if it is empty, and no other list is written.

use std::io;

use super::{frees, links, sizes};
use crate::base::json::JsonWriter;
use crate::base::kind::Kind;
use crate::tree::{Exclusive, Metadata, Totals, Tree};

/// Lists requested with the flags `--top` and `--by`.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Largest files, largest first.
    pub largest: Option<Vec<LargeFile>>,
    /// Totals by group, for each requested grouping.
    pub sums: Vec<GroupTotals>,
}

/// One of the largest files.
#[derive(Clone, Debug)]
pub struct LargeFile {
    /// Path of the file, starting with the root as given by the user. If the file has several names, this is the path
    /// that sorts first. If the file grew during the scan, its names may have different sizes. In that case, only the
    /// names with the largest size are considered.
    pub path: Vec<u8>,
    pub kind: Kind,
    pub metadata: Metadata,
    /// Bytes that deleting the file would free; `None` unless requested.
    pub exclusive: Option<Exclusive>,
}

/// Totals of one grouping.
#[derive(Clone, Debug)]
pub struct GroupTotals {
    /// Name of the grouping: `type`, `age`, `owner` or `class`.
    pub by: &'static str,
    /// Groups with their totals, in the order in which they are written.
    pub rows: Vec<GroupTotal>,
}

/// Totals of one group.
#[derive(Clone, Debug)]
pub struct GroupTotal {
    /// Name of the group, which may contain any characters.
    pub name: String,
    /// User ID if the grouping is by owner.
    pub uid: Option<u32>,
    pub totals: Totals,
}

impl Summary {
    /// Writes the requested lists. In the document, they come after the errors and before the roots.
    pub(super) fn write(&self, json: &mut JsonWriter<'_>, tree: &Tree) -> io::Result<()> {
        if let Some(largest) = &self.largest {
            json.raw(",\n\"largest\":[");
            list(json, largest, |json, file| large(json, tree, file))?;
            json.raw("]");
        }
        if !self.sums.is_empty() {
            json.raw(",\n\"by\":{");
            for (number, sums) in self.sums.iter().enumerate() {
                json.raw(if number == 0 { "\"" } else { ",\"" });
                json.raw(sums.by);
                json.raw("\":[");
                list(json, &sums.rows, sum)?;
                json.raw("]");
            }
            json.raw("}");
        }
        Ok(())
    }
}

fn list<T>(json: &mut JsonWriter<'_>, rows: &[T], row: impl Fn(&mut JsonWriter<'_>, &T)) -> io::Result<()> {
    for (number, one) in rows.iter().enumerate() {
        json.raw(if number == 0 { "\n" } else { ",\n" });
        row(json, one);
        json.spill()?;
    }
    Ok(())
}

fn large(json: &mut JsonWriter<'_>, tree: &Tree, file: &LargeFile) {
    json.raw("{");
    json.name("path", &file.path);
    json.raw(",\"type\":\"");
    json.raw(file.kind.name());
    json.raw("\"");
    sizes(json, file.metadata.disk(), file.metadata.apparent, file.metadata.mtime);
    frees(json, file.exclusive);
    links(json, tree, &file.metadata);
    json.raw("}");
}

fn sum(json: &mut JsonWriter<'_>, sum: &GroupTotal) {
    json.raw("{\"name\":");
    json.string(sum.name.as_bytes());
    if let Some(uid) = sum.uid {
        json.raw(",\"uid\":");
        json.number(u64::from(uid));
    }
    json.raw(",\"disk\":");
    json.number(sum.totals.disk);
    json.raw(",\"apparent\":");
    json.number(sum.totals.apparent);
    json.raw(",\"items\":");
    json.number(sum.totals.items);
    json.raw("}");
}
