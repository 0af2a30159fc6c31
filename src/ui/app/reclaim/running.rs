//! Running operation, and its result for the tree and the user.
//!
//! Invariant: after every operation, successful or not, its entries are rechecked before the result is shown.

use super::super::{App, Effect};
use crate::base::sync::Arc;
use crate::delete::{Group, Operation, OperationKind, Report, Selection, Trashed};
use crate::scan::Places;
use crate::ui::layers::failures::FailuresList;
use crate::ui::notice::Notice;
use crate::ui::reclaim::Order;

/// Running operation.
#[derive(Clone, Debug)]
pub struct Running {
    /// Kind of the operation.
    pub deed: OperationKind,
    /// Expected number of names, as far as known, and bytes.
    pub expected: (u64, u64),
    /// `true` if fewer bytes than counted may be freed: files are compressed, or share space.
    is_at_most: bool,
    /// Progress.
    pub report: Arc<Report>,
    /// `true` if it was asked to stop.
    pub is_stopping: bool,
    pub(super) work: Operation,
}

impl App<'_> {
    pub(in crate::ui) fn begin_work(
        &mut self,
        work: Operation,
        expected: (u64, u64),
        is_at_most: bool,
    ) -> Effect {
        self.reclaim.failed = None;
        self.reclaim.running = Some(Running {
            deed: work.deed(),
            expected,
            is_at_most,
            report: Arc::default(),
            is_stopping: false,
            work: work.clone(),
        });
        Effect::Reclaim(Order::Begin(work, self.reclaim.safety.journal.clone()))
    }

    /// Asks the operation to stop, once.
    pub(in crate::ui::app) fn stop_deleting(&mut self) -> Option<Effect> {
        let running = self.reclaim.running.as_mut().filter(|running| !running.is_stopping)?;
        running.is_stopping = true;
        self.notify(Notice::StoppingDeletion);
        Some(Effect::Reclaim(Order::Stop))
    }

    pub(super) fn take_report(&mut self, report: &Arc<Report>) -> Option<Effect> {
        let running = self.reclaim.running.as_mut()?;
        running.report = Arc::clone(report);
        if !report.is_over {
            return None;
        }
        let running = self.reclaim.running.take()?;
        self.unask_quit();
        if running.deed == OperationKind::Trash {
            self.remember_trashed(report.trashed.iter());
        }
        self.keep_what_did_not_return(&running.work, &report.trashed);
        self.reclaim.outcome = Some(Notice::Deleted(running.deed, Arc::clone(report), running.is_at_most));
        if report.failures.count > 0 {
            let selection = match &running.work {
                Operation::Remove(selection) | Operation::Trash(selection) => Some(Arc::clone(selection)),
                Operation::Restore(_) => None,
            };
            let (deed, failures) = (running.deed, report.failures.clone());
            self.reclaim.failed = Some(FailuresList::new(deed, failures, selection));
        }
        self.look_again(&running.work)
    }

    /// Records trashed items that can be restored, before earlier ones.
    fn remember_trashed<'r>(&mut self, trashed: impl Iterator<Item = &'r Trashed>) {
        let trashed: Vec<Trashed> = trashed.cloned().collect();
        if !trashed.is_empty() {
            self.reclaim.trashed.push(Arc::new(trashed));
        }
    }

    /// Keeps items that failed to be restored, all except `returned`, for another attempt.
    pub(super) fn keep_what_did_not_return(&mut self, work: &Operation, returned: &[Trashed]) {
        if let Operation::Restore(all) = work {
            // They are in the same order.
            let mut returned = returned.iter().peekable();
            self.remember_trashed(all.iter().filter(|it| returned.next_if_eq(it).is_none()));
        }
    }

    /// Rechecks the entries of an operation.
    pub(super) fn look_again(&mut self, work: &Operation) -> Option<Effect> {
        match work {
            Operation::Remove(selection) | Operation::Trash(selection) => Some(self.look_again_at(selection)),
            Operation::Restore(trashed) => {
                let mut groups: Vec<Group> = trashed.iter().map(|it| it.from.clone()).collect();
                groups.sort_by_cached_key(Group::path);
                groups.dedup_by_key(|group| group.path());
                groups.dedup_by(|below, above| {
                    let (below, above) = (below.path(), above.path());
                    below.strip_prefix(above.as_slice()).is_some_and(|rest| rest.starts_with(b"/"))
                });
                groups.reverse();
                self.reclaim.returned = groups;
                self.read_returned()
            }
        }
    }

    /// Rechecks these entries.
    pub(in crate::ui) fn look_again_at(&mut self, selection: &Selection) -> Effect {
        let places: Places = selection.places();
        let replaced = selection.items().filter_map(|(_, item)| item.directory).collect();
        let name = selection.groups.first().map(|group| self.tree.name(group.directory).to_vec());
        self.await_rescan(name.unwrap_or_default(), None, replaced);
        Effect::LookAgain(places)
    }

    /// Rescans the next directory with restored items.
    fn read_returned(&mut self) -> Option<Effect> {
        while let Some(group) = self.reclaim.returned.pop() {
            if let Some(directory) = group.find(self.tree) {
                return self.begin_rescan(directory);
            }
        }
        self.say_outcome();
        None
    }

    /// Continues after a rescan has updated the tree, or one more part of it.
    pub(in crate::ui::app) fn after_rescan(&mut self) -> Option<Effect> {
        self.read_returned().or_else(|| self.ask_again()).or_else(|| self.compare_marks())
    }

    fn say_outcome(&mut self) {
        if let Some(outcome) = self.reclaim.outcome.take() {
            self.notify(outcome);
        }
    }
}
