//! Looking at entries of a finished tree again: after something was done to them, or because somebody asks.
//!
//! The file system is asked what has become of each: gone, still there as it was, or with less in it, in which case it is
//! read again. So the tree is right after a success, after half of one, and when others have been at work, too. What
//! changes besides is renewed as well: the directory they were in, and the link counts of names anywhere. Of what does not
//! answer nothing is known, and the tree keeps what it had.
//!
//! Invariant: until everything is read, and when that is stopped, the tree is as it was.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::judge::facts;
use super::links;
use super::visit::Visitor;
use super::{Places, Shared};
use crate::kind::Kind;
use crate::platform::{Attributes, Errno, attributes_of_path};
use crate::tree::{Changes, Content, DirId, Facts, LinkedInode, LinkedName, Links, Record};

/// What has become of the entries of one directory.
struct Look {
    directory: DirId,
    /// The directory itself.
    own: Option<Facts>,
    changes: Changes,
    /// The directories that stood at the changed names.
    replaced: HashSet<DirId>,
    /// Why nothing is known of an entry, the first time.
    errno: Option<Errno>,
}

impl Shared {
    /// Looks at the entries at `places` again.
    ///
    /// # Errors
    /// The first of what kept it from knowing what has become of an entry; the others are renewed all the same.
    pub(super) fn scan_entries(&self, places: &Places) -> Result<(), Errno> {
        let places = self.where_they_are(places);
        let looks = places.iter().map(|(directory, names)| self.look(*directory, names)).collect();
        let looks = self.outermost(looks);
        let visitor = Visitor::new(self, false);
        self.workers.pool().in_place_scope(|scope| {
            for id in directories(&looks) {
                visitor.visit_root(scope, id);
            }
        });
        let read = self.workers.take_linked();
        if self.is_stopped() {
            self.tree.drop_subtrees(&directories(&looks));
            return Ok(());
        }
        let (concerned, elsewhere) = self.linked_below(&looks);
        let counts = self.count_links(concerned, elsewhere, known_counts(&looks, &read));
        links::unsettle(&self.tree);
        for look in &looks {
            let batch = &mut self.workers.tools().batch;
            self.tree.replace_entries(batch, look.directory, &look.changes);
            if let Some(own) = &look.own {
                self.tree.renew_own(batch, look.directory, own);
            }
        }
        self.tree.add_linked(read);
        self.tree.renew_links(&mut self.workers.tools().batch, &counts);
        links::settle(&self.tree);
        looks.iter().find_map(|look| look.errno).map_or(Ok(()), Err)
    }

    /// The places, but a root that lies inside another one where it lies; and the roots that are files, which may be names of what
    /// is there.
    fn where_they_are<'p>(&'p self, places: &'p Places) -> BTreeMap<DirId, HashSet<&'p [u8]>> {
        let tree = &self.tree;
        let mut real: BTreeMap<DirId, HashSet<&[u8]>> = BTreeMap::new();
        for (directory, names) in places {
            for name in names {
                let root = if *directory == DirId::TOP { tree.entry(DirId::TOP, name) } else { None };
                let inside = root.and_then(|root| match root.directory() {
                    Some(id) => {
                        Some((tree.parent(id).filter(|parent| *parent != DirId::TOP)?, tree.name(id)))
                    }
                    None => tree.outer_of_file(name).and_then(|_| tree.way_to(name)),
                });
                let (directory, name) = inside.unwrap_or((*directory, name));
                real.entry(directory).or_default().insert(name);
            }
        }
        let roots = tree.listing(DirId::TOP);
        let is_file = |record: &Record<'_>| match record.content {
            Content::Known(facts) => facts.directory.is_none(),
            // It was one, or a directory in another root: see `Tree::renew_aliases`.
            Content::Failed(errno) => errno == Errno::ENOENT as i32,
            Content::Excluded(_) => false,
        };
        for (_, file) in roots.entries().filter(|(_, record)| is_file(record)) {
            real.entry(DirId::TOP).or_default().insert(file.name);
        }
        real
    }

    /// Leaves out what lies in a directory that is replaced anyway.
    fn outermost(&self, looks: Vec<Look>) -> Vec<Look> {
        let replaced = replaced(&looks);
        let is_inside = |look: &Look| self.is_inside(look.directory, &replaced);
        let (inside, outermost): (Vec<_>, Vec<_>) = looks.into_iter().partition(is_inside);
        self.tree.drop_subtrees(&directories(&inside));
        outermost
    }

    /// Whether a directory is one of these, or lies below one.
    fn is_inside(&self, id: DirId, directories: &HashSet<DirId>) -> bool {
        self.tree.ancestry(id).any(|above| directories.contains(&above))
    }

    /// Asks what the entries are now.
    fn look(&self, directory: DirId, names: &HashSet<&[u8]>) -> Look {
        let (mut own, mut changes, mut errno) = (None, Changes::new(), None);
        let opened = match directory {
            DirId::TOP => Ok(None),
            directory => self.open_from_root(directory).map(Some),
        };
        if let Ok(Some(opened)) = &opened {
            own = opened.attributes().ok().map(|own| facts(&own, None, self.options.owners));
        }
        // A directory may have several names among the roots.
        let mut replaced: HashMap<DirId, Option<(Kind, Facts)>> = HashMap::new();
        // One pass over the listing, however many names there are.
        for (_, record) in self.tree.listing(directory).entries() {
            if !names.contains(record.name) {
                continue;
            }
            if let Some(change) = record.directory().and_then(|id| replaced.get(&id)) {
                changes.insert(record.name.to_vec(), *change);
                continue;
            }
            let found = match &opened {
                Ok(Some(opened)) => opened.attributes_of(record.name),
                Ok(None) => attributes_of_path(&super::path(record.name.to_vec())),
                Err(errno) => Err(*errno),
            };
            let change = match found {
                Ok(found) => match self.renewed(directory, &record, &found) {
                    None => continue,
                    renewed => renewed,
                },
                // Who asked for a root sees what became of it, and can ask again.
                Err(why) if is_gone(why) => (directory == DirId::TOP).then(|| self.lost(&record)).flatten(),
                Err(why) => {
                    errno.get_or_insert(why);
                    continue;
                }
            };
            replaced.extend(record.directory().map(|id| (id, change)));
            changes.insert(record.name.to_vec(), change);
        }
        Look { directory, own, changes, replaced: replaced.into_keys().collect(), errno }
    }

    /// What an entry of `parent` is now, going by what was found at its name, a directory with a detached one to read into.
    /// None for a directory that was not entered before.
    fn renewed(&self, parent: DirId, record: &Record<'_>, found: &Attributes) -> Option<(Kind, Facts)> {
        let tree = &self.tree;
        let device = tree.devices().index(found.device);
        if !found.is_directory() {
            // As when the roots were first met: such a file may lie below another root.
            let is_linked = found.links > 1 || parent == DirId::TOP;
            let links = is_linked.then_some(Links { count: found.links, device });
            return Some((found.kind, facts(found, links, self.options.owners)));
        }
        let old = record.directory()?;
        let mut renewed = facts(found, None, self.options.owners);
        let batch = &mut self.workers.tools().batch;
        renewed.directory = Some(tree.detached(batch, old, &renewed, device)?);
        Some((found.kind, renewed))
    }

    /// A root that is gone, with a detached directory that cannot be read.
    fn lost(&self, root: &Record<'_>) -> Option<(Kind, Facts)> {
        let tree = &self.tree;
        let old = root.directory()?;
        let facts = Facts { mtime: tree.own_facts(old)?.mtime, ..Facts::default() };
        let batch = &mut self.workers.tools().batch;
        let directory = tree.detached(batch, old, &facts, tree.device_index(old))?;
        Some((Kind::Directory, Facts { directory: Some(directory), ..facts }))
    }

    /// The inodes with names among what is about to be replaced, and the other directories that have names of them.
    fn linked_below(&self, looks: &[Look]) -> (HashSet<LinkedInode>, BTreeSet<DirId>) {
        let tree = &self.tree;
        let mut concerned = HashSet::new();
        let replaced = replaced(looks);
        for look in looks {
            for (_, record) in tree.listing(look.directory).entries() {
                if let Content::Known(facts) = record.content
                    && look.changes.contains_key(record.name)
                {
                    concerned.extend(facts.links.map(|links| (links.device, facts.inode)));
                }
            }
        }
        let mut known: HashMap<DirId, bool> = HashMap::new();
        let mut is_replaced = |id: DirId| *known.entry(id).or_insert_with(|| self.is_inside(id, &replaced));
        let linked = tree.linked();
        let (inside, outside): (Vec<_>, Vec<_>) = linked.iter().partition(|name| is_replaced(name.directory));
        concerned.extend(inside.into_iter().map(identity));
        let elsewhere = outside.into_iter().filter(|name| concerned.contains(&identity(name)));
        let elsewhere = elsewhere.map(|name| name.directory).collect();
        (concerned, elsewhere)
    }

    /// How many names each inode has now: what is known of it, and of the other ones in `concerned` what one of the names
    /// in `directories` says. What was read again is not asked: that only one name is there says nothing of names that others have
    /// taken away elsewhere, which stay in the tree until somebody looks.
    fn count_links(
        &self,
        mut concerned: HashSet<LinkedInode>,
        directories: BTreeSet<DirId>,
        known: HashMap<LinkedInode, u64>,
    ) -> HashMap<LinkedInode, u64> {
        let tree = &self.tree;
        concerned.retain(|inode| !known.contains_key(inode));
        let mut counts = known;
        for directory in directories {
            let mut opened = None;
            for (_, record) in tree.listing(directory).entries() {
                let Content::Known(Facts { inode, links: Some(links), .. }) = record.content else {
                    continue;
                };
                if !concerned.contains(&(links.device, inode)) {
                    continue;
                }
                if opened.is_none() {
                    opened = self.open_from_root(directory).ok();
                }
                // Where this name does not know, another one may.
                let found = opened.as_ref().and_then(|opened| opened.attributes_of(record.name).ok());
                if let Some(found) = found.filter(|found| found.inode == inode) {
                    concerned.remove(&(links.device, inode));
                    counts.insert((links.device, inode), found.links);
                }
            }
        }
        counts
    }
}

/// The link counts that were met by looking and reading.
fn known_counts(looks: &[Look], read: &[LinkedName]) -> HashMap<LinkedInode, u64> {
    let seen = looks.iter().flat_map(|look| look.changes.values().flatten());
    let seen = seen.filter_map(|(_, facts)| {
        let links = facts.links?;
        Some(((links.device, facts.inode), links.count))
    });
    seen.chain(read.iter().map(|name| (identity(name), name.count))).collect()
}

/// The directories that stood at the changed names.
fn replaced(looks: &[Look]) -> HashSet<DirId> {
    looks.iter().flat_map(|look| look.replaced.iter().copied()).collect()
}

/// Whether there is no such entry any more.
fn is_gone(errno: Errno) -> bool {
    matches!(errno, Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP)
}

fn identity(name: &LinkedName) -> LinkedInode {
    (name.device, name.inode)
}

/// The directories that are to be read, each once whatever its names.
fn directories(looks: &[Look]) -> Vec<DirId> {
    let new = looks.iter().flat_map(|look| look.changes.values().flatten());
    let mut directories: Vec<DirId> = new.filter_map(|(_, facts)| facts.directory).collect();
    directories.sort_unstable();
    directories.dedup();
    directories
}
