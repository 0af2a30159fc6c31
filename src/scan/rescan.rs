//! Rescan: reads entries of a finished tree again, after an operation or at the user's request.
//!
//! All requested entries are read again. Entries that no longer exist are deleted from the tree, except for roots: a
//! missing root stays in the tree as an entry with an error. The tree is therefore correct even if an operation
//! succeeded only in part, or if other processes have changed the entries. Related data is also updated: the metadata
//! of parent directories, and the link counts of all names of an inode. If the state of an entry cannot be determined,
//! the entry is not changed.
//!
//! Invariant: the tree does not change until everything has been read, and not at all if the rescan is stopped.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::EntryNames;
use super::shared::Shared;
use super::visit::Visitor;
use crate::base::clock;
use crate::base::kind::Kind;
use crate::platform::{Attributes, Errno, FileSystem, attributes_of_path};
use crate::tree::hard_links;
use crate::tree::{Changes, DirId, Entry, EntryState, InodeKey, LinkedName, Links, Metadata};

/// Rechecked entries of one directory.
struct Recheck {
    directory: DirId,
    /// New metadata of `directory` itself; `None` for the list of roots, or if the metadata could not be read.
    own: Option<Metadata>,
    changes: Changes,
    /// IDs of the directories that the rescan replaces or deletes.
    replaced: HashSet<DirId>,
    /// Error number of the first entry whose state could not be determined.
    errno: Option<Errno>,
    /// `true` if an entry that was not a directory has become one.
    has_new_directory: bool,
}

impl Shared {
    /// Rechecks `entries` and updates the tree.
    ///
    /// # Errors
    /// Returns the first error that prevented the recheck of an entry. All other entries are updated.
    pub(crate) fn scan_entries(&self, entries: &EntryNames) -> Result<(), Errno> {
        let began = clock::precise();
        let entries = self.existing(self.located(entries));
        let rechecks = entries.iter().map(|(directory, names)| self.rechecked(*directory, names)).collect();
        let rechecks = self.outermost(rechecks);
        let visitor = Visitor::new(self, false);
        self.workers.pool().in_place_scope(|scope| {
            visitor.visit_each(scope, directories(&rechecks));
        });
        let read = self.workers.take_linked();
        if self.is_stopped() {
            self.tree.drop_subtrees(&directories(&rechecks));
            return Ok(());
        }
        let (affected, elsewhere) = self.linked_below(&rechecks);
        let counts = self.count_links(affected, elsewhere, known_counts(&rechecks, &read));
        hard_links::add_repeats(&self.tree);
        for recheck in &rechecks {
            let batch = &mut self.workers.state().batch;
            self.tree.replace_entries(batch, recheck.directory, &recheck.changes);
            self.tree.note_rescan(recheck.directory, recheck.changes.keys(), began);
        }
        let own = rechecks.iter().filter_map(|recheck| Some((recheck.directory, recheck.own?)));
        self.tree.update_own(&mut self.workers.state().batch, own);
        self.tree.add_linked(read);
        self.tree.update_links(&mut self.workers.state().batch, &counts);
        hard_links::subtract_repeats(&self.tree);
        rechecks.iter().find_map(|recheck| recheck.errno).map_or(Ok(()), Err)
    }

    /// Returns the entries to recheck, grouped by directory. A root that lies inside another root is replaced by its
    /// entry in the outer root. The result also includes all roots that the tree records as missing, and all roots that
    /// are files. Such a file may be another name of a rechecked inode.
    fn located<'p>(&'p self, entries: &'p EntryNames) -> BTreeMap<DirId, HashSet<&'p [u8]>> {
        let tree = &self.tree;
        let mut real: BTreeMap<DirId, HashSet<&[u8]>> = BTreeMap::new();
        for (directory, names) in entries {
            for name in names {
                let root = if *directory == DirId::TOP { tree.entry(DirId::TOP, name) } else { None };
                let inside = root.and_then(|root| match root.directory() {
                    Some(id) => {
                        Some((tree.parent(id).filter(|parent| *parent != DirId::TOP)?, tree.name(id)))
                    }
                    None => tree.outer_of_file(name).and_then(|_| tree.locate(name)),
                });
                let (directory, name) = inside.unwrap_or((*directory, name));
                real.entry(directory).or_default().insert(name);
            }
        }
        let roots = tree.listing(DirId::TOP);
        let is_file = |record: &Entry<'_>| match record.state {
            EntryState::Known(metadata) => metadata.directory.is_none(),
            // A missing root is rechecked, because there may be a file at its path again. If there is a directory
            // instead, `Tree::update_aliases` finds it, but only if the path lies inside another root.
            EntryState::Failed(errno) => errno == Errno::ENOENT as i32,
            EntryState::Excluded(_) => false,
        };
        for (_, file) in roots.entries().filter(|(_, record)| is_file(record)) {
            real.entry(DirId::TOP).or_default().insert(file.name);
        }
        real
    }

    /// Returns the entries to recheck. If a directory no longer exists or has been replaced, the directory itself is
    /// rechecked instead of its entries. If directories of this kind are nested, only the outermost is rechecked.
    fn existing<'p>(
        &'p self,
        entries: BTreeMap<DirId, HashSet<&'p [u8]>>,
    ) -> BTreeMap<DirId, HashSet<&'p [u8]>> {
        let tree = &self.tree;
        let mut inodes = self.known_inodes(entries.keys().copied());
        let mut existing: BTreeMap<DirId, HashSet<&[u8]>> = BTreeMap::new();
        for (mut directory, mut names) in entries {
            while directory != DirId::TOP && !self.is_still(directory, inodes.get(&directory).copied()) {
                names = HashSet::from([tree.name(directory)]);
                directory = tree.parent(directory).unwrap_or(DirId::TOP);
                inodes.extend(self.known_inodes([directory]));
            }
            existing.entry(directory).or_default().extend(names);
        }
        existing
    }

    /// Returns the recorded inode numbers of `directories`. Reads each listing once, even for thousands of directories.
    fn known_inodes(&self, directories: impl IntoIterator<Item = DirId>) -> HashMap<DirId, u64> {
        let wanted: HashSet<DirId> = directories.into_iter().collect();
        let parents: HashSet<DirId> = wanted.iter().filter_map(|id| self.tree.parent(*id)).collect();
        let mut inodes = HashMap::new();
        for parent in parents {
            for (_, record) in self.tree.listing(parent).entries() {
                if let EntryState::Known(Metadata { directory: Some(id), inode, .. }) = record.state
                    && wanted.contains(&id)
                {
                    inodes.insert(id, inode);
                }
            }
        }
        inodes
    }

    /// Returns `false` if the directory is gone or has been replaced by another. `known` is its recorded inode number.
    fn is_still(&self, id: DirId, known: Option<u64>) -> bool {
        match self.open_from_root(id) {
            // Inode numbers are compared only on ordinary file systems; on others, they may change.
            Ok(opened) if matches!(opened.file_system(), Ok(FileSystem::Ordinary)) => {
                let found = opened.attributes().ok().map(|found| found.inode);
                found.zip(known).is_none_or(|(found, known)| found == known)
            }
            Ok(_) => true,
            Err(errno) => !is_gone_or_replaced(errno),
        }
    }

    /// Omits the rechecks inside directories that another recheck replaces, and returns all others. Also drops the new
    /// directories that the omitted rechecks have created in the tree.
    fn outermost(&self, rechecks: Vec<Recheck>) -> Vec<Recheck> {
        let replaced = replaced(&rechecks);
        let is_inside = |recheck: &Recheck| self.is_inside(recheck.directory, &replaced);
        let (inside, outermost): (Vec<_>, Vec<_>) = rechecks.into_iter().partition(is_inside);
        self.tree.drop_subtrees(&directories(&inside));
        outermost
    }

    /// Returns `true` if the directory `id` is one of `directories` or lies below one of them.
    fn is_inside(&self, id: DirId, directories: &HashSet<DirId>) -> bool {
        self.tree.ancestry(id).any(|above| directories.contains(&above))
    }

    /// Rechecks the entries `names` in `directory`. If an entry has become a directory, rechecks `directory` itself
    /// instead, so that the policy of the scan applies to the new directory. If a root has become a directory, its
    /// entry in the tree is not changed.
    fn rechecked(&self, directory: DirId, names: &HashSet<&[u8]>) -> Recheck {
        let recheck = self.recheck(directory, names);
        match self.tree.parent(directory).filter(|_| recheck.has_new_directory) {
            None => recheck,
            Some(parent) => {
                self.tree.drop_subtrees(&directories(&[recheck]));
                self.recheck(parent, &HashSet::from([self.tree.name(directory)]))
            }
        }
    }

    /// Reads the current state of the entries `names` in `directory`.
    fn recheck(&self, directory: DirId, names: &HashSet<&[u8]>) -> Recheck {
        let (mut own, mut changes, mut errno) = (None, Changes::new(), None);
        let mut has_new_directory = false;
        let opened = match directory {
            DirId::TOP => Ok(None),
            directory => self.open_from_root(directory).map(Some),
        };
        if let Ok(Some(opened)) = &opened {
            own = opened.attributes().ok().map(|own| self.metadata(&own, None));
        }
        // Several roots may name the same directory, so its new state is determined once and then reused.
        let mut replaced: HashMap<DirId, Option<(Kind, Metadata)>> = HashMap::new();
        // A single pass over the listing is enough for any number of names.
        for (_, record) in self.tree.listing(directory).entries() {
            if !names.contains(record.name) {
                continue;
            }
            if let Some(change) = record.directory().and_then(|id| replaced.get(&id)) {
                changes.insert(record.name.to_vec(), *change);
                continue;
            }
            let found = match &opened {
                Ok(Some(opened)) => {
                    let found = opened.attributes_of(record.name);
                    found.map(|found| self.followed(found, || opened.attributes_of_target(record.name)))
                }
                Ok(None) => attributes_of_path(&super::path(record.name.to_vec())),
                Err(errno) => Err(*errno),
            };
            let change = match found {
                Ok(found) => match self.new_state(directory, &record, &found) {
                    None => {
                        has_new_directory |= !matches!(record.state, EntryState::Excluded(_));
                        continue;
                    }
                    new_state => new_state,
                },
                // A deleted root is kept as an error, so that the user can see and rescan it.
                Err(why) if is_gone_or_replaced(why) => {
                    (directory == DirId::TOP).then(|| self.lost(&record)).flatten()
                }
                Err(why) => {
                    errno.get_or_insert(why);
                    continue;
                }
            };
            replaced.extend(record.directory().map(|id| (id, change)));
            changes.insert(record.name.to_vec(), change);
        }
        let replaced = replaced.into_keys().collect();
        Recheck { directory, own, changes, replaced, errno, has_new_directory }
    }

    /// Returns the new state of an entry of `parent` with the current attributes `found`. For a directory, also creates
    /// a detached directory, into which the rescan will read the contents. Returns `None` for a directory that is not
    /// in the tree, because it was excluded, unreadable, or not a directory when it was last read.
    fn new_state(&self, parent: DirId, record: &Entry<'_>, found: &Attributes) -> Option<(Kind, Metadata)> {
        let tree = &self.tree;
        let device = tree.devices().index(found.device);
        if !found.is_directory() {
            // A root that is a file may also lie below another root. Such a root is recorded like a hard link, so that
            // the file is counted only once.
            let is_linked = found.links > 1 || parent == DirId::TOP;
            let links = is_linked.then_some(Links { count: found.links, device });
            return Some((found.kind, self.metadata(found, links)));
        }
        let old = record.directory()?;
        let mut new_state = self.metadata(found, None);
        let batch = &mut self.workers.state().batch;
        new_state.directory = Some(tree.detached(batch, old, &new_state, device)?);
        Some((found.kind, new_state))
    }

    /// Returns the new state of a deleted root that was a directory; `None` for any other root. The state refers to a
    /// new detached directory. The rescan then tries to read this directory, fails, and records the error.
    fn lost(&self, root: &Entry<'_>) -> Option<(Kind, Metadata)> {
        let tree = &self.tree;
        let old = root.directory()?;
        let metadata = Metadata { mtime: tree.own_metadata(old)?.mtime, ..Metadata::default() };
        let batch = &mut self.workers.state().batch;
        let directory = tree.detached(batch, old, &metadata, tree.device_index(old))?;
        Some((Kind::Directory, Metadata { directory: Some(directory), ..metadata }))
    }

    /// Returns the hard-linked inodes that have a name among the rechecked entries or below them. Also returns the
    /// directories that contain names of these inodes and are not replaced by the rescan.
    fn linked_below(&self, rechecks: &[Recheck]) -> (HashSet<InodeKey>, BTreeSet<DirId>) {
        let tree = &self.tree;
        let mut affected = HashSet::new();
        let replaced = replaced(rechecks);
        for recheck in rechecks {
            for (_, record) in tree.listing(recheck.directory).entries() {
                if let EntryState::Known(metadata) = record.state
                    && recheck.changes.contains_key(record.name)
                {
                    affected.extend(metadata.linked_inode());
                }
            }
        }
        let mut known: HashMap<DirId, bool> = HashMap::new();
        let mut is_replaced = |id: DirId| *known.entry(id).or_insert_with(|| self.is_inside(id, &replaced));
        let linked = tree.linked();
        let (inside, outside): (Vec<_>, Vec<_>) = linked.iter().partition(|name| is_replaced(name.directory));
        affected.extend(inside.into_iter().map(LinkedName::key));
        let elsewhere = outside.into_iter().filter(|name| affected.contains(&name.key()));
        let elsewhere = elsewhere.map(|name| name.directory).collect();
        (affected, elsewhere)
    }

    /// Returns the link counts in `known`, and the current link counts of all other inodes in `affected`, read from one
    /// of their names in `directories`. Omits an inode if no such name can be read. Counting the names in the tree
    /// would not be enough, because a deleted name stays in the tree until it is rescanned.
    fn count_links(
        &self,
        mut affected: HashSet<InodeKey>,
        directories: BTreeSet<DirId>,
        known: HashMap<InodeKey, u64>,
    ) -> HashMap<InodeKey, u64> {
        let tree = &self.tree;
        affected.retain(|inode| !known.contains_key(inode));
        let mut counts = known;
        for directory in directories {
            let mut opened = None;
            for (_, record) in tree.listing(directory).entries() {
                let EntryState::Known(metadata) = record.state else { continue };
                let Some(inode) = metadata.linked_inode().filter(|inode| affected.contains(inode)) else {
                    continue;
                };
                if opened.is_none() {
                    opened = self.open_from_root(directory).ok();
                }
                // If this name no longer exists, the count is read from another name of the inode, if there is one.
                let found = opened.as_ref().and_then(|opened| opened.attributes_of(record.name).ok());
                if let Some(found) = found.filter(|found| found.inode == inode.inode) {
                    affected.remove(&inode);
                    counts.insert(inode, found.links);
                }
            }
        }
        counts
    }
}

/// Returns the link counts of the inodes in `rechecks` and `read`.
fn known_counts(rechecks: &[Recheck], read: &[LinkedName]) -> HashMap<InodeKey, u64> {
    let seen = rechecks.iter().flat_map(|recheck| recheck.changes.values().flatten());
    let seen = seen.filter_map(|(_, metadata)| {
        let links = metadata.links?;
        Some((metadata.linked_inode()?, links.count))
    });
    seen.chain(read.iter().map(|name| (name.key(), name.count))).collect()
}

/// Returns the IDs of the directories that the rescan replaces or deletes.
fn replaced(rechecks: &[Recheck]) -> HashSet<DirId> {
    rechecks.iter().flat_map(|recheck| recheck.replaced.iter().copied()).collect()
}

/// Returns `true` if the error means that the entry no longer exists. `ENOTDIR` and `ELOOP` mean that a directory on
/// the path has been replaced by a file or a symbolic link.
fn is_gone_or_replaced(errno: Errno) -> bool {
    matches!(errno, Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP)
}

/// Returns the new directories to read. Each is returned only once, even if several roots name the same directory.
fn directories(rechecks: &[Recheck]) -> Vec<DirId> {
    let new = rechecks.iter().flat_map(|recheck| recheck.changes.values().flatten());
    let mut directories: Vec<DirId> = new.filter_map(|(_, metadata)| metadata.directory).collect();
    directories.sort_unstable();
    directories.dedup();
    directories
}
