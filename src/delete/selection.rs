//! Selected entries, with their paths from a root and the inode of each directory on these paths.
//!
//! The tree is read only once, when the selection is made. Invariant: a directory is opened only if every directory on
//! its path still has the inode that was scanned.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::Reason;
use crate::base::clock::Time;
use crate::base::kind::Kind;
use crate::platform::process::descriptors::wait_for_descriptors;
use crate::platform::{Directory, Errno, Identity};
use crate::tree::{DirId, Entry, EntryId, EntryState, Metadata, Tree, join};

/// Part of an entry that an operation applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteScope {
    /// The whole entry.
    Whole,
    /// Only the contents, so that an empty directory remains.
    Content,
}

/// Entries of a tree to delete or move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Entries, grouped by directory.
    pub groups: Vec<Group>,
    /// Part of every entry that the operation applies to.
    pub extent: DeleteScope,
}

/// Entries of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Directory that contains the entries.
    pub directory: DirId,
    /// Path of the directory: the root as given by the user, then one step per name.
    pub steps: Vec<Step>,
    /// Selected entries of the directory.
    pub items: Vec<Item>,
}

/// Directory on the path to selected entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the directory; for a root, the path as given by the user.
    pub name: Vec<u8>,
    /// Device number.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
}

/// Entry to delete or move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name of the entry; for a root, the path as given by the user.
    pub name: Vec<u8>,
    /// Kind of the entry.
    pub kind: Kind,
    /// Inode number.
    pub inode: u64,
    /// Device number; `None` for a file with only one name, whose device is not in the tree. Except on overlay file
    /// systems, the file is usually on the device of its directory.
    pub device: Option<u64>,
    /// `true` if the inode had no other name when the entry was read.
    pub is_single: bool,
    /// Directory number in the tree, if the entry is a directory that the scan entered.
    pub directory: Option<DirId>,
    /// Disk usage in bytes according to the tree, including everything below the entry.
    pub disk: u64,
    /// Apparent size in bytes of the entry itself, according to the tree.
    pub apparent: u64,
    /// Modification time of the entry itself according to the tree, in seconds since 1970.
    pub mtime: i64,
    /// Time at which the scan began to read the entry, if the file system uses the clock of this machine.
    pub read_at: Option<Time>,
    /// Identity of the entry when the dialog opened; `None` if not recorded.
    pub identity: Option<Identity>,
}

impl Selection {
    /// Selects the entries of `places` that exist in the tree. Omits duplicates and entries inside other selected
    /// entries. A root is not an entry of a directory, so only its contents can be selected.
    pub fn new<'a>(
        tree: &Tree,
        places: impl IntoIterator<Item = (DirId, &'a [u8])>,
        extent: DeleteScope,
    ) -> Self {
        let mut names: HashMap<DirId, HashSet<&[u8]>> = HashMap::new();
        for (directory, name) in places {
            names.entry(directory).or_default().insert(name);
        }
        let mut groups: Vec<Group> = names
            .into_iter()
            .filter(|(directory, _)| *directory != DirId::TOP || extent == DeleteScope::Content)
            .filter_map(|(directory, names)| Group::new(tree, directory, &names, extent))
            .collect();
        let chosen: HashSet<DirId> =
            groups.iter().flat_map(|group| group.items.iter().filter_map(|item| item.directory)).collect();
        groups.retain(|group| !tree.ancestry(group.directory).any(|above| chosen.contains(&above)));
        groups.sort_by_cached_key(Group::path);
        Self { groups, extent }
    }

    /// Returns the number of selected entries.
    pub fn count(&self) -> usize {
        self.groups.iter().map(|group| group.items.len()).sum()
    }

    /// Returns each entry with its group.
    pub fn items(&self) -> impl Iterator<Item = (&Group, &Item)> {
        self.groups.iter().flat_map(|group| group.items.iter().map(move |item| (group, item)))
    }

    /// Returns the disk usage of the entries in bytes, according to the tree. An inode with several selected names
    /// counts once per name.
    pub fn disk(&self) -> u64 {
        self.items().fold(0, |sum, (_, item)| sum.saturating_add(item.disk))
    }

    /// Returns the number of `sets` in which every entry is selected or is inside a selected directory.
    pub fn whole_sets(&self, tree: &Tree, sets: &[Vec<EntryId>]) -> usize {
        let mut names: HashSet<(DirId, &[u8])> = HashSet::new();
        names.extend(self.items().map(|(group, item)| (group.directory, item.name.as_slice())));
        let directories: HashSet<DirId> = self.items().filter_map(|(_, item)| item.directory).collect();
        let is_selected = |entry: &EntryId| {
            entry.name(tree).is_some_and(|name| names.contains(&(entry.directory, name)))
                || tree.ancestry(entry.directory).any(|above| directories.contains(&above))
        };
        sets.iter().filter(|set| set.iter().all(is_selected)).count()
    }

    /// Returns the directories in the tree that contain selected entries, each with the names of these entries.
    pub fn places(&self) -> Vec<(DirId, Vec<Vec<u8>>)> {
        let names = |group: &Group| group.items.iter().map(|item| item.name.clone()).collect();
        self.groups.iter().map(|group| (group.directory, names(group))).collect()
    }

    /// Finds the same entries in a changed tree: those with the same inode at the same path, plus any entry at a path
    /// for which `is_meant` returns `true`.
    #[must_use]
    pub fn renewed(&self, tree: &Tree, is_meant: impl Fn(&[u8]) -> bool) -> Self {
        let places = self.groups.iter().filter_map(|group| Some((group.find(tree)?, group)));
        let places = places.flat_map(|(directory, group)| {
            group.items.iter().map(move |item| (directory, item.name.as_slice()))
        });
        let now = Self::new(tree, places, self.extent);
        let mut before: HashSet<(Vec<u8>, u64)> = HashSet::new();
        before.extend(self.items().map(|(group, item)| (group.path_of(item), item.inode)));
        let is_kept = |(group, item): (&Group, &Item)| {
            let path = group.path_of(item);
            is_meant(&path) || before.contains(&(path, item.inode))
        };
        let is_kept: Vec<bool> = now.items().map(is_kept).collect();
        now.filtered(|number| is_kept[number])
    }

    /// Replaces the modification times of the entries with those in `mtimes`, which the entries had when the user chose
    /// them. A rescan may have read other times since.
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

    /// Returns a selection with only the entries for which `keep` returns `true`, given their index.
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
        Self { groups, extent: self.extent }
    }
}

impl Group {
    fn new(tree: &Tree, directory: DirId, names: &HashSet<&[u8]>, extent: DeleteScope) -> Option<Self> {
        let mut ids: Vec<DirId> = tree.ancestry(directory).collect();
        ids.reverse();
        let step = |id: &DirId| {
            let inode = tree.own_metadata(*id)?.inode;
            Some(Step { name: tree.name(*id).to_vec(), device: tree.device(*id), inode })
        };
        let steps = ids.iter().map(step).collect::<Option<Vec<Step>>>()?;
        let listing = tree.listing(directory);
        let chosen = listing.entries().filter(|(_, record)| names.contains(record.name));
        let mut items: Vec<Item> =
            chosen.filter_map(|(_, record)| Item::new(tree, directory, &record)).collect();
        items.sort_by(|a, b| a.name.cmp(&b.name));
        items.dedup_by(|a, b| a.name == b.name);
        if extent == DeleteScope::Content {
            items.retain(|item| item.directory.is_some());
        }
        (!items.is_empty()).then_some(Self { directory, steps, items })
    }

    /// Finds the directory of the group in a changed tree by its path. Returns `None` if it no longer exists.
    pub fn find(&self, tree: &Tree) -> Option<DirId> {
        let mut at = DirId::TOP;
        for step in &self.steps {
            at = tree.entry(at, &step.name)?.directory()?;
        }
        Some(at)
    }

    /// Returns the path of the directory. The path is empty if the items are roots, because the name of a root is
    /// itself a path.
    pub fn path(&self) -> Vec<u8> {
        join(self.steps.iter().map(|step| step.name.as_slice()))
    }

    /// Returns the path of one of the items.
    pub fn path_of(&self, item: &Item) -> Vec<u8> {
        join(self.steps.iter().map(|step| step.name.as_slice()).chain([item.name.as_slice()]))
    }

    /// Opens the directory of the group. Symbolic links are followed only in the path of the root.
    ///
    /// # Errors
    /// Returns the error of openat(2), or [`Reason::Changed`] if a directory on the path is not the one that was
    /// scanned.
    pub fn open(&self) -> Result<Directory, Reason> {
        let mut open: Option<Directory> = None;
        for step in &self.steps {
            let next = wait_for_descriptors(|| match &open {
                None => Directory::open_place(&PathBuf::from(OsString::from_vec(step.name.clone()))),
                Some(above) => above.step_into(step.name.as_slice()),
            });
            let next = match next {
                Err(Errno::ENOTDIR | Errno::ELOOP | Errno::ENOENT) => return Err(Reason::Changed),
                other => other?,
            };
            let found = next.attributes()?;
            if (found.device, found.inode) != (step.device, step.inode) {
                return Err(Reason::Changed);
            }
            open = Some(next);
        }
        // The items are roots, whose names may be paths relative to the current directory.
        open.map_or_else(|| Ok(Directory::open(std::path::Path::new("."))?), Ok)
    }
}

impl Item {
    fn new(tree: &Tree, parent: DirId, record: &Entry<'_>) -> Option<Self> {
        let EntryState::Known(facts) = record.state else { return None };
        let Metadata { inode, directory, links, .. } = facts;
        let device = match (directory, links) {
            (Some(id), _) => Some(tree.device(id)),
            (None, Some(links)) => Some(tree.devices().number(links.device)),
            (None, None) => None,
        };
        let disk = directory.map_or(facts.disk(), |id| tree.totals(id).disk);
        let Metadata { apparent, mtime, .. } = facts;
        let (name, kind, identity) = (record.name.to_vec(), record.kind, None);
        let read_at = tree.read_at(parent, record.name);
        let is_single = links.is_none_or(|links| links.count <= 1);
        Some(Self {
            name,
            kind,
            inode,
            device,
            is_single,
            directory,
            disk,
            apparent,
            mtime,
            read_at,
            identity,
        })
    }
}
