//! State of file operations (delete, trash, restore, share): checks, progress, results, and rechecks afterwards.
//!
//! Invariant: after every operation, successful or not, the entries are rechecked. The reported result is shown after
//! the recheck.

use super::Context;
use crate::base::sort::sort_by_key;
use crate::base::sync::Arc;

use crate::delete::{CopySharing, DeleteScope, Group, Operation, OperationKind, Report, Selection, Trashed};
use crate::scan::EntryNames;
use crate::source::SourceKind;
use crate::ui::deletion_state::{Failed, Running};
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::operations::deletion::DeletionRequest;
use crate::ui::options::DeleteMode;
use crate::ui::sentences::FreedAccuracy;

impl Context<'_> {
    /// Records `work` as running, and returns the effect that starts it. For the other arguments, see [`Running`].
    pub fn begin_work(&mut self, work: Operation, expected: (u64, u64), accuracy: FreedAccuracy) -> Effect {
        self.deletion.failed = None;
        self.deletion.running = Some(Running {
            kind: work.kind(),
            expected,
            accuracy,
            report: Arc::default(),
            is_stopping: false,
            work: work.clone(),
        });
        Effect::Deletion(DeletionRequest::Begin(work, self.deletion.policy.journal.clone()))
    }

    /// Starts the operation that makes copies share their data. In a dry run, shows a notice instead.
    pub fn share(&mut self, sharing: &Arc<CopySharing>) -> Option<Effect> {
        if self.deletion.policy.mode == DeleteMode::DryRun {
            self.notify(Notice::NothingSharedDryRun);
            return None;
        }
        let expected = (sharing.files(), sharing.disk());
        Some(self.begin_work(Operation::Share(Arc::clone(sharing)), expected, FreedAccuracy::AtMost))
    }

    /// Requests that the running operation stop, unless this has already been requested.
    pub fn stop_deleting(&mut self) -> Option<Effect> {
        let running = self.deletion.running.as_mut().filter(|running| !running.is_stopping)?;
        running.is_stopping = true;
        self.notify(Notice::StoppingDeletion);
        Some(Effect::Deletion(DeletionRequest::Stop))
    }

    /// Stores trashed items, so that the user can restore them. The items stored last are restored first.
    fn remember_trashed<'r>(&mut self, trashed: impl Iterator<Item = &'r Trashed>) {
        let trashed: Vec<Trashed> = trashed.cloned().collect();
        if !trashed.is_empty() {
            self.deletion.trashed.push(Arc::new(trashed));
        }
    }

    /// Stores the items that were not restored (all except `returned`), so that the user can try again.
    pub fn keep_unrestored(&mut self, work: &Operation, returned: &[Trashed]) {
        if let Operation::Restore(all) = work {
            // Both lists have the same order, so a single pass finds the items that only `all` contains.
            let mut returned = returned.iter().peekable();
            self.remember_trashed(all.iter().filter(|it| returned.next_if_eq(it).is_none()));
        }
    }

    /// Requests a recheck of the entries that an operation may have changed.
    pub fn recheck(&mut self, work: &Operation) -> Option<Effect> {
        match work {
            Operation::Remove(selection) | Operation::Trash(selection) => {
                Some(self.recheck_entries(selection))
            }
            Operation::Restore(trashed) => {
                let mut groups: Vec<Group> = trashed.iter().map(|it| it.from.clone()).collect();
                sort_by_key(&mut groups, Group::path);
                groups.dedup_by_key(|group| group.path());
                groups.dedup_by(|below, above| {
                    let (below, above) = (below.path(), above.path());
                    below.strip_prefix(above.as_slice()).is_some_and(|rest| rest.starts_with(b"/"))
                });
                groups.reverse();
                self.deletion.returned = groups;
                self.rescan_next_restored()
            }
            Operation::Share(sharing) => Some(self.recheck_shared(sharing)),
        }
    }

    /// Requests a recheck of these entries, and records that a rescan is running.
    pub fn recheck_entries(&mut self, selection: &Selection) -> Effect {
        let entries: EntryNames = selection.names();
        let parents = selection.groups.iter().map(|group| group.directory);
        let replaced = selection.items().filter_map(|(_, item)| item.directory).chain(parents).collect();
        let name = selection.groups.first().map(|group| self.tree.name(group.directory).to_vec());
        self.await_rescan(name.unwrap_or_default(), None, replaced);
        Effect::Recheck(entries)
    }

    /// Requests a recheck of the directories in `sharing`, but of none of their entries. Its only purpose is that the
    /// search for duplicates starts again when the recheck ends.
    fn recheck_shared(&mut self, sharing: &CopySharing) -> Effect {
        let directories = sharing.directories();
        let name = directories.first().map(|directory| self.tree.name(*directory).to_vec());
        self.await_rescan(name.unwrap_or_default(), None, directories.clone());
        Effect::Recheck(directories.into_iter().map(|directory| (directory, Vec::new())).collect())
    }

    /// Handles a report of the running operation, which contains its progress or its result.
    pub fn take_report(&mut self, report: &Arc<Report>) -> Option<Effect> {
        let running = self.deletion.running.as_mut()?;
        running.report = Arc::clone(report);
        if !report.is_over {
            return None;
        }
        let running = self.deletion.running.take()?;
        if running.kind == OperationKind::Trash {
            self.remember_trashed(report.trashed.iter());
        }
        self.keep_unrestored(&running.work, &report.trashed);
        self.deletion.outcome = Some(Notice::Deleted(running.kind, Arc::clone(report), running.accuracy));
        if report.failures.count > 0 {
            let selection = match &running.work {
                Operation::Remove(selection) | Operation::Trash(selection) => Some(Arc::clone(selection)),
                Operation::Restore(_) | Operation::Share(_) => None,
            };
            let (kind, failures) = (running.kind, report.failures.clone());
            self.deletion.failed = Some(Failed { kind, failures, selection });
        }
        self.recheck(&running.work)
    }

    /// Requests a rescan of the next directory with restored items. After the last one, shows the operation's result.
    pub fn rescan_next_restored(&mut self) -> Option<Effect> {
        while let Some(group) = self.deletion.returned.pop() {
            if let Some(directory) = group.find(self.tree) {
                return self.begin_rescan(directory);
            }
        }
        self.notify_outcome();
        None
    }

    fn notify_outcome(&mut self) {
        if let Some(outcome) = self.deletion.outcome.take() {
            self.notify(outcome);
        }
    }

    /// Requests a check of the marked directories whose modification time changed in a rescan. Such a directory may
    /// have been replaced by another directory of the same name.
    pub fn compare_marks(&mut self) -> Option<Effect> {
        let touched = self.marks.touched_directories();
        let selection =
            Selection::new(self.tree, touched.keys().copied(), DeleteScope::Whole).as_chosen(&touched);
        (selection.count() > 0).then(|| Effect::Deletion(DeletionRequest::Compare(Arc::new(selection))))
    }

    /// Checks that a file operation may start now. The error is a notice with the reason.
    pub fn check_changes(&self) -> Result<(), Notice> {
        Err(if self.source_kind != SourceKind::Live {
            Notice::RecordedReadOnly
        } else if self.deletion.policy.mode == DeleteMode::ReadOnly {
            Notice::ReadOnly
        } else if self.is_scanning() {
            Notice::ScanRunning
        } else if self.is_deleting() {
            Notice::Deleting
        } else if self.rescan().is_some() {
            Notice::RescanRunning
        } else {
            return Ok(());
        })
    }

    pub fn is_deleting(&self) -> bool {
        self.deletion.running.is_some()
    }
}
