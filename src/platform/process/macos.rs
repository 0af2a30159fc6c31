//! macOS: trash folder, limits on threads and descriptors, I/O policy for files in the cloud, and programs that open
//! files or set the clipboard.

#[path = "unix.rs"]
#[allow(dead_code)] // this file replaces some items of `unix`
mod unix;

use std::path::PathBuf;

pub use unix::*; // includes `threads_with_room`, because `RLIMIT_AS` does not limit the address space on macOS

/// `false`, because poll(2) reports no terminal hangup if no event is requested: the kernel watches only for requested
/// events. For `/dev/tty`, poll(2) does not work at all.
pub const POLL_REPORTS_HANGUP: bool = false;
/// Upper limit of the default number of scan threads. More threads would slow each other down by waiting for locks in
/// APFS (docs/macos.md).
pub const MOST_THREADS: usize = 8;
/// Program that opens a file with the application for its type.
pub const OPENER: &str = "open";
/// Option with which [`OPENER`] shows an entry in its folder instead of opening it. Without the option, `open` launches
/// applications and runs scripts.
pub const REVEAL: Option<&str> = Some("-R");
/// Clipboard tool that the operating system always includes.
pub const CLIPBOARD_TOOL: Option<&str> = Some("pbcopy");
/// `false`, because the macOS trash contains the entries directly; it has no `files` and `info` directories.
pub const TRASH_HAS_INFO: bool = false;
/// Text between a name in the trash and the number that makes it unique.
pub const TRASH_NAME_SEPARATOR: &str = " ";
/// Maximum number of open descriptors that the system accepts (`OPEN_MAX`), regardless of the hard limit.
pub const MOST_DESCRIPTORS: Option<libc::rlim_t> = Some(10_240);

/// Returns the path of the trash: `.Trash` in the home directory `home`.
pub fn home_trash(home: Option<PathBuf>) -> Option<PathBuf> {
    home.map(|home| home.join(".Trash"))
}

/// Sets the calling thread's I/O policy for files in the cloud.
#[allow(unsafe_code)]
pub fn set_io_policy(policy: i32) {
    /// `IOPOL_TYPE_VFS_MATERIALIZE_DATALESS_FILES` from sys/resource.h.
    const DATALESS_FILES: i32 = 3;
    /// `IOPOL_SCOPE_THREAD` from sys/resource.h.
    const THREAD: i32 = 1;
    // From sys/resource.h, macOS 10.15. SAFETY: the declaration matches the header, and the call takes three numbers.
    unsafe extern "C" {
        safe fn setiopolicy_np(iotype: i32, scope: i32, policy: i32) -> i32;
    }
    // Errors are ignored, because systems without this policy do not download anything.
    let _ = setiopolicy_np(DATALESS_FILES, THREAD, policy);
}

/// Returns the system setting that may resolve an error, or `None` if there is none. Privacy settings deny access with
/// `EPERM`, whereas missing permissions cause `EACCES`.
pub fn remedy(errno: i32) -> Option<&'static str> {
    (errno == libc::EPERM).then_some("Full Disk Access")
}
