//! How many directories may stay open.
//!
//! Who walks a tree leaves a directory open while its children wait to be opened relative to it, and has to do without when
//! too many are open.
//!
//! Knows no walk. Invariant: what is allowed leaves every worker the three descriptors it needs to go on.

use super::{Directory, Errno, limits};
use crate::sync::{AtomicUsize, Ordering};

/// What a worker has open at most while it opens a directory name by name and reads it.
const PER_WORKER: usize = 3;
/// Kept free for everything else of the process: the terminal, the signals, an output file.
const SPARE: usize = 5;

/// Counts open directories against what the system grants.
#[derive(Debug)]
pub struct Descriptors {
    allowed: usize,
    open: AtomicUsize,
}

impl Descriptors {
    /// Raises the limit of the process, and cuts `threads` down if there are too few descriptors for them.
    pub fn new(threads: usize) -> (Self, usize) {
        let limit = usize::try_from(limits::raise_descriptors()).unwrap_or(usize::MAX);
        let free = limit.saturating_sub(limits::descriptors_in_use()).saturating_sub(SPARE);
        let threads = threads.min(free / (PER_WORKER + 1)).max(1);
        let allowed = free.saturating_sub(threads * PER_WORKER);
        (Self { allowed, open: AtomicUsize::new(0) }, threads)
    }

    /// Counts a directory as long as it is held.
    pub fn hold<D>(&self, directory: D) -> Counted<'_, D> {
        self.open.fetch_add(1, Ordering::Relaxed);
        Counted { directory, descriptors: self }
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// Whether a directory may stay open for its children.
    pub fn suffice(&self) -> bool {
        // Relaxed: the count may be off by the workers that open one right now, for which there is room.
        self.open.load(Ordering::Relaxed) <= self.allowed
    }
}

/// A directory that stays open, counted.
#[derive(Debug)]
pub struct Counted<'d, D> {
    /// It.
    pub directory: D,
    descriptors: &'d Descriptors,
}

impl<D> Drop for Counted<'_, D> {
    fn drop(&mut self) {
        self.descriptors.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Calls `open` again while there are no descriptors left, for a second or so.
///
/// # Errors
/// As `open` says at last.
pub fn wait_for_descriptors(mut open: impl FnMut() -> Result<Directory, Errno>) -> Result<Directory, Errno> {
    for pause in 1..45 {
        match open() {
            Err(Errno::EMFILE | Errno::ENFILE) => std::thread::sleep(std::time::Duration::from_millis(pause)),
            result => return result,
        }
    }
    open()
}
