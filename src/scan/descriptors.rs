//! How many directories may stay open.
//!
//! A directory stays open while its children wait to be opened relative to it. When too many are open, a directory is
//! closed once it was read, and its children are opened name by name from their root: slower, and always possible.
//!
//! Invariant: what is allowed leaves every worker the three descriptors it needs to go on.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::Shared;
use crate::platform::{Directory, Errno, limits};
use crate::sync::{AtomicUsize, Ordering};
use crate::tree::{DirId, Tree};

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
        match self.tree.parent(id) {
            None | Some(DirId::TOP) => reach(&self.tree, id),
            Some(parent) => {
                let parent = reach(&self.tree, parent)?;
                wait_for_descriptors(|| parent.open_child(self.tree.name(id)))
            }
        }
    }
}

/// Goes to a directory name by name from its root, below which no symbolic link is followed. It need not be readable,
/// unless it is a root.
///
/// # Errors
/// As openat(2); `ENOENT` for the top, which is nowhere.
pub fn reach(tree: &Tree, id: DirId) -> Result<Directory, Errno> {
    let mut ancestry: Vec<DirId> = tree.ancestry(id).collect();
    let root = ancestry.pop().ok_or(Errno::ENOENT)?;
    let path = super::path(tree.name(root).to_vec());
    let mut directory = wait_for_descriptors(|| Directory::open(&path))?;
    while let Some(next) = ancestry.pop() {
        directory = wait_for_descriptors(|| directory.step_into(tree.name(next)))?;
    }
    Ok(directory)
}

/// Goes to the directory an entry is in, and returns it with the entry's name there.
///
/// # Errors
/// As [`reach`].
pub fn reach_entry(tree: &Tree, directory: DirId, name: &[u8]) -> Result<(Directory, CString), Errno> {
    let text = |name: &[u8]| CString::new(name).map_err(|_| Errno::EINVAL);
    if directory != DirId::TOP {
        return Ok((reach(tree, directory)?, text(name)?));
    }
    // A root is a path, and stands for what it leads to if that is a directory.
    let path = super::path(name.to_vec());
    match (Directory::open(&path), path.parent(), path.file_name()) {
        (Ok(root), ..) => Ok((root, text(b".")?)),
        (Err(_), Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            Ok((Directory::open(parent)?, text(name.as_bytes())?))
        }
        (Err(error), ..) => Err(error),
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
