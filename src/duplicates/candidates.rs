//! Candidates for duplicates: the files of a subtree that have the same size as another file.
//!
//! Invariant: an inode is a single candidate, regardless of how many names it has. A candidate takes 24 bytes.

use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::search::{Collector, Mode, Request, WalkEntry};
use crate::base::job::Task;
use crate::base::kind::Kind;
use crate::base::sync::{Mutex, PoisonError};
use crate::tree::{DirId, EntryId, InodeKey};

/// Non-empty regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// Length in bytes.
    pub(crate) size: u64,
    pub(crate) entry: EntryId,
}

/// Files found in a subtree. The candidates are selected from these files.
#[derive(Default)]
pub(crate) struct SizeCandidates {
    /// Files, with only one name of each inode. Once all files are collected, they are sorted by size, and files with
    /// a unique size are dropped.
    pub(crate) files: Vec<Candidate>,
    /// Names of files that may have other names, each with its inode; sorted by inode once all are collected.
    pub(crate) linked: Vec<(InodeKey, Candidate)>,
    /// Pipes, sockets and devices. They are not compared, but reported as skipped.
    pub(crate) special: Vec<EntryId>,
    /// Files modified at or after `recent_since`. Once all files are collected, only one name of each inode is kept,
    /// and the files are sorted by directory.
    pub(crate) recent: Vec<Candidate>,
    /// Earliest modification time of a recent file, in seconds since 1970: [`MAX_RECENT_AGE`] before the start of the
    /// scan.
    recent_since: i64,
}

/// Maximum age of a recent file: the number of seconds from the last modification to the start of the scan. A recent
/// file is probably still being written.
const MAX_RECENT_AGE: i64 = 60;

impl Collector for SizeCandidates {
    fn fresh(&self) -> Self {
        Self { recent_since: self.recent_since, ..Self::default() }
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        let Some(metadata) = entry.metadata() else { return };
        match entry.record.kind {
            Kind::File if metadata.apparent > 0 => {
                let candidate = Candidate { size: metadata.apparent, entry: entry.id };
                match metadata.linked_inode() {
                    Some(inode) => self.linked.push((inode, candidate)),
                    None => self.files.push(candidate),
                }
                if metadata.mtime >= self.recent_since {
                    self.recent.push(candidate);
                }
            }
            Kind::Fifo | Kind::Socket | Kind::BlockDevice | Kind::CharDevice => self.special.push(entry.id),
            Kind::File | Kind::Directory | Kind::Symlink | Kind::Unknown => {}
        }
    }

    fn merge(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.linked.append(&mut other.linked);
        self.special.append(&mut other.special);
        self.recent.append(&mut other.recent);
    }
}

impl SizeCandidates {
    /// Collects the candidates. Returns `None` if the task was canceled.
    pub(crate) fn collect<R: Send + Sync>(request: &Request, task: &Task<R>) -> Option<Self> {
        let collected = Mutex::new(None);
        let scanned = request.tree.read_at(DirId::TOP, b"").map_or(i64::MAX, |(seconds, _)| seconds);
        let empty = Self { recent_since: scanned.saturating_sub(MAX_RECENT_AGE), ..Self::default() };
        parallel_walk(request, Mode::Filter, task, empty, |found, progress| {
            if progress.complete {
                *crate::base::sync::lock(&collected) = Some(std::mem::take(found));
            }
            None
        });
        let mut found = collected.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        found.linked.sort_unstable();
        let names = found.linked.chunk_by(|(one, _), (other, _)| one == other);
        found.files.extend(names.map(|names| names[0].1));
        found.files.sort_unstable();
        found.recent.retain(|file| found.files.binary_search(file).is_ok());
        found.recent.sort_unstable_by_key(|file| file.entry);
        found.files = repeated(&found.files);
        Some(found)
    }

    /// Returns the names of `inode` in [`Self::linked`].
    pub(crate) fn names(&self, inode: InodeKey) -> impl Iterator<Item = EntryId> + '_ {
        let first = self.linked.partition_point(|(other, _)| *other < inode);
        let names = self.linked[first..].iter().take_while(move |(other, _)| *other == inode);
        names.map(|(_, candidate)| candidate.entry)
    }
}

/// Returns the files that have the same size as another file. `files` must be sorted by size.
fn repeated(files: &[Candidate]) -> Vec<Candidate> {
    let sizes = || files.chunk_by(|one, other| one.size == other.size).filter(|files| files.len() > 1);
    let mut repeated = Vec::with_capacity(sizes().map(<[_]>::len).sum());
    sizes().for_each(|files| repeated.extend_from_slice(files));
    repeated
}
