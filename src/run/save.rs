//! `duke save`: writes a snapshot of a scan.
//!
//! Invariant: exit code 0 means that everything was read and written, or that the reader of standard output closed the
//! pipe early.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::base::sync::AtomicBool;
use crate::base::text::escape_path;
use crate::formats::snapshot;
use crate::formats::snapshot::{FileSystemInfo, SnapshotInfo, WriteControl, WriteError};
use crate::platform::atomic_file::AtomicFile;
use crate::platform::terminal::interrupt::Interrupt;
use crate::run::exit::{Exit, exit_of};
use crate::run::part::{PartOfPlan, settled};
use crate::run::print::{Progress, Target, read};
use crate::run::streams::{print, print_error, standard_output, summarize};
use crate::scan::Outcome;
use crate::source::snapshot_store;
use crate::source::snapshot_store::KeepError;
use crate::source::{Source, SourceSpec};
use crate::tree::Tree;

/// Settings for writing a snapshot.
#[derive(Debug)]
pub struct Saving {
    /// Source to save.
    pub wanted: SourceSpec,
    pub to: SaveTarget,
    /// Progress display during the scan.
    pub progress: Progress,
    /// Name given with `--fs-id`, and the paths whose file systems get this name.
    pub named: Option<NamedFileSystem>,
    /// Part of a plan, if the snapshot is to contain only this part.
    pub part: Option<PartOfPlan>,
}

/// File system to which the user has given a name.
#[derive(Debug)]
pub struct NamedFileSystem {
    /// Name given by the user.
    pub name: String,
    /// Paths of the scan. Every file system that contains one of them gets `name`.
    pub paths: Vec<PathBuf>,
}

/// Destination of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveTarget {
    /// A file or standard output.
    Target(Target),
    /// The folder of automatic snapshots. The path of the new snapshot is printed.
    Kept(snapshot_store::RetentionPolicy),
}

/// Reads the source and, if the tree is complete, writes the snapshot. Returns the exit code.
pub fn save(job: Saving) -> Exit {
    let Saving { wanted, to, progress, named, part } = job;
    let file = match &to {
        SaveTarget::Target(Target::File(path)) => Some(path.as_path()),
        SaveTarget::Target(Target::Standard) | SaveTarget::Kept(_) => None,
    };
    let roots: &[PathBuf] = if let SourceSpec::Paths(roots, _) = &wanted { roots } else { &[] };
    if let Some(exit) = part.and_then(|part| settled(part, roots, file)) {
        return exit;
    }
    let interrupt = Interrupt::hold().ok();
    let (source, outcome) = match read(wanted, interrupt.as_ref(), progress) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let exit = if interrupt.as_ref().is_some_and(Interrupt::was_recorded) {
        print_error("interrupted; nothing written");
        Exit::Interrupted
    } else {
        summarize(source.tree(), outcome.as_ref());
        match exit_of(&source, outcome.as_ref()) {
            // If no root could be read, no snapshot is written. Parts 1 and higher of a plan are an exception: they get
            // an empty snapshot, because `duke merge` normally requires every part. Part 0 must not be empty.
            Exit::Failure if part.is_none_or(|part| part.number == 0) => Exit::Failure,
            _ if outcome != Some(Outcome::Complete) => {
                print_error("nothing written: not everything could be read");
                Exit::Incomplete
            }
            exit => {
                let exit = exit.min(Exit::Incomplete);
                exit.max(put(&source, &described(&source, named, part), &to, interrupt.as_ref()))
            }
        }
    };
    // The process ends now, and the system frees a large tree faster than duke could.
    std::mem::forget(source);
    exit
}

fn described(source: &Source, named: Option<NamedFileSystem>, part: Option<PartOfPlan>) -> SnapshotInfo {
    let mut about = SnapshotInfo { parts: part.map(PartOfPlan::into), ..source.about() };
    if let Some(NamedFileSystem { name, paths }) = named {
        let numbers = source.tree().devices().numbers();
        let wanted: Vec<u64> = paths.iter().filter_map(|path| Some(fs::metadata(path).ok()?.dev())).collect();
        about.file_systems.resize(numbers.len(), FileSystemInfo::default());
        for (number, system) in numbers.iter().zip(&mut about.file_systems) {
            if wanted.contains(number) {
                system.name = name.clone().into_bytes();
            }
        }
    }
    about
}

/// Writes the snapshot of `source`, reports any errors, and returns the exit code.
fn put(source: &Source, about: &SnapshotInfo, to: &SaveTarget, interrupt: Option<&Interrupt>) -> Exit {
    let tree = source.tree();
    let never = AtomicBool::new(false);
    let stop = interrupt.map_or(&never, Interrupt::flag);
    let saved = match to {
        SaveTarget::Target(to) => {
            let written = match to {
                Target::Standard => write_to_output(tree, about, stop),
                Target::File(path) => write_to_file(tree, about, stop, path),
            };
            written.map(|()| None).map_err(KeepError::Write)
        }
        SaveTarget::Kept(settings) => snapshot_store::keep_now(settings, tree, about, stop).map(Some),
    };
    match saved {
        Ok(None) => Exit::Success,
        Ok(Some(path)) => print_path(&path),
        Err(KeepError::Write(WriteError::Output(error))) if error.kind() == io::ErrorKind::BrokenPipe => {
            Exit::Success
        }
        Err(KeepError::Write(WriteError::Stopped)) => {
            print_error(&match to {
                SaveTarget::Target(target) => target.interrupted(),
                SaveTarget::Kept(_) => "interrupted; nothing written".to_owned(),
            });
            Exit::Interrupted
        }
        Err(reason) => {
            let subject = match to {
                SaveTarget::Target(target) => target.name(),
                // The text of `Unsafe` already names the unsafe path, so the snapshot folder is not named as well.
                SaveTarget::Kept(_) if matches!(reason, KeepError::Unsafe(_)) => {
                    "no snapshot saved".to_owned()
                }
                SaveTarget::Kept(settings) => {
                    format!("no snapshot saved in {}", escape_path(&settings.folder))
                }
            };
            print_error(&format!("{subject}: {reason}"));
            Exit::Incomplete
        }
    }
}

fn write_to_output(tree: &Tree, about: &SnapshotInfo, stop: &AtomicBool) -> Result<(), WriteError> {
    let control = WriteControl::new(stop);
    snapshot::save(tree, about, &control, &mut standard_output()?).map(|_| ())
}

fn write_to_file(
    tree: &Tree,
    about: &SnapshotInfo,
    stop: &AtomicBool,
    path: &Path,
) -> Result<(), WriteError> {
    let mut file = AtomicFile::begin(path)?;
    snapshot::save(tree, about, &WriteControl::new(stop), &mut file)?;
    Ok(file.keep()?)
}

/// Prints the path of the snapshot, escaped if standard output is a terminal.
fn print_path(path: &Path) -> Exit {
    use io::{IsTerminal, Write};
    let mut line = if io::stdout().is_terminal() {
        escape_path(path).into_bytes()
    } else {
        path.as_os_str().as_bytes().to_vec()
    };
    line.push(b'\n');
    print(|out| out.write_all(&line))
}
