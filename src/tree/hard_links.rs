//! Hard links: each inode counts once in every directory above any of its names, as in `du -s` of that
//! directory.
//!
//! While a tree grows, every name counts. At the end the names of each inode are brought together, and the
//! repeated sizes are subtracted: a directory with names of its own and names in child directories has
//! counted the inode (own names + children with names - 1) times too often, and this is subtracted there and
//! in all ancestors. The result does not depend on the order in which names were found.
//!
//! Makes no system call. Invariant: the work is linear in the names times their depth, whatever the number of
//! names of one inode.

use std::collections::HashMap;

use super::{DirId, EntryState, InodeKey, LinkedName, Links, Tree, UniqueSizes, Walk};

/// Subtracts the repeated names from the totals of a tree at rest and sets the shared sizes.
pub fn subtract_repeats(tree: &Tree) {
    let names = all_names(tree);
    tree.note_files_inside(&names);
    let repeats = UniqueSizes::from(names).repeats(|id| tree.parent(id));
    tree.set_shared(repeats.disk());
    repeats.hand_up(|id, excess| tree.take_off(id, excess));
}

/// Counts every name again, as before [`subtract_repeats`].
pub fn add_repeats(tree: &Tree) {
    tree.set_shared([]);
    let repeats = UniqueSizes::from(all_names(tree)).repeats(|id| tree.parent(id));
    repeats.hand_up(|id, excess| tree.add(id, excess));
}

/// Returns all names of linked inodes. The link count alone is not enough, because a name may have been read
/// while it was 1; so names are searched for inodes that have fewer names here than their largest link count.
fn all_names(tree: &Tree) -> Vec<LinkedName> {
    let mut names = tree.linked();
    let mut missing: HashMap<InodeKey, (u64, u64)> = HashMap::new();
    for name in &names {
        let (most, met) = missing.entry(name.key()).or_default();
        // A root that is a file may also lie below another root, whatever its link count.
        *most = if name.directory == DirId::TOP { u64::MAX } else { name.count.max(*most) };
        *met += 1;
    }
    missing.retain(|_, (most, met)| met < most);
    if missing.is_empty() {
        return names;
    }
    for (directory, listing) in Walk::new(tree, DirId::TOP) {
        let device = tree.device_index(directory);
        for (_, record) in listing.entries() {
            let EntryState::Known(metadata) = record.state else { continue };
            if metadata.links.is_none()
                && metadata.directory.is_none()
                && missing.contains_key(&InodeKey { device, inode: metadata.inode })
            {
                names.push(LinkedName::counted(directory, &metadata, Links { count: 1, device }));
            }
        }
    }
    names
}
