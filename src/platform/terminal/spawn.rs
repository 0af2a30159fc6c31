//! Programs that duke runs in its terminal.
//!
//! Programs start in a clean state: signals that duke handles or ignores have their default actions, no signal is
//! blocked, the terminal has the modes it had before duke started, and none of duke's descriptors are open (all of
//! them close on exec). Callers pass the start directory of a program as an open descriptor, so its path is not
//! resolved again. While a program uses the terminal, Ctrl-C affects only the program, whereas Ctrl-Z stops the
//! program and duke.
//!
//! Invariant: when a call returns, the signal actions and the terminal are as they were before the call.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::{fmt, io};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{SetArg, tcgetattr, tcsetattr};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgrp, setsid, tcgetpgrp, tcsetpgrp};

use super::actions::{Before, PlainAction, answer};
use super::stops::stop_group;

/// Signal actions of duke while a program uses the terminal. Keys such as Ctrl-C signal the whole foreground group,
/// which includes duke, but are meant only for the program. duke therefore ignores them, as system(3) does.
const MEANWHILE: [(Signal, PlainAction); 3] = [
    (Signal::SIGINT, PlainAction::Ignore),
    (Signal::SIGQUIT, PlainAction::Ignore),
    // SIGTTOU would stop duke if duke is in the background when it takes the terminal back.
    (Signal::SIGTTOU, PlainAction::Ignore),
];

/// Exit status of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program exited with this code.
    Code(i32),
    /// This signal ended the program.
    Signal(i32),
}

/// Runs a program and waits for it to end. Until then, `terminal` belongs to the program. If `directory` is given, the
/// program starts there.
///
/// # Errors
/// Returns an error if the program cannot be started, including any error of execve(2) or fchdir(2).
pub fn run(
    command: &mut Command,
    directory: Option<BorrowedFd<'_>>,
    terminal: &impl AsFd,
) -> io::Result<Ended> {
    let modes = tcgetattr(terminal);
    let group = tcgetpgrp(terminal).ok().filter(|group| *group == getpgrp());
    let _held = Held::new(&MEANWHILE)?;
    clean(command, directory, Session::Same);
    let ended = command.spawn().and_then(|child| wait(child.id()));
    // A program that was killed may have left the terminal with changed modes or without a foreground group.
    // Errors are ignored: if the terminal has been closed, there is nothing to restore.
    if let Some(group) = group {
        let _ = tcsetpgrp(terminal, group);
    }
    if let Ok(modes) = modes {
        let _ = tcsetattr(terminal, SetArg::TCSANOW, &modes);
    }
    ended
}

/// Runs a program detached from this terminal and waits for it to end. Must not be called on the drawing thread,
/// because it would block that thread.
///
/// # Errors
/// Returns an error if the program cannot be started.
pub fn run_apart(command: &mut Command) -> io::Result<Ended> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    clean(command, None, Session::Own);
    let status = command.spawn()?.wait()?;
    Ok(Ended::of(status))
}

impl Ended {
    fn of(status: ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt;
        match status.signal() {
            Some(signal) => Self::Signal(signal),
            None => Self::Code(status.code().unwrap_or(0)),
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(out, "exited with code {code}"),
            Self::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(out, "was killed by {signal}"),
                Err(_) => write!(out, "was killed by signal {number}"),
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Session {
    Same,
    Own,
}

/// Makes the program start in `directory`, in the given session, and with default actions for the signals in
/// [`MEANWHILE`]. Signals need not be unblocked here, because the standard library does so.
#[allow(unsafe_code)]
fn clean(command: &mut Command, directory: Option<BorrowedFd<'_>>, session: Session) {
    let directory = directory.map(|directory| directory.as_raw_fd());
    let begin = move || {
        for (signal, _) in MEANWHILE {
            answer(signal, PlainAction::Default)?;
        }
        if session == Session::Own {
            setsid()?;
        }
        if let Some(directory) = directory {
            // SAFETY: the caller's descriptor is open, and outlives the call that starts the program.
            Errno::result(unsafe { libc::fchdir(directory) })?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec, only async-signal-safe functions are called (signal-safety(7)): sigaction,
    // setsid, fchdir. Neither these functions nor the conversion of their error numbers to errors allocates memory.
    unsafe { command.pre_exec(begin) };
}

/// Waits for a child to end. If the child stops, this process stops too, so that the shell gets the terminal back.
fn wait(child: u32) -> io::Result<Ended> {
    let child = Pid::from_raw(i32::try_from(child).map_err(io::Error::other)?);
    loop {
        match waitpid(child, Some(WaitPidFlag::WUNTRACED)) {
            Ok(WaitStatus::Exited(_, code)) => return Ok(Ended::Code(code)),
            Ok(WaitStatus::Signaled(_, signal, _)) => return Ok(Ended::Signal(signal as i32)),
            Ok(WaitStatus::Stopped(..)) => {
                stop_group()?;
                // An error means that the child has already ended, which the next wait reports.
                let _ = kill(child, Signal::SIGCONT);
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Temporary signal actions. The previous actions are restored on drop.
struct Held {
    before: Vec<Before>,
}

impl Held {
    fn new(answers: &[(Signal, PlainAction)]) -> io::Result<Self> {
        let mut held = Self { before: Vec::new() };
        for (signal, what) in answers {
            held.before.push(answer(*signal, *what)?);
        }
        Ok(held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for before in &self.before {
            // Restoring a signal action that was valid before cannot fail.
            let _ = before.restore();
        }
    }
}
