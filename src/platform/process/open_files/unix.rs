//! Any Unix: no system call lists the files of other processes.

use super::Found;

/// Returns an empty result, because these systems are not supported.
pub fn find(_: impl Fn() -> bool + Sync) -> Found {
    Found::default()
}
