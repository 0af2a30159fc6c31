//! Hard links: the inodes with several names, where those are, and which of them lie elsewhere.
//!
//! Deleting a name frees nothing while another is left. So the question for a directory is which inodes have all of
//! their names in it, and which are shared with the outside. What is outside is told apart: names in other parts
//! of the tree, known when the scan is over, and names nobody has seen, which only the link count tells of.
//!
//! Invariant: an inode is in one row, whatever the number of its names.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

use crate::job::{Job, Pool};
use crate::search::{By, Entry, Inode, Mode, Progress, Query, Request, Row, Tally, Test, sweep};
use crate::tree::{DirId, Totals, Tree};

/// An inode with several names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedInode {
    /// Which one.
    pub inode: Inode,
    /// Disk usage in bytes.
    pub disk: u64,
    /// Apparent size in bytes.
    pub apparent: u64,
    /// How many names the file system says it has.
    pub count: u64,
    /// How many of them are in the directory or below it.
    pub inside: u64,
    /// How many more are in other parts of the tree.
    pub elsewhere: u64,
    /// Where its names begin among all.
    first: usize,
}

impl LinkedInode {
    /// Whether some of its names are not inside, so that deleting everything inside frees nothing of it.
    pub fn is_shared(&self) -> bool {
        self.inside < self.count
    }

    /// What finds its names.
    pub fn query(&self) -> Query {
        Query::of(Test::Inode(self.inode))
    }
}

/// The hard links of a subtree.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Each inode, in the order asked for: by size or by its names inside.
    pub inodes: Vec<LinkedInode>,
    /// What the inodes take up whose names are all inside. Items are inodes.
    pub alone: Totals,
    /// What the inodes take up that have names outside too. Items are inodes.
    pub shared: Totals,
    /// How many entries were looked at.
    pub searched: u64,
    /// Whether those are all.
    pub complete: bool,
    names: Vec<Row>,
}

impl Links {
    /// The names of an inode that are inside.
    pub fn names(&self, inode: &LinkedInode) -> &[Row] {
        let names = self.names.get(inode.first..).unwrap_or_default();
        &names[..names.len().min(usize::try_from(inode.inside).unwrap_or(usize::MAX))]
    }
}

/// Gathers the inodes with several names that the query keeps.
///
/// # Errors
/// When the system gives no thread.
pub fn links(pool: &Pool, request: Request) -> io::Result<Job<Links>> {
    pool.start(move |task| {
        sweep(&request, Mode::Filter, task, Names::default(), |names, progress| {
            Some(names.links(&request, progress))
        });
    })
}

#[derive(Default)]
struct Names {
    names: Vec<Name>,
}

/// A name of an inode.
struct Name {
    inode: Inode,
    count: u64,
    disk: u64,
    apparent: u64,
    row: Row,
}

impl Tally for Names {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        let Some(facts) = entry.facts() else { return };
        let (Some(inode), Some(links)) = (Inode::of_linked(facts), facts.links) else { return };
        let (disk, apparent) = (facts.disk(), facts.apparent);
        self.names.push(Name { inode, count: links.count, disk, apparent, row: Row::of(entry, 0) });
    }

    fn absorb(&mut self, mut other: Self) {
        self.names.append(&mut other.names);
    }
}

impl Names {
    fn links(&mut self, request: &Request, progress: Progress) -> Links {
        // The largest size first: a name read while the file grew says less.
        let order = |name: &Name| {
            (name.inode, Reverse(name.disk), Reverse(name.apparent), name.row.directory, name.row.position)
        };
        self.names.sort_unstable_by_key(order);
        let everywhere = everywhere(&request.tree);
        let mut links =
            Links { searched: progress.searched, complete: progress.complete, ..Links::default() };
        for names in self.names.chunk_by(|a, b| a.inode == b.inode) {
            let inside = names.len() as u64;
            let in_tree = everywhere.get(&names[0].inode).copied().unwrap_or(0);
            let inode = LinkedInode {
                inode: names[0].inode,
                disk: names[0].disk,
                apparent: names[0].apparent,
                // It may have changed between two names.
                count: names.iter().map(|name| name.count).max().unwrap_or(0).max(in_tree),
                inside,
                elsewhere: in_tree.saturating_sub(inside),
                first: links.names.len(),
            };
            // A root that is a file may have one name.
            if inode.count < 2 {
                continue;
            }
            let sum = if inode.is_shared() { &mut links.shared } else { &mut links.alone };
            sum.add(&Totals { disk: inode.disk, apparent: inode.apparent, items: 1, errors: 0 });
            links.names.extend(names.iter().map(|name| name.row));
            links.inodes.push(inode);
        }
        let number = |inode: &LinkedInode| match request.order.by {
            By::Apparent => inode.apparent,
            By::Items => inode.inside,
            By::Disk | By::Modified | By::Path => inode.disk,
        };
        let key = |inode: &LinkedInode| (Reverse(request.order.turned(number(inode))), inode.inode);
        links.inodes.sort_unstable_by_key(key);
        links
    }
}

/// How many names of each inode are known in the whole tree. Nothing before the scan is over.
fn everywhere(tree: &Tree) -> HashMap<Inode, u64> {
    let mut counts = HashMap::new();
    for name in tree.linked() {
        // A root that is itself a file may be a name met below another root too.
        if name.directory != DirId::TOP {
            *counts.entry(Inode { device: name.device, number: name.inode }).or_default() += 1;
        }
    }
    counts
}
