//! Where a tree comes from: a scan of this machine, or exports that are read.
//!
//! Views look at either in the same way. What they cannot do is told apart by [`Nature`]: what was recorded is not there to be
//! read again or changed.
//!
//! Knows no view. Invariant: a source without a file system behind it never says it is live.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use crate::exchange::{Import, Input, Provenance};
use crate::platform::host_name;
use crate::scan::{self, Outcome, Progress, Scan};
use crate::sync::Arc;
use crate::tree::Tree;

/// What is to be looked at.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// These paths of this machine.
    Paths(Vec<PathBuf>, scan::Options),
    /// These exports.
    Exports(Vec<Input>),
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
}

impl Source {
    /// Begins to read.
    ///
    /// # Errors
    /// When there can be no thread; see [`Source::run`].
    pub fn start(wanted: Wanted) -> io::Result<Self> {
        match wanted {
            Wanted::Paths(roots, options) => {
                let began = Timestamp::now().as_second();
                Ok(Self::Scan { scan: Scan::start(roots, options)?, began })
            }
            Wanted::Exports(inputs) => Ok(Self::Import(Import::start(inputs)?)),
        }
    }

    /// Begins to read, or reads at once where there can be no thread for it.
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
            exports @ Wanted::Exports(_) => Self::start(exports),
        }
    }

    /// What it is to look at.
    pub fn nature(&self) -> Nature {
        match self {
            Self::Scan { .. } => Nature::Live,
            Self::Import(_) => Nature::Recorded,
        }
    }

    /// The scan that can read parts of it again, if it is live.
    pub fn scan(&self) -> Option<&Scan> {
        match self {
            Self::Scan { scan, .. } => Some(scan),
            Self::Import(_) => None,
        }
    }

    /// The tree, complete or still growing.
    pub fn tree(&self) -> &Arc<Tree> {
        match self {
            Self::Scan { scan, .. } => scan.tree(),
            Self::Import(import) => import.tree(),
        }
    }

    /// The roots as they were asked for: paths, or what the exports are called.
    pub fn roots(&self) -> Vec<PathBuf> {
        match self {
            Self::Scan { scan, .. } => scan.roots().to_vec(),
            Self::Import(import) => import.names(),
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
        }
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
        }
    }

    /// Asks it to end soon. What was read stays.
    pub fn stop(&self) {
        match self {
            Self::Scan { scan, .. } => scan.stop(),
            Self::Import(import) => import.stop(),
        }
    }

    /// How it ended; none while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Scan { scan, .. } => scan.outcome(),
            Self::Import(import) => import.outcome(),
        }
    }

    /// How long it took, or has taken so far.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Scan { scan, .. } => scan.elapsed(),
            Self::Import(import) => import.elapsed(),
        }
    }

    /// Waits until it is over, at most for `limit`, and says how it ended.
    pub fn wait(&self, limit: Duration) -> Option<Outcome> {
        match self {
            Self::Scan { scan, .. } => scan.wait(limit),
            Self::Import(import) => import.wait(limit),
        }
    }
}
