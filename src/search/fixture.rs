//! Trees for tests, made in memory.

use std::collections::VecDeque;
use std::time::Duration;

use proptest::test_runner::{Config as ProptestConfig, RngSeed};

use crate::job::{Job, Outcome, Pool};
use crate::kind::Kind;
use crate::search::{Order, Query, Request};
use crate::sync::Arc;
use crate::tree::{Batch, Content, DirId, Exclusion, Facts, Links, Record, Tree};

/// The present, in these trees.
pub(crate) const NOW: i64 = 2_000_000_000;

/// So many cases of a property, the same in each run; none is written to a file.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(1);
    ProptestConfig { failure_persistence: None, rng_seed, ..ProptestConfig::with_cases(cases) }
}

/// An entry to be: its path below the root, and what it is.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) path: String,
    pub(crate) kind: Kind,
    pub(crate) content: Content,
}

/// A regular file of so many bytes, changed just now.
pub(crate) fn file(path: &str, apparent: u64) -> Item {
    let facts = Facts { apparent, blocks: apparent.div_ceil(512), mtime: NOW, ..Facts::default() };
    Item { path: path.to_owned(), kind: Kind::File, content: Content::Known(facts) }
}

/// A directory of 4 KiB, changed just now.
pub(crate) fn directory(path: &str) -> Item {
    Item { kind: Kind::Directory, ..file(path, 4096) }
}

impl Item {
    pub(crate) fn facts(&self) -> Facts {
        match self.content {
            Content::Known(facts) => facts,
            _ => Facts::default(),
        }
    }

    fn with(self, change: impl FnOnce(&mut Facts)) -> Self {
        let mut facts = self.facts();
        change(&mut facts);
        Self { content: Content::Known(facts), ..self }
    }

    pub(crate) fn days_old(self, days: i64) -> Self {
        self.with(|facts| facts.mtime = NOW - days * 24 * 3600)
    }

    /// One of `count` names of the inode.
    pub(crate) fn linked(self, inode: u64, count: u64) -> Self {
        self.with(|facts| {
            facts.inode = inode;
            facts.links = Some(Links { count, device: 0 });
        })
    }

    pub(crate) fn numbered(self, inode: u64) -> Self {
        self.with(|facts| facts.inode = inode)
    }

    pub(crate) fn failed(self, errno: i32) -> Self {
        Self { content: Content::Failed(errno), ..self }
    }

    pub(crate) fn excluded(self) -> Self {
        Self { content: Content::Excluded(Exclusion::Pattern), ..self }
    }
}

/// A tree with one root, called `root`, that holds the items. Directories must be among them.
pub(crate) fn tree(items: &[Item]) -> Arc<Tree> {
    let (tree, mut batch) = (Tree::new(), Batch::default());
    let facts = directory("").facts();
    let root = batch.push_directory(&tree, DirId::TOP, b"root", facts, 0);
    let mut sealed = batch.seal(&tree, DirId::TOP).unwrap();
    // Roots are no items.
    sealed.sum.items = 0;
    tree.publish(&mut batch, DirId::TOP, &sealed);
    let mut waiting = VecDeque::from([(root, String::new())]);
    while let Some((id, path)) = waiting.pop_front() {
        tree.begin(id);
        for item in items {
            let Some(name) = item.path.strip_prefix(path.as_str()).filter(|name| !name.contains('/')) else {
                continue;
            };
            if item.kind == Kind::Directory && matches!(item.content, Content::Known(_)) {
                let child = batch.push_directory(&tree, id, name.as_bytes(), item.facts(), 0);
                waiting.push_back((child, format!("{}/", item.path)));
            } else {
                let record = Record { name: name.as_bytes(), kind: item.kind, content: item.content };
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
    Arc::new(tree)
}

/// A request for everything, with a query of this text.
pub(crate) fn request(tree: &Arc<Tree>, text: &str) -> Request {
    let query = Query::parse(text, NOW).unwrap();
    Request { tree: Arc::clone(tree), from: DirId::TOP, query, order: Order::default() }
}

pub(crate) fn pool() -> Pool {
    Pool::new(2).unwrap()
}

/// The last result of a job.
pub(crate) fn finish<T>(job: std::io::Result<Job<T>>) -> Arc<T> {
    let job = job.unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(Outcome::Complete));
    job.latest().unwrap()
}

/// The paths of what a search for `text` finds, without the root's, in the order of the rows.
pub(crate) fn paths(tree: &Arc<Tree>, text: &str) -> Vec<String> {
    let found = finish(super::search(&pool(), request(tree, text)));
    let path = |row: &super::Row| String::from_utf8(row.path(tree).unwrap()).unwrap();
    found.rows.iter().map(path).map(|path| path.trim_start_matches("root/").to_owned()).collect()
}
