//! Ctrl-C in a run without the browser: the first SIGINT can be held back, so that the partial result is still printed.
//!
//! No extra thread is needed: the loop that waits for the scan checks for a signal every few milliseconds.
//!
//! Invariant: unless SIGINT is ignored, the first SIGINT is recorded or ends the process immediately, and the second
//! always ends the process.

use std::io;

use signal_hook::consts::SIGINT;
use signal_hook::{flag, low_level};

use super::actions::is_ignored;
use super::signals::Signal;
use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::platform::entry::unfinished::remove_all;

/// Exit code of a process ended by SIGINT, as reported by shells.
const CODE: i32 = 130;

/// Handle for holding back the first SIGINT.
#[derive(Debug)]
pub struct Interrupt {
    /// `true` if the next SIGINT ends the process: after a recorded signal, after [`Interrupt::release`], or if
    /// recording could not be set up. `SeqCst`, because handlers and threads share the flag, and speed does not matter.
    ends_on_next: Arc<AtomicBool>,
}

impl Interrupt {
    /// Makes the process record the next SIGINT instead of ending. If SIGINT was ignored when the process started, as
    /// in a background job, it stays ignored.
    ///
    /// # Errors
    /// Returns any error of sigaction(2). After an error, every SIGINT ends the process.
    pub fn hold() -> io::Result<Self> {
        let ends_on_next = Arc::new(AtomicBool::new(false));
        if !is_ignored(Signal::SIGINT) {
            // Handlers run in the order of registration, so this one finds the flag unset on the first signal, and ends
            // the process on the second. The next handler sets the flag.
            register_end(Arc::clone(&ends_on_next))?;
            flag::register(SIGINT, Arc::clone(&ends_on_next))
                .inspect_err(|_| ends_on_next.store(true, Ordering::SeqCst))?;
        }
        Ok(Self { ends_on_next })
    }

    /// Returns `true` if a signal was recorded.
    pub fn was_recorded(&self) -> bool {
        self.ends_on_next.load(Ordering::SeqCst)
    }

    /// Returns the flag that is set when a signal is recorded.
    pub fn flag(&self) -> &AtomicBool {
        &self.ends_on_next
    }

    /// Lets the next signal end the process. Returns the previous value of the flag: `true` if a signal was recorded.
    pub fn release(self) -> bool {
        self.ends_on_next.swap(true, Ordering::SeqCst)
    }
}

/// Installs a SIGINT handler. If `ends_on_next` is set, the handler deletes unfinished files and ends the process.
#[allow(unsafe_code)]
fn register_end(ends_on_next: Arc<AtomicBool>) -> io::Result<()> {
    let end = move || {
        if ends_on_next.load(Ordering::SeqCst) {
            remove_all();
            low_level::exit(CODE);
        }
    };
    // SAFETY: the handler calls only async-signal-safe functions (signal-safety(7)): getpid, nanosleep, unlinkat,
    // _exit, and atomics. It allocates nothing.
    unsafe { low_level::register(SIGINT, end) }.map(drop)
}
