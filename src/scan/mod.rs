//! Scan: reads roots into a [`Tree`], using all processors.
//!
//! [`Scan::start`] returns immediately; the tree can be read at any time while it grows. Each directory is read by one
//! rayon job (see `visit`), which spawns jobs for the child directories and never waits. A directory is complete when
//! it has been read and its child directories are complete (`tree::totals`), so the last job completes the tree. The
//! totals are then corrected so that each hard-linked inode counts once (`tree::hard_links`), and the scan ends.
//!
//! Invariant: an error is recorded in the tree and never ends a scan.

mod exclude;
#[cfg(feature = "formats")]
mod exclude_patterns;
mod expected;
#[doc(hidden)]
pub mod head;
#[doc(hidden)]
pub mod inspect;
mod mount_points;
mod network_mounts;
mod open_path;
mod options;
mod other_parts;
mod paths;
mod policy;
mod rescan;
mod roots;
mod second_mounts;
mod shared;
mod viewed;
mod visit;
mod workers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use crate::base::clock;
use crate::base::job::message;
use crate::base::os_error::OsError;
use crate::base::sync::{Arc, Ordering, PoisonError, lock};
use crate::platform::Errno;
use crate::platform::process::io_policy;
use crate::tree::{DirId, Tree, hard_links};
pub use exclude::Exclude;
#[cfg(feature = "formats")]
pub use exclude_patterns::{BadPattern, ExcludePatterns};
#[doc(hidden)]
pub use open_path::{reach, reach_entry};
pub use options::{Mounts, Options, default_threads};
pub use other_parts::OtherParts;
pub use paths::path;
pub(crate) use paths::path_of;
use roots::Roots;
pub use shared::{EntryNames, Outcome};
use shared::{Shared, Target};
use visit::Visitor;
pub use workers::Progress;

/// Running or finished scan.
#[derive(Clone)]
pub struct Scan {
    shared: Arc<Shared>,
}

impl Scan {
    /// Starts scanning `roots` in the background.
    ///
    /// # Errors
    /// Returns an error if no thread can be started. [`Scan::run`] works even then.
    pub fn start(roots: Vec<PathBuf>, options: Options) -> std::io::Result<Self> {
        Self::new(Arc::default(), Target::Roots(roots), options).in_background()
    }

    /// Starts rescanning directory `id`. The tree keeps the old directory until the new one is complete. If the rescan
    /// is stopped, or if the state of the directory cannot be determined, the old directory remains. Only one scan of a
    /// tree may run at a time.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub fn rescan(&self, id: DirId) -> std::io::Result<Self> {
        let tree = self.tree();
        self.recheck(
            tree.parent(id).map(|parent| (parent, vec![tree.name(id).to_vec()])).into_iter().collect(),
        )
    }

    /// Starts rechecking entries that may have been deleted or changed. The tree keeps the old entries until all of
    /// them have been checked. Only one scan of a tree may run at a time.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub fn recheck(&self, entries: EntryNames) -> std::io::Result<Self> {
        let options = self.shared.options.clone();
        Self::new(Arc::clone(&self.shared.tree), Target::Entries(entries), options).in_background()
    }

    /// Starts a scan of other roots with the options of this scan. The new scan has its own tree.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub fn restart_at(&self, roots: Vec<PathBuf>) -> std::io::Result<Self> {
        Self::start(roots, self.shared.options.clone())
    }

    /// Scans `roots` and returns when the scan has ended. Uses the calling thread if no other thread can be started.
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

    /// Returns the tree, which may still be growing.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.shared.tree
    }

    /// Returns the roots as given by the user; empty for a rescan.
    pub fn roots(&self) -> &[PathBuf] {
        match &self.shared.target {
            Target::Roots(roots) => roots,
            Target::Entries(_) => &[],
        }
    }

    /// Returns the options with which the scan was started.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Returns the progress so far.
    pub fn progress(&self) -> Progress {
        // `Relaxed` is enough; see the field `expected`.
        let expected = Some(self.shared.expected.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0);
        Progress { expected, ..self.shared.workers.progress(&self.shared.tree) }
    }

    /// Asks the scan to end soon. Entries read so far are kept.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Makes the scan read these directories of its tree next, beginning with the last one in the vector. Skips
    /// directories that the scan has already begun to read, and roots that lie inside other roots.
    pub fn set_viewed(&self, directories: Vec<DirId>) {
        self.shared.viewed.set(directories);
    }

    /// Makes the scan begin each batch with the subdirectories that changed at `time` (seconds since 1970) or later.
    pub fn read_changed_first(&self, time: i64) {
        self.shared.changed_since.store(time, Ordering::Relaxed);
    }

    /// Lets the workers begin before the time in [`Options::head_start`] has passed.
    pub fn end_head_start(&self) {
        *lock(&self.shared.may_work) = true;
        self.shared.work_allowed.notify_all();
    }

    /// Returns the outcome, or `None` while the scan is running.
    pub fn outcome(&self) -> Option<Outcome> {
        lock(&self.shared.end).as_ref().map(|(outcome, _)| outcome.clone())
    }

    /// Returns the time elapsed so far or, once the scan has ended, its duration.
    pub fn elapsed(&self) -> Duration {
        lock(&self.shared.end).as_ref().map_or_else(|| self.shared.started.elapsed(), |(_, took)| *took)
    }

    /// Waits up to `limit` for the scan to end. Returns its outcome, or `None` if the scan is still running.
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
    fn run(&self) {
        io_policy::refuse();
        let outcome = match catch_unwind(AssertUnwindSafe(|| self.scan())) {
            Ok(_) if self.is_stopped() => Outcome::Stopped,
            Ok(Ok(())) => Outcome::Complete,
            Ok(Err(errno)) => Outcome::Broken(vec![OsError(errno as i32).to_string()]),
            Err(panic) => Outcome::Panicked(message(panic.as_ref())),
        };
        io_policy::as_the_process();
        *lock(&self.end) = Some((outcome, self.started.elapsed()));
        self.ended.notify_all();
    }

    /// Runs the scan. Returns the first error of a rescan; errors of roots are recorded in the tree.
    fn scan(&self) -> Result<(), Errno> {
        match &self.target {
            Target::Roots(paths) => {
                self.scan_roots(paths);
                Ok(())
            }
            Target::Entries(entries) => self.scan_entries(entries),
        }
    }

    fn wait_for_head_start(&self) {
        let (may_work, limit) = (lock(&self.may_work), self.options.head_start);
        drop(self.work_allowed.wait_timeout_while(may_work, limit, |may_work| !*may_work));
    }

    fn scan_roots(&self, paths: &[PathBuf]) {
        self.tree.note_scan(clock::precise());
        self.expected.store(expected::expected(paths, &self.options).unwrap_or(0), Ordering::Relaxed);
        let visitor = Visitor::new(self, paths.len() > 1);
        let roots = Roots::publish(self, paths, &visitor);
        self.wait_for_head_start();
        let pool = self.workers.pool();
        pool.in_place_scope(|scope| roots.visit_outermost(&visitor, scope));
        pool.in_place_scope(|scope| roots.visit_rest(&visitor, scope));
        self.tree.release(DirId::TOP);
        self.tree.add_linked(self.workers.take_linked());
        hard_links::subtract_repeats(&self.tree);
    }
}
