//! Stopping the process (SIGTSTP: Ctrl-Z, `kill -TSTP`) only while the terminal is given back.
//!
//! Any thread can take a signal that is sent to the process, and the others continue for a moment: a thread
//! that gives the terminal back, lets the process stop and takes the terminal again could do all of that
//! before the stop takes effect. So every thread blocks SIGTSTP for good; one waits for it, has the terminal
//! given back, and unblocks the signal for the call that sends it to itself. Only this thread can take it
//! then, and it does so before the call returns.
//!
//! Invariant: once [`hold`] has returned, SIGTSTP stops this process inside of `stop_here` only.

use std::io;
use std::thread;

use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::unistd::Pid;

use super::actions::is_ignored;
use crate::base::sync::{Condvar, Mutex, OnceLock, lock};

/// Function that runs around a stop: it acts before, calls the stop itself, and acts afterwards.
pub type Around = Box<dyn Fn(&dyn Fn() -> io::Result<()>) + Send>;

/// Stops of this process.
#[derive(Default)]
struct Stops {
    around: Mutex<Option<Around>>,
    /// Number of stops so far.
    count: Mutex<u64>,
    is_over: Condvar,
}

static STOPS: OnceLock<Stops> = OnceLock::new();

/// Makes SIGTSTP stop this process only through [`around`]. To be called before any thread is started, since
/// existing threads could still be stopped.
///
/// # Errors
/// When no thread can be started.
pub fn hold() -> io::Result<()> {
    // A process that was started with the signal ignored keeps ignoring it.
    if is_ignored(Signal::SIGTSTP) || STOPS.get().is_some() {
        return Ok(());
    }
    stop_signal().thread_block()?;
    let stops = STOPS.get_or_init(Stops::default);
    let begun = thread::Builder::new().name("stops".into()).spawn(|| {
        while stop_signal().wait().is_ok() {
            match &*lock(&stops.around) {
                Some(around) => around(&stop_here),
                // The system would refuse it again.
                None => drop(stop_here()),
            }
            *lock(&stops.count) += 1;
            stops.is_over.notify_all();
        }
    });
    if begun.is_err() {
        stop_signal().thread_unblock()?;
    }
    begun.map(drop)
}

/// Sets the function that runs around a stop.
pub fn around(what: Around) {
    if let Some(stops) = STOPS.get() {
        *lock(&stops.around) = Some(what);
    }
}

/// Stops this process and everything in its group until the shell continues them, as Ctrl-Z does. Returns at
/// once if no shell could continue them.
///
/// # Errors
/// Those of kill(2).
pub fn stop_group() -> io::Result<()> {
    let Some(stops) = STOPS.get() else { return Ok(()) };
    let mut count = lock(&stops.count);
    let before = *count;
    // Zero means the group of this process, which includes the waiting thread. The system does not stop an
    // orphaned group.
    kill(Pid::from_raw(0), Signal::SIGTSTP)?;
    while *count == before {
        count = stops.is_over.wait(count).unwrap_or_else(crate::base::sync::PoisonError::into_inner);
    }
    Ok(())
}

/// Stops this process, unless no shell could continue it, and returns when it continues.
fn stop_here() -> io::Result<()> {
    raise(Signal::SIGTSTP)?;
    stop_signal().thread_unblock()?;
    Ok(stop_signal().thread_block()?)
}

fn stop_signal() -> SigSet {
    SigSet::from(Signal::SIGTSTP)
}
