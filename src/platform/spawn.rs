//! Programs that are started from a terminal that duke has given back.
//!
//! They get a clean start: the default answer to every signal, none of them blocked, a terminal in the modes it had before
//! duke, and no descriptor of ours (all of them close on exec). Directories are handed over open, so that no path is looked up
//! again. While a program has the terminal its keys are for it alone: what Ctrl-C sends does not end duke, and what Ctrl-Z
//! sends stops both.
//!
//! Knows nothing of what is drawn. Invariant: when a call here returns, signals and terminal are as they were before it.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::{fmt, io};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{SetArg, tcgetattr, tcsetattr};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgrp, setsid, tcgetpgrp, tcsetpgrp};

use super::signals::{Answer, Before, answer, stop_group};

/// What this process does about signals while a program has the terminal. As system(3) does it: what the keys of the
/// terminal send goes to everybody in the foreground, and is meant for the program.
const MEANWHILE: [(Signal, Answer); 4] = [
    (Signal::SIGINT, Answer::Ignore),
    (Signal::SIGQUIT, Answer::Ignore),
    // Taking the terminal back from the background would stop us.
    (Signal::SIGTTOU, Answer::Ignore),
    (Signal::SIGTSTP, Answer::Default),
];

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Runs a program that has `terminal` to itself until it ends. It works in `directory`, if one is given.
///
/// # Errors
/// When the program cannot be started: as execve(2) and fchdir(2).
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
    // A program that was killed leaves the terminal to nobody, in modes of its own. What a terminal that is gone says to
    // this does not matter.
    if let Some(group) = group {
        let _ = tcsetpgrp(terminal, group);
    }
    if let Ok(modes) = modes {
        let _ = tcsetattr(terminal, SetArg::TCSANOW, &modes);
    }
    ended
}

/// Runs a program that has nothing to do with this terminal, and waits for its end: not for the thread that draws.
///
/// # Errors
/// When the program cannot be started.
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
            Self::Code(code) => write!(out, "ended with code {code}"),
            Self::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(out, "was ended by {signal}"),
                Err(_) => write!(out, "was ended by signal {number}"),
            },
        }
    }
}

/// Whether the program stays in the session of this terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Session {
    Same,
    Own,
}

/// Makes the program begin in `directory`, with signals as they are by default. (That none is blocked is the standard
/// library's doing.)
#[allow(unsafe_code)]
fn clean(command: &mut Command, directory: Option<BorrowedFd<'_>>, session: Session) {
    let directory = directory.map(|directory| directory.as_raw_fd());
    let begin = move || {
        for (signal, _) in MEANWHILE {
            answer(signal, Answer::Default)?;
        }
        if session == Session::Own {
            setsid()?;
        }
        if let Some(directory) = directory {
            // SAFETY: the caller's descriptor is open: it outlives the call that starts the program.
            Errno::result(unsafe { libc::fchdir(directory) })?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only calls are made that may be made there (signal-safety(7)): sigaction, setsid, fchdir.
    // None of them allocates, nor do their errors, which are numbers.
    unsafe { command.pre_exec(begin) };
}

/// Waits for the end of a child. One that stops itself stops us too, so that the shell that started us has the terminal.
fn wait(child: u32) -> io::Result<Ended> {
    let child = Pid::from_raw(i32::try_from(child).map_err(io::Error::other)?);
    loop {
        match waitpid(child, Some(WaitPidFlag::WUNTRACED)) {
            Ok(WaitStatus::Exited(_, code)) => return Ok(Ended::Code(code)),
            Ok(WaitStatus::Signaled(_, signal, _)) => return Ok(Ended::Signal(signal as i32)),
            Ok(WaitStatus::Stopped(..)) => {
                stop_group()?;
                // It may have ended meanwhile, which the next turn tells.
                let _ = kill(child, Signal::SIGCONT);
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Answers to signals that hold until this is dropped.
struct Held {
    before: Vec<Before>,
}

impl Held {
    fn new(answers: &[(Signal, Answer)]) -> io::Result<Self> {
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
            // What was allowed a moment ago is not refused now.
            let _ = before.restore();
        }
    }
}
