//! Errors in the lines of a list: their number, and messages for the first ones.

use crate::base::format::counted;

/// Maximum number of errors that get their own message.
const NAMED: usize = 5;

#[derive(Debug, Default)]
pub(crate) struct LineFaults {
    first: Vec<String>,
    count: u64,
}

impl LineFaults {
    /// Counts an error. `describe` returns a message, safe to print, with the line's number or path and the reason.
    pub(crate) fn note(&mut self, describe: impl FnOnce() -> String) {
        if self.first.len() < NAMED {
            self.first.push(describe());
        }
        self.count += 1;
    }

    /// Returns the messages for the first errors, and a message with the number of the other errors, if any.
    pub(crate) fn into_messages(self) -> Vec<String> {
        let mut messages = self.first;
        if let more @ 1.. = self.count - messages.len() as u64 {
            messages.push(counted(more, "more error", "more errors"));
        }
        messages
    }
}
