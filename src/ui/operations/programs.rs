//! Programs that the user starts: a shell in a directory, a pager for a file, and the desktop's opener.
//!
//! Directories and files are opened in the background, because a file system may be slow. A shell or a pager then uses
//! the terminal; an opener does not need the terminal. The directory for a shell and the file for a pager are passed as
//! open descriptors. Names are therefore not resolved again, and neither a program nor a pager's preprocessor can
//! mistake a name for an option or for code. Only the opener receives a path, as one absolute argument.
//!
//! Invariant: no name becomes part of a command line that a shell parses.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::base::job::{Job, Pool};
use crate::base::kind::Kind;
use crate::base::os_error::OsError;
use crate::base::text::escape;
use crate::platform::process::desktop;
use crate::platform::terminal::spawn;
use crate::platform::{Directory, Errno, attributes_of_path};
use crate::scan::{reach, reach_entry};
use crate::tree::{DirId, Tree};
use crate::ui::sentences::{NO_PAGER, ONLY_FILES, program_error, shell_error};
use crate::ui::terminal::screen::Screen;

/// Environment variable that counts nested shells.
const LEVEL: &str = "DUKE_LEVEL";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    Shell(DirId),
    View(DirId, Vec<u8>),
    Open(Vec<u8>),
}

/// Directory or file opened for a program that is about to use the terminal.
pub enum Ready {
    Shell(Directory),
    View(OwnedFd),
}

/// Runs a program in the terminal and waits until it ends. If the program fails, returns an error message.
///
/// # Errors
///
/// Returns an error if the browser cannot take over the terminal again.
pub fn lend(screen: &Screen, ready: &Ready) -> io::Result<Option<String>> {
    screen.lend(|| match ready {
        Ready::Shell(directory) => shell(screen, directory),
        Ready::View(file) => view(screen, file),
    })
}

/// Opens the directory for a shell or the file for a pager.
///
/// # Errors
/// Returns a message for the user if the directory or file cannot be opened.
pub fn prepare(tree: &Tree, program: &Launch) -> Result<Ready, String> {
    let ready = match program {
        Launch::Shell(directory) => reach(tree, *directory).map(Ready::Shell),
        Launch::View(directory, name) => reach_entry(tree, *directory, name)
            .and_then(|(directory, name)| directory.open_file(&name))
            .map(Ready::View),
        Launch::Open(_) => Err(Errno::EINVAL),
    };
    ready.map_err(|error| match (program, error) {
        (Launch::View(..), Errno::EINVAL | Errno::ELOOP) => ONLY_FILES.to_owned(),
        (Launch::View(_, name), _) => format!("{}: {}", escape(name), OsError(error as i32)),
        (Launch::Shell(directory), _) => shell_error(&tree.path(*directory), OsError(error as i32)),
        (Launch::Open(_), _) => OsError(error as i32).to_string(),
    })
}

fn shell(screen: &Screen, directory: &Directory) -> Option<String> {
    let program = variable("SHELL").unwrap_or_else(|| "/bin/sh".into());
    let mut command = Command::new(&program);
    // `PWD` would still contain the directory that duke was started in.
    command.env_remove("PWD");
    command.env(LEVEL, next_level(env::var_os(LEVEL)).to_string());
    let ended = streams(&mut command, screen)
        .and_then(|terminal| spawn::run(&mut command, Some(directory.as_fd()), &terminal));
    program_error(&program, ended)
}

/// Returns the value of [`LEVEL`] for a new shell: `level` plus one. A missing or invalid `level` counts as 0.
fn next_level(level: Option<OsString>) -> u32 {
    let level = level.and_then(|level| level.to_str()?.parse::<u32>().ok());
    level.unwrap_or(0).saturating_add(1)
}

/// Runs a pager with the file as standard input, because the pager could mistake a name for an option.
fn view(screen: &Screen, file: &OwnedFd) -> Option<String> {
    let own = variable("PAGER");
    let missing = own.is_none().then(|| NO_PAGER.to_owned());
    let mut last = None;
    for words in pagers(own) {
        let Some((program, arguments)) = words.split_first() else { continue };
        let mut command = Command::new(program);
        command.args(arguments);
        let ended = streams(&mut command, screen).and_then(|terminal| {
            command.stdin(file.try_clone()?);
            spawn::run(&mut command, None, &terminal)
        });
        let is_missing = ended.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        last = program_error(program, ended);
        if !is_missing {
            return last;
        }
    }
    missing.or(last)
}

/// Returns the pager commands to try, in order: `less` and `more`, or only the user's own pager if there is one.
fn pagers(own: Option<OsString>) -> Vec<Vec<OsString>> {
    let Some(own) = own else { return vec![vec!["less".into()], vec!["more".into()]] };
    let words = own.into_vec();
    let words = words.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    vec![words.map(|word| OsString::from_vec(word.to_vec())).collect()]
}

/// Passes `path` to the desktop's opener. If opening the entry might execute it, the opener on macOS shows the entry
/// in its folder instead. If the opener fails, the job's result is an error message.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn open(pool: &Pool, path: Vec<u8>) -> io::Result<Job<String>> {
    pool.start(move |task| {
        let opener = OsString::from(desktop::OPENER);
        let path = PathBuf::from(OsString::from_vec(path));
        let found = attributes_of_path(&path).ok().map(|found| (found.kind, found.mode));
        let option = desktop::REVEAL.filter(|_| can_run(found));
        let ended = spawn::run_apart(Command::new(&opener).args(option).arg(path));
        if let Some(failure) = program_error(&opener, ended) {
            task.publish(failure);
        }
    })
}

/// Returns `true` if an opener might execute the entry, because it may be a program, a script or an application. On
/// macOS, applications are directories. An unknown entry counts as executable.
fn can_run(found: Option<(Kind, u32)>) -> bool {
    found.is_none_or(|(kind, mode)| kind == Kind::Directory || mode & 0o111 != 0)
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.as_encoded_bytes().trim_ascii().is_empty())
}

/// Gives the program the terminal in place of duke's redirected standard streams. Returns a terminal descriptor.
fn streams(command: &mut Command, screen: &Screen) -> io::Result<OwnedFd> {
    let terminal = || screen.descriptor().map(Stdio::from);
    if !io::stdin().is_terminal() {
        command.stdin(terminal()?);
    }
    if !io::stdout().is_terminal() {
        command.stdout(terminal()?);
    }
    if !io::stderr().is_terminal() {
        command.stderr(terminal()?);
    }
    screen.descriptor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_levels_count_up_and_invalid_ones_restart() {
        let next = |level: Option<&str>| next_level(level.map(Into::into));
        assert_eq!([next(None), next(Some("1")), next(Some("x")), next(Some(""))], [1, 2, 1, 1]);
        assert_eq!(next(Some("4294967295")), u32::MAX);
    }

    #[test]
    fn only_documents_are_opened_with_their_application() {
        assert!(!can_run(Some((Kind::File, 0o644))));
        assert!(can_run(Some((Kind::File, 0o755))) && can_run(Some((Kind::Directory, 0o600))));
        assert!(can_run(None));
    }

    #[test]
    fn the_pager_may_have_options_and_there_are_defaults() {
        assert_eq!(pagers(Some(" less  -R\t-S ".into())), [["less", "-R", "-S"]]);
        assert_eq!(pagers(None), [["less"], ["more"]]);
    }
}
