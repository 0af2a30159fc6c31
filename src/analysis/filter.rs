//! Filter: per-directory totals of the entries that a query keeps.
//!
//! A walk lists the directories, parents before their children, with the totals of the kept entries in each. Then the
//! totals of each directory are added to those of its parent, from the end of the list to the start. Hard links are
//! added separately at the end, because an inode counts only once in each directory above its kept names, as in the
//! tree's totals.
//!
//! Invariant: if the query is empty and the walk starts at the top of the tree, the totals equal those of the tree.

use crate::analysis::parallel_walk::{Collector, Mode, Progress, WalkEntry, parallel_walk};
use crate::analysis::request::Request;
use crate::base::job::Task;
use crate::query::standing::{Standing, as_root};
use crate::query::terms::{Query, Test, Types};
use crate::tree::{DirId, Entry, EntryState, Metadata, Totals, Tree, UniqueSizes};

/// Totals of the entries that a filter keeps, per directory.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Query that selects the kept entries.
    query: Query,
    /// Totals of each directory with kept entries, sorted by directory.
    totals: Vec<(DirId, Totals)>,
    /// Number of kept entries: the n in "n of m".
    pub matched: u64,
    /// Number of searched entries: the m in "n of m".
    pub searched: u64,
    /// Total of all kept entries. Each inode is counted once.
    pub sum: Totals,
}

impl Filter {
    /// Returns the result of a filter that matches nothing.
    pub fn nothing() -> Self {
        Self { query: Query::of(Test::Type(Types::default())), ..Self::default() }
    }

    /// Returns the totals of the kept entries below `id`. If `id` itself is kept, its own size is included. Each kept
    /// name below `id` counts as one item.
    pub fn totals(&self, id: DirId) -> Totals {
        let found = self.totals.binary_search_by_key(&id, |(id, _)| *id);
        found.map(|index| self.totals[index].1).unwrap_or_default()
    }

    /// Returns `true` if a view shows directory `id`, because the directory itself or something below it is kept.
    pub fn keeps(&self, id: DirId) -> bool {
        self.totals.binary_search_by_key(&id, |(id, _)| *id).is_ok()
    }
}

/// Filter applied to the entries of one directory.
pub struct FilterCursor<'q> {
    tree: &'q Tree,
    filtered: &'q Filter,
    directory: DirId,
    standing: Standing,
    path: Vec<u8>,
}

impl<'q> FilterCursor<'q> {
    /// Creates a filter for the entries of `directory`.
    pub fn new(tree: &'q Tree, filtered: &'q Filter, directory: DirId) -> Self {
        let standing = filtered.query.standing(tree, directory);
        Self { tree, filtered, directory, standing, path: tree.path(directory) }
    }

    /// Returns `true` if the entry itself or anything below it is kept. Views show only such entries.
    pub fn shows(&self, record: &Entry<'_>) -> bool {
        match record.state {
            EntryState::Known(Metadata { directory: Some(id), .. }) => self.filtered.keeps(id),
            _ => self.keeps(record),
        }
    }

    /// Returns `true` if the query keeps the entry, ignoring anything below it.
    fn keeps(&self, record: &Entry<'_>) -> bool {
        let asked = if self.directory == DirId::TOP { as_root(*record) } else { *record };
        self.filtered.query.keeps(self.standing, (self.directory, &self.path), self.tree, &asked)
    }
}

/// Runs a filter and publishes its result at the end.
pub(crate) fn run(request: &Request, task: &Task<Filter>) {
    parallel_walk(request, Mode::Filter, task, Kept::default(), |kept, progress| {
        progress.complete.then(|| std::mem::take(kept).filtered(request, progress))
    });
}

/// Collector of the entries that the query keeps, grouped by directory.
#[derive(Default)]
struct Kept {
    /// Visited directories, parents before children. A huge directory occurs several times if it is visited in pieces.
    directories: Vec<Direct>,
    sizes: UniqueSizes,
    matched: u64,
}

/// Kept entries of one directory.
struct Direct {
    id: DirId,
    totals: Totals,
    /// `true` if the directory itself or something in it is kept.
    is_kept: bool,
}

impl Collector for Kept {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn enter(&mut self, id: DirId, own: Option<&Totals>) {
        self.directories.push(Direct {
            id,
            totals: own.copied().unwrap_or_default(),
            is_kept: own.is_some(),
        });
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        self.matched += 1;
        entry.add_to(&mut self.sizes);
        let direct =
            self.directories.last_mut().expect("a directory is entered before its entries are visited");
        direct.is_kept = true;
        // As in the tree's totals, a root does not count as an item, and excluded entries are never counted.
        let is_item =
            entry.id.directory != DirId::TOP && !matches!(entry.record.state, EntryState::Excluded(_));
        direct.totals.items += u64::from(is_item);
        match entry.metadata() {
            // Hard links are added at the end, and a directory's own size is added when the directory is entered.
            Some(metadata) if metadata.links.is_some() || metadata.directory.is_some() => {}
            _ => direct.totals.add(&entry.own),
        }
    }

    fn merge(&mut self, mut other: Self) {
        self.directories.append(&mut other.directories);
        self.sizes.merge(other.sizes);
        self.matched += other.matched;
    }
}

impl Kept {
    fn filtered(mut self, request: &Request, progress: Progress) -> Filter {
        let indexes = self.indexes();
        let above = self.above(&request.tree, request.from, &indexes);
        for at in (0..above.len()).rev() {
            let Direct { totals, is_kept, .. } = self.directories[at];
            if let Some(above) = above[at] {
                self.directories[above].totals.add(&totals);
                self.directories[above].is_kept |= is_kept;
            }
        }
        let sum = self.sizes.total();
        let parent = |id| if id == request.from { None } else { request.tree.parent(id) };
        std::mem::take(&mut self.sizes).per_directory(parent, |id, sizes| {
            // Only a directory moved by a rescan is missing from `indexes`, and the filter runs again after a rescan.
            if let Some(at) = index_of(&indexes, id) {
                self.directories[at].totals.add(sizes);
            }
        });
        let kept = indexes.iter().map(|&(_, at)| &self.directories[at]).filter(|direct| direct.is_kept);
        Filter {
            query: request.query.clone(),
            totals: kept.map(|direct| (direct.id, direct.totals)).collect(),
            matched: self.matched,
            searched: progress.searched,
            sum,
        }
    }

    /// Returns each directory with its first index in `directories`, sorted by directory.
    fn indexes(&self) -> Vec<(DirId, usize)> {
        let mut indexes: Vec<_> =
            self.directories.iter().enumerate().map(|(at, direct)| (direct.id, at)).collect();
        indexes.sort_unstable();
        indexes.dedup_by_key(|(id, _)| *id);
        indexes
    }

    /// Returns, for each element of `self.directories`, the index of the element to which its totals are added. This is
    /// the parent directory or, for a later part of a huge directory, the first part of the same directory. The index
    /// is `None` for the directory where the walk started, and may be `None` for a directory that a rescan has moved.
    fn above(&self, tree: &Tree, from: DirId, indexes: &[(DirId, usize)]) -> Vec<Option<usize>> {
        let above = |(at, direct): (usize, &Direct)| {
            let first = index_of(indexes, direct.id)?;
            let above = if first < at {
                first
            } else if direct.id == from {
                return None;
            } else {
                index_of(indexes, tree.parent(direct.id)?)?
            };
            // The parent has a larger index only if a rescan has moved the directory. The parent's totals are then
            // too small until the filter runs again, as it does after every rescan.
            (above < at).then_some(above)
        };
        self.directories.iter().enumerate().map(above).collect()
    }
}

fn index_of(indexes: &[(DirId, usize)], id: DirId) -> Option<usize> {
    indexes.binary_search_by_key(&id, |(id, _)| *id).ok().map(|index| indexes[index].1)
}
