//! Adding up entries, each inode once.
//!
//! Names of an inode are kept aside while counting, for they may come from several workers; the sum looks at them together.
//! Knows an inode's names by its link count alone: one that had a single link when it was read counts as itself.
//!
//! Invariant: the sum does not depend on the order in which entries were added.

use std::cmp::Reverse;

use super::query::Inode;
use super::sweep::Entry;
use crate::tree::Totals;

/// What was counted so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    sum: Totals,
    linked: Vec<LinkedSize>,
}

/// The sizes seen under one name of an inode that has others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LinkedSize {
    inode: Inode,
    /// A name read while the file grew shows less than one read later; the largest counts.
    disk: Reverse<u64>,
    apparent: Reverse<u64>,
}

impl Account {
    /// Counts an entry.
    pub(crate) fn add(&mut self, entry: &Entry<'_>) {
        self.sum.items += 1;
        match entry.facts().map(|facts| (facts, Inode::of_linked(facts))) {
            Some((facts, Some(inode))) => {
                let (disk, apparent) = (Reverse(facts.disk()), Reverse(facts.apparent));
                self.linked.push(LinkedSize { inode, disk, apparent });
            }
            _ => self.sum.add(&entry.own),
        }
    }

    /// Adds what another has counted.
    pub(crate) fn absorb(&mut self, mut other: Self) {
        self.sum.add(&other.sum);
        self.linked.append(&mut other.linked);
    }

    /// The sum; `items` are the entries counted, every name of an inode.
    pub(crate) fn sum(&self) -> Totals {
        let mut linked = self.linked.clone();
        linked.sort_unstable();
        linked.dedup_by_key(|name| name.inode);
        let mut sum = self.sum;
        for LinkedSize { disk: Reverse(disk), apparent: Reverse(apparent), .. } in linked {
            sum.add(&Totals { disk, apparent, ..Totals::default() });
        }
        sum
    }
}
