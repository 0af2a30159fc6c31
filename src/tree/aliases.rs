//! Aliases: roots that are given twice or lie inside other roots.
//!
//! A root that is a directory is an alias if it has the same directory ID as an earlier root or as an entry of
//! another directory. A root that is a file has no directory ID. Such a root is recognized by its path or, if its link
//! count is one, by its inode. A scan looks for the file in the other roots only at the end, when it counts hard links
//! (see the module `hard_links`), because only then have the other roots been read completely.
//!
//! Invariant: two roots that are not aliases have nothing in common except hard links.

use std::collections::{HashMap, HashSet};

use super::{DirId, Entry, EntryState, InodeKey, LinkedName, Position, Tree};
use crate::base::sync::lock;

/// Root whose contents are already counted in another root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias<'t> {
    /// Position of the alias in the listing of the roots.
    pub position: Position,
    /// Directory that the alias refers to; `None` for a file.
    pub directory: Option<DirId>,
    /// Root under which the contents are counted, as given by the user.
    pub root: &'t [u8],
    /// `true` if the alias is the same directory or file as `root`, `false` if it lies inside `root`.
    pub is_root: bool,
}

impl Tree {
    /// Returns the roots whose contents are already counted in another root, in the order in which the roots are
    /// listed. A root that is a file inside another root is included only after the scan is complete.
    pub fn aliases(&self) -> Vec<Alias<'_>> {
        let roots = self.listing(DirId::TOP);
        let (mut directories, mut files) = (HashMap::new(), HashMap::new());
        let mut aliases = Vec::new();
        for (position, root) in roots.entries() {
            let EntryState::Known(metadata) = root.state else { continue };
            let alias = |root, is_root| Alias { position, directory: metadata.directory, root, is_root };
            // A root inside another root is an alias, and so is a root that refers to the same directory as an
            // earlier root.
            aliases.extend(match (metadata.directory, metadata.links) {
                (Some(id), _) if self.parent(id) != Some(DirId::TOP) => {
                    let outer = self.ancestry(id).last().unwrap_or(id);
                    Some(alias(self.name(outer), false))
                }
                (Some(id), _) => repeated(&mut directories, id, root.name).map(|first| alias(first, true)),
                (None, links) => match self.outer_of_file(root.name) {
                    Some(outer) => Some(alias(self.name(outer), false)),
                    None => links.and_then(|links| {
                        // A file with a link count of 1 is an alias if an earlier root has the same inode. With more
                        // links, the path must be the same too, because another path may be another hard link, and hard
                        // links are not aliases.
                        let name = if links.count > 1 { root.name } else { b"" };
                        let first = repeated(&mut files, (links.device, metadata.inode, name), root.name);
                        first.map(|first| alias(first, true))
                    }),
                },
            });
        }
        aliases
    }

    /// Returns the positions of the aliases in the listing of the roots.
    pub fn alias_positions(&self) -> HashSet<Position> {
        self.aliases().iter().map(|alias| alias.position).collect()
    }

    /// Returns the directory root that contains `root`, a file that was itself given as a root. Returns `None` if no
    /// other root contains the file, or if the scan is not complete.
    pub fn outer_of_file(&self, root: &[u8]) -> Option<DirId> {
        let mut known = lock(&self.files_inside);
        // `note_files_inside` is called at the end of a scan or import, but never for an opened snapshot or binary
        // export. For such a tree, the roots that are files inside other roots are found here. The tree never changes,
        // so the result is kept.
        let is_unknown = known.is_none() && self.stored.is_some();
        if is_unknown {
            drop(known);
            let found = self.files_inside(&[]);
            known = lock(&self.files_inside);
            *known = Some(found);
        }
        known.as_ref()?.get(root).copied()
    }

    /// Records which roots are files below another root. `names` must contain all names of hard-linked inodes.
    pub(crate) fn note_files_inside(&self, names: &[LinkedName]) {
        let found = self.files_inside(names);
        *lock(&self.files_inside) = Some(found);
    }

    fn files_inside(&self, names: &[LinkedName]) -> HashMap<Vec<u8>, DirId> {
        let roots = self.listing(DirId::TOP);
        let files = || {
            roots.entries().filter(
                |(_, root)| matches!(root.state, EntryState::Known(metadata) if metadata.directory.is_none()),
            )
        };
        if files().next().is_none() {
            return HashMap::new();
        }
        let is_root = |name: &LinkedName| name.directory == DirId::TOP;
        let alone: HashSet<InodeKey> =
            names.iter().filter(|name| is_root(name) && name.count < 2).map(LinkedName::key).collect();
        let mut first_seen: HashMap<InodeKey, DirId> = HashMap::new();
        for name in names.iter().filter(|name| !is_root(name)) {
            let inode = name.key();
            if let (true, Some(outer)) = (alone.contains(&inode), self.ancestry(name.directory).last()) {
                // If names of the inode lie below several roots, the root with the smallest ID is chosen, so that the
                // result does not depend on the order of `names`.
                let first = first_seen.entry(inode).or_insert(outer);
                *first = outer.min(*first);
            }
        }
        // The outer roots are not computed again for each file, because there may be thousands of roots and files.
        let outer_roots = self.outer_roots();
        let outer = |root: &Entry<'_>| {
            let EntryState::Known(metadata) = root.state else { return None };
            let by_path = || {
                let (directory, name) = self.way_from(&outer_roots, root.name)?;
                let EntryState::Known(found) = self.entry(directory, name)?.state else { return None };
                (found.directory.is_none() && found.inode == metadata.inode)
                    .then(|| self.ancestry(directory).last())?
            };
            let by_inode = || first_seen.get(&metadata.linked_inode()?).copied();
            by_inode().or_else(by_path)
        };
        files().filter_map(|(_, root)| Some((root.name.to_vec(), outer(&root)?))).collect()
    }

    /// Returns the deepest directory in the tree that is above `path`, and the component of `path` that follows it.
    /// Paths are compared as strings. Returns `None` if no root is above `path`.
    pub fn locate<'p>(&self, path: &'p [u8]) -> Option<(DirId, &'p [u8])> {
        self.way_from(&self.outer_roots(), path)
    }

    /// Returns the directory at `path`, or `None` if the tree does not contain it. Paths are compared as strings.
    pub fn directory_at(&self, path: &[u8]) -> Option<DirId> {
        let roots = self.outer_roots();
        let root = roots.get(without_slashes(path)).copied();
        root.or_else(|| {
            let (directory, name) = self.way_from(&roots, path)?;
            self.entry(directory, name)?.directory()
        })
    }

    /// Returns the root directories that are not inside another root, keyed by name.
    fn outer_roots(&self) -> HashMap<&[u8], DirId> {
        let roots = self.listing(DirId::TOP);
        let own = roots.directories().filter(|id| self.parent(*id) == Some(DirId::TOP));
        own.map(|id| (without_slashes(self.name(id)), id)).collect()
    }

    fn way_from<'p>(&self, roots: &HashMap<&[u8], DirId>, path: &'p [u8]) -> Option<(DirId, &'p [u8])> {
        let path = without_slashes(path);
        let slashes = (0..path.len()).rev().filter(|at| path[*at] == b'/');
        let root = |at: usize| Some((*roots.get(without_slashes(&path[..at]))?, &path[at + 1..]));
        let (mut directory, rest) = slashes.into_iter().find_map(root)?;
        let mut names = rest.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).peekable();
        while let Some(name) = names.next() {
            let next = names.peek().and_then(|_| self.entry(directory, name)?.directory());
            let Some(next) = next else { return Some((directory, name)) };
            directory = next;
        }
        None
    }
}

fn without_slashes(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    &path[..end]
}

/// Returns the name that was first seen with `key`. If there is none, stores `name` as the first and returns `None`.
fn repeated<'t, K: std::hash::Hash + Eq>(
    first_seen: &mut HashMap<K, &'t [u8]>,
    key: K,
    name: &'t [u8],
) -> Option<&'t [u8]> {
    let first = first_seen.get(&key).copied();
    if first.is_none() {
        first_seen.insert(key, name);
    }
    first
}
