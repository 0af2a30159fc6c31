//! Hard links: if several names of an inode are below a directory, the inode counts once there, as in `du -s`.
//!
//! While a tree is growing, every name of an inode counts. At the end, the excess is subtracted. If n entries of a
//! directory are names of the inode, and m of its child directories contain other names at any depth, the directory has
//! counted the inode n + m - 1 times too often. This excess is subtracted in the directory and in all of its ancestors.
//! The result does not depend on the order in which names were found.
//!
//! The module makes no system calls. Invariant: the work is proportional to the number of names times their depth,
//! regardless of how many names an inode has.

use std::collections::{HashMap, HashSet};

use super::inodes::{order, size};
use super::{DirId, EntryState, InodeKey, LinkedName, Links, Totals, Tree, UniqueSizes, Walk};

/// Subtracts the sizes of further hard links to an inode from the totals of a finished tree, so that each inode
/// counts once. Also sets the shared sizes.
pub fn subtract_repeats(tree: &Tree) {
    let names = all_names(tree);
    tree.note_files_inside(&names);
    let repeats = UniqueSizes::from(names).repeats(|id| tree.parent(id));
    tree.set_shared(repeats.disk());
    repeats.sum_up(|id, excess| tree.take_off(id, excess));
}

/// Undoes [`subtract_repeats`], so that every name counts again.
pub fn add_repeats(tree: &Tree) {
    tree.set_shared([]);
    let repeats = UniqueSizes::from(all_names(tree)).repeats(|id| tree.parent(id));
    repeats.sum_up(|id, excess| tree.add(id, excess));
}

/// Returns, for each directory, the total size of the inodes that have names both below the directory and outside it.
/// An inode has names outside if its link count is higher than the number of its names below the directory.
/// Directories without such inodes are not included.
pub fn shared_with_others(tree: &Tree) -> HashMap<DirId, Totals> {
    let mut names = tree.linked();
    names.sort_unstable_by_key(order);
    let (mut shared, mut seen) = (HashMap::<DirId, Totals>::new(), HashMap::<DirId, u64>::new());
    for names in names.chunk_by(|a, b| a.key() == b.key()) {
        for id in names.iter().flat_map(|name| tree.ancestry(name.directory)) {
            *seen.entry(id).or_default() += 1;
        }
        let links = names.iter().map(|name| name.count).max().unwrap_or(0);
        for (id, _) in seen.drain().filter(|(_, names)| *names < links) {
            shared.entry(id).or_default().add(&size(&names[0]));
        }
    }
    shared
}

/// Returns all names of hard-linked inodes, even names that were read while the link count was still 1. To find such
/// names, the tree is searched if an inode has fewer known names than the largest link count read for the inode.
fn all_names(tree: &Tree) -> Vec<LinkedName> {
    let mut names = tree.linked();
    let missing = incomplete(&names);
    if !missing.is_empty() {
        names.extend(unlinked_names(tree, |inode| missing.contains(inode)));
    }
    names
}

/// Returns the inodes that may have more names than those in `names`.
pub(crate) fn incomplete(names: &[LinkedName]) -> HashSet<InodeKey> {
    let mut missing: HashMap<InodeKey, (u64, u64)> = HashMap::new();
    for name in names {
        let (most, seen) = missing.entry(name.key()).or_default();
        // A root that is a file may also lie below another root. The tree then contains the file twice, even if the
        // link count is 1. For such a root, the tree is therefore always searched for other occurrences of the file.
        *most = if name.directory == DirId::TOP { u64::MAX } else { name.count.max(*most) };
        *seen += 1;
    }
    missing.retain(|_, (most, seen)| seen < most);
    missing.into_keys().collect()
}

/// Returns the names that were read while the link count of their inode was 1. Omits inodes that `is_wanted` rejects.
pub(crate) fn unlinked_names(tree: &Tree, is_wanted: impl Fn(&InodeKey) -> bool) -> Vec<LinkedName> {
    let mut names = Vec::new();
    for (directory, listing) in Walk::new(tree, DirId::TOP) {
        let device = tree.device_index(directory);
        for (_, record) in listing.entries() {
            let EntryState::Known(metadata) = record.state else { continue };
            if metadata.links.is_none()
                && metadata.directory.is_none()
                && is_wanted(&InodeKey { device, inode: metadata.inode })
            {
                names.push(LinkedName::counted(directory, &metadata, Links { count: 1, device }));
            }
        }
    }
    names
}
