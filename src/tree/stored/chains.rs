//! Interface for reading files in which the entries of each directory form a chain of items. Also contains the data
//! that the module `chained` needs to load listings on first use.

use super::damage::FirstDamage;
use crate::base::slots::Slots;
use crate::base::sync::{AtomicBool, AtomicU64, Mutex, Ordering};
use crate::platform::memory::block_file::Damage;
use crate::tree::batch::Batch;
use crate::tree::directory::{DirId, Totals};
use crate::tree::entry::Entry;

/// Number of locks. Two listings can be loaded at the same time if their directories use different locks.
const LOCKS: usize = 64;

/// Item of a chain: one entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainItem<'a> {
    /// Entry without a valid directory ID and without a valid device in `links` (see `links_on`). Both are set when the
    /// listing is loaded.
    pub entry: Entry<'a>,
    /// Data of a directory besides its own metadata; `None` if the entry is not a directory.
    pub inside: Option<Inside>,
    /// Index of the device to which the entry's `links` refer; `None` if it is the device of the parent directory.
    pub links_on: Option<u32>,
}

/// Device of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemDevice {
    /// Device number.
    Number(u64),
    /// Index in the tree's list of devices.
    Index(u32),
}

/// Data about a directory and everything below it, as recorded in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Totals. Their `errors` field shows only whether there were errors, not how many.
    pub totals: Totals,
    /// Device, if it differs from the parent's.
    pub device: Option<ItemDevice>,
    /// Error number if the directory itself could not be read, otherwise 0.
    pub errno: i32,
    /// `true` if the totals are lower bounds; see [`crate::tree::Status::partial`].
    pub is_partial: bool,
    /// Position of the last item in the directory; `None` if the directory is empty.
    pub last: Option<u64>,
}

/// File in which the entries of each directory form a chain. The implementation defines the meaning of positions.
pub trait Chains: Send + Sync {
    /// Calls `give` with each item of a chain, from the first to the last. `last` is the position of the last item. In
    /// ncdu's binary export, each item contains the position of the previous item, so the implementation reads the
    /// whole chain backward before it first calls `give`.
    ///
    /// # Errors
    /// Returns the damage that interrupts the chain. In that case, `give` may have been called with some of the items,
    /// usually those after the damage, because items before the damage cannot be found. An item counts as damage if it
    /// also belongs to another chain, or occurs twice in this chain.
    fn chain(&self, last: u64, give: &mut dyn FnMut(&ChainItem<'_>)) -> Result<(), Damage>;
}

/// Data needed to load the listing of a directory.
#[derive(Default)]
pub(in crate::tree) struct Unloaded {
    /// Position of the last item, plus one; 0 if there is nothing to load. Set to 0 with `Release` after the listing is
    /// published.
    pub(in crate::tree) last: AtomicU64,
    /// Disk usage of the directory itself.
    pub(in crate::tree) own: AtomicU64,
}

/// File in which the entries of each directory form a chain, and the loading state of its listings.
pub(in crate::tree) struct ChainedFile {
    pub(in crate::tree) chains: Box<dyn Chains>,
    pub(in crate::tree) directories: Slots<Unloaded, 1024>,
    /// Locks, each for several directories. A thread holds one while it loads the listing of a directory.
    pub(in crate::tree) locks: Box<[Mutex<()>]>,
    /// Buffers that no thread is using.
    pub(in crate::tree) batches: Mutex<Vec<Batch>>,
    /// `true` once all listings have been loaded. `Relaxed` suffices, because the flag guards no data.
    pub(in crate::tree) is_loaded: AtomicBool,
    /// `true` once the read errors recorded in the file have been loaded and counted. `Relaxed` suffices, because the
    /// flag guards no data.
    pub(in crate::tree) are_failures_loaded: AtomicBool,
    pub(in crate::tree) damage: FirstDamage,
}

impl ChainedFile {
    /// Creates the state of a file from which no listing has been loaded yet. `root` is the position of the last item
    /// in the chain of the roots.
    pub(crate) fn new(chains: Box<dyn Chains>, root: u64) -> Self {
        let file = Self {
            chains,
            directories: Slots::new(),
            locks: (0..LOCKS).map(|_| Mutex::default()).collect(),
            batches: Mutex::default(),
            is_loaded: AtomicBool::new(false),
            are_failures_loaded: AtomicBool::new(false),
            damage: FirstDamage::default(),
        };
        file.expect(DirId::TOP, Some(root), 0);
        file
    }

    /// Records the position of the last item in directory `id` (`None` if the directory is empty), and the disk usage
    /// `own` of the directory itself.
    pub(crate) fn expect(&self, id: DirId, last: Option<u64>, own: u64) {
        let unloaded = self.directories.make(id.0);
        unloaded.own.store(own, Ordering::Relaxed);
        unloaded.last.store(last.map_or(0, |last| last.saturating_add(1)), Ordering::Relaxed);
    }
}
