//! Conditions under which writing a snapshot ends early, the reasons for a failure, and a counter of written entries.

use std::fmt;
use std::io;

use crate::base::os_error::io_error_text;
use crate::base::sync::AtomicBool;
use crate::formats::WrittenEntries;

/// Conditions under which writing ends early, and progress of the writing.
#[derive(Clone, Copy, Debug)]
pub struct WriteControl<'a> {
    /// Maximum number of bytes to write.
    pub bytes: u64,
    /// Flag that cancels the snapshot when it is set. `Relaxed` ordering is enough, because the flag guards no data.
    pub stop: &'a AtomicBool,
    /// Counter of the entries written, including the roots; `None` if the progress is not shown.
    pub written: Option<&'a WrittenEntries>,
}

impl<'a> WriteControl<'a> {
    /// Creates conditions without a maximum size and without a counter.
    pub fn new(stop: &'a AtomicBool) -> Self {
        Self { bytes: u64::MAX, stop, written: None }
    }
}

/// Reason why no snapshot was written.
#[derive(Debug)]
pub enum WriteError {
    /// The output cannot be written to.
    Output(io::Error),
    /// The snapshot would be larger than [`WriteControl::bytes`].
    TooLarge,
    /// The user stopped writing.
    Stopped,
    /// The tree is incomplete or damaged, or changed while it was written.
    Changing,
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(error) => formatter.write_str(&io_error_text(error)),
            Self::TooLarge => formatter.write_str(
                "snapshot larger than half of snapshot-size, or the disk would be nearly full; write elsewhere \
                with -o FILE",
            ),
            Self::Stopped => formatter.write_str("stopped"),
            Self::Changing => formatter.write_str("the tree changed while it was written, or is damaged"),
        }
    }
}

impl std::error::Error for WriteError {}
