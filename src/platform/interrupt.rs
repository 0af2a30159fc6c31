//! Ctrl-C for a run without a browser: a first one may be held back so that what was read is still printed.
//!
//! No thread takes part: whoever waits for a scan looks every few milliseconds whether a signal came.
//!
//! Invariant: a signal is either noted once, or it ends the process at once; so a second one always does.

use std::io;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::signals::{Signal, is_ignored};
use crate::sync::{Arc, AtomicBool, Ordering};

/// Exit code of a process ended by SIGINT, as shells give it.
const CODE: i32 = 130;

/// SIGINT, held back.
#[derive(Debug)]
pub struct Interrupt {
    /// Whether the next signal ends the process: because one was noted, or because none is held back any longer. Set by
    /// the handler and by [`Interrupt::release`]. `SeqCst`: it orders signals against threads, and speed is no matter.
    ends: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on the first SIGINT is noted instead of ending the process. One that was ignored when the process began,
    /// as in a background job, stays ignored.
    ///
    /// # Errors
    /// As sigaction(2). Every signal ends the process then.
    pub fn hold() -> io::Result<Self> {
        let ends = Arc::new(AtomicBool::new(false));
        if !is_ignored(Signal::SIGINT) {
            // In this order: the first signal finds the flag down and raises it.
            flag::register_conditional_shutdown(SIGINT, CODE, Arc::clone(&ends))?;
            flag::register(SIGINT, Arc::clone(&ends))?;
        }
        Ok(Self { ends })
    }

    /// Whether a signal was noted.
    pub fn was_noted(&self) -> bool {
        self.ends.load(Ordering::SeqCst)
    }

    /// What a noted signal raises, for whoever can only look at a flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.ends
    }

    /// From now on the next signal ends the process. Says whether one was noted before.
    pub fn release(self) -> bool {
        self.ends.swap(true, Ordering::SeqCst)
    }
}
