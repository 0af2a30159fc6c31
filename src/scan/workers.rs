//! The threads of a scan and what each of them owns.
//!
//! Invariant: a worker's tools are locked by its own jobs only, one at a time, so the lock is never waited for.

use std::path::PathBuf;

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use super::judge::Mount;
use crate::platform::{self, Buffer, cloud};
use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, lock};
use crate::tree::{Batch, DirId, LinkedName, Sealed, Tree};

/// What a scan has read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Entries read.
    pub entries: u64,
    /// Disk usage of them in bytes, every name of an inode counted.
    pub disk: u64,
    /// Entries and directories that could not be read.
    pub errors: u64,
    /// Bytes in use on the file system, if all of one and nothing else is read.
    pub expected: Option<u64>,
    /// A directory that is being read: the one least deep, so that the display does not flicker.
    pub current: Option<PathBuf>,
}

/// All workers of a scan.
pub(super) struct Workers {
    workers: Box<[Worker]>,
    /// Buffers nobody reads into at the moment.
    spare: Mutex<Vec<Buffer>>,
}

/// One worker: what it works with, and what it tells about its work. Aligned so that no two share a cache line.
#[derive(Default)]
#[repr(align(128))]
struct Worker {
    tools: Mutex<Tools>,
    counters: Counters,
}

/// What one worker has read. Each number has one writer, the worker; anyone may read it. `Relaxed`: they guard no data.
#[derive(Default)]
struct Counters {
    entries: AtomicU64,
    disk: AtomicU64,
    errors: AtomicU64,
    current: AtomicU32,
}

/// What one worker works with.
#[derive(Default)]
pub(super) struct Tools {
    pub(super) batch: Batch,
    pub(super) buffer: Buffer,
    /// The file system of the directory read last.
    pub(super) mount: Option<Mount>,
}

/// Threads to scan with; none where the calling thread works alone and, as it stays in the pool of its first scan for
/// ever, is in one already.
pub(super) struct Pool(Option<ThreadPool>);

impl Pool {
    /// Calls `begin` and returns when all jobs spawned by it are done.
    pub(super) fn in_place_scope<'s>(&self, begin: impl FnOnce(&Scope<'s>)) {
        match &self.0 {
            Some(pool) => pool.in_place_scope(begin),
            None => rayon::in_place_scope(begin),
        }
    }
}

impl Workers {
    pub(super) fn new(count: usize) -> Self {
        Self { workers: (0..count).map(|_| Worker::default()).collect(), spare: Mutex::default() }
    }

    pub(super) fn count(&self) -> usize {
        self.workers.len()
    }

    /// The pool to scan with: as many threads as there are workers, or as the system lets us have; in the worst case
    /// the calling thread alone.
    pub(super) fn pool(&self) -> Pool {
        let mut count = self.count();
        loop {
            let builder = ThreadPoolBuilder::new()
                .num_threads(count)
                .thread_name(|index| format!("scan {index}"))
                .start_handler(|_| cloud::refuse())
                .exit_handler(|_| platform::release_memory());
            match builder.build() {
                Ok(pool) => return Pool(Some(pool)),
                Err(_) if count > 1 => count /= 2,
                Err(_) => break,
            }
        }
        Pool(ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok())
    }

    /// The tools of the calling thread's worker.
    pub(super) fn tools(&self) -> MutexGuard<'_, Tools> {
        lock(&self.worker().tools)
    }

    /// Says what the calling thread's worker reads now.
    pub(super) fn reads(&self, id: DirId) {
        self.worker().counters.current.store(id.0, Ordering::Relaxed);
    }

    /// Adds a batch that the calling thread's worker has read.
    pub(super) fn has_read(&self, sealed: &Sealed) {
        let counters = &self.worker().counters;
        add(&counters.entries, sealed.sum.items);
        add(&counters.disk, sealed.sum.disk.saturating_add(sealed.children_disk));
        add(&counters.errors, u64::from(sealed.sum.errors));
    }

    /// Adds a directory that the calling thread's worker could not read.
    pub(super) fn has_failed(&self) {
        add(&self.worker().counters.errors, 1);
    }

    pub(super) fn progress(&self, tree: &Tree) -> Progress {
        let mut progress = Progress::default();
        let mut current: Option<(usize, DirId)> = None;
        for Worker { counters, .. } in &self.workers {
            progress.entries += counters.entries.load(Ordering::Relaxed);
            progress.disk = progress.disk.saturating_add(counters.disk.load(Ordering::Relaxed));
            progress.errors += counters.errors.load(Ordering::Relaxed);
            let id = DirId(counters.current.load(Ordering::Relaxed));
            let candidate = (tree.ancestry(id).count(), id);
            // A worker that has nothing to do still says what it has read last.
            let is_read = id != DirId::TOP && !tree.status(id).is_complete();
            if is_read && current.is_none_or(|best| candidate < best) {
                current = Some(candidate);
            }
        }
        progress.current = current.map(|(_, id)| super::path(tree.path(id)));
        progress
    }

    /// The names with links that all workers have met.
    pub(super) fn take_linked(&self) -> Vec<LinkedName> {
        self.workers.iter().flat_map(|worker| lock(&worker.tools).batch.take_linked()).collect()
    }

    /// A buffer to read into.
    pub(super) fn take_buffer(&self) -> Buffer {
        lock(&self.spare).pop().unwrap_or_default()
    }

    /// Takes a buffer back.
    pub(super) fn give_buffer(&self, buffer: Buffer) {
        lock(&self.spare).push(buffer);
    }

    fn worker(&self) -> &Worker {
        // Outside the pool (while the roots are looked at) nobody else works yet, and the first worker's are free.
        &self.workers[rayon::current_thread_index().unwrap_or(0).min(self.workers.len() - 1)]
    }
}

/// Adds to a counter that nobody else writes.
fn add(counter: &AtomicU64, by: u64) {
    let now = counter.load(Ordering::Relaxed);
    counter.store(now.saturating_add(by), Ordering::Relaxed);
}
