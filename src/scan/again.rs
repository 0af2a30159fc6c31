//! Reading one directory of a finished tree again.
//!
//! Invariant: until the new directory is complete, and when the rescan is stopped, the tree is as it was.

use super::Shared;
use super::judge::facts;
use crate::kind::Kind;
use crate::platform::{Attributes, attributes_of_path};
use crate::tree::{DirId, Facts};

/// A rescan: the old directory, and what stands in its place by now.
pub(super) struct Again<'s> {
    shared: &'s Shared,
    old: DirId,
    new: Option<(Kind, Facts)>,
}

impl<'s> Again<'s> {
    /// Looks at the entry; if it still is a directory, makes a detached one to read into.
    pub(super) fn look(shared: &'s Shared, old: DirId) -> Self {
        let new = Self::attributes(shared, old).map(|attributes| {
            let mut facts = facts(&attributes, None, shared.options.owners);
            if attributes.is_directory() {
                let mut tools = shared.workers.tools();
                let device = shared.tree.devices().index(attributes.device);
                facts.directory = shared.tree.detached(&mut tools.batch, old, &facts, device);
            }
            (attributes.kind, facts)
        });
        Self { shared, old, new }
    }

    /// The directory to read.
    pub(super) fn directory(&self) -> Option<DirId> {
        self.new.and_then(|(_, facts)| facts.directory)
    }

    /// Puts what was read in the place of the old directory.
    pub(super) fn replace_old(&self) {
        self.shared.tree.replace(&mut self.shared.workers.tools().batch, self.old, self.new);
    }

    /// Forgets what was read.
    pub(super) fn give_up(&self) {
        if let Some(id) = self.directory() {
            self.shared.tree.drop_subtree(id);
        }
    }

    /// The entry's attributes; none where it is gone or cannot be reached any more.
    fn attributes(shared: &Shared, id: DirId) -> Option<Attributes> {
        let tree = &shared.tree;
        match tree.parent(id)? {
            DirId::TOP => attributes_of_path(&super::path(tree.path(id))).ok(),
            parent => shared.open_from_root(parent).ok()?.attributes_of(tree.name(id)).ok(),
        }
    }
}
