//! Access to files through their open directories. A directory is opened once for up to [`PIECE`] of its files.
//!
//! Invariant: a file is read only if it is on an ordinary file system and still has the inode and size that the scan
//! recorded.

use std::ffi::CString;

use rayon::prelude::*;

use super::candidates::Candidate;
use super::data::SkipReason;
use super::search::DuplicateSearch;
use crate::base::clock::Time;
use crate::base::sync::Ordering;
use crate::platform::entry::contents::ContentState;
use crate::platform::entry::extents::{Sharing, sharing};
use crate::platform::{Directory, Errno, FileSystem};
use crate::scan::{reach, reach_entry};
use crate::tree::{DirId, Entry, EntryId, EntryState};

/// Maximum number of files in one directory that a thread handles at a time.
const PIECE: usize = 256;

/// Reason to report for a file that is not compared. `None` if the file is on a file system whose files duke never
/// opens; such files are only counted.
pub(crate) type NotCompared = Option<SkipReason>;

/// File to compare with others, located by its open directory and its name.
pub(crate) struct FileLocation<'p> {
    pub(crate) directory: &'p Directory,
    pub(crate) name: CString,
    size: u64,
    inode: u64,
}

impl From<Errno> for SkipReason {
    fn from(errno: Errno) -> Self {
        match errno {
            // The file or a directory above it was deleted or replaced.
            Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP | Errno::EINVAL => Self::Changing,
            errno => Self::Failed(errno as i32),
        }
    }
}

impl FileLocation<'_> {
    /// Checks that the file still has the inode and size that the scan recorded.
    pub(crate) fn check(&self, state: &ContentState) -> Result<(), NotCompared> {
        let is_same = (state.id.inode, state.size) == (self.inode, self.size);
        if is_same { Ok(()) } else { Err(Some(SkipReason::Changing)) }
    }

    /// Returns the current state without opening the file. Returns an error if the file has changed since the scan.
    pub(crate) fn state(&self) -> Result<ContentState, NotCompared> {
        let state = ContentState::of(self.directory, &self.name).map_err(failed)?;
        self.check(&state)?;
        Ok(state)
    }

    /// Like [`Self::state`], but also fails if the inode's change time is not `changed` (nanoseconds since 1970).
    pub(crate) fn state_since(&self, changed: i64) -> Result<ContentState, NotCompared> {
        let state = self.state()?;
        if nanoseconds(state.changed) == changed { Ok(state) } else { Err(Some(SkipReason::Changing)) }
    }
}

/// Converts a time to nanoseconds since 1970.
pub(crate) fn nanoseconds((seconds, nanoseconds): Time) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}

/// Calls `work` for each file in `rows`, which must be sorted by directory, and returns the results. If `work` fails
/// for a file, records the file as skipped.
pub(crate) fn for_each<T: Sync, R: Send>(
    search: &DuplicateSearch<'_>,
    rows: &[T],
    candidate: impl Fn(&T) -> Candidate + Sync,
    work: impl Fn(&T, &FileLocation<'_>) -> Result<R, NotCompared> + Sync,
) -> Vec<R> {
    for_each_or(search, rows, candidate, work, |entry, reason| search.skip(entry, reason))
}

/// Like [`for_each`], but if `work` fails for a file, calls `missed` instead of recording the file as skipped.
pub(crate) fn for_each_or<T: Sync, R: Send>(
    search: &DuplicateSearch<'_>,
    rows: &[T],
    candidate: impl Fn(&T) -> Candidate + Sync,
    work: impl Fn(&T, &FileLocation<'_>) -> Result<R, NotCompared> + Sync,
    missed: impl Fn(EntryId, NotCompared) + Sync,
) -> Vec<R> {
    let directory = |row: &T| candidate(row).entry.directory;
    let directories = rows.chunk_by(|one, other| directory(one) == directory(other));
    let pieces: Vec<&[T]> = directories.flat_map(|rows| rows.chunks(PIECE)).collect();
    let visit = |rows: &[T]| {
        let opened = open(search, directory(&rows[0]));
        let visited = rows.iter().map_while(|row| {
            if search.task.is_cancelled() {
                return None;
            }
            let candidate = candidate(row);
            let worked = at(search, &opened, &candidate, |location| work(row, location));
            Some(worked.map_err(|reason| missed(candidate.entry, reason)).ok())
        });
        visited.flatten().collect::<Vec<R>>()
    };
    pieces.into_par_iter().flat_map_iter(visit).collect()
}

/// Calls `work` for a single file and returns the result. If `work` fails, records the file as skipped and returns
/// `None`. Also returns `None` if the search has been canceled.
pub(crate) fn for_one<R>(
    search: &DuplicateSearch<'_>,
    candidate: &Candidate,
    work: impl FnOnce(&FileLocation<'_>) -> Result<R, NotCompared>,
) -> Option<R> {
    if search.task.is_cancelled() {
        return None;
    }
    let opened = open(search, candidate.entry.directory);
    at(search, &opened, candidate, work).map_err(|reason| search.skip(candidate.entry, reason)).ok()
}

/// Opens a directory. Returns `None` for [`DirId::TOP`], which is not a directory on disk: its entries are the roots.
fn open(search: &DuplicateSearch<'_>, id: DirId) -> Result<Option<Directory>, NotCompared> {
    if id == DirId::TOP {
        return Ok(None);
    }
    let directory = reach(search.tree, id).map_err(failed)?;
    check_file_system(search, &directory)?;
    Ok(Some(directory))
}

fn at<R>(
    search: &DuplicateSearch<'_>,
    opened: &Result<Option<Directory>, NotCompared>,
    candidate: &Candidate,
    work: impl FnOnce(&FileLocation<'_>) -> Result<R, NotCompared>,
) -> Result<R, NotCompared> {
    let EntryId { directory: id, .. } = candidate.entry;
    let record = candidate.entry.record(search.tree);
    let Some(Entry { name, state: EntryState::Known(metadata), .. }) = record else {
        return Err(Some(SkipReason::Changing));
    };
    let (size, inode) = (candidate.size, metadata.inode);
    match opened {
        Ok(Some(directory)) => {
            let name = CString::new(name).map_err(|_| Some(SkipReason::Changing))?;
            work(&FileLocation { directory, name, size, inode })
        }
        Ok(None) => {
            let (directory, name) = reach_entry(search.tree, id, name).map_err(failed)?;
            check_file_system(search, &directory)?;
            work(&FileLocation { directory: &directory, name, size, inode })
        }
        Err(reason) => Err(*reason),
    }
}

#[allow(clippy::unnecessary_wraps)] // the callers need the type `NotCompared`
fn failed(errno: Errno) -> NotCompared {
    Some(errno.into())
}

fn check_file_system(search: &DuplicateSearch<'_>, directory: &Directory) -> Result<(), NotCompared> {
    if directory.file_system().map_err(failed)? != FileSystem::Ordinary {
        return Err(None);
    }
    if sharing(directory) != Sharing::Never {
        search.can_share.store(true, Ordering::Relaxed);
    }
    Ok(())
}
