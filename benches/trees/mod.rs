//! Trees of a million entries for the benches.
#![allow(dead_code)] // no bench needs all of it

use std::sync::{Arc, OnceLock};

use duke::kind::Kind;
use duke::tree::{Batch, Content, DirId, Facts, Record, Tree};

/// Entries of each tree.
pub const ENTRIES: u64 = 1_000_000;
/// The present there.
pub const NOW: i64 = 1_800_000_000;
/// Entries in one batch, as the kernel gives them.
const BATCH: u64 = 1000;
const ENDINGS: [&str; 5] = ["txt", "MKV", "o", "jpeg", "tar.gz"];

/// Sizes spread over all powers of two, ages over ten years.
fn facts(number: u64) -> Facts {
    let apparent = (number * 2_654_435_761 % 1000) << (number % 20);
    let mtime = NOW - (number * 7919 % 320_000_000).cast_signed();
    Facts { apparent, blocks: apparent / 512, mtime, inode: 1_000 + number, ..Facts::default() }
}

fn push_file(batch: &mut Batch, parent: DirId, number: u64) {
    let name = format!("entry_{number:07}.{}", ENDINGS[usize::try_from(number % 5).expect("it is below 5")]);
    let content = Content::Known(facts(number));
    batch.push(parent, &Record { name: name.as_bytes(), kind: Kind::File, content });
}

fn publish(tree: &Tree, batch: &mut Batch, id: DirId) {
    if let Some(sealed) = batch.seal(tree, id) {
        tree.publish(batch, id, &sealed);
    }
}

/// A tree whose root `fill` fills. Nobody says that it is complete: a search does not ask.
fn tree(fill: impl FnOnce(&Tree, &mut Batch, DirId)) -> Arc<Tree> {
    let (tree, mut batch) = (Tree::new(), Batch::default());
    let root = batch.push_directory(&tree, DirId::TOP, b"/root", Facts::default(), 0);
    publish(&tree, &mut batch, DirId::TOP);
    fill(&tree, &mut batch, root);
    Arc::new(tree)
}

/// All entries in one directory.
fn wide() -> Arc<Tree> {
    static TREE: OnceLock<Arc<Tree>> = OnceLock::new();
    let make = || {
        tree(|tree, batch, root| {
            for number in 0..ENTRIES {
                push_file(batch, root, number);
                if number % BATCH == BATCH - 1 {
                    publish(tree, batch, root);
                }
            }
        })
    };
    Arc::clone(TREE.get_or_init(make))
}

/// A directory for every three files.
fn many() -> Arc<Tree> {
    static TREE: OnceLock<Arc<Tree>> = OnceLock::new();
    let make = || {
        tree(|tree, batch, root| {
            let name = |number: u64| format!("directory_{number}").into_bytes();
            let mut ids = Vec::new();
            for number in 0..ENTRIES / 4 {
                ids.push(batch.push_directory(tree, root, &name(number), facts(number), 0));
                if number % BATCH == BATCH - 1 {
                    publish(tree, batch, root);
                }
            }
            for (number, id) in (0..).zip(ids) {
                (0..3).for_each(|file| push_file(batch, id, number * 4 + file));
                publish(tree, batch, id);
            }
        })
    };
    Arc::clone(TREE.get_or_init(make))
}

/// The shapes of trees.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// All entries in one directory.
    Wide,
    /// A directory for every three files.
    Many,
}

impl Shape {
    /// The tree of this shape.
    pub fn tree(self) -> Arc<Tree> {
        match self {
            Self::Wide => wide(),
            Self::Many => many(),
        }
    }
}
