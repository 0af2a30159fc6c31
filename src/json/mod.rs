//! The tree as JSON, for programs.
//!
//! [`Report`] knows the schema (docs/json.md), `writer` knows JSON. Neither recurses, and neither holds more than a
//! buffer and the order of the directories on the way down.
//!
//! Invariant: what comes out is valid JSON and valid UTF-8, whatever bytes a name has.

mod filesystem;
mod report;
mod summary;
mod writer;

pub(crate) use report::name_of;
pub use report::{Body, Report};
pub use summary::{Large, Sum, Summary, Sums};
pub(crate) use writer::Writer;

use crate::tree::{Facts, Tree};

/// Writes the keys that entries and the largest files have in common.
fn sizes(json: &mut Writer<'_>, disk: u64, apparent: u64, mtime: i64) {
    json.raw(",\"disk\":");
    json.number(disk);
    json.raw(",\"apparent\":");
    json.number(apparent);
    json.raw(",\"mtime\":");
    json.signed(mtime);
}

/// Writes which inode an entry is, if that has other names.
fn links(json: &mut Writer<'_>, tree: &Tree, facts: &Facts) {
    if let Some(links) = facts.several_names() {
        json.field(",\"inode\":", facts.inode);
        json.field(",\"device\":", tree.devices().number(links.device));
        json.field(",\"links\":", links.count);
    }
}
