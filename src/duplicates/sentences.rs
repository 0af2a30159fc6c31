//! Sentences about duplicates, shared by the printed list and the browser.
//!
//! Invariant: no sentence contains a name from the file system, so callers need not escape the sentences.

use super::data::{CompareProgress, Duplicate, DuplicateGroup, DuplicateKind, SkipReason};
use crate::base::format::{Units, grouped, plain_size};
use crate::base::os_error::OsError;

impl DuplicateGroup {
    pub fn text(&self, units: Units) -> String {
        let (copies, each) = (grouped(self.copies.len() as u64), plain_size(self.size, units));
        match self.kind {
            DuplicateKind::File => format!("{copies} files, {each} each"),
            DuplicateKind::Directory { files: 1 } => {
                format!("{copies} directories, each {each} in 1 non-empty file")
            }
            DuplicateKind::Directory { files } => {
                format!("{copies} directories, each {each} in {} non-empty files", grouped(files))
            }
        }
    }
}

impl Duplicate {
    /// Returns a note if deleting this copy frees less than its size, or if the copy has several names.
    pub fn note(&self) -> Option<String> {
        if self.is_linked_elsewhere {
            return Some("has hard links that were not scanned; deleting it frees nothing".to_owned());
        }
        if self.is_shared {
            return Some("shares its data with another copy".to_owned());
        }
        match self.other_names.len() {
            0 => None,
            1 => Some("has 1 other hard link".to_owned()),
            names => Some(format!("has {} other hard links", grouped(names as u64))),
        }
    }
}

impl SkipReason {
    pub fn text(self) -> String {
        match self {
            Self::Failed(errno) => format!("cannot read: {}", OsError(errno)),
            Self::Changing => "cannot compare: changed or deleted since the scan".to_owned(),
            Self::Special => "cannot compare: pipe, socket or device".to_owned(),
        }
    }
}

impl CompareProgress {
    pub fn text(&self, units: Units) -> String {
        let (compared, candidates) = (grouped(self.compared), grouped(self.candidates));
        format!("compared {compared} of {candidates} files, read {}", plain_size(self.read, units))
    }
}
