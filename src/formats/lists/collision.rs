//! Rules for lists in which several lines have the same path. Only one of these lines counts:
//!
//! ```text
//! directory   the first line that either states the kind "directory" or comes after a line for an entry inside the
//!             directory; if there is no such line, the first line
//! other       the first line
//! ```
//!
//! A path is a directory if one of its lines states this kind, or if there are lines for entries inside it.

use std::collections::HashSet;

use super::faults::LineFaults;
use super::log::{LogPlace, Logged};
use super::path_tree::PathTree;
use crate::base::text::escape;
use crate::tree::join;

impl PathTree {
    /// Returns the records of directory `node`, from the last one in the log to the first. If several records have the
    /// same path, only the earliest one is returned. `path` returns the path of the directory, for error messages.
    pub(super) fn distinct(
        &mut self,
        node: u32,
        path: impl Fn() -> Vec<u8>,
        faults: &mut LineFaults,
    ) -> Vec<LogPlace> {
        let last = self.nodes[node as usize].last;
        let repeated = repeated(self.log.chain(last).map(|place| self.name_hash(node, place)).collect());
        let mut places: Vec<LogPlace> = self.log.chain(last).collect();
        if !repeated.is_empty() {
            // Of several records with the same path, the first one counts. `places` starts with the last record, so
            // it is reversed for the check.
            places.reverse();
            let mut seen = HashSet::new();
            places.retain(|place| match self.is_first(node, *place, &repeated, &mut seen) {
                Ok(is_kept) => is_kept,
                Err(name) => {
                    faults.note(|| {
                        format!(
                            "{}: path listed more than once; only one line counts",
                            escape(&join([&path()[..], &name]))
                        )
                    });
                    self.log.release(*place);
                    false
                }
            });
            places.reverse();
        }
        places
    }

    /// Returns `true` if the record at `place` is the first one with its path. If a directory has this path but no
    /// line of its own yet, stores the record as the directory's own line and returns `false`.
    ///
    /// # Errors
    /// Returns the name if the path was listed before.
    fn is_first(
        &mut self,
        node: u32,
        place: LogPlace,
        repeated: &HashSet<u64>,
        seen: &mut HashSet<Vec<u8>>,
    ) -> Result<bool, Vec<u8>> {
        let hash = self.name_hash(node, place);
        let name = match self.log.read(place) {
            Logged::Entry(_, entry) if repeated.contains(&hash) => entry.name.to_vec(),
            Logged::Entry(..) | Logged::Child { .. } => return Ok(true),
        };
        match self.find_hashed(hash, node, &name) {
            Some(directory) if self.nodes[directory as usize].own.is_none() => {
                self.nodes[directory as usize].own = Some(place);
                Ok(false)
            }
            None if seen.insert(name.clone()) => Ok(true),
            _ => Err(name),
        }
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
    hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}
