//! Stops the process (SIGTSTP: Ctrl-Z, `kill -TSTP`) only while the terminal is given back.
//!
//! Any thread can receive a signal that is sent to the process, and the other threads continue for a moment. A
//! thread that gives the terminal back, lets the process stop and takes the terminal again could do all of that
//! before the stop takes effect. So every thread blocks SIGTSTP for good. One thread waits for it, gives the
//! terminal back, and unblocks the signal for the call with which it sends the signal to itself. Only this
//! thread can receive it then, before the call returns.
//!
//! Invariant: after [`hold`] has returned, SIGTSTP stops this process only inside of `stop_here`.

use std::io;
use std::thread;

use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::unistd::Pid;

use super::actions::is_ignored;
use crate::base::sync::{Condvar, Mutex, OnceLock, lock};

/// Function that is called around a stop. It gets the stop itself as a function, which it calls between its
/// actions before and after.
pub type Around = Box<dyn Fn(&dyn Fn() -> io::Result<()>) + Send>;

/// State of the stops of this process.
#[derive(Default)]
struct Stops {
    around: Mutex<Option<Around>>,
    /// Number of stops so far.
    count: Mutex<u64>,
    is_over: Condvar,
}

static STOPS: OnceLock<Stops> = OnceLock::new();

/// Makes SIGTSTP stop this process only through [`around`]. Must be called before any thread is started,
/// because existing threads could still be stopped.
///
/// # Errors
/// When no thread can be started.
pub fn hold() -> io::Result<()> {
    // If the process was started with the signal ignored, the signal stays ignored.
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

/// Sets the function that is called around a stop.
pub fn around(what: Around) {
    if let Some(stops) = STOPS.get() {
        *lock(&stops.around) = Some(what);
    }
}

/// Stops this process and its group until the shell continues them, as Ctrl-Z does. Returns at once if no shell
/// could continue them.
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

/// Stops this process, unless no shell could continue it, and returns when the process continues.
fn stop_here() -> io::Result<()> {
    raise(Signal::SIGTSTP)?;
    stop_signal().thread_unblock()?;
    Ok(stop_signal().thread_block()?)
}

fn stop_signal() -> SigSet {
    SigSet::from(Signal::SIGTSTP)
}
