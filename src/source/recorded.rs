//! A snapshot as a source: there at once, and read where somebody looks.
//!
//! Knows no view. Invariant: what is wrong with the file is told by its outcome as soon as it was met.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::exchange::Provenance;
use crate::scan::{Outcome, Progress};
use crate::snapshot::{self, About, Snapshot};
use crate::sync::Arc;
use crate::text::{escape, escape_path};
use crate::tree::{DirId, Tree};

/// A snapshot, or why there is none.
#[derive(Clone)]
pub struct Recorded {
    path: PathBuf,
    tree: Arc<Tree>,
    about: About,
    /// Why the file could not be opened; the tree is empty then.
    fault: Option<String>,
    took: Duration,
}

impl Recorded {
    /// Opens the snapshot at `path`.
    pub fn open(path: &Path) -> Self {
        let started = Instant::now();
        let (tree, about, fault) = match snapshot::open(path) {
            Ok(Snapshot { tree, about }) => (tree, about, None),
            Err(error) => (Tree::new(), About::default(), Some(error.to_string())),
        };
        Self { path: path.to_owned(), tree: Arc::new(tree), about, fault, took: started.elapsed() }
    }

    /// Reads all of it, so that its outcome is final.
    pub fn verify(&self) {
        // What is wrong is told by the outcome.
        let _ = self.tree.verify();
    }

    /// Its tree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// The paths that were scanned.
    pub fn roots(&self) -> Vec<PathBuf> {
        let name = |name: &[u8]| OsString::from_vec(name.to_vec()).into();
        self.tree.listing(DirId::TOP).entries().map(|(_, root)| name(root.name)).collect()
    }

    /// Where and when each root was scanned.
    pub fn provenance(&self) -> Vec<Provenance> {
        let host =
            Some(String::from_utf8_lossy(&self.about.host).into_owned()).filter(|host| !host.is_empty());
        let provenance = Provenance { host, scanned_at: Some(self.about.scanned_at) };
        vec![provenance; self.tree.listing(DirId::TOP).entries().count()]
    }

    /// What was read when it was scanned.
    pub fn progress(&self) -> Progress {
        let totals = self.tree.totals(DirId::TOP);
        Progress {
            entries: totals.items,
            disk: totals.disk,
            expected: None,
            errors: u64::from(totals.errors),
            current: None,
        }
    }

    /// Whether anything is wrong with it, as far as it was looked at.
    pub fn outcome(&self) -> Outcome {
        let damage = || self.tree.damage().map(|damage| damage.to_string());
        self.fault.clone().or_else(damage).map_or(Outcome::Complete, |fault| {
            let name = escape_path(&self.path);
            Outcome::Broken(vec![format!("{name}: {}", escape(fault.as_bytes()))])
        })
    }

    /// How long it took to open: what is lost with it.
    pub fn elapsed(&self) -> Duration {
        self.took
    }
}
