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
//! Either tree may still grow, or have been left unfinished. Of a directory that is not all there nothing is said but of what
//! is in it on both sides: what is missing may be still to come.
//!
//! Knows no text. Invariant: every entry of either tree is looked at once, and nothing recurses over depth.

use std::collections::{HashMap, HashSet};

use super::{Content, DirId, Facts, Listing, Position, Record, Tree};
use crate::kind::Kind;

/// One of the trees, or a part of it.
#[derive(Clone, Copy)]
pub struct Side<'t> {
    /// The tree.
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
    /// The directory that holds it: in the old tree if it is gone, otherwise in the new one; a root holds itself.
    pub directory: DirId,
    /// Where it is in that directory's listing; of a root nothing.
    pub position: Position,
    /// The directory of the new tree in which it is, or was.
    pub place: DirId,
    /// The directory it is itself, in the tree it is in.
    pub itself: Option<DirId>,
    /// What it took.
    pub before: Extent,
    /// What it takes.
    pub after: Extent,
}

/// Something that a comparison comes across.
#[derive(Clone, Copy, Debug)]
pub enum Met<'t> {
    /// Directories that are one: of the old tree, and of the new.
    Pair(DirId, DirId),
    /// A change.
    Change(Change<'t>),
}

/// An entry of a listing, as far as it matters here.
#[derive(Clone, Copy)]
struct Item<'t> {
    name: &'t [u8],
    position: Position,
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

/// An item of one side only.
#[derive(Clone, Copy)]
struct Lonely<'t> {
    /// The directory that holds it.
    directory: DirId,
    /// That directory, or what became of it, in the new tree.
    place: DirId,
    item: Item<'t>,
}

/// Finds what changed from `old` to `new`; `keep` says which changes are wanted.
pub fn diff<'t>(old: Side<'t>, new: Side<'t>, keep: impl Fn(&Change<'t>) -> bool) -> Vec<Change<'t>> {
    let mut changes = Vec::new();
    let note = |met: Met<'t>| match met {
        Met::Change(change) if keep(&change) => changes.push(change),
        Met::Change(_) | Met::Pair(..) => {}
    };
    compare((old.tree, new.tree), &[(old.root, new.root)], || false, note);
    changes
}

/// Compares `old` with `new` from pairs of roots on, and tells of everything it meets; changes of directories that are new or gone
/// come last. Ends early when it is cancelled, and says whether it came to its end.
pub fn compare<'t>(
    (old, new): (&'t Tree, &'t Tree),
    roots: &[(DirId, DirId)],
    is_cancelled: impl Fn() -> bool,
    note: impl FnMut(Met<'t>),
) -> bool {
    let Some((first_old, first_new)) = roots.first().copied() else { return true };
    let (old, new) = (Side { tree: old, root: first_old }, Side { tree: new, root: first_new });
    let mut diff = Diff { old, new, note, pairs: Vec::new(), gone: Vec::new(), fresh: Vec::new() };
    for (before, after) in roots {
        let what = What::Directory { id: *after, inode: 0, mtime: 0 };
        let item = Item { name: b"", position: 0, kind: Kind::Directory, what };
        let root = Lonely { directory: *after, place: *after, item };
        diff.pair(Fate::Kept, root, (*before, *after));
    }
    loop {
        while let Some((old, new)) = diff.pairs.pop() {
            if is_cancelled() {
                return false;
            }
            diff.listings(old, new);
        }
        if !diff.find_renamed() {
            break;
        }
    }
    for lonely in std::mem::take(&mut diff.gone) {
        let before = lonely.item.extent(old.tree);
        diff.add(Fate::Gone, lonely, before, Extent::default());
    }
    for lonely in std::mem::take(&mut diff.fresh) {
        let after = lonely.item.extent(new.tree);
        diff.add(Fate::New, lonely, Extent::default(), after);
    }
    true
}

struct Diff<'t, N> {
    old: Side<'t>,
    new: Side<'t>,
    note: N,
    /// Directories still to be compared.
    pairs: Vec<(DirId, DirId)>,
    /// Directories that are on one side only, as far as is known.
    gone: Vec<Lonely<'t>>,
    fresh: Vec<Lonely<'t>>,
}

/// On which sides a directory is read whole, so that what is not there is gone, or was not there before.
#[derive(Clone, Copy)]
struct Settled {
    old: bool,
    new: bool,
}

impl<'t, N: FnMut(Met<'t>)> Diff<'t, N> {
    fn listings(&mut self, old: DirId, new: DirId) {
        let is_read = |side: Side<'_>, id| side.tree.status(id).errno.is_none();
        if !is_read(self.old, old) || !is_read(self.new, new) {
            return;
        }
        // Asked before the listings are read: what is all there then, is in them.
        let settled = Settled {
            old: self.old.tree.status(old).is_settled(),
            new: self.new.tree.status(new).is_settled(),
        };
        let mut before = items(&self.old.tree.listing(old));
        let mut after = items(&self.new.tree.listing(new));
        let same = before.iter().zip(&after).take_while(|(a, b)| a.name == b.name).count();
        for index in 0..same {
            self.both((old, before[index]), (new, after[index]), settled);
        }
        let (before, after) = (&mut before[same..], &mut after[same..]);
        before.sort_unstable_by_key(|item| item.name);
        after.sort_unstable_by_key(|item| item.name);
        let (mut one, mut other) = (before.iter().peekable(), after.iter().peekable());
        loop {
            match (one.peek(), other.peek()) {
                (Some(a), Some(b)) if a.name == b.name => {
                    self.both((old, **a), (new, **b), settled);
                    one.next();
                    other.next();
                }
                (Some(a), b) if b.is_none_or(|b| a.name < b.name) => {
                    self.only_old(Lonely { directory: old, place: new, item: **a }, settled);
                    one.next();
                }
                (_, Some(b)) => {
                    self.only_new(Lonely { directory: new, place: new, item: **b }, settled);
                    other.next();
                }
                (_, None) => return,
            }
        }
    }

    /// Entries of the same name.
    fn both(&mut self, (in_old, a): (DirId, Item<'t>), (in_new, b): (DirId, Item<'t>), settled: Settled) {
        let new = Lonely { directory: in_new, place: in_new, item: b };
        match (a.what, b.what) {
            (What::Unknown, _) | (_, What::Unknown) => {}
            (What::Directory { id: before, .. }, What::Directory { id: after, .. }) => {
                self.pair(Fate::Kept, new, (before, after));
            }
            (What::Leaf(before), What::Leaf(after)) => self.add(Fate::Kept, new, before, after),
            _ => {
                self.only_old(Lonely { directory: in_old, place: in_new, item: a }, settled);
                self.only_new(new, settled);
            }
        }
    }

    fn only_old(&mut self, lonely: Lonely<'t>, settled: Settled) {
        match lonely.item.what {
            _ if !settled.new => {}
            What::Directory { .. } => self.gone.push(lonely),
            What::Leaf(before) => self.add(Fate::Gone, lonely, before, Extent::default()),
            What::Unknown => {}
        }
    }

    fn only_new(&mut self, lonely: Lonely<'t>, settled: Settled) {
        match lonely.item.what {
            _ if !settled.old => {}
            What::Directory { .. } => self.fresh.push(lonely),
            What::Leaf(after) => self.add(Fate::New, lonely, Extent::default(), after),
            What::Unknown => {}
        }
    }

    /// Directories that are one, to be compared.
    fn pair(&mut self, fate: Fate, lonely: Lonely<'t>, (old, new): (DirId, DirId)) {
        let is_known = |side: Side<'_>, id| side.tree.status(id).is_known();
        if is_known(self.old, old) && is_known(self.new, new) {
            self.add(fate, lonely, extent(self.old.tree, old), extent(self.new.tree, new));
        }
        (self.note)(Met::Pair(old, new));
        self.pairs.push((old, new));
    }

    fn add(&mut self, fate: Fate, lonely: Lonely<'t>, before: Extent, after: Extent) {
        if fate == Fate::Kept && before == after {
            return;
        }
        let Lonely { directory, place, item } = lonely;
        let Item { name, position, kind, what } = item;
        let itself = match what {
            What::Directory { id, .. } => Some(id),
            What::Leaf(_) | What::Unknown => None,
        };
        (self.note)(Met::Change(Change {
            fate,
            name,
            kind,
            directory,
            position,
            place,
            itself,
            before,
            after,
        }));
    }

    /// Makes pairs of directories that are on one side only and have the same inode. Says whether there are any.
    fn find_renamed(&mut self) -> bool {
        let identify = |side: Side<'t>, lonely: &Lonely<'t>| match lonely.item.what {
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
            let before = identify(self.new, &lonely).and_then(|identity| gone.get(&identity).copied());
            let is_one = |before: &usize| {
                !taken.contains(before) && self.is_one(&self.gone[*before].item, &lonely.item)
            };
            match before.filter(is_one) {
                Some(before) => {
                    let (What::Directory { id: old, .. }, What::Directory { id: new, .. }) =
                        (self.gone[before].item.what, lonely.item.what)
                    else {
                        continue;
                    };
                    taken.insert(before);
                    self.pair(Fate::Renamed(old), lonely, (old, new));
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
        .map(|(position, Record { name, kind, content })| Item { name, position, kind, what: what(&content) })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Plan, build, excluded, failed, file, numbered_dir, numbered_file};

    /// The changes from one tree to the other that `keep` wants: names, what became of them, and directories.
    fn found(
        old: Vec<Plan>,
        new: Vec<Plan>,
        keep: impl Fn(&Change<'_>) -> bool,
    ) -> Vec<(String, Fate, Option<DirId>)> {
        let ((old, from), (new, to)) = (build(old), build(new));
        let changes = diff(Side { tree: &old, root: from }, Side { tree: &new, root: to }, keep);
        let name = |change: &Change<'_>| String::from_utf8(change.name.to_vec()).unwrap();
        let mut told: Vec<_> = changes.iter().map(|it| (name(it), it.fate, it.itself)).collect();
        told.sort_by(|one, other| one.0.cmp(&other.0));
        told
    }

    #[test]
    fn only_the_wanted_changes_are_collected() {
        let old = || vec![file("a", 512, 0), file("b", 512, 0)];
        let new = || vec![file("a", 5120, 0), file("c", 512, 0)];
        let all = found(old(), new(), |_| true);
        let root = build(new()).1;
        let expected = [("", Fate::Kept), ("a", Fate::Kept), ("b", Fate::Gone), ("c", Fate::New)];
        let itself = |name: &str| name.is_empty().then_some(root);
        assert_eq!(all, expected.map(|(name, fate)| (name.to_owned(), fate, itself(name))));
        let wanted = found(old(), new(), |change| change.fate == Fate::New);
        assert_eq!(wanted, [("c".to_owned(), Fate::New, None)]);
    }

    #[test]
    fn a_directory_that_moved_is_known_by_its_inode_and_by_what_it_holds() {
        let fates = |old: Plan, new: Plan| -> Vec<_> {
            let told = found(vec![old], vec![new], |change| !change.name.is_empty()).into_iter();
            told.map(|(name, fate, _)| (name, matches!(fate, Fate::Renamed(_)))).collect()
        };
        let with = |name: &str, entries| numbered_dir(name, 7, entries);
        let same = || vec![numbered_file("x", 8)];
        assert_eq!(fates(with("old", same()), with("new", same())), [("new".to_owned(), true)]);
        assert_eq!(fates(with("old", vec![]), with("new", vec![])), [("new".to_owned(), true)]);
        // Another directory was given the number of the old one.
        for (before, after) in [(same(), vec![numbered_file("y", 9)]), (vec![], same()), (same(), vec![])] {
            let apart = ["new", "old"].map(|name| (name.to_owned(), false));
            let lonely = fates(with("old", before), with("new", after));
            assert!(lonely.iter().filter(|(name, _)| !name.contains(['x', 'y'])).eq(&apart), "{lonely:?}");
        }
    }

    #[test]
    fn an_entry_that_one_side_does_not_know_is_neither_new_nor_gone() {
        for unknown in [failed as fn(&str) -> Plan, excluded] {
            for (old, new) in [(file("a", 512, 0), unknown("a")), (unknown("a"), file("a", 512, 0))] {
                let names: Vec<_> = found(vec![old], vec![new], |change| !change.name.is_empty());
                assert_eq!(names, []);
            }
        }
    }
}
