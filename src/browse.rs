//! A run with the browser: begin to scan, browse until the person leaves, say how that went.
//!
//! Invariant: nothing waits for the scan; the process ends over it.

use std::path::PathBuf;

use crate::exit::Exit;
use crate::message::{say, words};
use crate::rows::Order;
use crate::scan::{self, Scan};
use crate::size::Units;
use crate::ui::theme::Theme;
use crate::ui::{self, Settings};

/// What is to be done.
#[derive(Debug)]
pub struct Job {
    /// What to scan.
    pub roots: Vec<PathBuf>,
    /// How to scan it.
    pub scan: scan::Options,
    /// What entries are sorted by at first, and which size counts.
    pub order: Order,
    /// How sizes are written.
    pub units: Units,
    /// Colours and glyphs.
    pub theme: Theme,
}

/// Does the job. The exit code is about the roots alone: what could not be read below them was seen.
pub fn run(job: Job) -> Exit {
    let scan = match Scan::start(job.roots, job.scan) {
        Ok(scan) => scan,
        Err(error) => {
            say(&format!("no thread for the scan: {}", words(&error)));
            return Exit::Incomplete;
        }
    };
    let exit = match ui::run(&scan, &Settings::new(job.order, job.units, job.theme)) {
        Ok(()) => Exit::of_roots(scan.tree()),
        Err(error) => {
            say(&format!("terminal: {}", words(&error)));
            Exit::Incomplete
        }
    };
    // The process ends now; the system frees a large tree faster than we could.
    std::mem::forget(scan);
    exit
}
