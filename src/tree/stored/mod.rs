//! A tree that lies in a file and comes into memory where it is looked at.
//!
//! Directories are numbered breadth first: the top is 0, and the child directories of each directory get the next numbers,
//! in the order of its listing. So a parent has a smaller number than its children, and from one directory to the next in
//! number nothing ever goes back: not the parents, not the listings, not the children named in them. That order is what
//! makes the file small, and what is checked of a block when it is first touched:
//!
//! ```text
//! rows      1024 rows of the directory table, with every total; see `rows`
//! listings  the listings of directories with neighbouring numbers; see `listings`
//! ```
//!
//! A block that passed is as good as memory that a scan has filled: each directory is named by one record, and no parent,
//! listing or child can lead in a circle. From one that did not, nothing is used: its directories are empty, and the damage is
//! noted.
//!
//! Knows no file system; `platform::blocks` fetches. Invariant: whatever the file holds, the tree is finite, and each of its
//! directories below the top is met once.

pub mod listings;
pub mod rows;

use rayon::prelude::*;

use super::{Dir, DirId, Failure, LEAF, Tree};
use crate::platform::blocks::{Block, BlockFile, Damage};
use crate::sync::{Mutex, OnceLock, Ordering, lock};
use listings::{Found, Span};
use rows::Row;

/// Rows in a block of them.
pub const ROWS: u32 = 1 << 10;

#[cfg(not(loom))] // where leaves are small, and nothing is stored
const _: () = assert!(ROWS as usize == LEAF, "a block of rows fills a leaf of the table");

/// A block of listings.
#[derive(Clone, Copy, Debug)]
pub struct ListingBlock {
    /// Where it is.
    pub block: Block,
    /// The number of the first directory in it.
    pub first: u32,
    /// The number of the first child directory named in it, or of the next one named behind it.
    pub child: u32,
    /// Whether it names inodes with several links.
    pub has_links: bool,
    /// Whether something named in it could not be read.
    pub has_failures: bool,
}

/// Where the blocks of a tree are.
#[derive(Debug)]
pub struct Plan {
    /// How many directories there are, the top included.
    pub directories: u32,
    /// [`ROWS`] each, in order; the last may have fewer.
    pub rows: Vec<Block>,
    /// In the order of their directories.
    pub listings: Vec<ListingBlock>,
    /// Devices, by the index that rows and records use.
    pub devices: Vec<u64>,
}

/// The file behind a tree.
pub(super) struct Stored {
    file: BlockFile,
    plan: Plan,
    /// For each block of listings, whether it was fetched.
    fetched: Box<[OnceLock<()>]>,
    damages: Mutex<Vec<Damage>>,
}

impl Stored {
    /// A block of rows for the table of directories.
    pub(super) fn rows(&self, tree: &Tree, first: u32) -> Vec<Dir> {
        let count = self.plan.directories.saturating_sub(first).min(ROWS);
        let Some(block) = self.plan.rows.get((first / ROWS) as usize).filter(|_| count > 0) else {
            return Vec::new();
        };
        let decoded = self.file.read(*block).and_then(|bytes| {
            rows::decode(&bytes, first, count)
                .map_err(|at| Damage::new(block.offset + at as u64, "no row of a directory"))
        });
        let rows = decoded.unwrap_or_else(|damage| {
            lock(&self.damages).push(damage);
            (0..count).map(|_| Row::default()).collect()
        });
        let shared = (first..).zip(&rows).filter(|(_, row)| row.shared != 0);
        lock(&tree.shared).extend(shared.map(|(id, row)| (DirId(id), row.shared)));
        rows.iter().map(Dir::from).collect()
    }

    /// Brings the listing of `id` into memory, with all others of its block; does nothing if they are there.
    pub(super) fn fetch(&self, tree: &Tree, id: DirId) {
        let after = self.plan.listings.partition_point(|block| block.first <= id.0);
        if let Some(index) = after.checked_sub(1) {
            self.fetch_block(tree, index);
        }
    }

    /// Fetches every block of listings that `is_wanted`.
    pub(super) fn fetch_all(&self, tree: &Tree, is_wanted: impl Fn(&ListingBlock) -> bool + Sync) {
        let wanted = (0..self.plan.listings.len()).into_par_iter();
        wanted.filter(|index| is_wanted(&self.plan.listings[*index])).for_each(|index| {
            self.fetch_block(tree, index);
        });
    }

    /// Everything is fetched.
    pub(super) fn verify(&self, tree: &Tree) {
        let leaves = (0..self.plan.directories.div_ceil(ROWS)).into_par_iter();
        leaves.for_each(|leaf| {
            tree.dir(DirId(leaf * ROWS));
        });
        self.fetch_all(tree, |_| true);
    }

    /// What was found wrong so far, the first in the file.
    pub(super) fn damage(&self) -> Option<Damage> {
        lock(&self.damages).iter().min_by_key(|damage| damage.offset).cloned()
    }

    fn fetch_block(&self, tree: &Tree, index: usize) {
        self.fetched[index].get_or_init(|| {
            if let Err(damage) = self.publish_block(tree, index) {
                lock(&self.damages).push(damage);
            }
        });
    }

    fn publish_block(&self, tree: &Tree, index: usize) -> Result<(), Damage> {
        let ListingBlock { block, first, child, .. } = self.plan.listings[index];
        let all = self.plan.directories;
        let end = self.plan.listings.get(index + 1).map_or((all, all), |next| (next.first, next.child));
        let span = Span { parents: first..end.0, children: child..end.1, all };
        let damaged = |at: usize, reason| Damage::new(block.offset + at as u64, reason);
        let bytes = self.file.read(block)?;
        let found = listings::decode(&bytes, &span).map_err(|at| damaged(at, "no listing"))?;
        for child in &found.children {
            if tree.parent(child.id) != Some(child.parent) {
                return Err(damaged(child.record, "this directory has another parent"));
            }
        }
        publish(tree, found, bytes);
        Ok(())
    }
}

/// Makes what was found in a block part of the tree.
fn publish(tree: &Tree, found: Found, bytes: crate::platform::blocks::Bytes) {
    let start = tree.bytes.adopt(bytes);
    let mut failures = Vec::new();
    for child in found.children {
        // Release: who sees where the record is sees the block.
        tree.dir(child.id).record.store(start.plus(child.record).to_bits(), Ordering::Release);
        if let Some(errno) = tree.status(child.id).errno {
            failures.push(Failure { directory: child.id, entry: None, errno });
        }
    }
    for (directory, record, errno) in found.failures {
        failures.push(Failure { directory, entry: Some(start.plus(record)), errno });
    }
    lock(&tree.failures).extend(failures);
    lock(&tree.linked).extend(found.linked);
    for (id, node) in found.listings {
        tree.dir(id).listing.store(start.plus(node).to_bits(), Ordering::Release);
    }
}

impl From<&Row> for Dir {
    fn from(row: &Row) -> Self {
        let dir = Self::default();
        dir.disk.store(row.totals.disk, Ordering::Relaxed);
        dir.apparent.store(row.totals.apparent, Ordering::Relaxed);
        dir.items.store(row.totals.items, Ordering::Relaxed);
        dir.errors.store(row.totals.errors, Ordering::Relaxed);
        dir.errno.store(row.errno, Ordering::Relaxed);
        dir.parent.store(row.parent, Ordering::Relaxed);
        dir.device.store(row.device, Ordering::Relaxed);
        dir.partial.store(row.is_partial, Ordering::Relaxed);
        dir.state.store(super::State::Complete as u8, Ordering::Relaxed);
        dir
    }
}

#[doc(hidden)]
impl Tree {
    /// The tree that `file` holds according to `plan`. Nothing is read yet.
    pub fn from_file(file: BlockFile, mut plan: Plan) -> Self {
        let devices = super::Devices::from(std::mem::take(&mut plan.devices));
        let fetched = plan.listings.iter().map(|_| OnceLock::new()).collect();
        let count = plan.directories;
        let stored = Stored { file, plan, fetched, damages: Mutex::default() };
        Self::empty(count, devices, Some(Box::new(stored)))
    }

    /// Reads what a tree from a file holds to its end, on all processors.
    ///
    /// # Errors
    /// The first damage in the file, if there is any.
    pub fn verify(&self) -> Result<(), Damage> {
        self.stored.iter().for_each(|stored| stored.verify(self));
        self.damage().map_or(Ok(()), Err)
    }

    /// What is wrong with the file of a tree, as far as it was looked at.
    pub fn damage(&self) -> Option<Damage> {
        self.stored.as_ref()?.damage()
    }

    pub(super) fn fetch_links(&self) {
        self.stored.iter().for_each(|stored| stored.fetch_all(self, |block| block.has_links));
    }

    pub(super) fn fetch_failures(&self) {
        self.stored.iter().for_each(|stored| stored.fetch_all(self, |block| block.has_failures));
    }
}
