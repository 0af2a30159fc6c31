//! A directory of a walk: who works in it, and how it is found again from below.
//!
//! Invariant: what is found again is the same inode, or nothing.

use std::ffi::CString;

use crate::platform::descriptors::{Counted, wait_for_descriptors};
use crate::platform::{Attributes, Directory, Errno};
use crate::sync::{Arc, AtomicBool, AtomicU32, Mutex, OnceLock, Ordering, lock};

/// A directory that is being walked through.
pub(super) struct Node<'w> {
    pub(super) above: Above<'w>,
    pub(super) name: CString,
    pub(super) found: Attributes,
    /// The number of the selected item it is, or lies in.
    pub(super) item: usize,
    /// Something in it stays. Set by who works in it, read by who leaves it; `claims` orders that.
    stays: AtomicBool,
    /// Those who work in it, and its directories.
    pub(super) claims: AtomicU32,
    /// How often it was read again.
    pub(super) rounds: AtomicU32,
    /// Its directories that nobody has begun with.
    pub(super) waiting: Mutex<Vec<CString>>,
    /// Kept open, if there may be so many.
    pub(super) kept: OnceLock<Counted<'w, Arc<Directory>>>,
}

/// Where a directory was met.
pub(super) enum Above<'w> {
    /// In another one.
    Node(Arc<Node<'w>>),
    /// It is selected itself, in this directory.
    Selected(Arc<Directory>),
}

impl<'w> Node<'w> {
    pub(super) fn new(above: Above<'w>, name: CString, found: Attributes, item: usize) -> Self {
        Self {
            above,
            name,
            found,
            item,
            stays: AtomicBool::new(false),
            claims: AtomicU32::new(1),
            rounds: AtomicU32::new(0),
            waiting: Mutex::default(),
            kept: OnceLock::new(),
        }
    }

    /// Whether that is it.
    pub(super) fn is(&self, found: &Attributes) -> bool {
        (found.device, found.inode) == (self.found.device, self.found.inode)
    }

    pub(super) fn stays(&self) -> bool {
        self.stays.load(Ordering::Relaxed)
    }

    pub(super) fn set_stays(&self) {
        self.stays.store(true, Ordering::Relaxed);
    }

    /// Leaves alone what nobody has begun with. The caller has a claim.
    pub(super) fn abandon(&self) {
        let left = std::mem::take(&mut *lock(&self.waiting));
        self.set_stays();
        self.claims.fetch_sub(u32::try_from(left.len()).unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    /// The node and those above it.
    pub(super) fn ancestry(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |node| match &node.above {
            Above::Node(above) => Some(above.as_ref()),
            Above::Selected(_) => None,
        })
    }

    /// The directory above, in which the node has its name. None if it cannot be found again.
    pub(super) fn above(&self, directory: Option<&Directory>) -> Option<Arc<Directory>> {
        match &self.above {
            Above::Selected(directory) => Some(Arc::clone(directory)),
            Above::Node(parent) => parent.kept.get().map(|kept| Arc::clone(&kept.directory)).or_else(|| {
                let up = || wait_for_descriptors(|| directory.ok_or(Errno::EBADF)?.open_above()).ok();
                let above = up().filter(|above| above.attributes().is_ok_and(|found| parent.is(&found)));
                above.or_else(|| parent.reopen()).map(Arc::new)
            }),
        }
    }

    /// Opens it from the nearest directory above that is open; none if it is not there any more.
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
