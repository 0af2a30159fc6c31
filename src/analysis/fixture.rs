//! Trees built in memory for tests.

use std::collections::VecDeque;
use std::time::Duration;

use crate::analysis::search::{Order, Query, Request};
use crate::base::job::{Job, JobEnd, Pool};
use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::tree::{Batch, DirId, Entry, EntryState, Exclusion, Links, Metadata, Tree, hard_links};

/// Current time in the tests, in seconds since 1970.
pub(crate) const NOW: i64 = 2_000_000_000;

/// Entry to create, with its path below the root.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) path: String,
    pub(crate) kind: Kind,
    pub(crate) state: EntryState,
}

/// Returns a regular file of the given size, modified just now.
pub(crate) fn file(path: &str, apparent: u64) -> Item {
    let metadata = Metadata { apparent, blocks: apparent.div_ceil(512), mtime: NOW, ..Metadata::default() };
    Item { path: path.to_owned(), kind: Kind::File, state: EntryState::Known(metadata) }
}

/// Returns a directory of 4 KiB, modified just now.
pub(crate) fn directory(path: &str) -> Item {
    Item { kind: Kind::Directory, ..file(path, 4096) }
}

impl Item {
    pub(crate) fn metadata(&self) -> Metadata {
        match self.state {
            EntryState::Known(metadata) => metadata,
            _ => Metadata::default(),
        }
    }

    fn with(self, change: impl FnOnce(&mut Metadata)) -> Self {
        let mut metadata = self.metadata();
        change(&mut metadata);
        Self { state: EntryState::Known(metadata), ..self }
    }

    pub(crate) fn days_old(self, days: i64) -> Self {
        self.with(|metadata| metadata.mtime = NOW - days * 24 * 3600)
    }

    /// Makes the entry one of `count` hard links to the inode.
    pub(crate) fn linked(self, inode: u64, count: u64) -> Self {
        self.with(|metadata| {
            metadata.inode = inode;
            metadata.links = Some(Links { count, device: 0 });
        })
    }

    pub(crate) fn numbered(self, inode: u64) -> Self {
        self.with(|metadata| metadata.inode = inode)
    }

    pub(crate) fn failed(self, errno: i32) -> Self {
        Self { state: EntryState::Failed(errno), ..self }
    }

    pub(crate) fn excluded(self) -> Self {
        Self { state: EntryState::Excluded(Exclusion::Pattern), ..self }
    }
}

/// Creates a tree with the items below a single root called `root`. Parent directories must be among the items.
pub(crate) fn tree(items: &[Item]) -> Arc<Tree> {
    let (tree, mut batch) = (Tree::new(), Batch::default());
    let metadata = directory("").metadata();
    let root = batch.push_directory(&tree, DirId::TOP, b"root", metadata, 0);
    let mut sealed = batch.seal(&tree, DirId::TOP).unwrap();
    // A root does not count as an item.
    sealed.sum.items = 0;
    tree.publish(&mut batch, DirId::TOP, &sealed);
    let mut waiting = VecDeque::from([(root, String::new())]);
    while let Some((id, path)) = waiting.pop_front() {
        tree.begin(id);
        for item in items {
            let Some(name) = item.path.strip_prefix(path.as_str()).filter(|name| !name.contains('/')) else {
                continue;
            };
            if item.kind == Kind::Directory && matches!(item.state, EntryState::Known(_)) {
                let child = batch.push_directory(&tree, id, name.as_bytes(), item.metadata(), 0);
                waiting.push_back((child, format!("{}/", item.path)));
            } else {
                let record = Entry { name: name.as_bytes(), kind: item.kind, state: item.state };
                batch.push(id, &record);
            }
        }
        if let Some(sealed) = batch.seal(&tree, id) {
            tree.publish(&mut batch, id, &sealed);
        }
        tree.release(id);
    }
    tree.add_linked(batch.take_linked());
    tree.release(DirId::TOP);
    hard_links::subtract_repeats(&tree);
    Arc::new(tree)
}

/// Returns a request for all entries of the tree that match the query text.
pub(crate) fn request(tree: &Arc<Tree>, text: &str) -> Request {
    let query = Query::parse(text, NOW).unwrap();
    Request { tree: Arc::clone(tree), from: DirId::TOP, query, order: Order::default() }
}

pub(crate) fn pool() -> Pool {
    Pool::new(2).unwrap()
}

/// Waits until a job has ended, and returns its last result.
pub(crate) fn finish<T>(job: std::io::Result<Job<T>>) -> Arc<T> {
    let job = job.unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(JobEnd::Complete));
    job.latest().unwrap()
}

/// Returns the paths that a search for `text` finds, relative to the root and in the order of the rows.
pub(crate) fn paths(tree: &Arc<Tree>, text: &str) -> Vec<String> {
    paths_of(request(tree, text))
}

/// Returns the paths that a search finds, relative to the root and in the order of the rows.
pub(crate) fn paths_of(mut request: Request) -> Vec<String> {
    request.query = request.query.below(request.from);
    let tree = Arc::clone(&request.tree);
    let found = finish(crate::analysis::search::search(&pool(), request));
    let path =
        |row: &crate::analysis::search::Row| String::from_utf8(row.entry.path(&tree).unwrap()).unwrap();
    found.rows.iter().map(path).map(|path| path.trim_start_matches("root/").to_owned()).collect()
}
