//! A snapshot or a binary export as a source. The file is opened at once, and its parts are loaded when they are shown.
//!
//! Invariant: the outcome reports damage in the file as soon as it is found.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::base::sync::Arc;
use crate::base::text::{escape, escape_path};
use crate::formats::flat::Provenance;
use crate::formats::ncdu_binary::{self, is_binary_export};
use crate::formats::snapshot::{self, RootOrigin, Snapshot, SnapshotInfo, is_snapshot};
use crate::scan::{Outcome, Progress};
use crate::tree::{DirId, Tree};

/// Format of a file whose tree is loaded in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoredFormat {
    Snapshot,
    BinaryExport,
}

/// Returns `true` if the file at `path` has a tree that is loaded in parts.
pub(crate) fn is_stored_tree(path: &Path) -> bool {
    format_of(path).is_some()
}

fn format_of(path: &Path) -> Option<StoredFormat> {
    if is_snapshot(path) {
        return Some(StoredFormat::Snapshot);
    }
    is_binary_export(path).then_some(StoredFormat::BinaryExport)
}

/// Opened snapshot or binary export, or the reason why it could not be opened.
#[derive(Clone)]
pub struct SnapshotSource {
    path: PathBuf,
    format: Option<StoredFormat>,
    tree: Arc<Tree>,
    about: SnapshotInfo,
    /// Reason why the file could not be opened, if any. The tree is then empty.
    fault: Option<String>,
    took: Duration,
}

impl SnapshotSource {
    /// Opens the file at `path`.
    pub fn open(path: &Path) -> Self {
        let started = Instant::now();
        let format = format_of(path);
        let opened = match format {
            // A binary export records neither the host nor the time.
            Some(StoredFormat::BinaryExport) => {
                ncdu_binary::open(path).map(|tree| (tree, SnapshotInfo::default()))
            }
            Some(StoredFormat::Snapshot) | None => {
                snapshot::open(path).map(|Snapshot { tree, about }| (tree, about))
            }
        };
        let (tree, about, fault) = match opened {
            Ok((tree, about)) => (tree, about, None),
            Err(error) => (Tree::new(), SnapshotInfo::default(), Some(error.to_string())),
        };
        Self { path: path.to_owned(), format, tree: Arc::new(tree), about, fault, took: started.elapsed() }
    }

    /// Reads the whole file, so that the outcome reports any damage in it.
    pub fn verify(&self) {
        // The result is dropped, because the outcome includes any damage.
        let _ = self.tree.verify();
    }

    /// Returns the file's tree, or an empty tree if the file could not be opened.
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
            let scanned_at = (self.format != Some(StoredFormat::BinaryExport)).then_some(scanned_at);
            Provenance { host, scanned_at }
        };
        self.tree.listing(DirId::TOP).entries().enumerate().map(provenance).collect()
    }

    /// Returns the totals of the recorded scan in the form of its progress.
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
