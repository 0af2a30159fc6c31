//! Lines of a list that cannot be read, counted, with the first ones named.

use crate::base::format::grouped;

/// Number of lines that are named.
const NAMED: usize = 5;

/// Lines that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct LineFaults {
    first: Vec<String>,
    count: u64,
}

impl LineFaults {
    /// Counts a line. `describe` returns its number or path, and the reason, as text that is safe to print.
    pub(crate) fn note(&mut self, describe: impl FnOnce() -> String) {
        if self.first.len() < NAMED {
            self.first.push(describe());
        }
        self.count += 1;
    }

    /// Returns a message for each named line, and one for the others.
    pub(crate) fn into_messages(self) -> Vec<String> {
        let mut messages = self.first;
        match self.count - messages.len() as u64 {
            0 => {}
            1 => messages.push("1 more line cannot be read".to_owned()),
            more => messages.push(format!("{} more lines cannot be read", grouped(more))),
        }
        messages
    }
}
