//! Times at which entries of a tree were read, keyed by the ID of the parent directory.
//!
//! Invariant: a recorded time is never later than the reading itself.

use std::collections::HashMap;

use crate::base::clock::Time;

/// Start times of a scan and of any later rescans.
#[derive(Default)]
pub struct Readings {
    /// Start time of the scan. `None` for a tree from a file, which this process did not scan.
    pub scan: Option<Time>,
    rescans: HashMap<u32, HashMap<Vec<u8>, Time>>,
}

impl Readings {
    /// Records the start time of a rescan of entries in `directory`.
    pub fn note<'n>(&mut self, directory: u32, names: impl Iterator<Item = &'n Vec<u8>>, began: Time) {
        self.rescans.entry(directory).or_default().extend(names.map(|name| (name.clone(), began)));
    }

    /// Returns the start time of the last rescan of the entry, if there was one.
    pub fn rescan(&self, directory: u32, name: &[u8]) -> Option<Time> {
        self.rescans.get(&directory)?.get(name).copied()
    }

    /// Deletes the rescan times of all entries in directories for which `is_missing` returns `true`, because the IDs of
    /// these directories will be reused.
    pub fn forget(&mut self, is_missing: impl Fn(u32) -> bool) {
        self.rescans.retain(|directory, _| !is_missing(*directory));
    }
}
