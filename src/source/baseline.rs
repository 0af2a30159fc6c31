//! Search for the baseline: the earlier tree with which a view compares the current tree.
//!
//! Invariant: the search for a given earlier snapshot runs only once, and never on the drawing thread.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::analysis::compare::EarlierTree;
use crate::base::job::{Job, Pool};
use crate::base::sync::{Arc, Mutex, lock};
use crate::scan::Outcome;
use crate::source::Source;
use crate::tree::{DirId, Totals, Tree};

/// Location of the earlier tree with which a view compares the current tree.
#[derive(Clone, Default)]
pub enum BaselineSpec {
    /// No earlier tree.
    #[default]
    None,
    /// Source given by the user.
    Source(Source),
    /// Folder of automatic snapshots. The earlier tree is a snapshot of a scan with the same paths and flags as the
    /// current scan: by default, the newest. If there is no such snapshot, there is no earlier tree.
    Kept(PathBuf),
}

impl std::fmt::Debug for BaselineSpec {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => formatter.write_str("None"),
            Self::Source(source) => write!(formatter, "Source({:?})", source.roots()),
            Self::Kept(folder) => write!(formatter, "Kept({})", folder.display()),
        }
    }
}

impl BaselineSpec {
    /// Returns the location of the baseline for a scan of the parent directory. A source given by the user is
    /// dropped, because that source does not cover the parent.
    #[must_use]
    pub fn above(self) -> Self {
        match self {
            Self::Kept(folder) => Self::Kept(folder),
            Self::None | Self::Source(_) => Self::None,
        }
    }
}

/// Baseline with which one source is compared. Cheap to clone.
#[derive(Clone)]
pub struct Baseline {
    shared: Arc<Shared>,
    /// Number of snapshots to skip, beginning with the newest.
    index: usize,
}

struct Shared {
    earlier: BaselineSpec,
    present: Option<Source>,
    /// Search results, keyed by [`Baseline::index`]. Each result is set once. Concurrent callers wait for the first
    /// search instead of starting their own.
    found: Mutex<HashMap<usize, Found>>,
}

/// Earlier tree, if there is one, and the number of trees to choose from.
type Found = Option<(BaselineSource, usize)>;

/// Earlier tree with which a view compares the current tree.
#[derive(Clone)]
pub enum BaselineSource {
    /// Tree of a source.
    Source(Source),
    /// Tree made for a test, with the time of its scan in seconds since 1970.
    #[cfg(test)]
    Tree(Arc<Tree>, i64),
}

impl EarlierTree for BaselineSource {
    fn tree(&self) -> &Arc<Tree> {
        match self {
            Self::Source(source) => source.tree(),
            #[cfg(test)]
            Self::Tree(tree, _) => tree,
        }
    }

    fn wait(&self, limit: Duration) -> bool {
        match self {
            Self::Source(source) => source.wait(limit).is_some(),
            #[cfg(test)]
            Self::Tree(..) => true,
        }
    }

    fn recorded_at(&self) -> Option<i64> {
        match self {
            Self::Source(source) => source.provenance().first().and_then(|provenance| provenance.scanned_at),
            #[cfg(test)]
            Self::Tree(_, seconds) => Some(*seconds),
        }
    }

    fn trouble(&self) -> Option<String> {
        match self {
            Self::Source(source) => trouble(source),
            #[cfg(test)]
            Self::Tree(..) => None,
        }
    }
}

/// Result of the search for an earlier tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaselineInfo {
    /// `true` if an earlier tree was found.
    pub is_there: bool,
    /// Time at which the earlier tree was scanned, in seconds since 1970, if known.
    pub since: Option<i64>,
    /// Totals of the earlier tree; `None` if there is no earlier tree, or if it is still being read.
    pub totals: Option<Totals>,
    /// Index of the requested snapshot; 0 for the newest. Set even if there is no snapshot with this index.
    pub index: usize,
    /// Number of snapshots to choose from.
    pub count: usize,
}

impl Baseline {
    /// Creates the baseline with which `present` is compared.
    pub fn new(earlier: BaselineSpec, present: Source) -> Self {
        let shared = Arc::new(Shared { earlier, present: Some(present), found: Mutex::default() });
        Self { shared, index: 0 }
    }

    /// Returns a baseline that skips the `index` newest snapshots.
    #[must_use]
    pub fn at(&self, index: usize) -> Self {
        Self { shared: Arc::clone(&self.shared), index }
    }

    /// Creates a baseline from a tree and the time of its scan in seconds since 1970.
    #[cfg(test)]
    pub fn of_tree(tree: Arc<Tree>, seconds: i64) -> Self {
        Self::of_trees(vec![(tree, seconds)])
    }

    /// Creates a baseline from trees and the times of their scans in seconds since 1970, newest first.
    #[cfg(test)]
    pub fn of_trees(trees: Vec<(Arc<Tree>, i64)>) -> Self {
        let count = trees.len();
        let found = |(tree, seconds)| Some((BaselineSource::Tree(tree, seconds), count));
        let found = trees.into_iter().map(found).enumerate().collect();
        let shared = Shared { earlier: BaselineSpec::None, present: None, found: Mutex::new(found) };
        Self { shared: Arc::new(shared), index: 0 }
    }

    /// Returns the earlier tree, if there is one. The first call may read a folder of snapshots.
    pub(crate) fn find(&self) -> Option<BaselineSource> {
        self.search().map(|(source, _)| source)
    }

    /// Returns the earlier tree, if there is one, and the number of trees to choose from.
    fn search(&self) -> Found {
        let Shared { earlier, present, found } = &*self.shared;
        let find = || match earlier {
            BaselineSpec::None => None,
            BaselineSpec::Source(source) => {
                (self.index == 0).then(|| (BaselineSource::Source(source.clone()), 1))
            }
            BaselineSpec::Kept(folder) => {
                let (source, count) = present.as_ref()?.earlier_in(folder, self.index)?;
                Some((BaselineSource::Source(source), count))
            }
        };
        lock(found).entry(self.index).or_insert_with(find).clone()
    }

    /// Returns a function that a job can call to find the earlier tree.
    pub fn finder(baseline: Option<&Self>) -> impl FnOnce() -> Option<BaselineSource> + Send + 'static {
        let baseline = baseline.cloned();
        move || baseline?.find()
    }

    /// Returns a function that a job can call to find up to `most` earlier trees, newest first. If a tree is still
    /// being read, for example by an import, the function returns only the newer trees.
    pub fn history(baseline: Option<&Self>, most: usize) -> impl FnOnce() -> Vec<Arc<Tree>> + Send + 'static {
        let baseline = baseline.cloned();
        move || {
            let Some(baseline) = baseline else { return Vec::new() };
            let tree = |index| baseline.at(index).find().filter(|found| found.wait(Duration::ZERO));
            (0..most).map_while(tree).map(|found| Arc::clone(found.tree())).collect()
        }
    }
}

/// Starts the search for the earlier tree that `baseline` selects.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn find(pool: &Pool, baseline: Option<Baseline>) -> io::Result<Job<BaselineInfo>> {
    pool.start(move |task| {
        let index = baseline.as_ref().map_or(0, |baseline| baseline.index);
        let (earlier, count) = baseline.and_then(|baseline| baseline.search()).unzip();
        let count = count.unwrap_or_default();
        let since = earlier.as_ref().and_then(BaselineSource::recorded_at);
        let is_read = |earlier: &&BaselineSource| earlier.wait(Duration::ZERO);
        let totals = earlier.as_ref().filter(is_read).map(|earlier| earlier.tree().totals(DirId::TOP));
        task.publish(BaselineInfo { is_there: earlier.is_some(), since, totals, index, count });
    })
}

/// Returns the error that prevented a source from being read completely, if any.
fn trouble(source: &Source) -> Option<String> {
    match source.outcome() {
        Some(Outcome::Broken(faults)) => Some(faults.join("; ")),
        Some(Outcome::Panicked(reason)) => Some(reason),
        Some(Outcome::Stopped) => Some("the data to compare with is incomplete".to_owned()),
        Some(Outcome::Complete) | None => None,
    }
}
