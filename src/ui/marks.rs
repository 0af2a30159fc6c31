//! Marks: entries by what they are, never by row.
//!
//! A mark is an inode on a device under a name in a directory. So it stays with its entry in any order, in any view, and
//! through rescans, after which it is kept if the same inode still has the same path.
//!
//! Knows no keys and no screen. Invariant: nothing is marked twice, and only what something is known of.

use std::collections::{HashMap, HashSet};

use crate::kind::Kind;
use crate::tree::{Content, DirId, Facts, Record, Successors, Totals, Tree, join};

/// What is marked.
#[derive(Clone, Debug, Default)]
pub struct Marks<'t> {
    names: HashMap<DirId, HashMap<&'t [u8], Mark>>,
    count: u64,
    totals: Totals,
}

/// A marked entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What it is.
    pub kind: Kind,
    /// The directory it is, with what lies below.
    pub directory: Option<DirId>,
    device: u64,
    inode: u64,
    own: Totals,
    is_linked: bool,
}

/// Where a mark is.
pub type Place<'t> = (DirId, &'t [u8]);

impl Mark {
    /// A mark of an entry of `parent`; none if nothing is known of it.
    fn new(tree: &Tree, parent: DirId, record: &Record<'_>) -> Option<Self> {
        let Content::Known(facts) = record.content else { return None };
        let own = Totals { disk: facts.disk(), apparent: facts.apparent, ..Totals::default() };
        Some(Self {
            kind: record.kind,
            directory: facts.directory,
            device: device(tree, parent, &facts),
            inode: facts.inode,
            own,
            is_linked: facts.links.is_some(),
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.device, self.inode, self.kind) == (other.device, other.inode, other.kind)
    }

    /// What it takes up, with everything below it.
    pub fn totals(&self, tree: &Tree) -> Totals {
        self.directory.map_or(self.own, |id| tree.totals(id))
    }
}

/// The device of an entry of `parent`.
fn device(tree: &Tree, parent: DirId, facts: &Facts) -> u64 {
    match (facts.directory, facts.links) {
        (Some(id), _) => tree.device(id),
        (None, Some(links)) => tree.devices().number(links.device),
        (None, None) => tree.device(parent),
    }
}

impl<'t> Marks<'t> {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What they take up, each inode counted once.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Whether the entry of `parent` with this name is marked.
    pub fn contains(&self, parent: DirId, name: &[u8]) -> bool {
        self.names.get(&parent).is_some_and(|names| names.contains_key(name))
    }

    /// Every mark, those in one directory together.
    pub fn all(&self) -> impl Iterator<Item = (Place<'t>, &Mark)> {
        self.names.iter().flat_map(|(id, names)| names.iter().map(move |(name, mark)| ((*id, *name), mark)))
    }

    /// The marks in the order of the paths of their directories, and in each by name.
    pub fn in_order(&self, tree: &Tree) -> Vec<(Place<'t>, Mark)> {
        let mut directories: Vec<_> = self.names.keys().map(|id| (tree.path(*id), *id)).collect();
        directories.sort_unstable();
        let marks = directories.iter().flat_map(|(_, id)| {
            let mut marks: Vec<_> = self.names[id].iter().map(|(name, mark)| ((*id, *name), *mark)).collect();
            marks.sort_unstable_by_key(|((_, name), _)| *name);
            marks
        });
        marks.collect()
    }

    /// The path of a mark, its root as given.
    pub fn path(tree: &Tree, (parent, name): Place<'_>) -> Vec<u8> {
        let parent = tree.path(parent);
        if parent.is_empty() { name.to_vec() } else { join([parent.as_slice(), name]) }
    }

    /// Marks an entry of `parent`; says whether that can be.
    pub fn set(&mut self, tree: &Tree, parent: DirId, record: &Record<'t>) -> bool {
        let Some(mark) = Mark::new(tree, parent, record) else { return false };
        let before = self.names.entry(parent).or_default().insert(record.name, mark);
        self.count += u64::from(before.is_none());
        true
    }

    /// Takes a mark off; says whether there was one.
    pub fn clear(&mut self, (parent, name): Place<'_>) -> bool {
        let Some(names) = self.names.get_mut(&parent) else { return false };
        let was_there = names.remove(name).is_some();
        if names.is_empty() {
            self.names.remove(&parent);
        }
        self.count -= u64::from(was_there);
        was_there
    }

    /// Adds them up anew; to be called after changes.
    pub fn add_up(&mut self, tree: &Tree) {
        self.totals = Sum::of(self, tree);
    }

    /// Keeps, after a rescan, the marks of what still is where it was. Says how many are gone.
    pub fn renew(&mut self, tree: &'t Tree, successors: &mut Successors<'t>) -> u64 {
        let before = std::mem::take(self);
        for (parent, names) in &before.names {
            let Some(parent) = successors.find(*parent) else { continue };
            let listing = tree.listing(parent);
            // One pass over the listing, however many of its entries are marked.
            for (_, record) in listing.entries() {
                let mark = Mark::new(tree, parent, &record);
                if let (Some(old), Some(new)) = (names.get(record.name), mark)
                    && old.is_same(&new)
                {
                    self.set(tree, parent, &record);
                }
            }
        }
        self.add_up(tree);
        before.count - self.count
    }
}

/// Adding marks up: nothing below a marked directory counts beside it, and no inode twice.
struct Sum<'t> {
    tree: &'t Tree,
    marked: HashSet<DirId>,
    /// The outermost marked directory at or above each directory that was asked for.
    covers: HashMap<DirId, Option<DirId>>,
}

impl<'t> Sum<'t> {
    fn of(marks: &Marks<'_>, tree: &'t Tree) -> Totals {
        let marked = marks.all().filter_map(|(_, mark)| mark.directory).collect();
        let mut sum = Self { tree, marked, covers: HashMap::new() };
        let mut totals = Totals::default();
        let mut outermost = HashSet::new();
        let mut linked: HashMap<(u64, u64), Totals> = HashMap::new();
        for ((parent, _), mark) in marks.all() {
            if sum.cover(parent).is_some() {
                continue;
            }
            match mark.directory {
                Some(id) if sum.cover(id) == Some(id) && outermost.insert(id) => {
                    totals.add(&mark.totals(tree));
                }
                Some(_) => {}
                None if mark.is_linked => {
                    linked.insert((mark.device, mark.inode), mark.own);
                }
                None => totals.add(&mark.own),
            }
        }
        sum.count_linked(&outermost, linked, &mut totals);
        totals
    }

    /// Adds marked names of linked inodes, and takes off what several marked directories have in common.
    fn count_linked(
        &mut self,
        outermost: &HashSet<DirId>,
        mut files: HashMap<(u64, u64), Totals>,
        totals: &mut Totals,
    ) {
        if outermost.is_empty() || (outermost.len() == 1 && files.is_empty()) {
            for own in files.values() {
                totals.add(own);
            }
            return;
        }
        let mut met: HashMap<(u64, u64), HashSet<DirId>> = HashMap::new();
        for name in self.tree.linked() {
            let Some(cover) = self.cover(name.directory) else { continue };
            let inode = (self.tree.devices().number(name.device), name.inode);
            files.remove(&inode);
            let covers = met.entry(inode).or_default();
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
