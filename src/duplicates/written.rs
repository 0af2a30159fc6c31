//! Detection of files that change while the search runs. The search itself notices changes only in the files that it
//! opens. It never opens a file whose size is unique.
//!
//! This module therefore watches files of any size, but only those written shortly before the scan, because older files
//! are unlikely to change during a search. The state of each watched file is recorded before the search reads the first
//! file, and checked after the search has read the last file.

use super::candidates::Candidate;
use super::opened::{NotCompared, for_each_or, nanoseconds};
use super::search::DuplicateSearch;
use crate::tree::EntryId;

/// File that was written shortly before the scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchedFile {
    file: Candidate,
    /// Time of the last change before the search, in nanoseconds since 1970.
    changed: i64,
}

/// Returns `files` with the time of each file's last change, for a later [`check`]. `files` must be sorted by
/// directory. A file that has already changed since the scan is recorded as skipped and omitted.
pub(crate) fn watch(search: &DuplicateSearch<'_>, files: &[Candidate]) -> Vec<WatchedFile> {
    let watched = |file: &Candidate, changed| WatchedFile { file: *file, changed: nanoseconds(changed) };
    for_each_or(
        search,
        files,
        |file| *file,
        |file, location| Ok(watched(file, location.state()?.changed)),
        skip_changed(search),
    )
}

/// Records each watched file as skipped if it has changed since [`watch`] was called.
pub(crate) fn check(search: &DuplicateSearch<'_>, watched: &[WatchedFile]) {
    for_each_or(
        search,
        watched,
        |watched| watched.file,
        |watched, location| location.state_since(watched.changed),
        skip_changed(search),
    );
}

/// Returns a function that records a file as skipped. The returned function ignores files that duke never opens (see
/// [`NotCompared`]). The search itself counts these files, unless their size is unique.
fn skip_changed(search: &DuplicateSearch<'_>) -> impl Fn(EntryId, NotCompared) {
    move |entry, reason| {
        if reason.is_some() {
            search.skip(entry, reason);
        }
    }
}
