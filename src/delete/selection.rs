//! Selected entries, with their paths from a root and the inode of each directory on these paths.
//!
//! Invariant: the entries are copied from the tree when the selection is made. Operations do not read the tree.

use std::collections::{HashMap, HashSet};

use super::copies::KeptCopies;
use super::copy_files::CopyName;
use super::group::{DeleteScope, Group, Item};
use crate::base::sort::sort_by_key;
use crate::tree::{DirId, EntryState, Exclusive, Tree};

/// Entries of a tree to delete or move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Entries, grouped by directory.
    pub groups: Vec<Group>,
    /// Part of each entry that the operation deletes or moves: the whole entry, or only its contents.
    pub scope: DeleteScope,
    /// Unselected copies of the selected files. The operation must keep at least one file in each set of copies.
    pub copies: KeptCopies,
}

impl Selection {
    /// Selects the `entries` whose metadata is in the tree. Omits duplicates, and entries inside other selected
    /// entries. For [`DeleteScope::Content`], also omits entries that are not directories in the tree. For
    /// [`DeleteScope::Whole`], also omits roots, because a root is not an entry of a directory.
    pub fn new<'a>(
        tree: &Tree,
        entries: impl IntoIterator<Item = (DirId, &'a [u8])>,
        scope: DeleteScope,
    ) -> Self {
        let mut names: HashMap<DirId, HashSet<&[u8]>> = HashMap::new();
        for (directory, name) in entries {
            names.entry(directory).or_default().insert(name);
        }
        let mut groups: Vec<Group> = names
            .into_iter()
            .filter(|(directory, _)| *directory != DirId::TOP || scope == DeleteScope::Content)
            .filter_map(|(directory, names)| Group::new(tree, directory, &names, scope))
            .collect();
        let chosen: HashSet<DirId> =
            groups.iter().flat_map(|group| group.items.iter().filter_map(|item| item.directory)).collect();
        groups.retain(|group| !tree.ancestry(group.directory).any(|above| chosen.contains(&above)));
        sort_by_key(&mut groups, Group::path);
        Self { groups, scope, copies: KeptCopies::default() }
    }

    pub fn count(&self) -> usize {
        self.groups.iter().map(|group| group.items.len()).sum()
    }

    pub fn items(&self) -> impl Iterator<Item = (&Group, &Item)> {
        self.groups.iter().flat_map(|group| group.items.iter().map(move |item| (group, item)))
    }

    /// Returns the number of bytes that deleting the entries would free, or `None` if the exclusive size of any entry
    /// is unknown. The blocks of selected directories are included, even if only the contents of the directories are to
    /// be deleted.
    pub fn exclusive(&self, tree: &Tree) -> Option<Exclusive> {
        let sizes = tree.exclusive()?;
        let entries = self.groups.iter().flat_map(|group| {
            let names: HashSet<&[u8]> = group.items.iter().map(|item| item.name.as_slice()).collect();
            let listing = tree.listing(group.directory);
            let chosen = listing.entries().filter(|(_, entry)| names.contains(entry.name));
            let found = chosen.map(|(_, entry)| match entry.state {
                EntryState::Known(metadata) => sizes.of(group.directory, &metadata),
                EntryState::Excluded(_) | EntryState::Failed(_) => None,
            });
            found.collect::<Vec<_>>()
        });
        Some(Exclusive::together(entries.collect::<Option<Vec<_>>>()?))
    }

    /// Returns the disk usage in bytes that the tree records for the entries. An inode with several selected names
    /// counts once per name.
    pub fn disk(&self) -> u64 {
        self.items().fold(0, |sum, (_, item)| sum.saturating_add(item.disk))
    }

    /// Requires the operation to keep at least one file in each of `sets`, which are sets of identical files.
    ///
    /// # Errors
    /// Returns the number of sets whose files are all selected or inside selected directories, if there are such sets.
    pub fn leaving_copies<'n, S: AsRef<[CopyName<'n>]>>(
        mut self,
        tree: &Tree,
        sets: impl IntoIterator<Item = S>,
    ) -> Result<Self, usize> {
        self.copies = KeptCopies::new(tree, &self.groups, sets)?;
        Ok(self)
    }

    /// Returns the directories in the tree that contain selected entries, each with the names of these entries.
    pub fn names(&self) -> Vec<(DirId, Vec<Vec<u8>>)> {
        let names = |group: &Group| group.items.iter().map(|item| item.name.clone()).collect();
        self.groups.iter().map(|group| (group.directory, names(group))).collect()
    }

    /// Returns a selection of the same entries in a changed tree: the entries at the same paths that still have the
    /// same inodes. If `is_meant` returns `true` for a path, the entry at this path may have any inode.
    #[must_use]
    pub fn renewed(&self, tree: &Tree, is_meant: impl Fn(&[u8]) -> bool) -> Self {
        let names = self.groups.iter().filter_map(|group| Some((group.find(tree)?, group)));
        let names = names.flat_map(|(directory, group)| {
            group.items.iter().map(move |item| (directory, item.name.as_slice()))
        });
        let now = Self::new(tree, names, self.scope);
        let mut before: HashSet<(Vec<u8>, u64)> = HashSet::new();
        before.extend(self.items().map(|(group, item)| (group.path_of(item), item.inode)));
        let is_kept = |(group, item): (&Group, &Item)| {
            let path = group.path_of(item);
            is_meant(&path) || before.contains(&(path, item.inode))
        };
        let is_kept: Vec<bool> = now.items().map(is_kept).collect();
        Self { copies: self.copies.clone(), ..now.filtered(|number| is_kept[number]) }
    }

    /// Gives the entries in `mtimes` the modification times that were known when the user chose the entries. A rescan
    /// may have read different times since then. Also clears `read_at` of these entries, because it may be the time of
    /// such a rescan.
    #[must_use]
    pub fn as_chosen(mut self, mtimes: &HashMap<(DirId, &[u8]), i64>) -> Self {
        for group in &mut self.groups {
            for item in &mut group.items {
                let chosen = mtimes.get(&(group.directory, item.name.as_slice()));
                if let Some(chosen) = chosen {
                    (item.mtime, item.read_at) = (*chosen, None);
                }
            }
        }
        self
    }

    /// Returns a selection with only those entries whose index satisfies `keep`.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut number = 0;
        let mut groups = self.groups.clone();
        for group in &mut groups {
            group.items.retain(|_| {
                number += 1;
                keep(number - 1)
            });
        }
        groups.retain(|group| !group.items.is_empty());
        Self { groups, scope: self.scope, copies: self.copies.clone() }
    }
}
