//! Signal actions (dispositions) of the process.

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::base::sync::{AtomicBool, Ordering};

/// Signals with which a user or the system asks a program to end.
pub(crate) const FATAL: [Signal; 4] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM];

/// `true` if a thread is waiting for the signals in [`FATAL`].
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Records that a thread is waiting for the signals in [`FATAL`].
pub(crate) fn set_watched() {
    IS_WATCHED.store(true, Ordering::SeqCst);
}

/// Returns `true` if a thread is waiting for `signal`.
pub(crate) fn is_watched(signal: Signal) -> bool {
    FATAL.contains(&signal) && IS_WATCHED.load(Ordering::SeqCst)
}

pub(crate) fn is_ignored(signal: Signal) -> bool {
    handler(signal) == libc::SIG_IGN
}

pub(crate) fn is_default(signal: Signal) -> bool {
    handler(signal) == libc::SIG_DFL
}

/// Returns the handler of a signal. Does not use `sigaction` of nix, which would replace the handler: until the handler
/// is restored, the signal could end the process.
#[allow(unsafe_code)]
fn handler(signal: Signal) -> libc::sighandler_t {
    // SAFETY: all zeros is a valid `sigaction`: no flags, an empty mask, the default handler.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action, the call only reads, and `now` is writable. The call fails only for invalid signal
    // numbers.
    unsafe { libc::sigaction(signal as libc::c_int, std::ptr::null(), &raw mut now) };
    now.sa_sigaction
}

/// Action for a signal that has no handler: the default action is taken, or the signal is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainAction {
    Default,
    Ignore,
}

/// Signal with its previous action, which can be restored.
pub(crate) struct Before {
    signal: Signal,
    action: SigAction,
}

/// Changes the action for a signal and returns the previous one.
#[allow(unsafe_code)]
pub(crate) fn answer(signal: Signal, answer: PlainAction) -> nix::Result<Before> {
    let handler = match answer {
        PlainAction::Default => SigHandler::SigDfl,
        PlainAction::Ignore => SigHandler::SigIgn,
    };
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: the new action is the default action or ignores the signal. Neither runs code of this program.
    let action = unsafe { sigaction(signal, &action) }?;
    Ok(Before { signal, action })
}

impl Before {
    #[allow(unsafe_code)]
    pub(crate) fn restore(&self) -> nix::Result<()> {
        // SAFETY: only `answer` creates a `Before`, so the system itself returned this action for this
        // signal. The handler was valid when it was installed, and handlers of this program stay in memory.
        unsafe { sigaction(self.signal, &self.action) }.map(drop)
    }
}
