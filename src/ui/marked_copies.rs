//! Sets of identical files that contain a marked file. The user has marked the file, or a directory that contains it,
//! in the duplicates view. No matter from which view a deletion is started, it must leave at least one file of each
//! set.
//!
//! Invariant: a set identifies its files by directory and name, not by position, so [`MarkedCopies::relocate`] can find
//! the files again after a rescan.

use std::collections::HashMap;

use crate::delete::{CopyName, SelectedItems};
use crate::duplicates::EqualEntry;
use crate::tree::{DirId, Entry, Relocation, Tree};

/// Sets of identical files. The key of each set is the name of its first file.
#[derive(Clone, Debug, Default)]
pub struct MarkedCopies<'t> {
    sets: HashMap<(DirId, &'t [u8]), Vec<CopyName<'t>>>,
}

impl<'t> MarkedCopies<'t> {
    /// Adds those `sets` that contain a marked file, or a file inside a marked directory.
    pub fn add(&mut self, tree: &'t Tree, sets: &[Vec<EqualEntry>], marked: &[(DirId, Entry<'t>)]) {
        let marked = marked.iter().map(|(parent, record)| (*parent, record.name, record.directory()));
        let marked = SelectedItems::new(tree, marked);
        for set in sets {
            let set = named(tree, set);
            if set.iter().any(|copy| marked.item(copy).is_some()) {
                self.sets.insert((set[0].directory, set[0].name), set);
            }
        }
    }

    pub fn sets(&self) -> impl Iterator<Item = &Vec<CopyName<'t>>> {
        self.sets.values()
    }

    /// Transfers the sets to the rescanned tree. Omits files in directories that no longer exist.
    pub fn relocate(&mut self, relocation: &mut Relocation<'t>) {
        for (_, set) in std::mem::take(&mut self.sets) {
            let now =
                |copy: CopyName<'t>| Some(CopyName { directory: relocation.find(copy.directory)?, ..copy });
            let set: Vec<CopyName<'t>> = set.into_iter().filter_map(now).collect();
            let first = set.first().map(|first| (first.directory, first.name));
            self.sets.extend(first.map(|first| (first, set)));
        }
    }
}

/// Returns the names of the files in a set of identical files.
pub fn named<'t>(tree: &'t Tree, set: &[EqualEntry]) -> Vec<CopyName<'t>> {
    set.iter().filter_map(|equal| CopyName::of(tree, equal.entry, equal.state)).collect()
}
