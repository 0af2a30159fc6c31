//! Ctrl-C in a run without a browser: the first one can be held back, so that the partial result is still
//! printed.
//!
//! No thread takes part: the loop that waits for a scan checks every few milliseconds for a signal.
//!
//! Invariant: a signal is either recorded once, or ends the process at once; a second one always ends it.

use std::io;

use signal_hook::consts::SIGINT;
use signal_hook::{flag, low_level};

use super::actions::is_ignored;
use super::signals::Signal;
use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::platform::entry::unfinished::remove_all;

/// Exit code of a process ended by SIGINT, as shells report it.
const CODE: i32 = 130;

/// Held-back SIGINT.
#[derive(Debug)]
pub struct Interrupt {
    /// `true` if the next signal ends the process, because one was recorded or none is held back any longer.
    /// Set by the handler and by [`Interrupt::release`]. `SeqCst`: it orders signals against threads, and
    /// speed does not matter.
    ends: Arc<AtomicBool>,
}

impl Interrupt {
    /// Records the first SIGINT from now on instead of ending the process. If it was ignored when the process
    /// began, as in a background job, it stays ignored.
    ///
    /// # Errors
    /// Those of sigaction(2). Every signal ends the process then.
    pub fn hold() -> io::Result<Self> {
        let ends = Arc::new(AtomicBool::new(false));
        if !is_ignored(Signal::SIGINT) {
            // In this order, the first signal finds the flag down and raises it.
            register_end(Arc::clone(&ends))?;
            flag::register(SIGINT, Arc::clone(&ends))?;
        }
        Ok(Self { ends })
    }

    /// Returns `true` if a signal was recorded.
    pub fn was_noted(&self) -> bool {
        self.ends.load(Ordering::SeqCst)
    }

    /// Returns the flag that a recorded signal sets.
    pub fn flag(&self) -> &AtomicBool {
        &self.ends
    }

    /// Lets the next signal end the process. Returns `true` if one was recorded before.
    pub fn release(self) -> bool {
        self.ends.swap(true, Ordering::SeqCst)
    }
}

/// Makes SIGINT end the process once the flag is set, and delete unfinished files.
#[allow(unsafe_code)]
fn register_end(ends: Arc<AtomicBool>) -> io::Result<()> {
    let end = move || {
        if ends.load(Ordering::SeqCst) {
            remove_all();
            low_level::exit(CODE);
        }
    };
    // SAFETY: the handler calls only functions that are safe in one (signal-safety(7)): nanosleep, unlinkat,
    // _exit, and atomics. It allocates nothing.
    unsafe { low_level::register(SIGINT, end) }.map(drop)
}
