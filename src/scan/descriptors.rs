//! How many directories may stay open.
//!
//! A directory stays open while its children wait to be opened relative to it. When too many are open, a directory is
//! closed once it was read, and its children are opened name by name from their root: slower, and always possible.
//!
//! Invariant: what is allowed leaves every worker the three descriptors it needs to go on.

use super::Shared;
use crate::platform::{Directory, Errno, limits};
use crate::sync::{AtomicUsize, Ordering};
use crate::tree::DirId;

/// What a worker has open at most while it opens a directory name by name and reads it.
const PER_WORKER: usize = 3;
/// Kept free for everything else of the process: the terminal, the signals, an output file.
const SPARE: usize = 5;

/// Counts open directories against what the system grants.
#[derive(Debug)]
pub(super) struct Descriptors {
    allowed: usize,
    open: AtomicUsize,
}

impl Descriptors {
    /// Raises the limit of the process, and cuts `threads` down if there are too few descriptors for them.
    pub(super) fn new(threads: usize) -> (Self, usize) {
        let limit = usize::try_from(limits::raise_descriptors()).unwrap_or(usize::MAX);
        let free = limit.saturating_sub(limits::descriptors_in_use()).saturating_sub(SPARE);
        let threads = threads.min(free / (PER_WORKER + 1)).max(1);
        let allowed = free.saturating_sub(threads * PER_WORKER);
        (Self { allowed, open: AtomicUsize::new(0) }, threads)
    }

    /// Counts one more.
    pub(super) fn opened(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less.
    pub(super) fn closed(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether a directory may stay open for its children.
    pub(super) fn suffice(&self) -> bool {
        // Relaxed: the count may be off by the workers that open one right now, for which there is room.
        self.open.load(Ordering::Relaxed) <= self.allowed
    }
}

impl Shared {
    /// Opens a directory name by name from its root.
    pub(super) fn open_from_root(&self, id: DirId) -> Result<Directory, Errno> {
        let tree = &self.tree;
        let mut ancestry: Vec<DirId> = tree.ancestry(id).collect();
        let root = ancestry.pop().ok_or(Errno::ENOENT)?;
        let path = super::path(tree.name(root).to_vec());
        let mut directory = wait_for_descriptors(|| Directory::open(&path))?;
        while let Some(next) = ancestry.pop() {
            let name = tree.name(next);
            directory = wait_for_descriptors(|| {
                if ancestry.is_empty() { directory.open_child(name) } else { directory.step_into(name) }
            })?;
        }
        Ok(directory)
    }
}

/// Calls `open` again while there are no descriptors left, for a second or so.
pub(super) fn wait_for_descriptors(
    mut open: impl FnMut() -> Result<Directory, Errno>,
) -> Result<Directory, Errno> {
    for pause in 1..45 {
        match open() {
            Err(Errno::EMFILE | Errno::ENFILE) => std::thread::sleep(std::time::Duration::from_millis(pause)),
            result => return result,
        }
    }
    open()
}
