//! The largest files, each inode once, however many names it has.
//!
//! Files of equal size follow each other by inode number, and a file is named by the first of its paths, going by bytes: numbers of
//! directories would not do, for threads give those. So the same tree gives the same files in every run, and the first ten
//! are the first of the first hundred.
//!
//! Invariant: no inode is in two rows, and there are no directories.

use std::cmp::{Ordering, Reverse};
use std::io;

use crate::job::{Job, Pool};
use crate::search::{Entry, Inode, Mode, Order, Request, Row, Tally, sweep};
use crate::tree::Tree;

/// The first `most` files that the query keeps, in the order asked for. They come when everything was looked at.
///
/// # Errors
/// When the system gives no thread.
pub fn largest(pool: &Pool, mut request: Request, most: usize) -> io::Result<Job<Vec<Row>>> {
    request.query = request.query.without_directories();
    pool.start(move |task| {
        let files =
            Files { tree: &request.tree, order: request.order, most, first: Vec::new(), linked: Vec::new() };
        sweep(&request, Mode::Filter, task, files, |files, progress| progress.complete.then(|| files.rows()));
    })
}

struct Files<'t> {
    tree: &'t Tree,
    order: Order,
    most: usize,
    first: Vec<File>,
    /// Every name of those that have others: the names of one may come from several workers.
    linked: Vec<File>,
}

#[derive(Clone, Copy)]
struct File {
    /// Its device is known of what has other names only.
    inode: Inode,
    row: Row,
}

impl Tally for Files<'_> {
    fn fresh(&self) -> Self {
        Self { first: Vec::new(), linked: Vec::new(), ..*self }
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        let Some(facts) = entry.facts() else { return };
        let row = Row::of(entry, self.order.key(entry));
        match Inode::of_linked(facts) {
            Some(inode) => self.linked.push(File { inode, row }),
            None => self.push(File { inode: Inode { device: 0, number: facts.inode }, row }),
        }
    }

    fn absorb(&mut self, mut other: Self) {
        self.linked.append(&mut other.linked);
        other.first.into_iter().for_each(|file| self.push(file));
    }
}

impl Files<'_> {
    fn push(&mut self, file: File) {
        self.first.push(file);
        // Rarely, so that dropping costs little for each file.
        if self.first.len() >= self.most.saturating_mul(2).max(1024) {
            self.trim();
        }
    }

    /// Puts them in order and drops all but the first.
    fn trim(&mut self) {
        sort(&mut self.first, self.tree, File::compare);
        self.first.truncate(self.most);
    }

    fn rows(&mut self) -> Vec<Row> {
        let tree = self.tree;
        let mut linked = std::mem::take(&mut self.linked);
        sort(&mut linked, tree, |a, b, _| a.inode.cmp(&b.inode));
        for names in linked.chunk_by(|a, b| a.inode == b.inode) {
            // The largest size first: a name read while the file grew says less.
            let first = |name: &&File| (Reverse(name.row.key), name.row.path(tree));
            match names {
                [file] => self.push(*file),
                names => {
                    if let Some(file) = names.iter().min_by_key(first) {
                        self.push(*file);
                    }
                }
            }
        }
        self.trim();
        self.first.iter().map(|file| file.row).collect()
    }
}

/// One sorting for both orders: the code of each takes some 10 KiB.
fn sort(files: &mut [File], tree: &Tree, order: fn(&File, &File, &Tree) -> Ordering) {
    files.sort_unstable_by(|a, b| order(a, b, tree));
}

impl File {
    fn compare(&self, other: &Self, tree: &Tree) -> Ordering {
        let key = |file: &Self| (Reverse(file.row.key), file.inode.number);
        let device = |file: &Self| tree.device(file.row.directory);
        // What was recorded may have no inode numbers, but its directories have theirs in order.
        let place = |file: &Self| (file.row.directory, file.row.position);
        let rest = || device(self).cmp(&device(other)).then_with(|| place(self).cmp(&place(other)));
        key(self).cmp(&key(other)).then_with(rest)
    }
}
