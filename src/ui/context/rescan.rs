//! Rescan of a directory.
//!
//! The old sizes are shown until the rescan is complete. After that, rescanned directories have new IDs. The shown
//! directory, the history, the saved cursors and the marks refer to directories by ID, so these directories are
//! looked up again by name.
//!
//! Invariant: after a rescan the state contains no ID of a replaced directory.

use super::Context;
use crate::scan::{Outcome, Progress};
use crate::source::SourceKind;
use crate::tree::{DirId, Entry, EntryState, Relocation};
use crate::ui::list_state::ListState;
use crate::ui::message::Effect;
use crate::ui::notice::{Notice, RescannedState};
use crate::ui::progress::{Rescan, RescanMessage};
use crate::ui::window::totals_size;

impl<'t> Context<'t> {
    pub fn rescan(&self) -> Option<&Rescan> {
        self.rescan.as_ref()
    }

    /// Requests a rescan of the directory under the cursor, or of the shown directory if the cursor is not on a
    /// directory. In the list of roots, a root that is not a directory is rechecked.
    pub fn rescan_selected(&mut self) -> Option<Effect> {
        let under_cursor = self.location.entry();
        match (under_cursor.and_then(|entry| entry.directory()), self.location.id) {
            (Some(directory), _) => self.begin_rescan(directory),
            (None, DirId::TOP) => self.recheck_root(under_cursor?),
            (None, shown) => self.begin_rescan(shown),
        }
    }

    /// Requests a rescan of the shown directory's root or, in the list of roots, of the root under the cursor.
    pub fn rescan_root(&mut self) -> Option<Effect> {
        match self.tree.ancestry(self.location.id).last() {
            Some(root) => self.begin_rescan(root),
            None => self.rescan_selected(),
        }
    }

    /// Requests a rescan of the shown directory, without a notice about the result. Used after the browser has moved
    /// here from a directory that no longer exists.
    pub fn rescan_shown(&mut self) -> Option<Effect> {
        let shown = Some(self.location.id).filter(|id| *id != DirId::TOP)?;
        self.await_rescan(self.tree.name(shown).to_vec(), None, vec![shown]);
        Some(Effect::Rescan(shown))
    }

    /// Requests a recheck of a root that is not a directory.
    fn recheck_root(&mut self, root: Entry<'_>) -> Option<Effect> {
        self.checked(self.check_rescan())?;
        // If the failed root lies inside another root, rescan the deepest known directory above the failed root. If the
        // failed root was missing and the rescan finds a directory at its path, the root then refers to that directory.
        if let (EntryState::Failed(_), Some((directory, _))) = (root.state, self.tree.locate(root.name)) {
            return self.begin_rescan(directory);
        }
        let wanted = Some((DirId::TOP, self.size_of(&root.state)));
        let outer = self.tree.locate(root.name).map(|(directory, _)| directory);
        self.await_rescan(root.name.to_vec(), wanted, outer.into_iter().collect());
        Some(Effect::Recheck(vec![(DirId::TOP, vec![root.name.to_vec()])]))
    }

    /// Checks that a rescan may start now. The error is a notice with the reason.
    fn check_rescan(&self) -> Result<(), Notice> {
        Err(if self.is_deleting() {
            Notice::Deleting
        } else if self.is_scanning() || self.rescan.is_some() {
            Notice::ReadingAlready
        } else if self.source_kind != SourceKind::Live {
            Notice::RecordedNotRead
        } else {
            return Ok(());
        })
    }

    /// Requests a rescan of a directory, or shows a notice with the reason why no rescan may start now.
    pub fn begin_rescan(&mut self, directory: DirId) -> Option<Effect> {
        self.checked(self.check_rescan())?;
        let name = self.tree.name(directory).to_vec();
        let size = totals_size(&self.tree.totals(directory), self.order.measure);
        let wanted = self.tree.parent(directory).map(|parent| (parent, size));
        self.await_rescan(name, wanted, vec![directory]);
        Some(Effect::Rescan(directory))
    }

    /// Records the running rescan, which may replace the directories `replaced`. For `wanted`, see [`Rescan`].
    pub fn await_rescan(&mut self, name: Vec<u8>, wanted: Option<(DirId, u64)>, replaced: Vec<DirId>) {
        let progress = Progress::default();
        let expected = replaced.iter().map(|id| self.tree.totals(*id).items).sum();
        self.rescan = Some(Rescan { name, progress, expected, is_stopping: false, wanted, replaced });
    }

    /// Requests that the running rescan stop, unless this has already been requested.
    pub fn stop_rescan(&mut self) -> Option<Effect> {
        let rescan = self.rescan.as_mut().filter(|rescan| !rescan.is_stopping)?;
        rescan.is_stopping = true;
        self.notify(Notice::StoppingRescan);
        Some(Effect::StopRescan)
    }

    /// Returns the notice about a rescanned entry. `before` is the entry's size before the rescan.
    fn rescanned(&self, directory: DirId, name: Vec<u8>, before: u64) -> Notice {
        let directory = Relocation::new(self.tree, [directory]).find(directory);
        let content = directory.and_then(|id| self.tree.entry(id, &name)).map(|entry| entry.state);
        let after = content.as_ref().map_or(0, |content| self.size_of(content));
        let errno = match content {
            Some(EntryState::Failed(errno)) => Some(errno),
            Some(EntryState::Known(facts)) => facts.directory.and_then(|id| self.tree.status(id).errno),
            Some(EntryState::Excluded(_)) | None => None,
        };
        let state = match (content, errno) {
            (None, _) => RescannedState::Missing,
            (_, Some(errno)) => RescannedState::Failed(errno),
            _ => RescannedState::Read,
        };
        Notice::Rescanned { name, before, after, state }
    }

    /// Returns the size of an entry. The size of a directory includes everything below it.
    fn size_of(&self, content: &EntryState) -> u64 {
        let EntryState::Known(facts) = content else { return 0 };
        match facts.directory {
            Some(id) => totals_size(&self.tree.totals(id), self.order.measure),
            None => self.order.measure.of(facts.disk(), facts.apparent),
        }
    }

    /// Handles a message from the rescan. Once the rescan has ended, returns the directories that it may have replaced.
    pub fn take_rescan(&mut self, again: RescanMessage) -> Option<Vec<DirId>> {
        let rescan = self.rescan.as_mut()?;
        rescan.progress = again.progress;
        let outcome = again.outcome?;
        let replaced = std::mem::take(&mut rescan.replaced);
        let wanted = rescan.wanted.filter(|_| outcome == Outcome::Complete);
        let name = std::mem::take(&mut rescan.name);
        self.rescan = None;
        match outcome {
            Outcome::Panicked(_) => self.notify(Notice::RescanFailed(Vec::new())),
            Outcome::Broken(reasons) => self.notify(Notice::RescanFailed(reasons)),
            Outcome::Complete | Outcome::Stopped => {}
        }
        if let Some((directory, before)) = wanted {
            self.notify(self.rescanned(directory, name, before));
        }
        Some(replaced)
    }

    /// Updates all references to directories that a rescan has replaced.
    pub fn relocate(&mut self, replaced: Vec<DirId>) -> Relocation<'t> {
        let mut relocation = Relocation::new(self.tree, replaced);
        let ancestors: Vec<DirId> = self.history.iter().copied().chain([self.location.id]).collect();
        let mut kept: Vec<DirId> = ancestors.iter().map_while(|id| relocation.find(*id)).collect();
        let is_missing = kept.len() < ancestors.len();
        let memories = std::mem::take(&mut self.memories);
        self.memories =
            memories.into_iter().filter_map(|(id, memory)| Some((relocation.find(id)?, memory))).collect();
        let id = kept.pop().unwrap_or(DirId::TOP);
        self.history = kept;
        let memory =
            if is_missing { self.memories.remove(&id).unwrap_or_default() } else { self.location.saved() };
        self.relocate_filter(&mut relocation);
        self.reload_growth();
        self.reload_exclusive();
        self.location = ListState::new(id, memory);
        self.path = self.location_path();
        self.sort();
        if is_missing {
            self.notify(Notice::DirectoryGone);
        }
        self.enter_only_root();
        self.relocate_marks(&mut relocation);
        self.relocate_views(&mut relocation);
        relocation
    }
}
