//! I/O policy for files in the cloud, which look like any other file and are downloaded when they are opened.
//!
//! A scan must not download anything, so each of its threads disables it for itself. Programs that duke
//! starts, a shell or a pager, inherit the policy of the process, which is never changed. (Restoring it would
//! be harder: on macOS the default of a *process* is not to download, `getiopolicy_np(3)`.)
//!
//! Invariant: other threads of this process are not affected.

use super::imp::set_io_policy;

/// Disables downloads for the calling thread: opening a folder in the cloud fails with `EDEADLK` (macOS).
pub fn refuse() {
    set_io_policy(OFF);
}

/// Restores the policy of the process for the calling thread.
pub fn as_the_process() {
    set_io_policy(DEFAULT);
}

/// `IOPOL_MATERIALIZE_DATALESS_FILES_DEFAULT`
const DEFAULT: i32 = 0;
/// `IOPOL_MATERIALIZE_DATALESS_FILES_OFF`
const OFF: i32 = 1;
