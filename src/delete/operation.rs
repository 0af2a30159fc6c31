//! Runs a confirmed operation and records it in the journal.
//!
//! ```text
//! guards -> journal: begun -> free space -> delete, trash, restore or share -> free space -> journal: result
//! ```
//!
//! The guards check only deletions and moves to the trash. The free space is measured only for deletions and for
//! sharing.
//!
//! Invariant: an operation is recorded in the journal, if there is one, before it begins. If the journal cannot be
//! written, the operation runs anyway, and the error is reported. If a guard refuses any item, nothing is done.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::guard;
use super::journal::{Journal, JournalLine, OperationKind};
use super::reason::Blocked;
use super::{CopySharing, Failure, Failures, Owner, Reason, Selection, Trashed, remove, share, trash};
use crate::base::absolute::absolute_bytes;
use crate::base::format::{Units, counted, plain_size};
use crate::base::job::{Job, Pool, Task};
use crate::base::sync::Arc;
use crate::platform::fs::capacity::capacity;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Delete permanently.
    Remove(Arc<Selection>),
    /// Move to the user's trash.
    Trash(Arc<Selection>),
    /// Move trashed items back to their former locations.
    Restore(Arc<Vec<Trashed>>),
    /// Make identical files share their data.
    Share(Arc<CopySharing>),
}

/// Progress or result of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of names deleted, items moved to or from the trash, or files made to share data with another file.
    pub entries: u64,
    /// Disk usage in bytes of the inodes whose last name was deleted. For [`Operation::Share`], the length in bytes
    /// of the data that was shared.
    pub freed: u64,
    /// Entries that could not be deleted or moved, or files whose data could not be shared.
    pub failures: Failures,
    /// Items moved to or from the trash.
    pub trashed: Vec<Trashed>,
    /// Change in free space in bytes during the operation, including changes by other processes; `None` if it is
    /// unknown or was not measured.
    pub gained: Option<i64>,
    /// Error that left the journal incomplete, if any.
    pub journal_error: Option<String>,
    /// `true` if the user canceled the operation.
    pub is_cancelled: bool,
    /// `true` once the operation has ended.
    pub is_over: bool,
}

impl Report {
    /// Returns a one-line summary of an [`Operation::Share`], which makes identical files share their data.
    pub fn shared_text(&self, units: Units) -> String {
        if self.entries == 0 {
            return match self.failures.count {
                0 if !self.is_cancelled => {
                    "Nothing to share: no copies found, or all copies already share data".to_owned()
                }
                _ => "Nothing was shared".to_owned(),
            };
        }
        let files = counted(self.entries, "file now shares", "files now share");
        format!("{files} {} of data{}", plain_size(self.freed, units), self.gained_text(units))
    }

    /// Returns the change in free space in parentheses, or an empty string if the change is unknown.
    pub fn gained_text(&self, units: Units) -> String {
        let Some(gained) = self.gained else { return String::new() };
        let sign = if gained < 0 { "-" } else { "+" };
        format!(" (free space {sign}{})", plain_size(gained.unsigned_abs(), units))
    }
}

impl Operation {
    pub fn kind(&self) -> OperationKind {
        match self {
            Self::Remove(selection) if selection.scope == super::DeleteScope::Content => OperationKind::Empty,
            Self::Remove(_) => OperationKind::Delete,
            Self::Trash(_) => OperationKind::Trash,
            Self::Restore(_) => OperationKind::Restore,
            Self::Share(_) => OperationKind::Share,
        }
    }

    /// Returns each item's path as it is recorded in the tree, and its disk usage in bytes.
    fn items(&self) -> Vec<(Vec<u8>, u64)> {
        match self {
            Self::Remove(selection) | Self::Trash(selection) => {
                selection.items().map(|(group, item)| (group.path_of(item), item.disk)).collect()
            }
            Self::Restore(trashed) => trashed
                .iter()
                .flat_map(|it| it.from.items.iter().map(|item| (it.from.path_of(item), item.disk)))
                .collect(),
            Self::Share(sharing) => sharing.items(),
        }
    }
}

/// Starts the operation.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn start(pool: &Pool, work: Operation, journal: Option<Journal>) -> std::io::Result<Job<Report>> {
    pool.start(move |task| {
        let work = match work {
            Operation::Share(sharing) => {
                Operation::Share(Arc::new(sharing.without_shared(&|| task.is_cancelled())))
            }
            work => work,
        };
        let report = run(task, &work, journal.as_ref());
        task.publish(Report { is_over: true, is_cancelled: task.is_cancelled(), ..report });
    })
}

fn run(task: &Task<Report>, work: &Operation, journal: Option<&Journal>) -> Report {
    if let Operation::Remove(selection) | Operation::Trash(selection) = work {
        let refused = refused(selection);
        if refused.count > 0 {
            return Report { failures: refused, ..Report::default() };
        }
    }
    let kind = work.kind();
    let items = work.items();
    let begun: Vec<JournalLine> =
        items.iter().map(|(path, bytes)| line(kind, path, None, *bytes, "begun".into())).collect();
    let write_down = |lines: &[JournalLine]| {
        let journal = journal?;
        journal.append(lines).err().map(|error| journal.message(&error))
    };
    let not_begun = write_down(&begun);
    let with_journal = |trashing: trash::Trashing| {
        let ended = moved(kind, &items, &trashing, task.is_cancelled());
        (trashed(trashing), ended)
    };
    // Only the final report lists the moved items. Copying the list for every report would be slow.
    let report = |so_far: &trash::Trashing| {
        let (entries, failures) = (so_far.moved.len() as u64, so_far.failures.clone());
        task.publish(Report { entries, failures, ..Report::default() });
    };
    let (report, ended) = match work {
        Operation::Remove(selection) => removed(task, selection, kind),
        Operation::Trash(selection) => {
            with_journal(trash::run(task, selection, &Owner::of_process(), &report))
        }
        Operation::Restore(all) => with_journal(trash::run_back(task, all, &report)),
        Operation::Share(sharing) => shared(task, sharing, &items),
    };
    let not_ended = write_down(&ended);
    Report { journal_error: not_begun.or(not_ended), ..report }
}

/// Deletes the selection and measures the gained free space. Returns the report and the journal lines with the results.
fn removed(task: &Task<Report>, selection: &Selection, kind: OperationKind) -> (Report, Vec<JournalLine>) {
    let before = free(selection);
    let report = |removal: remove::Removal| Report {
        entries: removal.entries,
        freed: removal.freed,
        failures: removal.failures,
        ..Report::default()
    };
    let removal = remove::run(task, selection, &|removal| task.publish(report(removal)));
    let after = free(selection);
    let reason_of = |path: &[u8]| {
        let within = |failure: &&Failure| {
            failure.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        removal.failures.first.iter().find(within).map(|failure| failure.reason.text())
    };
    let mut lines = Vec::new();
    for ((group, item), how) in selection.items().zip(&removal.items) {
        let path = group.path_of(item);
        let result = match how.failed {
            0 if task.is_cancelled() && !how.is_done => "cancelled".to_owned(),
            0 => "done".to_owned(),
            failed => format!("{failed} failed: {}", reason_of(&path).unwrap_or_default()),
        };
        lines.push(line(kind, &path, Some(how.entries), how.freed, result));
    }
    let gained = before.iter().filter_map(|(device, before)| {
        Some(i64::try_from(*after.get(device)?).ok()? - i64::try_from(*before).ok()?)
    });
    (Report { gained: gained.reduce(i64::saturating_add), ..report(removal) }, lines)
}

/// Makes the files in `sharing` share their data. Returns the report, and one journal line for each of the `items`.
/// `items` must be the result of [`CopySharing::items`].
fn shared(
    task: &Task<Report>,
    sharing: &CopySharing,
    items: &[(Vec<u8>, u64)],
) -> (Report, Vec<JournalLine>) {
    let report = |shared: share::SharedData| Report {
        entries: shared.files,
        freed: shared.bytes,
        failures: shared.failures,
        gained: shared.gained,
        ..Report::default()
    };
    let (shared, results) = share::run(task, sharing, &|shared| task.publish(report(shared)));
    let lines = results.into_iter().zip(items).map(|(result, (path, _))| {
        let (bytes, result) = match result {
            Some(Ok(bytes)) => (bytes, "done".to_owned()),
            Some(Err(reason)) => (0, reason.text()),
            None => (0, "cancelled".to_owned()),
        };
        line(OperationKind::Share, path, None, bytes, result)
    });
    let lines = lines.collect();
    (report(shared), lines)
}

fn trashed(trashing: trash::Trashing) -> Report {
    Report {
        entries: trashing.moved.len() as u64,
        failures: trashing.failures,
        trashed: trashing.moved,
        ..Report::default()
    }
}

/// Returns the journal lines for items moved to or from the trash.
fn moved(
    kind: OperationKind,
    items: &[(Vec<u8>, u64)],
    trashing: &trash::Trashing,
    is_cancelled: bool,
) -> Vec<JournalLine> {
    let reasons: HashMap<&[u8], Reason> =
        trashing.failures.first.iter().map(|failure| (failure.path.as_slice(), failure.reason)).collect();
    let how = |(number, (path, bytes)): (usize, &(Vec<u8>, u64))| {
        let result = match reasons.get(path.as_slice()) {
            Some(reason) => reason.text(),
            None if trashing.failed.contains(&number) => "failed".to_owned(),
            None if is_cancelled && number >= trashing.moved.len() + trashing.failed.len() => {
                "cancelled".to_owned()
            }
            None => "done".to_owned(),
        };
        line(kind, path, None, *bytes, result)
    };
    items.iter().enumerate().map(how).collect()
}

/// Creates a journal line with an absolute path.
fn line(kind: OperationKind, path: &[u8], entries: Option<u64>, bytes: u64, result: String) -> JournalLine {
    JournalLine { kind, path: absolute_bytes(path), entries, bytes, result }
}

/// Returns a failure for each item that the guards refuse.
fn refused(selection: &Selection) -> Failures {
    let (blocked, _) = guard::check(selection);
    let mut failures = Failures::default();
    let paths: Vec<Vec<u8>> = selection.items().map(|(group, item)| group.path_of(item)).collect();
    for (number, blocked) in blocked {
        let reason = match blocked {
            Blocked::Mount => Reason::Mount,
            blocked => Reason::Refused(blocked),
        };
        failures.push(|| paths[number].clone(), reason);
    }
    failures
}

/// Returns the free space in bytes of the file systems that contain selected entries, keyed by device.
fn free(selection: &Selection) -> HashMap<u64, u64> {
    // Thousands of groups may share a few file systems, so each device is queried only once.
    let mut devices = HashMap::new();
    for group in &selection.groups {
        let Some(device) = group.steps.last().map(|step| step.device) else { continue };
        if let Entry::Vacant(vacant) = devices.entry(device)
            && let Ok(found) = capacity(Path::new(OsStr::from_bytes(&group.path())))
        {
            vacant.insert(found.free);
        }
    }
    devices
}
