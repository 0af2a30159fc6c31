//! Input that arrives in chunks, and errors that occur while it is read.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use super::pipe::{Chunks, Next};
use crate::base::os_error::cannot_read;

/// Time without input after which the caller is notified of a pause.
const PATIENCE: Duration = Duration::from_millis(20);

/// Reason why the input was not read to the end, and the position of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Position of the error in the decompressed text, in bytes.
    pub offset: u64,
    pub reason: Reason,
}

/// Reason why reading ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Reading was stopped by the caller.
    Stopped,
    /// The input is invalid. The message may contain control characters, and must be escaped before it is printed.
    Wrong(Cow<'static, str>),
    /// The input could not be read or decompressed, or is empty. The message must be escaped before it is printed.
    Unreadable(Cow<'static, str>),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Stopped => formatter.write_str("stopped"),
            Reason::Unreadable(what) if self.offset == 0 => formatter.write_str(what),
            // Not even the first byte was valid, so the file is in another format.
            Reason::Wrong(what) if self.offset == 0 => {
                write!(formatter, "not an export, a list or a snapshot ({what})")
            }
            Reason::Wrong(what) | Reason::Unreadable(what) => {
                write!(formatter, "byte {}: {what}", self.offset)
            }
        }
    }
}

/// Event reported to the callback `pulse` of [`next_chunk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pulse {
    /// A chunk has arrived.
    Fed,
    /// No chunk has arrived within [`PATIENCE`].
    Idle,
}

/// Waits for the next chunk, and returns `None` at the end of the input. Calls `pulse` when the chunk arrives, and
/// each time [`PATIENCE`] passes without a chunk. Fails if `pulse` returns `Break`, or if the input cannot be read.
pub(crate) fn next_chunk(
    chunks: &mut Chunks,
    pulse: &dyn Fn(Pulse) -> ControlFlow<()>,
) -> Result<Option<Vec<u8>>, Reason> {
    loop {
        let next = match chunks.next(PATIENCE) {
            Ok(next) => next,
            Err(error) => return Err(Reason::Unreadable(cannot_read(&error).into())),
        };
        let event = match &next {
            Next::Bytes(_) => Pulse::Fed,
            Next::Nothing => Pulse::Idle,
            Next::End => return Ok(None),
        };
        if pulse(event).is_break() {
            return Err(Reason::Stopped);
        }
        if let Next::Bytes(bytes) = next {
            return Ok(Some(bytes));
        }
    }
}
