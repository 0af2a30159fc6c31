//! Programs that a person asks for: a shell in a directory, a pager for a file, the opener of the desktop.
//!
//! What they are given is made ready beside the screen, since a file system may take its time; then a program gets the
//! terminal, or, the opener, is started apart from it. A shell is given its directory and a pager its file already open, so no
//! name is looked up again and none is passed on: a name could be an option, or code for a preprocessor of pagers. Only
//! the opener needs a path, as one word and absolute.
//!
//! Knows no keys. Invariant: no name ever becomes part of a command line that a shell reads.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::screen::Screen;
use crate::job::{Job, Outcome, Pool};
use crate::platform::spawn::{self, Ended};
use crate::platform::{Directory, Errno, error_text, words};
use crate::scan::{reach, reach_entry};
use crate::sync::Arc;
use crate::text::escape;
use crate::tree::{DirId, Tree};

/// So long it is looked often whether an opener says that it cannot.
const OPENER: Duration = Duration::from_secs(5);
/// Counts the shells that were started from one another.
const LEVEL: &str = "DUKE_LEVEL";

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Errand {
    /// A shell in this directory.
    Shell(DirId),
    /// The pager, with the file of this name in a directory.
    View(DirId, Vec<u8>),
    /// The opener, with this absolute path.
    Open(Vec<u8>),
}

/// What a program that gets the terminal is given.
pub enum Ready {
    /// The directory a shell begins in.
    Shell(Directory),
    /// The file a pager reads.
    View(OwnedFd),
}

/// The errands that are being prepared, and the openers that run.
pub struct Errands {
    pool: Pool,
    tree: Arc<Tree>,
    preparing: Option<Job<Result<Ready, String>>>,
    /// They say what there is to complain of.
    openers: Vec<(Job<Option<String>>, Instant)>,
}

impl Errands {
    /// For entries of `tree`.
    pub fn new(pool: Pool, tree: Arc<Tree>) -> Self {
        Self { pool, tree, preparing: None, openers: Vec::new() }
    }

    /// Whether something may be ready soon, or fail.
    pub fn is_busy(&self) -> bool {
        self.preparing.is_some() || self.openers.iter().any(|(_, since)| since.elapsed() < OPENER)
    }

    /// Begins an errand; the one before, if it is still being prepared, is forgotten.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn begin(&mut self, errand: Errand) -> io::Result<()> {
        let tree = Arc::clone(&self.tree);
        match errand {
            Errand::Open(path) => {
                let job = self.pool.start(move |task| task.publish(open(path)))?;
                self.openers.push((job, Instant::now()));
            }
            errand => {
                let job = self.pool.start(move |task| task.publish(prepare(&tree, &errand)))?;
                self.preparing = Some(job);
            }
        }
        Ok(())
    }

    /// Forgets what is being prepared: whoever presses another key wants it no more.
    pub fn forget(&mut self) {
        self.preparing = None;
    }

    /// What is ready by now, if anything is.
    pub fn ready(&mut self) -> Option<Arc<Result<Ready, String>>> {
        let job = self.preparing.as_mut()?;
        let outcome = job.outcome();
        let ready = job.poll().or_else(|| match outcome {
            Some(Outcome::Panicked(reason)) => Some(Arc::new(Err(reason))),
            _ => None,
        });
        if ready.is_some() {
            self.preparing = None;
        }
        ready
    }

    /// What openers complain of that have ended.
    pub fn complaints(&mut self) -> Vec<String> {
        let mut complaints = Vec::new();
        self.openers.retain_mut(|(job, _)| {
            let has_ended = job.outcome().is_some();
            complaints.extend(job.poll().and_then(|complaint| Option::clone(&complaint)));
            !has_ended
        });
        complaints
    }
}

/// Gives the terminal to a program until it ends, and says what there is to complain of.
///
/// # Errors
/// When the terminal cannot be taken over again.
pub fn lend(screen: &Screen, ready: &Ready) -> io::Result<Option<String>> {
    screen.leave();
    let complaint = match ready {
        Ready::Shell(directory) => shell(screen, directory),
        Ready::View(file) => view(screen, file),
    };
    screen.enter()?;
    Ok(complaint)
}

fn prepare(tree: &Tree, errand: &Errand) -> Result<Ready, String> {
    let ready = match errand {
        Errand::Shell(directory) => reach(tree, *directory).map(Ready::Shell),
        Errand::View(directory, name) => reach_entry(tree, *directory, name)
            .and_then(|(place, name)| place.open_file(&name))
            .map(Ready::View),
        Errand::Open(_) => Err(Errno::EINVAL),
    };
    ready.map_err(|error| match (errand, error) {
        (Errand::View(..), Errno::EINVAL | Errno::ELOOP) => "Only files can be viewed".to_owned(),
        (Errand::View(_, name), _) => format!("{}: {}", escape(name), error_text(error as i32)),
        _ => format!("No shell there: {}", error_text(error as i32)),
    })
}

fn shell(screen: &Screen, directory: &Directory) -> Option<String> {
    let program = variable("SHELL").unwrap_or_else(|| "/bin/sh".into());
    let mut command = Command::new(&program);
    // It would be that of the directory duke was started in.
    command.env_remove("PWD");
    command.env(LEVEL, next_level(env::var_os(LEVEL)).to_string());
    let ended = streams(&mut command, screen)
        .and_then(|terminal| spawn::run(&mut command, Some(directory.as_fd()), &terminal));
    complaint(&program, ended)
}

/// One more than what the variable says; anything else is none.
fn next_level(level: Option<OsString>) -> u32 {
    let level = level.and_then(|level| level.to_str()?.parse::<u32>().ok());
    level.unwrap_or(0).saturating_add(1)
}

/// Pagers read standard input where they are given no name: that is what they are for.
fn view(screen: &Screen, file: &OwnedFd) -> Option<String> {
    let mut last = None;
    for words in pagers(variable("PAGER")) {
        let Some((program, arguments)) = words.split_first() else { continue };
        let mut command = Command::new(program);
        command.args(arguments);
        let ended = streams(&mut command, screen).and_then(|terminal| {
            command.stdin(file.try_clone()?);
            spawn::run(&mut command, None, &terminal)
        });
        let is_missing = ended.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        last = complaint(program, ended);
        if !is_missing {
            break;
        }
    }
    last
}

/// The pagers to try, as words: the person's own, or those that may be there.
fn pagers(own: Option<OsString>) -> Vec<Vec<OsString>> {
    let Some(own) = own else { return vec![vec!["less".into()], vec!["more".into()]] };
    let words = own.into_vec();
    let words = words.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    vec![words.map(|word| OsString::from_vec(word.to_vec())).collect()]
}

/// Starts the opener and waits for it; says what there is to complain of.
fn open(path: Vec<u8>) -> Option<String> {
    let opener = OsString::from(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    let ended = spawn::run_apart(Command::new(&opener).arg(OsString::from_vec(path)));
    complaint(&opener, ended)
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.as_encoded_bytes().trim_ascii().is_empty())
}

/// Gives the program the terminal for whatever of its streams goes elsewhere here, and returns the terminal.
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

fn complaint(program: &OsString, ended: io::Result<Ended>) -> Option<String> {
    let name = escape(program.as_encoded_bytes());
    match ended {
        Ok(Ended::Code(0)) => None,
        Ok(ended) => Some(format!("{name} {ended}")),
        Err(error) => Some(format!("{name}: {}", words(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_count_up_and_nonsense_begins_anew() {
        let next = |level: Option<&str>| next_level(level.map(Into::into));
        assert_eq!([next(None), next(Some("1")), next(Some("x")), next(Some(""))], [1, 2, 1, 1]);
        assert_eq!(next(Some("4294967295")), u32::MAX);
    }

    #[test]
    fn a_pager_may_have_options_and_there_are_usual_ones() {
        assert_eq!(pagers(Some(" less  -R\t-S ".into())), [["less", "-R", "-S"]]);
        assert_eq!(pagers(None), [["less"], ["more"]]);
    }

    #[test]
    fn who_ends_well_gives_no_cause_for_complaint() {
        let said = |ended| complaint(&"sh".into(), ended);
        assert_eq!(said(Ok(Ended::Code(0))), None);
        assert_eq!(said(Ok(Ended::Code(3))).as_deref(), Some("sh ended with code 3"));
        assert_eq!(said(Ok(Ended::Signal(9))).as_deref(), Some("sh was ended by SIGKILL"));
        let missing = io::Error::from_raw_os_error(Errno::ENOENT as i32);
        assert_eq!(said(Err(missing)).as_deref(), Some("sh: no such file or directory"));
    }
}
