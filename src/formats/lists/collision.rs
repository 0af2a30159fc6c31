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
use super::log::{LogPosition, Logged};
use super::path_tree::PathTree;
use crate::base::text::escape;
use crate::tree::join;

impl PathTree {
    /// Returns the records of directory `node`, from the last one in the log to the first. If several records have the
    /// same path, returns only one of them: for a child directory, the record that contains its node, and for any other
    /// entry, the earliest record. `path` returns the path of directory `node`, for error messages.
    pub(super) fn distinct(
        &mut self,
        node: u32,
        path: impl Fn() -> Vec<u8>,
        faults: &mut LineFaults,
    ) -> Vec<LogPosition> {
        let last = self.nodes[node as usize].last;
        let repeated =
            repeated(self.log.chain(last).map(|position| self.name_hash(node, position)).collect());
        let mut positions: Vec<LogPosition> = self.log.chain(last).collect();
        if !repeated.is_empty() {
            // `is_first` must get the records from the first to the last, but `positions` begins with the last record.
            positions.reverse();
            let mut seen = HashSet::new();
            positions.retain(|position| match self.is_first(node, *position, &repeated, &mut seen) {
                Ok(is_kept) => is_kept,
                Err(name) => {
                    faults.note(|| {
                        format!(
                            "{}: path listed more than once; only one line counts",
                            escape(&join([&path()[..], &name]))
                        )
                    });
                    self.log.release(*position);
                    false
                }
            });
            positions.reverse();
        }
        positions
    }

    /// Returns `true` if [`PathTree::distinct`] must return the record at `position`, which belongs to directory
    /// `node`. If the record is a line for a child directory, and the child's node has no line yet, stores `position`
    /// in the child's node and returns `false`.
    ///
    /// # Errors
    /// Returns the name of the entry if the record must be discarded because another line with the same path is used.
    fn is_first(
        &mut self,
        node: u32,
        position: LogPosition,
        repeated: &HashSet<u64>,
        seen: &mut HashSet<Vec<u8>>,
    ) -> Result<bool, Vec<u8>> {
        let hash = self.name_hash(node, position);
        let name = match self.log.read(position) {
            Logged::Entry(_, entry) if repeated.contains(&hash) => entry.name.to_vec(),
            Logged::Entry(..) | Logged::Child { .. } => return Ok(true),
        };
        match self.find_hashed(hash, node, &name) {
            Some(directory) if self.nodes[directory as usize].own.is_none() => {
                self.nodes[directory as usize].own = Some(position);
                Ok(false)
            }
            None if seen.insert(name.clone()) => Ok(true),
            _ => Err(name),
        }
    }

    fn name_hash(&self, node: u32, position: LogPosition) -> u64 {
        let name = match self.log.read(position) {
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
