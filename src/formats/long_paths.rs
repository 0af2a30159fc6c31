//! Path length limit in formats with one line per entry.
//!
//! Each line contains the entry's whole path, so the output grows with the depth of the entries. An export of 1.6 MB
//! with 100,000 levels would be printed as 10 GB. No system call accepts a path longer than [`LONGEST`], so an entry
//! with a longer path gets no line, and the output ends with an error that states the number of these entries.
//!
//! Invariant: every entry without a line is counted.

use std::io;

use crate::base::format::counted;
use crate::base::text::escape;

/// Maximum length in bytes of a path in a line, including a terminating NUL (`PATH_MAX` on Linux).
pub const LONGEST: usize = 4096;

/// Maximum number of bytes of a path in an error message.
const BEGINNING: usize = 80;

/// Entries whose paths are too long for a line: their number, and the path of the first one.
#[derive(Debug, Default)]
pub struct TooLong {
    /// First path that was too long for a line, cut to [`BEGINNING`] bytes.
    first: Option<Vec<u8>>,
    entries: u64,
}

impl TooLong {
    /// Returns `true` if `path` is too long for a line. In that case, counts the entry and the `below` entries below it
    /// as skipped.
    pub fn skips(&mut self, path: &[u8], below: u64) -> bool {
        if path.len() < LONGEST {
            return false;
        }
        self.note(below, || path.to_vec());
        true
    }

    /// Counts an entry whose path is too long, and everything below it (`below` entries).
    pub fn note(&mut self, below: u64, path: impl FnOnce() -> Vec<u8>) {
        let start = || {
            let mut path = path();
            path.truncate(BEGINNING);
            path
        };
        self.first.get_or_insert_with(start);
        self.entries = self.entries.saturating_add(1).saturating_add(below);
    }

    /// Returns the overall result. Call this after all lines have been written.
    ///
    /// # Errors
    /// Returns an error if any entry was skipped because its path is too long.
    pub fn result(self) -> io::Result<()> {
        let Some(first) = self.first else { return Ok(()) };
        let (first, entries) = (escape(&first), counted(self.entries, "entry", "entries"));
        Err(io::Error::other(format!(
            "cannot write {entries} with a path longer than 4,095 bytes; the first path begins with {first}"
        )))
    }
}
