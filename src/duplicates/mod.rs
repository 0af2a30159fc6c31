//! Duplicates: files with the same contents, and directories with the same contents at any depth.
//!
//! ```text
//! tree -> files of equal size -> equal ends -> not clones  -> equal hashes -> unchanged -> directories
//!         candidates             sets                                          sets         directories, groups
//! ```
//!
//! Sizes come from the tree, so only files with the same size as another file are opened. Their first and last blocks
//! are compared, and only files in which these blocks are equal are read completely. Each inode is read through one of
//! its names. If several files share all of their data, only one of them is read. Before the result is published, every
//! file in it is checked for changes.
//!
//! The result also lists files that other programs are writing. For this, files that were written shortly before the
//! scan are checked for changes, even if they are not compared.
//!
//! Invariant: nothing is written, and two files are duplicates only if all of their bytes were read, or if both have
//! the same extents.

mod candidates;
mod contents;
mod data;
mod directories;
mod groups;
mod opened;
mod search;
mod sentences;
mod sets;
#[cfg(test)]
mod tests;
mod written;

use std::io;

use crate::analysis::search::Request;
use crate::base::job::{Job, Pool};
use crate::base::sync::{Ordering, lock};
use crate::platform::entry::contents::CAN_SHARE;
use crate::platform::process::io_policy;
use candidates::{Candidate, SizeCandidates};
pub use data::{
    CompareProgress, Duplicate, DuplicateGroup, DuplicateKind, Duplicates, EqualEntry, KeptCopy, SkipReason,
    Skipped,
};
use search::DuplicateSearch;

/// Starts a search for duplicates among the entries that match the query.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn find(pool: &Pool, request: Request) -> io::Result<Job<Duplicates>> {
    pool.start(move |task| {
        let Some(mut candidates) = SizeCandidates::collect(&request, task) else { return };
        let search = DuplicateSearch::new(&request.tree, task, &candidates);
        // This policy prevents downloads. Otherwise, reading a file in the cloud would download the file.
        task.threads().broadcast(|_| io_policy::refuse());
        let files = std::mem::take(&mut candidates.files);
        let found = run(&search, files, &candidates, &request);
        task.threads().broadcast(|_| io_policy::as_the_process());
        if !task.is_cancelled() {
            task.publish(found);
        }
    })
}

/// Finds the duplicates among `files`, which the caller has moved out of `candidates`. Returns the complete result.
fn run(
    search: &DuplicateSearch<'_>,
    files: Vec<Candidate>,
    candidates: &SizeCandidates,
    request: &Request,
) -> Duplicates {
    let found = search.task.threads().install(|| {
        let watched = written::watch(search, &candidates.recent);
        let found = sets::find(search, files);
        written::check(search, &watched);
        sets::unchanged(search, &found)
    });
    let groups = groups::arrange(search, &found, candidates, request.from);
    let mut skipped = std::mem::take(&mut *lock(&search.skipped));
    groups::sort_by_path(search.tree, &mut skipped, |skipped| skipped.entry);
    skipped.dedup_by_key(|skipped| skipped.entry);
    let progress = CompareProgress { is_complete: true, ..search.progress() };
    let unopened = search.unopened.load(Ordering::Relaxed);
    let groups::Arranged { groups, sets } = groups;
    let can_share = CAN_SHARE && search.can_share.load(Ordering::Relaxed);
    Duplicates { groups, sets, skipped, unopened, can_share, progress }
}
