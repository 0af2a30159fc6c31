//! Cleanup candidates: directories that can be rebuilt or downloaded again.
//!
//! A rule combines a directory name with evidence, such as a build file next to the directory. The rules are in
//! `rules.txt`. Like each statistic in [`crate::analysis::survey`], the search is a [`Job`] that takes a [`Request`].
//! If candidates are nested, only the outermost is returned. The search does not mark or delete anything.
//!
//! Invariant: a directory is a candidate only if the evidence that its rule requires exists.

mod rules;

use std::collections::{HashMap, HashSet};
use std::io;

pub use rules::{Rule, rules};

use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::search::{Collector, Mode, Progress, Request, WalkEntry};
use crate::base::job::{Job, Pool};
use crate::base::sort::sort_by_key;
use crate::base::sync::Arc;
use crate::tree::{DirId, EntryId, EntryState, Totals, Tree, Walk};

/// Directory that matches a cleanup rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanupCandidate {
    /// Directory that can be deleted.
    pub directory: DirId,
    /// ID of the directory's entry in its parent.
    pub entry: EntryId,
    /// Index of the rule in [`CandidateList::rules`].
    pub rule: usize,
    pub totals: Totals,
    /// Latest modification time of the entries below the directory, in seconds since 1970; `None` until the search is
    /// complete, or if no time is known.
    pub used: Option<i64>,
}

/// Cleanup candidates of a subtree.
#[derive(Clone, Debug, Default)]
pub struct CandidateList {
    /// Candidates, largest first.
    pub rows: Vec<CleanupCandidate>,
    /// Rules to which [`CleanupCandidate::rule`] refers.
    pub rules: Arc<Vec<Rule>>,
    /// Number of entries searched so far.
    pub searched: u64,
    /// `true` once all entries have been searched.
    pub complete: bool,
}

impl CandidateList {
    /// Returns the total of all candidates. An inode with names in several candidates is counted once per candidate.
    pub fn sum(&self) -> Totals {
        let mut sum = Totals::default();
        self.rows.iter().for_each(|candidate| sum.add(&candidate.totals));
        sum
    }
}

/// Searches for cleanup candidates among the entries selected by the query.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn find(pool: &Pool, request: Request) -> io::Result<Job<CandidateList>> {
    pool.start(move |task| {
        parallel_walk(&request, Mode::Filter, task, Candidates::new(), |found, progress| {
            Some(found.list(&request.tree, progress))
        });
    })
}

/// Candidates found so far.
pub(super) struct Candidates {
    rules: Arc<Vec<Rule>>,
    /// Entry of each candidate, and the index of the first rule that matches it.
    rows: HashMap<DirId, (EntryId, usize)>,
}

impl Collector for Candidates {
    fn fresh(&self) -> Self {
        Self { rules: Arc::clone(&self.rules), rows: HashMap::new() }
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        // Roots are never candidates, because the user chose them explicitly.
        let Some(id) = entry.metadata().and_then(|metadata| metadata.directory) else { return };
        if entry.id.directory == DirId::TOP {
            return;
        }
        let proven = |rule: &Rule| {
            rule.is_named(entry.record.name) && rule.is_proven(entry.tree, entry.id.directory, id)
        };
        if let Some(rule) = self.rules.iter().position(proven) {
            self.rows.insert(id, (entry.id, rule));
        }
    }

    fn merge(&mut self, other: Self) {
        self.rows.extend(other.rows);
    }
}

impl Candidates {
    pub(super) fn new() -> Self {
        Self { rules: Arc::new(rules()), rows: HashMap::new() }
    }

    pub(super) fn list(&self, tree: &Tree, progress: Progress) -> CandidateList {
        let found: HashSet<DirId> = self.rows.keys().copied().collect();
        let is_outermost = |id: &DirId| !tree.ancestry(*id).skip(1).any(|above| found.contains(&above));
        let candidate = |(id, (entry, rule)): (&DirId, &(EntryId, usize))| CleanupCandidate {
            directory: *id,
            entry: *entry,
            rule: *rule,
            totals: tree.totals(*id),
            used: progress.complete.then(|| newest(tree, *id)).flatten(),
        };
        let mut rows: Vec<CleanupCandidate> =
            self.rows.iter().filter(|(id, _)| is_outermost(id)).map(candidate).collect();
        sort_by_key(&mut rows, |candidate| (std::cmp::Reverse(candidate.totals.disk), candidate.directory));
        let Progress { searched, complete } = progress;
        CandidateList { rows, rules: Arc::clone(&self.rules), searched, complete }
    }
}

/// Returns the latest modification time of the entries below a directory, or `None` if no time is known.
fn newest(tree: &Tree, id: DirId) -> Option<i64> {
    let times = Walk::new(tree, id).filter_map(|(_, listing)| {
        let mtime = |state| match state {
            EntryState::Known(metadata) => Some(metadata.mtime),
            EntryState::Excluded(_) | EntryState::Failed(_) => None,
        };
        listing.entries().filter_map(|(_, record)| mtime(record.state)).max()
    });
    times.max()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::analysis::search::{Order, Query};
    use crate::fixture::{Plan, build, dir, file};

    fn found(entries: Vec<Plan>) -> Vec<(String, Totals, Option<i64>)> {
        let (tree, from) = build(entries);
        let tree = Arc::new(tree);
        let request =
            Request { tree: Arc::clone(&tree), from, query: Query::default(), order: Order::default() };
        let job = find(&Pool::new(1).unwrap(), request).unwrap();
        assert!(job.wait(Duration::from_secs(60)).is_some());
        let found = job.latest().unwrap();
        assert!(found.complete);
        let path = |candidate: &CleanupCandidate| {
            String::from_utf8_lossy(&tree.path(candidate.directory)).into_owned()
        };
        found.rows.iter().map(|candidate| (path(candidate), candidate.totals, candidate.used)).collect()
    }

    fn paths(entries: Vec<Plan>) -> Vec<String> {
        found(entries).into_iter().map(|(path, ..)| path).collect()
    }

    #[test]
    fn a_name_alone_is_no_evidence() {
        let target = || dir("target", vec![file("a", 1000, 5)]);
        assert_eq!(paths(vec![target()]), [""; 0]);
        assert_eq!(paths(vec![target(), file("Cargo.toml", 1, 1)]), ["/r/target"]);
        assert_eq!(paths(vec![dir("x", vec![target()]), file("Cargo.toml", 1, 1)]), [""; 0]);
        assert_eq!(paths(vec![dir("my-venv", vec![file("pyvenv.cfg", 1, 1)])]), ["/r/my-venv"]);
        assert_eq!(paths(vec![dir("venv", vec![file("pyvenv", 1, 1)])]), [""; 0]);
        assert_eq!(paths(vec![dir("other", vec![file("CACHEDIR.TAG", 1, 1)])]), ["/r/other"]);
    }

    #[test]
    fn a_path_can_be_the_evidence() {
        let pip = || dir("pip", vec![file("a", 1, 1)]);
        assert_eq!(paths(vec![dir(".cache", vec![pip()]), pip()]), ["/r/.cache/pip"]);
    }

    #[test]
    fn nested_candidates_count_once_and_the_largest_comes_first() {
        let modules = |inner: Vec<Plan>| dir("node_modules", inner);
        let package = || file("package.json", 1, 1);
        let inner = dir("p", vec![package(), modules(vec![file("new", 1, 99)])]);
        let small = dir("small", vec![package(), modules(vec![])]);
        let all = found(vec![small, package(), modules(vec![inner, file("big", 100_000, 7)])]);
        assert_eq!(
            all.iter().map(|(path, ..)| path.as_str()).collect::<Vec<_>>(),
            ["/r/node_modules", "/r/small/node_modules"]
        );
        assert_eq!(all[0].2, Some(99));
        assert_eq!(all[0].1.items, 5);
    }
}
