//! Directories in a walk. Each directory counts its unfinished work. A closed directory can be reopened through the
//! `..` of an open child, or by name from an open ancestor.
//!
//! Invariant: reopening a directory either returns the same inode or fails.

use std::ffi::CString;

use crate::base::sync::{Arc, AtomicBool, AtomicU32, Mutex, OnceLock, Ordering, lock};
use crate::platform::process::descriptors::{Counted, wait_for_descriptors};
use crate::platform::{Attributes, Directory, Errno};

/// Directory in a walk.
pub struct Node<'w> {
    pub above: Above<'w>,
    pub name: CString,
    pub found: Attributes,
    /// Index of the selected item that is or contains this directory.
    pub item: usize,
    /// `true` if something in the directory is kept. All workers in the directory can set the flag, and the last worker
    /// to leave reads it. The atomic operations on `claims` order these accesses.
    is_kept: AtomicBool,
    /// Number of claims: one for each worker in the directory, and one for each unfinished child directory. The worker
    /// that releases the last claim processes the directory itself.
    pub claims: AtomicU32,
    /// Number of times the directory has been read again.
    pub rounds: AtomicU32,
    /// Names of the child directories that have not been opened yet.
    pub waiting: Mutex<Vec<CString>>,
    /// This directory, kept open so that its child directories can be opened. Not set if the directory has no child
    /// directories, or if too many directories were open when it was read.
    pub kept: OnceLock<Counted<'w, Arc<Directory>>>,
}

/// Parent of a directory.
pub enum Above<'w> {
    /// Parent that the walk also visits: the selected item, or a directory inside it.
    Node(Arc<Node<'w>>),
    /// Directory that contains the selected item.
    Selected(Arc<Directory>),
}

impl<'w> Node<'w> {
    pub fn new(above: Above<'w>, name: CString, found: Attributes, item: usize) -> Self {
        Self {
            above,
            name,
            found,
            item,
            is_kept: AtomicBool::new(false),
            claims: AtomicU32::new(1),
            rounds: AtomicU32::new(0),
            waiting: Mutex::default(),
            kept: OnceLock::new(),
        }
    }

    /// Returns `true` if the attributes belong to this directory.
    pub fn is(&self, found: &Attributes) -> bool {
        found.file_id() == self.found.file_id()
    }

    pub fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }

    pub fn set_kept(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }

    /// Skips the child directories that have not been opened yet, and releases their claims. The caller must hold
    /// another claim on the node, so that the number of claims stays above 0.
    pub fn abandon(&self) {
        let left = std::mem::take(&mut *lock(&self.waiting));
        self.set_kept();
        self.claims.fetch_sub(u32::try_from(left.len()).unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    /// Returns the node and its ancestors.
    pub fn ancestry(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |node| match &node.above {
            Above::Node(above) => Some(above.as_ref()),
            Above::Selected(_) => None,
        })
    }

    /// Returns the parent directory of this node, reopened if necessary; `None` if it cannot be opened. `directory` is
    /// this node's own directory, if it is open.
    pub fn above(&self, directory: Option<&Directory>) -> Option<Arc<Directory>> {
        match &self.above {
            Above::Selected(directory) => Some(Arc::clone(directory)),
            Above::Node(parent) => parent.kept.get().map(|kept| Arc::clone(&kept.directory)).or_else(|| {
                let up = || wait_for_descriptors(|| directory.ok_or(Errno::EBADF)?.open_above()).ok();
                let above = up().filter(|above| above.attributes().is_ok_and(|found| parent.is(&found)));
                above.or_else(|| parent.reopen()).map(Arc::new)
            }),
        }
    }

    /// Opens the directory again, starting from its nearest open ancestor. Returns `None` if the directory cannot be
    /// opened or has been replaced.
    fn reopen(&self) -> Option<Directory> {
        let mut names = Vec::new();
        let mut start = None;
        for node in self.ancestry() {
            names.push(node.name.as_c_str());
            start = match &node.above {
                Above::Selected(directory) => Some(Arc::clone(directory)),
                Above::Node(above) => above.kept.get().map(|kept| Arc::clone(&kept.directory)),
            };
            if start.is_some() {
                break;
            }
        }
        let mut open: Option<Directory> = None;
        for name in names.into_iter().rev() {
            let above = open.as_ref().or(start.as_deref())?;
            open = Some(wait_for_descriptors(|| above.open_inside(name)).ok()?);
        }
        open.filter(|found| found.attributes().is_ok_and(|found| self.is(&found)))
    }
}
