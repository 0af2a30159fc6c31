//! Replacing entries of a directory by what they are now: after some of them were deleted, moved away or looked at again.
//!
//! Totals change by differences, and readers see the old entries or the new ones (see `replace`). What
//! is known of the names of hard-linked inodes is kept in step; the names must be counted in all directories meanwhile.
//!
//! Invariant: afterwards a name is linked if and only if its record is, and a failure is on record if and only if its
//! entry is.

use std::collections::{HashMap, HashSet};

use super::{Batch, Content, DirId, Facts, LinkedName, Links, Record, Totals, Tree};
use crate::kind::Kind;
use crate::sync::lock;

/// Device index and inode number of a hard-linked inode.
pub type LinkedInode = (u32, u64);

/// What of a name of a hard-linked inode is counted: device index, inode number, disk usage and apparent size in bytes.
type Met = (u32, u64, u64, u64);

fn met(name: &LinkedName) -> Met {
    (name.device, name.inode, name.disk, name.apparent)
}

/// What entries of one directory are now, by name: none for what is gone.
pub type Changes = HashMap<Vec<u8>, Option<(Kind, Facts)>>;

#[doc(hidden)]
impl Tree {
    /// Replaces entries of `parent`, directories among them by complete detached ones. Another name of such a directory,
    /// which roots may have, leads to what is there now, too.
    pub fn replace_entries(&self, batch: &mut Batch, parent: DirId, changes: &Changes) {
        let mut gone: HashMap<DirId, Option<(Kind, Facts)>> = HashMap::new();
        for (_, record) in self.listing(parent).entries() {
            let directory = record.directory().filter(|id| self.parent(*id) == Some(parent));
            if let (Some(id), Some(change)) = (directory, changes.get(record.name)) {
                gone.insert(id, *change);
            }
        }
        let change = |record: &Record<'_>| {
            let by_name = changes.get(record.name);
            by_name.or_else(|| gone.get(&record.directory()?)).copied()
        };
        let (mut before, mut after) = (Sum::of(parent), Sum::of(parent));
        let mut names = Vec::new();
        let mut unlinked: HashMap<Met, usize> = HashMap::new();
        for (_, record) in self.listing(parent).entries() {
            let Some(new) = change(&record) else { continue };
            before.add(self, &record);
            if let Content::Known(facts) = record.content
                && let Some(name) = LinkedName::of(parent, &facts)
            {
                *unlinked.entry(met(&name)).or_default() += 1;
            }
            if let Some(renewed) = renewed(parent, record, new) {
                after.add(self, &renewed);
            }
            names.extend(new.and_then(|(_, facts)| LinkedName::of(parent, &facts)));
        }
        self.rewrite_listing(batch, parent, |record| match change(&record) {
            None => Some(record),
            Some(new) => renewed(parent, record, new),
        });
        for above in self.ancestry(parent).chain([DirId::TOP]) {
            self.exchange(above, &before.totals, &after.totals);
        }
        for id in changes.values().flatten().filter_map(|(_, facts)| facts.directory) {
            self.attach(id);
        }
        let gone: Vec<DirId> = gone.into_keys().collect();
        self.forget_failures(parent, changes);
        self.forget_names(parent, unlinked);
        self.add_linked(names);
        self.renew_aliases(batch, &gone);
        self.drop_subtrees(&gone);
    }

    /// Renews what is known of a directory itself: it shrinks, and has a new time, when entries are taken out of it.
    pub fn renew_own(&self, batch: &mut Batch, id: DirId, facts: &Facts) {
        let (Some(parent), Some(known)) = (self.parent(id), self.own_facts(id)) else { return };
        let renewed = Facts {
            apparent: facts.apparent,
            blocks: facts.blocks,
            mtime: facts.mtime,
            owner: known.owner.and(facts.owner),
            ..known
        };
        if renewed == known {
            return;
        }
        self.rewrite_listing(batch, parent, |record| match record.content {
            Content::Known(found) if found.directory == Some(id) => {
                Some(Record { content: Content::Known(renewed), ..record })
            }
            _ => Some(record),
        });
        let own =
            |facts: &Facts| Totals { disk: facts.disk(), apparent: facts.apparent, ..Totals::default() };
        for above in self.ancestry(id).chain([DirId::TOP]) {
            self.exchange(above, &own(&known), &own(&renewed));
        }
    }

    /// Makes known how many names inodes have by now, whose other names may be anywhere.
    pub fn renew_links(&self, batch: &mut Batch, counts: &HashMap<LinkedInode, u64>) {
        let count = |name: &LinkedName| counts.get(&(name.device, name.inode)).copied();
        // Listings that say so already stay as they are.
        let is_new = |name: &&LinkedName| count(name).is_some_and(|count| count != name.count);
        let concerned: HashSet<DirId> =
            self.linked().iter().filter(is_new).map(|name| name.directory).collect();
        for directory in concerned {
            self.rewrite_listing(batch, directory, |record| {
                let Content::Known(facts) = record.content else { return Some(record) };
                let now = facts.links.and_then(|links| {
                    let count = *counts.get(&(links.device, facts.inode))?;
                    Some(is_kept(directory, count).then_some(Links { count, ..links }))
                });
                let Some(links) = now else { return Some(record) };
                Some(Record { content: Content::Known(Facts { links, ..facts }), ..record })
            });
        }
        lock(&self.linked).retain_mut(|name| {
            name.count = count(name).unwrap_or(name.count);
            is_kept(name.directory, name.count)
        });
    }

    fn forget_failures(&self, parent: DirId, changes: &Changes) {
        lock(&self.failures).retain(|failure| {
            let entry = failure.entry.filter(|_| failure.directory == parent);
            entry.is_none_or(|entry| !changes.contains_key(self.name_at(entry)))
        });
    }

    /// Forgets so many names of inodes in `parent`. Names of one inode that were met with different sizes are different ones: each
    /// is counted with its own.
    fn forget_names(&self, parent: DirId, mut unlinked: HashMap<Met, usize>) {
        if unlinked.is_empty() {
            return;
        }
        lock(&self.linked).retain(|name| {
            let left = unlinked.get_mut(&met(name)).filter(|_| name.directory == parent);
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

/// What a record becomes. A root that is gone stays, for somebody has asked for it.
fn renewed(parent: DirId, record: Record<'_>, new: Option<(Kind, Facts)>) -> Option<Record<'_>> {
    match new {
        Some((kind, facts)) => Some(Record { kind, content: Content::Known(facts), ..record }),
        None if parent == DirId::TOP => Some(Record { content: Content::Failed(libc::ENOENT), ..record }),
        None => None,
    }
}

/// Whether a name in `directory` of an inode with so many names may be one of several. A root that is a file may be met
/// below another root, whatever its link count.
fn is_kept(directory: DirId, count: u64) -> bool {
    count > 1 || directory == DirId::TOP
}

/// What entries of one directory add to it.
struct Sum {
    parent: DirId,
    totals: Totals,
    /// The directories among them: one that has several names counts once.
    met: HashSet<DirId>,
}

impl Sum {
    fn of(parent: DirId) -> Self {
        Self { parent, totals: Totals::default(), met: HashSet::new() }
    }

    fn add(&mut self, tree: &Tree, record: &Record<'_>) {
        // Roots are no items.
        let items = u64::from(self.parent != DirId::TOP);
        let adds = match record.content {
            Content::Excluded(_) => Totals::default(),
            Content::Failed(_) => Totals { items, errors: 1, ..Totals::default() },
            Content::Known(facts) => match facts.directory {
                // An alias: what it is counts elsewhere.
                Some(id) if tree.parent(id) != Some(self.parent) || !self.met.insert(id) => Totals::default(),
                Some(id) => tree.counted(self.parent, id),
                None => Totals { disk: facts.disk(), apparent: facts.apparent, items, errors: 0 },
            },
        };
        self.totals.add(&adds);
    }
}
