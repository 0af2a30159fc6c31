//! Looking at entries of a finished tree again, after something was done to them.
//!
//! The file system is asked what has become of each: gone, still there as it was, or with less in it, in which case it is
//! read again. So the tree is right after a success, after half of one, and when others have been at work, too. What
//! changes besides is renewed as well: the directory they were in, and the link counts of names anywhere.
//!
//! Invariant: until everything is read, and when that is stopped, the tree is as it was.

use std::collections::{HashMap, HashSet};

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
}

impl Shared {
    /// Looks at the entries at `places` again.
    pub(super) fn scan_entries(&self, places: &Places) {
        let looks: Vec<Look> =
            places.iter().filter_map(|(directory, names)| self.look(*directory, names)).collect();
        let visitor = Visitor::new(self, false);
        self.workers.pool().in_place_scope(|scope| {
            directories(&looks).for_each(|id| visitor.visit_root(scope, id));
        });
        let read = self.workers.take_linked();
        if self.is_stopped() {
            self.tree.drop_subtrees(&directories(&looks).collect::<Vec<_>>());
            return;
        }
        let mut concerned = self.linked_below(&looks);
        links::unsettle(&self.tree);
        for look in &looks {
            let batch = &mut self.workers.tools().batch;
            self.tree.replace_entries(batch, look.directory, &look.changes);
            if let Some(own) = &look.own {
                self.tree.renew_own(batch, look.directory, own);
            }
        }
        concerned.extend(read.iter().map(identity));
        self.tree.add_linked(read);
        let counts = self.count_links(concerned);
        self.tree.renew_links(&mut self.workers.tools().batch, &counts);
        links::settle(&self.tree);
    }

    /// Asks what the entries are now. None where their directory cannot be reached: then nothing is known that was not
    /// before.
    fn look(&self, directory: DirId, names: &[Vec<u8>]) -> Option<Look> {
        let names: HashSet<&[u8]> = names.iter().map(Vec::as_slice).collect();
        let mut look = Look { directory, own: None, changes: Changes::new() };
        let opened = match directory {
            DirId::TOP => None,
            directory => Some(self.open_from_root(directory).ok()?),
        };
        if let Some(opened) = &opened {
            let own = opened.attributes().ok()?;
            look.own = Some(facts(&own, None, self.options.owners));
        }
        // One pass over the listing, however many names there are.
        for (_, record) in self.tree.listing(directory).entries() {
            if !names.contains(record.name) {
                continue;
            }
            let found = match &opened {
                Some(opened) => opened.attributes_of(record.name),
                None => attributes_of_path(&super::path(record.name.to_vec())),
            };
            if let Some(change) = self.change(&record, found) {
                look.changes.insert(record.name.to_vec(), change);
            }
        }
        Some(look)
    }

    /// What an entry is now, going by what was found at its name; the outer none says that nobody knows, the inner that it
    /// is gone.
    #[allow(clippy::option_option)]
    fn change(&self, record: &Record<'_>, found: Result<Attributes, Errno>) -> Option<Option<(Kind, Facts)>> {
        let tree = &self.tree;
        let found = match found {
            Ok(found) => found,
            Err(Errno::ENOENT) => return Some(None),
            Err(_) => return None,
        };
        let device = tree.devices().index(found.device);
        if !found.is_directory() {
            let links = (found.links > 1).then_some(Links { count: found.links, device });
            return Some(Some((found.kind, facts(&found, links, self.options.owners))));
        }
        let Content::Known(Facts { directory: Some(old), .. }) = record.content else { return None };
        let mut renewed = facts(&found, None, self.options.owners);
        let batch = &mut self.workers.tools().batch;
        renewed.directory = Some(tree.detached(batch, old, &renewed, device)?);
        Some(Some((found.kind, renewed)))
    }

    /// The inodes with other names among what is about to be replaced.
    fn linked_below(&self, looks: &[Look]) -> HashSet<LinkedInode> {
        let tree = &self.tree;
        let mut concerned = HashSet::new();
        let mut replaced = HashSet::new();
        for look in looks {
            for (_, record) in tree.listing(look.directory).entries() {
                if let Content::Known(facts) = record.content
                    && look.changes.contains_key(record.name)
                {
                    concerned.extend(facts.links.map(|links| (links.device, facts.inode)));
                    replaced.extend(facts.directory);
                }
            }
        }
        let mut known: HashMap<DirId, bool> = HashMap::new();
        for name in tree.linked() {
            let is_replaced = |id| tree.ancestry(id).any(|above| replaced.contains(&above));
            if *known.entry(name.directory).or_insert_with(|| is_replaced(name.directory)) {
                concerned.insert(identity(&name));
            }
        }
        concerned
    }

    /// Asks how many names each of these inodes has now, by one of the names the tree knows.
    fn count_links(&self, mut concerned: HashSet<LinkedInode>) -> HashMap<LinkedInode, u64> {
        let tree = &self.tree;
        let mut directories: Vec<DirId> = tree
            .linked()
            .iter()
            .filter(|name| concerned.contains(&identity(name)))
            .map(|name| name.directory)
            .collect();
        directories.sort_unstable();
        directories.dedup();
        let mut counts = HashMap::new();
        for directory in directories {
            let mut opened = None;
            for (_, record) in tree.listing(directory).entries() {
                let Content::Known(Facts { inode, links: Some(links), .. }) = record.content else {
                    continue;
                };
                if !concerned.remove(&(links.device, inode)) {
                    continue;
                }
                if opened.is_none() {
                    opened = self.open_from_root(directory).ok();
                }
                let found = opened.as_ref().and_then(|opened| opened.attributes_of(record.name).ok());
                match found.filter(|found| found.inode == inode) {
                    Some(found) => {
                        counts.insert((links.device, inode), found.links);
                    }
                    // Another name may know.
                    None => {
                        concerned.insert((links.device, inode));
                    }
                }
            }
        }
        counts
    }
}

fn identity(name: &LinkedName) -> LinkedInode {
    (name.device, name.inode)
}

/// The directories that are to be read.
fn directories(looks: &[Look]) -> impl Iterator<Item = DirId> + '_ {
    looks.iter().flat_map(|look| look.changes.values().flatten().filter_map(|(_, facts)| facts.directory))
}
