//! Bytes and counts, grouped by a value of each entry: its owner or its storage class.
//!
//! Users are identified by user ID, because names depend on the scanned machine.
//!
//! Invariant: every entry is in exactly one row.

use std::collections::HashMap;
use std::hash::Hash;
use std::io;

use super::types::sorted;
use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::search::{Collector, Mode, Order, Progress, Request, WalkEntry};
use crate::base::job::{Job, Pool};
use crate::tree::{StorageClass, Totals, UniqueSizes};

/// Totals of a subtree, grouped by `K`.
#[derive(Clone, Debug)]
pub struct Groups<K> {
    /// Groups with their totals, in the requested order. The group `None` contains the entries for which no `K` is
    /// recorded. Each name of an inode counts as one item.
    pub rows: Vec<(Option<K>, Totals)>,
    /// Number of entries searched so far.
    pub searched: u64,
    /// `true` once all entries have been searched.
    pub complete: bool,
}

/// Function that returns the group of an entry (owner or storage class), or `None` if this value is not recorded.
type GroupOf<K> = fn(&WalkEntry<'_>) -> Option<K>;

/// Adds up the sizes of the entries selected by the query, grouped by the user ID of the owner.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn owners(pool: &Pool, request: Request) -> io::Result<Job<Groups<u32>>> {
    groups(pool, request, |entry| entry.metadata()?.owner.map(|owner| owner.uid))
}

/// Adds up the sizes of the entries selected by the query, grouped by storage class.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn storage_classes(pool: &Pool, request: Request) -> io::Result<Job<Groups<StorageClass>>> {
    groups(pool, request, |entry| entry.metadata()?.storage_class)
}

fn groups<K>(pool: &Pool, request: Request, group_of: GroupOf<K>) -> io::Result<Job<Groups<K>>>
where
    K: Copy + Ord + Hash + Send + Sync + 'static,
{
    pool.start(move |task| {
        let counts = Counts { group_of, groups: HashMap::new() };
        parallel_walk(&request, Mode::Filter, task, counts, |counts, progress| {
            Some(counts.groups(request.order, progress))
        });
    })
}

struct Counts<K> {
    group_of: GroupOf<K>,
    groups: HashMap<Option<K>, UniqueSizes>,
}

impl<K: Copy + Ord + Hash + Send + Sync> Collector for Counts<K> {
    fn fresh(&self) -> Self {
        Self { group_of: self.group_of, groups: HashMap::new() }
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        entry.add_to(self.groups.entry((self.group_of)(entry)).or_default());
    }

    fn merge(&mut self, other: Self) {
        for (group, sizes) in other.groups {
            self.groups.entry(group).or_default().merge(sizes);
        }
    }
}

impl<K: Copy + Ord> Counts<K> {
    fn groups(&self, order: Order, progress: Progress) -> Groups<K> {
        let groups = self.groups.iter().map(|(group, sizes)| (*group, sizes.total()));
        Groups {
            rows: sorted(order, groups, |group| *group),
            searched: progress.searched,
            complete: progress.complete,
        }
    }
}
