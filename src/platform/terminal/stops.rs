//! Suspension of the process by SIGTSTP (Ctrl-Z, `kill -TSTP`). The process stops only after it has handed the
//! terminal back to the shell, that is, restored the original screen and modes.
//!
//! A signal to the process can be received by any thread, and the other threads continue for a moment. A thread could
//! therefore hand the terminal back, send the signal and take the terminal again before the process stops. To prevent
//! this, every thread blocks SIGTSTP. One thread waits for the signal, hands the terminal back, sends the signal to
//! itself and unblocks the signal briefly. During that time, only this thread can receive the signal, and the process
//! stops before the unblocking call returns.
//!
//! Invariant: after [`hold`] has returned, SIGTSTP stops this process only inside `stop_here`.

use std::io;
use std::thread;

use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::unistd::Pid;

use super::actions::is_ignored;
use crate::base::sync::{Condvar, Mutex, OnceLock, lock};

/// Function called when SIGTSTP is about to stop the process. The function must hand the terminal back, call its
/// argument to stop the process, and take the terminal again once the process continues.
pub type Around = Box<dyn Fn(&dyn Fn() -> io::Result<()>) + Send>;

/// State shared with the thread that stops this process.
#[derive(Default)]
struct Stops {
    around: Mutex<Option<Around>>,
    /// Number of SIGTSTP signals handled so far. A signal is not counted until the process has continued.
    count: Mutex<u64>,
    is_over: Condvar,
}

static STOPS: OnceLock<Stops> = OnceLock::new();

/// Makes SIGTSTP call the function set with [`around`], which then stops this process. If no function is set, SIGTSTP
/// stops this process directly. Must be called before any thread is started, because existing threads would not block
/// the signal.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn hold() -> io::Result<()> {
    // A process that was started with SIGTSTP ignored continues to ignore it.
    if is_ignored(Signal::SIGTSTP) || STOPS.get().is_some() {
        return Ok(());
    }
    stop_signal().thread_block()?;
    let stops = STOPS.get_or_init(Stops::default);
    let begun = thread::Builder::new().name("stops".into()).spawn(|| {
        while stop_signal().wait().is_ok() {
            match &*lock(&stops.around) {
                Some(around) => around(&stop_here),
                // Errors are ignored, because another attempt to stop the process would fail too.
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

/// Sets the function that is called each time SIGTSTP is about to stop the process; see [`Around`].
pub fn around(around: Around) {
    if let Some(stops) = STOPS.get() {
        *lock(&stops.around) = Some(around);
    }
}

/// Stops this process and its process group, as Ctrl-Z does, and returns when the shell continues them. Returns
/// immediately if SIGTSTP is ignored or no shell could continue the group.
///
/// # Errors
/// Returns any error of kill(2).
pub fn stop_group() -> io::Result<()> {
    let Some(stops) = STOPS.get() else { return Ok(()) };
    let mut count = lock(&stops.count);
    let before = *count;
    // PID 0 signals the whole process group. In this process, the thread that waits for SIGTSTP receives the signal,
    // calls `stop_here`, and then increments `count`, which ends the loop below. If the group is orphaned, the system
    // does not stop the group, so `stop_here` returns at once.
    kill(Pid::from_raw(0), Signal::SIGTSTP)?;
    while *count == before {
        count = stops.is_over.wait(count).unwrap_or_else(crate::base::sync::PoisonError::into_inner);
    }
    Ok(())
}

/// Stops this process until a shell continues it. If no shell could do so, the system ignores the signal.
fn stop_here() -> io::Result<()> {
    raise(Signal::SIGTSTP)?;
    stop_signal().thread_unblock()?;
    Ok(stop_signal().thread_block()?)
}

fn stop_signal() -> SigSet {
    SigSet::from(Signal::SIGTSTP)
}
