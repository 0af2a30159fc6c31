//! Marks of entries. A mark identifies an entry by its inode and name, not by its row.
//!
//! A mark consists of a device, an inode, a directory, and a name, so it stays with its entry in any sort order and in
//! any view. A rescan keeps a mark if the same inode still has the same path and, for a file, the same size and
//! modification time. Inode numbers are reused, so the mark of a directory also stores the modification time that the
//! directory had when it was marked, for comparison with the file system.
//!
//! Invariant: no entry is marked twice, and only entries with metadata are marked.

use std::collections::{HashMap, HashSet};

use super::marked_copies::MarkedCopies;
use crate::base::kind::Kind;
use crate::base::sort::{sort_by, sort_by_key};
use crate::duplicates::EqualEntry;
use crate::tree::{
    DeviceIndex, DirId, Entry, EntryName, EntryState, Exclusive, ExclusiveSizes, FileKey, InodeKey,
    LiveTotals, Metadata, Relocation, Totals, Tree, join,
};

#[derive(Clone, Debug, Default)]
pub struct Marks<'t> {
    names: HashMap<DirId, HashMap<&'t [u8], Mark>>,
    count: u64,
    totals: Totals,
    copies: MarkedCopies<'t>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub kind: Kind,
    /// Directory ID, if the entry is a directory. The mark then also covers everything below the directory.
    pub directory: Option<DirId>,
    inode: InodeKey,
    own: Totals,
    /// Modification time that the entry had when it was marked.
    mtime: i64,
    /// `true` if a rescan has found a different modification time.
    is_touched: bool,
    is_linked: bool,
    /// `false` if the entry is already counted as part of another mark. Set by [`Marks::add_up`].
    pub is_outermost: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Number of marks whose entries were deleted.
    pub missing: u64,
    /// Number of marks whose entries were replaced or modified.
    pub changed: u64,
}

impl Mark {
    /// Creates a mark for an entry of `parent`. Returns `None` if the entry has no metadata.
    fn new(tree: &Tree, parent: DirId, record: &Entry<'_>) -> Option<Self> {
        let EntryState::Known(metadata) = record.state else { return None };
        let own = Totals { disk: metadata.disk(), apparent: metadata.apparent, ..Totals::default() };
        Some(Self {
            kind: record.kind,
            directory: metadata.directory,
            inode: InodeKey { device: device(tree, parent, &metadata), inode: metadata.inode },
            own,
            mtime: metadata.mtime,
            is_touched: false,
            is_linked: metadata.links.is_some(),
            is_outermost: true,
        })
    }

    /// Returns `true` if `now`, a mark made after a rescan, belongs to the same entry. For directories, only inode and
    /// kind are compared, so another directory that reuses the inode number is not detected.
    fn is_same(&self, now: &Self) -> bool {
        let inode = |mark: &Self| (mark.inode, mark.kind);
        let written = |mark: &Self| (mark.own.apparent, mark.mtime);
        inode(self) == inode(now) && (self.kind == Kind::Directory || written(self) == written(now))
    }

    /// Returns the number of bytes that deleting the marked entry would free, if known. `parent` is the directory that
    /// contains the entry.
    pub fn exclusive(&self, parent: DirId, sizes: &ExclusiveSizes) -> Option<Exclusive> {
        match self.directory {
            Some(id) => sizes.directory(id),
            None if self.own.disk == 0 => Some(Exclusive { at_most: Some(0), ..Exclusive::default() }),
            None => {
                let links = self.is_linked.then_some(self.inode.device);
                sizes.file(parent, FileKey::new(self.inode.inode, links))
            }
        }
    }

    /// Returns the totals of the entry, including everything below it that the scan has found.
    pub fn totals(&self, tree: &Tree, live: &LiveTotals) -> Totals {
        self.directory.map_or(self.own, |id| live.totals(tree, id))
    }
}

/// Returns the device index of an entry with this `metadata` in the directory `parent`.
fn device(tree: &Tree, parent: DirId, metadata: &Metadata) -> DeviceIndex {
    match (metadata.directory, metadata.links) {
        (Some(id), _) => tree.device_index(id),
        (None, Some(links)) => links.device,
        (None, None) => tree.device_index(parent),
    }
}

impl<'t> Marks<'t> {
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the totals of all marked entries. The size of each inode counts once.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    pub fn contains(&self, parent: DirId, name: &[u8]) -> bool {
        self.names.get(&parent).is_some_and(|names| names.contains_key(name))
    }

    pub fn all(&self) -> impl Iterator<Item = (EntryName<'t>, &Mark)> {
        self.names.iter().flat_map(|(id, names)| names.iter().map(move |(name, mark)| ((*id, *name), mark)))
    }

    /// Returns the marks sorted by the path of the directory, then by name.
    pub fn in_order(&self, tree: &Tree) -> Vec<(EntryName<'t>, Mark)> {
        let mut directories: Vec<_> = self.names.keys().map(|id| (tree.path(*id), *id)).collect();
        sort_by(&mut directories, Ord::cmp);
        let marks = directories.iter().flat_map(|(_, id)| {
            let mut marks: Vec<_> = self.names[id].iter().map(|(name, mark)| ((*id, *name), *mark)).collect();
            sort_by_key(&mut marks, |((_, name), _)| *name);
            marks
        });
        marks.collect()
    }

    /// Returns the path of a marked entry. The path starts with the root as the user gave it.
    pub fn path(tree: &Tree, (parent, name): EntryName<'_>) -> Vec<u8> {
        let parent = tree.path(parent);
        if parent.is_empty() { name.to_vec() } else { join([parent.as_slice(), name]) }
    }

    /// Returns the marked directories whose modification time has changed according to a rescan. Each directory is
    /// returned with the modification time that it had when the user marked it.
    pub fn touched_directories(&self) -> HashMap<EntryName<'t>, i64> {
        let touched = self.all().filter(|(_, mark)| mark.is_touched && mark.directory.is_some());
        touched.map(|(name, mark)| (name, mark.mtime)).collect()
    }

    /// Marks an entry of `parent`. Returns `false` if the entry has no metadata.
    pub fn set(&mut self, tree: &Tree, parent: DirId, record: &Entry<'t>) -> bool {
        let Some(mark) = Mark::new(tree, parent, record) else { return false };
        self.insert((parent, record.name), mark);
        true
    }

    fn insert(&mut self, (parent, name): EntryName<'t>, mark: Mark) {
        let before = self.names.entry(parent).or_default().insert(name, mark);
        self.count += u64::from(before.is_none());
    }

    /// Returns `true` if the entry can be marked, which requires metadata.
    pub fn can_mark(record: &Entry<'_>) -> bool {
        matches!(record.state, EntryState::Known(_))
    }

    /// Unmarks an entry. Returns `true` if it was marked.
    pub fn clear(&mut self, (parent, name): EntryName<'_>) -> bool {
        let Some(names) = self.names.get_mut(&parent) else { return false };
        let was_there = names.remove(name).is_some();
        if names.is_empty() {
            self.names.remove(&parent);
        }
        self.count -= u64::from(was_there);
        was_there
    }

    /// Stores those `sets` of identical files that contain one of the marked `entries`. The sets are kept until
    /// no entry is marked.
    pub fn keep_copies(&mut self, tree: &'t Tree, sets: &[Vec<EqualEntry>], entries: &[(DirId, Entry<'t>)]) {
        self.copies.add(tree, sets, entries);
    }

    pub fn copies(&self) -> &MarkedCopies<'t> {
        &self.copies
    }

    /// Recomputes the total. Must be called after marks, or the totals of marked directories, have changed.
    pub fn add_up(&mut self, tree: &Tree, live: &LiveTotals) {
        if self.count == 0 {
            self.copies = MarkedCopies::default();
        }
        let marked = self.all().filter_map(|(_, mark)| mark.directory).collect();
        let mut sum = Sum { tree, live, marked, covers: HashMap::new() };
        let mut outermost = HashSet::new();
        for (parent, names) in &mut self.names {
            let is_covered = sum.cover(*parent).is_some();
            for mark in names.values_mut() {
                let counts = |id| sum.cover(id) == Some(id) && outermost.insert(id);
                mark.is_outermost = !is_covered && mark.directory.is_none_or(counts);
            }
        }
        self.totals = sum.of(self, &outermost);
    }

    /// Transfers the marks to the rescanned tree. Drops and counts marks whose entries no longer exist or have changed.
    pub fn relocate(&mut self, tree: &'t Tree, relocation: &mut Relocation<'t>) -> Dropped {
        let before = std::mem::take(self);
        self.copies = before.copies;
        self.copies.relocate(relocation);
        let mut changed = 0;
        for (parent, names) in &before.names {
            let Some(parent) = relocation.find(*parent) else { continue };
            let listing = tree.listing(parent);
            // One pass over the listing finds all marked entries in it.
            for (_, record) in listing.entries() {
                let mark = Mark::new(tree, parent, &record);
                match (names.get(record.name), mark) {
                    (Some(old), Some(new)) if old.is_same(&new) => {
                        let is_touched = old.is_touched || old.mtime != new.mtime;
                        self.insert((parent, record.name), Mark { mtime: old.mtime, is_touched, ..new });
                    }
                    (Some(_), _) => changed += 1,
                    (None, _) => {}
                }
            }
        }
        self.add_up(tree, &LiveTotals::default());
        Dropped { missing: before.count - self.count - changed, changed }
    }
}

/// Computation of the total of all marks, which skips entries below a marked directory and counts each inode once.
struct Sum<'t> {
    tree: &'t Tree,
    live: &'t LiveTotals,
    marked: HashSet<DirId>,
    /// For each directory visited so far, the outermost marked directory at or above it, if any.
    covers: HashMap<DirId, Option<DirId>>,
}

impl Sum<'_> {
    /// Returns the total of the outermost marks. `outermost` contains the outermost marked directories.
    fn of(&mut self, marks: &Marks<'_>, outermost: &HashSet<DirId>) -> Totals {
        let mut totals = Totals::default();
        let mut linked: HashMap<InodeKey, Totals> = HashMap::new();
        for (_, mark) in marks.all().filter(|(_, mark)| mark.is_outermost) {
            if mark.directory.is_none() && mark.is_linked {
                linked.insert(mark.inode, mark.own);
            } else {
                totals.add(&mark.totals(self.tree, self.live));
            }
        }
        self.count_linked(outermost, linked, &mut totals);
        totals
    }

    /// Adds the marked hard links in `files` to `totals`, except those with another name in a marked directory.
    /// Subtracts the bytes that several marked directories share.
    fn count_linked(
        &mut self,
        outermost: &HashSet<DirId>,
        mut files: HashMap<InodeKey, Totals>,
        totals: &mut Totals,
    ) {
        if outermost.is_empty() || (outermost.len() == 1 && files.is_empty()) {
            for own in files.values() {
                totals.add(own);
            }
            return;
        }
        let mut seen: HashMap<InodeKey, HashSet<DirId>> = HashMap::new();
        for name in self.tree.linked() {
            let Some(cover) = self.cover(name.directory) else { continue };
            let inode = name.key();
            files.remove(&inode);
            let covers = seen.entry(inode).or_default();
            if covers.insert(cover) && covers.len() > 1 {
                totals.disk = totals.disk.saturating_sub(name.disk);
                totals.apparent = totals.apparent.saturating_sub(name.apparent);
            }
        }
        for own in files.values() {
            totals.add(own);
        }
    }

    fn cover(&mut self, id: DirId) -> Option<DirId> {
        let mut below = Vec::new();
        let mut at = id;
        let mut cover = loop {
            if let Some(known) = self.covers.get(&at) {
                break *known;
            }
            below.push(at);
            match self.tree.parent(at) {
                Some(parent) => at = parent,
                None => break None,
            }
        };
        while let Some(id) = below.pop() {
            cover = cover.or_else(|| self.marked.contains(&id).then_some(id));
            self.covers.insert(id, cover);
        }
        cover
    }
}
