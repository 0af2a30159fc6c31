//! A run without a browser: read, wait, print a table or JSON or write an export, say what could not be read.
//!
//! Nothing is printed before everything was read, so that an interrupted run can still print what it has. Standard output
//! carries the result and nothing else; progress and errors go to standard error.
//!
//! Invariant: the exit code says the worst that happened; see [`Exit`].

mod compare;
mod df;
mod errors;
mod export;
mod progress;
mod save;
mod summary;
mod table;

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crate::exchange::{Flat, Form};
use crate::exit::Exit;
use crate::json::{Body, Report};
use crate::message::{no_thread, say};
use crate::platform::interrupt::Interrupt;
use crate::platform::{streams, words};
use crate::rows::Order;
use crate::scan::{Mounts, Outcome};
use crate::size::{Measure, Units};
use crate::source::{Nature, Source, Wanted};
use crate::space;
use crate::tree::{DirId, Live};
pub use crate::writing::Packing;
pub use compare::{Comparison, Form as DiffForm, Telling, compare};
pub use export::Target;
pub use progress::Progress;
pub use save::{Saving, Shelf, save};
pub use summary::{By, Selection};
use table::Table;

/// What is to be done.
#[derive(Debug)]
pub struct Job {
    /// What to look at.
    pub wanted: Wanted,
    /// What becomes of it.
    pub output: Output,
    /// Which entries, and which lists, are printed.
    pub selection: Selection,
    /// Whether progress is shown meanwhile.
    pub progress: Progress,
}

/// What becomes of what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// It is printed.
    Printed(Format),
    /// It is written in ncdu's format, for another browser or another time.
    Exported {
        /// Where.
        to: Target,
        /// Whether it is packed.
        packing: Packing,
    },
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
    /// A line for each entry.
    Flat(Form),
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
    let Job { wanted, output, selection, progress } = job;
    let (source, outcome) = match read(wanted, interrupt.as_ref(), progress) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let exit = match output {
        Output::Exported { to, packing } => export::run(&source, outcome.as_ref(), interrupt, &to, packing),
        Output::Printed(format) => {
            let exit = if interrupt.is_some_and(Interrupt::release) {
                Exit::Interrupted
            } else {
                exit_of(&source, outcome.as_ref())
            };
            let printed = standard_output()
                .and_then(|mut out| print(&source, outcome.as_ref(), format, &selection, &mut out));
            exit_of_writing(&source, outcome.as_ref(), printed, "standard output", exit)
        }
    };
    // The process ends now; the system frees a large tree faster than we could.
    std::mem::forget(source);
    exit
}

/// Reads until everything was read, or for as long as nobody interrupts. No outcome: it still hangs somewhere.
fn read(
    wanted: Wanted,
    interrupt: Option<&Interrupt>,
    progress: Progress,
) -> Result<(Source, Option<Outcome>), Exit> {
    let source = Source::run(wanted).map_err(|error| no_thread(&error))?;
    let outcome = wait(&source, interrupt, progress);
    Ok((source, outcome))
}

/// What there is to say of what was read.
fn exit_of(source: &Source, outcome: Option<&Outcome>) -> Exit {
    let ended = match outcome {
        Some(Outcome::Panicked(_)) => Exit::Incomplete,
        Some(Outcome::Broken(_)) => Exit::of_broken(source.tree()),
        _ => Exit::Fine,
    };
    ended.max(Exit::of_everything(source.tree()))
}

/// Says what went wrong, be it while reading or while writing to `place`.
fn exit_of_writing(
    source: &Source,
    outcome: Option<&Outcome>,
    written: io::Result<()>,
    place: &str,
    exit: Exit,
) -> Exit {
    match written {
        Ok(()) => {
            errors::summarise(source.tree(), outcome);
            exit
        }
        // The reader has seen enough, or was interrupted by the same key.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => match exit {
            Exit::Interrupted => exit,
            _ => Exit::Fine,
        },
        Err(error) => {
            say(&format!("{place}: {}", words(&error)));
            exit.max(Exit::Incomplete)
        }
    }
}

/// Waits until everything was read, or after an interrupt until it had its chance to stop. None: it still hangs somewhere.
fn wait(source: &Source, interrupt: Option<&Interrupt>, progress: Progress) -> Option<Outcome> {
    let mut line = progress.line();
    let mut interrupted: Option<Instant> = None;
    loop {
        if let Some(outcome) = source.wait(TICK) {
            return Some(outcome);
        }
        if interrupt.is_some_and(Interrupt::was_noted) {
            source.stop();
            if interrupted.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                return None;
            }
        }
        line.update(source);
    }
}

fn print(
    source: &Source,
    outcome: Option<&Outcome>,
    format: Format,
    selection: &Selection,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tree = source.tree();
    // At rest nothing is open; a scan left hanging has not added up what it has.
    let live = if outcome.is_some() { Live::default() } else { Live::sample(tree) };
    let is_complete = outcome == Some(&Outcome::Complete);
    let report = |live, body| Report {
        tree,
        live,
        is_complete,
        elapsed: source.elapsed(),
        least: selection.least,
        body,
    };
    let spaces = || space::report(tree, DirId::TOP, &|| false);
    match format {
        Format::Json { depth } => {
            // What was recorded has no file system here.
            let is_whole = is_complete && source.nature() == Nature::Live;
            // Who stays on one file system is told which, wherever on it that is.
            let stays = source.scan().is_some_and(|scan| scan.options().mounts == Mounts::None);
            let system = if is_whole { space::of_roots(tree, stays) } else { None };
            // As the tree itself, whatever is shown to people.
            let summary = &selection.lists(tree, Measure::Disk)?;
            // Lists are instead of the tree, unless some of it is asked for too.
            let depth = if selection.has_lists() { depth.or(Some(0)) } else { depth };
            report(live, Body::Tree { depth, summary, system: system.as_ref() }).write(out)
        }
        Format::Table { units, order, .. } if selection.has_lists() => {
            let (whole, measure) = (live.totals(tree, DirId::TOP), order.measure);
            let lists = selection.lists(tree, measure)?;
            summary::print(&lists, source.nature(), &whole, (measure, units), out)
        }
        Format::Table { depth, order, units } => {
            let least = selection.least;
            Table { tree, live, depth, order, units, least }.write(out)
        }
        Format::Flat(form) => Flat { tree, form, provenance: &source.provenance() }.write(out),
        Format::Spaces(units) => df::write(&spaces(), units, out),
        Format::SpacesJson => report(live, Body::Spaces(&spaces().spaces)).write(out),
    }
}

/// Standard output without the line buffer of the standard library, which would only copy everything once more.
fn standard_output() -> io::Result<File> {
    streams::output()?;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}
