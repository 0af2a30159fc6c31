//! Worker threads of a scan, each with its own state.
//!
//! Invariant: while jobs are running, a worker's state is locked only by its own jobs, one at a time, so no thread
//! ever waits for the lock.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use super::paths::path;
use crate::base::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, lock};
use crate::platform::process::io_policy;
use crate::platform::{Buffer, FileSystem};
use crate::tree::{Batch, DirId, LinkedName, Sealed, Tree};

/// Duration after which the directory of an unfinished file-system call is included in [`Progress::silent`].
const SILENT: Duration = Duration::from_secs(2);

/// File system and device of a directory.
#[derive(Clone, Copy)]
pub(crate) struct Mount {
    pub(crate) device: u64,
    pub(crate) device_index: u32,
    pub(crate) file_system: FileSystem,
}

/// Progress of a scan at one point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of entries read.
    pub entries: u64,
    /// Disk usage in bytes of the entries read. An inode is counted once for each of its names.
    pub disk: u64,
    /// Number of entries whose metadata could not be read, plus number of directories that could not be listed.
    pub errors: u64,
    /// Number of bytes used on the file system, if the scan reads exactly one whole file system.
    pub expected: Option<u64>,
    /// Directory being read. If there are several, this is the one closest to the root, so that the display does not
    /// flicker.
    pub current: Option<PathBuf>,
    /// Directories whose file systems have not responded for two seconds.
    pub silent: Vec<PathBuf>,
}

/// All workers of a scan.
pub(crate) struct Workers {
    each: Box<[Worker]>,
    /// Buffers that no worker is using, kept for reuse.
    spare: Mutex<Vec<Buffer>>,
    /// Latest file-system call of each worker, and the time at which the call was first observed.
    latest: Mutex<Vec<(Call, Instant)>>,
}

/// ID of the directory that a worker is reading (zero if there is none), and the worker's [`CallCount`].
type Call = (u32, u32);

/// State and counters of a worker, aligned so that no two workers share a cache line.
#[derive(Default)]
#[repr(align(128))]
struct Worker {
    state: Mutex<WorkerState>,
    counters: Counters,
}

/// Counters of one worker, written only by that worker and readable by any thread. `Relaxed` ordering is enough,
/// because the counters guard no data.
#[derive(Default)]
struct Counters {
    entries: AtomicU64,
    disk: AtomicU64,
    errors: AtomicU64,
    /// ID of the directory that the worker most recently began to read; 0 before the first.
    current: AtomicU32,
    /// ID of the directory that the worker is reading; 0 if there is none.
    reading: AtomicU32,
    calls: CallCount,
}

/// Number of calls to the file system that a worker has made so far; wraps on overflow.
#[derive(Default)]
pub(crate) struct CallCount(AtomicU32);

impl CallCount {
    /// Counts the next call. A changed count shows that the file system has responded to the previous call.
    pub(crate) fn next(&self) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

/// State that one worker uses for its jobs.
#[derive(Default)]
pub(crate) struct WorkerState {
    pub(crate) batch: Batch,
    pub(crate) buffer: Buffer,
    /// File system and device of the directory read last, reused if the next directory is on the same device.
    pub(crate) mount: Option<Mount>,
}

/// Thread pool of a scan. If no thread can be started, the calling thread becomes the pool's only thread. `None` if
/// that is impossible too, because the calling thread already belongs to the pool of an earlier scan, and a thread
/// cannot belong to two pools. The jobs then run in the earlier pool.
pub(crate) struct WorkerPool(Option<ThreadPool>);

impl WorkerPool {
    /// Calls `begin`, and returns when all jobs spawned by it are done.
    pub(crate) fn in_place_scope<'s>(&self, begin: impl FnOnce(&Scope<'s>)) {
        match &self.0 {
            Some(pool) => pool.in_place_scope(begin),
            None => rayon::in_place_scope(begin),
        }
    }
}

impl Workers {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            each: (0..count).map(|_| Worker::default()).collect(),
            spare: Mutex::default(),
            latest: Mutex::new(vec![((0, 0), Instant::now()); count]),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.each.len()
    }

    /// Creates the pool with the requested number of threads, or with fewer if the system does not allow that many. If
    /// no thread can be started, the jobs run on the calling thread or in the pool that it belongs to.
    pub(crate) fn pool(&self) -> WorkerPool {
        let mut count = self.count();
        loop {
            let builder = ThreadPoolBuilder::new()
                .num_threads(count)
                .thread_name(|index| format!("scan {index}"))
                .start_handler(|_| io_policy::refuse());
            match builder.build() {
                Ok(pool) => return WorkerPool(Some(pool)),
                Err(_) if count > 1 => count /= 2,
                Err(_) => break,
            }
        }
        WorkerPool(ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok())
    }

    /// Returns the state of the calling thread's worker.
    pub(crate) fn state(&self) -> MutexGuard<'_, WorkerState> {
        lock(&self.worker().state)
    }

    /// Records that the calling worker is now reading directory `id`.
    pub(crate) fn begin_directory(&self, id: DirId) {
        let counters = &self.worker().counters;
        counters.current.store(id.0, Ordering::Relaxed);
        counters.reading.store(id.0, Ordering::Relaxed);
        counters.calls.next();
    }

    /// Returns the calling worker's counter of file-system calls.
    pub(crate) fn calls(&self) -> &CallCount {
        &self.worker().counters.calls
    }

    /// Records that the calling worker has finished its directory.
    pub(crate) fn end_directory(&self) {
        self.worker().counters.reading.store(0, Ordering::Relaxed);
    }

    /// Returns the directories on which a call has been running for at least [`SILENT`].
    fn silent(&self, tree: &Tree) -> Vec<PathBuf> {
        let mut latest = lock(&self.latest);
        let mut silent = Vec::new();
        for (Worker { counters, .. }, seen) in self.each.iter().zip(latest.iter_mut()) {
            let directory = counters.reading.load(Ordering::Relaxed);
            let call = (directory, counters.calls.0.load(Ordering::Relaxed));
            if seen.0 != call {
                *seen = (call, Instant::now());
            }
            if directory != DirId::TOP.0 && seen.1.elapsed() >= SILENT {
                silent.push(path(tree.path(DirId(directory))));
            }
        }
        silent.sort_unstable();
        silent.dedup();
        silent
    }

    /// Adds the counts of the batch `sealed` to the counters of the calling worker, which has read the batch.
    pub(crate) fn count_read(&self, sealed: &Sealed) {
        let counters = &self.worker().counters;
        add(&counters.entries, sealed.sum.items);
        add(&counters.disk, sealed.sum.disk.saturating_add(sealed.children_disk));
        add(&counters.errors, u64::from(sealed.sum.errors));
    }

    /// Counts a directory that the calling worker could not read.
    pub(crate) fn count_failure(&self) {
        add(&self.worker().counters.errors, 1);
    }

    pub(crate) fn progress(&self, tree: &Tree) -> Progress {
        let mut progress = Progress { silent: self.silent(tree), ..Progress::default() };
        let mut current: Option<(usize, DirId)> = None;
        for Worker { counters, .. } in &self.each {
            progress.entries += counters.entries.load(Ordering::Relaxed);
            progress.disk = progress.disk.saturating_add(counters.disk.load(Ordering::Relaxed));
            progress.errors += counters.errors.load(Ordering::Relaxed);
            let id = DirId(counters.current.load(Ordering::Relaxed));
            let candidate = (tree.ancestry(id).count(), id);
            // Complete directories are skipped, because `Counters::current` of an idle worker is still the ID of the
            // last directory that the worker read.
            let is_read = id != DirId::TOP && !tree.status(id).is_complete();
            if is_read && current.is_none_or(|best| candidate < best) {
                current = Some(candidate);
            }
        }
        progress.current = current.map(|(_, id)| path(tree.path(id)));
        progress
    }

    /// Takes the hard-linked names read by all workers.
    pub(crate) fn take_linked(&self) -> Vec<LinkedName> {
        self.each.iter().flat_map(|worker| lock(&worker.state).batch.take_linked()).collect()
    }

    /// Takes a spare buffer, or creates one.
    pub(crate) fn take_buffer(&self) -> Buffer {
        lock(&self.spare).pop().unwrap_or_default()
    }

    /// Keeps a buffer for reuse.
    pub(crate) fn give_buffer(&self, buffer: Buffer) {
        lock(&self.spare).push(buffer);
    }

    fn worker(&self) -> &Worker {
        // A thread outside the pool uses the state of the first worker. This state is free, because such threads call
        // this function only before the workers start or after they have finished.
        &self.each[rayon::current_thread_index().unwrap_or(0).min(self.each.len() - 1)]
    }
}

/// Adds to a counter that only this thread writes.
fn add(counter: &AtomicU64, by: u64) {
    let now = counter.load(Ordering::Relaxed);
    counter.store(now.saturating_add(by), Ordering::Relaxed);
}
