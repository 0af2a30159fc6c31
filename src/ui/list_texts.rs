//! Texts of the list: messages shown if there are no rows, words shown in place of sizes, and notes after the names.
//!
//! Invariant: an ordinary entry has no note.

use crate::base::format::{counted, grouped};
use crate::base::kind::Kind;
use crate::base::os_error::OsError;
use crate::base::text::escape;
use crate::tree::{Alias, Entry, EntryState, Exclusion};

/// Title of the size column if it shows apparent sizes.
pub const APPARENT: &str = "Apparent";

/// Text shown while a directory is being sorted. An ellipsis is appended to it.
pub const SORTING: &str = "Sorting";
/// Text shown while a directory is being read. An ellipsis is appended to it.
pub const READING: &str = "Reading";
/// Text shown while the result of a filter is being loaded. An ellipsis is appended to it.
pub const SEARCHING: &str = "Searching";
pub const EMPTY_DIRECTORY: &str = "Empty directory";
/// Text for a directory that a stopped scan has not read.
pub const ENDED_EARLY: &str = "Not read: the scan ended early";

/// Texts for a filter that no entry matches. The second one is for a running scan.
pub const NO_MATCHES: [&str; 2] = ["No entries match the filter", "No entries match the filter so far"];
/// Text of the key hint that follows [`NO_MATCHES`], as in ` (Esc clears it)`, where "it" is the filter.
pub const CLEARS: &str = "clears it";

/// Returns the text for a directory whose entries are all hidden or excluded. `hint` returns a hint with the key that
/// shows them.
pub fn omitted_text(entries: usize, hint: impl Fn(&str) -> String) -> String {
    let shows = hint(if entries == 1 { "shows it" } else { "shows them" });
    counted(entries as u64, "hidden or excluded entry", "hidden or excluded entries") + &shows
}

/// Words shown in place of a size that is unknown, the shorter one in a narrow window.
pub const UNKNOWN: [&str; 2] = ["unknown", "?"];
/// Words shown in place of the size of an excluded entry, the shorter one in a narrow window.
pub const EXCLUDED: [&str; 2] = ["excluded", "excl"];

/// Returns the note about an unusual kind of entry; `None` for files, directories and unknown kinds.
pub fn kind_text(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Directory | Kind::File | Kind::Unknown => None,
        Kind::Symlink => Some("link"),
        Kind::Fifo => Some("pipe"),
        Kind::Socket => Some("socket"),
        Kind::BlockDevice => Some("block device"),
        Kind::CharDevice => Some("character device"),
    }
}

/// Returns the note about an unusual entry: an excluded or unreadable entry, a symlink, pipe, socket or device, or a
/// file with several hard links. Returns `None` for all other entries.
pub fn note_of(record: &Entry<'_>) -> Option<String> {
    match record.state {
        EntryState::Excluded(exclusion) => Some(format!("excluded: {}", exclusion_text(exclusion))),
        EntryState::Failed(errno) => Some(OsError(errno).to_string()),
        EntryState::Known(facts) => match kind_text(record.kind) {
            Some(kind) => Some(kind.to_owned()),
            None => facts.several_names().map(|links| linked_text(links.count)),
        },
    }
}

/// Returns the note about a file with several hard links.
pub fn linked_text(names: u64) -> String {
    format!("{} hard links", grouped(names))
}

pub fn exclusion_text(exclusion: Exclusion) -> &'static str {
    match exclusion {
        Exclusion::Pattern => "by pattern",
        Exclusion::OtherFileSystem => "other file system",
        Exclusion::KernelFileSystem => "kernel file system",
        Exclusion::Caches => "cache directory",
        Exclusion::Dataless => "only in the cloud",
        Exclusion::Snapshot => "mounted file-system snapshot",
        Exclusion::SecondMount => "volume counted at another mount point",
        Exclusion::SecondLink => "directory counted under another hard link",
        Exclusion::OtherPart => "in another part of the plan",
    }
}

/// Returns the note about a root whose contents are already counted in another root.
pub fn alias_text(alias: &Alias<'_>) -> String {
    let relation = if alias.is_root { "the same as" } else { "counted in" };
    format!("{relation} {}", escape(alias.root))
}

/// Returns the note about an unreadable directory for which the file system reports a size.
pub fn recorded_text(error: &str, size: &str) -> String {
    format!("{error}; size reported by the file system: {size}")
}
