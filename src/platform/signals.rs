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
const FATAL: [Signal; 4] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM];

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
    let caught = answer(Signal::SIGTSTP, Answer::Default)?;
    // Zero means the group of this process (kill(2)). An orphaned group is not stopped by the system.
    let stopped = kill(Pid::from_raw(0), Signal::SIGTSTP);
    caught.restore()?;
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

/// Whether a signal is ignored. Nothing is changed by asking: not even for a moment would the signal end the process.
#[allow(unsafe_code)]
pub(super) fn is_ignored(signal: Signal) -> bool {
    // SAFETY: all zeros is a valid `sigaction`: no flags, an empty mask, the default handler.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action the call only asks, and `now` can be written to. It fails for bad signal numbers only.
    unsafe { libc::sigaction(signal as libc::c_int, std::ptr::null(), &raw mut now) };
    now.sa_sigaction == libc::SIG_IGN
}

/// An answer to a signal that runs no code of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// What the system does by itself.
    Default,
    /// Nothing happens.
    Ignore,
}

/// What was done about a signal before.
pub(super) struct Before {
    signal: Signal,
    action: SigAction,
}

/// Changes what is done about a signal, and returns what was.
#[allow(unsafe_code)]
pub(super) fn answer(signal: Signal, answer: Answer) -> nix::Result<Before> {
    let handler = match answer {
        Answer::Default => SigHandler::SigDfl,
        Answer::Ignore => SigHandler::SigIgn,
    };
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: such an action runs no code of ours.
    let action = unsafe { sigaction(signal, &action) }?;
    Ok(Before { signal, action })
}

impl Before {
    /// Does again what was done before.
    #[allow(unsafe_code)]
    pub(super) fn restore(&self) -> nix::Result<()> {
        // SAFETY: the action comes from the system, which had it for this very signal (only `answer` makes these): it was fit to
        // run as a handler when it was installed, and handlers of this program stay in memory.
        unsafe { sigaction(self.signal, &self.action) }.map(drop)
    }
}
