//! What there is to say of an entry beside its sizes, in a few words.
//!
//! Knows no screen. Invariant: of what is ordinary nothing is said.

use crate::kind::Kind;
use crate::platform::error_text;
use crate::size::grouped;
use crate::tree::{Content, Exclusion, Record};

/// What an entry is, where that is worth a word.
pub fn kind_text(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Directory | Kind::File | Kind::Unknown => None,
        Kind::Symlink => Some("link"),
        Kind::Fifo => Some("pipe"),
        Kind::Socket => Some("socket"),
        Kind::BlockDevice => Some("block device"),
        Kind::CharDevice => Some("device"),
    }
}

/// What there is to say about an entry of any directory.
pub fn remark_of(record: &Record<'_>) -> Option<String> {
    match record.content {
        Content::Excluded(exclusion) => Some(format!("excluded: {}", exclusion_text(exclusion))),
        Content::Failed(errno) => Some(error_text(errno)),
        Content::Known(facts) => match kind_text(record.kind) {
            Some(kind) => Some(kind.to_owned()),
            None => facts.several_names().map(|links| linked_text(links.count)),
        },
    }
}

/// That an entry has several names.
pub fn linked_text(names: u64) -> String {
    format!("{} names", grouped(names))
}

/// Why an entry was left out.
pub fn exclusion_text(exclusion: Exclusion) -> &'static str {
    match exclusion {
        Exclusion::Pattern => "by pattern",
        Exclusion::OtherFileSystem => "other file system",
        Exclusion::KernelFileSystem => "kernel file system",
        Exclusion::Caches => "cache directory",
        Exclusion::Dataless => "only in the cloud",
    }
}
