//! Index of directories by parent and name: a hash table of node numbers.

use std::hash::{BuildHasher, RandomState};

/// Value that marks a free slot.
const FREE: u32 = u32::MAX;

/// Hash table with open addressing. The names are not in the table, so the caller compares them. The hashes are keyed
/// with a random value, so that nobody can prepare a list whose names collide.
pub(crate) struct NodeIndex {
    /// Node numbers. The length is a power of two, and at most two thirds are used.
    slots: Vec<u32>,
    used: usize,
    hasher: RandomState,
}

impl Default for NodeIndex {
    fn default() -> Self {
        Self { slots: vec![FREE; 64], used: 0, hasher: RandomState::new() }
    }
}

impl NodeIndex {
    /// Returns the hash of a name in the directory `parent`.
    pub(crate) fn hash(&self, parent: u32, name: &[u8]) -> u64 {
        self.hasher.hash_one((parent, name))
    }

    /// Returns the node with this hash that `is_it` accepts.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.probe(hash)
            .map(|slot| self.slots[slot])
            .take_while(|node| *node != FREE)
            .find(|node| is_it(*node))
    }

    /// Adds a node with its hash. If the table has to grow, `hash_of` computes the hashes of the other nodes.
    pub(crate) fn insert(&mut self, node: u32, hash: u64, hash_of: impl Fn(&Self, u32) -> u64) {
        if (self.used + 1) * 3 > self.slots.len() * 2 {
            let longer = vec![FREE; self.slots.len() * 2];
            let shorter = std::mem::replace(&mut self.slots, longer);
            for node in shorter.into_iter().filter(|node| *node != FREE) {
                self.put(node, hash_of(self, node));
            }
        }
        self.put(node, hash);
        self.used += 1;
    }

    fn put(&mut self, node: u32, hash: u64) {
        let free = self.probe(hash).find(|slot| self.slots[*slot] == FREE);
        self.slots[free.expect("at least a third of the slots are free")] = node;
    }

    fn probe(&self, hash: u64) -> impl Iterator<Item = usize> + use<'_> {
        let mask = self.slots.len() - 1;
        #[allow(clippy::cast_possible_truncation)] // any bits of the hash will do
        let first = hash as usize;
        (0..self.slots.len()).map(move |step| first.wrapping_add(step) & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_by_parent_and_name() {
        let names: Vec<String> = (0..5_000).map(|number: u32| format!("{}", number % 1_000)).collect();
        let mut index = NodeIndex::default();
        let parent = |node: u32| node / 1_000;
        let name = |node: u32| names[node as usize].as_bytes();
        for node in 0..5_000 {
            let hash = index.hash(parent(node), name(node));
            assert_eq!(
                index.find(hash, |found| parent(found) == parent(node) && name(found) == name(node)),
                None
            );
            index.insert(node, hash, |index, node| index.hash(parent(node), name(node)));
        }
        for node in 0..5_000 {
            let hash = index.hash(parent(node), name(node));
            let is_it = |found| parent(found) == parent(node) && name(found) == name(node);
            assert_eq!(index.find(hash, is_it), Some(node));
        }
    }
}
