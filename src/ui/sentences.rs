//! Sentences for notices: results of operations, errors of background jobs and programs, and freed space.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::keys::{Command, Keymap, Scope};
use super::operations::deletion::Script;
use crate::base::format::{Units, counted, grouped, plain_size};
use crate::base::job::JobError;
use crate::base::os_error::{OsError, io_error_text};
use crate::base::text::{escape, escape_path, fit, width};
use crate::delete::script::ScriptError;
use crate::delete::{ONLY_ON_LINUX, OperationKind, Report};
use crate::platform::entry::contents::CAN_SHARE;
use crate::platform::memory::block_file::Damage;
use crate::platform::terminal::spawn::Ended;
use crate::tree::{Accuracy, Exclusive, ExclusiveCoverage};

/// Minimum width of a shortened path.
const MIN_PATH_WIDTH: usize = 12;

/// Accuracy of the number of freed bytes in a notice. That number is the disk usage of the deleted entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreedAccuracy {
    Exact,
    /// The number of bytes freed is at most the disk usage, and lower if files are compressed or share space.
    AtMost,
    /// The number of bytes freed may be lower or higher than the disk usage.
    Unknown,
}

/// Settings that affect the wording of sentences.
#[derive(Clone, Copy)]
pub struct Display<'a> {
    pub keymap: &'a Keymap,
    pub units: Units,
    /// Symbol that replaces text that has been cut off.
    pub gap: &'static str,
    /// Number of columns available for the sentence.
    pub room: usize,
}

impl Display<'_> {
    /// Returns `sentence` with a path or name inserted. If the sentence would be too long, the path is shortened in
    /// the middle, because the rest of the sentence matters more.
    pub fn about(self, path: &str, sentence: impl Fn(&str) -> String) -> String {
        let room = self.room.saturating_sub(width(&sentence(""))).max(MIN_PATH_WIDTH);
        sentence(&fit(path, room, self.gap))
    }

    /// Returns the error message `message`, such as `/etc/duke.toml: line 3: unknown key` or
    /// `Ignored /etc/duke.toml: not a file`. If the message is too long, the path before the first colon is shortened.
    pub fn fit_message(self, message: &str) -> String {
        let Some((subject, cause)) = message.split_once(": ") else { return message.to_owned() };
        // If the subject contains a space, its path begins at the first slash; without a slash, it contains no path. A
        // subject without a space is a path.
        let start = if subject.contains(' ') { subject.find('/').unwrap_or(subject.len()) } else { 0 };
        let (words, path) = subject.split_at(start);
        self.about(path, |path| format!("{words}{path}: {cause}"))
    }
}

/// Background job that has failed.
#[derive(Clone, Copy, Debug)]
pub enum FailedJob {
    Scan,
    Rescan,
    Sort,
    ReadExtents,
    /// Check of the marked entries for changes.
    CheckMarks,
    /// Check of the entries that a dialog asks about.
    CheckSelection,
    Operation(OperationKind),
    WriteScript,
    /// Starting the program that the desktop uses to open a file.
    Open,
    /// Starting a shell or a pager.
    StartProgram,
}

impl FailedJob {
    /// Returns the start of a sentence about the failure.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scan => "Scan",
            Self::Rescan => "Rescan",
            Self::Sort => "Sorting",
            Self::ReadExtents => "Reading extents",
            Self::CheckMarks => "Checking the marks",
            Self::CheckSelection => "Checking the selection",
            Self::Operation(OperationKind::Trash) => "Moving to the trash",
            Self::Operation(OperationKind::Restore) => "Restoring",
            Self::Operation(OperationKind::Share) => "Sharing data on disk",
            Self::Operation(OperationKind::Delete | OperationKind::Empty) => "Deletion",
            Self::WriteScript => "Writing the script",
            Self::Open => "Opening",
            Self::StartProgram => "Starting the program",
        }
    }
}

/// Text shown if copies cannot share data.
pub const CANNOT_SHARE: &str =
    if CAN_SHARE { "Copies cannot share data on this file system" } else { ONLY_ON_LINUX };

/// Text shown instead of the pager if the entry is not a regular file in the tree, or is no longer one on disk.
pub const ONLY_FILES: &str = "Cannot show in the pager: not a regular file";

pub const NO_PAGER: &str = "No pager found (set PAGER)";

pub fn shell_error(directory: &[u8], error: OsError) -> String {
    format!("Cannot start a shell in {}: {error}", escape(directory))
}

/// Returns the error message for a program that failed or could not be started; `None` if the program was successful.
pub fn program_error(program: &OsString, ended: io::Result<Ended>) -> Option<String> {
    let name = escape(program.as_encoded_bytes());
    match ended {
        Ok(Ended::Code(0)) => None,
        Ok(ended) => Some(format!("{name} {ended}")),
        Err(error) => Some(format!("Cannot start {name}: {}", io_error_text(&error))),
    }
}

/// Returns the notice about damage in the snapshot that contains the previous scan.
pub fn damage_text(damage: &Damage) -> String {
    format!("Previous scan ignored: its snapshot is damaged ({damage})")
}

/// Returns the notice about a failed comparison with the baseline.
pub fn growth_error(error: &JobError) -> String {
    format!("Cannot show growth: {error}")
}

/// Returns the notice about a problem with the baseline.
pub fn growth_warning(problem: &str) -> String {
    format!("Growth may be wrong: {problem}")
}

/// Describes how the exclusive sizes were found, how many files could not be read, and why the sizes are not exact.
pub fn coverage_text(coverage: ExclusiveCoverage, units: Units) -> String {
    let ExclusiveCoverage { read, by_links, unread, accuracy } = coverage;
    let files = |number| counted(number, "file", "files");
    let mut text = match (read, by_links) {
        (0, 0) if unread == 0 => "Space freed: none, because the scan has no files".to_owned(),
        (0, 0) => format!("Space freed: unknown, because {} could not be read", files(unread)),
        (0, _) => "Space freed: based on link counts (no extents reported)".to_owned(),
        (read, 0) => format!("Space freed: based on the extents of {}", files(read)),
        (read, by_links) => {
            format!("Space freed: based on extents ({}) and link counts ({})", files(read), files(by_links))
        }
    };
    if unread > 0 && read + by_links > 0 {
        let _ = write!(text, "; {} could not be read", grouped(unread)); // writing to a string cannot fail
    }
    if accuracy != Accuracy::Exact {
        text.extend(["; ", &accuracy.text(units)]);
    }
    text
}

/// Returns text such as `frees at least 1.2 GiB, up to 3.4 GiB`.
pub fn frees_text(exclusive: Exclusive, units: Units) -> String {
    let least = plain_size(exclusive.at_least, units);
    match exclusive.at_most {
        Some(_) if exclusive.is_exact() => format!("frees {least}"),
        Some(most) => format!("frees at least {least}, up to {}", plain_size(most, units)),
        None => format!("frees at least {least}"),
    }
}

pub fn script(script: &Script, display: Display<'_>) -> String {
    match script {
        Ok(script) => {
            let warnings = if script.warnings.is_empty() { "" } else { " and its warnings" };
            display.about(&escape_path(&script.path), |path| {
                format!("Wrote {path}; review it{warnings} before running it")
            })
        }
        Err(ScriptError::Refused(path, reason)) => display
            .about(&escape(path), |path| format!("Cannot write a script for {path}: {}", reason.text())),
        Err(ScriptError::Exposed(blocked)) => {
            display.fit_message(&format!("Cannot write a script in {blocked}"))
        }
        Err(ScriptError::Failed(error)) => format!("Cannot write a script: {}", io_error_text(error)),
    }
}

pub fn deleted(
    kind: OperationKind,
    report: &Report,
    accuracy: FreedAccuracy,
    display: Display<'_>,
) -> String {
    let mut end = if report.is_cancelled { "; stopped" } else { "" }.to_owned();
    if report.failures.count > 0 {
        end.extend(["; ", &grouped(report.failures.count), " failed"]);
    }
    if let Some(reason) = &report.journal_error {
        end.extend(["; journal not written: ", reason]);
    }
    let whole = |text: &str| format!("{text}{end}");
    let entries = counted(report.entries, "entry", "entries");
    match kind {
        OperationKind::Delete | OperationKind::Empty if report.entries == 0 => match report.failures.count {
            0 if !report.is_cancelled => whole("Nothing to delete"),
            _ => whole("Nothing was deleted"),
        },
        OperationKind::Trash if report.entries == 0 => whole("Nothing was moved to the trash"),
        OperationKind::Delete | OperationKind::Empty => {
            let freed = plain_size(report.freed, display.units);
            let text = match accuracy {
                FreedAccuracy::Exact => format!("Deleted {entries}, freed {freed}"),
                FreedAccuracy::AtMost => format!("Deleted {entries}, freed up to {freed}"),
                FreedAccuracy::Unknown => format!("Deleted {entries}"),
            };
            let with_gain = whole(&format!("{text}{}", report.gained_text(display.units)));
            // Omits the change in free space if a journal error must be reported too, or if there is too little room.
            let has_room = report.journal_error.is_none() && width(&with_gain) <= display.room;
            if has_room { with_gain } else { whole(&text) }
        }
        OperationKind::Trash => {
            let restores = display.keymap.hint(
                Command::Restore,
                Scope::List,
                if report.entries == 1 { "restores it" } else { "restores them" },
            );
            let trash = trash_of_mount(report).map_or_else(|| "the trash".to_owned(), escape_path);
            display.about(&trash, |trash| {
                whole(&format!("Moved {entries} to {trash}{restores}; space not freed yet"))
            })
        }
        OperationKind::Share => whole(&report.shared_text(display.units)),
        OperationKind::Restore if report.entries == 0 => whole("Nothing was restored"),
        OperationKind::Restore => whole(&format!("Restored {entries}")),
    }
}

/// Returns the trash if all entries were moved to one trash at the top of a mount, where users do not expect it. The
/// freedesktop.org Trash specification 1.0 calls such a trash `.Trash-UID` or `.Trash/UID`.
fn trash_of_mount(report: &Report) -> Option<&Path> {
    let trash = report.trashed.first()?.trash.as_path();
    let is_of_mount =
        trash.file_name()?.as_bytes().starts_with(b".Trash-") || trash.parent()?.ends_with(".Trash");
    (is_of_mount && report.trashed.iter().all(|it| it.trash == trash)).then_some(trash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Errno;

    #[test]
    fn a_successful_program_reports_no_error() {
        let failure = |ended| program_error(&"sh".into(), ended);
        assert_eq!(failure(Ok(Ended::Code(0))), None);
        assert_eq!(failure(Ok(Ended::Code(3))).as_deref(), Some("sh exited with code 3"));
        assert_eq!(failure(Ok(Ended::Signal(9))).as_deref(), Some("sh was killed by SIGKILL"));
        let missing = io::Error::from_raw_os_error(Errno::ENOENT as i32);
        assert_eq!(failure(Err(missing)).as_deref(), Some("Cannot start sh: no such file or directory"));
    }
}
