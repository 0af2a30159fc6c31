//! Largest directories, ranked by the files directly in them. Files in subdirectories do not count.
//!
//! Invariant: the sizes of an inode count once in each directory that contains any of its names.

use std::cmp::Reverse;
use std::io;

use crate::analysis::parallel_walk::{Collector, Mode, Progress, WalkEntry, parallel_walk};
use crate::analysis::path_order::order_by_path;
use crate::analysis::search::{GLIMPSE, Request, SortBy};
use crate::base::job::{Job, Pool};
use crate::tree::sort::compare_naturally;
use crate::tree::{DirId, EntryId, Totals, Tree, UniqueSizes};

/// Directory with the totals of the files directly in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnSize {
    pub id: DirId,
    /// ID of the directory's entry in its parent.
    pub entry: EntryId,
    /// Totals of the files directly in the directory. Each name of an inode counts as one item.
    pub own: Totals,
}

/// Largest directories of a subtree.
#[derive(Clone, Debug, Default)]
pub struct Directories {
    /// First rows in the requested order.
    pub rows: Vec<OwnSize>,
    /// Number of directories that directly contain files selected by the query.
    pub matched: u64,
    /// Totals of all files selected by the query. Each inode is counted once.
    pub sum: Totals,
    /// `true` once all entries have been searched.
    pub complete: bool,
}

/// Finds the first `most` directories in the requested order. The totals of a directory include only the files that
/// are directly in the directory and that the query selects.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn directories(pool: &Pool, mut request: Request, most: usize) -> io::Result<Job<Directories>> {
    request.query = request.query.without_directories();
    pool.start(move |task| {
        parallel_walk(&request, Mode::Filter, task, OwnSizes::default(), |files, progress| {
            Some(files.directories(&request, most, progress))
        });
    })
}

/// Collector that groups the sizes of files by directory.
#[derive(Default)]
pub(super) struct OwnSizes {
    /// Totals of each directory. Each file counts as an item, but only files with a single name add their sizes. A huge
    /// directory is visited in parts, so it may occur several times.
    single: Vec<(DirId, Totals)>,
    sizes: UniqueSizes,
}

impl Collector for OwnSizes {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn enter(&mut self, id: DirId, _own: Option<&Totals>) {
        self.single.push((id, Totals::default()));
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        entry.add_to(&mut self.sizes);
        let (_, own) = self.single.last_mut().expect("a directory is entered before its entries are visited");
        own.items += 1;
        // Files with several names are not added here: `OwnSizes::directories` adds their sizes, once per inode.
        if entry.metadata().is_none_or(|metadata| metadata.links.is_none()) {
            own.add(&entry.own);
        }
    }

    fn merge(&mut self, mut other: Self) {
        other.single.retain(|(_, own)| own.items > 0);
        self.single.append(&mut other.single);
        self.sizes.merge(other.sizes);
    }
}

impl OwnSizes {
    pub(super) fn directories(&mut self, request: &Request, most: usize, progress: Progress) -> Directories {
        let Progress { complete, .. } = progress;
        let mut all = if complete { std::mem::take(&mut self.single) } else { self.single.clone() };
        all.sort_unstable_by_key(|(id, _)| *id);
        all.dedup_by(|(id, own), (kept, sum)| {
            let is_same = id == kept;
            if is_same {
                sum.add(own);
            }
            is_same
        });
        self.sizes.clone().per_directory(
            |_| None,
            |id, linked| {
                if let Ok(at) = all.binary_search_by_key(&id, |(id, _)| *id) {
                    all[at].1.add(linked);
                }
            },
        );
        let matched = all.len() as u64;
        let by = |own: &Totals| match request.order.by {
            SortBy::Apparent => own.apparent,
            SortBy::Items => own.items,
            SortBy::Disk | SortBy::Modified | SortBy::Path => own.disk,
        };
        let key = |(id, own): &(DirId, Totals)| (Reverse(request.order.directed(by(own))), *id);
        let most = if complete { most } else { most.min(GLIMPSE) };
        if all.len() > most {
            all.select_nth_unstable_by_key(most, key);
            all.truncate(most);
        }
        all.sort_unstable_by_key(key);
        if request.order.by == SortBy::Path {
            sort_by_path(&request.tree, &mut all, request.order.reversed);
        }
        let rows = with_positions(&request.tree, &all);
        Directories { rows, matched, sum: self.sizes.total(), complete }
    }
}

fn sort_by_path(tree: &Tree, all: &mut Vec<(DirId, Totals)>, reversed: bool) {
    let name = |(id, _): &(DirId, Totals)| (tree.parent(*id).unwrap_or(DirId::TOP), tree.name(*id));
    let order = order_by_path(tree, &mut all.iter().map(name), compare_naturally);
    *all = order.into_iter().map(|number| all[number]).collect();
    if reversed {
        all.reverse();
    }
}

/// Returns the directories in the order of `all`, each with its entry ID. Reads the listing of each parent once.
fn with_positions(tree: &Tree, all: &[(DirId, Totals)]) -> Vec<OwnSize> {
    let mut by_parent: Vec<(DirId, DirId, usize)> = all
        .iter()
        .enumerate()
        .filter_map(|(number, (id, _))| Some((tree.parent(*id)?, *id, number)))
        .collect();
    by_parent.sort_unstable();
    let mut rows: Vec<Option<OwnSize>> = vec![None; all.len()];
    for children in by_parent.chunk_by(|one, other| one.0 == other.0) {
        for (position, entry) in tree.listing(children[0].0).entries() {
            let child =
                entry.directory().and_then(|id| children.binary_search_by_key(&id, |(_, id, _)| *id).ok());
            if let Some((directory, id, number)) = child.map(|at| children[at]) {
                rows[number] =
                    Some(OwnSize { id, entry: EntryId { directory, position }, own: all[number].1 });
            }
        }
    }
    // Skip directories that were replaced after the walk had visited them, because they no longer have an entry.
    rows.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fixture::{Item, directory, file, finish, pool, request, tree};
    use crate::analysis::search::Order;
    use crate::base::sync::Arc;

    fn found(tree: &Arc<Tree>, query: &str, order: Order, most: usize) -> Vec<(String, u64, u64)> {
        let request = Request { order, ..request(tree, query) };
        let found = finish(directories(&pool(), request, most));
        let row = |row: &OwnSize| {
            assert_eq!(row.entry.record(tree).unwrap().directory(), Some(row.id));
            (String::from_utf8(tree.path(row.id)).unwrap(), row.own.disk, row.own.items)
        };
        found.rows.iter().map(row).collect()
    }

    fn items() -> Vec<Item> {
        vec![
            file("top", 4096),
            directory("a"),
            directory("a/inner"),
            file("a/inner/x", 40_960),
            file("a/inner/y", 4096),
            directory("b"),
            file("b/z", 8192),
            directory("empty"),
        ]
    }

    fn row(path: &str, disk: u64, items: u64) -> (String, u64, u64) {
        (path.to_owned(), disk, items)
    }

    #[test]
    fn a_directory_counts_its_own_files_only() {
        let tree = tree(&items());
        let (inner, b, root) = (row("root/a/inner", 45_056, 2), row("root/b", 8192, 1), row("root", 4096, 1));
        let order = Order::default();
        assert_eq!(found(&tree, "", order, 10), [inner.clone(), b.clone(), root.clone()]);
        assert_eq!(
            found(&tree, "", Order { reversed: true, ..order }, 10),
            [root.clone(), b.clone(), inner.clone()]
        );
        assert_eq!(found(&tree, "", Order { by: SortBy::Path, ..order }, 10), [root, inner.clone(), b]);
        assert_eq!(found(&tree, "", Order { by: SortBy::Items, ..order }, 1), std::slice::from_ref(&inner));
        assert_eq!(found(&tree, "x", order, 10), [row("root/a/inner", 40_960, 1)]);
    }

    #[test]
    fn an_inode_counts_once_in_each_directory() {
        let items = [
            directory("a"),
            file("a/one", 4096).linked(7, 3),
            file("a/two", 4096).linked(7, 3),
            directory("b"),
            file("b/three", 4096).linked(7, 3),
        ];
        let tree = tree(&items);
        assert_eq!(found(&tree, "", Order::default(), 10), [row("root/a", 4096, 2), row("root/b", 4096, 1)]);
        let found = finish(directories(&pool(), request(&tree, ""), 10));
        assert_eq!((found.sum.disk, found.matched, found.complete), (4096, 2, true));
    }
}
