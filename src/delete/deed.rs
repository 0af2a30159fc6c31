//! Carrying out what was confirmed, and writing it down.
//!
//! ```text
//! refusals asked once more -> journal: begun -> free space -> remove, move, or move back -> free space -> journal: how it went
//! ```
//!
//! Invariant: nothing begins before it is written down, unless there is no journal, and what could not be written down is said; a
//! refusal stops everything.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::journal::{Deed, Journal, Line};
use super::refusal::{self, Refusal};
use super::{Failure, Failures, Owner, Reason, Selection, Trashed, remove, trash};
use crate::job::{Job, Pool, Task};
use crate::platform::absolute::absolute_bytes;
use crate::platform::capacity::capacity;
use crate::platform::words;
use crate::sync::Arc;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Remove, for good.
    Remove(Arc<Selection>),
    /// Move to this user's trash.
    Trash(Arc<Selection>),
    /// Move back from there.
    Restore(Arc<Vec<Trashed>>),
}

/// How far it has come, or how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Names that went; of a trash, items.
    pub entries: u64,
    /// Bytes of the inodes whose last name went.
    pub freed: u64,
    /// What stays.
    pub failures: Failures,
    /// What is in the trash now.
    pub trashed: Vec<Trashed>,
    /// Bytes by which the free space of the file systems has grown meanwhile, whoever caused that.
    pub gained: Option<i64>,
    /// Why not everything could be written down, if so.
    pub unwritten: Option<String>,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
    /// Whether nothing more will happen.
    pub is_over: bool,
}

impl Work {
    /// What it is.
    pub fn deed(&self) -> Deed {
        match self {
            Self::Remove(selection) if selection.extent == super::Extent::Content => Deed::Empty,
            Self::Remove(_) => Deed::Delete,
            Self::Trash(_) => Deed::Trash,
            Self::Restore(_) => Deed::Restore,
        }
    }

    /// The items: paths as in the tree, and what they take up.
    fn items(&self) -> Vec<(Vec<u8>, u64)> {
        match self {
            Self::Remove(selection) | Self::Trash(selection) => {
                selection.items().map(|(group, item)| (group.path_of(item), item.disk)).collect()
            }
            Self::Restore(trashed) => trashed
                .iter()
                .flat_map(|it| it.from.items.iter().map(|item| (it.from.path_of(item), item.disk)))
                .collect(),
        }
    }
}

/// Begins to do it.
///
/// # Errors
/// When the system gives no thread.
pub fn carry_out(pool: &Pool, work: Work, journal: Option<Journal>) -> std::io::Result<Job<Report>> {
    pool.start(move |task| {
        let report = run(task, &work, journal.as_ref());
        task.publish(Report { is_over: true, is_cancelled: task.is_cancelled(), ..report });
    })
}

fn run(task: &Task<Report>, work: &Work, journal: Option<&Journal>) -> Report {
    if let Work::Remove(selection) | Work::Trash(selection) = work {
        let refused = refused(selection);
        if refused.count > 0 {
            return Report { failures: refused, ..Report::default() };
        }
    }
    let deed = work.deed();
    let items = work.items();
    let begun: Vec<Line> =
        items.iter().map(|(path, bytes)| line(deed, path, None, *bytes, "begun".into())).collect();
    let write_down = |lines: &[Line]| Some(words(&journal?.append(lines).err()?));
    let not_begun = write_down(&begun);
    let told = |trashing: trash::Trashing| {
        let ended = moved(deed, &items, &trashing, task.is_cancelled());
        (trashed(trashing), ended)
    };
    let (report, ended) = match work {
        Work::Remove(selection) => removed(task, selection, deed),
        Work::Trash(selection) => {
            let owner = Owner::of_process();
            let report = |trashing| task.publish(trashed(trashing));
            told(trash::run(task, selection, &owner, &report))
        }
        Work::Restore(all) => told(trash::run_back(task, all)),
    };
    let not_ended = write_down(&ended);
    Report { unwritten: not_begun.or(not_ended), ..report }
}

/// Removes, with the room there is before and after; also the lines that say how it went.
fn removed(task: &Task<Report>, selection: &Selection, deed: Deed) -> (Report, Vec<Line>) {
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
        removal.failures.first.iter().find(within).map(|failure| failure.reason.words())
    };
    let mut lines = Vec::new();
    for ((group, item), how) in selection.items().zip(&removal.items) {
        let path = group.path_of(item);
        let result = match how.failed {
            0 if task.is_cancelled() && !how.is_done => "cancelled".to_owned(),
            0 => "done".to_owned(),
            failed => format!("{failed} failed: {}", reason_of(&path).unwrap_or_default()),
        };
        lines.push(line(deed, &path, Some(how.entries), how.freed, result));
    }
    let gained = before.iter().filter_map(|(device, before)| {
        Some(i64::try_from(*after.get(device)?).ok()? - i64::try_from(*before).ok()?)
    });
    (Report { gained: gained.reduce(i64::saturating_add), ..report(removal) }, lines)
}

fn trashed(trashing: trash::Trashing) -> Report {
    Report {
        entries: trashing.moved.len() as u64,
        failures: trashing.failures,
        trashed: trashing.moved,
        ..Report::default()
    }
}

/// The lines that say how moving went.
fn moved(deed: Deed, items: &[(Vec<u8>, u64)], trashing: &trash::Trashing, is_cancelled: bool) -> Vec<Line> {
    let reasons: HashMap<&[u8], Reason> =
        trashing.failures.first.iter().map(|failure| (failure.path.as_slice(), failure.reason)).collect();
    let how = |(number, (path, bytes)): (usize, &(Vec<u8>, u64))| {
        let result = match reasons.get(path.as_slice()) {
            Some(reason) => reason.words(),
            None if trashing.failed.contains(&number) => "failed".to_owned(),
            None if is_cancelled && number >= trashing.moved.len() + trashing.failed.len() => {
                "cancelled".to_owned()
            }
            None => "done".to_owned(),
        };
        line(deed, path, None, *bytes, result)
    };
    items.iter().enumerate().map(how).collect()
}

/// A line of the journal; the path is made absolute.
fn line(deed: Deed, path: &[u8], entries: Option<u64>, bytes: u64, result: String) -> Line {
    Line { deed, path: absolute_bytes(path), entries, bytes, result }
}

/// What is refused, as failures.
fn refused(selection: &Selection) -> Failures {
    let (refusals, _) = refusal::judge(selection);
    let mut failures = Failures::default();
    let paths: Vec<Vec<u8>> = selection.items().map(|(group, item)| group.path_of(item)).collect();
    for (number, refusal) in refusals {
        let reason = match refusal {
            Refusal::Changed => Reason::Changed,
            Refusal::Mount => Reason::Mount,
            refusal => Reason::Refused(refusal),
        };
        failures.push(|| paths[number].clone(), reason);
    }
    failures
}

/// The free space of each file system a selection is on.
fn free(selection: &Selection) -> HashMap<u64, u64> {
    // Each directory once is enough; thousands of groups are on few file systems.
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
