//! Replacement of entries in a finished tree, after a rescan or a deletion.
//!
//! A rescan fills a *detached* directory. This directory has an ID, a parent and a name, but no listing contains it,
//! and its totals are not added to its parent. Until the directory is complete, readers see the old directory. If the
//! rescan is stopped, the detached directory is dropped, and the tree does not change. Otherwise, the parent gets a
//! listing that contains the new directory, and the difference between the two directories is added to all ancestors.
//! Readers see either the old or the new subtree. The IDs of dropped directories are reused later.
//!
//! The known names of hard-linked inodes are updated along with the entries. During the update, the totals must count
//! every name; see `hard_links`.
//!
//! Invariant: totals change once, by the difference between two complete directories. Afterwards, the known names of
//! hard-linked inodes and the recorded failures match the entries.

use std::collections::{HashMap, HashSet};

use super::encoding::Draft;
use super::{
    Batch, DirId, Entry, EntryState, InodeKey, LinkedName, Links, Metadata, Relocation, Totals, Tree, Walk,
};
use crate::base::clock::Time;
use crate::base::kind::Kind;
use crate::base::os_error::ENOENT;
use crate::base::sync::{Ordering, lock};
use crate::platform::memory::arena::Address;

/// Size in bytes of a segment in a rewritten listing; about the size of a batch from the kernel.
const SEGMENT: usize = 32 << 10;

#[doc(hidden)]
impl Tree {
    /// Creates a detached directory for a rescan of `old`. `metadata` and `device` are the current metadata and device
    /// index of `old`. Returns `None` for [`DirId::TOP`].
    pub fn detached(&self, batch: &mut Batch, old: DirId, metadata: &Metadata, device: u32) -> Option<DirId> {
        let id = batch.new_directory(self, self.parent(old)?, metadata, device);
        let (new, old) = (self.dir(id), self.dir(old));
        new.record.store(old.record.load(Ordering::Relaxed), Ordering::Relaxed);
        new.detached.store(true, Ordering::Relaxed);
        Some(id)
    }

    /// Updates the roots that lie inside the directories `replaced`, so that they refer to the new directories. Also
    /// updates missing roots if there is a directory at their paths again.
    pub(crate) fn update_aliases(&self, batch: &mut Batch, replaced: &[DirId]) {
        let is_inside = |id: DirId| {
            self.parent(id) != Some(DirId::TOP) && self.ancestry(id).any(|above| replaced.contains(&above))
        };
        let top = self.listing(DirId::TOP);
        let is_lost = |record: &Entry<'_>| matches!(record.state, EntryState::Failed(ENOENT));
        if !top.directories().any(is_inside) && !top.entries().any(|(_, root)| is_lost(&root)) {
            return;
        }
        let mut relocation = Relocation::new(self, replaced.iter().copied());
        let (mut contents, mut errors) = (HashMap::new(), [0, 0]);
        for (_, root) in top.entries() {
            let found = match root.state {
                EntryState::Known(Metadata { directory: Some(id), .. }) if is_inside(id) => {
                    relocation.find(id)
                }
                // A rescan may have found a directory at the path of a missing root.
                EntryState::Failed(ENOENT) => {
                    self.locate(root.name).and_then(|(id, name)| self.entry(id, name)?.directory())
                }
                _ => continue,
            };
            let metadata = found.and_then(|id| self.own_metadata(id));
            let state = metadata.map_or(EntryState::Failed(ENOENT), EntryState::Known);
            errors[0] += u32::from(is_lost(&root));
            errors[1] += u32::from(metadata.is_none());
            contents.insert(root.name, state);
        }
        let [before, after] = errors.map(|errors| Totals { errors, ..Totals::default() });
        self.rewrite_listing(batch, DirId::TOP, |record| match contents.get(record.name) {
            Some(EntryState::Known(metadata)) => {
                Some(Entry { kind: Kind::Directory, state: EntryState::Known(*metadata), ..record })
            }
            Some(state) => Some(Entry { state: *state, ..record }),
            None => Some(record),
        });
        self.exchange(DirId::TOP, &before, &after);
    }

    /// Marks a detached directory as attached. Called as soon as a listing contains the directory.
    pub(crate) fn attach(&self, id: DirId) {
        self.dir(id).detached.store(false, Ordering::Relaxed);
    }

    pub(crate) fn is_detached(&self, id: DirId) -> bool {
        self.dir(id).detached.load(Ordering::Relaxed)
    }

    /// Returns the totals that `id` adds to its parent, including `id` itself. A root does not count as an item.
    pub(crate) fn counted(&self, parent: DirId, id: DirId) -> Totals {
        let totals = self.totals(id);
        Totals { items: totals.items.saturating_add(u64::from(parent != DirId::TOP)), ..totals }
    }

    /// Drops the directories `ids` and everything below them. No listing may contain these directories any more. Their
    /// IDs are reused only after the next call of this function. Until then, a reader that still has such an ID sees
    /// the old directory.
    pub fn drop_subtrees(&self, ids: &[DirId]) {
        let below = |id: &DirId| Walk::new(self, *id).map(|(id, _)| id).collect::<Vec<_>>();
        let removed: HashSet<DirId> = ids.iter().flat_map(below).collect();
        lock(&self.failures).retain(|failure| !removed.contains(&failure.directory));
        lock(&self.recorded).retain(|id, _| !removed.contains(id));
        lock(&self.linked).retain(|name| !removed.contains(&name.directory));
        lock(&self.readings).forget(|number| removed.contains(&DirId(number)));
        lock(&self.free).put(removed.into_iter().collect());
    }

    /// Publishes a new listing of `id` with the results of `rewrite` for the current entries; `None` omits an entry.
    pub(crate) fn rewrite_listing<'t>(
        &'t self,
        batch: &mut Batch,
        id: DirId,
        rewrite: impl Fn(Entry<'t>) -> Option<Entry<'t>>,
    ) {
        let mut draft = Draft::default();
        let mut newest = None;
        for (_, record) in self.listing(id).entries() {
            if let Some(record) = rewrite(record) {
                draft.push(&record);
            }
            if draft.length() >= SEGMENT {
                newest = Some(batch.append(self, newest, &mut draft));
                draft.clear();
            }
        }
        if !draft.is_empty() {
            newest = Some(batch.append(self, newest, &mut draft));
        }
        self.dir(id).listing.store(newest.map_or(0, Address::to_bits), Ordering::Release);
    }
}

/// Inode of a known name, with the disk usage and apparent size recorded for this name.
type LinkKey = (InodeKey, u64, u64);

fn link_key(name: &LinkedName) -> LinkKey {
    (name.key(), name.disk, name.apparent)
}

/// Current state of entries in one directory, keyed by name; `None` for deleted entries.
pub type Changes = HashMap<Vec<u8>, Option<(Kind, Metadata)>>;

#[doc(hidden)]
impl Tree {
    /// Applies `changes` to the entries of `parent`. The directories in `changes` are new: they must be complete, and
    /// no listing may contain them yet. If the user gave a root directory under several paths, a change to one of these
    /// paths applies to all of them.
    pub fn replace_entries(&self, batch: &mut Batch, parent: DirId, changes: &Changes) {
        let mut removed: HashMap<DirId, Option<(Kind, Metadata)>> = HashMap::new();
        for (_, record) in self.listing(parent).entries() {
            let directory = record.directory().filter(|id| self.parent(*id) == Some(parent));
            if let (Some(id), Some(change)) = (directory, changes.get(record.name)) {
                removed.insert(id, *change);
            }
        }
        let change = |record: &Entry<'_>| {
            let by_name = changes.get(record.name);
            by_name.or_else(|| removed.get(&record.directory()?)).copied()
        };
        let (mut before, mut after) = (Sum::of(parent), Sum::of(parent));
        let mut names = Vec::new();
        let mut unlinked: HashMap<LinkKey, usize> = HashMap::new();
        for (_, record) in self.listing(parent).entries() {
            let Some(new) = change(&record) else { continue };
            before.add(self, &record);
            if let EntryState::Known(metadata) = record.state
                && let Some(name) = LinkedName::of(parent, &metadata)
            {
                *unlinked.entry(link_key(&name)).or_default() += 1;
            }
            if let Some(renewed) = renewed(parent, record, new) {
                after.add(self, &renewed);
            }
            names.extend(new.and_then(|(_, metadata)| LinkedName::of(parent, &metadata)));
        }
        self.rewrite_listing(batch, parent, |record| match change(&record) {
            None => Some(record),
            Some(new) => renewed(parent, record, new),
        });
        for above in self.ancestry(parent).chain([DirId::TOP]) {
            self.exchange(above, &before.totals, &after.totals);
        }
        for id in changes.values().flatten().filter_map(|(_, metadata)| metadata.directory) {
            self.attach(id);
        }
        let removed: Vec<DirId> = removed.into_keys().collect();
        self.forget_failures(parent, changes);
        self.forget_names(parent, unlinked);
        self.add_linked(names);
        self.update_aliases(batch, &removed);
        self.drop_subtrees(&removed);
    }

    /// Updates the metadata of `directories`, for example after a deletion in them has changed their size and time.
    /// Rewrites each parent's listing only once, because a listing can be long.
    pub fn update_own(&self, batch: &mut Batch, directories: impl IntoIterator<Item = (DirId, Metadata)>) {
        let mut by_parent: HashMap<DirId, HashMap<DirId, Metadata>> = HashMap::new();
        for (id, metadata) in directories {
            if let Some(parent) = self.parent(id) {
                by_parent.entry(parent).or_default().insert(id, metadata);
            }
        }
        for (parent, own) in by_parent {
            self.update_children(batch, parent, &own);
        }
    }

    /// Applies the new metadata in `own` to the child directories of `parent`, and updates the totals.
    fn update_children(&self, batch: &mut Batch, parent: DirId, own: &HashMap<DirId, Metadata>) {
        let mut changes = HashMap::new();
        for (_, record) in self.listing(parent).entries() {
            let EntryState::Known(known) = record.state else { continue };
            let Some((id, metadata)) = known.directory.and_then(|id| own.get_key_value(&id)) else {
                continue;
            };
            let renewed = Metadata {
                apparent: metadata.apparent,
                blocks: metadata.blocks,
                mtime: metadata.mtime,
                owner: known.owner.and(metadata.owner),
                ..known
            };
            if renewed != known {
                changes.insert(*id, (known, renewed));
            }
        }
        if changes.is_empty() {
            return;
        }
        self.rewrite_listing(batch, parent, |record| {
            let renewed = record.directory().and_then(|id| changes.get(&id)).map(|(_, renewed)| *renewed);
            Some(renewed.map_or(record, |renewed| Entry { state: EntryState::Known(renewed), ..record }))
        });
        let own = |metadata: &Metadata| Totals {
            disk: metadata.disk(),
            apparent: metadata.apparent,
            ..Totals::default()
        };
        for (id, (known, renewed)) in changes {
            for above in self.ancestry(id).chain([DirId::TOP]) {
                self.exchange(above, &own(&known), &own(&renewed));
            }
        }
    }

    /// Updates the link count in every entry that is a name of an inode in `counts`.
    pub fn update_links(&self, batch: &mut Batch, counts: &HashMap<InodeKey, u64>) {
        let count = |name: &LinkedName| counts.get(&name.key()).copied();
        // Do not rewrite listings that are up to date.
        let is_new = |name: &&LinkedName| count(name).is_some_and(|count| count != name.count);
        let concerned: HashSet<DirId> =
            self.linked().iter().filter(is_new).map(|name| name.directory).collect();
        for directory in concerned {
            self.rewrite_listing(batch, directory, |record| {
                let EntryState::Known(metadata) = record.state else { return Some(record) };
                let now = metadata.links.and_then(|links| {
                    let count = *counts.get(&metadata.linked_inode()?)?;
                    Some(may_have_other_names(directory, count).then_some(Links { count, ..links }))
                });
                let Some(links) = now else { return Some(record) };
                Some(Entry { state: EntryState::Known(Metadata { links, ..metadata }), ..record })
            });
        }
        lock(&self.linked).retain_mut(|name| {
            name.count = count(name).unwrap_or(name.count);
            may_have_other_names(name.directory, name.count)
        });
    }

    fn forget_failures(&self, parent: DirId, changes: &Changes) {
        lock(&self.failures).retain(|failure| {
            let entry = failure.entry.filter(|_| failure.directory == parent);
            entry.is_none_or(|entry| !changes.contains_key(self.name_at(entry)))
        });
    }

    /// Removes the replaced entries of the directory `parent` from the known names of hard-linked inodes. `unlinked`
    /// contains the number of names to remove for each [`LinkKey`]. Names of the same inode that were recorded with
    /// other sizes are kept, because the totals still include these sizes.
    fn forget_names(&self, parent: DirId, mut unlinked: HashMap<LinkKey, usize>) {
        if unlinked.is_empty() {
            return;
        }
        lock(&self.linked).retain(|name| {
            let left = unlinked.get_mut(&link_key(name)).filter(|_| name.directory == parent);
            match left {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    false
                }
                _ => true,
            }
        });
    }
}

/// Returns the entry that replaces `record`, or `None` if it was deleted. A deleted root becomes an entry with an
/// error, because the user asked for this root.
fn renewed(parent: DirId, record: Entry<'_>, new: Option<(Kind, Metadata)>) -> Option<Entry<'_>> {
    match new {
        Some((kind, metadata)) => Some(Entry { kind, state: EntryState::Known(metadata), ..record }),
        None if parent == DirId::TOP => Some(Entry { state: EntryState::Failed(ENOENT), ..record }),
        None => None,
    }
}

/// Returns `true` if an inode with the link count `count` and a name in `directory` may have other names in the tree.
/// This is possible for a root that is a file, even if its link count is 1, because the file may also lie below another
/// root.
fn may_have_other_names(directory: DirId, count: u64) -> bool {
    count > 1 || directory == DirId::TOP
}

/// Sum of the amounts that entries add to the totals of the directory `parent`.
struct Sum {
    parent: DirId,
    totals: Totals,
    /// Child directories that have already been added, so that a directory with several names counts once.
    seen: HashSet<DirId>,
}

impl Sum {
    fn of(parent: DirId) -> Self {
        Self { parent, totals: Totals::default(), seen: HashSet::new() }
    }

    fn add(&mut self, tree: &Tree, record: &Entry<'_>) {
        // Roots do not count as items.
        let items = u64::from(self.parent != DirId::TOP);
        let adds = match record.state {
            EntryState::Excluded(_) => Totals::default(),
            EntryState::Failed(_) => Totals { items, errors: 1, ..Totals::default() },
            EntryState::Known(metadata) => match metadata.directory {
                // The contents of an alias are counted in another root.
                Some(id) if tree.parent(id) != Some(self.parent) || !self.seen.insert(id) => {
                    Totals::default()
                }
                Some(id) => tree.counted(self.parent, id),
                None => Totals { disk: metadata.disk(), apparent: metadata.apparent, items, errors: 0 },
            },
        };
        self.totals.add(&adds);
    }
}

#[doc(hidden)]
impl Tree {
    /// Records the start time of the scan.
    pub fn note_scan(&self, began: Time) {
        lock(&self.readings).scan = Some(began);
    }

    /// Records the start time of a rescan of entries in `directory` and of everything below these entries.
    pub(crate) fn note_rescan<'n>(
        &self,
        directory: DirId,
        names: impl Iterator<Item = &'n Vec<u8>>,
        began: Time,
    ) {
        lock(&self.readings).note(directory.0, names, began);
    }

    /// Returns the start time of the last scan or rescan that read the entry. Returns `None` if no time is recorded,
    /// as for a tree loaded from a file.
    pub fn read_at(&self, directory: DirId, name: &[u8]) -> Option<Time> {
        let readings = lock(&self.readings);
        let above = self.ancestry(directory);
        let above = above.filter_map(|id| readings.rescan(self.parent(id)?.0, self.name(id)));
        readings.scan.into_iter().chain(readings.rescan(directory.0, name)).chain(above).max()
    }
}
