//! Limit on the number of directories that stay open.
//!
//! A walk keeps a directory open until its children have been opened relative to it, unless too many directories are
//! open.
//!
//! Invariant: every worker can always open the three descriptors it needs to continue.

use super::limits;
use crate::base::sync::{AtomicUsize, Ordering};
use crate::platform::{Directory, Errno};

/// Maximum number of descriptors a worker needs to open a directory one path component at a time and read it.
const PER_WORKER: usize = 3;
/// Number of descriptors kept free for other parts of the process: the terminal, signals, an output file.
const SPARE: usize = 5;

/// Counter of open directories, with a limit.
#[derive(Debug)]
pub struct Descriptors {
    allowed: usize,
    open: AtomicUsize,
}

impl Descriptors {
    /// Raises the descriptor limit of the process, and creates a counter. Also returns the number of threads for
    /// which there are enough descriptors: at least one and at most `threads`.
    pub fn new(threads: usize) -> (Self, usize) {
        let limit = usize::try_from(limits::raise_descriptors()).unwrap_or(usize::MAX);
        let free = limit.saturating_sub(limits::descriptors_in_use()).saturating_sub(SPARE);
        let threads = threads.min(free / (PER_WORKER + 1)).max(1);
        let allowed = free.saturating_sub(threads * PER_WORKER);
        (Self { allowed, open: AtomicUsize::new(0) }, threads)
    }

    /// Counts `directory` as open until the returned value is dropped.
    pub fn hold<D>(&self, directory: D) -> Counted<'_, D> {
        self.open.fetch_add(1, Ordering::Relaxed);
        Counted { directory, descriptors: self }
    }

    /// Returns the number of open directories.
    pub fn count(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// Returns `true` if the number of open directories is within the limit. In this case, a directory may stay open
    /// until its children are opened.
    pub fn suffice(&self) -> bool {
        // `Relaxed` ordering is enough. The count may miss directories that are being opened right now, but every
        // worker has spare descriptors for them.
        self.open.load(Ordering::Relaxed) <= self.allowed
    }
}

/// Open directory, which [`Descriptors`] counts until this value is dropped.
#[derive(Debug)]
pub struct Counted<'d, D> {
    pub directory: D,
    descriptors: &'d Descriptors,
}

impl<D> Drop for Counted<'_, D> {
    fn drop(&mut self) {
        self.descriptors.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Repeats `open` for up to about a second while no descriptor is free.
///
/// # Errors
/// Returns the last error of `open`.
pub fn wait_for_descriptors(mut open: impl FnMut() -> Result<Directory, Errno>) -> Result<Directory, Errno> {
    for pause in 1..45 {
        match open() {
            Err(Errno::EMFILE | Errno::ENFILE) => std::thread::sleep(std::time::Duration::from_millis(pause)),
            result => return result,
        }
    }
    open()
}
