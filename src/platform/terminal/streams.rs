//! Standard streams that were closed when the process started.
//!
//! Rust's runtime opens `/dev/null` in place of a closed stream, so that no other file accidentally gets the descriptor
//! number of that stream. Output to that stream would be lost without an error, whereas du(1) reports `Bad file
//! descriptor`. Therefore the state of the streams is recorded before the runtime starts.
//!
//! Invariant: the state is written once, before `main`, by a single thread.

use std::io;

use nix::errno::Errno;

use crate::base::sync::{AtomicBool, Ordering};

/// `true` if standard input was closed when the process started. This flag and `OUTPUT_IS_CLOSED` are set before `main`
/// and read by all threads. `Relaxed` ordering is enough, because no other thread exists yet when the flags are set.
static INPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);
static OUTPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Checks that standard input was open when the process started.
///
/// # Errors
/// Returns `EBADF` if the stream was closed.
pub fn input() -> io::Result<()> {
    check(&INPUT_IS_CLOSED)
}

/// Checks that standard output was open when the process started.
///
/// # Errors
/// Returns `EBADF` if the stream was closed.
pub fn output() -> io::Result<()> {
    check(&OUTPUT_IS_CLOSED)
}

fn check(is_closed: &AtomicBool) -> io::Result<()> {
    if is_closed.load(Ordering::Relaxed) { Err(Errno::EBADF.into()) } else { Ok(()) }
}

/// Returns the width in columns of the terminal on standard error, if it reports one (`TIOCGWINSZ`).
pub fn columns() -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the call writes only a `winsize`, and `size` is a writable `winsize`.
    #[allow(unsafe_code)]
    let result = unsafe { libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    (result == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// Records whether standard input and standard output are closed. On Linux, the loader calls this function before
/// `main` (`process/linux.rs`). On other systems, it is not called, and a closed stream behaves like `/dev/null`.
#[allow(unsafe_code)]
pub extern "C" fn note() {
    // SAFETY: the call only reads the descriptor table of this process.
    let is_closed = |descriptor| unsafe { libc::fcntl(descriptor, libc::F_GETFD) } == -1;
    INPUT_IS_CLOSED.store(is_closed(libc::STDIN_FILENO), Ordering::Relaxed);
    OUTPUT_IS_CLOSED.store(is_closed(libc::STDOUT_FILENO), Ordering::Relaxed);
}
