//! A snapshot as a source. The file is opened at once, and its parts are loaded when they are shown.
//!
//! Invariant: damage is part of the outcome as soon as it is found.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::base::sync::Arc;
use crate::base::text::{escape, escape_path};
use crate::formats::flat::Provenance;
use crate::formats::snapshot;
use crate::formats::snapshot::{RootOrigin, Snapshot, SnapshotInfo};
use crate::scan::{Outcome, Progress};
use crate::tree::{DirId, Tree};

/// Opened snapshot, or the reason why it could not be opened.
#[derive(Clone)]
pub struct SnapshotSource {
    path: PathBuf,
    tree: Arc<Tree>,
    about: SnapshotInfo,
    /// Reason why the file could not be opened, if any. The tree is then empty.
    fault: Option<String>,
    took: Duration,
}

impl SnapshotSource {
    /// Opens the snapshot at `path`.
    pub fn open(path: &Path) -> Self {
        let started = Instant::now();
        let (tree, about, fault) = match snapshot::open(path) {
            Ok(Snapshot { tree, about }) => (tree, about, None),
            Err(error) => (Tree::new(), SnapshotInfo::default(), Some(error.to_string())),
        };
        Self { path: path.to_owned(), tree: Arc::new(tree), about, fault, took: started.elapsed() }
    }

    /// Reads the whole file, so that the outcome is final.
    pub fn verify(&self) {
        // The result is dropped, because the outcome includes any damage.
        let _ = self.tree.verify();
    }

    /// Returns the snapshot's tree, or an empty tree if the file could not be opened.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Returns the paths that were scanned.
    pub fn roots(&self) -> Vec<PathBuf> {
        let name = |name: &[u8]| OsString::from_vec(name.to_vec()).into();
        self.tree.listing(DirId::TOP).entries().map(|(_, root)| name(root.name)).collect()
    }

    /// Returns the metadata of the snapshot.
    pub fn about(&self) -> &SnapshotInfo {
        &self.about
    }

    /// Returns the origin of each root.
    pub fn provenance(&self) -> Vec<Provenance> {
        let provenance = |(index, _)| {
            let RootOrigin { scanned_at, host, .. } = self.about.origin(index);
            let host = Some(String::from_utf8_lossy(&host).into_owned()).filter(|host| !host.is_empty());
            Provenance { host, scanned_at: Some(scanned_at) }
        };
        self.tree.listing(DirId::TOP).entries().enumerate().map(provenance).collect()
    }

    /// Returns the totals of the recorded scan as progress.
    pub fn progress(&self) -> Progress {
        let totals = self.tree.totals(DirId::TOP);
        Progress {
            silent: Vec::new(),
            entries: totals.items,
            disk: totals.disk,
            expected: None,
            errors: u64::from(totals.errors),
            current: None,
        }
    }

    /// Returns the outcome, which includes damage in the parts read so far.
    pub fn outcome(&self) -> Outcome {
        let damage = || self.tree.damage().map(|damage| damage.to_string());
        self.fault.clone().or_else(damage).map_or(Outcome::Complete, |fault| {
            let name = escape_path(&self.path);
            Outcome::Broken(vec![format!("{name}: {}", escape(fault.as_bytes()))])
        })
    }

    /// Returns the time that opening took.
    pub fn elapsed(&self) -> Duration {
        self.took
    }
}
