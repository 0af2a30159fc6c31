//! Inodes that may have several names: their keys, their names, and totals that count each inode once.
//!
//! Several workers may add names of the same inode. All names are therefore collected, and each inode is counted only
//! when a total is computed. An inode may have several names if its link count is greater than 1, or if one of its
//! names is a root.
//!
//! Invariant: no total depends on the order in which names were added.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::directory::{DirId, Totals};
use super::entry::{InodeKey, Links, Metadata};

/// Name of an inode that may have other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedName {
    /// Index of the device in [`Tree::devices`](crate::tree::Tree::devices).
    pub device: u32,
    /// Directory that contains the name.
    pub directory: DirId,
    /// Inode number.
    pub inode: u64,
    /// Link count reported by the file system.
    pub count: u64,
    /// Disk usage in bytes.
    pub disk: u64,
    /// Apparent size in bytes.
    pub apparent: u64,
}

impl LinkedName {
    /// Returns the [`LinkedName`] for an entry in `directory`, or `None` if [`Metadata::links`] is `None`.
    pub fn of(directory: DirId, metadata: &Metadata) -> Option<Self> {
        Some(Self::counted(directory, metadata, metadata.links?))
    }

    /// Returns the key of the inode.
    pub fn key(&self) -> InodeKey {
        InodeKey { device: self.device, inode: self.inode }
    }

    /// Returns the [`LinkedName`] for an entry in `directory`. The link count and the device are taken from `links`
    /// instead of [`Metadata::links`].
    pub(crate) fn counted(directory: DirId, metadata: &Metadata, links: Links) -> Self {
        let Links { count, device } = links;
        Self {
            device,
            directory,
            inode: metadata.inode,
            count,
            disk: metadata.disk(),
            apparent: metadata.apparent,
        }
    }
}

/// Totals that count each inode once. If the names of an inode were read with different sizes, the largest size
/// counts, because the file may have grown during the scan.
#[derive(Clone, Debug, Default)]
pub struct UniqueSizes {
    plain: Totals,
    linked: Vec<LinkedName>,
}

impl From<Vec<LinkedName>> for UniqueSizes {
    fn from(linked: Vec<LinkedName>) -> Self {
        let items = linked.len() as u64;
        Self { plain: Totals { items, ..Totals::default() }, linked }
    }
}

impl UniqueSizes {
    /// Adds an entry of `directory`. The entry counts as one item.
    pub fn add(&mut self, directory: DirId, metadata: &Metadata) {
        let (disk, apparent) = (metadata.disk(), metadata.apparent);
        match LinkedName::of(directory, metadata) {
            Some(name) => {
                self.plain.items += 1;
                self.linked.push(name);
            }
            None => self.add_plain(&Totals { disk, apparent, items: 1, errors: 0 }),
        }
    }

    /// Adds the totals of entries whose inodes have only one name.
    pub fn add_plain(&mut self, totals: &Totals) {
        self.plain.add(totals);
    }

    /// Adds everything that `other` has counted.
    pub fn merge(&mut self, mut other: Self) {
        self.plain.add(&other.plain);
        self.linked.append(&mut other.linked);
    }

    /// Returns the total of everything added. The size of each inode counts once, and every name counts as an item.
    pub fn total(&self) -> Totals {
        let mut linked = self.linked.clone();
        linked.sort_unstable_by_key(order);
        linked.dedup_by_key(|name| name.key());
        let mut total = self.plain;
        for name in &linked {
            total.add(&size(name));
        }
        total
    }

    /// Calls `add` for every directory that has linked names in or below it, with the total size of their inodes. Each
    /// inode counts once in such a directory, regardless of the number of its names there.
    pub fn per_directory(self, parent: impl Fn(DirId) -> Option<DirId>, mut add: impl FnMut(DirId, &Totals)) {
        let graph = AncestorGraph::of(self.linked, parent, Counted::First);
        graph.nodes.iter().for_each(|node| add(node.id, &node.sum));
    }

    /// Returns a graph of the directories that contain hard links at any depth. `sum` of each node is the directory's
    /// excess: the size to subtract after the sizes of its entries are added up, so that each inode counts once (see
    /// `hard_links`). The excess of child directories is not included.
    pub(crate) fn repeats(self, parent: impl Fn(DirId) -> Option<DirId>) -> AncestorGraph {
        AncestorGraph::of(self.linked, parent, Counted::Repeated)
    }
}

/// Returns a sort key that groups names by inode. Within a group, names are sorted by descending size.
pub(super) fn order(name: &LinkedName) -> (InodeKey, Reverse<u64>, Reverse<u64>, DirId) {
    (name.key(), Reverse(name.disk), Reverse(name.apparent), name.directory)
}

/// Returns the disk usage and apparent size of the inode that has this name.
pub(super) fn size(name: &LinkedName) -> Totals {
    Totals { disk: name.disk, apparent: name.apparent, ..Totals::default() }
}

/// Rule that selects the hard links whose sizes an [`AncestorGraph`] adds up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// In each directory, the first name of every inode that has names in or below the directory.
    First,
    /// Each further name of an inode, but only in the lowest directory that also contains an earlier name of the inode,
    /// at any depth. The total of that directory counts the inode once too often. [`AncestorGraph::sum_up`] passes
    /// this excess on to the directories above.
    Repeated,
}

/// Directories that contain hard links at any depth. A parent has a lower index than its children. The time to build
/// the graph is proportional to the number of names times their depth, even if all names belong to the same inode.
#[derive(Default)]
pub(crate) struct AncestorGraph {
    index: HashMap<DirId, u32>,
    nodes: Vec<Node>,
}

struct Node {
    id: DirId,
    /// Index of the parent; `None` at the top of the graph.
    parent: Option<u32>,
    /// Sequence number (not inode number) of the inode whose name was last found in or below the directory; 0 if none
    /// was found. [`AncestorGraph::of`] numbers the inodes from 1.
    seen: u32,
    sum: Totals,
}

impl AncestorGraph {
    fn of(mut names: Vec<LinkedName>, parent: impl Fn(DirId) -> Option<DirId>, counted: Counted) -> Self {
        names.sort_unstable_by_key(order);
        let mut graph = Self::default();
        for (inode, names) in (1..).zip(names.chunk_by(|a, b| a.key() == b.key())) {
            for name in names {
                let mut at = Some(graph.node(name.directory, &parent));
                while let Some(index) = at {
                    let node = &mut graph.nodes[index as usize];
                    let is_repeated = node.seen == inode;
                    if is_repeated == (counted == Counted::Repeated) {
                        node.sum.add(&size(name));
                    }
                    node.seen = inode;
                    at = node.parent.filter(|_| !is_repeated);
                }
            }
        }
        graph
    }

    /// Returns the node of `id`, creating it and its ancestors if necessary.
    fn node(&mut self, id: DirId, parent_of: &impl Fn(DirId) -> Option<DirId>) -> u32 {
        let mut missing = Vec::new();
        let mut parent = None;
        let mut at = Some(id);
        while let Some(id) = at {
            if let Some(known) = self.index.get(&id) {
                parent = Some(*known);
                break;
            }
            missing.push(id);
            at = parent_of(id);
        }
        for id in missing.into_iter().rev() {
            let index =
                u32::try_from(self.nodes.len()).expect("there are at most as many nodes as directories");
            self.index.insert(id, index);
            self.nodes.push(Node { id, parent, seen: 0, sum: Totals::default() });
            parent = Some(index);
        }
        parent.expect("the directory has a node by now")
    }

    /// Returns each directory whose node has a nonzero disk usage, together with that usage.
    pub(crate) fn disk(&self) -> impl Iterator<Item = (DirId, u64)> + '_ {
        self.nodes.iter().filter(|node| node.sum.disk != 0).map(|node| (node.id, node.sum.disk))
    }

    /// Calls `give` for each directory with the sum of the totals of its node and of all nodes below it.
    pub(crate) fn sum_up(mut self, mut give: impl FnMut(DirId, &Totals)) {
        while let Some(node) = self.nodes.pop() {
            give(node.id, &node.sum);
            if let Some(parent) = node.parent {
                self.nodes[parent as usize].sum.add(&node.sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::fixture::cases;
    use crate::tree::Links;

    /// Number of directories in the tree of the property test.
    const DIRECTORIES: u32 = 15;

    fn parent(id: DirId) -> Option<DirId> {
        Some(DirId(id.0.checked_sub(1)? / 2))
    }

    fn is_within(id: DirId, above: DirId) -> bool {
        std::iter::successors(Some(id), |id| parent(*id)).any(|id| id == above)
    }

    /// Returns a strategy that generates names of files. Each name is a directory and the metadata of the file. Inodes
    /// with numbers below 5 may have several names, and the metadata of these names may contain different sizes.
    fn name() -> impl Strategy<Value = (DirId, Metadata)> {
        (0..DIRECTORIES, 0..8_u64, 0..2_u32, 0..4_u64, 0..4_u64).prop_map(
            |(directory, inode, device, blocks, apparent)| {
                let links = (inode < 5).then_some(Links { count: 2, device });
                (DirId(directory), Metadata { apparent, blocks, inode, links, ..Metadata::default() })
            },
        )
    }

    /// Returns the totals of the names in or below `above`, computed without an [`AncestorGraph`]. Each hard-linked
    /// inode counts once, with its largest size.
    fn naive(names: &[(DirId, Metadata)], above: DirId) -> Totals {
        let mut largest = BTreeMap::new();
        let mut total = Totals::default();
        for (_, metadata) in names.iter().filter(|(directory, _)| is_within(*directory, above)) {
            let size = (metadata.disk(), metadata.apparent);
            total.items += 1;
            match metadata.links {
                Some(links) => {
                    let known = largest.entry((links.device, metadata.inode)).or_insert(size);
                    *known = size.max(*known);
                }
                None => total.add(&Totals { disk: size.0, apparent: size.1, ..Totals::default() }),
            }
        }
        for (disk, apparent) in largest.into_values() {
            total.add(&Totals { disk, apparent, ..Totals::default() });
        }
        total
    }

    fn sizes(names: &[(DirId, Metadata)]) -> UniqueSizes {
        let mut sizes = UniqueSizes::default();
        for (directory, metadata) in names {
            sizes.add(*directory, metadata);
        }
        sizes
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn sums_count_an_inode_once_in_any_order(
            (names, shuffled) in prop::collection::vec(name(), 0..30)
                .prop_flat_map(|names| (Just(names.clone()), Just(names).prop_shuffle())),
            cuts in prop::collection::vec(0..30_usize, 0..4),
        ) {
            let top = DirId(0);
            prop_assert_eq!(sizes(&names).total(), naive(&names, top));
            // The names are split into parts, and the sums of the parts are merged in reverse order.
            let (mut rest, mut merged) = (shuffled.as_slice(), UniqueSizes::default());
            for cut in cuts {
                let (part, left) = rest.split_at(cut.min(rest.len()));
                let mut other = sizes(part);
                other.merge(std::mem::take(&mut merged));
                (merged, rest) = (other, left);
            }
            merged.merge(sizes(rest));
            prop_assert_eq!(merged.total(), naive(&names, top));

            // The sums per directory include only entries with several names.
            let linked: Vec<_> = names.iter().copied().filter(|(_, it)| it.links.is_some()).collect();
            let counted_once = |id| Totals { items: 0, ..naive(&linked, id) };
            let mut per_directory = BTreeMap::new();
            merged.clone().per_directory(parent, |id, sum| {
                per_directory.insert(id, *sum);
            });
            for id in (0..DIRECTORIES).map(DirId) {
                let found = per_directory.get(&id).copied().unwrap_or_default();
                prop_assert_eq!(found, counted_once(id));
            }

            // The sums that count each inode once, plus the repeats, equal the sums that count every name.
            let mut repeats = BTreeMap::new();
            merged.repeats(parent).sum_up(|id, sum| {
                repeats.insert(id, *sum);
            });
            for id in (0..DIRECTORIES).map(DirId) {
                let mut once = counted_once(id);
                once.add(&repeats.get(&id).copied().unwrap_or_default());
                let mut every = Totals::default();
                for (_, it) in linked.iter().filter(|(directory, _)| is_within(*directory, id)) {
                    every.add(&Totals { disk: it.disk(), apparent: it.apparent, ..Totals::default() });
                }
                prop_assert_eq!(once, every);
            }
        }
    }
}
