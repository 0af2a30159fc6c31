//! What is being done, and how the tree and the person learn what has become of it.
//!
//! Invariant: whatever ends, by success or not, the entries it was about are looked at again before anything is said of them.

use super::super::{App, Effect};
use super::Failed;
use crate::delete::{Deed, Group, Report, Trashed, Work};
use crate::scan::Places;
use crate::size::{grouped, plain_size};
use crate::sync::Arc;
use crate::ui::cursor::Cursor;
use crate::ui::keys::Command;
use crate::ui::reclaim::Order;

/// What is being done.
#[derive(Clone, Debug)]
pub struct Running {
    /// What.
    pub deed: Deed,
    /// How many names there are, as far as it is known, and bytes.
    pub expected: (u64, u64),
    /// How far it has come.
    pub report: Arc<Report>,
    /// Whether it was asked to stop.
    pub is_stopping: bool,
    pub(super) work: Work,
}

impl App<'_> {
    pub(super) fn begin_work(&mut self, work: Work, expected: (u64, u64)) -> Effect {
        self.reclaim.failed = None;
        self.reclaim.running = Some(Running {
            deed: work.deed(),
            expected,
            report: Arc::default(),
            is_stopping: false,
            work: work.clone(),
        });
        Effect::Reclaim(Order::Begin(work, self.reclaim.safety.journal.clone()))
    }

    /// Asks what runs to stop, if it was not asked yet.
    pub(in crate::ui::app) fn stop_deleting(&mut self) -> Option<Effect> {
        let running = self.reclaim.running.as_mut().filter(|running| !running.is_stopping)?;
        running.is_stopping = true;
        self.say("Stopping; what is gone is gone");
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
        if running.deed == Deed::Trash {
            self.remember_trashed(report.trashed.iter());
        }
        self.keep_what_did_not_return(&running.work, &report.trashed);
        self.reclaim.outcome = Some(self.outcome_of(running.deed, report));
        if report.failures.count > 0 {
            let selection = match &running.work {
                Work::Remove(selection) | Work::Trash(selection) => Some(Arc::clone(selection)),
                Work::Restore(_) => None,
            };
            let (deed, failures) = (running.deed, report.failures.clone());
            self.reclaim.failed = Some(Failed { deed, failures, cursor: Cursor::default(), selection });
        }
        self.look_again(&running.work)
    }

    /// What can be moved back, before everything that was moved earlier.
    fn remember_trashed<'r>(&mut self, trashed: impl Iterator<Item = &'r Trashed>) {
        let trashed: Vec<Trashed> = trashed.cloned().collect();
        if !trashed.is_empty() {
            self.reclaim.trashed.push(Arc::new(trashed));
        }
    }

    /// What did not come back from the trash, all but `returned`, can be moved back again.
    pub(super) fn keep_what_did_not_return(&mut self, work: &Work, returned: &[Trashed]) {
        if let Work::Restore(all) = work {
            // They come in the same order.
            let mut returned = returned.iter().peekable();
            self.remember_trashed(all.iter().filter(|it| returned.next_if_eq(it).is_none()));
        }
    }

    /// Lets the tree see what has become of it.
    pub(super) fn look_again(&mut self, work: &Work) -> Option<Effect> {
        match work {
            Work::Remove(selection) | Work::Trash(selection) => {
                let places: Places = selection.places();
                let replaced = selection.items().filter_map(|(_, item)| item.directory).collect();
                let name = selection.groups.first().map(|group| self.tree.name(group.directory).to_vec());
                self.await_rescan(name.unwrap_or_default(), None, replaced);
                Some(Effect::LookAgain(places))
            }
            Work::Restore(trashed) => {
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

    /// Reads the next directory again that something came back to.
    fn read_returned(&mut self) -> Option<Effect> {
        while let Some(group) = self.reclaim.returned.pop() {
            if let Some(directory) = group.find(self.tree) {
                return self.begin_rescan(directory);
            }
        }
        self.say_outcome();
        None
    }

    /// The tree is right again, or one more part of it.
    pub(in crate::ui::app) fn after_rescan(&mut self) -> Option<Effect> {
        self.read_returned()
    }

    fn say_outcome(&mut self) {
        if let Some(outcome) = self.reclaim.outcome.take() {
            self.say(outcome);
        }
    }

    fn outcome_of(&self, deed: Deed, report: &Report) -> String {
        let entries = match report.entries {
            1 => "1 entry".to_owned(),
            entries => format!("{} entries", grouped(entries)),
        };
        let mut text = match deed {
            Deed::Delete | Deed::Empty if report.entries == 0 => match report.failures.count {
                0 => "There was nothing to delete".to_owned(),
                _ => "Nothing was deleted".to_owned(),
            },
            Deed::Trash if report.entries == 0 => "Nothing was moved to the trash".to_owned(),
            Deed::Delete | Deed::Empty => {
                let mut text = format!("Deleted {entries}: {} freed", plain_size(report.freed, self.units));
                if let Some(gained) = report.gained {
                    let sign = if gained < 0 { "-" } else { "+" };
                    let gained = plain_size(gained.unsigned_abs(), self.units);
                    text.extend([", free space ", sign, &gained]);
                }
                text
            }
            Deed::Trash => {
                let restores = self.key_hint(Command::Restore, "restores");
                format!("Moved {entries} to the trash{restores}: nothing is freed yet")
            }
            Deed::Restore => format!("Moved {entries} back"),
        };
        if report.is_cancelled {
            text = format!("Stopped. {text}");
        }
        match report.failures.count {
            0 => {}
            1 => text += "; 1 stays",
            count => text.extend(["; ", &grouped(count), " stay"]),
        }
        if let Some(reason) = &report.unwritten {
            text.extend(["; not in the journal: ", reason]);
        }
        text
    }
}
