//! Unreadable lines in a list: a count of all of them, and messages about the first ones.

use crate::base::format::counted;

/// Maximum number of lines that get their own message.
const NAMED: usize = 5;

#[derive(Debug, Default)]
pub(crate) struct LineFaults {
    first: Vec<String>,
    count: u64,
}

impl LineFaults {
    /// Counts an unreadable line. `describe` returns a message with the line's number or path and the reason. The
    /// message must be safe to print.
    pub(crate) fn note(&mut self, describe: impl FnOnce() -> String) {
        if self.first.len() < NAMED {
            self.first.push(describe());
        }
        self.count += 1;
    }

    /// Returns the messages about the first unreadable lines, and a message with the number of all others, if any.
    pub(crate) fn into_messages(self) -> Vec<String> {
        let mut messages = self.first;
        if let more @ 1.. = self.count - messages.len() as u64 {
            messages.push(counted(more, "more error", "more errors"));
        }
        messages
    }
}
