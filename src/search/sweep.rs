//! Looking at every entry of a subtree, on all threads of a pool.
//!
//! ```text
//! stack of visits -> some visits for each worker -> workers: a walk of about BUDGET bytes of listings each
//!       ^                                               |            tally, visits left over
//!       +-----------------------------------------------+
//! ```
//!
//! A round like this takes about a millisecond. Between them the leader puts the tallies together, looks whether it
//! should end, and publishes what there is when it is time. A huge listing becomes several visits, one for each piece.
//!
//! Knows nothing of what is tallied. Invariant: a directory is entered before what lies below it, every entry is met once,
//! and nothing recurses over depth. Of roots that are the same, or lie in one another, only the outermost is met.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Request;
use super::query::{Query, Subject, errno, push_name};
use crate::job::Task;
use crate::sync::Arc;
use crate::tree::{Content, DirId, Facts, Listing, Position, Record, Totals, Tree};

/// Bytes of listings one worker reads in one round: some 5,000 entries, half a millisecond or so.
const BUDGET: u64 = 1 << 18;
/// What a directory costs beside its entries, in bytes of listings.
const VISIT: u64 = 64;
/// A listing of more bytes is shared by several visits.
const PIECE: u64 = 1 << 17;
/// Visits given to one worker in one round.
const VISITS: usize = 256;
/// Workers are given so many parts each, so that the first to be done has something left to do.
const PARTS: usize = 2;
/// The first result is published after this time, and each next one after so many times the time of the one before:
/// putting a result together takes time too.
const FIRST: Duration = Duration::from_millis(15);
const NEXT: u32 = 3;

/// How a query is asked; see [`crate::search`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Each entry by itself, directories with all that lies in them.
    Search,
    /// What to keep in a view.
    Filter,
}

/// An entry that meets the query, or lies below one that does.
pub(crate) struct Entry<'a> {
    pub(crate) tree: &'a Tree,
    /// The directory it is in.
    pub(crate) directory: DirId,
    pub(crate) position: Position,
    pub(crate) record: Record<'a>,
    /// Its sizes, and the items below it: in a search those of a directory are of all that lies in it, otherwise its own.
    pub(crate) totals: Totals,
    /// What it adds to sums by itself.
    pub(crate) own: Totals,
    /// Whether the entry itself meets the query. Otherwise, in a search only, it lies below one that does.
    pub(crate) is_hit: bool,
}

impl Entry<'_> {
    /// What is known of it.
    pub(crate) fn facts(&self) -> Option<&Facts> {
        match &self.record.content {
            Content::Known(facts) => Some(facts),
            Content::Excluded(_) | Content::Failed(_) => None,
        }
    }
}

/// What is gathered from entries. Workers gather apart.
pub(crate) trait Tally: Send + Sync {
    /// An empty one of the same sort, for a worker.
    fn fresh(&self) -> Self;
    /// A directory is entered; with what it adds by itself if it counts as an entry. A huge one is entered several times,
    /// after the first time without that.
    fn enter(&mut self, _directory: DirId, _own: Option<&Totals>) {}
    /// An entry that counts.
    fn meet(&mut self, entry: &Entry<'_>);
    /// Adds what another has gathered after what this one has.
    fn absorb(&mut self, other: Self);
}

/// How far a sweep has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Entries looked at.
    pub(crate) searched: u64,
    /// Whether those are all.
    pub(crate) complete: bool,
}

/// A directory, or a piece of one, to be looked at.
struct Visit<'t> {
    id: DirId,
    /// A piece of its listing, or none for all of it.
    piece: Option<Listing<'t>>,
    /// What the names above it have said; see [`Query`].
    said: u64,
    /// It lies in, or is, a directory that was found.
    is_covered: bool,
    /// What it adds by itself, if it counts as an entry.
    own: Option<Totals>,
    /// Its path, if the query looks at paths.
    path: Option<Arc<[u8]>>,
}

/// Looks at everything below the directory of `request`. `report` makes a result of a tally, if it can: now and then,
/// and at the end.
pub(crate) fn sweep<T: Tally, R: Send + Sync>(
    request: &Request,
    mode: Mode,
    task: &Task<R>,
    mut tally: T,
    report: impl Fn(&mut T, Progress) -> Option<R> + Sync,
) {
    let tree: &Tree = &request.tree;
    let started = Instant::now();
    let mut due = FIRST;
    let workers = task.threads().current_num_threads() * PARTS;
    // A compiled pattern that several threads use at a time makes them wait for each other.
    let queries: Vec<Query> = vec![request.query.clone(); workers];
    let path = request.query.needs_paths().then(|| tree.path(request.from).into());
    let said = if mode == Mode::Filter { request.query.said_by_path(tree, request.from) } else { 0 };
    let mut stack = vec![Visit { id: request.from, piece: None, said, is_covered: false, own: None, path }];
    let aliases = tree.alias_positions();
    let mut searched = 0;
    while !stack.is_empty() && !task.is_cancelled() {
        let parts = take_parts(&mut stack, workers);
        let worker = |(query, stack): (&Query, Vec<_>)| {
            let (tally, path) = (tally.fresh(), Vec::new());
            let aliases = &aliases;
            let mut worker = Worker { tree, query, mode, tally, stack, path, aliases, searched: 0 };
            worker.work(&|| task.is_cancelled());
            (worker.tally, worker.stack, worker.searched)
        };
        let done: Vec<_> = if parts.len() == 1 {
            queries.iter().zip(parts).map(worker).collect()
        } else {
            task.threads().install(|| queries.par_iter().zip(parts).map(worker).collect())
        };
        for (part, left, count) in done {
            tally.absorb(part);
            stack.extend(left);
            searched += count;
        }
        if started.elapsed() >= due && !stack.is_empty() {
            publish(task, || report(&mut tally, Progress { searched, complete: false }));
            due = started.elapsed() * NEXT;
        }
    }
    if !task.is_cancelled() {
        publish(task, || report(&mut tally, Progress { searched, complete: true }));
    }
}

/// Publishes what `report` makes, if anything; it may use the pool.
fn publish<R: Send>(task: &Task<R>, report: impl FnOnce() -> Option<R> + Send) {
    if let Some(result) = task.threads().install(report) {
        task.publish(result);
    }
}

/// Takes visits off the end of the stack, in as many equal parts as there are workers.
fn take_parts<'t>(stack: &mut Vec<Visit<'t>>, workers: usize) -> Vec<Vec<Visit<'t>>> {
    let each = stack.len().div_ceil(workers).min(VISITS);
    (0..workers)
        .map(|_| stack.split_off(stack.len().saturating_sub(each)))
        .take_while(|part| !part.is_empty())
        .collect()
}

struct Worker<'w, 't, T> {
    tree: &'t Tree,
    query: &'w Query,
    mode: Mode,
    tally: T,
    stack: Vec<Visit<'t>>,
    /// The path of the entry looked at, if the query looks at paths.
    path: Vec<u8>,
    /// Roots that are met in other roots.
    aliases: &'w HashSet<Position>,
    searched: u64,
}

impl<'t, T: Tally> Worker<'_, 't, T> {
    fn work(&mut self, is_cancelled: &dyn Fn() -> bool) {
        let mut budget = BUDGET;
        while budget > 0
            && !is_cancelled()
            && let Some(mut visit) = self.stack.pop()
        {
            self.tally.enter(visit.id, visit.own.as_ref());
            let Some(listing) = visit.piece.take() else {
                let listing = self.tree.listing(visit.id);
                if listing.length() > PIECE {
                    self.split(&visit, &listing);
                    budget = budget.saturating_sub(VISIT);
                } else {
                    budget = budget.saturating_sub(listing.length() + VISIT);
                    self.look(&visit, &listing);
                }
                continue;
            };
            budget = budget.saturating_sub(PIECE);
            self.look(&visit, &listing);
        }
    }

    fn split(&mut self, visit: &Visit<'t>, listing: &Listing<'t>) {
        let piece = |piece| Visit { piece: Some(piece), own: None, path: visit.path.clone(), ..*visit };
        self.stack.extend(listing.split(PIECE).into_iter().map(piece));
    }

    fn look(&mut self, visit: &Visit<'t>, listing: &Listing<'t>) {
        self.path.clear();
        if let Some(path) = &visit.path {
            self.path.extend_from_slice(path);
            push_name(&mut self.path, b"");
        }
        let directory = self.path.len();
        for (position, record) in listing.entries() {
            if visit.id == DirId::TOP && self.aliases.contains(&position) {
                continue;
            }
            self.searched += 1;
            if visit.path.is_some() {
                self.path.truncate(directory);
                self.path.extend_from_slice(record.name);
            }
            self.ask(visit, position, record);
        }
    }

    fn ask(&mut self, visit: &Visit<'t>, position: Position, record: Record<'t>) {
        let (tree, mode) = (self.tree, self.mode);
        let (totals, own) = sizes(tree, mode, &record);
        let asked = if visit.id == DirId::TOP { as_root(record) } else { record };
        let Totals { disk, apparent, .. } = totals;
        let subject = Subject { tree, record: &asked, disk, apparent, path: &self.path };
        let (is_hit, said) = self.query.check(&subject, visit.said);
        let counts = is_hit || visit.is_covered;
        if counts {
            self.tally.meet(&Entry { tree, directory: visit.id, position, record, totals, own, is_hit });
        }
        if let Some(id) = record.directory() {
            self.stack.push(Visit {
                id,
                piece: None,
                // A root answers for itself only: what lies in it is all there is, whatever it is called.
                said: if mode == Mode::Filter && visit.id != DirId::TOP { said } else { 0 },
                is_covered: mode == Mode::Search && counts && self.query.asks_for_directories(),
                own: counts.then_some(own),
                path: visit.path.as_ref().map(|_| self.path.as_slice().into()),
            });
        }
    }
}

/// The record of a root with a name as other entries have one: the end of the path it was given by.
pub(super) fn as_root(record: Record<'_>) -> Record<'_> {
    let name = record.name.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty());
    Record { name: name.unwrap_or(record.name), ..record }
}

/// The sizes an entry is compared by, and what it adds by itself.
pub(super) fn sizes(tree: &Tree, mode: Mode, record: &Record<'_>) -> (Totals, Totals) {
    let errors = u32::from(errno(tree, record).is_some());
    let Content::Known(facts) = &record.content else {
        return (Totals::default(), Totals { errors, ..Totals::default() });
    };
    let own = Totals { disk: facts.disk(), apparent: facts.apparent, items: 0, errors };
    match facts.directory {
        Some(id) if mode == Mode::Search => (tree.totals(id), own),
        _ => (own, own),
    }
}
