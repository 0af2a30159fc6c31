//! Tree stored in a file, such as a snapshot, as numbered directories.
//!
//! Directories are numbered breadth-first: the top is 0, and the child directories of each directory get the next
//! numbers, in the order of its listing. A parent therefore has a smaller number than its children. If directories are
//! sorted by number, the numbers of their parents and of their children also ascend. The file therefore stores many
//! numbers as differences from the previous number, which are small. The order of the numbers in a block is checked
//! when the block is first used. There are two kinds of blocks:
//!
//! ```text
//! rows      1024 rows of the directory table, with all totals; see `rows`
//! listings  the listings of directories with adjacent numbers; see `listings`
//! ```
//!
//! A checked block gives the same guarantees as the data of a scan: each directory is named by exactly one record,
//! and parents, listings and children form no cycles. A damaged block is ignored as a whole: its directories are empty,
//! and the damage is recorded.
//!
//! A long listing is stored in two blocks: the first contains its head, which consists of its largest entries, and the
//! second contains the other entries. The listing is published as soon as both blocks are loaded.
//!
//! `platform::memory::block_file` reads the file. Invariant: no matter what the file contains, the tree is finite, and
//! a walk visits each directory below the top once.

use rayon::prelude::*;

use super::listings::{self, Found, Span};
use super::plan::{ListingBlock, NumberedFile, ROWS};
use super::rows::{self, Row};
use crate::base::sync::{Ordering, lock};
use crate::platform::memory::arena::Address;
use crate::platform::memory::block_file::{Bytes, Damage};
use crate::tree::directory::{Dir, DirId, PARTIAL, State};
use crate::tree::encoding::encode_link;
use crate::tree::reading::{Failure, LEAF, Tree};

#[cfg(not(loom))] // loom uses small leaves and stores nothing
const _: () = assert!(ROWS as usize == LEAF, "a block of rows fills a leaf of the table");

impl NumberedFile {
    /// Loads the block of rows that starts at directory `first`, for the directory table.
    pub(crate) fn rows(&self, tree: &Tree, first: u32) -> Vec<Dir> {
        let count = self.plan.directories.saturating_sub(first).min(ROWS);
        let Some(block) = self.plan.rows.get((first / ROWS) as usize).filter(|_| count > 0) else {
            return Vec::new();
        };
        let decoded = self.file.read(*block, self.plan.checksum).and_then(|bytes| {
            rows::decode(&bytes, first, count)
                .map_err(|at| Damage::new(block.offset + at as u64, "invalid row in the directory table"))
        });
        let rows = decoded.unwrap_or_else(|damage| {
            self.damage.note(damage);
            (0..count).map(|_| Row::default()).collect()
        });
        let shared = (first..).zip(&rows).filter(|(_, row)| row.shared != 0);
        lock(&tree.shared).extend(shared.map(|(id, row)| (DirId(id), row.shared)));
        rows.iter().map(Dir::from).collect()
    }

    /// Loads the block that contains the listing of `id`, unless it has already been loaded.
    pub(crate) fn fetch(&self, tree: &Tree, id: DirId) {
        if let Some(index) = self.block_of(id) {
            self.fetch_block(tree, index);
        }
    }

    /// Loads the head of the listing of `id`: the largest entries. Returns the address of the head and the number of
    /// all other entries, or `None` if the listing has no head or the head is damaged.
    pub(crate) fn head(&self, tree: &Tree, id: DirId) -> Option<(Address, u64)> {
        let index = self.block_of(id).filter(|index| self.plan.listings[*index].first == id.0)?;
        let others = self.plan.listings[index].others?;
        Some((self.fetch_block(tree, index.checked_sub(1)?)?, others))
    }

    /// Returns the length in bytes of the block that contains the listing of `id`, or 0 if there is no such block. For
    /// a listing that is stored in two blocks, returns the length of the second block, which does not contain the head.
    pub(crate) fn block_length(&self, id: DirId) -> u64 {
        self.block_of(id).map_or(0, |index| self.plan.listings[index].block.length)
    }

    fn block_of(&self, id: DirId) -> Option<usize> {
        self.plan.listings.partition_point(|block| block.first <= id.0).checked_sub(1)
    }

    /// Loads every block of listings for which `is_wanted` returns `true`.
    pub(crate) fn fetch_all(&self, tree: &Tree, is_wanted: impl Fn(&ListingBlock) -> bool + Sync) {
        let wanted = (0..self.plan.listings.len()).into_par_iter();
        wanted.filter(|index| is_wanted(&self.plan.listings[*index])).for_each(|index| {
            self.fetch_block(tree, index);
        });
    }

    /// Loads all blocks, so that any damage to them is recorded for [`Self::damage`].
    pub(crate) fn verify(&self, tree: &Tree) {
        let leaves = (0..self.plan.directories.div_ceil(ROWS)).into_par_iter();
        leaves.for_each(|leaf| {
            tree.dir(DirId(leaf * ROWS));
        });
        self.fetch_all(tree, |_| true);
    }

    /// Returns the damage found so far that is closest to the start of the file, if any.
    pub(crate) fn damage(&self) -> Option<Damage> {
        self.damage.get()
    }

    /// Loads a block, unless it has already been loaded. Returns the address of the listing head in the block, if any.
    fn fetch_block(&self, tree: &Tree, index: usize) -> Option<Address> {
        *self.loaded_heads[index].get_or_init(|| {
            self.publish_block(tree, index).unwrap_or_else(|damage| {
                self.damage.note(damage);
                None
            })
        })
    }

    fn publish_block(&self, tree: &Tree, index: usize) -> Result<Option<Address>, Damage> {
        let ListingBlock { block, first, child, others, .. } = self.plan.listings[index];
        let all = self.plan.directories;
        let next = self.plan.listings.get(index + 1);
        let end = next.map_or((all, all), |next| (next.first, next.child));
        let has_others = next.is_some_and(|next| next.others.is_some());
        let part = match others {
            // The head of this listing is in the previous block. Without the head, the other entries are not published.
            Some(_) => match index.checked_sub(1).and_then(|before| self.fetch_block(tree, before)) {
                Some(head) => Part::Others(head),
                None => return Ok(None),
            },
            None if has_others => Part::Head,
            None => Part::Whole,
        };
        let parents = if part == Part::Whole { first..end.0 } else { first..first.saturating_add(1) };
        let span = Span { parents, children: child..end.1, all };
        let damaged = |at: usize, reason| Damage::new(block.offset + at as u64, reason);
        let bytes = self.file.read(block, self.plan.checksum)?;
        let found = listings::decode(&bytes, &span).map_err(|at| damaged(at, "invalid directory listing"))?;
        for child in &found.children {
            if tree.parent(child.id) != Some(child.parent) {
                return Err(damaged(child.record, "a directory has the wrong parent"));
            }
        }
        if others.is_some_and(|count| count != found.entries) {
            return Err(damaged(0, "the number of entries differs from that in the index"));
        }
        Ok(publish(tree, found, bytes, part))
    }
}

/// Content of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Whole listings.
    Whole,
    /// Head of one listing: the largest entries.
    Head,
    /// Entries of one listing that are not in its head. The head is at this address.
    Others(Address),
}

/// Adds the contents of a block to the tree. Returns the address of the listing head in the block, if any.
fn publish(tree: &Tree, found: Found, bytes: Bytes, part: Part) -> Option<Address> {
    let start = tree.bytes.adopt(bytes);
    let mut failures = Vec::new();
    for child in found.children {
        // `Release`: a reader that sees the address of the record also sees the block.
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
    let mut listings = found.listings.into_iter().map(|(id, node)| (id, start.plus(node)));
    if part == Part::Head {
        return listings.next().map(|(_, head)| head);
    }
    for (id, node) in listings {
        let node = if let Part::Others(head) = part {
            tree.bytes.adopt(Bytes::Own(encode_link(head.to_bits(), node.to_bits()).into()))
        } else {
            node
        };
        tree.dir(id).listing.store(node.to_bits(), Ordering::Release);
    }
    None
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
        dir.set(if row.is_partial { PARTIAL } else { 0 });
        dir.state.store(State::Complete as u8, Ordering::Relaxed);
        dir
    }
}
