//! Owner view: bytes and counts, grouped by user.
//!
//! Users are identified by number, because names depend on the scanned machine.
//!
//! Invariant: every entry is in exactly one row.

use std::collections::HashMap;
use std::io;

use super::types::sorted;
use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::search::{Collector, Mode, Order, Progress, Request, WalkEntry};
use crate::base::job::{Job, Pool};
use crate::tree::{Totals, UniqueSizes};

/// Totals of a subtree, grouped by owner.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    /// Users with their totals, in the requested order; `None` for entries without a recorded owner. Each name of an
    /// inode counts as one item.
    pub owners: Vec<(Option<u32>, Totals)>,
    /// Number of entries searched so far.
    pub searched: u64,
    /// `true` once all entries have been searched.
    pub complete: bool,
}

/// Adds up the sizes of the entries selected by the query, grouped by owner.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn owners(pool: &Pool, request: Request) -> io::Result<Job<Owners>> {
    pool.start(move |task| {
        parallel_walk(&request, Mode::Filter, task, Counts::default(), |counts, progress| {
            Some(counts.owners(request.order, progress))
        });
    })
}

#[derive(Default)]
struct Counts {
    owners: HashMap<Option<u32>, UniqueSizes>,
}

impl Collector for Counts {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        let uid = entry.metadata().and_then(|metadata| metadata.owner).map(|owner| owner.uid);
        entry.add_to(self.owners.entry(uid).or_default());
    }

    fn merge(&mut self, other: Self) {
        for (uid, sizes) in other.owners {
            self.owners.entry(uid).or_default().merge(sizes);
        }
    }
}

impl Counts {
    fn owners(&self, order: Order, progress: Progress) -> Owners {
        let owners = self.owners.iter().map(|(uid, sizes)| (*uid, sizes.total()));
        Owners {
            owners: sorted(order, owners, |uid| *uid),
            searched: progress.searched,
            complete: progress.complete,
        }
    }
}
