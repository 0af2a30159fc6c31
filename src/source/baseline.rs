//! Baselines: the search for the earlier tree with which a view compares.
//!
//! Invariant: the search runs once, and never on the drawing thread.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::analysis::compare::EarlierTree;
use crate::base::job::{Job, Pool};
use crate::base::sync::{Arc, OnceLock};
use crate::scan::Outcome;
use crate::source::Source;
use crate::tree::{DirId, Totals, Tree};

/// Location of the earlier tree.
#[derive(Clone, Default)]
pub enum BaselineSpec {
    /// No earlier tree.
    #[default]
    None,
    /// Source given by the user.
    Source(Source),
    /// Folder of kept snapshots. The newest snapshot of the same paths is used, if there is one.
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

/// Baseline of a source. Cheap to clone.
#[derive(Clone)]
pub struct Baseline {
    shared: Arc<Shared>,
}

struct Shared {
    earlier: BaselineSpec,
    present: Option<Source>,
    /// Result of the search, set once. Concurrent callers wait for the first search instead of starting their
    /// own.
    found: OnceLock<Option<BaselineSource>>,
}

/// Earlier tree.
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
    /// Totals of the earlier tree; `None` if it is still being read.
    pub totals: Option<Totals>,
}

impl Baseline {
    /// Creates the baseline for comparisons with `present`.
    pub fn new(earlier: BaselineSpec, present: Source) -> Self {
        Self { shared: Arc::new(Shared { earlier, present: Some(present), found: OnceLock::new() }) }
    }

    /// Creates a baseline from a tree and the time of its scan in seconds since 1970.
    #[cfg(test)]
    pub fn of_tree(tree: Arc<Tree>, seconds: i64) -> Self {
        let found = OnceLock::from(Some(BaselineSource::Tree(tree, seconds)));
        Self { shared: Arc::new(Shared { earlier: BaselineSpec::None, present: None, found }) }
    }

    /// Returns the earlier tree, if there is one. The first call reads folders and files.
    pub(crate) fn find(&self) -> Option<BaselineSource> {
        let Shared { earlier, present, found } = &*self.shared;
        let look = || match earlier {
            BaselineSpec::None => None,
            BaselineSpec::Source(source) => Some(BaselineSource::Source(source.clone())),
            BaselineSpec::Kept(folder) => present.as_ref()?.earlier_in(folder).map(BaselineSource::Source),
        };
        found.get_or_init(look).clone()
    }

    /// Returns a function that finds the earlier tree, to be called in a job.
    pub fn finder(basis: Option<&Self>) -> impl FnOnce() -> Option<BaselineSource> + Send + 'static {
        let basis = basis.cloned();
        move || basis?.find()
    }
}

/// Starts the search for an earlier tree.
///
/// # Errors
/// When no thread can be started.
pub fn offer(pool: &Pool, basis: Option<Baseline>) -> io::Result<Job<BaselineInfo>> {
    pool.start(move |task| {
        let earlier = basis.and_then(|basis| basis.find());
        let since = earlier.as_ref().and_then(BaselineSource::recorded_at);
        let is_read = |earlier: &&BaselineSource| earlier.wait(Duration::ZERO);
        let totals = earlier.as_ref().filter(is_read).map(|earlier| earlier.tree().totals(DirId::TOP));
        task.publish(BaselineInfo { is_there: earlier.is_some(), since, totals });
    })
}

/// Returns the error with which a source has ended, if any.
fn trouble(source: &Source) -> Option<String> {
    match source.outcome() {
        Some(Outcome::Broken(faults)) => Some(faults.join("; ")),
        Some(Outcome::Panicked(reason)) => Some(reason),
        Some(Outcome::Stopped) => Some("it is incomplete".to_owned()),
        Some(Outcome::Complete) | None => None,
    }
}
