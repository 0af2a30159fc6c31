//! Places in a file, and what is wrong there.
//!
//! Invariant: what a warning says went through [`crate::text::escape`].

/// A line and a column, both counted from 1; columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub at: Place,
    /// What, safe for a terminal.
    pub reason: String,
}

impl Warning {
    /// A warning about what stands at `at`.
    pub fn new(at: Place, reason: &str) -> Self {
        Self { at, reason: reason.to_owned() }
    }

    /// In one line: `file:line:column: reason`.
    pub fn told(&self, file: &str) -> String {
        format!("{file}:{}:{}: {}", self.at.line, self.at.column, self.reason)
    }
}

/// The text of a file.
#[derive(Clone, Copy)]
pub(super) struct Text<'t>(pub(super) &'t str);

impl Text<'_> {
    /// The place of a byte; one that is in no character or behind the end is that of what comes before.
    pub(super) fn place(self, offset: usize) -> Place {
        let is_whole = |end: &usize| self.0.is_char_boundary(*end);
        let end = (0..=offset.min(self.0.len())).rev().find(is_whole).unwrap_or(0);
        let before = &self.0[..end];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Place { line, column: before[line_start..].chars().count() + 1 }
    }
}
