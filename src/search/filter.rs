//! What a filter keeps, added up for every directory, beside the tree.
//!
//! A sweep gives for every directory what is kept directly in it, each directory after the one above it. So one walk
//! back over that list hands every sum up. Hard links are left out of those sums and added at the end: an inode once in
//! each directory above any of its kept names, as in the totals of the tree.
//!
//! Invariant: with an empty query from the top the totals are the tree's.

use std::cmp::Reverse;

use super::query::{Inode, Query, Subject, Test, Types, push_name};
use super::sweep::{Entry, Mode, Progress, Tally, as_root, sizes, sweep};
use super::{Account, Request};
use crate::job::Task;
use crate::tree::{Content, DirId, Facts, Record, Totals, Tree};

/// What a filter keeps.
#[derive(Clone, Debug, Default)]
pub struct Filtered {
    /// What it keeps.
    query: Query,
    /// What is kept in and below each directory that keeps anything, sorted by directory.
    totals: Vec<(DirId, Totals)>,
    /// How many entries are kept: the n in "n of m".
    pub matched: u64,
    /// How many entries were looked at: the m.
    pub searched: u64,
    /// What all that is kept takes up, each inode once.
    pub sum: Totals,
}

impl Filtered {
    /// What a filter keeps that nothing meets.
    pub fn nothing() -> Self {
        Self { query: Query::of(Test::Type(Types::default())), ..Self::default() }
    }

    /// What is kept in and below `id`, which counts itself if it is kept. Items are names below it.
    pub fn totals(&self, id: DirId) -> Totals {
        let found = self.totals.binary_search_by_key(&id, |(id, _)| *id);
        found.map(|index| self.totals[index].1).unwrap_or_default()
    }

    /// Whether a view shows the directory `id`: something in it is kept, or it is itself.
    pub fn keeps(&self, id: DirId) -> bool {
        self.totals.binary_search_by_key(&id, |(id, _)| *id).is_ok()
    }
}

/// Tells which entries of one directory a filter keeps.
pub struct Keeper<'q> {
    tree: &'q Tree,
    filtered: &'q Filtered,
    directory: DirId,
    /// What the directory and those above it say.
    said: u64,
    /// Its path with a slash behind, and then the name of the entry asked about.
    path: Vec<u8>,
    /// How much of that is the directory's.
    length: usize,
}

impl<'q> Keeper<'q> {
    /// For the entries of `directory`.
    pub fn new(tree: &'q Tree, filtered: &'q Filtered, directory: DirId) -> Self {
        let mut path = tree.path(directory);
        push_name(&mut path, b"");
        let said = filtered.query.said_by_path(tree, directory);
        Self { tree, filtered, directory, said, length: path.len(), path }
    }

    /// Whether a view shows an entry of the directory: it is kept, or something in it is.
    pub fn shows(&mut self, record: &Record<'_>) -> bool {
        match record.content {
            Content::Known(Facts { directory: Some(id), .. }) => self.filtered.keeps(id),
            _ => self.keeps(record),
        }
    }

    /// Whether the filter keeps an entry of the directory itself.
    pub fn keeps(&mut self, record: &Record<'_>) -> bool {
        self.path.truncate(self.length);
        self.path.extend_from_slice(record.name);
        let asked = if self.directory == DirId::TOP { as_root(*record) } else { *record };
        let (Totals { disk, apparent, .. }, _) = sizes(self.tree, Mode::Filter, record);
        let subject = Subject { tree: self.tree, record: &asked, disk, apparent, path: &self.path };
        self.filtered.query.check(&subject, self.said).0
    }
}

/// Runs a filter to its end; nothing is published before.
pub(super) fn run(request: &Request, task: &Task<Filtered>) {
    sweep(request, Mode::Filter, task, Kept::default(), |kept, progress| {
        progress.complete.then(|| std::mem::take(kept).filtered(request, progress))
    });
}

/// What is kept, not yet added up.
#[derive(Default)]
struct Kept {
    /// In the order of being entered. A huge directory may be there several times.
    directories: Vec<Direct>,
    linked: Vec<LinkedName>,
    account: Account,
    matched: u64,
}

/// What is kept directly in a directory.
struct Direct {
    id: DirId,
    totals: Totals,
    /// It was itself kept, or something in it was.
    is_kept: bool,
}

/// A kept name of an inode that has others.
struct LinkedName {
    directory: DirId,
    inode: Inode,
    disk: u64,
    apparent: u64,
}

impl Tally for Kept {
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

    fn meet(&mut self, entry: &Entry<'_>) {
        self.matched += 1;
        self.account.add(entry);
        let direct = self.directories.last_mut().expect("a directory is entered before its entries are met");
        direct.is_kept = true;
        // As in the totals of the tree: a root is no item of the top, nor is what was left out one of anything.
        let is_item = entry.directory != DirId::TOP && !matches!(entry.record.content, Content::Excluded(_));
        direct.totals.items += u64::from(is_item);
        match entry.facts().map(|facts| (facts, Inode::of_linked(facts))) {
            Some((facts, Some(inode))) => self.linked.push(LinkedName {
                directory: entry.directory,
                inode,
                disk: facts.disk(),
                apparent: facts.apparent,
            }),
            // A directory brings its own sizes along when it is entered.
            Some((facts, None)) if facts.directory.is_some() => {}
            _ => direct.totals.add(&entry.own),
        }
    }

    fn absorb(&mut self, mut other: Self) {
        self.directories.append(&mut other.directories);
        self.linked.append(&mut other.linked);
        self.account.absorb(other.account);
        self.matched += other.matched;
    }
}

impl Kept {
    fn filtered(mut self, request: &Request, progress: Progress) -> Filtered {
        let places = self.places();
        let above = self.above(&request.tree, request.from, &places);
        for at in (0..above.len()).rev() {
            let Direct { totals, is_kept, .. } = self.directories[at];
            if let Some(above) = above[at] {
                self.directories[above].totals.add(&totals);
                self.directories[above].is_kept |= is_kept;
            }
        }
        self.add_linked(&places, &above);
        let kept = places.iter().map(|&(_, at)| &self.directories[at]).filter(|direct| direct.is_kept);
        Filtered {
            query: request.query.clone(),
            totals: kept.map(|direct| (direct.id, direct.totals)).collect(),
            matched: self.matched,
            searched: progress.searched,
            sum: self.account.sum(),
        }
    }

    /// Where each directory was entered first, sorted by directory.
    fn places(&self) -> Vec<(DirId, usize)> {
        let mut places: Vec<_> =
            self.directories.iter().enumerate().map(|(at, direct)| (direct.id, at)).collect();
        places.sort_unstable();
        places.dedup_by_key(|(id, _)| *id);
        places
    }

    /// For each place the one that gets its sum; none for the first.
    fn above(&self, tree: &Tree, from: DirId, places: &[(DirId, usize)]) -> Vec<Option<usize>> {
        let above = |(at, direct): (usize, &Direct)| {
            let first = place(places, direct.id)?;
            let above = if first < at {
                first
            } else if direct.id == from {
                return None;
            } else {
                place(places, tree.parent(direct.id)?)?
            };
            // It is always so, unless a rescan moved the directory meanwhile; then the filter is run again anyway.
            (above < at).then_some(above)
        };
        self.directories.iter().enumerate().map(above).collect()
    }

    /// Adds each inode once to every directory above one of its names.
    fn add_linked(&mut self, places: &[(DirId, usize)], above: &[Option<usize>]) {
        // While a file is written, its names are seen with different sizes; the largest counts.
        self.linked.sort_unstable_by_key(|name| (name.inode, Reverse(name.disk), Reverse(name.apparent)));
        let mut seen = vec![0; self.directories.len()];
        for (number, names) in (1_u32..).zip(self.linked.chunk_by(|a, b| a.inode == b.inode)) {
            for name in names {
                let size = Totals { disk: name.disk, apparent: name.apparent, ..Totals::default() };
                let mut next = place(places, name.directory);
                while let Some(at) = next.filter(|at| seen[*at] != number) {
                    seen[at] = number;
                    self.directories[at].totals.add(&size);
                    next = above[at];
                }
            }
        }
    }
}

fn place(places: &[(DirId, usize)], id: DirId) -> Option<usize> {
    places.binary_search_by_key(&id, |(id, _)| *id).ok().map(|index| places[index].1)
}
