//! Data shared by all jobs of a scan: target, options and the request to stop.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::options::{Options, default_threads};
use super::paths::path;
use super::workers::Workers;
use crate::base::sync::{Arc, AtomicBool, AtomicU64, Condvar, Mutex, Ordering};
use crate::platform::process::descriptors::Descriptors;
use crate::platform::process::limits;
use crate::tree::{DirId, Tree};

/// Outcome of a scan or an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that could be read was read.
    Complete,
    /// The scan was stopped. The tree contains the entries read so far.
    Stopped,
    /// A worker panicked with this message because of a bug. Parts of the tree may be missing.
    Panicked(String),
    /// Some inputs could not be read completely, for these reasons, which are safe to print. The tree contains the
    /// entries that an import read before the error, and the old entries that a rescan could not check.
    Broken(Vec<String>),
}

/// Target of a scan.
pub enum Target {
    /// Roots to read into a new tree.
    Roots(Vec<PathBuf>),
    /// Entries of a finished tree to read again.
    Entries(Places),
}

/// Directories, each with the names of some of its entries. No directory occurs twice.
pub type Places = Vec<(DirId, Vec<Vec<u8>>)>;

/// State shared by all jobs of a scan.
pub struct Shared {
    pub tree: Arc<Tree>,
    pub options: Options,
    pub target: Target,
    pub workers: Workers,
    pub descriptors: Descriptors,
    /// Set to stop the scan, and checked by every job. `Relaxed` ordering is enough, because the flag guards no data.
    pub stop: AtomicBool,
    /// Expected size in bytes; 0 if unknown. Written once at the start of the scan and read by the progress display.
    /// `Relaxed` ordering is enough, because the number guards no data.
    pub expected: AtomicU64,
    pub started: Instant,
    pub end: Mutex<Option<(Outcome, Duration)>>,
    pub ended: Condvar,
}

impl Shared {
    pub fn new(tree: Arc<Tree>, target: Target, options: Options) -> Self {
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

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the roots of the tree as the user gave them.
    pub fn roots(&self) -> Vec<PathBuf> {
        match &self.target {
            Target::Roots(paths) => paths.clone(),
            Target::Entries(_) => {
                self.tree.listing(DirId::TOP).entries().map(|(_, root)| path(root.name.to_vec())).collect()
            }
        }
    }
}
