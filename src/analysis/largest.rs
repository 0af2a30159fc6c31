//! Largest files, each inode once, for `--top` and for the browser.
//!
//! Files of equal size are sorted by inode number, and a file with several paths is shown under the path that comes
//! first in byte order. Directory IDs depend on the timing of the scan's threads and are used only if inode numbers
//! are missing. As a result, every run lists the same files for the same tree (exception: a binary export, see
//! `File::compare`), and a list of 10 contains the same files as the first ten rows of a list of 100.
//!
//! Invariant: no inode is in two rows, and no row is a directory.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::io;

use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::path_order::order_by_path;
use crate::analysis::rows::larger;
use crate::analysis::search::{
    Collector, GLIMPSE, Mode, Order, Progress, Request, Row, SearchResult, WalkEntry, sort_by_path,
};
use crate::base::job::{Job, Pool};
use crate::tree::{InodeKey, Metadata, Totals, Tree, UniqueSizes};

/// Finds the first `most` files that the query selects, in the requested order. A file with several names is counted
/// once.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn largest(pool: &Pool, mut request: Request, most: usize) -> io::Result<Job<SearchResult>> {
    request.query = request.query.without_directories();
    pool.start(move |task| {
        let files = LargestFiles::new(&request.tree, request.order, most);
        parallel_walk(&request, Mode::Filter, task, files, |files, progress| Some(files.found(progress)));
    })
}

/// Files found so far.
pub(super) struct LargestFiles<'t> {
    tree: &'t Tree,
    order: Order,
    most: usize,
    first: Vec<File>,
    /// Names of files with several names. All names are stored until the walk ends, because different workers may find
    /// names of the same inode. The result contains only one name of each inode.
    linked: Vec<File>,
    /// Number of files that have only one name.
    single: u64,
    sizes: UniqueSizes,
    largest: Totals,
}

#[derive(Clone, Copy)]
struct File {
    /// Inode of the file, by which the names in [`LargestFiles::linked`] are grouped. For a file with only one name,
    /// the device is not needed and is 0.
    inode: InodeKey,
    row: Row,
}

impl Collector for LargestFiles<'_> {
    fn fresh(&self) -> Self {
        Self::new(self.tree, self.order, self.most)
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        entry.add_to(&mut self.sizes);
        self.largest = larger(self.largest, &entry.totals);
        let row = Row::of(entry, self.order.key(entry.record, entry.totals));
        if let Some(inode) = entry.metadata().and_then(Metadata::linked_inode) {
            self.linked.push(File { inode, row });
        } else {
            self.single += 1;
            let inode = entry.metadata().map_or(0, |metadata| metadata.inode);
            self.push(File { inode: InodeKey { device: 0, inode }, row });
        }
    }

    fn merge(&mut self, mut other: Self) {
        self.linked.append(&mut other.linked);
        other.first.into_iter().for_each(|file| self.push(file));
        self.single += other.single;
        self.sizes.merge(other.sizes);
        self.largest = larger(self.largest, &other.largest);
    }
}

impl<'t> LargestFiles<'t> {
    pub(super) fn new(tree: &'t Tree, order: Order, most: usize) -> Self {
        let (first, linked, sizes) = (Vec::new(), Vec::new(), UniqueSizes::default());
        Self { tree, order, most, first, linked, single: 0, sizes, largest: Totals::default() }
    }

    fn push(&mut self, file: File) {
        self.first.push(file);
        // Trimming sorts the list. Waiting for at least twice the needed length keeps the cost per file low.
        if self.first.len() >= self.most.saturating_mul(2).max(1024) {
            self.trim(self.most);
        }
    }

    /// Sorts the files and drops all but the first `most`.
    fn trim(&mut self, most: usize) {
        sort(&mut self.first, self.tree, File::compare);
        self.first.truncate(most);
    }

    pub(super) fn found(&mut self, progress: Progress) -> SearchResult {
        let Progress { searched, complete } = progress;
        let (kept, linked) = if complete {
            (std::mem::take(&mut self.first), std::mem::take(&mut self.linked))
        } else {
            (self.first.clone(), self.linked.clone())
        };
        let mut all = Self { first: kept, ..Self::new(self.tree, self.order, self.most) };
        let several = all.take_linked(linked, complete);
        all.trim(if complete { self.most } else { self.most.min(GLIMPSE) });
        let mut rows: Vec<Row> = all.first.iter().map(|file| file.row).collect();
        if self.order.is_by_path() {
            sort_by_path(self.tree, &mut rows, self.order);
        }
        let (matched, sum) = (self.single + several, self.sizes.total());
        let largest = self.largest;
        SearchResult { rows, matched, searched, sum, largest, with_contents: false, complete }
    }

    /// Adds one name of each inode in `linked` to the files, and returns the number of inodes. The name with the
    /// largest sort key is chosen. If several names have this key, the final result contains the name whose path sorts
    /// first. Earlier results may contain any of these names, because comparing paths is slow.
    fn take_linked(&mut self, mut linked: Vec<File>, complete: bool) -> u64 {
        let tree = self.tree;
        if complete {
            let mut names = linked
                .iter()
                .map(|file| (file.row.entry.directory, file.row.entry.name(tree).unwrap_or_default()));
            let order = order_by_path(tree, &mut names, <[u8]>::cmp);
            linked = order.into_iter().map(|number| linked[number]).collect();
        }
        let mut first: HashMap<InodeKey, File> = HashMap::new();
        for file in linked {
            let kept = first.entry(file.inode).or_insert(file);
            // If the file changed during the scan, its hard links can have different keys. The largest key is kept.
            if file.row.key > kept.row.key {
                *kept = file;
            }
        }
        for file in first.values() {
            self.push(*file);
        }
        first.len() as u64
    }
}

/// Sorts the files. `order` is a function pointer, because a second copy of the sorting code would take about 10 KiB.
fn sort(files: &mut [File], tree: &Tree, order: fn(&File, &File, &Tree) -> Ordering) {
    files.sort_unstable_by(|a, b| order(a, b, tree));
}

impl File {
    fn compare(&self, other: &Self, tree: &Tree) -> Ordering {
        let key = |file: &Self| (Reverse(file.row.key), file.inode.inode);
        let device = |file: &Self| tree.device(file.row.entry.directory);
        // An imported tree may lack inode numbers, so remaining ties are broken by entry ID. The IDs in an imported
        // tree do not depend on thread timing, so the order is the same in every run. Exception: a binary export (-O)
        // also lacks inode numbers, but its IDs depend on thread timing, so the order may differ between runs.
        let entry = |file: &Self| file.row.entry;
        let rest = || device(self).cmp(&device(other)).then_with(|| entry(self).cmp(&entry(other)));
        key(self).cmp(&key(other)).then_with(rest)
    }
}
