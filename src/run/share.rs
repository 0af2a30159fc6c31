//! `duke duplicates --share`: lets files with the same contents share their data on disk, and prints the result.
//!
//! Invariant: exit code 0 means that all duplicates share their data, and that the journal is complete.

use std::io::{self, Write};

use crate::base::format::{Units, counted, grouped};
use crate::base::job::{JobEnd, Pool};
use crate::base::os_error::cannot_write;
use crate::base::sync::Arc;
use crate::base::text::escape;
use crate::delete::{self, CopyName, CopySharing, Failures, Journal, Operation, Report};
use crate::duplicates::Duplicates;
use crate::platform::terminal::interrupt::Interrupt;
use crate::run::exit::Exit;
use crate::run::print::{Progress, wait_for_job};
use crate::run::streams::{no_thread, print_error, standard_output};
use crate::tree::Tree;

/// Maximum number of files to list by name if their data could not be shared.
const NAMED: usize = 20;

/// Makes the duplicates share their data, prints the result, and returns the exit code.
pub fn share(tree: &Tree, found: &Duplicates, units: Units, progress: Progress) -> Exit {
    let sets = found.sets.iter().map(|set| -> Vec<CopyName<'_>> {
        set.iter().filter_map(|equal| CopyName::of(tree, equal.entry, equal.state)).collect()
    });
    let sharing = CopySharing::new(tree, None, sets);
    let files = sharing.files();
    let interrupt = Interrupt::hold().ok();
    let journal = Journal::of_process();
    let work = Operation::Share(Arc::new(sharing));
    let pool = match Pool::new(1) {
        Ok(pool) => pool,
        Err(error) => return no_thread(error),
    };
    let job = match delete::start(&pool, work, journal) {
        Ok(job) => job,
        Err(error) => return no_thread(error),
    };
    let text = |report: &Report, _| {
        format!("{} of {} share their data now", grouped(report.entries), counted(files, "file", "files"))
    };
    let end = wait_for_job(&job, interrupt.as_ref(), progress, text);
    match (end, job.latest()) {
        (JobEnd::Panicked(message), _) => {
            print_error(&format!("internal error: {message}"));
            Exit::Incomplete
        }
        (_, Some(report)) => print(&report, units),
        (_, None) => Exit::Interrupted,
    }
}

fn print(report: &Report, units: Units) -> Exit {
    let text = report.shared_text(units);
    let written = standard_output().and_then(|mut out| writeln!(out, "{text}"));
    let Failures { count, first } = &report.failures;
    for failure in first.iter().take(NAMED) {
        print_error(&format!("{}: cannot share data: {}", escape(&failure.path), failure.reason.text()));
    }
    if let more @ 1.. = count.saturating_sub(NAMED as u64) {
        print_error(&format!("cannot share the data of {}", counted(more, "more file", "more files")));
    }
    if let Some(error) = &report.journal_error {
        print_error(&format!("journal not written: {error}"));
    }
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(error) => {
            print_error(&format!("standard output: {}", cannot_write(&error)));
            Exit::Incomplete
        }
        Ok(()) if report.is_cancelled => Exit::Interrupted,
        Ok(()) if *count > 0 || report.journal_error.is_some() => Exit::Incomplete,
        Ok(()) => Exit::Success,
    }
}
