//! Totals of a merged tree, computed from the totals of its parts. Each part is the tree of one snapshot.
//!
//! An inode counts once in the totals of a part, and must also count only once in the merged tree. The totals are
//! therefore computed in three steps:
//!
//! 1. Change the totals of each part so that every name of an inode counts.
//! 2. Add the totals of each part except the first to the directories above the part's roots.
//! 3. Subtract repeated names in the whole tree, as after a scan (`tree::hard_links`).

use std::collections::HashMap;

use crate::formats::snapshot::merge::joined::Joined;
use crate::tree::hard_links::{incomplete, unlinked_names};
use crate::tree::{DirId, EntryState, InodeKey, LinkedName, Totals, UniqueSizes};

/// Differences between the totals of a directory in its part and in the merged tree: amounts to add (`more`) and
/// amounts to subtract (`less`). `shared` contains the nonzero shared sizes in the merged tree.
#[derive(Default)]
pub(crate) struct TotalChanges {
    more: HashMap<DirId, Totals>,
    less: HashMap<DirId, Totals>,
    shared: HashMap<DirId, u64>,
}

impl TotalChanges {
    pub(crate) fn of(joined: &Joined<'_>) -> Self {
        let mut changes = Self::default();
        let names = changes.count_every_name(joined);
        changes.add_roots(joined);
        let repeats = UniqueSizes::from(names).repeats(|id| joined.parent(id));
        changes.shared = repeats.disk().collect();
        repeats.sum_up(|id, excess| changes.less.entry(id).or_default().add(excess));
        changes
    }

    /// Adds to `self.more` the sizes that the totals of each part lack because an inode counts only once in a part.
    /// Returns all names of hard-linked inodes, with the directory IDs and device indexes of the merged tree.
    fn count_every_name(&mut self, joined: &Joined<'_>) -> Vec<LinkedName> {
        let linked: Vec<Vec<LinkedName>> = joined.parts.iter().map(|part| part.tree.linked()).collect();
        let mut all = Vec::new();
        for (part, names) in joined.parts.iter().zip(&linked) {
            let outer = |name: &LinkedName| LinkedName {
                device: part.device(name.device),
                directory: part.outer(name.directory),
                ..*name
            };
            all.extend(names.iter().map(outer));
        }
        let wanted = incomplete(&all);
        for (part, mut names) in joined.parts.iter().zip(linked) {
            let wanted_inside = incomplete(&names);
            let outer = |inode: &InodeKey| InodeKey { device: part.device(inode.device), ..*inode };
            let is_wanted =
                |inode: &InodeKey| wanted_inside.contains(inode) || wanted.contains(&outer(inode));
            if !(wanted.is_empty() && wanted_inside.is_empty()) {
                for name in unlinked_names(part.tree, is_wanted) {
                    if wanted.contains(&outer(&name.key())) {
                        let (device, directory) = (part.device(name.device), part.outer(name.directory));
                        all.push(LinkedName { device, directory, ..name });
                    }
                    if wanted_inside.contains(&name.key()) {
                        names.push(name);
                    }
                }
            }
            let repeats = UniqueSizes::from(names).repeats(|id| part.tree.parent(id));
            repeats.sum_up(|id, excess| self.more.entry(part.outer(id)).or_default().add(excess));
        }
        all
    }

    /// For every part except the first, adds the totals of the part's roots to the directories above them.
    fn add_roots(&mut self, joined: &Joined<'_>) {
        for (parent, state) in joined.roots() {
            let mut sum = Totals { items: 1, ..Totals::default() };
            match state {
                EntryState::Known(metadata) => {
                    let Some(id) = metadata.directory else { continue };
                    let own = joined.totals(id);
                    sum.add(&own);
                    sum.add(&self.more.get(&id).copied().unwrap_or_default());
                }
                EntryState::Failed(_) => sum.errors = 1,
                EntryState::Excluded(_) => continue,
            }
            let mut above = Some(parent);
            while let Some(id) = above {
                self.more.entry(id).or_default().add(&sum);
                above = joined.parent(id);
            }
        }
    }

    /// Returns the totals and the shared size of directory `id` in the merged tree. `totals` contains the totals that
    /// the directory had before the merge.
    pub(crate) fn applied(&self, id: DirId, mut totals: Totals) -> (Totals, u64) {
        totals.add(&self.more.get(&id).copied().unwrap_or_default());
        let less = self.less.get(&id).copied().unwrap_or_default();
        // `u64::MAX` means "this number or more", so nothing can be subtracted from it.
        let lower = |now: u64, by: u64| if now == u64::MAX { now } else { now.saturating_sub(by) };
        totals.disk = lower(totals.disk, less.disk);
        totals.apparent = lower(totals.apparent, less.apparent);
        (totals, self.shared.get(&id).copied().unwrap_or(0))
    }
}
