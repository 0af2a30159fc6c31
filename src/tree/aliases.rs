//! Roots that are named twice, or that lie inside other roots: aliases of what counts elsewhere.
//!
//! Of a directory that is known from its number, which another directory's entry or an earlier root has too. A file has no
//! number. It is looked for by its path, and one that has no other name by its inode: while hard links are settled, all names of
//! each inode that is a root are at hand.
//!
//! Invariant: what no alias is, no two of the roots share, but for the names of one inode.

use std::collections::{HashMap, HashSet};

use super::{Content, DirId, LinkedInode, LinkedName, Position, Record, Tree};
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
                (Some(id), _) => repeated(&mut directories, id, root.name).map(|first| alias(first, true)),
                (None, links) => match self.outer_of_file(root.name) {
                    Some(outer) => Some(alias(self.name(outer), false)),
                    None => links.and_then(|links| {
                        // Of several names of an inode each is a root of its own.
                        let name = if links.count > 1 { root.name } else { b"" };
                        let first = repeated(&mut files, (links.device, facts.inode, name), root.name);
                        first.map(|first| alias(first, true))
                    }),
                },
            });
        }
        aliases
    }

    /// Where the roots are that add nothing of their own.
    pub fn alias_positions(&self) -> HashSet<Position> {
        self.aliases().iter().map(|alias| alias.position).collect()
    }

    /// The root directory in which a root lies that is a file.
    pub fn outer_of_file(&self, root: &[u8]) -> Option<DirId> {
        let mut known = lock(&self.files_inside);
        // A tree from a file is never settled, and never changes.
        let is_unknown = known.is_none() && self.stored.is_some();
        if is_unknown {
            drop(known);
            let found = self.files_inside(&[]);
            known = lock(&self.files_inside);
            *known = Some(found);
        }
        known.as_ref()?.get(root).copied()
    }

    /// Notes which of the roots that are files lie below another root too, going by all names of linked inodes.
    pub(super) fn note_files_inside(&self, names: &[LinkedName]) {
        let found = self.files_inside(names);
        *lock(&self.files_inside) = Some(found);
    }

    fn files_inside(&self, names: &[LinkedName]) -> HashMap<Vec<u8>, DirId> {
        let roots = self.listing(DirId::TOP);
        let files = || {
            roots.entries().filter(
                |(_, root)| matches!(root.content, Content::Known(facts) if facts.directory.is_none()),
            )
        };
        if files().next().is_none() {
            return HashMap::new();
        }
        let is_root = |name: &LinkedName| name.directory == DirId::TOP;
        let alone: HashSet<LinkedInode> = names
            .iter()
            .filter(|name| is_root(name) && name.count < 2)
            .map(|name| (name.device, name.inode))
            .collect();
        let mut met: HashMap<LinkedInode, DirId> = HashMap::new();
        for name in names.iter().filter(|name| !is_root(name)) {
            let inode = (name.device, name.inode);
            if let (true, Some(outer)) = (alone.contains(&inode), self.ancestry(name.directory).last()) {
                // The same one, whatever the order of the names.
                let first = met.entry(inode).or_insert(outer);
                *first = outer.min(*first);
            }
        }
        // Looked up for every file: there may be thousands of either.
        let outer_roots = self.outer_roots();
        let outer = |root: &Record<'_>| {
            let Content::Known(facts) = root.content else { return None };
            let by_path = || {
                let (directory, name) = self.way_from(&outer_roots, root.name)?;
                let Content::Known(found) = self.entry(directory, name)?.content else { return None };
                (found.directory.is_none() && found.inode == facts.inode)
                    .then(|| self.ancestry(directory).last())?
            };
            let by_inode = || met.get(&(facts.links?.device, facts.inode)).copied();
            by_inode().or_else(by_path)
        };
        files().filter_map(|(_, root)| Some((root.name.to_vec(), outer(&root)?))).collect()
    }

    /// The directory below a root that leads furthest to `path`, and what of the path is next. Paths are compared as they are written.
    pub fn way_to<'p>(&self, path: &'p [u8]) -> Option<(DirId, &'p [u8])> {
        self.way_from(&self.outer_roots(), path)
    }

    /// The directories among the roots that lie in no other, by name.
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

/// A path without slashes at its end.
fn without_slashes(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    &path[..end]
}

/// The name that has come with `key` first, if that was another time.
fn repeated<'t, K: std::hash::Hash + Eq>(
    met: &mut HashMap<K, &'t [u8]>,
    key: K,
    name: &'t [u8],
) -> Option<&'t [u8]> {
    let first = met.get(&key).copied();
    if first.is_none() {
        met.insert(key, name);
    }
    first
}
