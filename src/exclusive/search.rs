//! Threads that read the extents of all files in a tree, and the job that watches them.
//!
//! The system call that reads the extents of a file blocks while another process writes to the file, and it cannot be
//! interrupted. If a thread waits too long, the job therefore counts the thread's file as unread, and a new thread
//! continues after that file.
//!
//! Invariant: each file is counted once: as a file whose extents were read, as a file whose link count was used
//! instead, or as an unread file.

use std::ffi::CString;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::extents::{FileExtents, Method, OpenedFile, has_extents};
use super::plan::{ExtentPlan, PlannedFile};
use super::state::{SearchState, Wait};
use super::sums::ExclusiveSums;
use super::volumes::WholeVolume;
use crate::base::format::{counted, grouped, share};
use crate::base::job::{Job, Pool, Task};
use crate::base::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, lock};
use crate::platform::entry::contents::ContentState;
use crate::platform::process::{io_policy, limits::lower_priority};
use crate::platform::{Directory, Errno};
use crate::scan::reach_entry;
use crate::tree::{DirId, Entry, ExclusiveCoverage, ExclusiveSizes, Tree};

/// Time limit for reading the extents of a file that is probably being written.
const BUSY: Duration = Duration::from_millis(50);
/// Time limit for opening a file or directory, for reading the attributes of a file, and for reading the extents of
/// a file that is probably not being written.
pub(super) const HANGING: Duration = Duration::from_secs(2);
/// Interval between two checks for threads whose current system call has exceeded its time limit.
const CHECK: Duration = Duration::from_millis(10);
/// Number of extents between two checks for cancellation while all extents of a volume are read.
const CHECKED_EXTENTS: u64 = 1024;
/// Interval between two progress reports.
const REPORT: Duration = Duration::from_millis(100);

/// Progress and result of a search.
#[derive(Debug, Default)]
pub struct ExclusiveProgress {
    /// Number of files to read.
    pub files: u64,
    /// Counts of the files handled so far.
    pub coverage: ExclusiveCoverage,
    /// Number of extents found so far on volumes that are read as a whole, not file by file.
    pub extents: u64,
    /// Result; `None` until the search is complete.
    pub sizes: Option<Arc<ExclusiveSizes>>,
}

impl ExclusiveProgress {
    pub fn text(&self) -> String {
        if self.extents > 0 {
            return format!("read {} of the volume so far", counted(self.extents, "extent", "extents"));
        }
        if self.files == 0 {
            return "finding files".to_owned();
        }
        format!("read the extents of {} of {}", grouped(self.handled()), counted(self.files, "file", "files"))
    }

    /// Returns the share of handled files in thousandths, or `None` if the total is unknown: until the files have been
    /// counted, and while the extents of a whole volume are being read.
    pub fn share(&self) -> Option<u16> {
        (self.extents == 0 && self.files > 0).then(|| share(self.handled(), self.files))
    }

    fn handled(&self) -> u64 {
        self.coverage.read + self.coverage.by_links + self.coverage.unread
    }
}

/// Starts a search for the exclusive sizes of all entries of a tree that was scanned on this machine. When the
/// search is complete, the result is stored in the tree.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn find(pool: &Pool, tree: Arc<Tree>) -> io::Result<Job<ExclusiveProgress>> {
    pool.start(move |task| {
        lower_priority();
        let threads = task.threads().current_num_threads();
        let plan = ExtentPlan::new(Arc::clone(&tree));
        let search = Arc::new(ExclusiveSearch::new(plan));
        search.watch(task, threads);
        if task.is_cancelled() {
            return;
        }
        search.add_directories();
        search.read_volumes(task);
        if task.is_cancelled() {
            return;
        }
        let (sums, coverage) = search.take();
        let sizes = Arc::new(sums.finish(coverage));
        tree.set_exclusive(Arc::clone(&sizes));
        task.publish(ExclusiveProgress {
            files: search.plan.files,
            coverage,
            extents: 0,
            sizes: Some(sizes),
        });
    })
}

/// Running search, shared by its threads.
pub(super) struct ExclusiveSearch {
    pub(super) plan: ExtentPlan,
    pub(super) state: Mutex<SearchState>,
    /// Notified when a thread ends.
    ended: Condvar,
}

/// New thread, and the position in the plan at which it starts.
#[derive(Clone, Copy)]
struct Start {
    /// Key of the thread in [`SearchState::waits`].
    thread: usize,
    piece: usize,
    /// Number of files in `piece` that have already been handled.
    done: usize,
}

/// Error that ends a thread: either the thread waited too long and was replaced, or the search was stopped.
pub(super) struct Abandoned;

impl ExclusiveSearch {
    fn new(plan: ExtentPlan) -> Self {
        let state = SearchState::new(ExclusiveSums::new(Arc::clone(&plan.numbers)));
        Self { plan, state: Mutex::new(state), ended: Condvar::new() }
    }

    /// Starts the threads and waits until all files have been handled or the task is canceled.
    fn watch(self: &Arc<Self>, task: &Task<ExclusiveProgress>, threads: usize) {
        let mut state = lock(&self.state);
        for _ in 0..threads.max(1) {
            self.start(&mut state, None);
        }
        let mut reported = Instant::now();
        while !state.waits.is_empty() && !task.is_cancelled() {
            state = self.ended.wait_timeout(state, CHECK).unwrap_or_else(PoisonError::into_inner).0;
            self.replace_waiting(&mut state);
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                let (files, coverage) = (self.plan.files, state.coverage);
                task.publish(ExclusiveProgress { files, coverage, ..ExclusiveProgress::default() });
            }
        }
        state.is_stopped = true;
    }

    /// Starts a thread at `at`: the index of a piece, and the number of its files to skip. If `at` is `None`, starts
    /// the thread at the next piece; if no piece is left, starts no thread.
    ///
    /// If the system cannot start a thread, counts the remaining files of the piece as unread.
    fn start(self: &Arc<Self>, state: &mut SearchState, at: Option<(usize, usize)>) {
        let (piece, done) = match at {
            Some(at) => at,
            None => match state.take(self.plan.pieces.len()) {
                Some(piece) => (piece, 0),
                None => return,
            },
        };
        let thread = state.started;
        state.started += 1;
        state.waits.insert(thread, Wait { piece, done, since: Instant::now(), limit: None });
        let search = Arc::clone(self);
        let start = Start { thread, piece, done };
        let spawned = std::thread::Builder::new().name("extents".into()).spawn(move || search.work(start));
        if spawned.is_err() {
            state.waits.remove(&thread);
            self.skip_rest(state, piece, done, usize::MAX);
        }
    }

    /// Replaces each thread whose current system call has exceeded its time limit. The first file that the thread has
    /// not handled is counted as unread, and the new thread starts after that file.
    fn replace_waiting(self: &Arc<Self>, state: &mut SearchState) {
        let is_late = |wait: &Wait| wait.limit.is_some_and(|limit| wait.since.elapsed() > limit);
        let late: Vec<usize> =
            state.waits.iter().filter(|(_, wait)| is_late(wait)).map(|(thread, _)| *thread).collect();
        for thread in late {
            let Some(Wait { piece, done, .. }) = state.waits.remove(&thread) else { continue };
            self.skip_rest(state, piece, done, 1);
            self.start(state, Some((piece, done + 1)));
        }
    }

    /// Records files of a piece as unread: at most `count` files after the first `done` files.
    fn skip_rest(&self, state: &mut SearchState, piece: usize, done: usize, count: usize) {
        let piece = self.plan.pieces[piece];
        let part = self.plan.part(piece);
        for file in self.plan.files(piece.directory, &part).skip(done).take(count) {
            state.skip(&self.plan, &file);
        }
    }

    fn work(&self, start: Start) {
        lower_priority();
        // Without this policy, reading files that are stored in the cloud would download them.
        io_policy::refuse();
        let Start { thread, mut piece, mut done } = start;
        while self.piece(thread, piece, done).is_ok() {
            let mut state = lock(&self.state);
            match state.take(self.plan.pieces.len()) {
                Some(next) if !state.is_stopped && state.waits.contains_key(&thread) => {
                    (piece, done) = (next, 0);
                    state.waits.insert(thread, Wait { piece, done, since: Instant::now(), limit: None });
                }
                _ => break,
            }
        }
        lock(&self.state).waits.remove(&thread);
        self.ended.notify_all();
    }

    /// Reads and records the extents of the files of a piece, except the first `done` files, which have been handled.
    fn piece(&self, thread: usize, index: usize, done: usize) -> Result<(), Abandoned> {
        let piece = self.plan.pieces[index];
        let part = self.plan.part(piece);
        let mut files = self.plan.files(piece.directory, &part).skip(done).peekable();
        // If no files are left, the directory is opened only if the method for its device is still unknown.
        // `add_directories` needs the method to decide whether it adds the blocks of the directories on this device.
        let is_known = || {
            let device = self.plan.tree.device_index(piece.directory);
            piece.directory == DirId::TOP || lock(&self.state).methods.contains_key(&device)
        };
        if files.peek().is_none() && (done > 0 || is_known()) {
            return Ok(());
        }
        let opened = self.open(thread, piece)?;
        for file in files {
            self.file(thread, &opened, &file)?;
        }
        Ok(())
    }

    /// Records that `thread` starts a system call with the time limit `limit`. If `limit` is `None`, records that the
    /// call has returned. Fails if the search was stopped, or if the thread exceeded an earlier limit and was replaced.
    pub(super) fn waiting(&self, thread: usize, limit: Option<Duration>) -> Result<(), Abandoned> {
        let mut state = lock(&self.state);
        if state.is_stopped {
            return Err(Abandoned);
        }
        let wait = state.waits.get_mut(&thread).ok_or(Abandoned)?;
        (wait.since, wait.limit) = (Instant::now(), limit);
        Ok(())
    }

    fn file(&self, thread: usize, opened: &OpenedDirectory, file: &PlannedFile<'_>) -> Result<(), Abandoned> {
        let found = match opened {
            OpenedDirectory::Open(directory, method) => self.read(thread, directory, *method, file)?,
            OpenedDirectory::Roots => {
                self.waiting(thread, Some(HANGING))?;
                match reach_entry(&self.plan.tree, DirId::TOP, file.entry.name) {
                    Ok((directory, name)) => {
                        let method = Method::of(&directory, self.plan.files);
                        if let Some(links) = file.metadata.links {
                            lock(&self.state).methods.insert(links.device, method);
                        }
                        let entry = Entry { name: name.as_bytes(), ..file.entry };
                        self.read(thread, &directory, method, &PlannedFile { entry, ..*file })?
                    }
                    Err(errno) => Err(errno),
                }
            }
            OpenedDirectory::ByLinks => Ok((FileExtents::default(), Method::LinkCount)),
            OpenedDirectory::Failed(errno) => Err(*errno),
        };
        let mut state = self.state_of(thread)?;
        match found {
            Ok((extents, method)) => state.add(&self.plan, file, &extents, method),
            Err(_) => state.skip(&self.plan, file),
        }
        if let Some(wait) = state.waits.get_mut(&thread) {
            wait.done += 1;
            wait.limit = None;
        }
        Ok(())
    }

    /// Reads the extents of a file. The inner error concerns only this file; the outer error ends the thread.
    fn read(
        &self,
        thread: usize,
        directory: &Directory,
        method: Method,
        file: &PlannedFile<'_>,
    ) -> Result<Result<(FileExtents, Method), Errno>, Abandoned> {
        if matches!(method, Method::Volume(_)) {
            let found = if has_extents(file.entry.kind) {
                self.stat(thread, directory, file)?.map(Some)
            } else {
                Ok(None)
            };
            return Ok(found.map(|state| (FileExtents::in_volume(state), method)));
        }
        if method == Method::LinkCount || !has_extents(file.entry.kind) {
            let method = if method.has_own_blocks() { Method::LinkCount } else { method };
            return Ok(Ok((FileExtents::default(), method)));
        }
        self.waiting(thread, Some(HANGING))?;
        let opened = match OpenedFile::open(directory, file) {
            Ok(opened) => opened,
            Err(errno) => return Ok(Err(errno)),
        };
        if opened.is_recent {
            self.waiting(thread, Some(BUSY))?;
        }
        Ok(opened.read(method).map(|extents| (extents, method)))
    }

    /// Returns the current state of a file. The inner result is an error if the scanned file has been deleted or
    /// replaced, or if its state cannot be read.
    fn stat(
        &self,
        thread: usize,
        directory: &Directory,
        file: &PlannedFile<'_>,
    ) -> Result<Result<ContentState, Errno>, Abandoned> {
        self.waiting(thread, Some(HANGING))?;
        let name = CString::new(file.entry.name).map_err(|_| Errno::EINVAL);
        let state = name.and_then(|name| ContentState::of(directory, &name));
        let is_same = |state: &ContentState| state.id.inode == file.metadata.inode;
        Ok(state.and_then(|state| if is_same(&state) { Ok(state) } else { Err(Errno::ESTALE) }))
    }

    /// Locks the state. Fails if the search was stopped, or if `thread` waited too long and was replaced.
    fn state_of(&self, thread: usize) -> Result<MutexGuard<'_, SearchState>, Abandoned> {
        let state = lock(&self.state);
        let is_current = !state.is_stopped && state.waits.contains_key(&thread);
        if is_current { Ok(state) } else { Err(Abandoned) }
    }

    /// Reads all extents of each volume that uses [`Method::Volume`], and adds them to the sums.
    fn read_volumes(&self, task: &Task<ExclusiveProgress>) {
        let mut state = lock(&self.state);
        let parts = state.methods.iter().filter_map(|(device, method)| match method {
            Method::Volume(part) => Some((*device, *part)),
            _ => None,
        });
        let parts: Vec<_> = parts.collect();
        let (files, coverage) = (self.plan.files, state.coverage);
        let (mut extents, mut reported) = (0, Instant::now());
        let mut note = || {
            extents += 1;
            if extents % CHECKED_EXTENTS != 0 {
                return ControlFlow::Continue(());
            }
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                task.publish(ExclusiveProgress { files, coverage, extents, sizes: None });
            }
            if task.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut changed = std::mem::take(&mut state.changed);
        changed.sort();
        for volume in WholeVolume::of(&self.plan, &parts, &changed) {
            let number = state.volume(volume.id);
            let accuracy = volume.add(&mut state.sums, number, &changed, &mut note);
            state.coverage.accuracy = state.coverage.accuracy.max(accuracy);
        }
    }

    /// Returns the sums and the coverage, and leaves empty sums in the state.
    fn take(&self) -> (ExclusiveSums, ExclusiveCoverage) {
        let mut state = lock(&self.state);
        let empty = ExclusiveSums::new(Arc::default());
        (std::mem::replace(&mut state.sums, empty), state.coverage)
    }
}

/// Result of opening the directory of a piece.
pub(super) enum OpenedDirectory {
    /// The directory is open.
    Open(Directory, Method),
    /// The entries of the piece are roots. Roots have no common directory, so each root is looked up by its own path.
    Roots,
    /// The files are not opened, because their exclusive sizes depend on the link counts alone.
    ByLinks,
    Failed(Errno),
}
