//! Order in which the entries of a directory are written to a snapshot.
//!
//! A long listing begins with its head, which has the entries with the largest disk usage. All other entries keep the
//! order of the tree.
//!
//! Invariant: the head depends only on names and sizes, so merging the parts of a plan writes the same head as saving
//! the whole tree.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::formats::snapshot::written::WrittenTree;
use crate::tree::{DirId, Entry, EntryState, Index, Listing, Position};

/// Maximum number of entries in a listing without a head.
const SHORT: usize = 4096;
/// Number of entries in the head of a long listing.
const HEAD: usize = 1024;

/// Entries of a directory, in the order in which they are written to the snapshot.
pub(crate) struct FileOrder<'t> {
    listing: Listing<'t>,
    /// Positions of the [`HEAD`] entries with the largest disk usage, largest first. Empty for a listing without a
    /// head: a listing with at most [`SHORT`] entries, the listing of the roots, and every listing in a part of a plan.
    head: Vec<Position>,
}

/// Sort key of an entry: disk usage (`None` if unknown), then name (an earlier name ranks higher), then position. The
/// largest entry has the greatest rank.
type Rank<'n> = (Option<u64>, Reverse<&'n [u8]>, Position);

impl<'t> FileOrder<'t> {
    /// Determines the order of the entries of directory `id`. If `splits_long_listings` is `true`, a long listing
    /// begins with its head. Parts of a plan are written without heads, which are added when the parts are merged.
    pub(crate) fn of(tree: &'t impl WrittenTree, id: DirId, splits_long_listings: bool) -> Self {
        let listing = tree.listing(id);
        // The listing of the roots has no head, so the roots keep the order in which the user gave them.
        let is_long = splits_long_listings && id != DirId::TOP && is_long(&listing);
        let head = if is_long { largest(tree, id, &listing) } else { Vec::new() };
        Self { listing, head }
    }

    /// Returns the head: the largest entries of a long listing, largest first.
    pub(crate) fn head(&self) -> impl Iterator<Item = Entry<'t>> + '_ {
        let index = (!self.head.is_empty()).then(|| Index::new(&self.listing));
        self.head.iter().filter_map(move |position| index.as_ref()?.record(*position))
    }

    /// Returns the entries that are not in the head.
    pub(crate) fn others(&self) -> impl Iterator<Item = Entry<'t>> + '_ {
        let mut head = self.head.clone();
        head.sort_unstable();
        let mut head = head.into_iter().peekable();
        let others = self.listing.entries().filter(move |(position, _)| head.next_if_eq(position).is_none());
        others.map(|(_, entry)| entry)
    }

    /// Returns `true` if the listing has a head: its largest entries, which are written before all others.
    pub(crate) fn has_head(&self) -> bool {
        !self.head.is_empty()
    }
}

/// Returns `true` if a listing has more than [`SHORT`] entries.
fn is_long(listing: &Listing<'_>) -> bool {
    // An encoded entry has at least four bytes, so the length in bytes identifies most short listings without decoding.
    listing.length() / 4 > SHORT as u64 && listing.entries().nth(SHORT).is_some()
}

/// Returns the positions of the [`HEAD`] largest entries, sorted by size (largest first) and name, as in the browser.
fn largest(tree: &impl WrittenTree, id: DirId, listing: &Listing<'_>) -> Vec<Position> {
    let mut largest: BinaryHeap<Reverse<Rank<'_>>> = BinaryHeap::with_capacity(HEAD + 1);
    for (position, entry) in listing.entries() {
        let disk = match tree.entry(id, entry).state {
            EntryState::Known(metadata) => {
                Some(metadata.directory.map_or_else(|| metadata.disk(), |child| tree.totals(child).disk))
            }
            EntryState::Excluded(_) | EntryState::Failed(_) => None,
        };
        let rank = (disk, Reverse(entry.name), position);
        if largest.len() < HEAD || largest.peek().is_some_and(|Reverse(least)| *least < rank) {
            largest.push(Reverse(rank));
            if largest.len() > HEAD {
                largest.pop();
            }
        }
    }
    largest.into_sorted_vec().into_iter().map(|Reverse((.., position))| position).collect()
}
