//! Directories in a search for exclusive sizes: the blocks of the directories themselves, and the method used for the
//! files in each directory.
//!
//! Invariant: a directory is opened only under a time limit (`ExclusiveSearch::waiting`), because opening can hang.

use super::extents::Method;
use super::plan::{ExtentPlan, Piece};
use super::search::{Abandoned, ExclusiveSearch, HANGING, OpenedDirectory};
use super::state::SearchState;
use crate::base::sync::lock;
use crate::scan::reach;
use crate::tree::{DirId, EntryState};

impl ExclusiveSearch {
    /// Adds the blocks that directories themselves occupy, and records directories that were not read completely.
    /// Called after all files have been handled, when the method for each device is known.
    pub(super) fn add_directories(&self) {
        let (tree, numbers) = (&self.plan.tree, &self.plan.numbers);
        let SearchState { sums, methods, .. } = &mut *lock(&self.state);
        for piece in &self.plan.pieces {
            let part = self.plan.part(*piece);
            if ExtentPlan::is_incomplete(piece.directory, &part) {
                sums.mark_as_lower_bound(numbers.directory(piece.directory));
            }
            for (_, entry) in part.entries() {
                let EntryState::Known(metadata) = entry.state else { continue };
                let Some(id) = metadata.directory.filter(|id| tree.parent(*id) == Some(piece.directory))
                else {
                    continue;
                };
                let node = numbers.directory(id);
                let has_own_blocks = |method: &Method| method.has_own_blocks();
                if metadata.blocks > 0 && methods.get(&tree.device_index(id)).is_none_or(has_own_blocks) {
                    sums.hold(&[node], metadata.disk());
                }
                if !tree.status(id).is_known() {
                    sums.mark_as_lower_bound(node);
                }
            }
        }
    }

    /// Opens the directory of a piece, unless the piece consists of roots, or the method for the directory's device is
    /// already known to be [`Method::LinkCount`].
    pub(super) fn open(&self, thread: usize, piece: Piece) -> Result<OpenedDirectory, Abandoned> {
        if piece.directory == DirId::TOP {
            return Ok(OpenedDirectory::Roots);
        }
        let device = self.plan.tree.device_index(piece.directory);
        let known = lock(&self.state).methods.get(&device).copied();
        if known == Some(Method::LinkCount) {
            return Ok(OpenedDirectory::ByLinks);
        }
        self.waiting(thread, Some(HANGING))?;
        let opened = reach(&self.plan.tree, piece.directory).map(|directory| {
            let method = known.unwrap_or_else(|| Method::of(&directory, self.plan.files));
            (directory, method)
        });
        self.waiting(thread, None)?;
        Ok(match opened {
            Err(errno) => OpenedDirectory::Failed(errno),
            Ok((directory, method)) => {
                lock(&self.state).methods.insert(device, method);
                match method {
                    Method::LinkCount => OpenedDirectory::ByLinks,
                    method => OpenedDirectory::Open(directory, method),
                }
            }
        })
    }
}
