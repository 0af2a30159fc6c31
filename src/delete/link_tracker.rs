//! Detection of the last name of a hard-linked inode, when several workers delete or count its names.

use std::collections::HashMap;

use crate::platform::FileId;

/// Hard-linked inodes that still have unseen names.
///
/// Two workers that delete the last two names of an inode at the same time may both read the link count 2, because it
/// is read before the deletion. The tracker therefore counts the names of each inode. When it has seen as many names of
/// an inode as the largest link count that was read for this inode, no name is left.
#[derive(Default)]
pub struct LinkTracker {
    inodes: HashMap<FileId, Names>,
}

/// Number of names of an inode seen so far, and the largest link count seen so far.
#[derive(Clone, Copy, Default)]
struct Names {
    seen: u64,
    most: u64,
}

impl LinkTracker {
    /// Counts one name of an inode whose link count was `link_count`. Returns `true` if this was the last name.
    pub fn name_seen(&mut self, id: FileId, link_count: u64) -> bool {
        if link_count <= 1 {
            return true;
        }
        let names = self.inodes.entry(id).or_default();
        names.seen += 1;
        names.most = names.most.max(link_count);
        let is_last = names.seen >= names.most;
        if is_last {
            self.inodes.remove(&id);
        }
        is_last
    }

    /// Returns the number of inodes that still have unseen names.
    pub fn incomplete(&self) -> u64 {
        self.inodes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: FileId = FileId { device: 1, inode: 2 };

    /// Calls [`LinkTracker::name_seen`] for the same inode once with each link count, and returns the results.
    fn last_of(link_counts: &[u64]) -> Vec<bool> {
        let mut links = LinkTracker::default();
        link_counts.iter().map(|names| links.name_seen(ID, *names)).collect()
    }

    #[test]
    fn an_inode_is_freed_once_in_any_order_of_its_names() {
        assert_eq!(last_of(&[3, 2, 1]), [false, false, true]);
        // Several workers read the same link count if none of them has deleted its name yet.
        assert_eq!(last_of(&[2, 2]), [false, true]);
        assert_eq!(last_of(&[3, 3, 3]), [false, false, true]);
        assert_eq!(last_of(&[3, 2, 2]), [false, false, true]);
        // The name with the smaller link count was deleted later, but is reported first.
        assert_eq!(last_of(&[1, 2]), [true, false]);
        assert_eq!(last_of(&[2, 2, 3]), [false, true, false]);
    }

    #[test]
    fn an_inode_with_a_name_elsewhere_is_not_freed() {
        assert_eq!(last_of(&[3, 3]), [false, false]);
        assert_eq!(last_of(&[2, 3]), [false, false]);
        assert_eq!(last_of(&[4, 2, 3]), [false, false, false]);
        let mut links = LinkTracker::default();
        let other = FileId { inode: 3, ..ID };
        assert!(!links.name_seen(ID, 2) && !links.name_seen(other, 2));
        assert_eq!(links.incomplete(), 2);
        assert!(links.name_seen(ID, 2));
        assert_eq!(links.incomplete(), 1);
    }
}
