//! What changed between two trees, entry by entry.
//!
//! ```text
//! pairs of directories -> both listings side by side -> pairs of entries -> changes, and further pairs
//!                                    |
//!                                    +-> directories of one side only; at last those of the same inode are pairs too
//! ```
//!
//! Listings of an unchanged directory come in the same order, so they are walked together until they differ, and only the rest
//! is sorted by name and merged. What a file system says of an entry that could not be read, or was left out, on either side is
//! not compared.
//!
//! Knows no text. Invariant: every entry of either tree is looked at once, and nothing recurses over depth.

use std::collections::{HashMap, HashSet};

use super::{Content, DirId, Facts, Listing, Record, Tree};
use crate::kind::Kind;

/// One of the trees, or a part of it.
#[derive(Clone, Copy)]
pub struct Side<'t> {
    /// The tree, at rest.
    pub tree: &'t Tree,
    /// The directory that is compared.
    pub root: DirId,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is on both sides.
    Kept,
    /// It is a directory of another name or place: this one of the old tree.
    Renamed(DirId),
    /// It is on the new side only.
    New,
    /// It was on the old side only.
    Gone,
}

/// What an entry takes, in bytes; of a directory, all in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// On the disk.
    pub disk: u64,
    /// By its length.
    pub apparent: u64,
}

/// An entry that is not as it was, or a directory in which one is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'t> {
    /// What became of it.
    pub fate: Fate,
    /// Its name; that of the root is empty.
    pub name: &'t [u8],
    /// What it is.
    pub kind: Kind,
    /// The directory that holds it: in the old tree if it is gone, otherwise in the new one; the root holds itself.
    pub directory: DirId,
    /// What it took.
    pub before: Extent,
    /// What it takes.
    pub after: Extent,
}

/// An entry of a listing, as far as it matters here.
#[derive(Clone, Copy)]
struct Item<'t> {
    name: &'t [u8],
    kind: Kind,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Directory {
        id: DirId,
        inode: u64,
        mtime: i64,
    },
    Leaf(Extent),
    /// It could not be read, or was left out.
    Unknown,
}

/// An item of one side only, in its directory.
type Lonely<'t> = (DirId, Item<'t>);

/// Finds what changed from `old` to `new`; `keep` says which changes are wanted.
pub fn diff<'t>(old: Side<'t>, new: Side<'t>, keep: impl Fn(&Change<'t>) -> bool) -> Vec<Change<'t>> {
    let mut diff =
        Diff { old, new, keep, changes: Vec::new(), pairs: Vec::new(), gone: Vec::new(), fresh: Vec::new() };
    let root = Item { name: b"", kind: Kind::Directory, what: What::Unknown };
    diff.pair(Fate::Kept, new.root, root, (old.root, new.root));
    loop {
        while let Some((old, new)) = diff.pairs.pop() {
            diff.compare(old, new);
        }
        if !diff.find_renamed() {
            break;
        }
    }
    for (directory, item) in std::mem::take(&mut diff.gone) {
        let before = item.extent(old.tree);
        diff.add(Fate::Gone, directory, item, before, Extent::default());
    }
    for (directory, item) in std::mem::take(&mut diff.fresh) {
        let after = item.extent(new.tree);
        diff.add(Fate::New, directory, item, Extent::default(), after);
    }
    diff.changes
}

struct Diff<'t, K> {
    old: Side<'t>,
    new: Side<'t>,
    keep: K,
    changes: Vec<Change<'t>>,
    /// Directories still to be compared.
    pairs: Vec<(DirId, DirId)>,
    /// Directories that are on one side only, as far as is known.
    gone: Vec<Lonely<'t>>,
    fresh: Vec<Lonely<'t>>,
}

impl<'t, K: Fn(&Change<'t>) -> bool> Diff<'t, K> {
    fn compare(&mut self, old: DirId, new: DirId) {
        let is_read = |side: Side<'_>, id| side.tree.status(id).errno.is_none();
        if !is_read(self.old, old) || !is_read(self.new, new) {
            return;
        }
        let mut before = items(&self.old.tree.listing(old));
        let mut after = items(&self.new.tree.listing(new));
        let same = before.iter().zip(&after).take_while(|(a, b)| a.name == b.name).count();
        for index in 0..same {
            self.both((old, before[index]), (new, after[index]));
        }
        let (before, after) = (&mut before[same..], &mut after[same..]);
        before.sort_unstable_by_key(|item| item.name);
        after.sort_unstable_by_key(|item| item.name);
        let (mut one, mut other) = (before.iter().peekable(), after.iter().peekable());
        loop {
            match (one.peek(), other.peek()) {
                (Some(a), Some(b)) if a.name == b.name => {
                    self.both((old, **a), (new, **b));
                    one.next();
                    other.next();
                }
                (Some(a), b) if b.is_none_or(|b| a.name < b.name) => {
                    self.only_old(old, **a);
                    one.next();
                }
                (_, Some(b)) => {
                    self.only_new(new, **b);
                    other.next();
                }
                (_, None) => return,
            }
        }
    }

    /// Entries of the same name.
    fn both(&mut self, (in_old, a): Lonely<'t>, (in_new, b): Lonely<'t>) {
        match (a.what, b.what) {
            (What::Unknown, _) | (_, What::Unknown) => {}
            (What::Directory { id: old, .. }, What::Directory { id: new, .. }) => {
                self.pair(Fate::Kept, in_new, b, (old, new));
            }
            (What::Leaf(before), What::Leaf(after)) => self.add(Fate::Kept, in_new, b, before, after),
            _ => {
                self.only_old(in_old, a);
                self.only_new(in_new, b);
            }
        }
    }

    fn only_old(&mut self, directory: DirId, item: Item<'t>) {
        match item.what {
            What::Directory { .. } => self.gone.push((directory, item)),
            What::Leaf(before) => self.add(Fate::Gone, directory, item, before, Extent::default()),
            What::Unknown => {}
        }
    }

    fn only_new(&mut self, directory: DirId, item: Item<'t>) {
        match item.what {
            What::Directory { .. } => self.fresh.push((directory, item)),
            What::Leaf(after) => self.add(Fate::New, directory, item, Extent::default(), after),
            What::Unknown => {}
        }
    }

    /// Directories that are one, to be compared.
    fn pair(&mut self, fate: Fate, directory: DirId, item: Item<'t>, (old, new): (DirId, DirId)) {
        self.add(fate, directory, item, extent(self.old.tree, old), extent(self.new.tree, new));
        self.pairs.push((old, new));
    }

    fn add(&mut self, fate: Fate, directory: DirId, item: Item<'t>, before: Extent, after: Extent) {
        let change = Change { fate, name: item.name, kind: item.kind, directory, before, after };
        if (fate != Fate::Kept || before != after) && (self.keep)(&change) {
            self.changes.push(change);
        }
    }

    /// Makes pairs of directories that are on one side only and have the same inode. Says whether there are any.
    fn find_renamed(&mut self) -> bool {
        let identify = |side: Side<'t>, (_, item): &Lonely<'t>| match item.what {
            What::Directory { id, inode, .. } if inode != 0 => Some((place(side, id), inode)),
            _ => None,
        };
        let gone: HashMap<_, usize> = self
            .gone
            .iter()
            .enumerate()
            .filter_map(|(index, lonely)| Some((identify(self.old, lonely)?, index)))
            .collect();
        let mut taken = HashSet::new();
        for lonely in std::mem::take(&mut self.fresh) {
            let (directory, item) = lonely;
            let before = identify(self.new, &lonely).and_then(|identity| gone.get(&identity).copied());
            match before.filter(|before| !taken.contains(before) && self.is_one(&self.gone[*before].1, &item))
            {
                Some(before) => {
                    let (What::Directory { id: old, .. }, What::Directory { id: new, .. }) =
                        (self.gone[before].1.what, item.what)
                    else {
                        continue;
                    };
                    taken.insert(before);
                    self.pair(Fate::Renamed(old), directory, item, (old, new));
                }
                None => self.fresh.push(lonely),
            }
        }
        let mut index = 0;
        self.gone.retain(|_| {
            index += 1;
            !taken.contains(&(index - 1))
        });
        !taken.is_empty()
    }

    /// Whether directories of one inode number are one, and not a later one that was given the number of an earlier: they share an
    /// entry, or are empty since the same time.
    fn is_one(&self, old: &Item<'t>, new: &Item<'t>) -> bool {
        let (What::Directory { id: old, mtime: then, .. }, What::Directory { id: new, mtime: now, .. }) =
            (old.what, new.what)
        else {
            return false;
        };
        let (before, after) = (self.old.tree.listing(old), self.new.tree.listing(new));
        if before.is_empty() && after.is_empty() {
            return then == now;
        }
        let known: HashSet<(&[u8], u64)> =
            before.entries().map(|(_, record)| (record.name, inode(&record))).collect();
        after.entries().any(|(_, record)| known.contains(&(record.name, inode(&record))))
    }
}

impl Item<'_> {
    fn extent(&self, tree: &Tree) -> Extent {
        match self.what {
            What::Directory { id, .. } => extent(tree, id),
            What::Leaf(extent) => extent,
            What::Unknown => Extent::default(),
        }
    }
}

fn items<'t>(listing: &Listing<'t>) -> Vec<Item<'t>> {
    listing
        .entries()
        .map(|(_, Record { name, kind, content })| Item { name, kind, what: what(&content) })
        .collect()
}

fn what(content: &Content) -> What {
    match content {
        Content::Known(Facts { directory: Some(id), inode, mtime, .. }) => {
            What::Directory { id: *id, inode: *inode, mtime: *mtime }
        }
        Content::Known(facts) => What::Leaf(Extent { disk: facts.disk(), apparent: facts.apparent }),
        Content::Excluded(_) | Content::Failed(_) => What::Unknown,
    }
}

fn inode(record: &Record<'_>) -> u64 {
    match &record.content {
        Content::Known(facts) => facts.inode,
        Content::Excluded(_) | Content::Failed(_) => 0,
    }
}

fn extent(tree: &Tree, id: DirId) -> Extent {
    let totals = tree.totals(id);
    Extent { disk: totals.disk, apparent: totals.apparent }
}

/// The device of a directory; none if it is that of the root, whose number may change when a system starts anew.
fn place(side: Side<'_>, id: DirId) -> Option<u64> {
    Some(side.tree.device(id)).filter(|device| *device != side.tree.device(side.root))
}
