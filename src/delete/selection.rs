//! What is meant, in words of the file system: names from a root down, and which inodes they were.
//!
//! Knows the tree, which it reads once, and opens directories by what it has read. Invariant: a directory is only opened as
//! part of a selection if every step to it is the inode that was scanned.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::Reason;
use crate::kind::Kind;
use crate::platform::descriptors::wait_for_descriptors;
use crate::platform::{Attributes, Directory, Errno};
use crate::tree::{Content, DirId, Facts, Record, Tree, join};

/// How much of an item is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// What lies in it; it stays as an empty directory.
    Content,
}

/// Entries of a tree that are to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The entries, by the directory they are in.
    pub groups: Vec<Group>,
    /// How much of each is meant.
    pub extent: Extent,
}

/// Entries of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The directory.
    pub directory: DirId,
    /// The way to it: the root as it was given, then names.
    pub steps: Vec<Step>,
    /// The entries.
    pub items: Vec<Item>,
}

/// A directory on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name, or the path of the root.
    pub name: Vec<u8>,
    /// Its device.
    pub device: u64,
    /// Its inode number.
    pub inode: u64,
}

/// An entry that is to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// Its inode number.
    pub inode: u64,
    /// Its device, where the tree knows one: that of a single-linked file is its directory's on most file systems, but not
    /// on those that lie over others.
    pub device: Option<u64>,
    /// The directory it is in the tree.
    pub directory: Option<DirId>,
    /// What it takes up in the tree, with everything below it, in bytes.
    pub disk: u64,
}

impl Selection {
    /// The entries at these places that the tree knows, each once, and none that lies in another one. Roots are no entries
    /// of a directory, and only their content can be selected.
    pub fn new<'a>(tree: &Tree, places: impl IntoIterator<Item = (DirId, &'a [u8])>, extent: Extent) -> Self {
        let mut names: HashMap<DirId, HashSet<&[u8]>> = HashMap::new();
        for (directory, name) in places {
            names.entry(directory).or_default().insert(name);
        }
        let mut groups: Vec<Group> = names
            .into_iter()
            .filter(|(directory, _)| *directory != DirId::TOP || extent == Extent::Content)
            .filter_map(|(directory, names)| Group::new(tree, directory, &names, extent))
            .collect();
        let chosen: HashSet<DirId> =
            groups.iter().flat_map(|group| group.items.iter().filter_map(|item| item.directory)).collect();
        groups.retain(|group| !tree.ancestry(group.directory).any(|above| chosen.contains(&above)));
        groups.sort_by_cached_key(Group::path);
        Self { groups, extent }
    }

    /// How many entries are selected.
    pub fn count(&self) -> usize {
        self.groups.iter().map(|group| group.items.len()).sum()
    }

    /// Each entry with the group it is in.
    pub fn items(&self) -> impl Iterator<Item = (&Group, &Item)> {
        self.groups.iter().flat_map(|group| group.items.iter().map(move |item| (group, item)))
    }

    /// What the entries take up in the tree, in bytes; hard links between them are counted more than once.
    pub fn disk(&self) -> u64 {
        self.items().fold(0, |sum, (_, item)| sum.saturating_add(item.disk))
    }

    /// Where the entries are in the tree.
    pub fn places(&self) -> Vec<(DirId, Vec<Vec<u8>>)> {
        let names = |group: &Group| group.items.iter().map(|item| item.name.clone()).collect();
        self.groups.iter().map(|group| (group.directory, names(group))).collect()
    }

    /// The same entries in a tree that was changed since: those that are still the same inodes at the same paths.
    #[must_use]
    pub fn renewed(&self, tree: &Tree) -> Self {
        let places = self.groups.iter().filter_map(|group| Some((group.find(tree)?, group)));
        let places = places.flat_map(|(directory, group)| {
            group.items.iter().map(move |item| (directory, item.name.as_slice()))
        });
        let now = Self::new(tree, places, self.extent);
        let mut before: HashSet<(Vec<u8>, u64)> = HashSet::new();
        before.extend(self.items().map(|(group, item)| (group.path_of(item), item.inode)));
        let is_same: Vec<bool> =
            now.items().map(|(group, item)| before.contains(&(group.path_of(item), item.inode))).collect();
        now.filtered(|number| is_same[number])
    }

    /// Only the entries of which `keep` is true, by their number among all.
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
    fn new(tree: &Tree, directory: DirId, names: &HashSet<&[u8]>, extent: Extent) -> Option<Self> {
        let mut ids: Vec<DirId> = tree.ancestry(directory).collect();
        ids.reverse();
        let step = |id: &DirId| {
            let inode = tree.own_facts(*id)?.inode;
            Some(Step { name: tree.name(*id).to_vec(), device: tree.device(*id), inode })
        };
        let steps = ids.iter().map(step).collect::<Option<Vec<Step>>>()?;
        let listing = tree.listing(directory);
        let chosen = listing.entries().filter(|(_, record)| names.contains(record.name));
        let mut items: Vec<Item> = chosen.filter_map(|(_, record)| Item::new(tree, &record)).collect();
        items.sort_by(|a, b| a.name.cmp(&b.name));
        items.dedup_by(|a, b| a.name == b.name);
        if extent == Extent::Content {
            items.retain(|item| item.directory.is_some());
        }
        (!items.is_empty()).then_some(Self { directory, steps, items })
    }

    /// The directory, by its path, in a tree that was changed since.
    pub fn find(&self, tree: &Tree) -> Option<DirId> {
        let mut at = DirId::TOP;
        for step in &self.steps {
            at = tree.entry(at, &step.name)?.directory()?;
        }
        Some(at)
    }

    /// The path of the directory; empty where the items are roots, whose names are paths.
    pub fn path(&self) -> Vec<u8> {
        join(self.steps.iter().map(|step| step.name.as_slice()))
    }

    /// The path of one of its items.
    pub fn path_of(&self, item: &Item) -> Vec<u8> {
        join(self.steps.iter().map(|step| step.name.as_slice()).chain([item.name.as_slice()]))
    }

    /// Opens the directory, following symbolic links in the path of the root only.
    ///
    /// # Errors
    /// As openat(2), or that a step is not what was scanned.
    pub fn open(&self) -> Result<Directory, Reason> {
        let mut open: Option<Directory> = None;
        for step in &self.steps {
            let next = wait_for_descriptors(|| match &open {
                None => Directory::open(&PathBuf::from(OsString::from_vec(step.name.clone()))),
                Some(above) => above.open_child(step.name.as_slice()),
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
        // The items are roots: their names are paths from where this process is.
        open.map_or_else(|| Ok(Directory::open(std::path::Path::new("."))?), Ok)
    }
}

impl Item {
    fn new(tree: &Tree, record: &Record<'_>) -> Option<Self> {
        let Content::Known(facts) = record.content else { return None };
        let Facts { inode, directory, links, .. } = facts;
        let device = match (directory, links) {
            (Some(id), _) => Some(tree.device(id)),
            (None, Some(links)) => Some(tree.devices().number(links.device)),
            (None, None) => None,
        };
        let disk = directory.map_or(facts.disk(), |id| tree.totals(id).disk);
        Some(Self { name: record.name.to_vec(), kind: record.kind, inode, device, directory, disk })
    }

    /// Whether these are the attributes of the entry that was selected.
    pub fn is_still(&self, found: &Attributes) -> bool {
        (found.kind, found.inode) == (self.kind, self.inode)
            && self.device.is_none_or(|device| device == found.device)
    }
}
