//! Control of the snapshot writer (size limit, cancel flag, entry counter), and the reasons for failures.

use std::fmt;
use std::io;

use crate::base::os_error::cannot_write;
use crate::base::sync::AtomicBool;
use crate::formats::WrittenEntries;

/// Size limit and cancel flag for writing a snapshot, and a counter of the entries written.
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
    /// Creates a control without a size limit and without a counter.
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
    /// The user canceled the write.
    Stopped,
    /// The tree is incomplete or damaged, or changed while it was written.
    UnusableTree,
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(error) => formatter.write_str(&cannot_write(error)),
            Self::TooLarge => formatter.write_str(
                "the snapshot is larger than half of the setting snapshot-size, or it would leave the disk \
                nearly full; write elsewhere with -o FILE",
            ),
            Self::Stopped => formatter.write_str("stopped"),
            Self::UnusableTree => {
                formatter.write_str("the data changed while the snapshot was written, or is damaged")
            }
        }
    }
}

impl std::error::Error for WriteError {}
