//! The flag `--frees`: bytes that deleting each entry would free.
//!
//! Invariant: nothing is printed for a search that was interrupted, because missing numbers would look like zero.

use crate::base::format::grouped;
use crate::base::job::{JobEnd, Pool};
use crate::base::sync::Arc;
use crate::exclusive::{self, ExclusiveProgress};
use crate::platform::process::limits::processors;
use crate::platform::terminal::interrupt::Interrupt;
use crate::run::exit::Exit;
use crate::run::print::{Progress, wait_for_job};
use crate::run::streams::{no_thread, print_error};
use crate::scan::Outcome;
use crate::source::{Source, SourceKind};

/// Finds the exclusive sizes of a scanned tree, and gives them to the tree. Returns an exit code that tells if files
/// could not be read, or the exit code with which the run must end.
pub(crate) fn find(
    source: &Source,
    outcome: Option<&Outcome>,
    interrupt: Option<&Interrupt>,
    progress: Progress,
) -> Result<Exit, Exit> {
    if source.kind() != SourceKind::Live {
        print_error("--frees: cannot read the extents of files on another machine; run duke there");
        return Err(Exit::Failure);
    }
    if outcome != Some(&Outcome::Complete) {
        print_error("--frees: the scan did not complete; no extents read");
        return Ok(Exit::Incomplete);
    }
    let pool = Pool::new(processors()).map_err(|error| no_thread(&error))?;
    let job = exclusive::find(&pool, Arc::clone(source.tree())).map_err(|error| no_thread(&error))?;
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
    Ok(match found.coverage.unread {
        0 => Exit::Success,
        1 => unread(
            "--frees: the extents of 1 file could not be read; its directories free at least the number shown",
        ),
        files => unread(&format!(
            "--frees: the extents of {} files could not be read; their directories free at least the number shown",
            grouped(files)
        )),
    })
}

fn unread(message: &str) -> Exit {
    print_error(message);
    Exit::Incomplete
}
