//! Messages to the person who called: one line each on standard error, `duke: what: why`.
//!
//! Invariant: names in a message went through [`crate::text::escape`] before.

use std::io::{self, ErrorKind, Write};

use crate::exit::Exit;
use crate::platform::words;

/// Writes one line.
pub fn say(message: &str) {
    // Who closed standard error does not want to know.
    let _ = writeln!(io::stderr(), "duke: {message}");
}

/// How it went to write to standard output; what went wrong is said. A reader who closed the pipe had enough.
pub fn printed(written: io::Result<()>) -> Exit {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            say(&format!("standard output: {}", words(&error)));
            Exit::Incomplete
        }
        _ => Exit::Fine,
    }
}

/// Says that the system gives no thread to read with.
pub fn no_thread(error: &io::Error) -> Exit {
    say(&format!("no thread to read with: {}", words(error)));
    Exit::Incomplete
}
