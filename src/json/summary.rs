//! What `--top` and `--by` add to the document of `--json`.
//!
//! Knows no survey. Invariant: a list that was not asked for is not there; one that was is, though it be empty.

use std::io;

use super::writer::Writer;
use super::{links, sizes};
use crate::kind::Kind;
use crate::tree::{Facts, Totals, Tree};

/// Lists of a tree that were asked for.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The largest files, the largest first.
    pub largest: Option<Vec<Large>>,
    /// Sums, each by something.
    pub sums: Vec<Sums>,
}

/// A large file.
#[derive(Clone, Debug)]
pub struct Large {
    /// Its path, from the root as given; the first of several.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// What is known of it.
    pub facts: Facts,
}

/// Sums by one thing.
#[derive(Clone, Debug)]
pub struct Sums {
    /// By what.
    pub by: &'static str,
    /// What has which sum, in order.
    pub rows: Vec<Sum>,
}

/// A sum.
#[derive(Clone, Debug)]
pub struct Sum {
    /// What it is of; any characters.
    pub name: String,
    /// The user whose it is.
    pub uid: Option<u32>,
    /// The sum.
    pub totals: Totals,
}

impl Summary {
    /// Writes what was asked for, between the errors and the roots.
    pub(super) fn write(&self, json: &mut Writer<'_>, tree: &Tree) -> io::Result<()> {
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

fn list<T>(json: &mut Writer<'_>, rows: &[T], row: impl Fn(&mut Writer<'_>, &T)) -> io::Result<()> {
    for (number, one) in rows.iter().enumerate() {
        json.raw(if number == 0 { "\n" } else { ",\n" });
        row(json, one);
        json.spill()?;
    }
    Ok(())
}

fn large(json: &mut Writer<'_>, tree: &Tree, file: &Large) {
    json.raw("{");
    json.name("path", &file.path);
    json.raw(",\"type\":\"");
    json.raw(file.kind.name());
    json.raw("\"");
    sizes(json, file.facts.disk(), file.facts.apparent, file.facts.mtime);
    links(json, tree, &file.facts);
    json.raw("}");
}

fn sum(json: &mut Writer<'_>, sum: &Sum) {
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
