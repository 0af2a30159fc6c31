//! What has grown: a tree compared with an earlier state of it, beside the screen.
//!
//! ```text
//! Earlier: a source that was named, or the folder of the snapshots that are kept
//!    -> Basis: finds it once, off the screen -> offer: whether there is one, and of when
//!                                            -> growth: changes in an order, and what each directory was
//! ```
//!
//! The tree may still grow: then only what is there on both sides is told apart, and the rest comes when it is asked again.
//!
//! Knows no view. Invariant: nothing is called new or gone that may only not have been read.

mod basis;
mod before;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io;
use std::time::Duration;

use crate::job::{Job, Pool, Task};
use crate::kind::Kind;
use crate::search::{By, Order, Request};
use crate::size::Measure;
use crate::sync::Arc;
use crate::tree::diff::{Change, Extent, Fate, Met, compare};
use crate::tree::order::compare_naturally;
use crate::tree::{Content, DirId, Position, Record, Tree, join};
pub use basis::{Basis, Earlier, Offer, offer};
pub use before::{Became, Before};

/// Between two looks whether the earlier state was read, or is wanted no more.
const TICK: Duration = Duration::from_millis(50);

/// A change: of an entry, or of everything in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// What became of it.
    pub fate: Fate,
    /// What it is.
    pub kind: Kind,
    /// The directory that holds it: in the earlier tree if it is gone, otherwise in the present one.
    pub directory: DirId,
    /// Where it is in that directory's listing.
    pub position: Position,
    /// The directory of the present tree in which it is, or was.
    pub place: DirId,
    /// What it took.
    pub before: Extent,
    /// What it takes.
    pub after: Extent,
}

/// What has become of a tree.
#[derive(Clone, Default)]
pub struct Growth {
    /// When the earlier state was recorded, in seconds since 1970.
    pub since: Option<i64>,
    /// The largest changes, in the order asked for.
    pub rows: Vec<Row>,
    /// How many changes there are.
    pub matched: u64,
    /// What the directory took that was asked about, and what it takes; none if it was not there.
    pub whole: Option<(Extent, Extent)>,
    /// What is wrong with the earlier state; what is known of it was compared.
    pub trouble: Option<String>,
    /// The earlier tree.
    old: Arc<Tree>,
    /// Directories of the present tree and what they were, by the former.
    pairs: Vec<(DirId, DirId)>,
    /// Directories that are new, with everything in them.
    fresh: HashSet<DirId>,
}

impl std::fmt::Debug for Growth {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { since, matched, whole, .. } = self;
        write!(formatter, "Growth {{ since: {since:?}, matched: {matched}, whole: {whole:?} }}")
    }
}

/// Looks for what has changed below the directory of `request` that its query keeps: the `most` largest changes.
///
/// # Errors
/// When the system gives no thread.
pub fn growth(pool: &Pool, basis: Option<Basis>, request: Request, most: usize) -> io::Result<Job<Compared>> {
    pool.start(move |task| {
        if let Some(compared) = find(task, basis.as_ref(), &request, most) {
            task.publish(compared);
        }
    })
}

/// What has grown, or why that is not to be had.
pub type Compared = Result<Arc<Growth>, String>;

/// What there is to say; nothing if it is wanted no more.
fn find(task: &Task<Compared>, basis: Option<&Basis>, request: &Request, most: usize) -> Option<Compared> {
    let Some(earlier) = basis.and_then(Basis::find) else {
        return Some(Err("there is no earlier snapshot of this".to_owned()));
    };
    while !earlier.wait(TICK) {
        if task.is_cancelled() {
            return None;
        }
    }
    let (old, new) = (Arc::clone(earlier.tree()), &request.tree);
    // A scan that has just begun has not looked at its roots yet.
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
        let reason = earlier.trouble().unwrap_or_else(|| "a directory is needed on either side".to_owned());
        return Some(Err(reason));
    }
    let mut gathering =
        Gathering { request, old: &old, most, growth: Growth::default(), inside: HashMap::new() };
    let is_whole = compare((&old, new), &roots, || task.is_cancelled(), |met| gathering.meet(met));
    if !is_whole {
        return None;
    }
    let growth = gathering.finish();
    let trouble = earlier.trouble();
    // Where a file is damaged nothing is there, which is not what was there.
    if let Some(damage) = old.damage().or_else(|| new.damage()) {
        return Some(Err(trouble.unwrap_or_else(|| damage.to_string())));
    }
    let growth = Growth { since: earlier.recorded_at(), trouble, old: Arc::clone(&old), ..growth };
    Some(Ok(Arc::new(growth)))
}

/// The roots of either tree that are directories, one after another. A root that lies in another counts there.
fn roots(old: &Tree, new: &Tree) -> Vec<(DirId, DirId)> {
    let of = |tree: &Tree| -> Vec<Option<DirId>> {
        let listing = tree.listing(DirId::TOP);
        let aliases = tree.alias_positions();
        let own = |position| !aliases.contains(&position);
        listing.entries().map(|(position, root)| root.directory().filter(|_| own(position))).collect()
    };
    of(old).into_iter().zip(of(new)).filter_map(|(old, new)| Some((old?, new?))).collect()
}

/// What was met so far.
struct Gathering<'g> {
    request: &'g Request,
    old: &'g Tree,
    most: usize,
    growth: Growth,
    /// Whether directories of the present tree are inside the one that was asked about.
    inside: HashMap<DirId, bool>,
}

impl Gathering<'_> {
    fn meet(&mut self, met: Met<'_>) {
        match met {
            Met::Pair(old, new) => {
                self.growth.pairs.push((new, old));
                if new == self.request.from {
                    let extent = |tree: &Tree, id| {
                        let totals = tree.totals(id);
                        Extent { disk: totals.disk, apparent: totals.apparent }
                    };
                    self.growth.whole = Some((extent(self.old, old), extent(&self.request.tree, new)));
                }
            }
            Met::Change(change) => {
                if let (Fate::New, Some(id)) = (change.fate, change.itself) {
                    self.growth.fresh.insert(id);
                }
                if self.is_wanted(&change) {
                    self.add(&change);
                }
            }
        }
    }

    fn is_wanted(&mut self, change: &Change<'_>) -> bool {
        // Of a root, or of the directory itself, there is nothing to say but the whole.
        let is_itself =
            change.name.is_empty() || change.itself == Some(self.request.from) && change.fate != Fate::Gone;
        if self.most == 0 || is_itself || !self.is_inside(change.place) {
            return false;
        }
        let is_same = match self.request.order.by {
            By::Apparent => change.before.apparent == change.after.apparent,
            By::Disk => change.before.disk == change.after.disk,
            // By name, no size is meant.
            By::Modified | By::Items | By::Path => false,
        };
        if is_same && change.fate == Fate::Kept {
            return false;
        }
        if self.request.query.is_empty() {
            return true;
        }
        let tree = if change.fate == Fate::Gone { self.old } else { &self.request.tree };
        let record = tree.listing(change.directory).record(change.position);
        record.is_some_and(|record| self.request.query.keeps(tree, change.directory, &record))
    }

    fn is_inside(&mut self, place: DirId) -> bool {
        let from = self.request.from;
        if from == DirId::TOP {
            return true;
        }
        let tree = &self.request.tree;
        let mut way = Vec::new();
        let mut found = false;
        for id in tree.ancestry(place) {
            if let Some(known) = self.inside.get(&id) {
                found = *known;
                break;
            }
            way.push(id);
            if id == from {
                found = true;
                break;
            }
        }
        self.inside.extend(way.into_iter().map(|id| (id, found)));
        found
    }

    fn add(&mut self, change: &Change<'_>) {
        let Change { fate, kind, directory, position, place, before, after, .. } = *change;
        self.growth.matched += 1;
        self.growth.rows.push(Row { fate, kind, directory, position, place, before, after });
        if self.growth.rows.len() >= self.most.saturating_mul(2) {
            self.trim();
        }
    }

    /// Keeps the largest changes only.
    fn trim(&mut self) {
        let (rows, by) = (&mut self.growth.rows, self.request.order.by);
        if rows.len() > self.most {
            rows.select_nth_unstable_by_key(self.most, |row| rank(row, by));
            rows.truncate(self.most);
        }
    }

    fn finish(mut self) -> Growth {
        self.trim();
        let Order { by, reversed } = self.request.order;
        self.growth.pairs.sort_unstable();
        let mut rows = std::mem::take(&mut self.growth.rows);
        match by {
            By::Path => {
                let path = |row: &Row| row.path(self.old, &self.request.tree);
                let mut named: Vec<(Vec<u8>, Row)> = rows.drain(..).map(|row| (path(&row), row)).collect();
                named.sort_unstable_by(|(a, _), (b, _)| compare_naturally(a, b));
                rows.extend(named.into_iter().map(|(_, row)| row));
            }
            _ => rows.sort_unstable_by_key(|row| rank(row, by)),
        }
        if reversed {
            rows.reverse();
        }
        Growth { rows, ..self.growth }
    }
}

/// The largest change first; of equal ones that of the largest entry, and then one that is the same every time.
fn rank(row: &Row, by: By) -> (Reverse<u64>, Reverse<u64>, DirId, Position, bool) {
    let (before, after) = match by {
        By::Apparent => (row.before.apparent, row.after.apparent),
        _ => (row.before.disk, row.after.disk),
    };
    let size = Reverse(before.max(after));
    (Reverse(before.abs_diff(after)), size, row.directory, row.position, row.fate == Fate::Gone)
}

impl Row {
    /// Where it is, or was, seen from the present.
    fn path(&self, old: &Tree, new: &Tree) -> Vec<u8> {
        let holder = if self.fate == Fate::Gone { old } else { new };
        let name = holder.listing(self.directory).name(self.position).unwrap_or_default();
        join([new.path(self.place).as_slice(), name])
    }
}

impl Growth {
    /// The entry of a row, in the tree it is in.
    pub fn record<'t>(&'t self, new: &'t Tree, row: &Row) -> Option<Record<'t>> {
        let tree = if row.fate == Fate::Gone { &self.old } else { new };
        tree.listing(row.directory).record(row.position)
    }

    /// What a directory that has another name now was called, from its root on.
    pub fn former_path(&self, row: &Row) -> Option<Vec<u8>> {
        match row.fate {
            Fate::Renamed(old) => {
                let mut names: Vec<&[u8]> = self.old.ancestry(old).map(|id| self.old.name(id)).collect();
                names.pop();
                names.reverse();
                Some(join(names))
            }
            Fate::Kept | Fate::New | Fate::Gone => None,
        }
    }

    /// What a directory of the present tree was.
    fn was(&self, id: DirId) -> Option<DirId> {
        let index = self.pairs.binary_search_by_key(&id, |(new, _)| *new).ok()?;
        Some(self.pairs[index].1)
    }

    /// Whether a directory, or one above it, is new.
    fn is_new(&self, new: &Tree, id: DirId) -> bool {
        new.ancestry(id)
            .find(|id| self.fresh.contains(id) || self.was(*id).is_some())
            .is_some_and(|id| self.fresh.contains(&id))
    }
}

/// The bytes of an extent that are meant.
pub fn amount(extent: Extent, measure: Measure) -> u64 {
    measure.of(extent.disk, extent.apparent)
}

/// What is known of an entry that is no directory.
fn extent(content: &Content) -> Option<Extent> {
    match content {
        Content::Known(facts) if facts.directory.is_none() => {
            Some(Extent { disk: facts.disk(), apparent: facts.apparent })
        }
        _ => None,
    }
}
