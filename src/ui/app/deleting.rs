//! Confirmation, progress and results of deletions.
//!
//! ```text
//! d, D -> DeleteDialog with a preview -> Yes (for some entries, also the typed name or a second Yes)
//!      -> operation -> recheck of the entries -> notice, and FailuresList if entries failed
//! ```
//!
//! If entries have changed since the scan, the user can rescan them and is then asked again. The list of failures
//! opens only after the entries of the operation have been rescanned.
//!
//! Invariant: a deletion starts only after the user answers Yes in a dialog that shows the warnings of the preview and
//! has no blocked entries.

use std::collections::HashSet;

use super::App;
use crate::base::format::plain_size;
use crate::base::sync::Arc;
use crate::delete::{CopyName, CopySharing, DeleteScope, Operation, OperationKind, Selection};
use crate::duplicates::KeptCopy;
use crate::source::SourceKind;
use crate::tree::{DirId, EntryId};
use crate::ui::layers::Layer;
use crate::ui::layers::confirm_delete::DeleteDialog;
use crate::ui::layers::failures::FailuresList;
use crate::ui::layers::question::Question;
use crate::ui::marked_copies::named;
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::operations::deletion::{DeletionMessage, DeletionRequest, ScriptFor};
use crate::ui::options::DeleteMode;
use crate::ui::progress::RescanMessage;
use crate::ui::sentences::{FailedJob, FreedAccuracy};
use crate::ui::table_view::TableView;
use crate::ui::views::Copies;

impl<'t> App<'t> {
    /// Opens the deletion dialog for the marked entries, or for the entry under the cursor if nothing is marked.
    pub(super) fn ask_to(&mut self, kind: OperationKind) -> Option<Effect> {
        let selection =
            self.cx.checked(self.check_selection())?.as_chosen(&self.cx.marks.touched_directories());
        Some(self.ask_about(kind, selection))
    }

    /// Returns the entries that a deletion would affect, or a notice that explains why nothing can be deleted.
    fn check_selection(&self) -> Result<Selection, Notice> {
        self.cx.check_changes()?;
        self.selected()
    }

    /// Returns the marked entries or the entry under the cursor, or a notice that explains why they cannot be deleted.
    fn selected(&self) -> Result<Selection, Notice> {
        let selection = Selection::new(self.cx.tree, self.subject(), DeleteScope::Whole);
        let sets = self.cx.table().map(TableView::sets).unwrap_or_default();
        let here: Vec<_> = sets.iter().map(|set| named(self.cx.tree, set)).collect();
        let key = |set: &[CopyName<'t>]| set.first().map(|file| (file.directory, file.name));
        let keys: HashSet<_> = here.iter().map(|set| key(set)).collect();
        let marked = self.cx.marks.copies().sets().filter(|set| !keys.contains(&key(set))).cloned();
        let selection = selection
            .leaving_copies(self.cx.tree, here.into_iter().chain(marked))
            .map_err(Notice::LastCopies)?;
        if selection.count() > 0 {
            return Ok(selection);
        }
        Err(if self.cx.marks.count() > 0 {
            Notice::OnlyRootsMarked
        } else if self.cx.table().is_none() && self.cx.location.id == DirId::TOP {
            match self.cx.location.entry().and_then(|root| root.directory()) {
                Some(_) => Notice::RootDirectory,
                None => Notice::RootFile,
            }
        } else if !self.subject().is_empty() {
            Notice::CannotDeleteUnread
        } else if self.cx.row_count() == 0 {
            Notice::NothingToDelete
        } else {
            Notice::NothingToDeleteInRow
        })
    }

    /// Returns all marked entries or, if nothing is marked, the entries of the row under the cursor.
    fn subject(&self) -> Vec<(DirId, &'t [u8])> {
        if self.cx.marks.count() > 0 {
            return self.cx.marks.in_order(self.cx.tree).into_iter().map(|(name, _)| name).collect();
        }
        let entries = match self.cx.table() {
            Some(view) => view.entries(self.cx.tree, view.index()),
            None => self.under_cursor().into_iter().collect(),
        };
        let name = |entry: EntryId| Some((entry.directory, entry.name(self.cx.tree)?));
        entries.into_iter().filter_map(name).collect()
    }

    /// Asks whether to share the data of the marked copies, or of the group under the cursor if nothing is marked.
    pub(super) fn ask_to_share(&mut self) {
        if let Some(sharing) = self.cx.checked(self.check_sharing()) {
            self.ask(Question::Share(Arc::new(sharing)));
        }
    }

    /// Returns the files whose data would be shared, or a notice that explains why no data can be shared.
    fn check_sharing(&self) -> Result<CopySharing, Notice> {
        self.cx.check_changes()?;
        let view = self.cx.table().ok_or(Notice::NoCopies)?;
        let tree = self.cx.tree;
        let subject = if self.cx.marks.count() > 0 {
            self.subject()
        } else {
            let Copies { kept, others } = view.copies(KeptCopy::Oldest).ok_or(Notice::NoCopies)?;
            let entries = kept.into_iter().chain(others);
            entries.filter_map(|entry| Some((entry.directory, entry.name(tree)?))).collect()
        };
        if !view.can_share() {
            return Err(Notice::CannotShare);
        }
        let selection = Selection::new(tree, subject, DeleteScope::Whole);
        let sets = view.sets().iter().map(|set| named(tree, set));
        let sharing = CopySharing::new(tree, Some(&selection), sets);
        if sharing.files() > 0 { Ok(sharing) } else { Err(Notice::NoCopies) }
    }

    pub(super) fn restore(&mut self) -> Option<Effect> {
        self.cx.checked(self.cx.check_changes())?;
        if self.cx.deletion.policy.mode == DeleteMode::DryRun {
            self.cx.notify(Notice::NothingTrashedDryRun);
            return None;
        }
        let Some(trashed) = self.cx.deletion.trashed.pop() else {
            self.cx.notify(Notice::NothingTrashed);
            return None;
        };
        let items = trashed.len() as u64;
        Some(self.cx.begin_work(Operation::Restore(trashed), (items, 0), FreedAccuracy::Exact))
    }

    /// Requests a script that deletes the marked entries, or the entry under the cursor if nothing is marked.
    pub(super) fn write_script(&mut self) -> Option<Effect> {
        let (entries, selection) = match self.cx.source_kind {
            SourceKind::Objects if self.cx.is_scanning() => (ScriptFor::Objects, Err(Notice::ScanRunning)),
            SourceKind::Objects => (ScriptFor::Objects, self.selected()),
            SourceKind::Live | SourceKind::Recorded => (ScriptFor::Files, self.check_selection()),
        };
        let selection = self.cx.checked(selection)?;
        let sizes = selection.items().map(|(_, item)| plain_size(item.disk, self.cx.units)).collect();
        Some(Effect::Deletion(DeletionRequest::Script(Arc::new(selection), sizes, entries)))
    }

    /// Opens the deletion dialog, and requests a preview.
    pub(in crate::ui) fn ask_about(&mut self, kind: OperationKind, selection: Selection) -> Effect {
        let (selection, now) = (Arc::new(selection), self.cx.clock());
        let dialog = DeleteDialog::new(kind, Arc::clone(&selection), &self.cx.deletion.policy, now)
            .with_exclusive(selection.exclusive(self.cx.tree));
        self.open_below_question(Layer::ConfirmDelete(dialog));
        Effect::Deletion(DeletionRequest::Preview(selection, now))
    }

    /// Reopens the deletion dialog after changed entries were rescanned, unless a layer other than a question is open.
    fn ask_again(&mut self) -> Option<Effect> {
        let is_free = self.layers.iter().all(|layer| matches!(layer, Layer::Question(_)));
        let (kind, selection) = self.cx.deletion.asked_again.take().filter(|_| is_free)?;
        let selection = selection.renewed(self.cx.tree, |_| true);
        if selection.count() == 0 {
            self.cx.notify(Notice::EntryMissing);
            return None;
        }
        Some(self.ask_about(kind, selection))
    }

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

    /// Opens the list of failures, if any. Does nothing while an operation or rescan is running or a layer is open.
    pub(super) fn open_failures(&mut self) {
        let is_busy = self.cx.is_deleting() || self.cx.rescan().is_some() || !self.layers.is_empty();
        let failed = self.cx.deletion.failed.take_if(|_| !is_busy);
        self.layers.extend(failed.map(|failed| Layer::Failures(FailuresList::new(failed))));
    }

    pub(super) fn take_deletion(&mut self, message: DeletionMessage) -> Option<Effect> {
        match message {
            DeletionMessage::Previewed(preview) => {
                if let Some(dialog) = self.delete_dialog_mut() {
                    dialog.learn(preview);
                }
                None
            }
            DeletionMessage::Replaced(names) => {
                self.cx.drop_replaced(&names);
                self.refresh_marks_list();
                None
            }
            DeletionMessage::Reported(report) => {
                if report.is_over {
                    self.withdraw_quit();
                }
                self.cx.take_report(&report)
            }
            DeletionMessage::Script(result) => {
                self.cx.notify(Notice::Script(result));
                None
            }
            DeletionMessage::ScriptFailed(error) => {
                self.cx.notify(Notice::JobFailed(FailedJob::WriteScript, error));
                None
            }
            DeletionMessage::CompareFailed(error) => {
                self.cx.notify(Notice::JobFailed(FailedJob::CheckMarks, error));
                None
            }
            DeletionMessage::PreviewFailed(error) => {
                self.cx.notify(Notice::JobFailed(FailedJob::CheckSelection, error));
                // A deletion cannot be confirmed without a preview, so the dialog closes.
                self.delete_dialog().is_some().then(|| {
                    self.layers.retain(|layer| !matches!(layer, Layer::ConfirmDelete(_)));
                    Effect::Deletion(DeletionRequest::StopPreview)
                })
            }
            DeletionMessage::WorkFailed(error) => {
                let running = self.cx.deletion.running.take();
                let kind = running.as_ref().map_or(OperationKind::Delete, |running| running.kind);
                self.cx.notify(Notice::JobFailed(FailedJob::Operation(kind), error));
                let running = running?;
                self.cx.keep_unrestored(&running.work, &[]);
                self.cx.recheck(&running.work)
            }
        }
    }

    /// Handles a message from the rescan. When the rescan has ended:
    ///
    /// 1. If the shown directory no longer exists, goes up to the nearest existing directory.
    /// 2. If [`Self::after_rescan`] returns an effect, returns this effect.
    /// 3. Otherwise, requests a rescan of the directory that is now shown, but only if the ended rescan was to report
    ///    its result in a notice (`Rescan::wanted`), and neither the previously shown directory nor any rescanned
    ///    directory still exists.
    pub(super) fn take_rescan(&mut self, message: RescanMessage) -> Option<Effect> {
        let is_reported = self.cx.rescan().is_some_and(|rescan| rescan.wanted.is_some());
        let shown = self.cx.location.id;
        let replaced = self.cx.take_rescan(message)?;
        let sought: Vec<DirId> = replaced.iter().copied().chain([shown]).collect();
        let mut relocation = self.relocate(replaced);
        let is_missing = is_reported && sought.into_iter().all(|id| relocation.find(id).is_none());
        self.after_rescan().or_else(|| if is_missing { self.cx.rescan_shown() } else { None })
    }

    /// Takes the first step needed after a rescan: rescans the next directory with restored items, opens the deletion
    /// dialog again, or checks marked directories that have changed.
    fn after_rescan(&mut self) -> Option<Effect> {
        self.cx.rescan_next_restored().or_else(|| self.ask_again()).or_else(|| self.cx.compare_marks())
    }

    fn refresh_marks_list(&mut self) {
        for layer in &mut self.layers {
            if let Layer::Marks(list) = layer {
                list.refresh(&self.cx);
            }
        }
    }
}
