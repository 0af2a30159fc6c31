//! Which of the standard streams were there when the process began.
//!
//! The runtime of Rust opens `/dev/null` in the place of a closed stream, so that no file gets its number by accident. What is
//! written there is lost without an error, where du(1) says `Bad file descriptor`. So it is noted before that happens.
//!
//! Knows nothing of what is written. Invariant: written to once, before `main`, by one thread.

use std::io;

use nix::errno::Errno;

use crate::sync::{AtomicBool, Ordering};

/// Set before `main`, read by anyone. `Relaxed`: no thread exists before it is set.
static INPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);
static OUTPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether there is a standard input.
///
/// # Errors
/// `EBADF` when the process began without.
pub fn input() -> io::Result<()> {
    check(&INPUT_IS_CLOSED)
}

/// Whether there is a standard output.
///
/// # Errors
/// `EBADF` when the process began without.
pub fn output() -> io::Result<()> {
    check(&OUTPUT_IS_CLOSED)
}

fn check(is_closed: &AtomicBool) -> io::Result<()> {
    if is_closed.load(Ordering::Relaxed) { Err(Errno::EBADF.into()) } else { Ok(()) }
}

/// What the loader calls before `main` (the System V ABI, "Initialization and Termination Functions"). Elsewhere nothing is noted,
/// and a closed stream is `/dev/null`.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
// SAFETY: the section holds pointers to functions that take what `note` ignores; it needs nothing that is set up later.
#[unsafe(link_section = ".init_array")]
#[used]
static NOTE: extern "C" fn() = note;

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
extern "C" fn note() {
    // SAFETY: the call only looks at the table of descriptors of this process.
    let is_closed = |descriptor| unsafe { libc::fcntl(descriptor, libc::F_GETFD) } == -1;
    INPUT_IS_CLOSED.store(is_closed(libc::STDIN_FILENO), Ordering::Relaxed);
    OUTPUT_IS_CLOSED.store(is_closed(libc::STDOUT_FILENO), Ordering::Relaxed);
}
