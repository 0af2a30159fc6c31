//! Sources of a tree: a scan of this machine, an import of exports or lists, or files that are loaded in parts.
//!
//! Views treat all sources alike. [`SourceKind`] determines which actions are possible: a recorded tree cannot
//! be rescanned or changed.
//!
//! Invariant: only a scan of this machine is [`SourceKind::Live`].

pub mod baseline;
pub mod import;
mod import_snapshot;
pub mod latest_snapshot;
pub mod plan;
pub mod rclone;
pub mod remote;
pub mod save;
mod side_by_side;
mod snapshot;
pub mod snapshot_store;
mod uploads;

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::sync::Arc;
use crate::formats::flat::Provenance;
pub use crate::formats::lists::{FieldColumn, ListOptions, ListPreset, ONLY_FOR_LISTS};
use crate::formats::snapshot::{FileSystemInfo, RootOrigin, SnapshotInfo, UNKNOWN_SCOPE, is_snapshot};
use crate::platform::fs::identity::identities;
use crate::platform::fs::mounts::Mount;
use crate::platform::host_name;
use crate::scan::{self, Outcome, Progress, Scan};
use crate::source::import::{Import, Input};
use crate::source::latest_snapshot::{Latest, open_latest};
pub use crate::source::snapshot::SnapshotSource;
use crate::source::snapshot::is_stored_tree;
use crate::tree::{DirId, Tree};

/// Source requested by the user.
#[derive(Clone, Debug)]
pub enum SourceSpec {
    /// Paths on this machine.
    Paths(Vec<PathBuf>, scan::Options),
    /// Exports and snapshots.
    Exports(Vec<Input>),
    /// Lists, with settings that the lists themselves do not contain.
    Lists(Vec<Input>, ListOptions),
}

impl SourceSpec {
    /// Opens the requested files if their trees can be loaded in parts.
    fn open_stored(&self) -> Option<SnapshotSource> {
        let Self::Exports(inputs) = self else { return None };
        if let [Input::File(path)] = inputs.as_slice() {
            return is_stored_tree(path).then(|| SnapshotSource::open(path));
        }
        let file = |input: &Input| match input {
            Input::File(path) if is_snapshot(path) => Some((path.clone(), input.label(inputs.len()))),
            _ => None,
        };
        SnapshotSource::open_side_by_side(inputs.iter().map(file).collect::<Option<_>>()?)
    }
}

/// Kind of a source, which determines whether its entries can be rescanned and changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceKind {
    /// File system of this machine, which can be rescanned and changed.
    #[default]
    Live,
    /// Recorded tree, which can be neither rescanned nor changed.
    Recorded,
    /// Objects on rclone remotes, which cannot be rescanned. duke does not delete them, but writes a script that does.
    Objects,
}

/// Source that is being read or has been read.
#[derive(Clone)]
pub enum Source {
    /// Scan of one or more paths.
    Scan {
        /// Running or finished scan.
        scan: Scan,
        /// Time at which the scan began, in seconds since 1970.
        began: i64,
    },
    /// Import of exports or lists.
    Import(Import),
    /// Opened snapshots, or an opened binary export.
    Snapshot(SnapshotSource),
}

impl Source {
    /// Starts reading in the background.
    ///
    /// # Errors
    /// Returns an error if no thread can be started. [`Source::run`] can scan even then.
    pub fn start(wanted: SourceSpec) -> io::Result<Self> {
        if let Some(stored) = wanted.open_stored() {
            return Ok(Self::Snapshot(stored));
        }
        match wanted {
            SourceSpec::Paths(roots, options) => {
                let began = crate::base::clock::now();
                Ok(Self::Scan { scan: Scan::start(roots, options)?, began })
            }
            SourceSpec::Exports(inputs) => Ok(Self::Import(Import::start(inputs)?)),
            SourceSpec::Lists(inputs, options) => Ok(Self::Import(Import::start_with(inputs, options)?)),
        }
    }

    /// Starts reading. If no thread can be started, a scan runs on the calling thread. A single stored tree is read
    /// completely before this function returns, so that damage is found before anything is printed. Several inputs are
    /// always imported into one tree. For snapshots, this takes less memory than opening them, as [`Source::start`]
    /// does, and then reading all of them completely.
    ///
    /// # Errors
    /// Returns an error if no thread can be started for an import, which needs several threads.
    pub fn run(wanted: SourceSpec) -> io::Result<Self> {
        match wanted {
            SourceSpec::Paths(roots, options) => {
                let began = crate::base::clock::now();
                let scan =
                    Scan::start(roots.clone(), options.clone()).unwrap_or_else(|_| Scan::run(roots, options));
                Ok(Self::Scan { scan, began })
            }
            SourceSpec::Exports(inputs) if inputs.len() > 1 => Ok(Self::Import(Import::start(inputs)?)),
            exports @ (SourceSpec::Exports(_) | SourceSpec::Lists(..)) => {
                let source = Self::start(exports)?;
                if let Self::Snapshot(recorded) = &source {
                    recorded.verify();
                }
                Ok(source)
            }
        }
    }

    pub fn kind(&self) -> SourceKind {
        match self {
            Self::Scan { .. } => SourceKind::Live,
            Self::Import(import) if import.is_of_rclone() => SourceKind::Objects,
            Self::Import(_) | Self::Snapshot(_) => SourceKind::Recorded,
        }
    }

    /// Returns the scan, which is needed for rescans, or `None` for an import or a snapshot.
    pub fn scan(&self) -> Option<&Scan> {
        match self {
            Self::Scan { scan, .. } => Some(scan),
            Self::Import(_) | Self::Snapshot(_) => None,
        }
    }

    /// Starts a scan of another path with the options of this scan. Returns `None` if this source is not a
    /// scan.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub fn restart_at(&self, path: PathBuf) -> Option<io::Result<Self>> {
        let began = crate::base::clock::now();
        let scan = self.scan()?.restart_at(vec![path]);
        Some(scan.map(|scan| Self::Scan { scan, began }))
    }

    /// Returns the tree, complete or still growing.
    pub fn tree(&self) -> &Arc<Tree> {
        match self {
            Self::Scan { scan, .. } => scan.tree(),
            Self::Import(import) => import.tree(),
            Self::Snapshot(recorded) => recorded.tree(),
        }
    }

    /// Returns the roots: the paths that were scanned, or the names of the inputs of an import.
    pub fn roots(&self) -> Vec<PathBuf> {
        match self {
            Self::Scan { scan, .. } => scan.roots().to_vec(),
            Self::Import(import) => import.names(),
            Self::Snapshot(recorded) => recorded.roots(),
        }
    }

    /// Returns the origin of each root, in the order of the roots.
    pub fn provenance(&self) -> Vec<Provenance> {
        match self {
            Self::Scan { scan, began } => {
                let here = Provenance { host: host_name(), scanned_at: Some(*began) };
                vec![here; scan.roots().len()]
            }
            Self::Import(import) => import.provenance(),
            Self::Snapshot(recorded) => recorded.provenance(),
        }
    }

    /// Returns the command-line flags that select the entries of the scan ([`SnapshotInfo::scope`]); `None` if the
    /// flags are unknown or differ between the roots.
    pub fn scope(&self) -> Option<Vec<u8>> {
        match self {
            Self::Snapshot(recorded) => {
                let SnapshotInfo { scope, others, .. } = recorded.about();
                let is_known = scope != UNKNOWN_SCOPE && others.iter().all(|other| other.scope == *scope);
                is_known.then(|| scope.clone())
            }
            _ => self.scan().and_then(|scan| scan.options().scope()).map(String::into_bytes),
        }
    }

    /// Returns the metadata for a snapshot of this source.
    pub fn about(&self) -> SnapshotInfo {
        if let Self::Snapshot(recorded) = self {
            return SnapshotInfo { keeps_names: true, ..recorded.about().clone() };
        }
        let scope = self.scope();
        let mut origins = self.provenance().into_iter().map(|Provenance { host, scanned_at }| RootOrigin {
            scanned_at: scanned_at.unwrap_or_default(),
            host: host.unwrap_or_default().into_bytes(),
            scope: scope.clone().unwrap_or_else(|| UNKNOWN_SCOPE.into()),
        });
        let first = origins.next().unwrap_or_default();
        let others: Vec<RootOrigin> = origins.collect();
        let is_one = others.iter().all(|other| *other == first);
        let mut about = SnapshotInfo::of_origin(first);
        about.others = if is_one { Vec::new() } else { others };
        about.keeps_names = self.kind() != SourceKind::Live;
        about.file_systems = self.scan().map(|scan| file_systems(scan.tree())).unwrap_or_default();
        about
    }

    /// Opens an earlier snapshot in `folder` with the same paths and flags as this scan. `index` counts only the
    /// snapshots that can be opened, from 0 for the newest. Also returns the number of earlier snapshots with matching
    /// file names, including files that cannot be opened. Returns `None` if there is no such snapshot, if another user
    /// can change `folder`, if this source is not a scan, or if a snapshot cannot record the scan's exclusions.
    pub fn earlier_in(&self, folder: &Path, index: usize) -> Option<(Self, usize)> {
        let Self::Scan { scan, began } = self else { return None };
        let scope = scan.options().scope()?;
        let roots: Vec<&[u8]> = scan.roots().iter().map(|root| root.as_os_str().as_bytes()).collect();
        let (path, count) = snapshot_store::kept_for(folder, &roots, scope.as_bytes(), *began, index)?;
        Some((Self::Snapshot(SnapshotSource::open(&path)), count))
    }

    /// Opens the latest snapshot in `folder` that has the same paths and flags as this scan and that `is_usable`
    /// accepts. Its sizes can be shown while this scan runs. The result is empty if another user can change `folder`,
    /// if this source is not a scan, or if a snapshot cannot record the scan's exclusions.
    pub fn latest_in(&self, folder: &Path, is_usable: impl Fn(&Tree) -> bool) -> Latest {
        let Self::Scan { scan, began } = self else { return Latest::default() };
        let Some(scope) = scan.options().scope() else { return Latest::default() };
        let roots: Vec<&[u8]> = scan.roots().iter().map(|root| root.as_os_str().as_bytes()).collect();
        open_latest(folder, &roots, scope.as_bytes(), *began, is_usable)
    }

    /// Waits until an import has read the beginning of an input, or has ended. Until then, ssh may ask for a password
    /// on the terminal. Returns at once for other sources.
    pub fn wait_for_root(&self) {
        if let Self::Import(import) = self {
            import.wait_for_root();
        }
    }

    /// Lets the workers of a scan start; see [`scan::Options::head_start`].
    pub fn end_head_start(&self) {
        if let Self::Scan { scan, .. } = self {
            scan.end_head_start();
        }
    }

    /// Makes a scan read these directories next; see [`Scan::set_viewed`].
    pub fn set_viewed(&self, directories: Vec<DirId>) {
        if let Self::Scan { scan, .. } = self {
            scan.set_viewed(directories);
        }
    }

    /// Makes a scan give priority to directories that changed at `time` or later; see [`Scan::read_changed_first`].
    pub fn read_changed_first(&self, time: i64) {
        if let Self::Scan { scan, .. } = self {
            scan.read_changed_first(time);
        }
    }

    pub fn progress(&self) -> Progress {
        match self {
            Self::Scan { scan, .. } => scan.progress(),
            Self::Import(import) => import.progress(),
            Self::Snapshot(recorded) => recorded.progress(),
        }
    }

    /// Asks the source to stop reading soon. The tree keeps the entries read so far.
    pub fn stop(&self) {
        match self {
            Self::Scan { scan, .. } => scan.stop(),
            Self::Import(import) => import.stop(),
            Self::Snapshot(_) => {}
        }
    }

    /// Returns the outcome, or `None` while the source is being read.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Scan { scan, .. } => scan.outcome(),
            Self::Import(import) => import.outcome(),
            Self::Snapshot(recorded) => Some(recorded.outcome()),
        }
    }

    /// Returns the time since reading began or, once reading has ended, its duration.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Scan { scan, .. } => scan.elapsed(),
            Self::Import(import) => import.elapsed(),
            Self::Snapshot(recorded) => recorded.elapsed(),
        }
    }

    /// Waits up to `limit` for reading to end. Returns the outcome, or `None` if reading has not ended.
    pub fn wait(&self, limit: Duration) -> Option<Outcome> {
        match self {
            Self::Scan { scan, .. } => scan.wait(limit),
            Self::Import(import) => import.wait(limit),
            Self::Snapshot(recorded) => Some(recorded.outcome()),
        }
    }
}

/// Returns the file system of each device in a tree that was scanned on this machine.
fn file_systems(tree: &Tree) -> Vec<FileSystemInfo> {
    let known = identities(&tree.devices().numbers()).into_iter();
    let info = |(mount, id): (Mount, u64)| FileSystemInfo {
        is_network: mount.is_network,
        kind: mount.kind,
        source: mount.source,
        root: mount.root,
        id,
        name: Vec::new(),
        host: Vec::new(),
    };
    known.map(|known| known.map(info).unwrap_or_default()).collect()
}
