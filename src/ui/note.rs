//! Short notes about an entry, shown after its name.
//!
//! Invariant: an ordinary entry has no note.

use crate::base::format::grouped;
use crate::base::kind::Kind;
use crate::base::os_error::OsError;
use crate::tree::{Entry, EntryState, Exclusion};

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

/// Returns the note about an entry that is excluded, could not be read, is a symlink, pipe, socket or device, or has
/// several names; `None` for all other entries.
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
        Exclusion::SecondMount => "second mount of a volume",
        Exclusion::SecondLink => "hard link counted elsewhere",
        Exclusion::OtherPart => "in another part of the plan",
    }
}
