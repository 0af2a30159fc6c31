//! Identical files on disk, and the directories that contain them.
//!
//! Invariant: a file is reached only through the directories that were scanned.

use std::collections::HashMap;
use std::ffi::CString;

use super::Reason;
use super::group::Group;
use crate::platform::Directory;
use crate::platform::entry::contents::{ContentState, Contents};
use crate::tree::{DirId, EntryId, Tree, join};

/// One file in a set of identical files, identified by its directory and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyName<'n> {
    pub directory: DirId,
    pub name: &'n [u8],
    /// State of the file when the search for duplicates compared it. Used to detect later changes.
    pub state: ContentState,
}

impl<'n> CopyName<'n> {
    /// Returns the file at `entry`; `None` if the entry is not in the tree.
    pub fn of(tree: &'n Tree, entry: EntryId, state: ContentState) -> Option<Self> {
        Some(Self { directory: entry.directory, name: entry.name(tree)?, state })
    }
}

/// File in a set of identical files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CopyFile {
    /// Index in [`CopyDirectories`] of the directory that contains the file.
    pub(super) directory: usize,
    name: CString,
    /// State of the file when the search for duplicates compared it. Used to detect later changes.
    pub(super) state: ContentState,
}

/// Directories that contain identical files. Each is stored as a [`Group`] whose `items` are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CopyDirectories(Vec<Group>);

/// Builder of [`CopyDirectories`]. Adds each directory only once.
pub(super) struct DirectoriesBuilder<'p> {
    tree: &'p Tree,
    /// Index in `groups` for each directory; `None` if the tree has no metadata of the directory or of a
    /// directory above it.
    numbers: HashMap<DirId, Option<usize>>,
    groups: Vec<Group>,
}

impl<'p> DirectoriesBuilder<'p> {
    pub(super) fn new(tree: &'p Tree) -> Self {
        Self { tree, numbers: HashMap::new(), groups: Vec::new() }
    }

    pub(super) fn file(&mut self, copy: &CopyName<'_>) -> Option<CopyFile> {
        let Self { tree, numbers, groups } = self;
        let number = numbers.entry(copy.directory).or_insert_with(|| {
            groups.push(Group::at(tree, copy.directory)?);
            Some(groups.len() - 1)
        });
        Some(CopyFile { directory: (*number)?, name: CString::new(copy.name).ok()?, state: copy.state })
    }

    pub(super) fn finish(self) -> CopyDirectories {
        CopyDirectories(self.groups)
    }
}

impl CopyDirectories {
    /// Returns the group for the directory with index `directory`. The groups stored here have no items.
    pub(super) fn group(&self, directory: usize) -> &Group {
        &self.0[directory]
    }

    pub(super) fn path(&self, file: &CopyFile) -> Vec<u8> {
        join([self.group(file.directory).path().as_slice(), file.name.as_bytes()])
    }
}

/// Directory of the most recent file, kept open because the next file is usually in the same directory.
#[derive(Default)]
pub(super) struct LastDirectory(Option<(usize, Result<Directory, Reason>)>);

impl LastDirectory {
    fn open(&mut self, directories: &CopyDirectories, directory: usize) -> Result<&Directory, Reason> {
        if self.0.as_ref().is_none_or(|(open, _)| *open != directory) {
            self.0 = Some((directory, directories.0[directory].open()));
        }
        match &self.0 {
            Some((_, opened)) => opened.as_ref().map_err(|reason| *reason),
            None => Err(Reason::Changed),
        }
    }

    /// Checks that the file has not changed since it was compared.
    pub(super) fn check(&mut self, directories: &CopyDirectories, file: &CopyFile) -> Result<(), Reason> {
        let now = ContentState::of(self.open(directories, file.directory)?, &file.name)?;
        if file.state.is_untouched(&now) { Ok(()) } else { Err(Reason::Changed) }
    }

    /// Opens the file for reading, if it has not changed since it was compared.
    pub(super) fn open_file(
        &mut self,
        directories: &CopyDirectories,
        file: &CopyFile,
    ) -> Result<Contents, Reason> {
        let contents = Contents::open(self.open(directories, file.directory)?, &file.name)?;
        if file.state.is_untouched(&contents.state()?) { Ok(contents) } else { Err(Reason::Changed) }
    }
}

/// Lookup table that maps a file to the selected entry that is or contains the file.
pub struct SelectedItems<'s> {
    tree: &'s Tree,
    names: HashMap<(DirId, &'s [u8]), usize>,
    directories: HashMap<DirId, usize>,
}

impl<'s> SelectedItems<'s> {
    /// Creates a lookup table for `entries`. Each entry is given as the ID of its parent directory, its name and, if it
    /// is a directory, its own ID.
    pub fn new(tree: &'s Tree, entries: impl IntoIterator<Item = (DirId, &'s [u8], Option<DirId>)>) -> Self {
        let (mut names, mut directories) = (HashMap::new(), HashMap::new());
        for (number, (parent, name, directory)) in entries.into_iter().enumerate() {
            names.insert((parent, name), number);
            directories.extend(directory.map(|directory| (directory, number)));
        }
        Self { tree, names, directories }
    }

    /// Creates a lookup table for the items in `groups`.
    pub(super) fn of(tree: &'s Tree, groups: &'s [Group]) -> Self {
        let items = groups.iter().flat_map(|group| group.items.iter().map(move |item| (group, item)));
        Self::new(tree, items.map(|(group, item)| (group.directory, item.name.as_slice(), item.directory)))
    }

    /// Returns the index of the selected entry that is or contains the file; `None` if the file is not selected.
    pub fn item(&self, copy: &CopyName<'_>) -> Option<usize> {
        let above = || self.tree.ancestry(copy.directory).find_map(|above| self.directories.get(&above));
        self.names.get(&(copy.directory, copy.name)).or_else(above).copied()
    }
}
