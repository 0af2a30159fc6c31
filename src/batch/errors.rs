//! What went wrong, in a few lines on standard error.
//!
//! A run as an ordinary person over a system disk meets thousands of locked directories: the first few are named, the
//! others counted. `--json` lists all.
//!
//! Invariant: however much could not be read, it takes a few lines.

use crate::message::say;
use crate::platform::error_text;
use crate::scan::Outcome;
use crate::size::grouped;
use crate::text::escape;
use crate::tree::Tree;

/// So many errors are named.
const NAMED: usize = 5;

/// Says what could not be read.
pub(super) fn summarise(tree: &Tree, outcome: Option<&Outcome>) {
    let mut failures = tree.failures();
    // Those nearest to the roots say most; among them the order must not depend on threads.
    failures
        .sort_by_cached_key(|failure| (tree.ancestry(failure.directory).count(), tree.failure_path(failure)));
    for failure in failures.iter().take(NAMED) {
        say(&format!("{}: {}", escape(&tree.failure_path(failure)), error_text(failure.errno)));
    }
    if let Some(more) = failures.len().checked_sub(NAMED).filter(|more| *more > 0) {
        say(&format!("and {} more that could not be read; --json lists all", grouped(more as u64)));
    }
    match outcome {
        Some(Outcome::Panicked(reason)) => {
            say(&format!("a bug ended the scan early: {}", escape(reason.as_bytes())));
        }
        None => say("interrupted, and a system call hangs; what was read until then is printed"),
        Some(Outcome::Stopped) => say("interrupted; what was read until then is printed"),
        Some(Outcome::Broken(faults)) => faults.iter().for_each(|fault| say(fault)),
        Some(Outcome::Complete) => {}
    }
}
