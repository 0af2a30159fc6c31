//! Roots that are named twice, or that lie inside other roots: aliases of what counts elsewhere.
//!
//! Of a directory that is known from its number, which another directory's entry or an earlier root has too. A file has no
//! number; whether it was met below another root is found out while hard links are settled, when the names of each inode are together.
//!
//! Invariant: what no alias is, no two of the roots share.

use std::collections::HashMap;

use super::{Content, DirId, LinkedInode, LinkedName, Position, Tree};
use crate::sync::lock;

/// A root that adds nothing of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias<'t> {
    /// Where it is among the roots.
    pub position: Position,
    /// The directory it is, if it is one.
    pub directory: Option<DirId>,
    /// The root where it counts, as given.
    pub root: &'t [u8],
    /// Whether it is that root, rather than something in it.
    pub is_root: bool,
}

impl Tree {
    /// The roots that add nothing of their own, in the order given. Files among them are known when the scan is over.
    pub fn aliases(&self) -> Vec<Alias<'_>> {
        let roots = self.listing(DirId::TOP);
        let inside = lock(&self.files_inside);
        let (mut directories, mut files) = (HashMap::new(), HashMap::new());
        let mut aliases = Vec::new();
        for (position, root) in roots.entries() {
            let Content::Known(facts) = root.content else { continue };
            let alias = |root, is_root| Alias { position, directory: facts.directory, root, is_root };
            // The first that names a root is the root itself.
            aliases.extend(match (facts.directory, facts.links) {
                (Some(id), _) if self.parent(id) != Some(DirId::TOP) => {
                    let outer = self.ancestry(id).last().unwrap_or(id);
                    Some(alias(self.name(outer), false))
                }
                (Some(id), _) => directories.insert(id, root.name).map(|first| alias(first, true)),
                (None, Some(links)) => match inside.get(&(links.device, facts.inode)) {
                    Some(outer) => Some(alias(self.name(*outer), false)),
                    None => {
                        files.insert((links.device, facts.inode), root.name).map(|first| alias(first, true))
                    }
                },
                (None, None) => None,
            });
        }
        aliases
    }

    /// Notes which of the roots that are files were met below another root too, going by all names of linked inodes.
    pub(super) fn note_files_inside(&self, names: &[LinkedName]) {
        let is_root = |name: &&LinkedName| name.directory == DirId::TOP;
        let roots = names.iter().filter(is_root).map(|name| (name.device, name.inode));
        let mut inside: HashMap<LinkedInode, Option<DirId>> = roots.map(|inode| (inode, None)).collect();
        if !inside.is_empty() {
            for name in names.iter().filter(|name| !is_root(name)) {
                if let Some(outer) = inside.get_mut(&(name.device, name.inode)) {
                    // The same one, whatever the order of the names: directories of roots are numbered in their order.
                    let met = self.ancestry(name.directory).last();
                    *outer = outer.iter().copied().chain(met).min();
                }
            }
        }
        *lock(&self.files_inside) =
            inside.into_iter().filter_map(|(inode, outer)| Some((inode, outer?))).collect();
    }
}
