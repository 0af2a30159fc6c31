//! `duke save`: what was read, as a snapshot.
//!
//! Invariant: exit code 0 means that everything was read and all of it was written.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Progress, Target, errors, exit_of, read, standard_output};
use crate::exit::Exit;
use crate::message::say;
use crate::platform::interrupt::Interrupt;
use crate::replacement::Replacement;
use crate::scan::{self, Outcome};
use crate::snapshot::automatic::{self, Unkept};
use crate::snapshot::{self, About, Limits, Unsaved};
use crate::source::{Source, Wanted};
use crate::sync::AtomicBool;
use crate::text::escape_path;
use crate::tree::Tree;

/// What is to be saved, and where.
#[derive(Debug)]
pub struct Saving {
    /// What to scan.
    pub roots: Vec<PathBuf>,
    /// How to scan it.
    pub scan: scan::Options,
    /// Where it goes.
    pub to: Shelf,
    /// Whether progress is shown meanwhile.
    pub progress: Progress,
}

/// Where a snapshot goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Where it was asked for.
    Target(Target),
    /// To those that are kept without being asked for. Its path is printed.
    Kept(automatic::Settings),
}

/// Does it and says how it went.
pub fn save(job: Saving) -> Exit {
    let interrupt = Interrupt::hold().ok();
    let (source, outcome) = match read(Wanted::Paths(job.roots, job.scan), interrupt.as_ref(), job.progress) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let exit = if interrupt.as_ref().is_some_and(Interrupt::was_noted) {
        say("interrupted; nothing was written");
        Exit::Interrupted
    } else {
        errors::summarise(source.tree(), outcome.as_ref());
        match exit_of(&source, outcome.as_ref()) {
            Exit::Useless => Exit::Useless,
            _ if outcome != Some(Outcome::Complete) => {
                say("nothing was written: it would look complete");
                Exit::Incomplete
            }
            exit => exit.max(put(&source, &job.to, interrupt.as_ref())),
        }
    };
    // The process ends now; the system frees a large tree faster than we could.
    std::mem::forget(source);
    exit
}

/// Writes the snapshot of what `source` has read.
fn put(source: &Source, to: &Shelf, interrupt: Option<&Interrupt>) -> Exit {
    let (tree, about) = (source.tree(), source.about());
    let never = AtomicBool::new(false);
    let stop = interrupt.map_or(&never, Interrupt::flag);
    let (place, put) = match to {
        Shelf::Target(Target::Standard) => {
            ("standard output".to_owned(), write_to_output(tree, &about, stop).map_err(Unkept::Unsaved))
        }
        Shelf::Target(Target::File(path)) => {
            (escape_path(path), write_to_file(tree, &about, stop, path).map_err(Unkept::Unsaved))
        }
        Shelf::Kept(settings) => {
            let kept = automatic::keep_now(settings, tree, &about, stop);
            (escape_path(&settings.folder), kept.and_then(|path| Ok(print(&path)?)))
        }
    };
    match put {
        Ok(()) => Exit::Fine,
        Err(Unkept::Unsaved(Unsaved::Unwritten(error))) if error.kind() == io::ErrorKind::BrokenPipe => {
            Exit::Fine
        }
        Err(Unkept::Unsaved(Unsaved::Stopped)) => {
            say(&format!("interrupted; {place} is incomplete or as it was"));
            Exit::Interrupted
        }
        Err(reason) => {
            say(&format!("{place}: {reason}"));
            Exit::Incomplete
        }
    }
}

fn write_to_output(tree: &Tree, about: &About, stop: &AtomicBool) -> Result<(), Unsaved> {
    let limits = Limits { bytes: u64::MAX, stop };
    snapshot::save(tree, about, &limits, &mut standard_output()?).map(|_| ())
}

fn write_to_file(tree: &Tree, about: &About, stop: &AtomicBool, path: &Path) -> Result<(), Unsaved> {
    let mut file = Replacement::begin(path)?;
    snapshot::save(tree, about, &Limits { bytes: u64::MAX, stop }, &mut file)?;
    Ok(file.keep()?)
}

/// Says where the snapshot is, to a person or a script.
fn print(path: &Path) -> io::Result<()> {
    use io::{IsTerminal, Write};
    let mut line = if io::stdout().is_terminal() {
        escape_path(path).into_bytes()
    } else {
        path.as_os_str().as_bytes().to_vec()
    };
    line.push(b'\n');
    standard_output()?.write_all(&line)
}
