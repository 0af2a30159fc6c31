//! What could be cleaned up: directories that are known to be made or fetched again.
//!
//! A rule names a directory and the proof that it is what its name suggests; see `rules.txt`. The survey goes over a tree as
//! those in [`crate::survey`] do, and of directories in one another it takes the outermost. Nothing is marked or removed
//! here.
//!
//! Invariant: without the proof of a rule there is no hint.

mod rules;

use std::collections::{HashMap, HashSet};
use std::io;

pub use rules::{Rule, rules};

use crate::job::{Job, Pool};
use crate::search::{Entry, Mode, Progress, Request, Tally, sweep};
use crate::sync::Arc;
use crate::tree::{Content, DirId, Position, Totals, Tree, Walk};

/// A directory that could be cleaned up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Which.
    pub directory: DirId,
    /// The directory it is in, and where.
    pub place: (DirId, Position),
    /// The rule, by its number in [`Hints::rules`].
    pub rule: usize,
    /// What it takes up.
    pub totals: Totals,
    /// Time of the newest change in it, in seconds since 1970; not known before the survey is complete.
    pub used: Option<i64>,
}

/// What could be cleaned up in a subtree.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The directories, the largest first.
    pub rows: Vec<Hint>,
    /// Why, by number.
    pub rules: Arc<Vec<Rule>>,
    /// How many entries were looked at.
    pub searched: u64,
    /// Whether those are all.
    pub complete: bool,
}

impl Hints {
    /// What it all takes up: hard links between the directories count more than once.
    pub fn sum(&self) -> Totals {
        let mut sum = Totals::default();
        self.rows.iter().for_each(|hint| sum.add(&hint.totals));
        sum
    }
}

/// Looks for what could be cleaned up among what the query keeps.
///
/// # Errors
/// When the system gives no thread.
pub fn hints(pool: &Pool, request: Request) -> io::Result<Job<Hints>> {
    pool.start(move |task| {
        let rules = Arc::new(rules());
        let found = Candidates { rules: Arc::clone(&rules), rows: HashMap::new() };
        sweep(&request, Mode::Filter, task, found, |found, progress| {
            Some(found.hints(&request.tree, progress))
        });
    })
}

struct Candidates {
    rules: Arc<Vec<Rule>>,
    /// Directories and the rules they meet: of several the first.
    rows: HashMap<DirId, ((DirId, Position), usize)>,
}

impl Tally for Candidates {
    fn fresh(&self) -> Self {
        Self { rules: Arc::clone(&self.rules), rows: HashMap::new() }
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        // A root is what somebody wants to look at.
        let Some(id) = entry.facts().and_then(|facts| facts.directory) else { return };
        if entry.directory == DirId::TOP {
            return;
        }
        let proven =
            |rule: &Rule| rule.is_named(entry.record.name) && rule.is_proven(entry.tree, entry.directory, id);
        if let Some(rule) = self.rules.iter().position(proven) {
            self.rows.insert(id, ((entry.directory, entry.position), rule));
        }
    }

    fn absorb(&mut self, other: Self) {
        self.rows.extend(other.rows);
    }
}

impl Candidates {
    fn hints(&self, tree: &Tree, progress: Progress) -> Hints {
        let found: HashSet<DirId> = self.rows.keys().copied().collect();
        let is_outermost = |id: &DirId| !tree.ancestry(*id).skip(1).any(|above| found.contains(&above));
        let hint = |(id, (place, rule)): (&DirId, &((DirId, Position), usize))| Hint {
            directory: *id,
            place: *place,
            rule: *rule,
            totals: tree.totals(*id),
            used: progress.complete.then(|| newest(tree, *id)).flatten(),
        };
        let mut rows: Vec<Hint> = self.rows.iter().filter(|(id, _)| is_outermost(id)).map(hint).collect();
        rows.sort_unstable_by_key(|hint| (std::cmp::Reverse(hint.totals.disk), hint.directory));
        let Progress { searched, complete } = progress;
        Hints { rows, rules: Arc::clone(&self.rules), searched, complete }
    }
}

/// Time of the newest change below a directory.
fn newest(tree: &Tree, id: DirId) -> Option<i64> {
    let times = Walk::new(tree, id).filter_map(|(_, listing)| {
        let mtime = |content| match content {
            Content::Known(facts) => Some(facts.mtime),
            Content::Excluded(_) | Content::Failed(_) => None,
        };
        listing.entries().filter_map(|(_, record)| mtime(record.content)).max()
    });
    times.max()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fixture::{Plan, build, dir, file};
    use crate::search::{Order, Query};

    fn found(entries: Vec<Plan>) -> Vec<(String, Totals, Option<i64>)> {
        let (tree, from) = build(entries);
        let tree = Arc::new(tree);
        let request =
            Request { tree: Arc::clone(&tree), from, query: Query::default(), order: Order::default() };
        let job = hints(&Pool::new(1).unwrap(), request).unwrap();
        assert!(job.wait(Duration::from_secs(60)).is_some());
        let found = job.latest().unwrap();
        assert!(found.complete);
        let path = |hint: &Hint| String::from_utf8_lossy(&tree.path(hint.directory)).into_owned();
        found.rows.iter().map(|hint| (path(hint), hint.totals, hint.used)).collect()
    }

    fn paths(entries: Vec<Plan>) -> Vec<String> {
        found(entries).into_iter().map(|(path, ..)| path).collect()
    }

    #[test]
    fn a_name_alone_proves_nothing() {
        let target = || dir("target", vec![file("a", 1000, 5)]);
        assert_eq!(paths(vec![target()]), [""; 0]);
        assert_eq!(paths(vec![target(), file("Cargo.toml", 1, 1)]), ["/r/target"]);
        assert_eq!(paths(vec![dir("x", vec![target()]), file("Cargo.toml", 1, 1)]), [""; 0]);
        assert_eq!(paths(vec![dir("my-venv", vec![file("pyvenv.cfg", 1, 1)])]), ["/r/my-venv"]);
        assert_eq!(paths(vec![dir("venv", vec![file("pyvenv", 1, 1)])]), [""; 0]);
        assert_eq!(paths(vec![dir("other", vec![file("CACHEDIR.TAG", 1, 1)])]), ["/r/other"]);
    }

    #[test]
    fn a_path_may_be_the_proof() {
        let pip = || dir("pip", vec![file("a", 1, 1)]);
        assert_eq!(paths(vec![dir(".cache", vec![pip()]), pip()]), ["/r/.cache/pip"]);
    }

    #[test]
    fn of_hints_in_one_another_the_outermost_counts_and_the_largest_comes_first() {
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
