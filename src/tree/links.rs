//! Hard links: each inode counts once in every directory above any of its names, as `du -s` of that directory says.
//!
//! While a tree grows, every name is counted. When it is over, the names of each inode are brought together, and the size
//! is taken off again: in a directory that holds some of the names itself and meets others through its child
//! directories, as often as it was counted there too much, which is (names held + children with names - 1); and whatever is taken off
//! there is taken off everywhere above. None of this depends on the order in which names were found.
//!
//! Knows no system call. Invariant: the work is linear in the names times their depth, whatever the number of names of one inode.

use std::collections::HashMap;

use super::{Content, DirId, LinkedName, Links, Totals, Tree, Walk};

/// Takes the repeated names off the totals of a tree at rest and makes the shared sizes known.
pub fn settle(tree: &Tree) {
    let names = all_names(tree);
    tree.note_files_inside(&names);
    let skeleton = Skeleton::of(tree, names);
    tree.set_shared(skeleton.shared());
    skeleton.hand_up(|id, excess| tree.take_off(id, excess));
}

/// Counts every name again, as before [`settle`].
pub fn unsettle(tree: &Tree) {
    let skeleton = Skeleton::of(tree, all_names(tree));
    tree.set_shared([]);
    skeleton.hand_up(|id, excess| tree.add(id, excess));
}

/// The link count is only the fast path: another name of an inode may have been read while it said 1. Looks for such
/// names of the inodes that have fewer names here than the file system said when it said most.
fn all_names(tree: &Tree) -> Vec<LinkedName> {
    let mut names = tree.linked();
    let mut missing: HashMap<(u32, u64), (u64, u64)> = HashMap::new();
    for name in &names {
        let (most, met) = missing.entry((name.device, name.inode)).or_default();
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
            let Content::Known(facts) = record.content else { continue };
            if facts.links.is_none()
                && facts.directory.is_none()
                && missing.contains_key(&(device, facts.inode))
            {
                names.push(LinkedName::counted(directory, &facts, Links { count: 1, device }));
            }
        }
    }
    names
}

/// The directories above linked names, numbered so that a parent comes before its children.
#[derive(Default)]
struct Skeleton {
    index: HashMap<DirId, u32>,
    nodes: Vec<Node>,
    /// Grows with every inode; see [`Node::seen`].
    inode: u32,
}

struct Node {
    id: DirId,
    /// None for the top.
    parent: Option<u32>,
    /// The last inode that was met in or below it.
    seen: u32,
    /// Counted too much here, through entries of its own or meeting child directories.
    excess: Totals,
}

impl Skeleton {
    /// What is counted too much, and where.
    fn of(tree: &Tree, mut names: Vec<LinkedName>) -> Self {
        names.sort_unstable_by_key(|name| (name.device, name.inode));
        let mut skeleton = Self::default();
        for inode in names.chunk_by(|a, b| (a.device, a.inode) == (b.device, b.inode)) {
            // While a file is written, its names are seen with different sizes: whichever names those were, the
            // largest stays.
            let mut sizes: Vec<_> =
                inode.iter().map(|name| (name.disk, name.apparent, name.directory)).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            skeleton.count_once(tree, &sizes);
        }
        skeleton
    }

    /// Notes where an inode is counted more than once; its names come with the largest size first.
    fn count_once(&mut self, tree: &Tree, names: &[(u64, u64, DirId)]) {
        self.inode += 1;
        for &(disk, apparent, directory) in names {
            let mut at = Some(self.node(tree, directory));
            // The first directory that has met the inode already is the one in which this name is too much.
            while let Some(index) = at {
                let node = &mut self.nodes[index as usize];
                if node.seen == self.inode {
                    node.excess.add(&Totals { disk, apparent, ..Totals::default() });
                    break;
                }
                node.seen = self.inode;
                at = node.parent;
            }
        }
    }

    /// The node of `id`, made with all above it if need be.
    fn node(&mut self, tree: &Tree, id: DirId) -> u32 {
        let mut missing = Vec::new();
        let mut parent = None;
        let mut at = Some(id);
        while let Some(id) = at {
            if let Some(known) = self.index.get(&id) {
                parent = Some(*known);
                break;
            }
            missing.push(id);
            at = tree.parent(id);
        }
        for id in missing.into_iter().rev() {
            let index = u32::try_from(self.nodes.len()).expect("not more nodes than directories");
            self.index.insert(id, index);
            self.nodes.push(Node { id, parent, seen: 0, excess: Totals::default() });
            parent = Some(index);
        }
        parent.expect("a directory has a node now")
    }

    /// The disk bytes counted too much in each directory itself.
    fn shared(&self) -> impl Iterator<Item = (DirId, u64)> + '_ {
        self.nodes.iter().filter(|node| node.excess.disk != 0).map(|node| (node.id, node.excess.disk))
    }

    /// Gives each directory what is counted too much in it and below.
    fn hand_up(mut self, mut give: impl FnMut(DirId, &Totals)) {
        while let Some(node) = self.nodes.pop() {
            give(node.id, &node.excess);
            if let Some(parent) = node.parent {
                self.nodes[parent as usize].excess.add(&node.excess);
            }
        }
    }
}
