//! Messages to the person who called: one line each on standard error, `duke: what: why`.
//!
//! Invariant: names in a message went through [`crate::text::escape`] before.

use std::io::{self, Write};

pub use crate::platform::words;

/// Writes one line.
pub fn say(message: &str) {
    // Who closed standard error does not want to know.
    let _ = writeln!(io::stderr(), "duke: {message}");
}
