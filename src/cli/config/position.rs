//! Positions in a file, and warnings with positions.
//!
//! Invariant: the text of a warning is escaped with [`crate::base::text::escape`].

/// Line and column, both counted from 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// Warning about a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub at: Position,
    /// Message, escaped for a terminal.
    pub reason: String,
}

impl Warning {
    pub fn new(at: Position, reason: &str) -> Self {
        Self { at, reason: reason.to_owned() }
    }

    /// Formats the warning as one line: `file:line:column: reason`.
    pub fn line(&self, file: &str) -> String {
        format!("{file}:{}:{}: {}", self.at.line, self.at.column, self.reason)
    }
}

#[derive(Clone, Copy)]
pub struct Text<'t>(pub &'t str);

impl Text<'_> {
    /// Returns the position of the character that contains byte `offset`, or of the end if `offset` is beyond it.
    pub fn position(self, offset: usize) -> Position {
        let is_whole = |end: &usize| self.0.is_char_boundary(*end);
        let end = (0..=offset.min(self.0.len())).rev().find(is_whole).unwrap_or(0);
        let before = &self.0[..end];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Position { line, column: before[line_start..].chars().count() + 1 }
    }
}
