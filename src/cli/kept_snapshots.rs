//! Finds the kept snapshots of a directory, for `duke diff` with a single directory and for `--list`.
//!
//! Invariant: a snapshot that another user could have written is neither used nor listed.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::show::ConfigOutput;
use super::{Environment, UsageError};
use crate::base::absolute::absolute_bytes;
use crate::base::calendar::{date_and_time, local_zone};
use crate::base::clock;
use crate::base::format::counted;
use crate::base::text::{advice, escape, escape_path};
use crate::run::exit::Exit;
use crate::scan;
use crate::source::snapshot_store;
use crate::source::snapshot_store::{KeptSnapshot, Subject};

/// Maximum number of snapshots listed in an error message. `duke diff --list` shows all.
const MOST_LINES: usize = 10;

/// Returns the newest kept snapshot of `directory` that was taken with the flags of `scan`. If `before` (seconds since
/// 1970) is given, the snapshot must also have been taken before that time.
pub fn latest(
    directory: &OsString,
    scan: &scan::Options,
    before: Option<i64>,
    environment: &Environment,
) -> Result<PathBuf, UsageError> {
    let Some(scope) = scan.scope() else {
        let reason = "diff: --exclude with a path such as a/b does not work with automatic snapshots; give a file as OLD";
        return Err(UsageError::Usage(reason.to_owned()));
    };
    let folder = folder(environment)?;
    let end = before.unwrap_or_else(|| clock::now().saturating_add(1));
    match snapshot_store::latest_for(&folder, &[directory.as_bytes()], scope.as_bytes(), end) {
        Some(path) => Ok(path),
        None => Err(no_snapshot(directory, &scope, before.is_some(), all(&folder)?)),
    }
}

/// Lists the kept snapshots of `directory`, or all kept snapshots if no directory is given.
pub fn list(directory: Option<&OsString>, environment: &Environment) -> Result<ConfigOutput, UsageError> {
    let folder = folder(environment)?;
    let root = directory.map(|directory| absolute_bytes(directory.as_bytes()));
    let (mut text, mut notes, mut exit) = (String::new(), Vec::new(), Exit::Success);
    for kept in all(&folder)? {
        match &kept.subject {
            Ok(subject) if root.as_ref().is_none_or(|root| is_of(subject, root)) => {
                text += &line(&kept, subject);
                text.push('\n');
            }
            Ok(_) => {}
            Err(fault) => {
                notes.push(format!("{}: {}", escape_path(&kept.path), escape(fault.to_string().as_bytes())));
                exit = Exit::Incomplete;
            }
        }
    }
    if text.is_empty() {
        let of = directory.map(|directory| format!(" of {}", escape(directory.as_bytes())));
        notes.push(format!("no snapshots{} in {}", of.unwrap_or_default(), escape_path(&folder)));
    }
    Ok(ConfigOutput::List(text, notes, exit))
}

fn folder(environment: &Environment) -> Result<PathBuf, UsageError> {
    environment.snapshot_folder().ok_or_else(|| {
        let reason = "no snapshots: neither XDG_STATE_HOME nor HOME is set to an absolute path";
        UsageError::Usage(reason.to_owned())
    })
}

fn all(folder: &Path) -> Result<Vec<KeptSnapshot>, UsageError> {
    snapshot_store::list(folder)
        .map_err(|reason| UsageError::Usage(format!("{}: {reason}", escape_path(folder))))
}

fn is_of(subject: &Subject, root: &[u8]) -> bool {
    subject.roots == [root]
}

/// Returns an error that explains why none of the `kept` snapshots can be used. The error lists the snapshots of the
/// directory that were taken with the flags in `scope` or, if there are none, all snapshots of the directory. If the
/// directory has no snapshots, the error lists the snapshots of other paths.
fn no_snapshot(
    directory: &OsString,
    scope: &str,
    has_since: bool,
    mut kept: Vec<KeptSnapshot>,
) -> UsageError {
    let root = absolute_bytes(directory.as_bytes());
    let matches = |kept: &KeptSnapshot, scope: Option<&str>| {
        kept.subject.as_ref().is_ok_and(|subject| {
            is_of(subject, &root) && scope.is_none_or(|scope| subject.scope == scope.as_bytes())
        })
    };
    let (is_same, is_near) =
        (kept.iter().any(|kept| matches(kept, Some(scope))), kept.iter().any(|kept| matches(kept, None)));
    let command = if scope.is_empty() { "duke save".to_owned() } else { format!("duke save {scope}") };
    let save = advice(&command, Path::new(directory));
    let reason = if is_same {
        kept.retain(|kept| matches(kept, Some(scope)));
        if has_since {
            "all snapshots with the same scan flags are newer than the --since time; give --since one of the times below"
                .to_owned()
        } else {
            "all snapshots with the same scan flags are dated in the future; to compare with one of them, give its file as OLD"
                .to_owned()
        }
    } else if is_near {
        kept.retain(|kept| matches(kept, None));
        let create = if has_since { String::new() } else { format!("; to save a new one: {save}") };
        let omit = if has_since { " and omit --since" } else { "" };
        format!(
            "no snapshot has the same scan flags; to compare with a snapshot listed below, give its file as OLD{omit}{create}"
        )
    } else {
        let purpose = if has_since { " for later comparisons" } else { "" };
        format!("no snapshot of this directory; to save one{purpose}: {save}")
    };
    let label = if is_same || is_near { "snapshot" } else { "snapshot of other paths" };
    let known: Vec<String> =
        kept.iter().filter_map(|kept| Some(line(kept, kept.subject.as_ref().ok()?))).collect();
    let mut lines: Vec<String> =
        known.iter().take(MOST_LINES).map(|line| format!("{label}: {line}")).collect();
    if known.len() > MOST_LINES {
        let more = counted((known.len() - MOST_LINES) as u64, "more snapshot", "more snapshots");
        lines.push(format!("{more}; duke diff --list lists all"));
    }
    UsageError::NotKept(format!("{}: {reason}", escape(directory.as_bytes())), lines)
}

/// Formats a snapshot as a line with its time, file, flags and roots.
fn line(kept: &KeptSnapshot, subject: &Subject) -> String {
    let time = date_and_time(kept.scanned_at, &local_zone());
    let mut line = format!("{time}  {}", escape_path(&kept.path));
    for part in [&subject.scope].into_iter().filter(|scope| !scope.is_empty()).chain(&subject.roots) {
        line += "  ";
        line += &escape(part);
    }
    line
}
