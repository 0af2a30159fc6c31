//! Directories in a search for exclusive sizes: the blocks that they occupy themselves, and the method that applies to
//! the files in them.
//!
//! Invariant: a directory is opened only while the job watches the thread, because opening it may hang.

use super::extents::Method;
use super::plan::{ExtentPlan, Piece};
use super::search::{Abandoned, ExclusiveSearch, HANGING, OpenedDirectory};
use crate::base::sync::lock;
use crate::scan::reach;
use crate::tree::{DirId, EntryState, Listing};

impl ExclusiveSearch {
    /// Adds the blocks that subdirectories themselves occupy, and records directories that were not read completely.
    pub(super) fn add_directories(
        &self,
        thread: usize,
        piece: Piece,
        part: &Listing<'_>,
    ) -> Result<(), Abandoned> {
        let (tree, numbers) = (&self.plan.tree, &self.plan.numbers);
        if ExtentPlan::is_incomplete(piece.directory, part) {
            lock(&self.state).sums.unbound(numbers.directory(piece.directory));
        }
        for (_, entry) in part.entries() {
            let EntryState::Known(metadata) = entry.state else { continue };
            let Some(id) = metadata.directory.filter(|id| tree.parent(*id) == Some(piece.directory)) else {
                continue;
            };
            let node = numbers.directory(id);
            let has_blocks = metadata.blocks > 0 && self.method_of(thread, id)?.has_own_blocks();
            let mut state = lock(&self.state);
            if has_blocks {
                state.sums.hold(&[node], metadata.disk());
            }
            if !tree.status(id).is_known() {
                state.sums.unbound(node);
            }
        }
        Ok(())
    }

    /// Returns the method for the device of a directory.
    fn method_of(&self, thread: usize, id: DirId) -> Result<Method, Abandoned> {
        let device = self.plan.tree.device_index(id);
        if let Some(method) = lock(&self.state).methods.get(&device) {
            return Ok(*method);
        }
        self.waiting(thread, Some(HANGING))?;
        let method = reach(&self.plan.tree, id).map(|directory| Method::of(&directory, self.plan.files));
        self.waiting(thread, None)?;
        let mut state = lock(&self.state);
        // If the directory cannot be opened, the next one on the same device is tried.
        state.methods.extend(method.ok().map(|method| (device, method)));
        Ok(method.unwrap_or(Method::LinkCount))
    }

    /// Opens the directory of a piece, unless the piece consists of roots, or the method for the directory's device
    /// is known to be [`Method::LinkCount`].
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
        let opened = reach(&self.plan.tree, piece.directory);
        self.waiting(thread, None)?;
        Ok(match opened {
            Err(errno) => OpenedDirectory::Failed(errno),
            Ok(directory) => {
                let method = known.unwrap_or_else(|| Method::of(&directory, self.plan.files));
                lock(&self.state).methods.insert(device, method);
                match method {
                    Method::LinkCount => OpenedDirectory::ByLinks,
                    method => OpenedDirectory::Open(directory, method),
                }
            }
        })
    }
}
