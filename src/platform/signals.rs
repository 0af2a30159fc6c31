//! Signals and the end of the terminal, as events a thread can wait for; and stopping this process the way a shell expects.
//!
//! Knows nothing of what is drawn. Invariant: nothing runs inside a signal handler but one `write` to a pipe; only an abort, after
//! which nothing else can run, gives the terminal back itself.

use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
pub use nix::sys::signal::Signal;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, kill, raise, sigaction};
use nix::sys::termios::tcgetattr;
use nix::unistd::Pid;
use signal_hook::low_level::pipe;

use crate::sync::{Arc, AtomicBool, Ordering};

/// The signals that end a program.
pub const FATAL: [Signal; 4] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM];

/// What a [`Watch`] waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A signal came.
    Signal(Signal),
    /// The terminal is gone; nobody may have sent a signal for it.
    Hangup,
}

/// A set of signals and a terminal to wait for.
pub struct Watch {
    signals: Vec<(Signal, UnixStream)>,
    terminal: Option<OwnedFd>,
}

impl Watch {
    /// Takes over the signals that end or stop a program, and watches `terminal`.
    ///
    /// # Errors
    /// When the system has no descriptor left or refuses a handler.
    pub fn new(terminal: Option<OwnedFd>) -> io::Result<Self> {
        let mut signals = Vec::new();
        for signal in FATAL.into_iter().chain([Signal::SIGTSTP]) {
            // Who was started with a signal ignored (nohup(1)) leaves it so.
            if signal == Signal::SIGHUP && is_ignored(signal) {
                continue;
            }
            let (receiver, sender) = UnixStream::pair()?;
            sender.set_nonblocking(true)?;
            pipe::register(signal as i32, sender)?;
            signals.push((signal, receiver));
        }
        Ok(Self { signals, terminal })
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// When the system can wait no longer, which is a bug.
    pub fn wait(&mut self) -> io::Result<Event> {
        loop {
            let mut descriptors: Vec<PollFd<'_>> = Vec::new();
            descriptors.extend(
                self.signals.iter().map(|(_, stream)| PollFd::new(stream.as_fd(), PollFlags::POLLIN)),
            );
            // Hangup is reported without being asked for; keys are for somebody else.
            descriptors.extend(
                self.terminal.iter().map(|terminal| PollFd::new(terminal.as_fd(), PollFlags::empty())),
            );
            match poll(&mut descriptors, PollTimeout::NONE) {
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
                // macOS cannot poll every kind of terminal; SIGHUP must do there.
                self.terminal = None;
            }
        }
    }
}

/// Ends this process by `signal`, as if it had never been caught.
pub fn die(signal: Signal) -> ! {
    // If even that fails, the number a shell would report stands in.
    let _ = signal_hook::low_level::emulate_default_handler(signal as i32);
    std::process::exit(128 + signal as i32)
}

/// Stops this process and everything in its group until the shell continues them. Returns at once where no shell could.
///
/// # Errors
/// When the system refuses to change what the signal does.
pub fn stop_group() -> io::Result<()> {
    let stop = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    let caught = set_action(Signal::SIGTSTP, &stop)?;
    // Zero means the group of this process (kill(2)). An orphaned group is not stopped by the system.
    let stopped = kill(Pid::from_raw(0), Signal::SIGTSTP);
    set_action(Signal::SIGTSTP, &caught)?;
    Ok(stopped?)
}

/// Makes whoever reads the terminal's events look at its size again.
///
/// # Errors
/// None that is known.
pub fn announce_resize() -> io::Result<()> {
    Ok(raise(Signal::SIGWINCH)?)
}

/// Whether something can be written to `terminal` within a moment: one stopped by Ctrl-S takes nothing.
pub fn is_writable(terminal: BorrowedFd<'_>) -> bool {
    let mut descriptors = [PollFd::new(terminal, PollFlags::POLLOUT)];
    matches!(poll(&mut descriptors, PollTimeout::from(100_u8)), Ok(1))
        && descriptors[0].revents().is_some_and(|flags| flags == PollFlags::POLLOUT)
}

/// Gives `terminal` back if the process aborts, as it does without memory and for bugs that cannot unwind: if `is_on`, it writes
/// `farewell`, sets the modes of now, and says that it was aborted. The process still ends by SIGABRT.
///
/// # Errors
/// When `terminal` is none, or the system refuses a handler.
#[allow(unsafe_code)]
pub fn restore_on_abort(terminal: OwnedFd, is_on: Arc<AtomicBool>, farewell: Vec<u8>) -> io::Result<()> {
    const MESSAGE: &[u8] = b"duke: aborted: no memory was left, or this is a bug\n";
    let modes: libc::termios = tcgetattr(&terminal)?.into();
    let restore = move || {
        if is_on.swap(false, Ordering::SeqCst) {
            if is_writable(terminal.as_fd()) {
                // Nothing can be done about an error any more.
                let _ = nix::unistd::write(&terminal, &farewell);
            }
            // SAFETY: `terminal` is open and `modes` came from a terminal.
            unsafe { libc::tcsetattr(terminal.as_raw_fd(), libc::TCSANOW, &raw const modes) };
        }
        let _ = nix::unistd::write(io::stderr(), MESSAGE);
        // Whoever sent the signal from outside does not end the process once it was handled.
        let _ = signal_hook::low_level::emulate_default_handler(libc::SIGABRT);
    };
    // SAFETY: what it calls is safe in a handler (signal-safety(7)): poll, write, tcsetattr, sigaction, raise, and an atomic. It
    // allocates nothing.
    unsafe { signal_hook::low_level::register(libc::SIGABRT, restore)? };
    Ok(())
}

fn is_ignored(signal: Signal) -> bool {
    let ask = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    let Ok(before) = set_action(signal, &ask) else { return false };
    // Nothing can be done if what was allowed a moment ago is refused now.
    let _ = set_action(signal, &before);
    matches!(before.handler(), SigHandler::SigIgn)
}

/// Changes what a signal does, and returns what it did.
#[allow(unsafe_code)]
pub(super) fn set_action(signal: Signal, action: &SigAction) -> nix::Result<SigAction> {
    // SAFETY: `action` runs no code of ours, or was installed before and so was fit to run as a handler.
    unsafe { sigaction(signal, action) }
}
