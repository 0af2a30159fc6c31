//! Walk over all entries of a subtree, using every thread of a pool.
//!
//! ```text
//! stack of visits -> some visits for each worker -> workers: a walk of about BUDGET bytes of listings each
//!       ^                                               |            collectors, remaining visits
//!       +-----------------------------------------------+
//! ```
//!
//! One round takes about a millisecond. Between rounds, the job's own thread merges the collectors, checks for
//! cancellation, and publishes a result if one is due. A huge listing is split into several visits.
//!
//! Invariant: a directory is visited before its contents, every entry is visited once, and the call stack does not grow
//! with the depth of the directories. If roots are equal or nested, only the outermost is visited.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::analysis::request::Request;
use crate::base::job::Task;
use crate::base::sync::Arc;
use crate::query::standing::{Standing, as_root};
use crate::query::terms::{Query, Subject, errno, push_name};
use crate::tree::{
    DirId, Entry, EntryId, EntryState, Listing, Metadata, Position, Totals, Tree, UniqueSizes,
};

/// Number of listing bytes that a worker reads per round: about 5,000 entries, or about half a millisecond.
const BUDGET: u64 = 1 << 18;
/// Fixed cost of visiting a directory, counted toward [`BUDGET`] in addition to the bytes of its listing.
const VISIT: u64 = 64;
/// Size in bytes above which a listing is split into pieces. The pieces are visited separately.
const PIECE: u64 = 1 << 17;
/// Maximum number of visits that a worker receives per round. The worker also visits child directories that it finds.
const VISITS_PER_PART: usize = 256;
/// Number of workers for each thread of the pool. With more than one, a thread whose worker ends early can run another.
const WORKERS_PER_THREAD: usize = 2;
/// Minimum time from the start of the walk to the first partial result.
const FIRST: Duration = Duration::from_millis(15);
/// Factor by which the time since the start of the walk must grow before the next partial result. Producing a result is
/// costly.
const NEXT: u32 = 3;

/// Selection of the entries that a walk passes to its collector. [`crate::analysis::search`] explains both modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Entries that match the query. If [`Query::counts_contents`] returns `true`, everything below matching
    /// directories also counts toward the totals.
    Search,
    /// Entries that match the query. If [`Query::brings_contents`] returns `true`, also the contents of matching
    /// directories.
    Filter,
}

/// Entry that matches the query or lies below a matching directory.
pub(crate) struct WalkEntry<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) id: EntryId,
    pub(crate) record: &'a Entry<'a>,
    /// Totals by which the entry is sorted. For a directory, they include its contents if [`Query::counts_contents`]
    /// returns `true`.
    pub(crate) totals: Totals,
    /// Sizes of the entry itself. For a directory, they do not include its contents.
    pub(crate) own: Totals,
    /// `true` if the entry itself matches, and not only a directory above it.
    pub(crate) is_hit: bool,
}

impl WalkEntry<'_> {
    pub(crate) fn metadata(&self) -> Option<&Metadata> {
        match &self.record.state {
            EntryState::Known(metadata) => Some(metadata),
            EntryState::Excluded(_) | EntryState::Failed(_) => None,
        }
    }

    /// Adds the entry to `sizes` as one item.
    pub(crate) fn add_to(&self, sizes: &mut UniqueSizes) {
        match self.metadata().filter(|metadata| metadata.links.is_some()) {
            Some(linked) => sizes.add(self.id.directory, linked),
            None => sizes.add_plain(&Totals { items: 1, ..self.own }),
        }
    }
}

/// Collector of visited entries. Each worker has its own.
pub(crate) trait Collector: Send + Sync {
    /// Returns an empty collector for a worker, with the settings of `self`.
    fn fresh(&self) -> Self;
    /// Visits a directory before its entries. `_own` is the directory's own size, if the directory itself counts toward
    /// the result. A huge directory is visited several times: once with `_own`, and then, without `_own`, once for each
    /// part of its listing.
    fn enter(&mut self, _directory: DirId, _own: Option<&Totals>) {}
    /// Visits an entry that counts toward the result.
    fn visit(&mut self, entry: &WalkEntry<'_>);
    /// Merges the entries of another collector into this one.
    fn merge(&mut self, other: Self);
}

/// Pair of collectors, both of which receive every entry.
impl<A: Collector, B: Collector> Collector for (A, B) {
    fn fresh(&self) -> Self {
        (self.0.fresh(), self.1.fresh())
    }

    fn enter(&mut self, directory: DirId, own: Option<&Totals>) {
        self.0.enter(directory, own);
        self.1.enter(directory, own);
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        self.0.visit(entry);
        self.1.visit(entry);
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        self.1.merge(other.1);
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Number of entries searched so far.
    pub(crate) searched: u64,
    /// `true` once all entries have been searched.
    pub(crate) complete: bool,
}

/// Directory, or part of a directory, that has not been visited yet.
struct Visit<'t> {
    id: DirId,
    /// Part of the directory's listing; `None` for the whole listing.
    piece: Option<Listing<'t>>,
    /// Decisions that follow from the directory and its ancestors alone, and therefore apply to all entries of the
    /// directory.
    standing: Standing,
    /// `true` if everything in the directory counts toward the result, because the query matches the directory or one
    /// of its ancestors. Set only in a search, and only if [`Query::counts_contents`] returns `true`.
    is_covered: bool,
    /// Own size of the directory, if the directory itself counts toward the result.
    own: Option<Totals>,
    /// Path of the directory, if the query needs paths.
    path: Option<Arc<[u8]>>,
}

/// Walks everything below the directory of `request`. Publishes the results that `report` returns for the collector:
/// from time to time during the walk (see [`FIRST`] and [`NEXT`]) and, unless the job was canceled, at the end.
pub(crate) fn parallel_walk<T: Collector, R: Send + Sync>(
    request: &Request,
    mode: Mode,
    task: &Task<R>,
    mut tally: T,
    report: impl Fn(&mut T, Progress) -> Option<R> + Sync,
) {
    let tree: &Tree = &request.tree;
    let started = Instant::now();
    let mut due = FIRST;
    let workers = task.threads().current_num_threads() * WORKERS_PER_THREAD;
    // Each worker has its own copy of the query, because threads would contend for a shared compiled pattern.
    let queries: Vec<Query> = vec![request.query.clone(); workers];
    let path = request.query.needs_paths().then(|| tree.path(request.from).into());
    let standing = request.query.standing(tree, request.from);
    let mut stack =
        vec![Visit { id: request.from, piece: None, standing, is_covered: false, own: None, path }];
    let (aliases, search_origin) = (tree.alias_positions(), request.query.path_to_origin(tree));
    let mut searched = 0;
    while !stack.is_empty() && !task.is_cancelled() {
        let parts = take_parts(&mut stack, workers);
        let worker = |(query, stack): (&Query, Vec<_>)| {
            let (tally, path) = (tally.fresh(), Vec::new());
            let (aliases, search_origin) = (&aliases, &search_origin);
            let (counts_contents, searched) = (query.counts_contents(), 0);
            let mut worker = Worker {
                tree,
                query,
                counts_contents,
                mode,
                tally,
                stack,
                path,
                aliases,
                search_origin,
                searched,
            };
            worker.work(&|| task.is_cancelled());
            (worker.tally, worker.stack, worker.searched)
        };
        let done: Vec<_> = if parts.len() == 1 {
            queries.iter().zip(parts).map(worker).collect()
        } else {
            task.threads().install(|| queries.par_iter().zip(parts).map(worker).collect())
        };
        for (part, left, count) in done {
            tally.merge(part);
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

/// Publishes the result of `report`, if there is one. `report` runs in the thread pool, so it can use all threads.
fn publish<R: Send>(task: &Task<R>, report: impl FnOnce() -> Option<R> + Send) {
    if let Some(result) = task.threads().install(report) {
        task.publish(result);
    }
}

/// Removes visits from the end of the stack and divides them into at most `workers` parts, one for each worker. All
/// parts except the last have the same length, at most [`VISITS_PER_PART`]. The remaining visits stay on the stack.
fn take_parts<'t>(stack: &mut Vec<Visit<'t>>, workers: usize) -> Vec<Vec<Visit<'t>>> {
    let each = stack.len().div_ceil(workers).min(VISITS_PER_PART);
    (0..workers)
        .map(|_| stack.split_off(stack.len().saturating_sub(each)))
        .take_while(|part| !part.is_empty())
        .collect()
}

struct Worker<'w, 't, T> {
    tree: &'t Tree,
    query: &'w Query,
    /// Result of [`Query::counts_contents`].
    counts_contents: bool,
    mode: Mode,
    tally: T,
    stack: Vec<Visit<'t>>,
    /// Path of the current entry, if the query needs paths.
    path: Vec<u8>,
    /// Positions of the roots to skip, because their contents are visited in another root.
    aliases: &'w HashSet<Position>,
    /// Directories that cannot be results: the directory in which the search starts, and its ancestors.
    search_origin: &'w HashSet<DirId>,
    searched: u64,
}

impl<'t, T: Collector> Worker<'_, 't, T> {
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
                    self.visit_entries(&visit, &listing);
                }
                continue;
            };
            budget = budget.saturating_sub(PIECE);
            self.visit_entries(&visit, &listing);
        }
    }

    fn split(&mut self, visit: &Visit<'t>, listing: &Listing<'t>) {
        let piece = |piece| Visit { piece: Some(piece), own: None, path: visit.path.clone(), ..*visit };
        self.stack.extend(listing.split(PIECE).into_iter().map(piece));
    }

    fn visit_entries(&mut self, visit: &Visit<'t>, listing: &Listing<'t>) {
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
            self.ask(visit, position, &record);
        }
    }

    fn ask(&mut self, visit: &Visit<'t>, position: Position, record: &Entry<'t>) {
        let (tree, query) = (self.tree, self.query);
        let child = record.directory();
        if let Some(id) = child.filter(|id| self.search_origin.contains(id)) {
            self.push(id, Standing::default(), false, None, visit);
            return;
        }
        // The record of a root is copied, because the name in it must be replaced. Other records are not copied: they
        // are large, and copying them would take a considerable part of the search time.
        let root = (visit.id == DirId::TOP).then(|| as_root(*record));
        let subject = Subject::of(tree, visit.id, root.as_ref().unwrap_or(record), &self.path);
        let Standing { is_kept, is_unwanted } = visit.standing;
        // If the walk is a filter or the query was narrowed (see `Query::narrowed_by`), every entry inside a kept
        // directory counts as matching the query's own terms. A hit must still match the terms added by narrowing.
        let is_decided = is_kept && (self.mode == Mode::Filter || query.is_narrowed());
        let (is_found, is_unwanted) =
            if is_decided { (true, is_unwanted) } else { query.finds(&subject, is_unwanted) };
        let is_hit = is_found && query.narrows_to(&subject);
        let counts = is_hit || visit.is_covered;
        let (totals, own) = sizes(tree, record, self.counts_contents);
        if counts {
            let id = EntryId { directory: visit.id, position };
            self.tally.visit(&WalkEntry { tree, id, record, totals, own, is_hit });
        }
        if let Some(id) = child {
            let is_kept = is_kept || is_found && query.brings_contents();
            let is_covered = self.mode == Mode::Search && counts && self.counts_contents;
            self.push(id, Standing { is_kept, is_unwanted }, is_covered, counts.then_some(own), visit);
        }
    }

    /// Queues a visit to `id`, a child of `visit.id`. If the query needs paths, `self.path` must be the path of `id`.
    fn push(
        &mut self,
        id: DirId,
        standing: Standing,
        is_covered: bool,
        own: Option<Totals>,
        visit: &Visit<'t>,
    ) {
        let path = visit.path.as_ref().map(|_| self.path.as_slice().into());
        self.stack.push(Visit { id, piece: None, standing, is_covered, own, path });
    }
}

/// Returns [`WalkEntry::totals`] and [`WalkEntry::own`] for an entry.
fn sizes(tree: &Tree, record: &Entry<'_>, counts_contents: bool) -> (Totals, Totals) {
    let errors = u32::from(errno(tree, record).is_some());
    let EntryState::Known(metadata) = &record.state else {
        return (Totals::default(), Totals { errors, ..Totals::default() });
    };
    let own = Totals { disk: metadata.disk(), apparent: metadata.apparent, items: 0, errors };
    match metadata.directory {
        Some(id) if counts_contents => (tree.totals(id), own),
        _ => (own, own),
    }
}
