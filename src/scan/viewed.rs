//! Directories that the user is looking at, which a scan reads first.
//!
//! These directories are in a list. Every job checks the list before it reads its own directory. If the list is not
//! empty, the worker first reads a directory from the list, and then the subdirectories of that directory. A directory
//! in the list is therefore read as soon as any worker has finished its current directory. If the list is empty, the
//! check costs a single atomic load.
//!
//! Invariant: a directory is read only once, even if it is both in this list and in a queue of directories to visit
//! (see `visit`), because a job reads a directory only if [`Tree::try_begin`] returns `true`.

use crate::base::sync::{AtomicUsize, Mutex, Ordering, lock};
use crate::tree::{DirId, Tree};

#[derive(Default)]
pub(crate) struct ViewedDirectories {
    /// Length of `directories`. `Relaxed` ordering is enough: if a job misses a new list, a later job sees it.
    count: AtomicUsize,
    directories: Mutex<Vec<DirId>>,
}

impl ViewedDirectories {
    /// Replaces the list of directories to read first. The scan takes them from the end of the list.
    pub(crate) fn set(&self, directories: Vec<DirId>) {
        let mut list = lock(&self.directories);
        self.count.store(directories.len(), Ordering::Relaxed);
        *list = directories;
    }

    /// Returns the next unread directory in the list, after marking it as being read.
    pub(crate) fn begin_next(&self, tree: &Tree) -> Option<DirId> {
        std::iter::from_fn(|| self.take()).find(|id| tree.try_begin(*id))
    }

    fn take(&self) -> Option<DirId> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut list = lock(&self.directories);
        let taken = list.pop();
        self.count.store(list.len(), Ordering::Relaxed);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_directory_of_the_latest_list_is_taken_first() {
        let viewed = ViewedDirectories::default();
        assert_eq!(viewed.take(), None);
        viewed.set(vec![DirId(7), DirId(8)]);
        viewed.set(vec![DirId(3), DirId(2), DirId(1)]);
        assert_eq!([(); 4].map(|()| viewed.take()), [Some(DirId(1)), Some(DirId(2)), Some(DirId(3)), None]);
        viewed.set(vec![DirId(4)]);
        viewed.set(Vec::new());
        assert_eq!(viewed.take(), None);
    }
}
