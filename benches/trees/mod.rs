//! Trees of a million entries for benchmarks.
#![allow(dead_code)] // each benchmark uses a part

use std::sync::{Arc, OnceLock};

use duke::base::kind::Kind;
use duke::tree::{Batch, DirId, Entry, EntryState, Metadata, Tree};

/// Number of entries in each tree.
pub const ENTRIES: u64 = 1_000_000;
/// Time that the benchmarks use as the current time, in seconds since 1970.
pub const NOW: i64 = 1_800_000_000;
/// Number of entries that are added to a tree at a time. A scan also adds entries in batches, one for each call to
/// the kernel.
const BATCH: u64 = 1000;
const ENDINGS: [&str; 5] = ["txt", "MKV", "o", "jpeg", "tar.gz"];

/// Returns metadata with sizes of all magnitudes up to 500 MiB, and ages of up to ten years.
fn metadata(number: u64) -> Metadata {
    let apparent = (number * 2_654_435_761 % 1000) << (number % 20);
    let mtime = NOW - (number * 7919 % 320_000_000).cast_signed();
    Metadata { apparent, blocks: apparent / 512, mtime, inode: 1_000 + number, ..Metadata::default() }
}

fn push_file(batch: &mut Batch, parent: DirId, number: u64) {
    let name = format!("entry_{number:07}.{}", ENDINGS[usize::try_from(number % 5).expect("it is below 5")]);
    let state = EntryState::Known(metadata(number));
    batch.push(parent, &Entry { name: name.as_bytes(), kind: Kind::File, state });
}

fn publish(tree: &Tree, batch: &mut Batch, id: DirId) {
    if let Some(sealed) = batch.seal(tree, id) {
        tree.publish(batch, id, &sealed);
    }
}

/// Creates a tree and calls `fill` to fill its root. The tree is not marked as complete, because a search also works
/// on an incomplete tree.
fn tree(fill: impl FnOnce(&Tree, &mut Batch, DirId)) -> Arc<Tree> {
    let (tree, mut batch) = (Tree::new(), Batch::default());
    let root = batch.push_directory(&tree, DirId::TOP, b"/root", Metadata::default(), 0);
    publish(&tree, &mut batch, DirId::TOP);
    fill(&tree, &mut batch, root);
    Arc::new(tree)
}

/// Returns a tree with all entries in one directory.
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

/// Returns a tree of many directories, each with three files.
fn many() -> Arc<Tree> {
    static TREE: OnceLock<Arc<Tree>> = OnceLock::new();
    let make = || {
        tree(|tree, batch, root| {
            let name = |number: u64| format!("directory_{number}").into_bytes();
            let mut ids = Vec::new();
            for number in 0..ENTRIES / 4 {
                ids.push(batch.push_directory(tree, root, &name(number), metadata(number), 0));
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

#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// All entries in one directory.
    Wide,
    /// Many directories, each with three files.
    Many,
}

impl Shape {
    pub fn tree(self) -> Arc<Tree> {
        match self {
            Self::Wide => wide(),
            Self::Many => many(),
        }
    }
}
