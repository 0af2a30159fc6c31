//! Limit for paths in formats with one line per entry.
//!
//! A line repeats the path of its directory, so each entry costs its depth once more: an export of 1.6 MB
//! with 100,000 levels would be printed as 10 GB. No system call takes a path beyond [`LONGEST`], so such an
//! entry has no line, and the run reports it.
//!
//! Knows no format. Invariant: the writer learns of every entry without a line.

use std::io;

use crate::base::text::escape;

/// Length in bytes of the longest path that gets a line (`PATH_MAX` of Linux, with its terminator).
pub const LONGEST: usize = 4096;

/// Entries that got no line.
#[derive(Debug, Default)]
pub struct TooLong {
    /// Beginning of the path of the first of them.
    first: Option<Vec<u8>>,
    entries: u64,
}

impl TooLong {
    /// Returns `true` if the path of an entry is too long for a line. The entry is counted then, with the
    /// `below` entries in it.
    pub fn refuses(&mut self, path: &[u8], below: u64) -> bool {
        if path.len() < LONGEST {
            return false;
        }
        self.note(below, || path.to_vec());
        true
    }

    /// Counts an entry whose path is too long, with the `below` entries in it.
    pub fn note(&mut self, below: u64, path: impl FnOnce() -> Vec<u8>) {
        let start = || {
            let mut path = path();
            path.truncate(LONGEST);
            path
        };
        self.first.get_or_insert_with(start);
        self.entries = self.entries.saturating_add(1).saturating_add(below);
    }

    /// Returns the result after all lines are written.
    ///
    /// # Errors
    /// When an entry has no line.
    pub fn result(self) -> io::Result<()> {
        let Some(first) = self.first else { return Ok(()) };
        let (first, entries) = (escape(&first), self.entries);
        Err(io::Error::other(format!(
            "skipped {entries} entries with paths longer than 4,095 bytes; the first begins with {first}"
        )))
    }
}
