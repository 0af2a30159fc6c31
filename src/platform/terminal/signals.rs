//! Signals and terminal hangups, as events that a thread can wait for.
//!
//! Invariant: a signal handler of this module only writes a byte to a pipe. The exception is the handler for SIGABRT:
//! no other code runs after it, so the handler itself restores the terminal.

use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::select::{FD_SETSIZE, FdSet, select};
pub use nix::sys::signal::Signal;
use nix::sys::signal::raise;
use nix::sys::termios::tcgetattr;
use nix::sys::time::{TimeVal, TimeValLike};
use signal_hook::low_level::pipe;

use super::actions::{FATAL, is_ignored, set_watched};
use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::platform::entry::unfinished::remove_all;
use crate::platform::process::imp::POLL_REPORTS_HANGUP;

/// Event reported by a [`Watch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The process has received this signal.
    Signal(Signal),
    /// The terminal was closed, which may happen without a signal.
    Hangup,
}

/// Watched signals and, if there is one, the watched terminal.
pub struct Watch {
    signals: Vec<(Signal, UnixStream)>,
    terminal: Option<OwnedFd>,
}

impl Watch {
    /// Installs handlers for the signals that ask a program to end. [`Watch::wait`] reports these signals, and the
    /// hangup of `terminal`.
    ///
    /// # Errors
    /// Returns an error if no descriptor is free or the system refuses a handler.
    pub fn new(terminal: Option<OwnedFd>) -> io::Result<Self> {
        let mut signals = Vec::new();
        for signal in FATAL {
            // SIGHUP stays ignored if it was ignored when the process started, as under nohup(1).
            if signal == Signal::SIGHUP && is_ignored(signal) {
                continue;
            }
            let (receiver, sender) = UnixStream::pair()?;
            sender.set_nonblocking(true)?;
            pipe::register(signal as i32, sender)?;
            signals.push((signal, receiver));
        }
        set_watched();
        Ok(Self { signals, terminal })
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// Returns any error of poll(2) and read(2). Such an error would indicate a bug.
    pub fn wait(&mut self) -> io::Result<Event> {
        loop {
            let mut descriptors: Vec<PollFd<'_>> = Vec::new();
            descriptors.extend(
                self.signals.iter().map(|(_, stream)| PollFd::new(stream.as_fd(), PollFlags::POLLIN)),
            );
            let polled = self.terminal.iter().filter(|_| POLL_REPORTS_HANGUP);
            // No event is requested: poll(2) reports hangups in any case, and keys are read elsewhere.
            descriptors.extend(polled.map(|terminal| PollFd::new(terminal.as_fd(), PollFlags::empty())));
            let checked = self.terminal.as_ref().filter(|_| !POLL_REPORTS_HANGUP);
            let timeout = checked.map_or(PollTimeout::NONE, |_| PollTimeout::from(CHECK));
            match poll(&mut descriptors, timeout) {
                Ok(0) if checked.is_some_and(is_hung_up) => return Ok(Event::Hangup),
                Ok(_) => {}
                Err(nix::errno::Errno::EINTR) => continue,
                Err(errno) => return Err(errno.into()),
            }
            let happened: Vec<PollFlags> = descriptors
                .iter()
                .map(|descriptor| descriptor.revents().unwrap_or(PollFlags::empty()))
                .collect();
            let (signals, terminal) = happened.split_at(self.signals.len());
            if let Some(index) = signals.iter().position(|flags| flags.contains(PollFlags::POLLIN)) {
                let (signal, stream) = &mut self.signals[index];
                stream.read_exact(&mut [0])?;
                return Ok(Event::Signal(*signal));
            }
            let flags = terminal.first().copied().unwrap_or(PollFlags::empty());
            if flags.intersects(PollFlags::POLLHUP | PollFlags::POLLERR) {
                return Ok(Event::Hangup);
            }
            if flags.contains(PollFlags::POLLNVAL) {
                // The system cannot poll this kind of terminal, so only SIGHUP can report a hangup.
                self.terminal = None;
            }
        }
    }
}

/// Interval in milliseconds between checks for a hangup on systems whose poll(2) does not report it.
const CHECK: u16 = 1000;

/// Returns `true` if `terminal` was closed: its modes can no longer be read.
fn is_hung_up(terminal: &OwnedFd) -> bool {
    tcgetattr(terminal).is_err_and(|error| error != nix::errno::Errno::EINTR)
}

/// Deletes unfinished files and ends this process with `signal`, as if the signal had never been caught.
pub fn die(signal: Signal) -> ! {
    remove_all();
    // If the signal does not end the process, the process exits with the code that a shell would report.
    let _ = signal_hook::low_level::emulate_default_handler(signal as i32);
    std::process::exit(128 + signal as i32)
}

/// Makes the terminal event reader query the terminal size again.
///
/// # Errors
/// Returns an error if the signal cannot be raised.
pub fn announce_resize() -> io::Result<()> {
    Ok(raise(Signal::SIGWINCH)?)
}

/// Maximum time to wait for a terminal to accept output. A terminal is also not writable while another thread is
/// writing to it, which can take a while on a busy machine.
const PATIENCE: Duration = Duration::from_secs(3);

/// Waits until `terminal` accepts output, and returns `true`. Returns `false` if the terminal accepts none within
/// `PATIENCE`, for example because Ctrl-S has stopped output, or if the terminal was closed.
pub fn is_writable(terminal: BorrowedFd<'_>) -> bool {
    let end = Instant::now() + PATIENCE;
    loop {
        let mut descriptors = [PollFd::new(terminal, PollFlags::POLLOUT)];
        let left = end.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        match poll(&mut descriptors, timeout) {
            // A signal interrupted poll(2). Its handler has run, so poll(2) is called again.
            Err(nix::errno::Errno::EINTR) => {}
            // macOS cannot poll /dev/tty.
            Ok(1) if descriptors[0].revents() == Some(PollFlags::POLLNVAL) => {
                return is_writable_by_select(terminal, left);
            }
            Ok(1) => return descriptors[0].revents().is_some_and(|flags| flags == PollFlags::POLLOUT),
            _ => return false,
        }
    }
}

/// Like [`is_writable`], but uses select(2). If select(2) cannot check the terminal either, returns `true`, because an
/// attempt to write is harmless even if it fails.
fn is_writable_by_select(terminal: BorrowedFd<'_>, wait: Duration) -> bool {
    if usize::try_from(terminal.as_raw_fd()).is_ok_and(|number| number >= FD_SETSIZE) {
        return true;
    }
    let mut writable = FdSet::new();
    writable.insert(terminal);
    let mut wait = TimeVal::milliseconds(i64::try_from(wait.as_millis()).unwrap_or(0));
    select(None, None, &mut writable, None, &mut wait).map_or(true, |count| count > 0)
}

/// Installs a handler for SIGABRT, the signal that ends the process when it runs out of memory or after a panic that
/// cannot unwind. If `is_on` is `true` when the signal arrives, the handler restores `terminal`: it writes
/// `restore_sequences` and sets the modes that were in effect when this function was called. In any case, the handler
/// reports the abort, deletes unfinished files, and ends the process.
///
/// # Errors
/// Returns an error if `terminal` is not a terminal or the system refuses a handler.
#[allow(unsafe_code)]
pub fn restore_on_abort(
    terminal: OwnedFd,
    is_on: Arc<AtomicBool>,
    restore_sequences: Vec<u8>,
) -> io::Result<()> {
    const MESSAGE: &[u8] = b"duke: aborted: out of memory, or a bug in duke\n";
    let modes: libc::termios = tcgetattr(&terminal)?.into();
    let restore = move || {
        if is_on.swap(false, Ordering::SeqCst) {
            if is_writable(terminal.as_fd()) {
                // An error cannot be handled here.
                let _ = nix::unistd::write(&terminal, &restore_sequences);
            }
            // SAFETY: `terminal` is open and `modes` came from a terminal.
            unsafe { libc::tcsetattr(terminal.as_raw_fd(), libc::TCSANOW, &raw const modes) };
        }
        let _ = nix::unistd::write(io::stderr(), MESSAGE);
        remove_all();
        // Without this call, a SIGABRT sent by another process would be handled but would not end duke.
        let _ = signal_hook::low_level::emulate_default_handler(libc::SIGABRT);
    };
    // SAFETY: the handler calls only async-signal-safe functions (signal-safety(7)): poll, select, clock_gettime,
    // write, tcsetattr, getpid, nanosleep, unlinkat, sigaction, sigemptyset, sigaddset, sigprocmask, raise, abort, and
    // atomics. It allocates nothing.
    unsafe { signal_hook::low_level::register(libc::SIGABRT, restore)? };
    Ok(())
}
