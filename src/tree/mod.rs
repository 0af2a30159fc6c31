//! A directory tree in memory: sealed listings for the entries, one cache line for each directory.
//!
//! ```text
//! Dir   64 bytes: subtree totals, address of its listing, address of its own record, parent, pending, state
//! bytes: listings back to back in an append-only arena; see `encoding`
//! ```
//!
//! Directory 0 is a virtual top: its listing holds the roots, under the names they were given by. Readers may look at
//! any time; a listing once published never changes, a longer one replaces it.
//!
//! A tree may lie in a file: then directories and listings are fetched from it when they are first asked for (`stored`), and
//! from there on nobody sees a difference.
//!
//! Does no I/O but that and knows nothing of scanning. Invariant: what a published listing names (records, child directories)
//! is there before the listing can be seen.

mod aliases;
mod build;
mod devices;
#[doc(hidden)]
pub mod diff;
#[doc(hidden)]
pub mod encoding;
mod entries;
mod index;
#[doc(hidden)]
pub mod links;
mod listing;
mod live;
#[doc(hidden)]
pub mod order;
mod record;
mod replace;
#[doc(hidden)]
pub mod stored;
mod successors;
#[cfg(test)]
mod tests;
mod totals;
pub(crate) mod varint;
mod walk;

use std::collections::HashMap;

#[doc(hidden)]
pub use aliases::Alias;
pub use build::{Batch, LinkedName, Page, Sealed};
pub use devices::Devices;
#[doc(hidden)]
pub use entries::{Changes, LinkedInode};
pub use index::Index;
pub use listing::{Entries, Listing, Position};
pub use live::Live;
pub use record::{Content, Exclusion, Facts, Links, Owner, Record};
pub use successors::Successors;
pub use totals::Totals;
pub use walk::Walk;

use crate::platform::memory::{Address, Arena};
use crate::sync::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64, Mutex, Ordering, lock};
use crate::table::Table;
use encoding::{Node, decode_name, decode_node, segments_of};

/// The number of a directory in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirId(pub u32);

impl DirId {
    /// The virtual directory whose entries are the roots.
    pub const TOP: Self = Self(0);
}

/// How far a directory has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// Nobody has begun to read it.
    Waiting = 0,
    /// It, or something below it, is being read.
    Reading = 1,
    /// Everything below it was read, as far as it could be.
    Complete = 2,
}

/// How it stands with a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// How far it has come.
    pub state: State,
    /// The scan was stopped before all of it was read: its totals are "at least".
    pub partial: bool,
    /// The error number that ended the reading of this very directory, if one did.
    pub errno: Option<i32>,
}

impl Status {
    /// Whether nothing more will come.
    pub fn is_complete(self) -> bool {
        self.state == State::Complete
    }

    /// Whether everything in it and below it was read, as far as it could be.
    pub fn is_settled(self) -> bool {
        self.is_complete() && !self.partial
    }

    /// Whether it is settled, and its own entries could be read.
    pub fn is_known(self) -> bool {
        self.is_settled() && self.errno.is_none()
    }
}

/// One directory. Totals, `pending` and `partial` are written by every worker that has a claim on it: whoever completes a child, and
/// whoever is told to stop. The other fields have one writer, the worker that reads the directory, until it is complete; then
/// whoever replaces something in a tree at rest.
#[derive(Default)]
#[repr(align(64))]
struct Dir {
    disk: AtomicU64,
    apparent: AtomicU64,
    items: AtomicU64,
    /// Address of the newest link or only segment of its listing, zero before anything is published. `Release` by the
    /// publisher, `Acquire` by readers: what the listing names is seen with it.
    listing: AtomicU64,
    /// Address of its own record, zero for the top. Written before the listing with that record is published.
    record: AtomicU64,
    /// Its parent's number. Written before the listing that names it is published.
    parent: AtomicU32,
    /// What it waits for; see `totals`.
    pending: AtomicU32,
    errors: AtomicU32,
    /// See [`Status::errno`]; zero for none.
    errno: AtomicI32,
    /// Index of the device it is on.
    device: AtomicU32,
    state: AtomicU8,
    partial: AtomicBool,
    is_open: AtomicBool,
    /// It is being read again, in no listing, and hands nothing on; see `replace`.
    detached: AtomicBool,
}

#[cfg(not(loom))] // whose atomics are larger
const _: () = assert!(size_of::<Dir>() == 64);

impl Dir {
    fn is_partial(&self) -> bool {
        self.partial.load(Ordering::Relaxed)
    }

    /// Makes a dropped directory like new.
    fn reset(&self) {
        for total in [&self.disk, &self.apparent, &self.items, &self.listing, &self.record] {
            total.store(0, Ordering::Relaxed);
        }
        self.errors.store(0, Ordering::Relaxed);
        self.errno.store(0, Ordering::Relaxed);
        self.state.store(State::Waiting as u8, Ordering::Relaxed);
        for flag in [&self.partial, &self.is_open, &self.detached] {
            flag.store(false, Ordering::Relaxed);
        }
    }

    fn set_partial(&self) {
        self.partial.store(true, Ordering::Relaxed);
    }
}

/// Something that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The directory it is in; the directory itself, when `entry` is none.
    pub directory: DirId,
    /// The record of the entry.
    pub entry: Option<Address>,
    /// The system's error number.
    pub errno: i32,
}

/// Directories in a leaf of the table, 64 KiB: the unused end of the last one does not matter.
const LEAF: usize = if cfg!(loom) { 8 } else { 1 << 10 };

/// A tree of directories, complete or still growing.
pub struct Tree {
    dirs: Table<Dir, LEAF>,
    /// Numbers given out so far.
    count: AtomicU32,
    bytes: Arena,
    devices: Devices,
    open: live::Open,
    failures: Mutex<Vec<Failure>>,
    /// See [`Tree::shared`]. Written once, when the hard links of a finished scan are settled.
    shared: Mutex<HashMap<DirId, u64>>,
    /// Names of inodes with several links. Filled when a scan is over.
    linked: Mutex<Vec<LinkedName>>,
    /// Files among the roots that lie below another root, by name, and that root; see `aliases`. None as long as that is not known.
    files_inside: Mutex<Option<HashMap<Vec<u8>, DirId>>>,
    free: Mutex<build::Free>,
    /// See [`Tree::edition`]. Written by whoever changes totals, read by whoever reads for long.
    edition: AtomicU64,
    /// Where a tree comes from that was read from a file.
    stored: Option<Box<stored::Stored>>,
}

impl Tree {
    /// The directory above; none for the top.
    pub fn parent(&self, id: DirId) -> Option<DirId> {
        (id != DirId::TOP).then(|| DirId(self.dir(id).parent.load(Ordering::Relaxed)))
    }

    /// Its name, any bytes; for a root the path as given, for the top empty.
    pub fn name(&self, id: DirId) -> &[u8] {
        self.record(id).map_or(&[], |record| self.name_at(record))
    }

    /// Where its record is.
    fn record(&self, id: DirId) -> Option<Address> {
        // Acquire: pairs with the Release of `stored`, which may publish while others read.
        let load = || Address::from_bits(self.dir(id).record.load(Ordering::Acquire));
        load().or_else(|| {
            self.stored.as_ref()?.fetch(self, self.parent(id)?);
            load()
        })
    }

    /// The name in the record at `address`.
    #[doc(hidden)]
    pub fn name_at(&self, address: Address) -> &[u8] {
        decode_name(self.bytes.from_address(address)).unwrap_or_default()
    }

    /// The path: the root as given, then the names down to `id`, with a slash between. Searches nothing.
    pub fn path(&self, id: DirId) -> Vec<u8> {
        let mut names: Vec<&[u8]> = self.ancestry(id).map(|id| self.name(id)).collect();
        names.reverse();
        join(names)
    }

    /// `id` and every directory above it except the top.
    pub fn ancestry(&self, id: DirId) -> impl Iterator<Item = DirId> + '_ {
        std::iter::successors(Some(id), |id| self.parent(*id)).take_while(|id| *id != DirId::TOP)
    }

    /// Its entries as far as they were published. A segment of it ends where it is malformed.
    pub fn listing(&self, id: DirId) -> Listing<'_> {
        let mut segments = Vec::new();
        // Acquire: pairs with the publisher's Release.
        let mut next = self.dir(id).listing.load(Ordering::Acquire);
        if let (0, Some(stored)) = (next, &self.stored) {
            stored.fetch(self, id);
            next = self.dir(id).listing.load(Ordering::Acquire);
        }
        while let Some(address) = Address::from_bits(next) {
            match decode_node(self.bytes.from_address(address)) {
                Ok(Node::Segment(records)) => {
                    segments.push(records);
                    break;
                }
                Ok(Node::Link { before, segment }) => {
                    let records =
                        Address::from_bits(segment).map(|at| decode_node(self.bytes.from_address(at)));
                    if let Some(Ok(Node::Segment(records))) = records {
                        segments.push(records);
                    }
                    next = before;
                }
                Ok(Node::Run(run)) => {
                    segments.extend(segments_of(run));
                    segments.reverse();
                    break;
                }
                Err(_) => break,
            }
        }
        segments.reverse();
        Listing::from_segments(segments)
    }

    /// What its own record says of it. Searches the parent's listing, so not for every directory.
    pub fn own_facts(&self, id: DirId) -> Option<Facts> {
        let listing = self.listing(self.parent(id)?);
        listing.entries().find_map(|(_, record)| match record.content {
            Content::Known(facts) => Some(facts).filter(|facts| facts.directory == Some(id)),
            _ => None,
        })
    }

    /// What lies in it and below, of everything that is complete; [`Live`] adds what is not.
    pub fn totals(&self, id: DirId) -> Totals {
        self.dir(id).totals()
    }

    /// How it stands with it.
    pub fn status(&self, id: DirId) -> Status {
        let dir = self.dir(id);
        // Acquire: who sees it complete sees its final totals.
        let state = match dir.state.load(Ordering::Acquire) {
            0 => State::Waiting,
            1 => State::Reading,
            _ => State::Complete,
        };
        let errno = dir.errno.load(Ordering::Relaxed);
        Status { state, partial: dir.is_partial(), errno: (errno != 0).then_some(errno) }
    }

    /// Disk bytes counted in more than one entry of it, but in its own totals once: what the sizes of its entries add up
    /// to beyond its own. Known when the scan is over.
    pub fn shared(&self, id: DirId) -> u64 {
        // Of a tree in a file the numbers come with the directories, when one of their block is first touched.
        if self.stored.is_some() {
            self.dir(id);
        }
        lock(&self.shared).get(&id).copied().unwrap_or(0)
    }

    /// The device `id` is on.
    pub fn device(&self, id: DirId) -> u64 {
        self.devices.number(self.dir(id).device.load(Ordering::Relaxed))
    }

    /// The devices met so far, by the index that records use.
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    /// What could not be read so far.
    pub fn failures(&self) -> Vec<Failure> {
        self.fetch_failures();
        lock(&self.failures).clone()
    }

    /// The path of a failure.
    pub fn failure_path(&self, failure: &Failure) -> Vec<u8> {
        let directory = self.path(failure.directory);
        match failure.entry {
            Some(entry) => join([directory.as_slice(), self.name_at(entry)]),
            None => directory,
        }
    }

    /// A number that grows with every change to a tree at rest: who has read for long knows from it whether all was of one
    /// moment.
    pub fn edition(&self) -> u64 {
        self.edition.load(Ordering::Relaxed)
    }

    fn dir(&self, id: DirId) -> &Dir {
        self.dirs.make_from(id.0, |first| {
            self.stored.as_ref().map_or_else(Vec::new, |stored| stored.rows(self, first))
        })
    }
}

/// Joins names by slashes; nothing is put behind an empty name or one that ends in a slash.
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
