//! `duke duplicates`: files and directories with the same contents.
//!
//! Invariant: exit code 0 means that all regular files of equal size were compared, except on file systems
//! where the search opens no files, such as network file systems (see [`Duplicates::unopened`]).

use std::path::PathBuf;

use crate::analysis::search::{Order, Query, Request};
use crate::base::format::Units;
use crate::base::job::{Job, JobEnd, Pool};
use crate::base::sync::Arc;
use crate::duplicates::{self, Duplicates, SkipReason};
use crate::output::duplicates::{skipped_lines, write_table};
use crate::output::json::DuplicatesReport;
use crate::platform::process::limits::processors;
use crate::platform::terminal::interrupt::Interrupt;
use crate::run::exit::{Exit, exit_of};
use crate::run::print::{Progress, read, wait_for_job};
use crate::run::share::share;
use crate::run::streams::{exit_of_writing, no_thread, print_error, standard_output};
use crate::scan::{self, Outcome};
use crate::source::SourceSpec;
use crate::tree::{DirId, Tree};

/// Settings of a search for duplicates.
#[derive(Debug)]
pub struct DuplicatesJob {
    pub roots: Vec<PathBuf>,
    pub scan: scan::Options,
    /// `true` to make the duplicates share their data.
    pub is_shared: bool,
    pub form: DuplicatesFormat,
    /// Progress display during the scan and the search.
    pub progress: Progress,
}

/// Output format of `duke duplicates`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicatesFormat {
    /// Human-readable list.
    Table(Units),
    /// JSON document with the schema `duke-duplicates/1`.
    Json,
}

pub fn run(job: DuplicatesJob) -> Exit {
    let interrupt = Interrupt::hold().ok();
    let threads = job.scan.threads.unwrap_or_else(processors);
    let (source, outcome) =
        match read(SourceSpec::Paths(job.roots, job.scan), interrupt.as_ref(), job.progress) {
            Ok(read) => read,
            Err(exit) => return exit,
        };
    let found = match Pool::new(threads).and_then(|pool| duplicates::find(&pool, all(source.tree()))) {
        Ok(search) => wait(&search, interrupt.as_ref(), job.progress),
        Err(error) => return no_thread(error),
    };
    // A partial list of duplicates would look complete, so an interrupted run prints no list.
    let found = match found {
        Ok(found) if !interrupt.is_some_and(Interrupt::release) => found,
        Ok(_) | Err(JobEnd::Complete | JobEnd::Stopped) => {
            print_error("interrupted; nothing printed");
            return Exit::Interrupted;
        }
        Err(JobEnd::Panicked(message)) => {
            print_error(&format!("internal error: {message}"));
            return Exit::Incomplete;
        }
    };
    let is_complete = outcome == Some(Outcome::Complete);
    let has_no_root = Exit::of_roots(source.tree()) == Exit::Failure;
    let written = standard_output().and_then(|mut out| match job.form {
        // "No duplicates" would be wrong, because nothing was compared.
        DuplicatesFormat::Table(_) if has_no_root => Ok(()),
        DuplicatesFormat::Table(units) => write_table(source.tree(), &found, units, &mut out),
        DuplicatesFormat::Json => {
            DuplicatesReport { tree: source.tree(), found: &found, is_complete }.write(&mut out)
        }
    });
    for line in skipped_lines(source.tree(), &found) {
        print_error(&line);
    }
    let is_missed = found.skipped.iter().any(|skipped| skipped.reason != SkipReason::Special);
    let compared = if is_missed { Exit::Incomplete } else { Exit::Success };
    let exit = exit_of(&source, outcome.as_ref()).max(compared);
    let exit = exit_of_writing(&source, outcome.as_ref(), written, "standard output", exit);
    let exit = match job.form {
        DuplicatesFormat::Table(units) if job.is_shared && !has_no_root => {
            exit.max(share(source.tree(), &found, units, job.progress))
        }
        DuplicatesFormat::Table(_) | DuplicatesFormat::Json => exit,
    };
    // The process ends now, and the system frees a large tree faster than duke could.
    std::mem::forget(source);
    exit
}

/// Returns a request that covers the whole tree.
fn all(tree: &Arc<Tree>) -> Request {
    Request { tree: Arc::clone(tree), from: DirId::TOP, query: Query::default(), order: Order::default() }
}

/// Waits for the result of a search. Cancels the search after an interrupt.
///
/// # Errors
/// Returns the outcome of the search if the search ended before its result was complete.
fn wait(
    search: &Job<Duplicates>,
    interrupt: Option<&Interrupt>,
    progress: Progress,
) -> Result<Arc<Duplicates>, JobEnd> {
    let end = wait_for_job(search, interrupt, progress, |found, units| found.progress.text(units));
    search.latest().filter(|found| found.progress.is_complete).ok_or(end)
}
