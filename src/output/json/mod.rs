//! JSON output of a tree.
//!
//! [`Report`] implements the schema (docs/json.md), and `base::json` implements the syntax of JSON. Neither of them
//! uses recursion. Writing a report needs memory only for the read errors, a buffer, and the sorted entries of the
//! directories on the path to the current entry.
//!
//! Invariant: the output is valid JSON and valid UTF-8, whatever bytes a name contains.

mod duplicates;
mod filesystem;
mod report;
mod summary;

use crate::base::json::JsonWriter;
use crate::base::os_error::OsError;
pub use duplicates::DuplicatesReport;
pub use report::{Body, Report};
pub use summary::{GroupTotal, GroupTotals, LargeFile, Summary};

use crate::tree::{Accuracy, Exclusive, Metadata, Tree};

/// Writes the sizes and the modification time, which have the same keys in the tree and in the list of largest files.
fn sizes(json: &mut JsonWriter<'_>, disk: u64, apparent: u64, mtime: i64) {
    json.raw(",\"disk\":");
    json.number(disk);
    json.raw(",\"apparent\":");
    json.number(apparent);
    json.raw(",\"mtime\":");
    json.signed(mtime);
}

/// Writes the inode, device and link count of an entry whose inode has several names.
fn links(json: &mut JsonWriter<'_>, tree: &Tree, metadata: &Metadata) {
    if let Some(links) = metadata.several_names() {
        json.field(",\"inode\":", metadata.inode);
        json.field(",\"device\":", tree.devices().number(links.device));
        json.field(",\"links\":", links.count);
    }
}

/// Writes the accuracy of sizes calculated from the extents of a volume, and the missing bytes or the error, if any.
pub(super) fn accuracy(json: &mut JsonWriter<'_>, accuracy: Accuracy) {
    json.raw(match accuracy {
        Accuracy::Exact => ",\"accuracy\":\"exact\"",
        Accuracy::AtLeast { .. } | Accuracy::Mixed | Accuracy::Failed(_) => ",\"accuracy\":\"at least\"",
        Accuracy::Changing => ",\"accuracy\":\"changing\"",
    });
    match accuracy {
        Accuracy::AtLeast { missing } => json.field(",\"missing\":", missing),
        Accuracy::Failed(errno) => {
            json.raw(",");
            json.name("error", OsError(errno).to_string().as_bytes());
        }
        Accuracy::Exact | Accuracy::Mixed | Accuracy::Changing => {}
    }
}

/// Writes the minimum and, if known, the maximum number of bytes that deleting an entry frees, and the shared bytes.
fn frees(json: &mut JsonWriter<'_>, exclusive: Option<Exclusive>) {
    let Some(Exclusive { at_least, at_most, shared }) = exclusive else { return };
    json.field(",\"frees\":", at_least);
    if let Some(at_most) = at_most {
        json.field(",\"frees_at_most\":", at_most);
    }
    json.field(",\"frees_shared\":", shared);
}
