//! Roots that are named twice, or that lie inside other roots: aliases of what counts elsewhere.

use std::collections::HashSet;

use super::{DirId, Position, Tree};

impl Tree {
    /// The roots that add nothing of their own, in the order given: where each is among the roots, and the directory it is.
    pub fn aliases(&self) -> Vec<(Position, DirId)> {
        let mut met = HashSet::new();
        let roots = self.listing(DirId::TOP);
        let directories = roots.entries().filter_map(|(position, root)| Some((position, root.directory()?)));
        // The first that names a root is the root itself.
        directories.filter(|(_, id)| self.parent(*id) != Some(DirId::TOP) || !met.insert(*id)).collect()
    }
}
