//! Hard links: inodes with several names, inside and outside a directory.
//!
//! Deleting a name frees nothing while another name exists. The view therefore distinguishes two kinds of inodes: those
//! whose names are all inside a directory, and those that also have names outside. A name that the query does not
//! select counts as outside. Names elsewhere in the tree are known once the scan is complete. Names that were not
//! scanned are known only from the link count.
//!
//! Invariant: an inode has exactly one row, regardless of the number of its names.

use std::cmp::Reverse;
use std::io;

use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::search::{Collector, Mode, Progress, Query, Request, Row, SortBy, Test, WalkEntry};
use crate::base::job::{Job, Pool};
use crate::tree::{InodeIndex, InodeKey, Totals};

/// Inode with several names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedInode {
    /// Device and inode number.
    pub inode: InodeKey,
    /// Disk usage in bytes.
    pub disk: u64,
    /// Apparent size in bytes.
    pub apparent: u64,
    /// Link count reported by the file system.
    pub count: u64,
    /// Number of names that were found: those below the searched directory that the query selects.
    pub inside: u64,
    /// Number of the inode's other names in the tree, which are not counted in `inside`.
    pub elsewhere: u64,
    /// Index of the inode's first name in the `names` of [`HardLinks`].
    first: usize,
}

impl LinkedInode {
    /// Returns `true` if the inode also has names that were not found, so that deleting all found names frees nothing.
    pub fn is_shared(&self) -> bool {
        self.inside < self.count
    }

    /// Returns a query that finds the names of the inode.
    pub fn query(&self) -> Query {
        Query::of(Test::Inode(self.inode))
    }
}

#[derive(Clone, Debug, Default)]
pub struct HardLinks {
    /// Inodes in the requested order: by size, or by the number of names found.
    pub inodes: Vec<LinkedInode>,
    /// Totals of the inodes whose names were all found. Each inode counts as one item.
    pub alone: Totals,
    /// Totals of the inodes of which only some names were found. Each inode counts as one item.
    pub shared: Totals,
    /// Number of entries searched so far.
    pub searched: u64,
    /// `true` once all entries have been searched.
    pub complete: bool,
    names: Vec<Row>,
}

impl HardLinks {
    /// Returns the names that were found for an inode.
    pub fn names(&self, inode: &LinkedInode) -> &[Row] {
        let names = self.names.get(inode.first..).unwrap_or_default();
        &names[..names.len().min(usize::try_from(inode.inside).unwrap_or(usize::MAX))]
    }
}

/// Starts a job that finds the inodes with several names. An inode is found if the query selects at least one of its
/// names.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn links(pool: &Pool, request: Request) -> io::Result<Job<HardLinks>> {
    pool.start(move |task| {
        parallel_walk(&request, Mode::Filter, task, Names::default(), |names, progress| {
            Some(names.links(&request, progress))
        });
    })
}

#[derive(Default)]
struct Names {
    names: Vec<Name>,
}

struct Name {
    inode: InodeKey,
    count: u64,
    disk: u64,
    apparent: u64,
    row: Row,
}

impl Collector for Names {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        let Some(metadata) = entry.metadata() else { return };
        let (Some(inode), Some(links)) = (metadata.linked_inode(), metadata.links) else { return };
        let (disk, apparent) = (metadata.disk(), metadata.apparent);
        self.names.push(Name { inode, count: links.count, disk, apparent, row: Row::of(entry, 0) });
    }

    fn merge(&mut self, mut other: Self) {
        self.names.append(&mut other.names);
    }
}

impl Names {
    fn links(&mut self, request: &Request, progress: Progress) -> HardLinks {
        // Among the names of an inode, the one with the largest size comes first. A name that was read while the file
        // was still growing has a smaller size.
        let order = |name: &Name| (name.inode, Reverse(name.disk), Reverse(name.apparent), name.row.entry);
        self.names.sort_unstable_by_key(order);
        let index = InodeIndex::new(&request.tree);
        let mut links =
            HardLinks { searched: progress.searched, complete: progress.complete, ..HardLinks::default() };
        for names in self.names.chunk_by(|a, b| a.inode == b.inode) {
            let inside = names.len() as u64;
            let in_tree = index.names(names[0].inode).len() as u64;
            let inode = LinkedInode {
                inode: names[0].inode,
                disk: names[0].disk,
                apparent: names[0].apparent,
                // The link count may have changed after some of the names were read, so the largest count is used.
                count: names.iter().map(|name| name.count).max().unwrap_or(0).max(in_tree),
                inside,
                elsewhere: in_tree.saturating_sub(inside),
                first: links.names.len(),
            };
            // Skip an inode with only one known name. It was collected because its entry has `Metadata::links`. This is
            // the case if the entry is a root, or if an export marks it as a hard link but contains no link count.
            if inode.count < 2 {
                continue;
            }
            let sum = if inode.is_shared() { &mut links.shared } else { &mut links.alone };
            sum.add(&Totals { disk: inode.disk, apparent: inode.apparent, items: 1, errors: 0 });
            links.names.extend(names.iter().map(|name| name.row));
            links.inodes.push(inode);
        }
        let number = |inode: &LinkedInode| match request.order.by {
            SortBy::Apparent => inode.apparent,
            SortBy::Items => inode.inside,
            SortBy::Disk | SortBy::Modified | SortBy::Path => inode.disk,
        };
        let key = |inode: &LinkedInode| (Reverse(request.order.directed(number(inode))), inode.inode);
        links.inodes.sort_unstable_by_key(key);
        links
    }
}
