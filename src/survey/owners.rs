//! Whose the entries are: bytes and counts by user.
//!
//! Knows no names of users, only numbers, which mean what they mean on the machine that was scanned.
//!
//! Invariant: every entry is in exactly one row.

use std::collections::HashMap;
use std::io;

use super::types::sorted;
use crate::job::{Job, Pool};
use crate::search::{Account, Entry, Mode, Order, Progress, Request, Tally, sweep};
use crate::tree::Totals;

/// Whose the entries are.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    /// Each user with the sums of what is theirs, in the order asked for; none where owners were not kept. Items are names.
    pub owners: Vec<(Option<u32>, Totals)>,
    /// How many entries were looked at.
    pub searched: u64,
    /// Whether those are all.
    pub complete: bool,
}

/// Adds up what the query keeps, by owner.
///
/// # Errors
/// When the system gives no thread.
pub fn owners(pool: &Pool, request: Request) -> io::Result<Job<Owners>> {
    pool.start(move |task| {
        sweep(&request, Mode::Filter, task, Counts::default(), |counts, progress| {
            Some(counts.owners(request.order, progress))
        });
    })
}

#[derive(Default)]
struct Counts {
    owners: HashMap<Option<u32>, Account>,
}

impl Tally for Counts {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        let uid = entry.facts().and_then(|facts| facts.owner).map(|owner| owner.uid);
        self.owners.entry(uid).or_default().add(entry);
    }

    fn absorb(&mut self, other: Self) {
        for (uid, account) in other.owners {
            self.owners.entry(uid).or_default().absorb(account);
        }
    }
}

impl Counts {
    fn owners(&self, order: Order, progress: Progress) -> Owners {
        let owners = self.owners.iter().map(|(uid, account)| (*uid, account.sum()));
        Owners {
            owners: sorted(order, owners, |uid| *uid),
            searched: progress.searched,
            complete: progress.complete,
        }
    }
}
