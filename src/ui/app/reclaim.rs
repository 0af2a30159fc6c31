//! Confirmation of deletions, and their progress and result.
//!
//! ```text
//! d D -> DeleteDialog: a probe fills it in -> Yes (typed, or asked again) -> Running -> recheck -> notice
//!                                                                          |
//!                                                                          +-> Failures: failed entries with reasons
//! ```
//!
//! Changed entries are rechecked from either list, and asked about in their present state.
//!
//! Invariant: nothing is deleted without a Yes given when all objections were on the screen.

mod running;

pub use running::Running;

use super::{App, Effect};
use crate::base::format::plain_size;
use crate::base::sync::Arc;
use crate::delete::{DeleteScope, Group, Operation, OperationKind, Selection, Trashed};
use crate::source::SourceKind;
use crate::tree::DirId;
use crate::ui::layers::Layer;
use crate::ui::layers::confirm_delete::DeleteDialog;
use crate::ui::layers::failures::FailuresList;
use crate::ui::notice::Notice;
use crate::ui::options::{Changes, DeletePolicy};
use crate::ui::reclaim::{News, Order};

/// State of deletions.
#[derive(Debug, Default)]
pub struct Reclaim {
    /// Running operation.
    pub running: Option<Running>,
    /// Failures of the last operation, until they are shown.
    failed: Option<FailuresList>,
    safety: DeletePolicy,
    /// Trashed items, the last ones at the end.
    trashed: Vec<Arc<Vec<Trashed>>>,
    /// Notice to show when the tree is up to date.
    outcome: Option<Notice>,
    /// Operation to ask about again after changed entries are rescanned.
    pub(in crate::ui) asked_again: Option<(OperationKind, Arc<Selection>)>,
    /// Directories to rescan because restored items are in them.
    returned: Vec<Group>,
}

impl Reclaim {
    /// Creates the state with these rules.
    pub(super) fn new(safety: DeletePolicy) -> Self {
        Self { safety, ..Self::default() }
    }
}

impl<'t> App<'t> {
    /// Opens the dialog for the marks, or else for the entry under the cursor.
    pub(super) fn ask_to(&mut self, deed: OperationKind) -> Option<Effect> {
        let selection = self.checked(self.check_selection())?.as_chosen(&self.marks.touched_directories());
        Some(self.ask_about(deed, selection))
    }

    /// Compares marked directories that were changed with the file system.
    pub(super) fn compare_marks(&mut self) -> Option<Effect> {
        let touched = self.marks.touched_directories();
        let selection =
            Selection::new(self.tree, touched.keys().copied(), DeleteScope::Whole).as_chosen(&touched);
        (selection.count() > 0).then(|| Effect::Reclaim(Order::Compare(Arc::new(selection))))
    }

    /// Returns the entries that a command would delete.
    fn check_selection(&self) -> Result<Selection, Notice> {
        self.check_changes()?;
        let selection = Selection::new(self.tree, self.subject(), DeleteScope::Whole);
        if selection.count() > 0 {
            return Ok(selection);
        }
        Err(if self.marks.count() > 0 {
            Notice::OnlyRootsMarked
        } else if self.place.id == DirId::TOP {
            match self.place.entry().and_then(|root| root.directory()) {
                Some(_) => Notice::RootDirectory,
                None => Notice::RootFile,
            }
        } else {
            Notice::NothingToDelete
        })
    }

    /// Checks that entries may be changed at present.
    pub(in crate::ui) fn check_changes(&self) -> Result<(), Notice> {
        Err(if self.nature == SourceKind::Recorded {
            Notice::RecordedReadOnly
        } else if self.reclaim.safety.changes == Changes::Refused {
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

    /// Returns `true` if an operation on files is running.
    pub fn is_deleting(&self) -> bool {
        self.reclaim.running.is_some()
    }

    /// Returns the entries that a command acts on: the marks, or else the entry under the cursor.
    fn subject(&self) -> Vec<(DirId, &'t [u8])> {
        if self.marks.count() > 0 {
            return self.marks.in_order(self.tree).into_iter().map(|(place, _)| place).collect();
        }
        let under_cursor = self.under_cursor().and_then(|(directory, position)| {
            self.tree.listing(directory).name(position).map(|name| (directory, name))
        });
        under_cursor.into_iter().collect()
    }

    /// Restores the items trashed last.
    pub(super) fn restore(&mut self) -> Option<Effect> {
        self.checked(self.check_changes())?;
        if self.reclaim.safety.changes == Changes::Rehearsed {
            self.notify(Notice::NothingTrashedDryRun);
            return None;
        }
        let Some(trashed) = self.reclaim.trashed.pop() else {
            self.notify(Notice::NothingTrashed);
            return None;
        };
        let items = trashed.len() as u64;
        Some(self.begin_work(Operation::Restore(trashed), (items, 0), false))
    }

    /// Writes a script that deletes the marks, or else the entry under the cursor.
    pub(super) fn write_script(&mut self) -> Option<Effect> {
        let selection = self.checked(self.check_selection())?;
        let sizes = selection.items().map(|(_, item)| plain_size(item.disk, self.units)).collect();
        Some(Effect::Reclaim(Order::Script(Arc::new(selection), sizes)))
    }

    /// Opens the dialog for an operation, and requests a preview.
    pub(in crate::ui) fn ask_about(&mut self, deed: OperationKind, selection: Selection) -> Effect {
        let (selection, now) = (Arc::new(selection), self.clock());
        let dialog = DeleteDialog::new(deed, Arc::clone(&selection), &self.reclaim.safety, now);
        self.open_below_question(Layer::ConfirmDelete(dialog));
        Effect::Reclaim(Order::Preview(selection, now))
    }

    /// Asks again after changed entries were rescanned.
    fn ask_again(&mut self) -> Option<Effect> {
        let is_free = self.layers.iter().all(|layer| matches!(layer, Layer::Question(_)));
        let (deed, selection) = self.reclaim.asked_again.take().filter(|_| is_free)?;
        let selection = selection.renewed(self.tree, |_| true);
        if selection.count() == 0 {
            self.notify(Notice::EntryGone);
            return None;
        }
        Some(self.ask_about(deed, selection))
    }

    /// Returns the dialog that confirms a deletion, if it is open.
    pub fn delete_dialog(&self) -> Option<&DeleteDialog> {
        self.layers.iter().find_map(|layer| match layer {
            Layer::ConfirmDelete(dialog) => Some(dialog),
            _ => None,
        })
    }

    fn delete_dialog_mut(&mut self) -> Option<&mut DeleteDialog> {
        self.layers.iter_mut().find_map(|layer| match layer {
            Layer::ConfirmDelete(dialog) => Some(dialog),
            _ => None,
        })
    }

    /// Opens the list of failures once the tree is up to date and nothing else is open.
    pub(super) fn open_failures(&mut self) {
        let is_busy = self.is_deleting() || self.rescan().is_some() || !self.layers.is_empty();
        let failed = self.reclaim.failed.take_if(|_| !is_busy);
        self.layers.extend(failed.map(Layer::Failures));
    }

    /// Processes a report of an operation.
    pub(super) fn take_reclaim(&mut self, news: News) -> Option<Effect> {
        match news {
            News::Probed(probe) => {
                if let Some(dialog) = self.delete_dialog_mut() {
                    dialog.learn(probe);
                }
                None
            }
            News::Replaced(places) => {
                self.drop_replaced(&places);
                None
            }
            News::Reported(report) => self.take_report(&report),
            News::Script(result) => {
                self.notify(Notice::Script(result));
                None
            }
            News::Failed(operation, error) => {
                self.notify(Notice::JobFailed(operation, error));
                None
            }
            News::ProbeFailed(error) => {
                self.notify(Notice::JobFailed("Preview", error));
                // Without knowing more nothing could be confirmed.
                self.delete_dialog().is_some().then(|| {
                    self.layers.retain(|layer| !matches!(layer, Layer::ConfirmDelete(_)));
                    Effect::Reclaim(Order::StopProbe)
                })
            }
            News::WorkFailed(error) => {
                self.notify(Notice::JobFailed("Deletion", error));
                let running = self.reclaim.running.take()?;
                self.keep_what_did_not_return(&running.work, &[]);
                self.look_again(&running.work)
            }
        }
    }
}
