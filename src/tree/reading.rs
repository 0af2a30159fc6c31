//! Directory tree and the functions that read from it.
//!
//! Invariant: names, listings and totals in memory are read without a lock, even while the tree is growing.

use std::collections::HashMap;

use super::devices::Devices;
use super::directory::{Dir, DirId, Free, LINKED, State, Status, Totals};
use super::encoding::{Node, decode_name, decode_node, segments_of};
use super::entry::{Entry, EntryState, Metadata};
use super::exclusive::ExclusiveSizes;
use super::inodes::LinkedName;
use super::listing::Listing;
use super::open_directories::Open;
use super::readings::Readings;
use super::storage_classes::StorageClasses;
use super::stored::Stored;
use crate::base::slots::Slots;
use crate::base::sync::{Arc, AtomicU32, AtomicU64, Mutex, Ordering, lock};
use crate::platform::memory::arena::{Address, Arena};

/// Error from reading a directory or entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Parent directory of the entry, or the unreadable directory itself if `entry` is `None`.
    pub directory: DirId,
    /// Address of the entry; `None` if the directory itself could not be read.
    pub entry: Option<Address>,
    /// Error number reported by the system.
    pub errno: i32,
}

/// Number of directories in a leaf of the directory table. A leaf takes 64 KiB, so a partly filled last leaf wastes
/// little space.
pub(super) const LEAF: usize = if cfg!(loom) { 8 } else { 1 << 10 };

/// Tree of directories, which may still be growing.
pub struct Tree {
    pub(super) dirs: Slots<Dir, LEAF>,
    /// Number of directories created so far.
    pub(super) count: AtomicU32,
    pub(super) bytes: Arena,
    pub(super) devices: Devices,
    pub(super) classes: StorageClasses,
    pub(super) open: Open,
    pub(super) failures: Mutex<Vec<Failure>>,
    /// Sizes returned by [`Tree::shared`]. Written when the hard links of a finished tree are counted.
    pub(super) shared: Mutex<HashMap<DirId, u64>>,
    /// Sizes returned by [`Tree::exclusive`].
    pub(super) exclusive: Mutex<Option<Arc<ExclusiveSizes>>>,
    /// Sizes returned by [`Tree::recorded`].
    pub(super) recorded: Mutex<HashMap<DirId, u64>>,
    /// Names of inodes with several links. Filled at the end of a scan.
    pub(super) linked: Mutex<Vec<LinkedName>>,
    /// Roots that are files below another root. Maps the path of each file to the root directory that contains it; see
    /// `aliases`. `None` until these files are known.
    pub(super) files_inside: Mutex<Option<HashMap<Vec<u8>, DirId>>>,
    pub(super) free: Mutex<Free>,
    pub(super) readings: Mutex<Readings>,
    /// Counter of the changes to a finished tree; see [`Tree::edition`].
    pub(super) edition: AtomicU64,
    /// File from which the tree is loaded; `None` if the whole tree is in memory.
    pub(super) stored: Option<Box<Stored>>,
}

impl Tree {
    /// Returns the parent of directory `id`; `None` for [`DirId::TOP`].
    pub fn parent(&self, id: DirId) -> Option<DirId> {
        (id != DirId::TOP).then(|| DirId(self.dir(id).parent.load(Ordering::Relaxed)))
    }

    /// Returns the name of directory `id`, which can contain any bytes. For a root, this is the path as the user gave
    /// it; for [`DirId::TOP`], the name is empty.
    pub fn name(&self, id: DirId) -> &[u8] {
        self.record(id).map_or(&[], |record| self.name_at(record))
    }

    /// Returns the address of the directory's own entry in the memory of the tree. Loads the entry if necessary.
    /// Returns `None` for [`DirId::TOP`], and if the entry has not been written yet or cannot be loaded.
    pub(super) fn record(&self, id: DirId) -> Option<Address> {
        // `Acquire` pairs with the `Release` in the module `stored`, which may publish the directory concurrently.
        let load = || Address::from_bits(self.dir(id).record.load(Ordering::Acquire));
        load().or_else(|| {
            self.stored.as_ref()?.fetch(self, self.parent(id)?);
            load()
        })
    }

    /// Returns the name of the entry at `address`.
    #[doc(hidden)]
    pub fn name_at(&self, address: Address) -> &[u8] {
        decode_name(self.bytes.bytes_from(address)).unwrap_or_default()
    }

    /// Returns the path of directory `id`: the root as the user gave it, followed by the names down to `id`, separated
    /// by slashes. Does not search any listing.
    pub fn path(&self, id: DirId) -> Vec<u8> {
        let mut names: Vec<&[u8]> = self.ancestry(id).map(|id| self.name(id)).collect();
        names.reverse();
        join(names)
    }

    /// Returns `id` and its ancestors, excluding [`DirId::TOP`].
    pub fn ancestry(&self, id: DirId) -> impl Iterator<Item = DirId> + '_ {
        std::iter::successors(Some(id), |id| self.parent(*id)).take_while(|id| *id != DirId::TOP)
    }

    /// Returns the published entries of directory `id`. A malformed record hides the rest of its segment.
    pub fn listing(&self, id: DirId) -> Listing<'_> {
        if let (0, Some(stored)) = (self.dir(id).listing.load(Ordering::Acquire), &self.stored) {
            stored.fetch(self, id);
        }
        self.loaded_listing(id)
    }

    /// Returns the length in bytes of the snapshot block that contains the listing of `id`; 0 if unknown. If the
    /// largest entries of the listing are in a block of their own (see `Tree::head`), that block is not counted.
    pub fn block_length(&self, id: DirId) -> u64 {
        self.stored.as_ref().map_or(0, |stored| stored.block_length(id))
    }

    /// Returns the entries of directory `id` that are in memory: none if a snapshot's listing has not been loaded.
    pub fn loaded_listing(&self, id: DirId) -> Listing<'_> {
        // `Acquire` pairs with the publisher's `Release`.
        self.listing_at(self.dir(id).listing.load(Ordering::Acquire))
    }

    /// Returns the listing whose newest node is at the address `next`; an empty listing if `next` is 0.
    pub(super) fn listing_at(&self, mut next: u64) -> Listing<'_> {
        let node_at = |at| Address::from_bits(at).and_then(|at| decode_node(self.bytes.bytes_from(at)).ok());
        let mut segments = Vec::new();
        while let Some(node) = node_at(next) {
            let (before, newest) = match node {
                Node::Link { before, segment } => (before, node_at(segment)),
                newest => (0, Some(newest)),
            };
            match newest {
                Some(Node::Segment(records)) => segments.push(records),
                Some(Node::Run(run)) => {
                    let start = segments.len();
                    segments.extend(segments_of(run));
                    segments[start..].reverse();
                }
                Some(Node::Link { .. }) | None => {}
            }
            next = before;
        }
        segments.reverse();
        Listing::from_segments(segments)
    }

    /// Returns the metadata of the directory's own entry; `None` for [`DirId::TOP`], or if the parent's listing does
    /// not contain the entry. Too slow to call for every directory, because each call searches the parent's listing.
    pub fn own_metadata(&self, id: DirId) -> Option<Metadata> {
        let listing = self.listing(self.parent(id)?);
        listing.entries().find_map(|(_, record)| match record.state {
            EntryState::Known(metadata) => Some(metadata).filter(|metadata| metadata.directory == Some(id)),
            _ => None,
        })
    }

    /// Returns the totals of directory `id`. Unlike [`LiveTotals`](crate::tree::LiveTotals), omits incomplete children.
    pub fn totals(&self, id: DirId) -> Totals {
        self.dir(id).totals()
    }

    /// Returns the number of items below an entry; 0 if the entry is not a directory or was not entered by the scan.
    pub fn items_below(&self, record: &Entry<'_>) -> u64 {
        record.directory().map_or(0, |id| self.totals(id).items)
    }

    /// Returns the progress of reading the directory, and the error if it could not be read.
    pub fn status(&self, id: DirId) -> Status {
        let dir = self.dir(id);
        // `Acquire`: a reader that sees the state "complete" sees the final totals too.
        let state = match dir.state.load(Ordering::Acquire) {
            0 => State::Waiting,
            1 => State::Reading,
            _ => State::Complete,
        };
        let errno = dir.errno.load(Ordering::Relaxed);
        Status { state, partial: dir.is_partial(), errno: (errno != 0).then_some(errno) }
    }

    /// Returns `true` if the totals of `id` may still change during the scan: the directory is incomplete, or it
    /// contains names of inodes with several links. Until the scan ends, such an inode is counted once for each name.
    pub(crate) fn is_growing(&self, id: DirId) -> bool {
        !self.status(id).is_complete() || self.has_links(id)
    }

    /// Returns `true` if `id` contains, at any depth, names of inodes with several links. The names below a child
    /// directory are considered only after the child directory is complete.
    pub(crate) fn has_links(&self, id: DirId) -> bool {
        self.dir(id).has(LINKED)
    }

    /// Returns `true` if the totals of `id` cannot be compared with those of another tree yet, because this tree is
    /// still being read and the totals may change.
    pub(crate) fn is_preliminary(&self, id: DirId) -> bool {
        self.is_growing(id) && !self.status(DirId::TOP).is_complete()
    }

    /// Returns `true` if the totals of `id` can be compared with those of another tree.
    pub(crate) fn is_comparable(&self, id: DirId) -> bool {
        self.status(id).is_known() && !self.is_preliminary(id)
    }

    /// Returns the disk usage shared between entries of the directory: the sum of the sizes of its entries and of the
    /// directory itself, minus its total, which counts shared bytes once. Returns 0 until the scan is complete.
    pub fn shared(&self, id: DirId) -> u64 {
        if let Some(stored) = &self.stored {
            stored.fetch_shared(self, id);
        }
        lock(&self.shared).get(&id).copied().unwrap_or(0)
    }

    /// Returns the apparent size of everything in and below an unreadable directory, if the file system records that
    /// size. The totals of the tree do not include this size.
    pub fn recorded(&self, id: DirId) -> Option<u64> {
        lock(&self.recorded).get(&id).copied()
    }

    /// Returns the device number of directory `id`.
    pub fn device(&self, id: DirId) -> u64 {
        self.devices.number(self.dir(id).device.load(Ordering::Relaxed))
    }

    /// Returns the devices found so far. Entries refer to them by index.
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    /// Returns the storage classes found so far. Entries refer to them by ID.
    pub fn storage_classes(&self) -> &StorageClasses {
        &self.classes
    }

    /// Returns the read errors recorded so far.
    pub fn failures(&self) -> Vec<Failure> {
        self.fetch_failures();
        lock(&self.failures).clone()
    }

    /// Returns the path of the directory or entry that could not be read.
    pub fn failure_path(&self, failure: &Failure) -> Vec<u8> {
        let directory = self.path(failure.directory);
        match failure.entry {
            Some(entry) => join([directory.as_slice(), self.name_at(entry)]),
            None => directory,
        }
    }

    /// Returns a number that increases with every change to a finished tree, so that long operations detect changes.
    pub fn edition(&self) -> u64 {
        self.edition.load(Ordering::Relaxed)
    }

    pub(super) fn dir(&self, id: DirId) -> &Dir {
        self.dirs.make_from(id.0, |first| {
            self.stored.as_ref().map_or_else(Vec::new, |stored| stored.rows(self, first))
        })
    }
}

/// Joins names with slashes. No slash is added if the path so far is empty or ends with a slash.
pub fn join<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut path = Vec::new();
    for name in names {
        if !path.is_empty() && !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(name);
    }
    path
}
