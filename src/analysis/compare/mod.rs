//! Growth: compares a tree with an earlier one in the background.
//!
//! ```text
//! EarlierTree: a source given by the user, or the newest kept snapshot; found by `source::baseline`
//!    -> growth: sorted changes
//!            -> PreviousListing: the earlier state of each entry of a directory
//! ```
//!
//! If a directory has not been read completely in one of the trees, entries that are only in the other tree are not
//! reported. Once the directory has been read, a new comparison reports them.
//!
//! Invariant: an entry that has not been read yet is never reported as new or deleted.

pub mod diff;
mod outline;
pub(crate) mod previous;
mod row;
#[cfg(test)]
mod tests;
pub mod trend;

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::Duration;

use crate::analysis::compare::diff::{Change, ChangeKind, Finding, Sizes, compare, roots};
pub use crate::analysis::compare::outline::OutlineRow;
use crate::analysis::compare::outline::outline;
pub use crate::analysis::compare::previous::{Previous, PreviousListing};
pub use crate::analysis::compare::row::Row;
use crate::analysis::compare::row::{difference, rank};
use crate::analysis::compare::trend::{Trend, trends};
use crate::analysis::search::{Order, Request, SortBy};
use crate::base::format::Measure;
use crate::base::job::{Job, Pool, Task};
use crate::base::sort::sort_by;
use crate::base::sync::Arc;
use crate::tree::sort::compare_naturally;
use crate::tree::{DirId, Entry, Tree, join};

/// Interval at which a waiting job checks for the data that it needs, and for cancellation.
const TICK: Duration = Duration::from_millis(50);

/// Maximum number of rows that get a size chart. Later rows have none.
const CHARTED: usize = 2000;

/// Tree to compare with, which may still be loading.
pub trait EarlierTree {
    fn tree(&self) -> &Arc<Tree>;
    /// Waits up to `limit` for the tree to load. Returns `true` if loading has ended, with or without an error.
    fn wait(&self, limit: Duration) -> bool;
    /// Returns the time of the scan that produced the tree, in seconds since 1970, if the time is known.
    fn recorded_at(&self) -> Option<i64>;
    /// Returns the error message if loading the tree has failed.
    fn trouble(&self) -> Option<String>;
}

/// Comparison with an earlier tree.
#[derive(Clone, Default)]
pub struct Comparison {
    /// Time of the earlier scan in seconds since 1970; `None` if the time is not known.
    pub since: Option<i64>,
    /// Largest changes, in the requested order.
    pub rows: Vec<Row>,
    /// Rows as a tree: each directory is followed by the changes below it, in the requested order.
    pub outline: Vec<OutlineRow>,
    /// Size charts of the first elements of `rows`, in the same order. Empty until all charts have been computed, or
    /// if there are too few earlier trees.
    pub trends: Vec<Trend>,
    /// Total number of changes, including changes that are not in `rows`.
    pub matched: u64,
    /// Earlier and current sizes of the requested directory; `None` if they cannot be compared. They can be compared if
    /// both trees contain the directory, its totals are final in both trees, and the directory was read completely in
    /// both trees or in neither.
    pub whole: Option<(Sizes, Sizes)>,
    /// Error from loading the earlier tree, if any. After an error, only the part that could be read was compared.
    pub trouble: Option<String>,
    old: Arc<Tree>,
    /// IDs (current tree, earlier tree) of each directory that is in both trees, sorted by the first ID.
    pairs: Vec<(DirId, DirId)>,
    /// New directories; all of their contents are new too.
    new_directories: HashSet<DirId>,
}

impl std::fmt::Debug for Comparison {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { since, matched, whole, .. } = self;
        write!(formatter, "Growth {{ since: {since:?}, matched: {matched}, whole: {whole:?} }}")
    }
}

/// Finds the changes below the requested directory that match the query, and keeps the `most` largest. The job calls
/// `earlier`, which returns the earlier tree, if there is one. Then the job calls `history`, which returns earlier
/// trees for the size charts, newest first.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn growth<E: EarlierTree>(
    pool: &Pool,
    earlier: impl FnOnce() -> Option<E> + Send + 'static,
    history: impl FnOnce() -> Vec<Arc<Tree>> + Send + 'static,
    request: Request,
    most: usize,
) -> io::Result<Job<Compared>> {
    pool.start(move |task| {
        let Some(compared) = find(task, earlier(), &request, most) else { return };
        task.publish(compared.clone());
        let Ok(growth) = compared else { return };
        let history = history();
        if history.len() >= trend::MIN_HISTORY && !task.is_cancelled() {
            let rows = &growth.rows[..growth.rows.len().min(CHARTED)];
            let trends = trends(rows, (&growth.old, &request.tree), &history, request.order.by);
            task.publish(Ok(Arc::new(Comparison { trends, ..Comparison::clone(&growth) })));
        }
    })
}

/// Message shown if there is no earlier tree to compare with.
pub const NO_BASELINE: &str = "No earlier snapshot (duke save creates one)";

/// Result of a comparison, or a message that explains why the comparison failed.
pub type Compared = Result<Arc<Comparison>, String>;

/// Runs the comparison. Returns `None` if the job is canceled.
fn find(
    task: &Task<Compared>,
    earlier: Option<impl EarlierTree>,
    request: &Request,
    most: usize,
) -> Option<Compared> {
    let Some(earlier) = earlier else {
        return Some(Err(NO_BASELINE.to_owned()));
    };
    while !earlier.wait(TICK) {
        if task.is_cancelled() {
            return None;
        }
    }
    let (old, new) = (Arc::clone(earlier.tree()), &request.tree);
    // A scan that has just begun may not have read its roots yet.
    let roots = loop {
        let is_over = new.status(DirId::TOP).is_complete();
        let roots = roots(&old, new);
        if is_over || !roots.is_empty() {
            break roots;
        }
        if task.is_cancelled() {
            return None;
        }
        std::thread::sleep(TICK);
    };
    if roots.is_empty() {
        let reason = earlier.trouble().unwrap_or_else(|| "only directories can be compared".to_owned());
        return Some(Err(reason));
    }
    let mut gathering =
        Gathering { request, old: &old, most, growth: Comparison::default(), inside: HashMap::new() };
    let is_whole = compare((&old, new), &roots, || task.is_cancelled(), |finding| gathering.visit(finding));
    if !is_whole {
        return None;
    }
    let growth = gathering.finish();
    let trouble = earlier.trouble();
    // A damaged file may lack entries that existed, so the damage is reported instead of the comparison.
    if let Some(damage) = old.damage().or_else(|| new.damage()) {
        return Some(Err(trouble.unwrap_or_else(|| damage.to_string())));
    }
    let growth = Comparison { since: earlier.recorded_at(), trouble, old: Arc::clone(&old), ..growth };
    Some(Ok(Arc::new(growth)))
}

/// Changes collected so far.
struct Gathering<'g> {
    request: &'g Request,
    old: &'g Tree,
    most: usize,
    growth: Comparison,
    /// Cached results of `is_inside` for directories of the new tree: `true` for the requested directory and every
    /// directory below it.
    inside: HashMap<DirId, bool>,
}

impl Gathering<'_> {
    fn visit(&mut self, finding: Finding<'_>) {
        match finding {
            Finding::Pair(old, new) => {
                self.growth.pairs.push((new, old));
                let (before, after) = (self.old.status(old), self.request.tree.status(new));
                let is_preliminary = self.old.is_preliminary(old) || self.request.tree.is_preliminary(new);
                // Totals are not comparable if the directory was read completely in only one of the trees.
                let is_final = !is_preliminary && before.partial == after.partial;
                if new == self.request.from && is_final {
                    let extent = |tree: &Tree, id| {
                        let totals = tree.totals(id);
                        Sizes { disk: totals.disk, apparent: totals.apparent }
                    };
                    self.growth.whole = Some((extent(self.old, old), extent(&self.request.tree, new)));
                }
            }
            Finding::Change(change) => {
                if let (ChangeKind::New, Some(id)) = (change.difference, change.itself) {
                    self.growth.new_directories.insert(id);
                }
                if self.is_wanted(&change) {
                    self.add(&change);
                }
            }
        }
    }

    fn is_wanted(&mut self, change: &Change<'_>) -> bool {
        // Roots and the requested directory get no row. Roots have an empty name here. The sizes of the requested
        // directory are in `whole`. A deleted directory is never the requested directory: its `itself` is an ID in the
        // old tree, but `request.from` is an ID in the new tree.
        let is_itself = change.name.is_empty()
            || change.itself == Some(self.request.from) && change.difference != ChangeKind::Deleted;
        if self.most == 0 || is_itself || !self.is_inside(change.new_parent) {
            return false;
        }
        let is_same = match self.request.order.by {
            SortBy::Apparent => change.before.apparent == change.after.apparent,
            SortBy::Disk => change.before.disk == change.after.disk,
            // These orders do not depend on a size, so an entry is listed if either of its sizes has changed. `compare`
            // has already omitted kept entries for which neither size has changed.
            SortBy::Modified | SortBy::Items | SortBy::Path => false,
        };
        if is_same && change.difference == ChangeKind::Kept {
            return false;
        }
        if self.request.query.is_empty() {
            return true;
        }
        let tree = if change.difference == ChangeKind::Deleted { self.old } else { &self.request.tree };
        let record = change.entry.record(tree);
        let (query, present) = (&self.request.query, &self.request.tree);
        let standing = query.standing(present, change.new_parent);
        record.is_some_and(|record| {
            query.keeps(standing, (change.new_parent, &present.path(change.new_parent)), tree, &record)
        })
    }

    fn is_inside(&mut self, new_parent: DirId) -> bool {
        let from = self.request.from;
        if from == DirId::TOP {
            return true;
        }
        let tree = &self.request.tree;
        let mut ancestors = Vec::new();
        let mut found = false;
        for id in tree.ancestry(new_parent) {
            if let Some(known) = self.inside.get(&id) {
                found = *known;
                break;
            }
            ancestors.push(id);
            if id == from {
                found = true;
                break;
            }
        }
        self.inside.extend(ancestors.into_iter().map(|id| (id, found)));
        found
    }

    fn add(&mut self, change: &Change<'_>) {
        let Change { difference, kind, entry, new_parent, itself, before, after, .. } = *change;
        let itself = itself.filter(|_| difference != ChangeKind::Deleted);
        self.growth.matched += 1;
        self.growth.rows.push(Row { difference, kind, entry, new_parent, itself, before, after });
        if self.growth.rows.len() >= self.most.saturating_mul(2) {
            self.trim();
        }
    }

    /// Keeps only the largest changes, at most `self.most`.
    fn trim(&mut self) {
        let (rows, by) = (&mut self.growth.rows, self.request.order.by);
        if rows.len() > self.most {
            rows.select_nth_unstable_by_key(self.most, |row| rank(row, by));
            rows.truncate(self.most);
        }
    }

    fn finish(mut self) -> Comparison {
        self.trim();
        let Order { by, reversed } = self.request.order;
        self.growth.pairs.sort_unstable();
        let mut rows = std::mem::take(&mut self.growth.rows);
        match by {
            SortBy::Path => {
                let path = |row: &Row| row.path(self.old, &self.request.tree);
                let mut named: Vec<(Vec<u8>, Row)> = rows.drain(..).map(|row| (path(&row), row)).collect();
                sort_by(&mut named, |(a, _), (b, _)| compare_naturally(a, b));
                rows.extend(named.into_iter().map(|(_, row)| row));
            }
            _ => rows.sort_unstable_by_key(|row| rank(row, by)),
        }
        if reversed {
            rows.reverse();
        }
        let whole = self.growth.whole.map_or(0, |(before, after)| difference(before, after, by));
        let outline = outline(&rows, &self.request.tree, self.request.from, (whole, by));
        Comparison { rows, outline, ..self.growth }
    }
}

impl Comparison {
    /// Returns the entry that a row describes. `new` must be the newer of the two compared trees.
    pub fn record<'t>(&'t self, new: &'t Tree, row: &Row) -> Option<Entry<'t>> {
        let tree = if row.difference == ChangeKind::Deleted { &self.old } else { new };
        row.entry.record(tree)
    }

    /// Returns the former path of a renamed directory, relative to its root.
    pub fn former_path(&self, row: &Row) -> Option<Vec<u8>> {
        match row.difference {
            ChangeKind::Renamed(old) => {
                let mut names: Vec<&[u8]> = self.old.ancestry(old).map(|id| self.old.name(id)).collect();
                names.pop();
                names.reverse();
                Some(join(names))
            }
            ChangeKind::Kept | ChangeKind::New | ChangeKind::Deleted => None,
        }
    }

    /// Returns the directory in the earlier tree that corresponds to a directory in the current tree, if any.
    fn was(&self, id: DirId) -> Option<DirId> {
        let index = self.pairs.binary_search_by_key(&id, |(new, _)| *new).ok()?;
        Some(self.pairs[index].1)
    }

    /// Returns `true` if directory `id` or one of its ancestors is new. The search ends at a directory that is in both
    /// trees, because its ancestors are in both trees as well.
    fn is_new(&self, new: &Tree, id: DirId) -> bool {
        new.ancestry(id)
            .find(|id| self.new_directories.contains(id) || self.was(*id).is_some())
            .is_some_and(|id| self.new_directories.contains(&id))
    }
}

/// Returns the size that `measure` selects.
pub fn amount(extent: Sizes, measure: Measure) -> u64 {
    measure.of(extent.disk, extent.apparent)
}
