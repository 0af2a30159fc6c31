//! Where the earlier state comes from, and finding it.
//!
//! Invariant: it is looked for once, and never by the thread of the screen.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::job::{Job, Pool};
use crate::scan::Outcome;
use crate::source::Source;
use crate::sync::{Arc, OnceLock};
use crate::tree::Tree;

/// Where an earlier state is to be had.
#[derive(Clone, Default)]
pub enum Earlier {
    /// Nowhere.
    #[default]
    None,
    /// Here: it was asked for.
    Source(Source),
    /// In this folder, if one of the same paths was kept there.
    Kept(PathBuf),
}

impl std::fmt::Debug for Earlier {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => formatter.write_str("None"),
            Self::Source(source) => write!(formatter, "Source({:?})", source.roots()),
            Self::Kept(folder) => write!(formatter, "Kept({})", folder.display()),
        }
    }
}

impl Earlier {
    /// That of a tree that begins above: what was asked for was something else.
    #[must_use]
    pub fn above(self) -> Self {
        match self {
            Self::Kept(folder) => Self::Kept(folder),
            Self::None | Self::Source(_) => Self::None,
        }
    }
}

/// What a source is compared with. Cheap to clone.
#[derive(Clone)]
pub struct Basis {
    shared: Arc<Shared>,
}

struct Shared {
    earlier: Earlier,
    present: Option<Source>,
    /// What was found, or nothing, once somebody has looked. Others wait for who looks, so that nobody does it twice.
    found: OnceLock<Option<Past>>,
}

/// An earlier state.
#[derive(Clone)]
pub(super) enum Past {
    /// What a source reads.
    Source(Source),
    /// A tree that was made for a test, of this second.
    #[cfg(test)]
    Tree(Arc<Tree>, i64),
}

impl Past {
    pub(super) fn tree(&self) -> &Arc<Tree> {
        match self {
            Self::Source(source) => source.tree(),
            #[cfg(test)]
            Self::Tree(tree, _) => tree,
        }
    }

    /// Waits until it was read, at most for `limit`; says whether it was.
    pub(super) fn wait(&self, limit: Duration) -> bool {
        match self {
            Self::Source(source) => source.wait(limit).is_some(),
            #[cfg(test)]
            Self::Tree(..) => true,
        }
    }

    /// When it was recorded, in seconds since 1970.
    pub(super) fn recorded_at(&self) -> Option<i64> {
        match self {
            Self::Source(source) => source.provenance().first().and_then(|provenance| provenance.scanned_at),
            #[cfg(test)]
            Self::Tree(_, seconds) => Some(*seconds),
        }
    }

    /// What is wrong with it, once it was read.
    pub(super) fn trouble(&self) -> Option<String> {
        match self {
            Self::Source(source) => trouble(source),
            #[cfg(test)]
            Self::Tree(..) => None,
        }
    }
}

/// Whether there is something to compare with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Whether there is.
    pub is_there: bool,
    /// Of when it is, in seconds since 1970, if that is known.
    pub since: Option<i64>,
}

impl Basis {
    /// For `present`, which is compared with `earlier`.
    pub fn new(earlier: Earlier, present: Source) -> Self {
        Self { shared: Arc::new(Shared { earlier, present: Some(present), found: OnceLock::new() }) }
    }

    /// A tree of this second.
    #[cfg(test)]
    pub fn of_tree(tree: Arc<Tree>, seconds: i64) -> Self {
        let found = OnceLock::from(Some(Past::Tree(tree, seconds)));
        Self { shared: Arc::new(Shared { earlier: Earlier::None, present: None, found }) }
    }

    /// The earlier state. Reads folders and files.
    pub(super) fn find(&self) -> Option<Past> {
        let Shared { earlier, present, found } = &*self.shared;
        let look = || match earlier {
            Earlier::None => None,
            Earlier::Source(source) => Some(Past::Source(source.clone())),
            Earlier::Kept(folder) => present.as_ref()?.earlier_in(folder).map(Past::Source),
        };
        found.get_or_init(look).clone()
    }
}

/// Looks whether there is an earlier state.
///
/// # Errors
/// When the system gives no thread.
pub fn offer(pool: &Pool, basis: Option<Basis>) -> io::Result<Job<Offer>> {
    pool.start(move |task| {
        let earlier = basis.and_then(|basis| basis.find());
        let since = earlier.as_ref().and_then(Past::recorded_at);
        task.publish(Offer { is_there: earlier.is_some(), since });
    })
}

/// What is wrong with a source that has ended.
fn trouble(source: &Source) -> Option<String> {
    match source.outcome() {
        Some(Outcome::Broken(faults)) => Some(faults.join("; ")),
        Some(Outcome::Panicked(reason)) => Some(reason),
        Some(Outcome::Stopped) => Some("it was not read to its end".to_owned()),
        Some(Outcome::Complete) | None => None,
    }
}
