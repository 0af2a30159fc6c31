//! Any Unix: default limits, freedesktop.org conventions, and replacements for calls that only Linux or macOS has.

use std::path::PathBuf;

/// `true` if poll(2) reports a terminal hangup even if no event is requested.
pub const POLL_REPORTS_HANGUP: bool = true;
/// Upper limit of the default number of scan threads.
pub const MOST_THREADS: usize = 64;
/// Program that opens a file with the application for its type.
pub const OPENER: &str = "xdg-open";
/// Option with which [`OPENER`] shows an entry in its folder instead of running it. `None`, because `xdg-open` never
/// runs programs.
pub const REVEAL: Option<&str> = None;
/// Clipboard tool that the operating system always includes; `None` if there is no such tool.
pub const CLIPBOARD_TOOL: Option<&str> = None;
/// `true` if the trash has the directories `files` and `info` (freedesktop.org Trash specification).
pub const TRASH_HAS_INFO: bool = true;
/// Text between a name in the trash and the number that makes it unique.
pub const TRASH_NAME_SEPARATOR: &str = ".";
/// `true` if stat(1) prints the birth time with nanoseconds.
pub const BIRTH_HAS_NANOSECONDS: bool = false;
/// Maximum number of open descriptors that the system accepts; `None` if only the hard limit applies.
pub const MOST_DESCRIPTORS: Option<libc::rlim_t> = None;

/// Returns the path of the trash: in `XDG_DATA_HOME` if this variable is an absolute path, otherwise in `.local/share`
/// of the home directory `home`. Returns `None` if neither directory is known.
pub fn home_trash(home: Option<PathBuf>) -> Option<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|data| data.is_absolute());
    data.or_else(|| home.map(|home| home.join(".local/share"))).map(|data| data.join("Trash"))
}

/// Does nothing, because only macOS has an I/O policy for files in the cloud.
pub fn set_io_policy(_: i32) {}

/// Returns `wanted`, because duke checks for a limited address space only on Linux.
pub fn threads_with_room(wanted: usize) -> usize {
    wanted
}

/// Returns `None`, because only macOS has privacy settings that deny access to files.
pub fn remedy(_: i32) -> Option<&'static str> {
    None
}

/// Does nothing, because only glibc is known to keep large blocks of memory after they are freed.
pub fn return_large_blocks() {}

/// Does nothing, because nice(2) can lower the priority of a single thread only on Linux.
pub fn lower_priority() {}
