//! Ctrl-C in a run without a browser: the first one can be held back, so that the partial result is still
//! printed.
//!
//! No thread takes part: the loop that waits for a scan checks for a signal every few milliseconds.
//!
//! Invariant: a signal is either recorded once or ends the process at once. A second signal always ends it.

use std::io;

use signal_hook::consts::SIGINT;
use signal_hook::{flag, low_level};

use super::actions::is_ignored;
use super::signals::Signal;
use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::platform::entry::unfinished::remove_all;

/// Exit code of a process that SIGINT has ended, as shells report it.
const CODE: i32 = 130;

/// SIGINT that is held back.
#[derive(Debug)]
pub struct Interrupt {
    /// `true` if the next signal ends the process, because one was recorded, or because signals are not held
    /// back any more. Set by the handler and by [`Interrupt::release`]. `SeqCst`: it orders signals against
    /// threads, and speed does not matter.
    ends: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on, the first SIGINT is recorded and does not end the process. If SIGINT was ignored when the
    /// process began, as in a background job, it stays ignored.
    ///
    /// # Errors
    /// Those of sigaction(2). Every signal ends the process then.
    pub fn hold() -> io::Result<Self> {
        let ends = Arc::new(AtomicBool::new(false));
        if !is_ignored(Signal::SIGINT) {
            // In this order, the first signal finds that the flag is not set, and sets it.
            register_end(Arc::clone(&ends))?;
            flag::register(SIGINT, Arc::clone(&ends))?;
        }
        Ok(Self { ends })
    }

    /// Returns `true` if a signal was recorded.
    pub fn was_noted(&self) -> bool {
        self.ends.load(Ordering::SeqCst)
    }

    /// Returns the flag that is set when a signal is recorded.
    pub fn flag(&self) -> &AtomicBool {
        &self.ends
    }

    /// Lets the next signal end the process. Returns `true` if one was recorded before.
    pub fn release(self) -> bool {
        self.ends.swap(true, Ordering::SeqCst)
    }
}

/// Makes SIGINT delete unfinished files and end the process when the flag is set.
#[allow(unsafe_code)]
fn register_end(ends: Arc<AtomicBool>) -> io::Result<()> {
    let end = move || {
        if ends.load(Ordering::SeqCst) {
            remove_all();
            low_level::exit(CODE);
        }
    };
    // SAFETY: the handler calls only functions that are allowed in one (signal-safety(7)): nanosleep, unlinkat,
    // _exit, and atomics. It allocates nothing.
    unsafe { low_level::register(SIGINT, end) }.map(drop)
}
