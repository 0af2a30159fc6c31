//! A run without a browser: scan, wait, print a table or JSON, say what could not be read.
//!
//! Nothing is printed before the scan is over, so that an interrupted one can still print what it has. Standard output
//! carries the result and nothing else; progress and errors go to standard error.
//!
//! Invariant: the exit code says the worst that happened; see [`Exit`].

mod df;
mod errors;
mod progress;
mod table;

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::exit::Exit;
use crate::json::{Body, Report};
use crate::message::{say, words};
use crate::platform::interrupt::Interrupt;
use crate::rows::Order;
use crate::scan::{self, Outcome, Scan};
use crate::size::Units;
use crate::space;
use crate::tree::{DirId, Live};
pub use progress::Progress;
use table::Table;

/// What is to be done.
#[derive(Debug)]
pub struct Job {
    /// What to scan.
    pub roots: Vec<PathBuf>,
    /// How to scan it.
    pub scan: scan::Options,
    /// What to print of it.
    pub format: Format,
    /// Whether progress is shown meanwhile.
    pub progress: Progress,
}

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines for a person.
    Table {
        /// Levels below the roots.
        depth: usize,
        /// Of the entries of a directory; says which size is meant, too.
        order: Order,
        /// How sizes are written.
        units: Units,
    },
    /// The tree for a program.
    Json {
        /// Levels below the roots; none for all.
        depth: Option<usize>,
    },
    /// The file systems for a person.
    Spaces(Units),
    /// The file systems for a program.
    SpacesJson,
}

/// How often the waiting loop looks round.
const TICK: Duration = Duration::from_millis(50);
/// How long after an interrupt the scan may take to stop. A system call that hangs does not.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does the job and says how it went.
pub fn run(job: Job) -> Exit {
    let interrupt = Interrupt::hold().ok();
    let Job { roots, scan: options, format, progress } = job;
    // Without a thread to spare, the scan runs in this one; nobody looks at progress and interrupts then.
    let scan = Scan::start(roots.clone(), options.clone()).unwrap_or_else(|_| Scan::run(roots, options));
    let outcome = wait(&scan, interrupt.as_ref(), progress);
    let exit = if interrupt.is_some_and(Interrupt::release) {
        Exit::Interrupted
    } else {
        let seen = if matches!(outcome, Some(Outcome::Panicked(_))) { Exit::Incomplete } else { Exit::Fine };
        seen.max(Exit::of_everything(scan.tree()))
    };
    let printed = standard_output().and_then(|mut out| print(&scan, outcome.as_ref(), format, &mut out));
    let exit = match printed {
        Ok(()) => {
            errors::summarise(scan.tree(), outcome.as_ref());
            exit
        }
        // The reader has seen enough, or was interrupted by the same key.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => match exit {
            Exit::Interrupted => exit,
            _ => Exit::Fine,
        },
        Err(error) => {
            say(&format!("standard output: {}", words(&error)));
            exit.max(Exit::Incomplete)
        }
    };
    // The process ends now; the system frees a large tree faster than we could.
    std::mem::forget(scan);
    exit
}

/// Waits for the scan, or after an interrupt until it had its chance to stop. None: it still hangs somewhere.
fn wait(scan: &Scan, interrupt: Option<&Interrupt>, progress: Progress) -> Option<Outcome> {
    let mut line = progress.line();
    let mut interrupted: Option<Instant> = None;
    loop {
        if let Some(outcome) = scan.wait(TICK) {
            return Some(outcome);
        }
        if interrupt.is_some_and(Interrupt::was_noted) {
            scan.stop();
            if interrupted.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                return None;
            }
        }
        line.update(scan);
    }
}

fn print(scan: &Scan, outcome: Option<&Outcome>, format: Format, out: &mut dyn Write) -> io::Result<()> {
    let tree = scan.tree();
    // At rest nothing is open; a scan left hanging has not added up what it has.
    let live = if outcome.is_some() { Live::default() } else { Live::sample(tree) };
    let is_complete = outcome == Some(&Outcome::Complete);
    let report = |live, body| Report { tree, live, is_complete, elapsed: scan.elapsed(), body };
    let spaces = || space::report(tree, DirId::TOP, &|| false);
    match format {
        Format::Json { depth } => {
            let space = if is_complete { space::of_whole(tree) } else { None };
            report(live, Body::Tree { depth, space: space.as_ref() }).write(out)
        }
        Format::Table { depth, order, units } => Table { tree, live, depth, order, units }.write(out),
        Format::Spaces(units) => df::write(&spaces(), units, out),
        Format::SpacesJson => report(live, Body::Spaces(&spaces().spaces)).write(out),
    }
}

/// Standard output without the line buffer of the standard library, which would only copy everything once more.
fn standard_output() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}
