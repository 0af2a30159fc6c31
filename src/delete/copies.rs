//! Copies that a deletion must keep. In each set of identical files, at least one file must remain that has not changed
//! since the comparison.
//!
//! Invariant: nothing in this module changes the file system.

use std::collections::HashSet;

use super::copy_files::{
    CopyDirectories, CopyFile, CopyName, DirectoriesBuilder, LastDirectory, SelectedItems,
};
use super::group::Group;
use crate::base::sort::sort_by_key;
use crate::tree::Tree;

/// Unselected copies of the selected files, grouped by set of identical files. An operation must keep at least one copy
/// in each set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptCopies {
    directories: CopyDirectories,
    sets: Vec<KeptSet>,
}

/// Identical files, some of which are selected.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KeptSet {
    /// Paths of the selected items. Each item is, or contains, a file of this set.
    items: Vec<Vec<u8>>,
    /// Files that are not selected.
    kept: Vec<CopyFile>,
}

impl KeptCopies {
    /// Finds the files in `sets` that are not selected in `groups`.
    ///
    /// # Errors
    /// Returns the number of sets in which every file is selected, if there are any. A file in a selected directory
    /// counts as selected.
    pub(super) fn new<'n, S: AsRef<[CopyName<'n>]>>(
        tree: &Tree,
        groups: &[Group],
        sets: impl IntoIterator<Item = S>,
    ) -> Result<Self, usize> {
        let selected = SelectedItems::of(tree, groups);
        let paths_of = |group: &Group| group.items.iter().map(|item| group.path_of(item)).collect::<Vec<_>>();
        let paths: Vec<Vec<u8>> = groups.iter().flat_map(paths_of).collect();
        let mut directories = DirectoriesBuilder::new(tree);
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
            let items = items.into_iter().map(|item| paths[item].clone()).collect();
            let kept = others.iter().filter_map(|copy| directories.file(copy)).collect();
            found.push(KeptSet { items, kept });
        }
        if whole > 0 {
            return Err(whole);
        }
        // Files in the same directory are checked one after another, so that their directory is opened only once.
        sort_by_key(&mut found, |set| set.kept.first().map(|file| file.directory));
        Ok(Self { directories: directories.finish(), sets: found })
    }

    /// Returns the paths of the selected items that are or contain the last copy of a file. A copy is the last one if
    /// every unselected copy has been changed or deleted, or cannot be checked.
    pub(super) fn last_copies(&self) -> HashSet<&[u8]> {
        let mut open = LastDirectory::default();
        let mut is_left = |file: &CopyFile| open.check(&self.directories, file).is_ok();
        let lost = self.sets.iter().filter(|set| !set.kept.iter().any(&mut is_left));
        lost.flat_map(|set| set.items.iter().map(Vec::as_slice)).collect()
    }
}
