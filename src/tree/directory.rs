//! Directories of a tree: ID, state, totals, and the data kept for each directory.

use crate::base::sync::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// ID of a directory in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirId(pub u32);

impl DirId {
    /// Virtual directory whose entries are the roots.
    pub const TOP: Self = Self(0);
}

/// Progress of reading a directory and everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// Reading has not begun.
    Waiting = 0,
    /// The directory, or something below it, is being read.
    Reading = 1,
    /// Reading has ended for the directory and everything below it: reading succeeded, failed or was stopped.
    Complete = 2,
}

/// Progress of reading a directory, and the error if reading failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Progress of reading.
    pub state: State,
    /// `true` if the scan was stopped before everything was read, so that the totals are lower bounds.
    pub partial: bool,
    /// Error number if the directory could not be read.
    pub errno: Option<i32>,
}

impl Status {
    /// Returns `true` if reading has ended for the directory and everything below it, successfully or not.
    pub fn is_complete(self) -> bool {
        self.state == State::Complete
    }

    /// Returns `true` if everything readable in and below the directory has been read.
    pub fn is_settled(self) -> bool {
        self.is_complete() && !self.partial
    }

    /// Returns `true` if the directory is settled and its own entries could be read.
    pub fn is_known(self) -> bool {
        self.is_settled() && self.errno.is_none()
    }
}

/// Data of one directory. Several workers may change the totals, `pending` and `flags` at the same time: those that
/// read the directory, and those that complete its child directories. The worker that releases the last claim (see
/// `pending`) sets `state` to complete. Each other field has one writer at a time: the worker that creates or reads the
/// directory or, after the scan, the code that changes the finished tree.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Dir {
    pub(super) disk: AtomicU64,
    pub(super) apparent: AtomicU64,
    pub(super) items: AtomicU64,
    /// Address of the listing: its only segment, or the newest node in the chain of its segments; 0 until something is
    /// published. Stored with `Release` and loaded with `Acquire`, so that readers see everything the listing refers
    /// to.
    pub(super) listing: AtomicU64,
    /// Address of the directory's own entry; 0 for [`DirId::TOP`]. Written before the listing that contains the entry
    /// is published.
    pub(super) record: AtomicU64,
    /// ID of the parent directory. Written before the listing that contains this directory is published.
    pub(super) parent: AtomicU32,
    /// Number of claims: tasks that must end before the directory is complete; see `totals`.
    pub(super) pending: AtomicU32,
    pub(super) errors: AtomicU32,
    /// Error number, or 0 if there is none; see [`Status::errno`].
    pub(super) errno: AtomicI32,
    /// Index of the device in the tree's list of devices.
    pub(super) device: AtomicU32,
    pub(super) state: AtomicU8,
    /// Flags of the directory: a combination of [`PARTIAL`] and [`LINKED`]. Once set, a flag stays set until the ID of
    /// the directory is reused for another directory. When the directory completes, its parent inherits its flags.
    pub(super) flags: AtomicU8,
    pub(super) is_open: AtomicBool,
    /// `true` while a rescan fills this directory. Until the rescan is done, no listing contains the directory, and its
    /// parent's totals do not include it; see `replace`.
    pub(super) detached: AtomicBool,
}

/// Flag of a directory whose totals are lower bounds; see [`Status::partial`].
pub(super) const PARTIAL: u8 = 1;
/// Flag of a directory that contains an inode with several links, at any depth.
pub(super) const LINKED: u8 = 2;

#[cfg(not(loom))] // loom's atomics are larger
const _: () = assert!(size_of::<Dir>() == 64);

impl Dir {
    pub(super) fn is_partial(&self) -> bool {
        self.has(PARTIAL)
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    pub(super) fn set(&self, flags: u8) {
        if flags != 0 {
            self.flags.fetch_or(flags, Ordering::Relaxed);
        }
    }

    /// Resets a dropped directory so that its ID can be reused.
    pub(super) fn reset(&self) {
        for total in [&self.disk, &self.apparent, &self.items, &self.listing, &self.record] {
            total.store(0, Ordering::Relaxed);
        }
        self.errors.store(0, Ordering::Relaxed);
        self.errno.store(0, Ordering::Relaxed);
        self.state.store(State::Waiting as u8, Ordering::Relaxed);
        self.flags.store(0, Ordering::Relaxed);
        for flag in [&self.is_open, &self.detached] {
            flag.store(false, Ordering::Relaxed);
        }
    }
}

/// Totals of a directory and everything below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Disk usage in bytes, including the directory itself. Each inode is counted once.
    pub disk: u64,
    /// Apparent size in bytes, including the directory itself. Each inode is counted once.
    pub apparent: u64,
    /// Number of names below the directory. Every name of an inode is counted.
    pub items: u64,
    /// Number of entries that could not be read.
    pub errors: u32,
}

impl Totals {
    /// Adds `other`. Sums saturate at the maximum value.
    pub fn add(&mut self, other: &Self) {
        self.disk = self.disk.saturating_add(other.disk);
        self.apparent = self.apparent.saturating_add(other.apparent);
        self.items = self.items.saturating_add(other.items);
        self.errors = self.errors.saturating_add(other.errors);
    }
}

/// IDs of dropped directories, kept for reuse.
#[derive(Default)]
pub(super) struct Free {
    pub(super) ready: Vec<u32>,
    /// IDs of the directories that the latest call of [`Tree::drop_subtrees`](super::Tree::drop_subtrees) has dropped.
    /// Readers may still use these directories, so the IDs cannot be reused before the next call.
    waiting: Vec<u32>,
}

impl Free {
    pub(super) fn put(&mut self, removed: Vec<DirId>) {
        let removed = removed.into_iter().map(|id| id.0).collect();
        self.ready.extend(std::mem::replace(&mut self.waiting, removed));
    }
}
