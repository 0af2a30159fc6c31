//! Copies that a deletion must leave: of files with the same contents, at least one that is still as it was compared.
//!
//! Invariant: nothing in this module changes the file system.

use std::collections::{HashMap, HashSet};
use std::ffi::CString;

use super::Reason;
use super::selection::{Group, Selection};
use crate::platform::Directory;
use crate::platform::entry::contents::ContentState;
use crate::tree::{DirId, Tree};

/// Name of a file in a set of files with the same contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyName<'n> {
    /// Directory that contains the file.
    pub directory: DirId,
    /// Name of the file in that directory.
    pub name: &'n [u8],
    /// State of the file when it was compared.
    pub state: ContentState,
}

/// Copies that are not selected, for each set of files of which others are selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptCopies {
    /// Directories of the copies, without items.
    places: Vec<Group>,
    sets: Vec<KeptSet>,
}

/// Files with the same contents, of which some are selected.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KeptSet {
    /// Paths of the selected items that are or contain one of the files.
    items: Vec<Vec<u8>>,
    kept: Vec<KeptFile>,
}

/// File that is not selected.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KeptFile {
    /// Index of its directory.
    place: usize,
    name: CString,
    state: ContentState,
}

impl KeptCopies {
    /// Finds the copies in `sets` that are not in the selection. The error is the number of sets of which every file is
    /// selected, or inside a selected directory.
    pub(super) fn new<'n, S: AsRef<[CopyName<'n>]>>(
        tree: &Tree,
        selection: &Selection,
        sets: impl IntoIterator<Item = S>,
    ) -> Result<Self, usize> {
        let selected = Selected::new(tree, selection);
        let mut places = Places { tree, numbers: HashMap::new(), groups: Vec::new() };
        let (mut found, mut whole) = (Vec::new(), 0);
        for set in sets {
            let mut items = HashSet::new();
            let mut others = Vec::new();
            for copy in set.as_ref() {
                match selected.item(copy) {
                    Some(item) => _ = items.insert(item),
                    None => others.push(*copy),
                }
            }
            if items.is_empty() {
                continue;
            }
            whole += usize::from(others.is_empty());
            let items = items.into_iter().map(|item| selected.paths[item].clone()).collect();
            let kept = others.iter().filter_map(|copy| places.file(copy)).collect();
            found.push(KeptSet { items, kept });
        }
        if whole > 0 {
            return Err(whole);
        }
        // Files of one directory are checked one after another, so that it is opened only once.
        found.sort_by_key(|set| set.kept.first().map(|file| file.place));
        Ok(Self { places: places.groups, sets: found })
    }

    /// Returns the paths of the selected items with a file of which no other copy is left unchanged.
    pub(super) fn last_copies(&self) -> HashSet<&[u8]> {
        let mut open: Option<(usize, Result<Directory, Reason>)> = None;
        let mut is_left = |file: &KeptFile| {
            if open.as_ref().is_none_or(|(place, _)| *place != file.place) {
                open = Some((file.place, self.places[file.place].open()));
            }
            let Some((_, Ok(directory))) = &open else { return false };
            ContentState::of(directory, &file.name).is_ok_and(|now| file.state.is_untouched(&now))
        };
        let lost = self.sets.iter().filter(|set| !set.kept.iter().any(&mut is_left));
        lost.flat_map(|set| set.items.iter().map(Vec::as_slice)).collect()
    }
}

/// Items of a selection, to look up.
struct Selected<'s> {
    tree: &'s Tree,
    paths: Vec<Vec<u8>>,
    names: HashMap<(DirId, &'s [u8]), usize>,
    directories: HashMap<DirId, usize>,
}

impl<'s> Selected<'s> {
    fn new(tree: &'s Tree, selection: &'s Selection) -> Self {
        let (mut paths, mut names, mut directories) = (Vec::new(), HashMap::new(), HashMap::new());
        for (number, (group, item)) in selection.items().enumerate() {
            paths.push(group.path_of(item));
            names.insert((group.directory, item.name.as_slice()), number);
            directories.extend(item.directory.map(|directory| (directory, number)));
        }
        Self { tree, paths, names, directories }
    }

    /// Returns the index of the item that is or contains the file.
    fn item(&self, copy: &CopyName<'_>) -> Option<usize> {
        let above = || self.tree.ancestry(copy.directory).find_map(|above| self.directories.get(&above));
        self.names.get(&(copy.directory, copy.name)).or_else(above).copied()
    }
}

/// Directories of files, each once.
struct Places<'p> {
    tree: &'p Tree,
    /// Index of each directory; `None` for those that are not in the tree.
    numbers: HashMap<DirId, Option<usize>>,
    groups: Vec<Group>,
}

impl Places<'_> {
    fn file(&mut self, copy: &CopyName<'_>) -> Option<KeptFile> {
        let Self { tree, numbers, groups } = self;
        let number = numbers.entry(copy.directory).or_insert_with(|| {
            groups.push(Group::at(tree, copy.directory)?);
            Some(groups.len() - 1)
        });
        Some(KeptFile { place: (*number)?, name: CString::new(copy.name).ok()?, state: copy.state })
    }
}
