//! Scanning: from roots to a finished [`Tree`], on all processors.
//!
//! [`Scan::start`] returns at once; the tree grows while it runs and can be looked at any time. One rayon job reads
//! one directory (`visit`, the heart), hands its child directories to the pool as further jobs, and never waits. A
//! directory completes when nothing it waits for is left (`tree::totals`), so the last job out completes the tree.
//! When the pool is quiet the hard links are settled (`tree::links`) and the scan is over.
//!
//! Knows nothing of views. Invariant: an error is data in the tree, never the end of a scan.

mod descriptors;
mod entries;
mod filter;
mod judge;
mod networks;
mod roots;
mod visit;
mod whole;
mod workers;

use std::os::unix::ffi::OsStringExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::job::message;
use crate::platform::descriptors::Descriptors;
use crate::platform::{Errno, cloud, error_text, limits};
use crate::sync::{Arc, AtomicBool, AtomicU64, Condvar, Mutex, Ordering, PoisonError, lock};
use crate::tree::{DirId, Tree, links};
#[doc(hidden)]
pub use descriptors::{reach, reach_entry};
pub use filter::{BadPattern, Filter};
use roots::Roots;
use visit::Visitor;
pub use workers::Progress;
use workers::Workers;

/// Which mounted file systems a scan enters below its roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mounts {
    /// All except those the kernel makes up.
    #[default]
    Real,
    /// All.
    All,
    /// Only the one each root is on.
    None,
}

/// What a scan is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Worker threads; none lets [`default_threads`] decide.
    pub threads: Option<usize>,
    /// Which file systems below a root are entered.
    pub mounts: Mounts,
    /// Names left out.
    pub filter: Filter,
    /// Leave out directories that hold a CACHEDIR.TAG.
    pub skip_caches: bool,
    /// Leave out file systems of other machines below a root.
    pub skip_network: bool,
    /// Keep uid, gid and mode of every entry.
    pub owners: bool,
}

impl Options {
    /// What is left out on purpose, as the flags that ask for it: scans of the same scope can be compared. None, if it takes
    /// more than a flag to say.
    pub fn scope(&self) -> Option<&'static str> {
        let is_whole = self.filter.is_empty() && !self.skip_caches;
        is_whole.then_some(match (self.mounts, self.skip_network) {
            (Mounts::None, _) => "-x",
            (Mounts::Real, false) => "",
            (Mounts::Real, true) => "--skip-network",
            (Mounts::All, false) => "--include-kernfs",
            (Mounts::All, true) => "--include-kernfs --skip-network",
        })
    }
}

/// How a scan ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was read, as far as it could be.
    Complete,
    /// It was stopped; the tree holds what had been read.
    Stopped,
    /// A bug: a worker panicked with this message. The tree may miss anything.
    Panicked(String),
    /// What could not be read to its end, and why, each safe for a terminal. The tree holds what came before: of an import
    /// what was read until there, of a rescan what was known of the entries that did not answer.
    Broken(Vec<String>),
}

/// A running or finished scan.
#[derive(Clone)]
pub struct Scan {
    shared: Arc<Shared>,
}

/// What a scan reads.
enum Target {
    /// These, into a new tree.
    Roots(Vec<PathBuf>),
    /// Entries of a tree at rest, again.
    Entries(Places),
}

/// Names of entries, by the directory they are in; no directory twice.
pub type Places = Vec<(DirId, Vec<Vec<u8>>)>;

/// What all jobs of a scan share.
struct Shared {
    tree: Arc<Tree>,
    options: Options,
    target: Target,
    workers: Workers,
    descriptors: Descriptors,
    /// Set once by whoever stops the scan, polled by every job. `Relaxed`: it guards no data.
    stop: AtomicBool,
    /// Bytes that will have been read at the end; zero where nobody knows. Written once, by the thread that begins the
    /// scan, read by whoever shows progress. `Relaxed`: it guards no data.
    expected: AtomicU64,
    started: Instant,
    end: Mutex<Option<(Outcome, Duration)>>,
    ended: Condvar,
}

/// Worker threads when nobody asks for a number.
///
/// Twice the processors, and at least eight: a cold disk answers many questions at a time, and idle workers cost a
/// warm scan nothing that could be measured (docs/performance.md).
pub fn default_threads() -> usize {
    (limits::processors() * 2).clamp(8, 64)
}

impl Scan {
    /// Begins to scan `roots` in the background.
    ///
    /// # Errors
    /// When not even one thread can be had; [`Scan::run`] needs none.
    pub fn start(roots: Vec<PathBuf>, options: Options) -> std::io::Result<Self> {
        Self::new(Arc::default(), Target::Roots(roots), options).in_background()
    }

    /// Begins to read the directory `id` again. The tree shows the old one until the new one is complete, and keeps it if
    /// the rescan is stopped or the system does not say what is there now. Only one scan of a tree may run at a time.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn rescan(&self, id: DirId) -> std::io::Result<Self> {
        let tree = self.tree();
        self.look_again(
            tree.parent(id).map(|parent| (parent, vec![tree.name(id).to_vec()])).into_iter().collect(),
        )
    }

    /// Begins to look at entries again to which something was done: each may be gone, be as it was, or have less in it. The
    /// tree shows the old ones until all are looked at. Only one scan of a tree may run at a time.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn look_again(&self, places: Places) -> std::io::Result<Self> {
        let options = self.shared.options.clone();
        Self::new(Arc::clone(&self.shared.tree), Target::Entries(places), options).in_background()
    }

    /// Begins to scan other roots, into a tree of their own, as this scan was asked to.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn elsewhere(&self, roots: Vec<PathBuf>) -> std::io::Result<Self> {
        Self::start(roots, self.shared.options.clone())
    }

    /// Scans `roots` and returns when that is over. Works in the calling thread if there can be no other.
    pub fn run(roots: Vec<PathBuf>, options: Options) -> Self {
        let scan = Self::new(Arc::default(), Target::Roots(roots), options);
        scan.shared.run();
        scan
    }

    fn new(tree: Arc<Tree>, target: Target, options: Options) -> Self {
        Self { shared: Arc::new(Shared::new(tree, target, options)) }
    }

    fn in_background(self) -> std::io::Result<Self> {
        let shared = Arc::clone(&self.shared);
        std::thread::Builder::new().name("scan".into()).spawn(move || shared.run())?;
        Ok(self)
    }

    /// The tree, complete or still growing. It is shared with whoever works on it in the background.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.shared.tree
    }

    /// The roots, as given; none for a rescan.
    pub fn roots(&self) -> &[PathBuf] {
        match &self.shared.target {
            Target::Roots(roots) => roots,
            Target::Entries(_) => &[],
        }
    }

    /// How it was asked to read.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// How much was read so far.
    pub fn progress(&self) -> Progress {
        // Relaxed: see the field.
        let expected = Some(self.shared.expected.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0);
        Progress { expected, ..self.shared.workers.progress(&self.shared.tree) }
    }

    /// Asks the scan to end soon. What was read stays.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// How the scan ended; none while it runs.
    pub fn outcome(&self) -> Option<Outcome> {
        lock(&self.shared.end).as_ref().map(|(outcome, _)| outcome.clone())
    }

    /// How long it took, or has taken so far.
    pub fn elapsed(&self) -> Duration {
        lock(&self.shared.end).as_ref().map_or_else(|| self.shared.started.elapsed(), |(_, took)| *took)
    }

    /// Waits until the scan is over, at most for `limit`, and says how it ended.
    pub fn wait(&self, limit: Duration) -> Option<Outcome> {
        let end = lock(&self.shared.end);
        let (end, _) = self
            .shared
            .ended
            .wait_timeout_while(end, limit, |end| end.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        end.as_ref().map(|(outcome, _)| outcome.clone())
    }
}

impl Shared {
    fn new(tree: Arc<Tree>, target: Target, options: Options) -> Self {
        let wanted = limits::threads(options.threads.unwrap_or_else(default_threads).max(1));
        let (descriptors, threads) = Descriptors::new(wanted);
        Self {
            tree,
            workers: Workers::new(threads),
            options,
            target,
            descriptors,
            stop: AtomicBool::new(false),
            expected: AtomicU64::new(0),
            started: Instant::now(),
            end: Mutex::new(None),
            ended: Condvar::new(),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The roots of the tree, as they were given.
    fn roots(&self) -> Vec<PathBuf> {
        match &self.target {
            Target::Roots(paths) => paths.clone(),
            Target::Entries(_) => {
                self.tree.listing(DirId::TOP).entries().map(|(_, root)| path(root.name.to_vec())).collect()
            }
        }
    }

    fn run(&self) {
        cloud::refuse();
        let outcome = match catch_unwind(AssertUnwindSafe(|| self.scan())) {
            Ok(_) if self.is_stopped() => Outcome::Stopped,
            Ok(Ok(())) => Outcome::Complete,
            Ok(Err(errno)) => Outcome::Broken(vec![error_text(errno as i32)]),
            Err(panic) => Outcome::Panicked(message(panic.as_ref())),
        };
        cloud::as_the_process();
        *lock(&self.end) = Some((outcome, self.started.elapsed()));
        self.ended.notify_all();
    }

    /// Errors of roots are in the tree; of entries that are looked at again they are not.
    fn scan(&self) -> Result<(), Errno> {
        match &self.target {
            Target::Roots(paths) => {
                self.scan_roots(paths);
                Ok(())
            }
            Target::Entries(places) => self.scan_entries(places),
        }
    }

    fn scan_roots(&self, paths: &[PathBuf]) {
        self.expected.store(whole::expected(paths, &self.options).unwrap_or(0), Ordering::Relaxed);
        let pool = self.workers.pool();
        let visitor = Visitor::new(self, paths.len() > 1);
        let roots = Roots::publish(self, paths, &visitor);
        pool.in_place_scope(|scope| roots.visit_outermost(&visitor, scope));
        pool.in_place_scope(|scope| roots.visit_rest(&visitor, scope));
        self.tree.release(DirId::TOP);
        self.tree.add_linked(self.workers.take_linked());
        links::settle(&self.tree);
    }
}

/// A path of these bytes.
pub fn path(bytes: Vec<u8>) -> PathBuf {
    std::ffi::OsString::from_vec(bytes).into()
}
