//! Snapshots or a binary export as a source. The files are opened immediately, and their parts are loaded when they are
//! shown.
//!
//! Invariant: the outcome reports damage in a file as soon as it is found.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::base::sync::Arc;
use crate::base::text::{escape, escape_path};
use crate::formats::flat::Provenance;
use crate::formats::ncdu_binary::{self, is_binary_export};
use crate::formats::snapshot::{self, OpenError, Snapshot, SnapshotInfo, UNKNOWN_SCOPE, is_snapshot};
use crate::platform::memory::block_file::Access;
use crate::platform::process::limits::raise_descriptors;
use crate::scan::{Outcome, Progress};
use crate::source::side_by_side::SideBySide;
use crate::tree::{DirId, Tree};

/// Number of file descriptors reserved for everything except snapshots.
const SPARE_DESCRIPTORS: u64 = 64;

/// Returns `true` if the file at `path` contains a tree that is loaded in parts.
pub(crate) fn is_stored_tree(path: &Path) -> bool {
    is_snapshot(path) || is_binary_export(path)
}

/// Opened snapshot or binary export, or several snapshots side by side.
#[derive(Clone)]
pub struct SnapshotSource {
    files: Vec<OpenedFile>,
    tree: Arc<Tree>,
    about: SnapshotInfo,
    took: Duration,
}

/// Opened file and its tree. In a source with only one file, this tree is also the tree of the source.
#[derive(Clone)]
struct OpenedFile {
    path: PathBuf,
    tree: Arc<Tree>,
    /// Reason why the file could not be opened, if any. In that case, the tree is empty.
    fault: Option<String>,
}

impl OpenedFile {
    fn new(path: &Path, opened: Result<Snapshot, OpenError>) -> (Self, SnapshotInfo) {
        let (Snapshot { tree, about }, fault) = match opened {
            Ok(snapshot) => (snapshot, None),
            Err(error) => {
                (Snapshot { tree: Tree::new(), about: SnapshotInfo::default() }, Some(error.to_string()))
            }
        };
        (Self { path: path.to_owned(), tree: Arc::new(tree), fault }, about)
    }

    /// Returns the reason why the file could not be opened, or the damage found in it so far.
    fn problem(&self) -> Option<String> {
        let damage = || self.tree.damage().map(|damage| damage.to_string());
        let problem = self.fault.clone().or_else(damage)?;
        Some(format!("{}: {}", escape_path(&self.path), escape(problem.as_bytes())))
    }
}

impl SnapshotSource {
    pub fn open(path: &Path) -> Self {
        let started = Instant::now();
        let opened = if is_binary_export(path) {
            // A binary export does not record the host, the time or the flags.
            let about = SnapshotInfo { scope: UNKNOWN_SCOPE.into(), ..SnapshotInfo::default() };
            ncdu_binary::open(path).map(|tree| Snapshot { tree, about })
        } else {
            snapshot::open(path)
        };
        let (file, about) = OpenedFile::new(path, opened);
        Self { tree: Arc::clone(&file.tree), files: vec![file], about, took: started.elapsed() }
    }

    /// Opens several snapshots, each with a prefix for the names of roots whose host is not known. Returns `None` if
    /// two of them contain the same file system, or if this process cannot keep so many files open.
    pub fn open_side_by_side(paths: Vec<(PathBuf, Vec<u8>)>) -> Option<Self> {
        let started = Instant::now();
        if paths.len() as u64 + SPARE_DESCRIPTORS > raise_descriptors() {
            return None;
        }
        let lengths = paths.iter().filter_map(|(path, _)| Some(std::fs::metadata(path).ok()?.len()));
        let access = Some(Access::for_length(lengths.sum()));
        let opened: Vec<_> = paths
            .into_iter()
            .map(|(path, label)| {
                let (file, about) = OpenedFile::new(&path, snapshot::open_by(&path, access));
                (file, about, label)
            })
            .collect();
        let trees =
            opened.iter().map(|(file, about, label)| (Arc::clone(&file.tree), about.clone(), label.clone()));
        let SideBySide { tree, about } = SideBySide::new(trees.collect())?;
        let files = opened.into_iter().map(|(file, ..)| file).collect();
        Some(Self { files, tree: Arc::new(tree), about, took: started.elapsed() })
    }

    /// Reads all files completely, so that the outcome reports any damage in them.
    pub fn verify(&self) {
        // The results are ignored, because `Self::outcome` reports any damage found here.
        for file in &self.files {
            let _ = file.tree.verify();
        }
        let _ = self.tree.verify();
    }

    /// Returns the tree of this source, which contains the roots of all its files. The tree is empty if no file could
    /// be opened.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Returns the paths that were scanned.
    pub fn roots(&self) -> Vec<PathBuf> {
        let name = |name: &[u8]| OsString::from_vec(name.to_vec()).into();
        self.tree.listing(DirId::TOP).entries().map(|(_, root)| name(root.name)).collect()
    }

    /// Returns the metadata of the file or, for several snapshots, their combined metadata.
    pub fn about(&self) -> &SnapshotInfo {
        &self.about
    }

    /// Returns the origin of each root.
    pub fn provenance(&self) -> Vec<Provenance> {
        let roots = self.tree.listing(DirId::TOP).entries().count();
        (0..roots).map(|index| self.about.origin(index).provenance()).collect()
    }

    /// Returns the totals of the recorded scan as scan progress.
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
        let problems: Vec<String> = self.files.iter().filter_map(OpenedFile::problem).collect();
        if problems.is_empty() { Outcome::Complete } else { Outcome::Broken(problems) }
    }

    /// Returns the time it took to open the files.
    pub fn elapsed(&self) -> Duration {
        self.took
    }
}
