//! Groups of duplicates to show: the duplicate directories and files that are not in an extra copy of a directory (see
//! below).
//!
//! Deleting all but one copy of a directory also deletes the copies of its files. The copy to keep is the smallest on
//! disk or, if several copies are smallest, the first of them; all others are *extra copies*. A file inside an extra
//! copy is therefore not shown again, and the disk usage of each file is counted once.
//!
//! Invariant: if one copy in each group is kept, as described at [`DuplicateGroup::wasted`], deleting the others frees
//! the sum of the wasted bytes of all groups.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::candidates::SizeCandidates;
use super::data::{Duplicate, DuplicateGroup, DuplicateKind, EqualEntry};
use super::directories::{self, DirectorySet, SetOfName};
use super::search::DuplicateSearch;
use super::sets::{EqualFiles, Member};
use crate::analysis::path_order::order_by_path;
use crate::base::sort::{reorder, sort_by_key};
use crate::base::sync::Arc;
use crate::platform::entry::contents::StoredContents;
use crate::platform::entry::occupied_space::OccupiedSpace;
use crate::tree::{DirId, EntryId, EntryState, Tree};

/// Result of [`arrange`]; see the fields of [`super::data::Duplicates`].
pub(crate) struct Arranged {
    pub(crate) groups: Vec<DuplicateGroup>,
    pub(crate) sets: Vec<Vec<EqualEntry>>,
}

/// Set of identical files.
struct FileSet {
    size: u64,
    copies: Vec<Duplicate>,
    /// Locations of the copies' data on the disk, keyed by [`Duplicate::storage`]. Filled only if some copies share
    /// part, but not all, of their data.
    locations: HashMap<u32, Arc<StoredContents>>,
}

/// Map from each extra copy of a directory to the index of its group.
type Extra = HashMap<DirId, usize>;

/// Arranges the sets of identical files below `from` into groups.
pub(crate) fn arrange(
    search: &DuplicateSearch<'_>,
    found: &[EqualFiles],
    candidates: &SizeCandidates,
    from: DirId,
) -> Arranged {
    let tree = search.tree;
    let mut sets: Vec<FileSet> = found.iter().map(|set| FileSet::new(tree, set, candidates)).collect();
    order_copies(tree, &mut sets);
    let mut set_of_name = SetOfName::new();
    for (number, set) in (0..).zip(&sets) {
        set_of_name.extend(set.copies.iter().flat_map(Duplicate::names).map(|name| (name, number)));
    }
    let directories = directories::find(search, from, &set_of_name, |set| sets[set as usize].size);
    let (mut groups, extra) = outermost(tree, directories);
    let files: Vec<DuplicateGroup> =
        sets.iter().filter_map(|set| set.group(tree, &extra, &mut groups)).collect();
    groups.retain(|group| group.wasted > 0);
    groups.extend(files);
    sort_by_path(tree, &mut groups, |group| group.copies[0].entry);
    sort_by_key(&mut groups, |group| Reverse((group.wasted, group.size)));
    let names = |member: &Member| {
        let state = member.state;
        let others = other_names(tree, member, candidates);
        std::iter::once(member.entry).chain(others).map(move |entry| EqualEntry { entry, state })
    };
    let sets = found.iter().map(|set| set.members.iter().flat_map(names).collect()).collect();
    Arranged { groups, sets }
}

/// Sorts `rows` by path. `entry` returns the entry of a row.
pub(crate) fn sort_by_path<T>(tree: &Tree, rows: &mut [T], entry: impl Fn(&T) -> EntryId) {
    let name = |row: &T| {
        let EntryId { directory, .. } = entry(row);
        (directory, entry(row).name(tree).unwrap_or_default())
    };
    let order = order_by_path(tree, &mut rows.iter().map(name), <[u8]>::cmp);
    reorder(rows, order);
}

/// Returns the other known names of a file.
fn other_names(tree: &Tree, member: &Member, candidates: &SizeCandidates) -> Vec<EntryId> {
    let inode = match member.entry.record(tree).map(|record| record.state) {
        Some(EntryState::Known(metadata)) => metadata.linked_inode(),
        _ => None,
    };
    let names = inode.into_iter().flat_map(|inode| candidates.names(inode));
    names.filter(|name| *name != member.entry).collect()
}

/// Sorts the names of each copy, and the copies of each set, by path.
fn order_copies(tree: &Tree, sets: &mut [FileSet]) {
    let mut names: Vec<EntryId> =
        sets.iter().flat_map(|set| set.copies.iter().flat_map(Duplicate::names)).collect();
    sort_by_path(tree, &mut names, |name| *name);
    let ranks: HashMap<EntryId, u32> = names.into_iter().zip(0..).collect();
    for set in sets {
        for copy in &mut set.copies {
            let mut names: Vec<EntryId> = copy.names().collect();
            sort_by_key(&mut names, |name| ranks[name]);
            copy.other_names = names.split_off(1);
            copy.entry = names[0];
        }
        sort_by_key(&mut set.copies, |copy| ranks[&copy.entry]);
    }
}

/// Returns the groups of identical directories, and the extra copies: all copies in a group except the smallest on
/// disk. Directories inside an extra copy are omitted from the groups.
fn outermost(tree: &Tree, sets: Vec<DirectorySet>) -> (Vec<DuplicateGroup>, Extra) {
    let (mut groups, mut extra) = (Vec::new(), Extra::new());
    // `sets` begins with the directories that have the most levels below them. Outer directories therefore come before
    // the directories inside them.
    for DirectorySet { directories, summary } in sets {
        let copy = |(storage, id): (u32, &DirId)| Duplicate::of_directory(tree, *id, storage);
        let is_visible = |id: &&DirId| !tree.ancestry(**id).any(|above| extra.contains_key(&above));
        let mut copies: Vec<Duplicate> =
            (0..).zip(directories.iter().filter(is_visible)).filter_map(copy).collect();
        if copies.len() < 2 {
            continue;
        }
        sort_by_path(tree, &mut copies, |copy| copy.entry);
        let directory = |copy: &Duplicate| copy.entry.record(tree)?.directory();
        let kept = copies.iter().min_by_key(|copy| copy.disk).map(|copy| copy.entry);
        let others = copies.iter().filter(|copy| Some(copy.entry) != kept);
        extra.extend(others.filter_map(directory).map(|id| (id, groups.len())));
        let kind = DuplicateKind::Directory { files: summary.files };
        groups.push(DuplicateGroup { kind, size: summary.size, wasted: 0, copies });
    }
    (groups, extra)
}

impl Duplicate {
    fn of_directory(tree: &Tree, id: DirId, storage: u32) -> Option<Self> {
        let entry = EntryId::of(tree, id)?;
        let EntryState::Known(metadata) = entry.record(tree)?.state else { return None };
        let (disk, mtime) = (tree.totals(id).disk, metadata.mtime);
        Some(Self {
            entry,
            other_names: Vec::new(),
            is_linked_elsewhere: false,
            disk,
            mtime,
            storage,
            is_shared: false,
        })
    }

    /// Returns all known names of the inode.
    pub fn names(&self) -> impl Iterator<Item = EntryId> + '_ {
        std::iter::once(self.entry).chain(self.other_names.iter().copied())
    }
}

/// Data on disk that one file uses or several identical files share.
#[derive(Default)]
struct Storage {
    disk: u64,
    /// `true` if deleting duplicates does not free the data, because a file that uses the data has names outside the
    /// searched directories or is assumed to be kept.
    is_kept: bool,
    /// `true` if at least one file that uses the data is visible: the file has a name that is not inside an extra copy
    /// of a directory.
    is_visible: bool,
    /// If an invisible file uses the data: index of the group of duplicate directories that contains the file.
    /// `None` if all files that use the data are visible.
    group: Option<usize>,
}

impl FileSet {
    fn new(tree: &Tree, set: &EqualFiles, candidates: &SizeCandidates) -> Self {
        let mut sharing: HashMap<u32, u32> = HashMap::new();
        set.members.iter().for_each(|member| *sharing.entry(member.storage.number).or_default() += 1);
        let copies = set.members.iter().map(|member| {
            let other_names = other_names(tree, member, candidates);
            Duplicate {
                entry: member.entry,
                is_linked_elsewhere: member.state.links > 1 + other_names.len() as u64,
                other_names,
                disk: member.state.disk,
                mtime: member.state.modified.0,
                storage: member.storage.number,
                is_shared: sharing[&member.storage.number] > 1,
            }
        });
        let locations = set
            .members
            .iter()
            .filter_map(|member| Some((member.storage.number, member.storage.location.clone()?)));
        Self { size: set.size, copies: copies.collect(), locations: locations.collect() }
    }

    /// Returns a group of the visible copies; `None` if there are fewer than two, or if all share their data. A copy is
    /// visible if it has a name that is not inside an extra copy of a directory (see the module documentation).
    ///
    /// An invisible copy counts toward the group of the duplicate directory that contains it: the disk space that
    /// deleting the copy would free is added to the wasted bytes of that group in `directories`.
    fn group(
        &self,
        tree: &Tree,
        extra: &Extra,
        directories: &mut [DuplicateGroup],
    ) -> Option<DuplicateGroup> {
        let group_of =
            |name: EntryId| tree.ancestry(name.directory).find_map(|above| extra.get(&above)).copied();
        let mut storages: BTreeMap<u32, Storage> = BTreeMap::new();
        let mut copies = Vec::new();
        for copy in &self.copies {
            let storage = storages.entry(copy.storage).or_default();
            storage.disk = storage.disk.max(copy.disk);
            storage.is_kept |= copy.is_linked_elsewhere;
            let groups: Option<Vec<usize>> = copy.names().map(group_of).collect();
            if let Some(groups) = groups {
                storage.group = storage.group.or(groups.first().copied());
            } else {
                storage.is_visible = true;
                copies.push(copy.clone());
            }
        }
        let mut storages: Vec<(u32, Storage)> = storages.into_iter().collect();
        // One copy is assumed to be kept: a copy that cannot be freed or, if there is none, the smallest copy. Copies
        // differ in size on disk if some have holes or are compressed.
        let is_any_kept = storages.iter().any(|(_, storage)| storage.is_visible && storage.is_kept);
        let visible = storages.iter_mut().filter(|(_, storage)| storage.is_visible);
        if let Some((_, smallest)) = visible.min_by_key(|(_, storage)| storage.disk).filter(|_| !is_any_kept)
        {
            smallest.is_kept = true;
        }
        // Kept copies come first, so that data shared with them does not count as freed. Other shared data counts once.
        sort_by_key(&mut storages, |(_, storage)| (!storage.is_kept, !storage.is_visible));
        let mut space = OccupiedSpace::default();
        let (mut wasted, mut different) = (0_u64, 0);
        for (number, storage) in storages {
            let overlap = self.locations.get(&number).map_or(0, |location| space.add(location));
            let own = storage.disk.saturating_sub(overlap);
            different += u32::from(storage.is_visible && (own > 0 || storage.disk == 0));
            if storage.is_kept {
                continue;
            }
            if storage.is_visible {
                wasted = wasted.saturating_add(own);
            } else if let Some(group) = storage.group.and_then(|group| directories.get_mut(group)) {
                group.wasted = group.wasted.saturating_add(own);
            }
        }
        if copies.len() < 2 || different < 2 {
            return None;
        }
        Some(DuplicateGroup { kind: DuplicateKind::File, size: self.size, wasted, copies })
    }
}
