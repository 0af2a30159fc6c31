//! Ctrl-C for a run without a browser: a first one may be held back so that what was read is still printed.
//!
//! A handler can reach nothing but a static, so there is one, here: the disposition of a signal is the process's in any
//! case. No thread and no pipe take part: whoever waits for a scan looks every few milliseconds whether a signal came.
//!
//! Invariant: a signal is either noted once, or it ends the process at once; so a second one always does.

use crate::sync::{AtomicU8, Ordering};

/// The process ends at the next signal.
const ENDS: u8 = 0;
/// The next signal is noted.
const HOLDS: u8 = 1;
/// A signal was noted; the process ends at the next one.
const NOTED: u8 = 2;

/// Written by [`hold`], [`release`] and the handler, each in one step. `SeqCst`: it orders a signal against the threads, and
/// speed is no matter here.
static STATE: AtomicU8 = AtomicU8::new(ENDS);

/// Exit code of a process ended by SIGINT, as shells give it.
const CODE: libc::c_int = 130;

/// From now on the first SIGINT is noted instead of ending the process. One that was ignored when the process began, as in
/// a background job, stays ignored.
#[allow(unsafe_code)]
pub fn hold() {
    STATE.store(HOLDS, Ordering::SeqCst);
    // SAFETY: all zeros is a valid `sigaction`: no flags, an empty mask and the default handler.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: a null action asks only; `before` is valid for writing. sigaction(2) fails only for a bad signal number.
    unsafe { libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut before) };
    if before.sa_sigaction == libc::SIG_IGN {
        return;
    }
    // SAFETY: as above.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // Interrupted calls go on: it is the waiting loop that looks.
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: `action` is whole, and its handler does only what signal-safety(7) allows: it uses an atomic and `_exit`.
    unsafe { libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut()) };
}

/// Whether a SIGINT was noted.
pub fn was_noted() -> bool {
    STATE.load(Ordering::SeqCst) == NOTED
}

/// From now on the next SIGINT ends the process. Says whether one was noted before.
pub fn release() -> bool {
    let noted = was_noted();
    // A signal between the two lines finds `HOLDS`, turns it into `NOTED`, and is seen by the exchange.
    noted || STATE.compare_exchange(HOLDS, ENDS, Ordering::SeqCst, Ordering::SeqCst) == Err(NOTED)
}

#[allow(unsafe_code)]
extern "C" fn handle(_: libc::c_int) {
    if STATE.compare_exchange(HOLDS, NOTED, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        // SAFETY: `_exit` may be called from a handler and never returns.
        unsafe { libc::_exit(CODE) }
    }
}
