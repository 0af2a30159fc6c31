//! Standard streams: results go to standard output and messages to standard error. Each message is one line of the form
//! `duke: subject: reason`.
//!
//! Invariant: names in messages are escaped with [`crate::base::text::escape`].

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;

use crate::base::job::JobError;
use crate::base::os_error::cannot_write;
use crate::base::text::escape;
use crate::output::errors;
use crate::platform::terminal::streams;
use crate::run::exit::Exit;
use crate::scan::Outcome;
use crate::source::Source;
use crate::tree::Tree;

/// Writes a message to standard error as a single line.
pub fn print_error(message: &str) {
    // An error is ignored, because it could be reported only on standard error itself.
    let _ = writeln!(io::stderr(), "duke: {message}");
}

/// Prints messages about a scan: its errors, and the roots that count only once, because they are given twice or lie
/// inside other roots.
pub(crate) fn summarize(tree: &Tree, outcome: Option<&Outcome>) {
    for line in errors::lines(tree, outcome) {
        print_error(&line);
    }
}

/// Prints a warning if the two trees were scanned with different flags.
pub(crate) fn print_other_flags(old: &Source, new: &Source) {
    let (Some(before), Some(after)) = (old.scope(), new.scope()) else { return };
    if before != after {
        let flags = |scope: &[u8]| if scope.is_empty() { "none".into() } else { escape(scope).into_owned() };
        print_error(&format!(
            "OLD and NEW were scanned with different flags (OLD: {}; NEW: {}); entries that only one of the scans excluded have no line of their own",
            flags(&before),
            flags(&after)
        ));
    }
}

/// Opens standard output without the standard library's line buffer, which would copy all data once more.
pub(crate) fn standard_output() -> io::Result<File> {
    streams::output()?;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

pub(crate) fn standard_input() -> io::Result<Vec<u8>> {
    streams::input()?;
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Calls `write` with standard output, and prints an error message if writing fails. A closed pipe is not an error,
/// because the reader needed no more output.
pub(crate) fn print(write: impl FnOnce(&mut File) -> io::Result<()>) -> Exit {
    match standard_output().and_then(|mut out| write(&mut out)) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            print_error(&format!("standard output: {}", cannot_write(&error)));
            Exit::Incomplete
        }
        _ => Exit::Success,
    }
}

/// Reports that no thread can be started, and returns the exit code.
pub fn no_thread(error: io::Error) -> Exit {
    print_error(&JobError::no_thread(error).to_string());
    Exit::Incomplete
}

/// Reports the read errors and the write error, if any, and returns the exit code. The code is `exit`, but at least
/// [`Exit::Incomplete`] if writing to `subject` failed. If the reader has closed the pipe, nothing is reported, and the
/// code is [`Exit::Success`], unless `exit` is [`Exit::Interrupted`].
pub(crate) fn exit_of_writing(
    source: &Source,
    outcome: Option<&Outcome>,
    written: io::Result<()>,
    subject: &str,
    exit: Exit,
) -> Exit {
    match written {
        Ok(()) => {
            summarize(source.tree(), outcome);
            exit
        }
        // The reader of the pipe needed no more output, or was interrupted together with duke.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => match exit {
            Exit::Interrupted => exit,
            _ => Exit::Success,
        },
        Err(error) => {
            summarize(source.tree(), outcome);
            print_error(&format!("{subject}: {}", cannot_write(&error)));
            exit.max(Exit::Incomplete)
        }
    }
}
