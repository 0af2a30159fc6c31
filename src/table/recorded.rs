//! Sizes and names recorded by the previous scan, shown where the results of the running scan are not final yet.
//!
//! The user's commands act only on entries of the running scan. To find a recorded directory, its root is matched by
//! device and inode, and the rest of its path by name. Another disk mounted at the same path is therefore not mistaken
//! for the recorded one.
//!
//! Invariant: recorded totals are shown only until the scan ends. Until then, a complete directory with hard links
//! shows the smaller of the recorded and the scanned size, because the scanned size counts every name of an inode.

use std::collections::HashMap;
use std::time::Duration;

use crate::base::sync::Arc;
use crate::table::recorded_rows::RecordedDir;
use crate::tree::{DirId, EntryId, EntryState, LiveTotals, Totals, Tree};

/// Maximum length in bytes of a recorded listing that is read on the drawing thread: about 40,000 entries.
const LONG: u64 = 1 << 20;
/// Estimated time for merging a recorded listing into the rows, in nanoseconds per byte of the listing. In a
/// measurement, sorting and merging a million entries took 0.4 s with two processors.
const MERGE_NANOSECONDS_PER_BYTE: u64 = 24;

/// Tree recorded by the previous scan of the same roots.
#[derive(Clone)]
pub struct RecordedTree {
    /// Tree of the previous scan.
    pub tree: Arc<Tree>,
    /// Time when the previous scan began, in seconds since 1970.
    pub scanned_at: i64,
}

impl std::fmt::Debug for RecordedTree {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "RecordedTree of {}", self.scanned_at)
    }
}

/// Result of looking up a recorded entry in the tree of the running scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The scan has found the entry.
    Found(EntryId),
    /// The entry does not exist in the scanned tree. Contains the deepest directory found on the entry's path. All
    /// entries of this directory have been read.
    Missing(DirId),
    /// The scan has not found the entry so far. Contains the deepest directory found on the entry's path. This
    /// directory may have further entries that have not been read.
    Unread(DirId),
}

/// Directories of the previous scan that correspond to the directories on the screen, and their totals.
#[derive(Debug, Default)]
pub struct RecordedTotals {
    /// Directories whose recorded totals were looked up, each with the length in bytes of its listing at that time.
    shown: Vec<(DirId, u64)>,
    totals: HashMap<DirId, Totals>,
    /// `true` if the recorded tree contains files with several hard links.
    has_links: bool,
    /// Recorded counterparts of the shown directories, except [`DirId::TOP`].
    directories: HashMap<DirId, RecordedDir>,
}

impl RecordedTotals {
    /// Returns `true` if the totals were looked up for exactly `directories`, and their listings have not grown since.
    pub fn are_of(&self, tree: &Tree, directories: &[DirId]) -> bool {
        let is_same = |((id, length), shown): (&(DirId, u64), &DirId)| {
            id == shown && tree.listing(*id).length() == *length
        };
        self.shown.len() == directories.len() && self.shown.iter().zip(directories).all(is_same)
    }

    /// Returns `true` if the totals of directory `id` were looked up and found in the recorded tree.
    pub fn has(&self, id: DirId) -> bool {
        self.totals.contains_key(&id)
    }

    /// Returns the recorded directory that corresponds to `id`, unless all entries of `id` have been found.
    pub fn directory(&self, tree: &Tree, id: DirId) -> Option<RecordedDir> {
        self.directories.get(&id).filter(|_| !tree.is_listed(id)).cloned()
    }

    /// Returns `true` if the entries of `id` should be sorted in the background, because its recorded listing is long.
    pub fn is_large(&self, id: DirId) -> bool {
        self.length(id) > LONG
    }

    /// Returns `true` if the largest recorded entries of `id` can be read without reading the others.
    pub fn has_head(&self, id: DirId) -> bool {
        self.directories.get(&id).is_some_and(|was| was.tree.head(was.id).is_some())
    }

    /// Returns the estimated time for merging the recorded entries of `id` into rows.
    pub fn merge_time(&self, id: DirId) -> Duration {
        Duration::from_nanos(self.length(id).saturating_mul(MERGE_NANOSECONDS_PER_BYTE))
    }

    /// Returns the length in bytes of the recorded listing of `id`; 0 if there is none.
    fn length(&self, id: DirId) -> u64 {
        self.directories.get(&id).map_or(0, |was| was.tree.block_length(was.id))
    }

    /// Returns the totals to show for `id` instead of the live totals. Returns `None` if no totals are recorded, if the
    /// live totals are final, or if the directory is incomplete and its live totals exceed the recorded ones.
    pub fn totals(&self, tree: &Tree, live: &LiveTotals, id: DirId) -> Option<Totals> {
        let recorded = self.totals.get(&id).filter(|_| tree.is_growing(id))?;
        let status = tree.status(id);
        let live = live.totals(tree, id);
        if status.is_complete() {
            // Until the scan ends, live sizes may be too large, because they count every name of an inode.
            let (disk, apparent) = (live.disk.min(recorded.disk), live.apparent.min(recorded.apparent));
            return Some(Totals { disk, apparent, ..live });
        }
        // With hard links, sizes are not comparable: live sizes count an inode once per name, recorded sizes only once.
        let has_repeats = self.has_links || tree.has_links(id);
        let is_outgrown = if has_repeats {
            live.items > recorded.items
        } else {
            live.disk > recorded.disk || live.apparent > recorded.apparent
        };
        (!is_outgrown).then_some(Totals { errors: live.errors, ..*recorded })
    }
}

impl RecordedTree {
    /// Returns the recorded totals of `directories`, which belong to the tree `new`, and of their child directories, as
    /// far as the running scan has found these.
    pub fn totals(&self, new: &Tree, directories: impl IntoIterator<Item = DirId>) -> RecordedTotals {
        let mut found = RecordedTotals { has_links: self.has_links(), ..RecordedTotals::default() };
        for id in directories {
            found.shown.push((id, new.listing(id).length()));
            if let Some(was) = self.find(new, id) {
                found.totals.insert(id, self.tree.totals(was));
                found.totals.extend(self.below(new, id, was));
                // The list of roots needs no recorded entries, because all roots are known from the start.
                if id != DirId::TOP {
                    found
                        .directories
                        .insert(id, RecordedDir { tree: Arc::clone(&self.tree), id: was, is_head: false });
                }
            }
        }
        found
    }

    /// Returns `true` if the recorded listing of `was` is short enough to be read on the drawing thread.
    fn is_short(&self, was: DirId) -> bool {
        self.tree.block_length(was) <= LONG
    }

    fn has_links(&self) -> bool {
        self.tree.has_stored_links() || self.tree.has_links(DirId::TOP)
    }

    /// Returns the recorded directory with the same path as `id`; `None` if there is none, or if a recorded listing on
    /// the path is too long to be read on the drawing thread. For the list of roots, returns `None` if any root has no
    /// recorded counterpart.
    pub fn find(&self, new: &Tree, id: DirId) -> Option<DirId> {
        if id == DirId::TOP {
            let found = self.roots(new);
            return (!found.is_empty() && found.len() == roots(new).count()).then_some(DirId::TOP);
        }
        let mut ancestors: Vec<DirId> = new.ancestry(id).collect();
        let root = *self.roots(new).get(&ancestors.pop()?)?;
        ancestors.into_iter().rev().try_fold(root, |was, id| {
            let is_short = self.is_short(was);
            is_short.then(|| self.tree.entry(was, new.name(id))).flatten()?.directory()
        })
    }

    /// Looks up the path of a recorded directory in the tree `new`. Returns the deepest directory of the path that
    /// exists in `new` and, if this directory is not the end of the path, the next name. Returns `None` if the root
    /// does not exist in `new`.
    pub fn locate(&self, new: &Tree, directory: DirId) -> Option<(DirId, Option<Vec<u8>>)> {
        let mut ancestors: Vec<DirId> = self.tree.ancestry(directory).collect();
        let was = ancestors.pop()?;
        let (mut found, _) = self.roots(new).into_iter().find(|(_, root)| *root == was)?;
        for name in ancestors.into_iter().rev().map(|id| self.tree.name(id)) {
            match new.entry(found, name).and_then(|record| record.directory()) {
                Some(id) => found = id,
                None => return Some((found, Some(name.to_vec()))),
            }
        }
        Some((found, None))
    }

    /// Looks up the recorded entry `entry` in the tree `new`. The entry found has the same path and kind.
    pub fn look_up(&self, new: &Tree, entry: EntryId) -> Lookup {
        let location = || self.locate(new, entry.directory).unwrap_or((DirId::TOP, Some(Vec::new())));
        // The entry is looked up only after `is_listed`, so `location` is called again. In the reverse order, an entry
        // that the scan finds between the lookup and `is_listed` would be reported as missing.
        let (before, _) = location();
        let is_listed = new.is_listed(before);
        let (directory, missing) = location();
        let name = entry.name(&self.tree).filter(|_| missing.is_none());
        let kind = |entry: EntryId, tree| entry.record(tree).map(|record| record.kind);
        match name.and_then(|name| EntryId::named(new, directory, name)) {
            Some(found) if kind(found, new) == kind(entry, &self.tree) => Lookup::Found(found),
            _ if is_listed && directory == before => Lookup::Missing(directory),
            _ => Lookup::Unread(directory),
        }
    }

    /// Returns the entry that [`Self::look_up`] finds, if any.
    pub fn find_entry(&self, new: &Tree, entry: EntryId) -> Option<EntryId> {
        match self.look_up(new, entry) {
            Lookup::Found(found) => Some(found),
            Lookup::Missing(_) | Lookup::Unread(_) => None,
        }
    }

    /// Returns those of the recorded `entries` that the scan has found.
    ///
    /// # Errors
    /// If the scan may still find some of the entries, returns the first of these entries, and the directory that the
    /// scan must read next to find it.
    pub fn look_up_all(&self, new: &Tree, entries: &[EntryId]) -> Result<Vec<EntryId>, (EntryId, DirId)> {
        let found = entries.iter().filter_map(|entry| match self.look_up(new, *entry) {
            Lookup::Found(found) => Some(Ok(found)),
            Lookup::Missing(_) => None,
            Lookup::Unread(directory) => Some(Err((*entry, directory))),
        });
        found.collect()
    }

    /// Returns the directory of the tree `new` that would contain an entry of the recorded tree, and the name of the
    /// entry. Does not check that the directory contains this name.
    pub fn find_name(&self, new: &Tree, entry: EntryId) -> Option<(DirId, &[u8])> {
        let (directory, missing) = self.locate(new, entry.directory)?;
        if missing.is_some() { None } else { Some((directory, entry.name(&self.tree)?)) }
    }

    /// Maps each root of the tree `new` to the recorded root with the same device and inode, if there is one.
    fn roots(&self, new: &Tree) -> HashMap<DirId, DirId> {
        let old: HashMap<(u64, u64), DirId> =
            roots(&self.tree).map(|(id, device, inode)| ((device, inode), id)).collect();
        roots(new).filter_map(|(id, device, inode)| Some((id, *old.get(&(device, inode))?))).collect()
    }

    /// Returns the recorded totals of the child directories of `id`. Directories are matched by name, and roots by
    /// device and inode. `was` is the recorded counterpart of `id`.
    fn below(&self, new: &Tree, id: DirId, was: DirId) -> Vec<(DirId, Totals)> {
        if id == DirId::TOP {
            return self.roots(new).into_iter().map(|(root, was)| (root, self.tree.totals(was))).collect();
        }
        let listing = new.listing(id);
        if !self.is_short(was) || listing.length() > LONG {
            return Vec::new();
        }
        let old = self.tree.listing(was);
        let old: HashMap<&[u8], DirId> =
            old.entries().filter_map(|(_, record)| Some((record.name, record.directory()?))).collect();
        let entries = listing.entries().filter_map(|(_, record)| {
            let id = record.directory().filter(|id| new.is_growing(*id))?;
            Some((id, self.tree.totals(*old.get(record.name)?)))
        });
        entries.collect()
    }
}

/// Returns `true` if each root directory found so far in `new` has the device and inode of a root of `old`.
pub fn is_of_roots(old: &Tree, new: &Tree) -> bool {
    let mut found = roots(new);
    found.all(|(_, device, inode)| roots(old).any(|(_, was, number)| (was, number) == (device, inode)))
}

/// Returns the roots that are directories, each with its device and inode.
fn roots(tree: &Tree) -> impl Iterator<Item = (DirId, u64, u64)> + '_ {
    let listing = tree.listing(DirId::TOP);
    let roots: Vec<_> = listing
        .entries()
        .filter_map(|(_, record)| match record.state {
            EntryState::Known(metadata) => {
                let id = metadata.directory?;
                Some((id, tree.device(id), metadata.inode))
            }
            EntryState::Excluded(_) | EntryState::Failed(_) => None,
        })
        .collect();
    roots.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Growing, build, dir, file, linked_file, unread};
    use crate::table::rows::SizeSource;

    fn record(tree: Tree) -> RecordedTree {
        RecordedTree { tree: Arc::new(tree), scanned_at: 0 }
    }

    fn sizes(record: &RecordedTree, tree: &Tree, root: DirId) -> SizeSource {
        let recorded = Some(Arc::new(record.totals(tree, [root])));
        SizeSource { recorded, ..SizeSource::of(LiveTotals::sample(tree)) }
    }

    #[test]
    fn a_root_with_another_inode_has_no_recorded_sizes() {
        let record = record(build(vec![dir("a", vec![file("x", 9000, 0)])]).0);
        for (inode, is_found) in [(0, true), (7, false)] {
            let growing = Growing::numbered(inode);
            growing.publish(vec![unread("a")]);
            let sizes = sizes(&record, &growing.tree, growing.root());
            let child = growing.tree.listing(growing.root()).directories().next().unwrap();
            for id in [growing.root(), child] {
                assert_eq!(sizes.recorded(&growing.tree, id).is_some(), is_found);
            }
        }
    }

    #[test]
    fn a_directory_larger_than_recorded_shows_the_scanned_size() {
        let record = record(build(vec![file("x", 9000, 0)]).0);
        let growing = Growing::new();
        growing.publish(vec![file("x", 90_000, 0)]);
        let sizes = sizes(&record, &growing.tree, growing.root());
        assert_eq!(sizes.recorded(&growing.tree, growing.root()), None);
        assert!(sizes.totals(&growing.tree, growing.root()).apparent > 90_000);
    }

    #[test]
    fn repeated_names_of_an_inode_do_not_outgrow_the_record() {
        let links = |number: usize| {
            (0..100).map(|name| linked_file(&format!("{name}"), 7, 999)).take(number).collect()
        };
        let record = record(build(vec![dir("a", vec![dir("read", links(100)), dir("slow", vec![])])]).0);
        let growing = Growing::new();
        growing.publish(vec![unread("a")]);
        growing.read("a", vec![dir("read", links(99)), unread("slow")]);
        let (tree, sizes) = (&growing.tree, sizes(&record, &growing.tree, growing.root()));
        let a = tree.entry(growing.root(), b"a").unwrap().directory().unwrap();
        assert!(sizes.live.totals(tree, a).disk > record.tree.totals(DirId::TOP).disk);
        assert!(sizes.recorded(tree, a).is_some(), "the inode counts 99 times so far");
    }

    #[test]
    fn sums_with_hard_links_are_recorded_until_repeats_are_subtracted() {
        let links = |names: &[&str]| names.iter().map(|name| linked_file(name, 7, 3)).collect();
        let old = vec![dir("a", links(&["x", "y"])), dir("b", vec![file("x", 9000, 0)])];
        let record = record(build(old).0);
        let growing = Growing::new();
        growing.publish(vec![unread("a"), unread("b")]);
        growing.read("a", links(&["x", "y", "z"]));
        growing.read("b", vec![file("x", 8000, 0)]);
        let tree = &growing.tree;
        let id = |name: &[u8]| tree.entry(growing.root(), name).unwrap().directory().unwrap();
        let sizes = sizes(&record, tree, growing.root());
        assert_eq!(sizes.recorded(tree, id(b"b")), None);
        let recorded = sizes.recorded(tree, id(b"a")).unwrap();
        assert_eq!((recorded.apparent, recorded.items), (4097, 3));
        assert_eq!(tree.totals(id(b"a")).apparent, 4099);
        growing.finish();
        // After the scan, the browser shows the tree's own totals, and the numbers on the screen must not change.
        assert_eq!(tree.totals(id(b"a")), recorded);
    }
}
