//! Models of threads that use a tree at the same time: they publish listings, add totals and complete directories.
//!
//! The module `tree` is compiled from the source files of the program. [`loom`] runs each model many times, each time
//! with a different interleaving of the threads and with different values for relaxed loads. Some models limit the
//! number of preemptions.
#![allow(dead_code, unused_imports, missing_docs)] // each module is used in part

mod base;
mod platform;
#[path = "../../src/tree/mod.rs"]
mod tree;

use base::kind::Kind;
use base::sync::Arc;
use tree::{Batch, DirId, Entry, EntryState, LiveTotals, Metadata, Totals, Tree};

/// Own size of a file or directory: one block, one byte.
const OWN: Metadata = Metadata {
    apparent: 1,
    blocks: 1,
    mtime: 0,
    inode: 1,
    directory: None,
    links: None,
    owner: None,
    is_executable: false,
    storage_class: None,
};

fn main() {
    model("two children complete in any order, and each is added to the directories above once", Some(4), two_children);
    model("a chain of directories completes upwards, whichever thread is last", None, chain);
    model("a directory is complete only after the batches handed to other threads", None, handed_out);
    model("a published listing is whole and never becomes shorter", None, publish);
    model("a reader of unfinished totals sees nothing twice", None, live);
}

fn model(name: &str, bound: Option<usize>, body: fn()) {
    let begun = std::time::Instant::now();
    let mut model = loom::model::Builder::new();
    // Small models have no limit (`None`). For larger models, the limit must be large enough to find most errors.
    // According to loom's manual, two or three preemptions are enough.
    model.preemption_bound = bound;
    model.max_branches = 100_000;
    let runs = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counted = std::sync::Arc::clone(&runs);
    model.check(move || {
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        body();
    });
    let runs = runs.load(std::sync::atomic::Ordering::Relaxed);
    println!("{name}: {runs} interleavings, {:.1} s", begun.elapsed().as_secs_f64());
}

/// Creates a tree with the root `r`, which contains directories with these names. The top and the root are marked as
/// being read. Must be called before other threads start.
fn tree(names: &[&[u8]]) -> (Arc<Tree>, DirId, Vec<DirId>) {
    let tree = Arc::new(Tree::new());
    // All rows of the directory table are created before other threads start, because loom does not model the creation
    // of rows.
    for number in 0..8 {
        let _ = tree.status(DirId(number));
    }
    let mut batch = Batch::default();
    let root = batch.push_directory(&tree, DirId::TOP, b"r", OWN, 0);
    seal(&tree, &mut batch, DirId::TOP);
    tree.begin(DirId::TOP);
    tree.begin(root);
    let children = names.iter().map(|name| batch.push_directory(&tree, root, name, OWN, 0)).collect();
    seal(&tree, &mut batch, root);
    (tree, root, children)
}

fn seal(tree: &Tree, batch: &mut Batch, id: DirId) {
    if let Some(sealed) = batch.seal(tree, id) {
        tree.publish(batch, id, &sealed);
    }
}

/// Reads a directory that holds one file.
fn read(tree: &Tree, id: DirId) {
    let mut batch = Batch::default();
    tree.begin(id);
    batch.push(id, &Entry { name: b"file", kind: Kind::File, state: EntryState::Known(OWN) });
    seal(tree, &mut batch, id);
    tree.release(id);
}

fn is(totals: Totals, entries: u64, items: u64) -> bool {
    totals == Totals { disk: entries * 512, apparent: entries, items, errors: 0 }
}

fn two_children() {
    let (tree, root, children) = tree(&[b"a", b"b"]);
    let readers: Vec<_> = children
        .iter()
        .map(|id| {
            let (tree, id) = (Arc::clone(&tree), *id);
            loom::thread::spawn(move || read(&tree, id))
        })
        .collect();
    tree.release(root);
    tree.release(DirId::TOP);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    assert!(tree.status(root).is_complete() && tree.status(DirId::TOP).is_complete());
    assert!(is(tree.totals(root), 5, 4), "{:?}", tree.totals(root));
    assert!(children.iter().all(|id| is(tree.totals(*id), 2, 1)));
}

fn chain() {
    let (tree, root, children) = tree(&[b"a"]);
    let mut batch = Batch::default();
    let inner = batch.push_directory(&tree, children[0], b"inner", OWN, 0);
    tree.begin(children[0]);
    seal(&tree, &mut batch, children[0]);
    let reader = {
        let tree = Arc::clone(&tree);
        loom::thread::spawn(move || read(&tree, inner))
    };
    let middle = {
        let (tree, id) = (Arc::clone(&tree), children[0]);
        loom::thread::spawn(move || tree.release(id))
    };
    tree.release(root);
    tree.release(DirId::TOP);
    reader.join().unwrap();
    middle.join().unwrap();
    assert!(tree.status(DirId::TOP).is_complete());
    assert!(is(tree.totals(root), 4, 3), "{:?}", tree.totals(root));
}

fn handed_out() {
    let (tree, root, _) = tree(&[]);
    tree.claim(root, 1);
    let helper = {
        let tree = Arc::clone(&tree);
        loom::thread::spawn(move || {
            let mut batch = Batch::default();
            batch.push(root, &Entry { name: b"one", kind: Kind::File, state: EntryState::Known(OWN) });
            if let Some(sealed) = batch.seal(&tree, root) {
                tree.publish(&mut batch, root, &sealed);
            }
            tree.release(root);
        })
    };
    let before = tree.status(root).is_complete();
    tree.release(root);
    tree.release(DirId::TOP);
    helper.join().unwrap();
    assert!(!before, "two claims were open");
    assert!(tree.status(root).is_complete() && is(tree.totals(root), 2, 1));
    assert!(is(tree.totals(DirId::TOP), 2, 2) || is(tree.totals(DirId::TOP), 2, 1));
}

fn publish() {
    let (tree, root, _) = tree(&[]);
    let writer = {
        let tree = Arc::clone(&tree);
        loom::thread::spawn(move || {
            let mut batch = Batch::default();
            for name in [b"one", b"two"] {
                batch.push(root, &Entry { name, kind: Kind::File, state: EntryState::Known(OWN) });
                seal(&tree, &mut batch, root);
            }
            tree.release(root);
        })
    };
    let seen = |tree: &Tree| -> Vec<Vec<u8>> {
        tree.listing(root).entries().map(|(_, record)| record.name.to_vec()).collect()
    };
    let was_complete = tree.status(root).is_complete();
    let first = seen(&tree);
    let second = seen(&tree);
    let all = [b"one".to_vec(), b"two".to_vec()];
    assert!(first == all[..first.len()] && second == all[..second.len()] && first.len() <= second.len());
    assert!(!was_complete || first.len() == 2, "complete is whole");
    writer.join().unwrap();
    assert_eq!(seen(&tree), all);
}

fn live() {
    let (tree, root, children) = tree(&[b"a"]);
    let reader = {
        let (tree, id) = (Arc::clone(&tree), children[0]);
        loom::thread::spawn(move || read(&tree, id))
    };
    let seen = LiveTotals::sample(&tree).totals(&tree, root);
    assert!(seen.disk <= 3 * 512 && seen.items <= 2, "{seen:?}");
    tree.release(root);
    tree.release(DirId::TOP);
    reader.join().unwrap();
    assert!(is(LiveTotals::sample(&tree).totals(&tree, root), 3, 2));
}
