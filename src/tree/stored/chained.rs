//! Tree in a file whose entries refer to one another: each item to the previous one in its directory, and a directory to
//! its last item.
//!
//! A directory gets its number when the listing that names it is loaded, as in a scan. Its totals are those that the
//! file records for it. The number of errors below it is at most one until they are counted, because the file records
//! only if there are any.
//!
//! [`Chains`] reads the file and guarantees that no item is in two chains, so the tree is finite.

use std::collections::HashMap;

use rayon::prelude::*;

use super::FirstDamage;
use crate::base::slots::Slots;
use crate::base::sync::{AtomicBool, AtomicU64, Mutex, Ordering, lock};
use crate::platform::memory::arena::Address;
use crate::platform::memory::block_file::Damage;
use crate::tree::build::Batch;
use crate::tree::directory::{DirId, Totals};
use crate::tree::entry::{Entry, EntryState, Metadata};
use crate::tree::reading::{Failure, Tree};

/// Size in bytes of a segment; about the size of a kernel batch.
const SEGMENT: usize = 32 << 10;
/// Number of locks. Listings whose directories use different locks are loaded at the same time.
const LOCKS: usize = 64;
/// Number of directories whose listings are loaded in parallel before the next ones are chosen.
const ROUND: usize = 1 << 10;

/// Item of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// Entry. A directory has no number yet, and the links of a file have no device.
    pub entry: Entry<'a>,
    /// Data of a directory besides its own metadata; `None` if the entry is not a directory.
    pub inside: Option<Inside>,
}

/// Data that a file records for everything in and below a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Totals. Of the errors, only the existence is known.
    pub totals: Totals,
    /// Device number, if it differs from that of the parent.
    pub device: Option<u64>,
    /// Error number with which reading the directory itself failed; 0 if it did not.
    pub errno: i32,
    /// Position of the last item in the directory; `None` if the directory is empty.
    pub last: Option<u64>,
}

/// File of chains. Positions are any numbers.
pub trait Chains: Send + Sync {
    /// Calls `give` with each item of the chain that ends at `last`, from the first to the last.
    ///
    /// # Errors
    /// Returns damage that ended the chain early; the items after it have been given. An item that is part of another
    /// chain, or occurs in the chain again, is damage.
    fn chain(&self, last: u64, give: &mut dyn FnMut(&Item<'_>)) -> Result<(), Damage>;
}

/// Data of a directory until its listing is loaded.
#[derive(Default)]
struct Unloaded {
    /// Position of the last item, plus one; 0 if there is nothing to load. Set to 0 with `Release` after the listing is
    /// published.
    last: AtomicU64,
    /// Disk usage of the directory itself.
    own: AtomicU64,
}

/// File with chains, and the state of loading.
pub(in crate::tree) struct ChainedFile {
    chains: Box<dyn Chains>,
    directories: Slots<Unloaded, 1024>,
    /// Held while a listing is loaded.
    locks: [Mutex<()>; LOCKS],
    /// Buffers that are not in use.
    batches: Mutex<Vec<Batch>>,
    /// `true` once everything has been loaded. `Relaxed` suffices, because the flag guards no data.
    is_loaded: AtomicBool,
    /// `true` once the errors have been counted. `Relaxed` suffices for the same reason.
    are_failures_loaded: AtomicBool,
    damage: FirstDamage,
}

impl ChainedFile {
    /// Creates the state of a file of which nothing has been loaded.
    pub(super) fn new(chains: Box<dyn Chains>, root: u64) -> Self {
        let file = Self {
            chains,
            directories: Slots::new(),
            locks: [const { Mutex::new(()) }; LOCKS],
            batches: Mutex::default(),
            is_loaded: AtomicBool::new(false),
            are_failures_loaded: AtomicBool::new(false),
            damage: FirstDamage::default(),
        };
        file.expect(DirId::TOP, Some(root), 0);
        file
    }

    /// Notes the position of the last item of `id`, whose own disk usage is `own`.
    fn expect(&self, id: DirId, last: Option<u64>, own: u64) {
        let unloaded = self.directories.make(id.0);
        unloaded.own.store(own, Ordering::Relaxed);
        unloaded.last.store(last.map_or(0, |last| last.saturating_add(1)), Ordering::Relaxed);
    }

    /// Loads the listing of `id`, unless it has already been loaded.
    pub(super) fn fetch(&self, tree: &Tree, id: DirId) {
        let unloaded = self.directories.make(id.0);
        if unloaded.last.load(Ordering::Acquire) == 0 {
            return;
        }
        let _loading = lock(&self.locks[id.0 as usize % LOCKS]);
        let Some(last) = unloaded.last.load(Ordering::Relaxed).checked_sub(1) else { return };
        let mut batch = lock(&self.batches).pop().unwrap_or_default();
        let mut loading = Loading::new(self, tree, id, &mut batch);
        let result = self.chains.chain(last, &mut |item| loading.push(item));
        loading.publish();
        if let Err(damage) = result {
            self.damage.note(damage);
        }
        lock(&self.batches).push(batch);
        unloaded.last.store(0, Ordering::Release);
    }

    /// Loads all listings.
    pub(super) fn fetch_all(&self, tree: &Tree) {
        if !self.is_loaded.load(Ordering::Relaxed) {
            fetch_below(tree, |_| true, |_| {});
            self.fetch_failures(tree);
            self.is_loaded.store(true, Ordering::Relaxed);
        }
    }

    /// Loads the listings of directories with errors, and counts the errors.
    pub(super) fn fetch_failures(&self, tree: &Tree) {
        if self.are_failures_loaded.load(Ordering::Relaxed) {
            return;
        }
        let mut directories = Vec::new();
        fetch_below(tree, |id| tree.totals(*id).errors > 0, |round| directories.extend_from_slice(round));
        let mut own: HashMap<DirId, u32> = HashMap::new();
        for failure in &*lock(&tree.failures) {
            *own.entry(failure.directory).or_default() += 1;
        }
        tree.set_errors(&directories, own);
        self.are_failures_loaded.store(true, Ordering::Relaxed);
    }

    /// Returns the first damage found in the file so far.
    pub(super) fn damage(&self) -> Option<Damage> {
        self.damage.get()
    }
}

/// Loads the listings of all directories that `is_wanted` accepts together with all directories above them. Calls `met`
/// with them, parents before their children.
fn fetch_below(tree: &Tree, is_wanted: impl Fn(&DirId) -> bool + Sync, mut met: impl FnMut(&[DirId])) {
    let mut waiting = vec![DirId::TOP];
    while !waiting.is_empty() {
        let round = waiting.split_off(waiting.len().saturating_sub(ROUND));
        met(&round);
        let children = |id: DirId| tree.listing(id).directories().filter(&is_wanted).collect::<Vec<_>>();
        waiting.par_extend(round.into_par_iter().flat_map_iter(children));
    }
}

/// Listing that is being loaded.
struct Loading<'l> {
    file: &'l ChainedFile,
    tree: &'l Tree,
    id: DirId,
    device: u32,
    batch: &'l mut Batch,
    /// Newest node of the listing so far.
    node: Option<Address>,
    failures: Vec<Failure>,
    /// Totals of the child directories, and disk usage of the other entries.
    sum: Totals,
}

impl<'l> Loading<'l> {
    fn new(file: &'l ChainedFile, tree: &'l Tree, id: DirId, batch: &'l mut Batch) -> Self {
        let (device, sum) = (tree.device_index(id), Totals::default());
        Self { file, tree, id, device, batch, node: None, failures: Vec::new(), sum }
    }

    fn push(&mut self, item: &Item<'_>) {
        let Item { mut entry, inside } = *item;
        match (&mut entry.state, inside) {
            (EntryState::Known(metadata), Some(inside)) => self.directory(entry.name, *metadata, &inside),
            (EntryState::Known(metadata), None) => {
                if let Some(links) = &mut metadata.links {
                    links.device = self.device;
                }
                self.sum.add(&Totals { disk: metadata.disk(), ..Totals::default() });
                self.batch.push(self.id, &entry);
            }
            _ => self.batch.push(self.id, &entry),
        }
        if self.batch.page().length() >= SEGMENT {
            self.seal();
        }
    }

    fn directory(&mut self, name: &[u8], metadata: Metadata, inside: &Inside) {
        let device = inside.device.map_or(self.device, |device| self.tree.devices().index(device));
        let id = self.batch.push_directory(self.tree, self.id, name, metadata, device);
        self.tree.set_totals(id, &inside.totals, inside.errno);
        self.file.expect(id, inside.last, metadata.disk());
        self.sum.add(&inside.totals);
        if inside.errno != 0 {
            self.failures.push(Failure { directory: id, entry: None, errno: inside.errno });
        }
    }

    fn seal(&mut self) {
        self.node = self.batch.seal_after(self.tree, self.id, self.node);
    }

    /// Adds the listing to the tree.
    fn publish(mut self) {
        self.seal();
        let Self { file, tree, id, batch, node, failures, sum, .. } = self;
        if id == DirId::TOP {
            tree.set_totals(id, &sum, 0);
        } else {
            let own = file.directories.make(id.0).own.load(Ordering::Relaxed);
            let shared = own.saturating_add(sum.disk).saturating_sub(tree.totals(id).disk);
            if shared != 0 {
                lock(&tree.shared).insert(id, shared);
            }
        }
        lock(&tree.failures).extend(failures);
        lock(&tree.linked).extend(batch.take_linked());
        if let Some(node) = node {
            // `Release`: a reader that sees the listing sees the directories that it names too.
            tree.dir(id).listing.store(node.to_bits(), Ordering::Release);
        }
    }
}
