//! I/O policy for files in the cloud. Such files look like other files, but opening one downloads its contents.
//!
//! A scan must not download anything, so each of its threads disables downloads for itself. The policy of the process
//! is not changed, because programs that duke starts, such as a shell or a pager, inherit it and must be able to
//! download files. Changing the policy of the process temporarily would not help: a process that sets the policy back
//! to the default still does not download (`getiopolicy_np(3)`).
//!
//! Invariant: other threads of this process are not affected.

use super::imp::set_io_policy;

/// Disables downloads for the calling thread. On macOS, opening a folder in the cloud then fails with `EDEADLK`.
pub fn refuse() {
    set_io_policy(OFF);
}

/// Resets the calling thread to the policy of the process.
pub fn as_the_process() {
    set_io_policy(DEFAULT);
}

/// `IOPOL_MATERIALIZE_DATALESS_FILES_DEFAULT` from sys/resource.h.
const DEFAULT: i32 = 0;
/// `IOPOL_MATERIALIZE_DATALESS_FILES_OFF` from sys/resource.h.
const OFF: i32 = 1;
