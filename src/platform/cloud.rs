//! Files that are only in the cloud: they look like any other, and are fetched when somebody opens them.
//!
//! A scan must not fetch anything, so its threads refuse it, each for itself: what duke starts, a shell or a pager, takes
//! over the policy of the process, which is never touched. (Restoring that one would take more: on macOS the default of a
//! *process* is to refuse, `getiopolicy_np(3)`.)
//!
//! Knows nothing of scans. Invariant: other threads of this process are not affected.

/// From now on the calling thread fetches nothing: opening a folder that is only in the cloud is `EDEADLK` (macOS).
pub fn refuse() {
    set(OFF);
}

/// The calling thread does again what the process does.
pub fn as_the_process() {
    set(DEFAULT);
}

/// `IOPOL_MATERIALIZE_DATALESS_FILES_DEFAULT`
const DEFAULT: i32 = 0;
/// `IOPOL_MATERIALIZE_DATALESS_FILES_OFF`
const OFF: i32 = 1;

#[cfg(target_os = "macos")]
#[allow(unsafe_code)]
fn set(policy: i32) {
    /// `IOPOL_TYPE_VFS_MATERIALIZE_DATALESS_FILES`
    const DATALESS_FILES: i32 = 3;
    /// `IOPOL_SCOPE_THREAD`
    const THREAD: i32 = 1;
    // sys/resource.h, macOS 10.15. SAFETY: the declaration is the header's, and the call takes three numbers.
    unsafe extern "C" {
        safe fn setiopolicy_np(iotype: i32, scope: i32, policy: i32) -> i32;
    }
    // Systems older than the policy refuse it, and fetch nothing either.
    let _ = setiopolicy_np(DATALESS_FILES, THREAD, policy);
}
#[cfg(not(target_os = "macos"))]
fn set(_: i32) {}
