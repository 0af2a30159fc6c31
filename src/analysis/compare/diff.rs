//! Comparison of two trees, entry by entry.
//!
//! ```text
//! pairs of directories -> both listings side by side -> pairs of entries -> changes, and more pairs
//!                                    |
//!                                    +-> directories on one side only; finally paired by inode
//! ```
//!
//! The listings of an unchanged directory have the same order in both trees. Both listings are therefore read side by
//! side up to the first difference, and only the rest is sorted by name and merged. Entries that could not be read or
//! were excluded on either side are not compared.
//!
//! Either tree may be incomplete or still growing. An entry missing from an incomplete directory is not reported as new
//! or deleted, because it may simply not have been read yet.
//!
//! Invariant: no pair of directories is compared twice, and the call stack does not grow with the depth of the
//! directories.

use std::collections::{HashMap, HashSet};

use crate::base::kind::Kind;
use crate::base::sort::sort_by;
use crate::tree::{DirId, Entry, EntryId, EntryState, Listing, Metadata, Position, Tree};

/// One side of a comparison: a tree or a subtree.
#[derive(Clone, Copy)]
pub struct Side<'t> {
    /// Tree that contains the directory `root`.
    pub tree: &'t Tree,
    /// Directory at which the comparison starts.
    pub root: DirId,
}

/// Kind of a change between the old and the new tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The entry is in both trees.
    Kept,
    /// The directory was renamed or moved. Contains its ID in the old tree.
    Renamed(DirId),
    /// The entry is only in the new tree.
    New,
    /// The entry is only in the old tree.
    Deleted,
}

/// Sizes of an entry in bytes. For a directory, they include everything below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub disk: u64,
    pub apparent: u64,
}

/// Changed entry, or directory with changes below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'t> {
    pub difference: ChangeKind,
    /// Name of the entry; empty for a root.
    pub name: &'t [u8],
    pub kind: Kind,
    /// ID of the entry: in the old tree if the entry was deleted, otherwise in the new tree. For a root, the field
    /// `directory` is the ID of the root itself, and `position` is unused.
    pub entry: EntryId,
    /// Directory in the new tree that contains the entry. For a deleted entry: the counterpart of the directory that
    /// contained the entry in the old tree. For a root: the root itself.
    pub new_parent: DirId,
    /// ID of the directory, in the same tree as `entry`; `None` if the entry is not a directory.
    pub itself: Option<DirId>,
    /// Sizes in the old tree.
    pub before: Sizes,
    /// Sizes in the new tree.
    pub after: Sizes,
}

/// One result of a comparison: a pair of directories or a change.
#[derive(Clone, Copy, Debug)]
pub enum Finding<'t> {
    /// IDs of the same directory in the old tree and in the new tree.
    Pair(DirId, DirId),
    /// Changed entry.
    Change(Change<'t>),
}

/// Entry of a listing, with the data that a comparison needs.
#[derive(Clone, Copy)]
struct Item<'t> {
    name: &'t [u8],
    position: Position,
    kind: Kind,
    state: ItemState,
}

#[derive(Clone, Copy)]
enum ItemState {
    Directory {
        id: DirId,
        inode: u64,
        mtime: i64,
    },
    Leaf(Sizes),
    /// The entry could not be read, or was excluded.
    Unknown,
}

/// Entry of one of the trees, with its parent directory.
#[derive(Clone, Copy)]
struct Located<'t> {
    /// Parent directory, in the tree that contains the entry.
    directory: DirId,
    /// Directory in the new tree that corresponds to `directory`.
    new_parent: DirId,
    item: Item<'t>,
}

/// Returns the changes from `old` to `new` for which `keep` returns `true`.
pub fn diff<'t>(old: Side<'t>, new: Side<'t>, keep: impl Fn(&Change<'t>) -> bool) -> Vec<Change<'t>> {
    let mut changes = Vec::new();
    let note = |finding: Finding<'t>| match finding {
        Finding::Change(change) if keep(&change) => changes.push(change),
        Finding::Change(_) | Finding::Pair(..) => {}
    };
    compare((old.tree, new.tree), &[(old.root, new.root)], || false, note);
    changes
}

/// Compares `old` with `new`, starting at the pairs in `roots`. Passes every result to `note`; new and deleted
/// directories are passed last. Returns `false` if the comparison was canceled.
pub fn compare<'t>(
    (old, new): (&'t Tree, &'t Tree),
    roots: &[(DirId, DirId)],
    is_cancelled: impl Fn() -> bool,
    note: impl FnMut(Finding<'t>),
) -> bool {
    let Some((first_old, first_new)) = roots.first().copied() else { return true };
    let (old, new) = (Side { tree: old, root: first_old }, Side { tree: new, root: first_new });
    let mut diff = Diff { old, new, note, pairs: Vec::new(), deleted: Vec::new(), added: Vec::new() };
    for (before, after) in roots {
        let state = ItemState::Directory { id: *after, inode: 0, mtime: 0 };
        let item = Item { name: b"", position: 0, kind: Kind::Directory, state };
        let root = Located { directory: *after, new_parent: *after, item };
        diff.pair(ChangeKind::Kept, root, (*before, *after));
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
    for located in std::mem::take(&mut diff.deleted) {
        let before = located.item.sizes_of(old.tree);
        diff.add(ChangeKind::Deleted, located, before, Sizes::default());
    }
    for located in std::mem::take(&mut diff.added) {
        if matches!(located.item.state, ItemState::Directory { id, .. } if new.tree.is_preliminary(id)) {
            continue;
        }
        let after = located.item.sizes_of(new.tree);
        diff.add(ChangeKind::New, located, Sizes::default(), after);
    }
    true
}

struct Diff<'t, N> {
    old: Side<'t>,
    new: Side<'t>,
    note: N,
    /// Pairs of directories that have not been compared yet.
    pairs: Vec<(DirId, DirId)>,
    /// Directories found only in the old tree.
    deleted: Vec<Located<'t>>,
    added: Vec<Located<'t>>,
}

/// Completeness of a directory in each tree: `true` if the directory was read completely. An entry that is missing in
/// one tree counts as new or deleted only if the directory is complete in that tree.
#[derive(Clone, Copy)]
struct Settled {
    old: bool,
    new: bool,
}

impl<'t, N: FnMut(Finding<'t>)> Diff<'t, N> {
    fn listings(&mut self, old: DirId, new: DirId) {
        let is_read = |side: Side<'_>, id| side.tree.status(id).errno.is_none();
        if !is_read(self.old, old) || !is_read(self.new, new) {
            return;
        }
        // The status is checked before the listings are read. If a directory is complete at that point, a listing read
        // afterwards is complete as well.
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
        sort_by(before, |one, other| one.name.cmp(other.name));
        sort_by(after, |one, other| one.name.cmp(other.name));
        let (mut one, mut other) = (before.iter().peekable(), after.iter().peekable());
        loop {
            match (one.peek(), other.peek()) {
                (Some(a), Some(b)) if a.name == b.name => {
                    self.both((old, **a), (new, **b), settled);
                    one.next();
                    other.next();
                }
                (Some(a), b) if b.is_none_or(|b| a.name < b.name) => {
                    self.only_old(Located { directory: old, new_parent: new, item: **a }, settled);
                    one.next();
                }
                (_, Some(b)) => {
                    self.only_new(Located { directory: new, new_parent: new, item: **b }, settled);
                    other.next();
                }
                (_, None) => return,
            }
        }
    }

    /// Compares two entries with the same name.
    fn both(&mut self, (in_old, a): (DirId, Item<'t>), (in_new, b): (DirId, Item<'t>), settled: Settled) {
        let new = Located { directory: in_new, new_parent: in_new, item: b };
        match (a.state, b.state) {
            (ItemState::Unknown, _) | (_, ItemState::Unknown) => {}
            (ItemState::Directory { id: before, .. }, ItemState::Directory { id: after, .. }) => {
                self.pair(ChangeKind::Kept, new, (before, after));
            }
            (ItemState::Leaf(before), ItemState::Leaf(after)) => {
                self.add(ChangeKind::Kept, new, before, after);
            }
            _ => {
                self.only_old(Located { directory: in_old, new_parent: in_new, item: a }, settled);
                self.only_new(new, settled);
            }
        }
    }

    fn only_old(&mut self, located: Located<'t>, settled: Settled) {
        match located.item.state {
            _ if !settled.new => {}
            ItemState::Directory { .. } => self.deleted.push(located),
            ItemState::Leaf(before) => self.add(ChangeKind::Deleted, located, before, Sizes::default()),
            ItemState::Unknown => {}
        }
    }

    fn only_new(&mut self, located: Located<'t>, settled: Settled) {
        match located.item.state {
            _ if !settled.old => {}
            ItemState::Directory { .. } => self.added.push(located),
            ItemState::Leaf(after) => self.add(ChangeKind::New, located, Sizes::default(), after),
            ItemState::Unknown => {}
        }
    }

    /// Passes a pair of directories to `note`, and queues it so that its entries are compared later. If the totals of
    /// both are comparable, also passes the change, unless its kind is [`ChangeKind::Kept`] and the sizes are equal.
    fn pair(&mut self, difference: ChangeKind, located: Located<'t>, (old, new): (DirId, DirId)) {
        if self.old.tree.is_comparable(old) && self.new.tree.is_comparable(new) {
            self.add(difference, located, sizes_of(self.old.tree, old), sizes_of(self.new.tree, new));
        }
        (self.note)(Finding::Pair(old, new));
        self.pairs.push((old, new));
    }

    fn add(&mut self, difference: ChangeKind, located: Located<'t>, before: Sizes, after: Sizes) {
        if difference == ChangeKind::Kept && before == after {
            return;
        }
        let Located { directory, new_parent, item } = located;
        let Item { name, position, kind, state } = item;
        let itself = match state {
            ItemState::Directory { id, .. } => Some(id),
            ItemState::Leaf(_) | ItemState::Unknown => None,
        };
        (self.note)(Finding::Change(Change {
            difference,
            name,
            kind,
            entry: EntryId { directory, position },
            new_parent,
            itself,
            before,
            after,
        }));
    }

    /// Finds renamed and moved directories. Pairs a directory that is only in the old tree with a directory that is
    /// only in the new tree if both have the same device and inode number, and [`Self::is_same_directory`] confirms
    /// that the number was not reused. Returns `true` if it finds any pair.
    fn find_renamed(&mut self) -> bool {
        let identify = |side: Side<'t>, located: &Located<'t>| match located.item.state {
            ItemState::Directory { id, inode, .. } if inode != 0 => Some((device_of(side, id), inode)),
            _ => None,
        };
        let deleted: HashMap<_, usize> = self
            .deleted
            .iter()
            .enumerate()
            .filter_map(|(index, located)| Some((identify(self.old, located)?, index)))
            .collect();
        let mut taken = HashSet::new();
        for located in std::mem::take(&mut self.added) {
            let before = identify(self.new, &located).and_then(|identity| deleted.get(&identity).copied());
            let is_same_directory = |before: &usize| {
                !taken.contains(before) && self.is_same_directory(&self.deleted[*before].item, &located.item)
            };
            match before.filter(is_same_directory) {
                Some(before) => {
                    let (ItemState::Directory { id: old, .. }, ItemState::Directory { id: new, .. }) =
                        (self.deleted[before].item.state, located.item.state)
                    else {
                        continue;
                    };
                    taken.insert(before);
                    self.pair(ChangeKind::Renamed(old), located, (old, new));
                }
                None => self.added.push(located),
            }
        }
        let mut index = 0;
        self.deleted.retain(|_| {
            index += 1;
            !taken.contains(&(index - 1))
        });
        !taken.is_empty()
    }

    /// Returns `true` if two directories with the same inode number are the same directory; `false` if the number was
    /// reused. The directories are the same if they contain an entry with the same name and inode number. Two empty
    /// directories are the same if they have the same modification time.
    fn is_same_directory(&self, old: &Item<'t>, new: &Item<'t>) -> bool {
        let (
            ItemState::Directory { id: old, mtime: then, .. },
            ItemState::Directory { id: new, mtime: now, .. },
        ) = (old.state, new.state)
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
    fn sizes_of(&self, tree: &Tree) -> Sizes {
        match self.state {
            ItemState::Directory { id, .. } => sizes_of(tree, id),
            ItemState::Leaf(extent) => extent,
            ItemState::Unknown => Sizes::default(),
        }
    }
}

fn items<'t>(listing: &Listing<'t>) -> Vec<Item<'t>> {
    listing
        .entries()
        .map(|(position, Entry { name, kind, state })| Item {
            name,
            position,
            kind,
            state: item_state(&state),
        })
        .collect()
}

fn item_state(state: &EntryState) -> ItemState {
    match state {
        EntryState::Known(Metadata { directory: Some(id), inode, mtime, .. }) => {
            ItemState::Directory { id: *id, inode: *inode, mtime: *mtime }
        }
        EntryState::Known(metadata) => {
            ItemState::Leaf(Sizes { disk: metadata.disk(), apparent: metadata.apparent })
        }
        EntryState::Excluded(_) | EntryState::Failed(_) => ItemState::Unknown,
    }
}

fn inode(record: &Entry<'_>) -> u64 {
    match &record.state {
        EntryState::Known(metadata) => metadata.inode,
        EntryState::Excluded(_) | EntryState::Failed(_) => 0,
    }
}

/// Pairs the roots of two trees by name. If no names match, pairs the roots by position. Omits roots that are files or
/// lie inside other roots. If a tree has roots from several hosts, the name of each root begins with its host.
pub fn roots(old: &Tree, new: &Tree) -> Vec<(DirId, DirId)> {
    let (before, after) = (root_directories(old), root_directories(new));
    let known: HashMap<&[u8], DirId> = before.iter().flatten().map(|id| (old.name(*id), *id)).collect();
    let named = after.iter().flatten().filter_map(|id| Some((*known.get(new.name(*id))?, *id)));
    let named: Vec<_> = named.collect();
    if !named.is_empty() {
        return named;
    }
    before.into_iter().zip(after).filter_map(|(old, new)| Some((old?, new?))).collect()
}

/// Returns the directory of each root, or `None` if the root is a file or lies inside another root.
pub fn root_directories(tree: &Tree) -> Vec<Option<DirId>> {
    let listing = tree.listing(DirId::TOP);
    let aliases = tree.alias_positions();
    let own = |position| !aliases.contains(&position);
    listing.entries().map(|(position, root)| root.directory().filter(|_| own(position))).collect()
}

fn sizes_of(tree: &Tree, id: DirId) -> Sizes {
    let totals = tree.totals(id);
    Sizes { disk: totals.disk, apparent: totals.apparent }
}

/// Returns the device number of a directory, or `None` if the directory is on the same device as the root. `None` is
/// used instead of the root's device number, because this number can change when the machine restarts.
fn device_of(side: Side<'_>, id: DirId) -> Option<u64> {
    Some(side.tree.device(id)).filter(|device| *device != side.tree.device(side.root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Plan, build, excluded, failed, file, numbered_dir, numbered_file};

    /// Returns the name, the kind of change and the directory ID for each change that `keep` selects.
    fn found(
        old: Vec<Plan>,
        new: Vec<Plan>,
        keep: impl Fn(&Change<'_>) -> bool,
    ) -> Vec<(String, ChangeKind, Option<DirId>)> {
        let ((old, from), (new, to)) = (build(old), build(new));
        let changes = diff(Side { tree: &old, root: from }, Side { tree: &new, root: to }, keep);
        let name = |change: &Change<'_>| String::from_utf8(change.name.to_vec()).unwrap();
        let mut found_changes: Vec<_> =
            changes.iter().map(|it| (name(it), it.difference, it.itself)).collect();
        found_changes.sort_by(|one, other| one.0.cmp(&other.0));
        found_changes
    }

    #[test]
    fn only_the_wanted_changes_are_collected() {
        let old = || vec![file("a", 512, 0), file("b", 512, 0)];
        let new = || vec![file("a", 5120, 0), file("c", 512, 0)];
        let all = found(old(), new(), |_| true);
        let root = build(new()).1;
        let expected = [
            ("", ChangeKind::Kept),
            ("a", ChangeKind::Kept),
            ("b", ChangeKind::Deleted),
            ("c", ChangeKind::New),
        ];
        let itself = |name: &str| name.is_empty().then_some(root);
        assert_eq!(all, expected.map(|(name, difference)| (name.to_owned(), difference, itself(name))));
        let wanted = found(old(), new(), |change| change.difference == ChangeKind::New);
        assert_eq!(wanted, [("c".to_owned(), ChangeKind::New, None)]);
    }

    #[test]
    fn a_moved_directory_is_recognized_by_its_inode_and_its_contents() {
        let fates = |old: Plan, new: Plan| -> Vec<_> {
            let found_changes = found(vec![old], vec![new], |change| !change.name.is_empty()).into_iter();
            found_changes
                .map(|(name, difference, _)| (name, matches!(difference, ChangeKind::Renamed(_))))
                .collect()
        };
        let with = |name: &str, entries| numbered_dir(name, 7, entries);
        let same = || vec![numbered_file("x", 8)];
        assert_eq!(fates(with("old", same()), with("new", same())), [("new".to_owned(), true)]);
        assert_eq!(fates(with("old", vec![]), with("new", vec![])), [("new".to_owned(), true)]);
        // The inode numbers are equal, but the contents differ: another directory has reused the number.
        for (before, after) in [(same(), vec![numbered_file("y", 9)]), (vec![], same()), (same(), vec![])] {
            let apart = ["new", "old"].map(|name| (name.to_owned(), false));
            let located = fates(with("old", before), with("new", after));
            assert!(located.iter().filter(|(name, _)| !name.contains(['x', 'y'])).eq(&apart), "{located:?}");
        }
    }

    #[test]
    fn an_entry_unknown_on_one_side_is_neither_new_nor_deleted() {
        for unknown in [failed as fn(&str) -> Plan, excluded] {
            for (old, new) in [(file("a", 512, 0), unknown("a")), (unknown("a"), file("a", 512, 0))] {
                let names: Vec<_> = found(vec![old], vec![new], |change| !change.name.is_empty());
                assert_eq!(names, []);
            }
        }
    }
}
