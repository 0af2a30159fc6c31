//! Messages to the person who called: one line each on standard error, `duke: what: why`.
//!
//! Invariant: names in a message went through [`crate::text::escape`] before.

use std::io::{self, Write};

use crate::platform::error_text;

/// Writes one line.
pub fn say(message: &str) {
    // Who closed standard error does not want to know.
    let _ = writeln!(io::stderr(), "duke: {message}");
}

/// The system's words for an error, as in all other messages.
pub fn words(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), error_text)
}
