//! Entries that could not be deleted or moved. All are counted, but only the first ones are stored.

use super::reason::Reason;
use crate::platform::Errno;

/// Entry that could not be deleted or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Path, starting with the root as given by the user.
    pub path: Vec<u8>,
    pub reason: Reason,
}

/// Entries that could not be deleted or moved: their total number, and the first ones with path and reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Total number of failed entries.
    pub count: u64,
    /// The first failed entries, up to [`Failures::MOST`].
    pub first: Vec<Failure>,
}

impl Failures {
    /// Maximum number of stored failures. This is more than a user will read.
    pub const MOST: usize = 1000;

    pub(crate) fn push(&mut self, path: impl FnOnce() -> Vec<u8>, reason: Reason) {
        self.count += 1;
        if self.first.len() < Self::MOST {
            self.first.push(Failure { path: path(), reason });
        }
    }
}

/// Counts of entries that will be kept, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub mounts: u64,
    /// Entries that the user has no permission to delete.
    pub denied: u64,
    /// Entries on a read-only file system.
    pub read_only: u64,
    /// Entries that are immutable or append-only, or that lie in an immutable or append-only directory.
    pub locked: u64,
    /// Entries kept for any reason not listed above, such as unreadable metadata.
    pub other: u64,
}

impl Kept {
    /// Counts an entry that will be kept because of `reason`.
    pub(crate) fn count(&mut self, reason: Reason) {
        const DENIED: Reason = Reason::System(Errno::EACCES as i32);
        const LOCKED: Reason = Reason::System(Errno::EPERM as i32);
        const READ_ONLY: Reason = Reason::System(Errno::EROFS as i32);
        *match reason {
            Reason::Mount => &mut self.mounts,
            DENIED => &mut self.denied,
            LOCKED => &mut self.locked,
            READ_ONLY => &mut self.read_only,
            _ => &mut self.other,
        } += 1;
    }
}
