//! Where a tree comes from: a scan of this machine, exports that are read, or a snapshot.
//!
//! Views look at either in the same way. What they cannot do is told apart by [`Nature`]: what was recorded is not there to be
//! read again or changed.
//!
//! Knows no view. Invariant: a source without a file system behind it never says it is live.

mod recorded;

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::exchange::{Import, Input, Provenance};
use crate::platform::host_name;
use crate::scan::{self, Outcome, Progress, Scan};
use crate::snapshot::{About, is_snapshot, latest_for};
use crate::sync::Arc;
use crate::tree::Tree;
pub use recorded::Recorded;

/// What is to be looked at.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// These paths of this machine.
    Paths(Vec<PathBuf>, scan::Options),
    /// These exports, or a snapshot.
    Exports(Vec<Input>),
}

impl Wanted {
    /// The file that is wanted, if it is a snapshot.
    fn snapshot(&self) -> Option<&Path> {
        match self {
            Self::Exports(inputs) => match inputs.as_slice() {
                [Input::File(path)] => Some(path.as_path()).filter(|path| is_snapshot(path)),
                _ => None,
            },
            Self::Paths(..) => None,
        }
    }
}

/// What looking at a tree is looking at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nature {
    /// A file system of this machine, which can be read again and changed.
    #[default]
    Live,
    /// What was written down somewhere, some time ago. Nothing in it can be read again or changed.
    Recorded,
}

/// A tree that is read or was read.
#[derive(Clone)]
pub enum Source {
    /// By scanning.
    Scan {
        /// The scan.
        scan: Scan,
        /// When it began, in seconds since 1970.
        began: i64,
    },
    /// From exports.
    Import(Import),
    /// From a snapshot.
    Recorded(Recorded),
}

impl Source {
    /// Begins to read.
    ///
    /// # Errors
    /// When there can be no thread; see [`Source::run`].
    pub fn start(wanted: Wanted) -> io::Result<Self> {
        if let Some(path) = wanted.snapshot() {
            return Ok(Self::Recorded(Recorded::open(path)));
        }
        match wanted {
            Wanted::Paths(roots, options) => {
                let began = Timestamp::now().as_second();
                Ok(Self::Scan { scan: Scan::start(roots, options)?, began })
            }
            Wanted::Exports(inputs) => Ok(Self::Import(Import::start(inputs)?)),
        }
    }

    /// Begins to read, or reads at once where there can be no thread for it. A snapshot is read to its end, so that nothing
    /// of it is printed before it is known whether it is whole.
    ///
    /// # Errors
    /// When there can be no thread and exports are to be read, which need several.
    pub fn run(wanted: Wanted) -> io::Result<Self> {
        match wanted {
            Wanted::Paths(roots, options) => {
                let began = Timestamp::now().as_second();
                let scan =
                    Scan::start(roots.clone(), options.clone()).unwrap_or_else(|_| Scan::run(roots, options));
                Ok(Self::Scan { scan, began })
            }
            exports @ Wanted::Exports(_) => {
                let source = Self::start(exports)?;
                if let Self::Recorded(recorded) = &source {
                    recorded.verify();
                }
                Ok(source)
            }
        }
    }

    /// What it is to look at.
    pub fn nature(&self) -> Nature {
        match self {
            Self::Scan { .. } => Nature::Live,
            Self::Import(_) | Self::Recorded(_) => Nature::Recorded,
        }
    }

    /// The scan that can read parts of it again, if it is live.
    pub fn scan(&self) -> Option<&Scan> {
        match self {
            Self::Scan { scan, .. } => Some(scan),
            Self::Import(_) | Self::Recorded(_) => None,
        }
    }

    /// Begins to scan another path, as this scan was asked to; none if this is no scan.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn elsewhere(&self, path: PathBuf) -> Option<io::Result<Self>> {
        let began = Timestamp::now().as_second();
        let scan = self.scan()?.elsewhere(vec![path]);
        Some(scan.map(|scan| Self::Scan { scan, began }))
    }

    /// The tree, complete or still growing.
    pub fn tree(&self) -> &Arc<Tree> {
        match self {
            Self::Scan { scan, .. } => scan.tree(),
            Self::Import(import) => import.tree(),
            Self::Recorded(recorded) => recorded.tree(),
        }
    }

    /// The roots as they were asked for: paths, or what the exports are called.
    pub fn roots(&self) -> Vec<PathBuf> {
        match self {
            Self::Scan { scan, .. } => scan.roots().to_vec(),
            Self::Import(import) => import.names(),
            Self::Recorded(recorded) => recorded.roots(),
        }
    }

    /// Where and when each root was scanned, in the order of the roots.
    pub fn provenance(&self) -> Vec<Provenance> {
        match self {
            Self::Scan { scan, began } => {
                let here = Provenance { host: host_name(), scanned_at: Some(*began) };
                vec![here; scan.roots().len()]
            }
            Self::Import(import) => import.provenance(),
            Self::Recorded(recorded) => recorded.provenance(),
        }
    }

    /// What a snapshot of it says of itself.
    pub fn about(&self) -> About {
        let Provenance { host, scanned_at } = self.provenance().into_iter().next().unwrap_or_default();
        let scope = self.scan().and_then(|scan| scan.options().scope());
        About {
            scanned_at: scanned_at.unwrap_or_default(),
            host: host.unwrap_or_default().into_bytes(),
            scope: scope.unwrap_or("filtered").into(),
        }
    }

    /// The newest snapshot in `folder` of the same paths, scanned in the same way before this scan began. None if this is no scan, or
    /// one that leaves out what nobody can tell a snapshot by.
    pub fn earlier_in(&self, folder: &Path) -> Option<Self> {
        let Self::Scan { scan, began } = self else { return None };
        let scope = scan.options().scope()?;
        let roots: Vec<&[u8]> = scan.roots().iter().map(|root| root.as_os_str().as_bytes()).collect();
        let path = latest_for(folder, &roots, scope.as_bytes(), *began)?;
        Some(Self::Recorded(Recorded::open(&path)))
    }

    /// Waits until a browser has something to show. A scan has it at once; another machine may ask for a password first.
    pub fn wait_for_root(&self) {
        if let Self::Import(import) = self {
            import.wait_for_root();
        }
    }

    /// How much was read so far.
    pub fn progress(&self) -> Progress {
        match self {
            Self::Scan { scan, .. } => scan.progress(),
            Self::Import(import) => import.progress(),
            Self::Recorded(recorded) => recorded.progress(),
        }
    }

    /// Asks it to end soon. What was read stays.
    pub fn stop(&self) {
        match self {
            Self::Scan { scan, .. } => scan.stop(),
            Self::Import(import) => import.stop(),
            Self::Recorded(_) => {}
        }
    }

    /// How it ended; none while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Scan { scan, .. } => scan.outcome(),
            Self::Import(import) => import.outcome(),
            Self::Recorded(recorded) => Some(recorded.outcome()),
        }
    }

    /// How long it took, or has taken so far.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Scan { scan, .. } => scan.elapsed(),
            Self::Import(import) => import.elapsed(),
            Self::Recorded(recorded) => recorded.elapsed(),
        }
    }

    /// Waits until it is over, at most for `limit`, and says how it ended.
    pub fn wait(&self, limit: Duration) -> Option<Outcome> {
        match self {
            Self::Scan { scan, .. } => scan.wait(limit),
            Self::Import(import) => import.wait(limit),
            Self::Recorded(recorded) => Some(recorded.outcome()),
        }
    }
}
