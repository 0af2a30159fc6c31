//! A run without the browser: reads the source, then prints the result or writes an export, and reports errors.
//!
//! The result is printed after reading has ended. If the user interrupts a run, duke can still print the entries read
//! so far. Standard output receives only the result; progress and errors go to standard error.
//!
//! Invariant: the exit code reports the most serious problem; see [`Exit`].

use std::collections::HashSet;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::base::format::{Measure, Units, grouped};
use crate::base::job::{Job, JobEnd, Pool};
use crate::base::sync::Arc;
use crate::base::text::escape_path;
use crate::df;
use crate::exclusive::{self, ExclusiveProgress};
use crate::formats::WrittenEntries;
use crate::formats::flat::{Flat, Form};
use crate::output::json::{Body, Report};
use crate::output::progress;
use crate::output::table::Table;
use crate::platform::process::limits::processors;
use crate::platform::terminal::interrupt::Interrupt;
pub use crate::run::diff::{DiffFormat, DiffJob, DiffOptions, compare};
use crate::run::exit::{Exit, exit_of};
pub use crate::run::export::Target;
pub use crate::run::lists::{Grouping, Selection};
pub use crate::run::save::{NamedFileSystem, SaveTarget, Saving, save};
use crate::run::streams::{exit_of_writing, no_thread, print_error, standard_output};
use crate::scan::{Mounts, Outcome};
pub use crate::source::save::{BLOCK_SIZES, NcduFormat, Packing};
use crate::source::{Source, SourceKind, SourceSpec};
use crate::table::rows::Order;
use crate::table::rows::SizeSource;
use crate::tree::{Accuracy, DirId, LiveTotals};

/// Settings of a run without the browser.
#[derive(Debug)]
pub struct PrintJob {
    /// Source to read.
    pub wanted: SourceSpec,
    pub output: Output,
    /// Entries to print, and lists requested by `--top` and `--by`.
    pub selection: Selection,
    /// Progress display while the source is being read.
    pub progress: Progress,
}

/// Progress display on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Progress is shown if standard error is a terminal and the scan takes a while.
    Shown(Units),
    /// Progress is never shown.
    Silent,
}

impl Progress {
    /// Returns the units for sizes; `None` if no progress is shown.
    pub(crate) fn units(self) -> Option<Units> {
        match self {
            Self::Shown(units) => Some(units),
            Self::Silent => None,
        }
    }
}

/// Output of a run: a printed result or an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Result in one of duke's own formats.
    Printed(Format),
    /// Export in ncdu's format.
    Exported { to: Target, format: NcduFormat },
}

/// Format of a printed result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Human-readable table.
    Table {
        /// Maximum number of levels below the roots.
        depth: usize,
        /// Order of the entries within a directory, and the measure used for sizes.
        order: Order,
        /// Unit system for sizes.
        units: Units,
    },
    Json {
        /// Maximum number of levels below the roots; `None` for all.
        depth: Option<usize>,
    },
    /// One JSON object per entry, each on its own line.
    JsonLines,
    /// One line of comma-separated values per entry.
    Csv,
    /// Report of `duke df` as text.
    Spaces(Units),
    /// Report of `duke df` in JSON.
    SpacesJson,
}

/// Interval between checks for an interrupt while duke waits for a source or a job.
pub(crate) const TICK: Duration = Duration::from_millis(50);
/// Time within which a scan must stop after an interrupt. A hanging system call may never return.
const PATIENCE: Duration = Duration::from_secs(2);

pub fn run(job: PrintJob) -> Exit {
    let interrupt = Interrupt::hold().ok();
    let PrintJob { wanted, output, selection, progress } = job;
    let (source, outcome) = match read(wanted, interrupt.as_ref(), progress) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let exit = match output {
        Output::Exported { to, format } => {
            crate::run::export::run(&source, outcome.as_ref(), interrupt, &to, format)
        }
        Output::Printed(format) => {
            let unread = if selection.frees {
                let units = match format {
                    Format::Table { units, .. } => Some(units),
                    _ => None,
                };
                match find_frees(&source, outcome.as_ref(), interrupt.as_ref(), progress, units) {
                    Ok(exit) => exit,
                    Err(exit) => return exit,
                }
            } else {
                Exit::Success
            };
            let exit = if interrupt.is_some_and(Interrupt::release) {
                Exit::Interrupted
            } else {
                exit_of(&source, outcome.as_ref()).max(unread)
            };
            let printed = standard_output()
                .and_then(|mut out| print(&source, outcome.as_ref(), format, &selection, &mut out));
            exit_of_writing(&source, outcome.as_ref(), printed, "standard output", exit)
        }
    };
    // The process ends now, and the system frees a large tree faster than duke could.
    std::mem::forget(source);
    exit
}

/// Reads `wanted` until everything has been read or the user interrupts the program. Returns the source and the
/// outcome, which is `None` if the scan does not stop within `PATIENCE` after an interrupt.
pub(crate) fn read(
    wanted: SourceSpec,
    interrupt: Option<&Interrupt>,
    progress: Progress,
) -> Result<(Source, Option<Outcome>), Exit> {
    let source = Source::run(wanted).map_err(no_thread)?;
    let outcome = wait(&source, interrupt, progress);
    Ok((source, outcome))
}

/// Waits until a job has ended. Meanwhile, shows its latest result, converted by `text`, on the progress line. Cancels
/// the job after an interrupt.
pub(crate) fn wait_for_job<T>(
    job: &Job<T>,
    interrupt: Option<&Interrupt>,
    progress: Progress,
    text: impl Fn(&T, Units) -> String,
) -> JobEnd {
    let mut line = progress::ProgressLine::new(progress.units());
    loop {
        if let Some(end) = job.wait(TICK) {
            return end;
        }
        if interrupt.is_some_and(Interrupt::was_recorded) {
            job.cancel();
        }
        if let Some(latest) = job.latest() {
            line.show(|units| text(&latest, units));
        }
    }
}

/// Waits until everything has been read. After an interrupt, waits until the scan has stopped, but at most for
/// `PATIENCE`. Returns `None` if the scan has not stopped in this time.
pub(crate) fn wait(source: &Source, interrupt: Option<&Interrupt>, progress: Progress) -> Option<Outcome> {
    let mut line = progress::ProgressLine::new(progress.units());
    let mut interrupted: Option<Instant> = None;
    let mut silent = HashSet::new();
    let mut next = Instant::now();
    loop {
        if let Some(outcome) = source.wait(TICK) {
            return Some(outcome);
        }
        if interrupt.is_some_and(Interrupt::was_recorded) {
            source.stop();
            if interrupted.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                return None;
            }
        }
        if Instant::now() < next {
            continue;
        }
        next = Instant::now() + progress::PERIOD;
        let progress = source.progress();
        for path in &progress.silent {
            if silent.insert(path.clone()) {
                line.clear();
                print_error(&format!("{}: not responding; still waiting", escape_path(path)));
            }
        }
        line.update(&progress);
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
    // If the scan hangs (`outcome` is `None`), the totals in the tree lack the directories that are still being read,
    // so current totals are sampled.
    let live = if outcome.is_some() { LiveTotals::default() } else { LiveTotals::sample(tree) };
    let is_complete = outcome == Some(&Outcome::Complete);
    let exclusive = tree.exclusive();
    let report = |live, body| Report {
        tree,
        live,
        is_complete,
        elapsed: source.elapsed(),
        least: selection.least,
        exclusive: exclusive.clone(),
        body,
    };
    let flat = |form, out: &mut dyn Write| {
        let (provenance, exclusive) = (&source.provenance(), exclusive.clone());
        Flat { tree, form, provenance, exclusive, written: &WrittenEntries::default() }.write(out)
    };
    let spaces = || df::report(tree, DirId::TOP, &|| false);
    match format {
        Format::Json { depth } => {
            // Imports and snapshots may come from another machine, so no file system is reported for them.
            let is_whole = is_complete && source.kind() == SourceKind::Live;
            // With `-x`, the file system is reported even if the root is not a mount point.
            let stays = source.scan().is_some_and(|scan| scan.options().mounts == Mounts::None);
            let system = if is_whole { df::of_roots(tree, stays) } else { None };
            // In JSON, the lists always use disk usage, regardless of the measure selected for tables.
            let summary = &selection.lists(tree, Measure::Disk)?;
            // With `--top` or `--by`, the entries below the roots are printed only if `--depth` requests them.
            let depth = if selection.has_lists() { depth.or(Some(0)) } else { depth };
            report(live, Body::Tree { depth, summary, system: system.as_ref() }).write(out)
        }
        Format::Table { units, order, .. } if selection.has_lists() => {
            let (whole, measure) = (live.totals(tree, DirId::TOP), order.measure);
            let lists = selection.lists(tree, measure)?;
            crate::output::summary::print(&lists, source.kind(), &whole, (measure, units), out)
        }
        Format::Table { depth, order, units } => {
            let least = selection.least;
            let exclusive = exclusive.clone();
            Table { tree, sizes: SizeSource::of(live), depth, order, units, least, exclusive }.write(out)
        }
        Format::JsonLines => flat(Form::Json, out),
        Format::Csv => flat(Form::Csv, out),
        Format::Spaces(units) => crate::output::df::write(&spaces(), units, out),
        Format::SpacesJson => report(live, Body::Spaces(&spaces().spaces)).write(out),
    }
}

/// Finds the exclusive sizes of a scanned tree, and stores them in the tree.
///
/// Returns [`Exit::Success`] if all extents were read and no file changed in the meantime, and [`Exit::Incomplete`]
/// otherwise. If the tree must not be printed, returns the exit code as an error.
///
/// `table` contains the units of the text table; `None` for other formats. Prints a message for the text table if all
/// sizes are based on link counts instead of extents, because the table itself cannot show this.
fn find_frees(
    source: &Source,
    outcome: Option<&Outcome>,
    interrupt: Option<&Interrupt>,
    progress: Progress,
    table: Option<Units>,
) -> Result<Exit, Exit> {
    if source.kind() != SourceKind::Live {
        print_error("--frees: cannot read the extents of remote files; for ssh://HOST, run duke on HOST");
        return Err(Exit::Failure);
    }
    if outcome != Some(&Outcome::Complete) {
        print_error("--frees: cannot tell what deletion frees, because the scan ended early");
        return Ok(Exit::Incomplete);
    }
    let pool = Pool::new(processors()).map_err(no_thread)?;
    let job = exclusive::find(&pool, Arc::clone(source.tree())).map_err(no_thread)?;
    let end = wait_for_job(&job, interrupt, progress, |found: &ExclusiveProgress, _| found.text());
    if let JobEnd::Panicked(message) = end {
        print_error(&format!("internal error: {message}"));
        return Err(Exit::Incomplete);
    }
    let latest = job.latest().filter(|found| found.sizes.is_some());
    let Some(found) = latest else {
        print_error("interrupted; nothing printed");
        return Err(Exit::Interrupted);
    };
    if table.is_some() && found.coverage.read == 0 && found.coverage.by_links > 0 {
        print_error(
            "--frees: the file system does not report shared extents; sizes are based on link counts only",
        );
    }
    let accuracy = found.coverage.accuracy;
    if accuracy != Accuracy::Exact {
        print_error(&format!("--frees: {}", accuracy.text(table.unwrap_or_default())));
    }
    Ok(match found.coverage.unread {
        0 if matches!(accuracy, Accuracy::Failed(_) | Accuracy::Changing) => Exit::Incomplete,
        0 => Exit::Success,
        1 => unread(
            "--frees: cannot read the extents of 1 file; deleting a directory above this file may free more than \
                shown",
        ),
        files => unread(&format!(
            "--frees: cannot read the extents of {} files; deleting a directory above these files may free more \
                than shown",
            grouped(files)
        )),
    })
}

fn unread(message: &str) -> Exit {
    print_error(message);
    Exit::Incomplete
}
