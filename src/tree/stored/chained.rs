//! Tree in a file whose entries are linked: each item points to the previous item in its directory, and a directory
//! points to its last item.
//!
//! As in a scan, a directory gets its ID when the listing that contains its entry is loaded. Its totals come from
//! the file. The file records that there are errors below a directory, but not how many, so a directory reports at most
//! one error until its errors are counted.
//!
//! [`Chains`](super::chains::Chains) reads the file and guarantees that no item is in two chains, so the tree is
//! finite.

use std::collections::HashMap;

use rayon::prelude::*;

use super::chains::{ChainItem, ChainedFile, Inside, ItemDevice};
use crate::base::sync::{Ordering, lock};
use crate::platform::memory::arena::Address;
use crate::platform::memory::block_file::Damage;
use crate::tree::batch::Batch;
use crate::tree::directory::{DirId, PARTIAL, Totals};
use crate::tree::entry::{EntryState, Metadata};
use crate::tree::reading::{Failure, Tree};

/// Size in bytes of a segment; about the size of a batch from the kernel.
const SEGMENT: usize = 32 << 10;
/// Maximum number of directories that [`fetch_below`] processes at once. Their listings are loaded in parallel.
const ROUND: usize = 1 << 10;

impl ChainedFile {
    /// Loads the listing of `id`, unless it has already been loaded.
    pub(crate) fn fetch(&self, tree: &Tree, id: DirId) {
        let unloaded = self.directories.make(id.0);
        if unloaded.last.load(Ordering::Acquire) == 0 {
            return;
        }
        let _loading = lock(&self.locks[id.0 as usize % self.locks.len()]);
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

    /// Loads all listings, and counts the errors in them.
    pub(crate) fn fetch_all(&self, tree: &Tree) {
        if !self.is_loaded.load(Ordering::Relaxed) {
            fetch_below(tree, |_| true, |_| {});
            self.fetch_failures(tree);
            self.is_loaded.store(true, Ordering::Relaxed);
        }
    }

    /// Loads the listings of directories with errors, and counts the errors.
    pub(crate) fn fetch_failures(&self, tree: &Tree) {
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

    /// Returns the damage that is closest to the start of the file, if any damage has been found so far.
    pub(crate) fn damage(&self) -> Option<Damage> {
        self.damage.get()
    }
}

/// Loads the listing of [`DirId::TOP`], and of each directory that `is_wanted` accepts. If `is_wanted` accepts a
/// directory, it must also accept all of the directory's ancestors. Calls `visit` with these directories, parents
/// before their children.
fn fetch_below(tree: &Tree, is_wanted: impl Fn(&DirId) -> bool + Sync, mut visit: impl FnMut(&[DirId])) {
    let mut waiting = vec![DirId::TOP];
    while !waiting.is_empty() {
        let round = waiting.split_off(waiting.len().saturating_sub(ROUND));
        visit(&round);
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
    /// Newest node of the listing's chain; `None` while the listing has no segments.
    node: Option<Address>,
    failures: Vec<Failure>,
    /// Totals of the child directories, plus the disk usage of the other entries.
    sum: Totals,
}

impl<'l> Loading<'l> {
    fn new(file: &'l ChainedFile, tree: &'l Tree, id: DirId, batch: &'l mut Batch) -> Self {
        let (device, sum) = (tree.device_index(id), Totals::default());
        Self { file, tree, id, device, batch, node: None, failures: Vec::new(), sum }
    }

    fn push(&mut self, item: &ChainItem<'_>) {
        let ChainItem { mut entry, inside, links_on } = *item;
        match (&mut entry.state, inside) {
            (EntryState::Known(metadata), Some(inside)) => self.directory(entry.name, *metadata, &inside),
            (EntryState::Known(metadata), None) => {
                if let Some(links) = &mut metadata.links {
                    links.device = links_on.unwrap_or(self.device);
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
        let device = match inside.device {
            Some(ItemDevice::Number(number)) => self.tree.devices().index(number),
            Some(ItemDevice::Index(index)) => index,
            None => self.device,
        };
        let id = self.batch.push_directory(self.tree, self.id, name, metadata, device);
        self.tree.set_totals(id, &inside.totals, inside.errno);
        self.tree.dir(id).set(if inside.is_partial { PARTIAL } else { 0 });
        self.file.expect(id, inside.last, metadata.disk());
        self.sum.add(&inside.totals);
        if inside.errno != 0 {
            self.failures.push(Failure { directory: id, entry: None, errno: inside.errno });
        }
    }

    fn seal(&mut self) {
        self.node = self.batch.seal_after(self.tree, self.id, self.node);
    }

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
            // `Release` ensures that a reader that sees the listing also sees the directories named in it.
            tree.dir(id).listing.store(node.to_bits(), Ordering::Release);
        }
    }
}
