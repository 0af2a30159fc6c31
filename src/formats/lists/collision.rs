//! Entries of a directory that have the same path as others.
//!
//! ```text
//! entry and directory   the entry's line describes the directory, unless the directory has a line already
//! entry and entry       the first line counts
//! ```

use std::collections::{HashMap, HashSet};

use super::faults::LineFaults;
use super::log::{LogPlace, Logged};
use super::path_tree::PathTree;
use crate::base::text::escape;
use crate::tree::join;

impl PathTree {
    /// Returns the records of a directory whose path is `path`, from the last to the first, without those that repeat a
    /// path.
    pub(super) fn distinct(&mut self, node: u32, path: &[u8], faults: &mut LineFaults) -> Vec<LogPlace> {
        let places = self.log.chain(self.nodes[node as usize].last);
        if places.len() < 2 {
            return places;
        }
        let hashes: Vec<u64> = places.iter().map(|place| self.name_hash(node, *place)).collect();
        let repeated = repeated(hashes.clone());
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut kept = Vec::with_capacity(places.len());
        for (place, hash) in places.into_iter().zip(hashes).rev() {
            let is_kept = match self.log.read(place) {
                Logged::Child { .. } => true,
                Logged::Entry(_, entry) if repeated.contains(&hash) => {
                    let name = entry.name.to_vec();
                    let directory = self.find_hashed(hash, node, &name);
                    let is_adopted = directory.is_some_and(|directory| self.adopt(directory, place));
                    let is_first = directory.is_none() && !seen.contains(&name);
                    if !is_adopted && !is_first {
                        faults.note(|| format!("{}: path listed before", escape(&join([path, &name]))));
                    }
                    seen.insert(name);
                    if !is_first && !is_adopted {
                        self.log.release(place);
                    }
                    is_first
                }
                Logged::Entry(..) => true,
            };
            kept.extend(is_kept.then_some(place));
        }
        kept.reverse();
        kept
    }

    /// Uses the record of an entry as the line of a directory, and returns `false` if the directory has one.
    fn adopt(&mut self, directory: u32, place: LogPlace) -> bool {
        let node = &mut self.nodes[directory as usize];
        let is_first = node.own.is_none();
        node.own.get_or_insert(place);
        is_first
    }

    fn name_hash(&self, node: u32, place: LogPlace) -> u64 {
        let name = match self.log.read(place) {
            Logged::Child { name, .. } => name,
            Logged::Entry(_, entry) => entry.name,
        };
        self.index.hash(node, name)
    }
}

/// Returns the hashes that occur more than once.
fn repeated(mut hashes: Vec<u64>) -> HashSet<u64> {
    hashes.sort_unstable();
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for pair in hashes.windows(2).filter(|pair| pair[0] == pair[1]) {
        *counts.entry(pair[0]).or_default() += 1;
    }
    counts.into_keys().collect()
}
