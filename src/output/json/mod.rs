//! JSON output of a tree.
//!
//! [`Report`] knows the schema (docs/json.md), `base::json` knows JSON. Neither recurses, and neither holds
//! more than a buffer and the order of the directories down to the current one.
//!
//! Invariant: the output is valid JSON and valid UTF-8, whatever bytes a name has.

mod filesystem;
mod report;
mod summary;

use crate::base::json::JsonWriter;
pub use report::{Body, Report};
pub use summary::{GroupTotals, Large, Sum, Summary};

use crate::tree::{Metadata, Tree};

/// Writes the keys that entries and the largest files share.
fn sizes(json: &mut JsonWriter<'_>, disk: u64, apparent: u64, mtime: i64) {
    json.raw(",\"disk\":");
    json.number(disk);
    json.raw(",\"apparent\":");
    json.number(apparent);
    json.raw(",\"mtime\":");
    json.signed(mtime);
}

/// Writes the inode keys of an entry that has other names.
fn links(json: &mut JsonWriter<'_>, tree: &Tree, facts: &Metadata) {
    if let Some(links) = facts.several_names() {
        json.field(",\"inode\":", facts.inode);
        json.field(",\"device\":", tree.devices().number(links.device));
        json.field(",\"links\":", links.count);
    }
}
