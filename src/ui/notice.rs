//! Notices: the messages shown in the status line.
//!
//! The state stores a [`Notice`], which contains only values. The text is created at drawing time, with the user's
//! units and keys. Most texts are in this file and in `sentences`.

use std::path::{Path, PathBuf};

use super::keys::{Binding, Command, Scope};
use super::operations::deletion::Script;
pub use super::sentences::Display;
use super::sentences::{CANNOT_SHARE, FailedJob, FreedAccuracy, ONLY_FILES, deleted, script};
use super::views;
use super::waiting_command::{Awaited, WaitingCommand};
use crate::analysis::compare::NO_BASELINE;
use crate::base::format::{change, counted, grouped, plain_size};
use crate::base::job::JobError;
use crate::base::os_error::OsError;
use crate::base::sync::Arc;
use crate::base::text::{escape, escape_path, first_words};
use crate::delete::{OperationKind, Report};

/// Message in the status line, shown until the next key press or for a few seconds.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Text from outside the browser: a warning about the configuration, or an error from a background job.
    Message(String),
    UnboundKey,
    /// The key or command has no effect in this view. Contains its binding in another view.
    NotInThisView(&'static Binding),
    SortableBy {
        /// Name for the rows of the view, such as `Changes`.
        rows: &'static str,
        columns: Vec<&'static str>,
    },
    /// Snapshots and exports are read-only.
    RecordedReadOnly,
    /// Snapshots and exports cannot be rescanned.
    RecordedNotRead,
    /// The command needs the file system, which is not available for a snapshot or an export.
    RecordedNotHere,
    /// Deletion is disabled by `--read-only`.
    ReadOnly,
    /// The command is not available while the scan is running.
    ScanRunning,
    /// A scan or rescan is already running.
    ReadingAlready,
    /// The command is not available while a rescan is running.
    RescanRunning,
    /// The command is not available while a deletion is running.
    Deleting,
    /// A scan cannot be exported while it is running.
    ExportBeforeEnd,
    /// A scan that ended early cannot be exported.
    ExportOfPart,
    StillWriting(PathBuf),
    /// The file was written. Contains its path and its size in bytes.
    Wrote(PathBuf, u64),
    FileExists(PathBuf),
    NotWritten(PathBuf),
    WriteFailed(PathBuf, String),
    Script(Arc<Script>),
    JobFailed(FailedJob, JobError),
    OnlyRootsMarked,
    RootDirectory,
    RootFile,
    /// There are no rows.
    NothingToDelete,
    /// The row shows no entry.
    NothingToDeleteInRow,
    CannotDeleteUnread,
    /// The deletion would leave no copy in some sets of identical files. Contains the number of these sets.
    LastCopies(usize),
    /// There is nothing to restore, because a dry run moves nothing to the trash.
    NothingTrashedDryRun,
    /// There is nothing to restore, because nothing was trashed in this session.
    NothingTrashed,
    WrongName,
    /// The user answered Yes before the question could be read.
    AnsweredTooEarly,
    DryRun {
        kind: OperationKind,
        entries: u64,
        /// Number of bytes that would be freed if everything that shares these bytes were also deleted.
        bytes: u64,
        /// `true` if the preview was incomplete, so the numbers may be too low.
        at_least: bool,
    },
    /// Result of an operation.
    Deleted(OperationKind, Arc<Report>, FreedAccuracy),
    StoppingScan,
    StoppingRescan,
    StoppingDeletion,
    RescanFailed(Vec<String>),
    Rescanned {
        name: Vec<u8>,
        /// Size of the entry before the rescan, in bytes.
        before: u64,
        /// Size of the entry after the rescan, in bytes.
        after: u64,
        state: RescannedState,
    },
    /// The shown directory no longer exists, so a directory above it is shown.
    DirectoryGone,
    EntryMissing,
    /// The command will be performed as soon as the scan has found the entry that it acts on.
    AwaitingScan(WaitingCommand),
    /// Commands cannot act on this row of the previous scan until the running scan has ended. The row is a total, or it
    /// combines more entries than the limit `MOST_AWAITED`.
    RecordedRow,
    /// A command that marks several rows was used in a table whose rows are from the previous scan.
    RecordedRows,
    /// The scan has read the whole directory, but has not found this entry of the previous scan.
    NoLongerExists(Vec<u8>),
    /// The scan ended early, before it found this entry, which is known from the previous scan.
    NotFound(Vec<u8>),
    /// The entry was deleted, and its former directory is shown.
    FormerDirectory,
    NoEntry,
    /// The view has no entries that can be marked.
    NothingToMark,
    /// Enter does nothing on this row.
    NothingToOpen,
    /// The page has no more lines to scroll to.
    NoMoreLines,
    /// The window is too narrow for panes. Contains the required number of columns.
    TooNarrow(u16),
    /// Only files can be shown in the pager.
    OnlyFiles,
    /// A shell cannot be opened in the list of roots.
    NotInRoot,
    /// This path is being opened with the desktop's opener (such as `xdg-open`).
    Opening(Vec<u8>),
    /// The entry cannot be opened, because it is not a directory.
    NotADirectory,
    /// The directory under the cursor was excluded or could not be read.
    DirectoryNotRead,
    /// The user is at the scan root and cannot go further up, because the tree has several roots or comes from a
    /// snapshot or export.
    ScanRoot,
    /// The user cannot go further up, because the root is `/`.
    NothingAbove,
    NoBaseline,
    /// There is no older (or no newer) snapshot.
    NoOtherBaseline {
        is_newer: bool,
    },
    /// Growth is now relative to another snapshot. Contains the time of that snapshot, its position (1 for the newest),
    /// and the number of snapshots to choose from.
    Since(String, usize, usize),
    NoOwners,
    FilterNotCompared,
    Copied(Vec<u8>),
    TotalHasNoPath,
    CannotMarkTotal,
    /// The row has no entries that can be marked.
    NothingToMarkInRow,
    CannotMarkDeleted,
    /// The user asked to mark all copies outside a directory, but the row under the cursor is not a copy.
    NoDirectoryOfCopy,
    /// Copies outside a directory were marked. Contains the number of marked entries and the path of the directory: the
    /// copy under the cursor if it is a directory, otherwise the directory that contains the copy.
    MarkedElsewhere(usize, Vec<u8>),
    /// The file systems that contain the copies do not let files share data.
    CannotShare,
    NothingSharedDryRun,
    /// The row belongs to no group of copies.
    NoCopies,
    CannotMarkUnread,
    /// Some entries were not marked, because the scan did not read them. Contains the number of these entries.
    NotMarkedUnread(usize),
    /// All or some of the files found by a view were marked.
    MarkedFound {
        marked: u64,
        found: u64,
    },
    /// A marked directory contains entries that the filter hides.
    MarkedWhole,
    /// Directories were not marked, because the filter hides some entries in them. Contains the number of these
    /// directories.
    NotMarked(usize),
    RangeBegun,
    RangeStartHidden,
    NoMarks,
    MarksDropped {
        /// Number of marked entries that have been deleted.
        missing: u64,
        /// Number of marked entries that have been replaced or modified.
        changed: u64,
    },
    /// The typed file name has no extension that selects a format. Contains a valid extension.
    UnknownEnding(&'static str),
    OneRootOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RescannedState {
    /// The entry was read successfully.
    Read,
    /// The entry was deleted or renamed.
    Missing,
    /// The entry could not be read. Contains the error number.
    Failed(i32),
}

impl Notice {
    /// Returns the text of the notice. If the text is too long, shortens the path that it contains. If this is not
    /// enough, ends the text after the last word that fits.
    pub fn text(&self, display: Display<'_>) -> String {
        first_words(&self.sentence(display), display.room, display.gap).into_owned()
    }

    #[expect(clippy::too_many_lines, reason = "a table of sentences")]
    fn sentence(&self, display: Display<'_>) -> String {
        let hint = |command, does| display.keymap.hint(command, Scope::List, does);
        let size = |bytes| plain_size(bytes, display.units);
        let about = |name: &[u8], sentence: &dyn Fn(&str) -> String| display.about(&escape(name), sentence);
        let about_path =
            |path: &Path, sentence: &dyn Fn(&str) -> String| display.about(&escape_path(path), sentence);
        match self {
            Self::Message(text) => display.fit_message(text),
            Self::UnboundKey => format!("Unbound key{}", hint(Command::Help, "for help")),
            Self::NotInThisView(binding) => {
                // The hint for opening the list is shown only if `binding` applies in the list.
                let list =
                    || display.keymap.hint(Command::View(&views::LIST), Scope::Table, "opens the list");
                let list = if binding.scopes.contains(&Scope::List) { list() } else { String::new() };
                let key =
                    binding.scopes.iter().find_map(|scope| display.keymap.first(binding.command, *scope));
                // `binding.help` has no verb if the heading above it on the help page contains the verb.
                let verb = match binding.command {
                    Command::Sort(_) => "sort ",
                    Command::Show(_) | Command::Hidden | Command::Measure | Command::Graph => "show ",
                    _ => "",
                };
                format!("{} ({verb}{}) does nothing here{list}", key.unwrap_or_default(), binding.help)
            }
            Self::SortableBy { rows, columns } => match columns.split_last() {
                Some((last, [])) => format!("{rows} can be sorted only by {last}"),
                Some((last, others)) => {
                    format!("{rows} can be sorted only by {} or {last}", others.join(", "))
                }
                None => format!("{rows} cannot be sorted"),
            },
            Self::RecordedReadOnly => "Snapshots, exports and remote trees are read-only".into(),
            Self::RecordedNotRead => "Cannot rescan a snapshot, export or remote tree".into(),
            Self::RecordedNotHere => "Not available for snapshots, exports and remote trees".into(),
            Self::ReadOnly => "Cannot change anything in read-only mode (--read-only)".into(),
            Self::ScanRunning => format!("Scan in progress{}", hint(Command::Interrupt, "stops it")),
            Self::ReadingAlready => format!("Already scanning{}", hint(Command::Interrupt, "stops it")),
            Self::RescanRunning => "Rescan in progress; try again when it is done".into(),
            Self::Deleting => format!("File operation in progress{}", hint(Command::Interrupt, "stops it")),
            Self::ExportBeforeEnd => "Cannot export until everything is read".into(),
            Self::ExportOfPart => "Cannot export an incomplete scan".into(),
            Self::StillWriting(path) => about_path(path, &|path| format!("{path} is still being written")),
            Self::Wrote(path, bytes) => about_path(path, &|path| format!("Wrote {} to {path}", size(*bytes))),
            Self::FileExists(path) => about_path(path, &|path| format!("{path} already exists")),
            Self::NotWritten(path) => about_path(path, &|path| format!("Stopped; {path} was not written")),
            Self::WriteFailed(path, reason) => {
                about_path(path, &|path| format!("{path}: {}", escape(reason.as_bytes())))
            }
            Self::Script(result) => script(result, display),
            Self::JobFailed(job, error) => format!("{} failed: {error}", job.name()),
            Self::OnlyRootsMarked => "Cannot delete scan roots; mark entries inside them".into(),
            Self::RootDirectory => "Cannot delete a scan root; delete its contents".into(),
            Self::RootFile => "Cannot delete a scan root; run duke on its parent directory".into(),
            Self::LastCopies(1) => "Cannot delete all copies of a file; keep one copy".into(),
            Self::LastCopies(files) => {
                let files = grouped(*files as u64);
                format!("Cannot delete all copies of {files} files; keep one copy of each")
            }
            Self::NothingToDelete => "Nothing to delete here".into(),
            Self::NothingToDeleteInRow => "Nothing to delete in this row".into(),
            Self::CannotDeleteUnread => "Cannot delete an excluded or unreadable entry".into(),
            Self::NothingTrashedDryRun => "Dry run: nothing was trashed".into(),
            Self::NothingTrashed => "Nothing was trashed in this session".into(),
            Self::WrongName => "The typed name does not match".into(),
            Self::AnsweredTooEarly => "Key ignored because it came too soon; press it again".into(),
            Self::DryRun { kind, entries, bytes, at_least } => {
                let verb = if *kind == OperationKind::Trash { "trash" } else { "delete" };
                let least = if *at_least { "at least " } else { "" };
                let (entries, size) = (counted(*entries, "entry", "entries"), size(*bytes));
                format!("Dry run: would {verb} {least}{entries} ({size})")
            }
            Self::Deleted(kind, report, accuracy) => deleted(*kind, report, *accuracy, display),
            Self::StoppingScan => "Stopping; keeping partial results".into(),
            Self::StoppingRescan => "Stopping; keeping previous sizes".into(),
            Self::StoppingDeletion => "Stopping; keeping completed changes".into(),
            Self::RescanFailed(reasons) if reasons.is_empty() => {
                "Rescan failed; keeping previous sizes".into()
            }
            Self::RescanFailed(reasons) => display.about(&reasons.join("; "), |reasons| {
                format!("Rescan failed: {reasons}; keeping previous sizes")
            }),
            Self::Rescanned { name, before, after, state } => {
                let (now, by) = (size(*after), change(*before, *after, display.units));
                about(name, &|name| match state {
                    RescannedState::Missing => format!("{name} no longer exists (was {})", size(*before)),
                    RescannedState::Failed(errno) => format!("Cannot read {name}: {}", OsError(*errno)),
                    RescannedState::Read if before == after => {
                        format!("Rescanned {name}: {now}, unchanged")
                    }
                    RescannedState::Read => format!("Rescanned {name}: {now}, {by}"),
                })
            }
            Self::DirectoryGone => "Directory no longer exists; showing the nearest one above it".into(),
            Self::EntryMissing => "Entry no longer exists".into(),
            Self::AwaitingScan(WaitingCommand {
                awaited: Awaited::Name(name) | Awaited::Row(.., name),
                ..
            }) => {
                let cancels = hint(Command::Back, "cancels");
                about(name, &|name| format!("Waiting for the scan of {name}{cancels}"))
            }
            Self::AwaitingScan(_) => {
                format!("Waiting for the scan of this directory{}", hint(Command::Back, "cancels"))
            }
            Self::RecordedRow => "This row is from the previous scan; try again when the scan is done".into(),
            Self::RecordedRows => "Rows from the previous scan can only be marked one by one".into(),
            Self::NoLongerExists(name) => about(name, &|name| format!("{name} no longer exists")),
            Self::NotFound(name) => {
                about(name, &|name| format!("{name} was not found: the scan ended early"))
            }
            Self::FormerDirectory => "Entry was deleted; showing the directory that contained it".into(),
            Self::NoEntry => "No entry under the cursor".into(),
            Self::NothingToMark => "Nothing to mark here".into(),
            Self::NothingToMarkInRow => "Nothing to mark in this row".into(),
            Self::NothingToOpen => "Nothing to open in this row".into(),
            Self::NoMoreLines => "Nothing more to show".into(),
            Self::TooNarrow(columns) => format!("Side panes need a window at least {columns} columns wide"),
            Self::OnlyFiles => ONLY_FILES.into(),
            Self::NotInRoot => "Cannot start a shell in the list of scan roots; open a root first".into(),
            Self::Opening(path) => about(path, &|path| format!("Opening {path}")),
            Self::NotADirectory => "Cannot open: not a directory".into(),
            Self::DirectoryNotRead => "Cannot open a directory that was not read".into(),
            Self::ScanRoot => "Already at the scan root".into(),
            Self::NothingAbove => "Already at the root directory".into(),
            Self::NoOwners => "No owners recorded here (scan with -e)".into(),
            Self::NoOtherBaseline { is_newer: true } => "No newer snapshot".into(),
            Self::NoOtherBaseline { is_newer: false } => "No older snapshot".into(),
            Self::Since(time, index, count) => format!("Growth since {time} (snapshot {index} of {count})"),
            Self::NoBaseline => NO_BASELINE.into(),
            Self::FilterNotCompared => {
                let shows = hint(Command::View(&views::growth::VIEW), "opens the growth view");
                format!("Cannot sort by growth with a filter{shows}")
            }
            Self::Copied(path) => about(path, &|path| format!("Copied {path}")),
            Self::TotalHasNoPath => "No path to copy here".into(),
            Self::CannotMarkTotal => {
                let shows = display.keymap.hint(Command::Open, Scope::Table, "lists its entries");
                format!("Cannot mark a total{shows}")
            }
            Self::NoDirectoryOfCopy => "Not a copy; unfold a group and select the copy to keep".into(),
            Self::MarkedElsewhere(copies, directory) => about(directory, &|path| match copies {
                0 => format!("No copies outside {path}"),
                _ => format!("Marked {} outside {path}", counted(*copies as u64, "entry", "entries")),
            }),
            Self::CannotShare => CANNOT_SHARE.into(),
            Self::NothingSharedDryRun => "Dry run: nothing was shared".into(),
            Self::NoCopies => "No copies here".into(),
            Self::CannotMarkDeleted => "Cannot mark a deleted entry".into(),
            Self::CannotMarkUnread => "Cannot mark an excluded or unreadable entry".into(),
            Self::NotMarkedUnread(count) => {
                format!("{} not marked: excluded or unreadable", counted(*count as u64, "entry", "entries"))
            }
            Self::MarkedFound { marked, found } if found > marked => {
                format!("Marked the {} files in the list; {} were found", grouped(*marked), grouped(*found))
            }
            Self::MarkedFound { marked: 1, .. } => "Marked 1 file".into(),
            Self::MarkedFound { marked, .. } => format!("Marked {} files", grouped(*marked)),
            Self::MarkedWhole => "The mark includes entries that the filter hides".into(),
            Self::NotMarked(count) => {
                let directories = counted(*count as u64, "directory", "directories");
                format!("{directories} not marked: the filter hides some of their entries")
            }
            Self::RangeBegun => {
                let again = display.keymap.first(Command::MarkRange, Scope::List).unwrap_or_default();
                let cancels = display.keymap.hint(Command::Back, Scope::List, "cancels");
                format!("Range starts here; move and press {again} again{cancels}")
            }
            Self::RangeStartHidden => "Range canceled: its start is no longer shown".into(),
            Self::NoMarks => "No marks".into(),
            Self::MarksDropped { missing, changed } => match (missing, changed) {
                (1, 0) => "Unmarked 1 entry that no longer exists".into(),
                (_, 0) => format!("Unmarked {} entries that no longer exist", grouped(*missing)),
                (0, 1) => "Unmarked 1 entry that has changed".into(),
                (0, _) => format!("Unmarked {} entries that have changed", grouped(*changed)),
                _ => {
                    let [all, missing, changed] = [missing + changed, *missing, *changed].map(grouped);
                    format!("Unmarked {all} entries ({missing} missing, {changed} changed)")
                }
            },
            Self::UnknownEnding(other) => format!("Unknown extension; use {other}"),
            Self::OneRootOnly => "ncdu's format allows only one root; use a name that ends in .duke".into(),
        }
    }
}
