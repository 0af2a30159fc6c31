//! What a key costs: a search, a filter and a survey of a million entries, in one directory and in many.
#![allow(missing_docs)]

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use divan::{Bencher, counter::ItemsCount};
use duke::job::{Job, Outcome, Pool};
use duke::kind::Kind;
use duke::search::{Order, Query, Request};
use duke::tree::{Batch, Content, DirId, Facts, Record, Tree};
use duke::{search, survey};

fn main() {
    divan::main();
}

const ENTRIES: u64 = 1_000_000;
const NOW: i64 = 1_800_000_000;
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
            let ids: Vec<_> = (0..ENTRIES / 4)
                .map(|number| batch.push_directory(tree, root, &name(number), facts(number), 0))
                .collect();
            publish(tree, batch, root);
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
enum Shape {
    Wide,
    Many,
}

impl Shape {
    fn tree(self) -> Arc<Tree> {
        match self {
            Self::Wide => wide(),
            Self::Many => many(),
        }
    }
}

const SHAPES: [Shape; 2] = [Shape::Wide, Shape::Many];

fn measure<T>(bencher: Bencher, shape: Shape, text: &str, start: fn(&Pool, Request) -> io::Result<Job<T>>) {
    let pool = Pool::new(2).expect("a bench has threads");
    let query = Query::parse(text, NOW).expect("the query is right");
    let request = Request { tree: shape.tree(), from: DirId::TOP, query, order: Order::default() };
    bencher.counter(ItemsCount::new(ENTRIES)).bench_local(|| {
        let job = start(&pool, request.clone()).expect("a bench has threads");
        assert_eq!(job.wait(Duration::from_secs(60)), Some(Outcome::Complete));
        job.latest().expect("it is complete")
    });
}

const QUERIES: [&str; 8] = [
    "entry_09999",
    "e",
    "Entry",
    "*.mkv",
    "/_0+9.*gz$/",
    "root/*9/*.o",
    "type:video >1M older:90d",
    "type:dir",
];

#[divan::bench(args = QUERIES)]
fn search_wide(bencher: Bencher, text: &str) {
    measure(bencher, Shape::Wide, text, search::search);
}

#[divan::bench(args = QUERIES)]
fn search_many(bencher: Bencher, text: &str) {
    measure(bencher, Shape::Many, text, search::search);
}

#[divan::bench(args = SHAPES)]
fn filter(bencher: Bencher, shape: Shape) {
    measure(bencher, shape, ".mkv", search::filter);
}

#[divan::bench(args = SHAPES)]
fn types(bencher: Bencher, shape: Shape) {
    measure(bencher, shape, "", survey::types);
}

#[divan::bench(args = SHAPES)]
fn ages(bencher: Bencher, shape: Shape) {
    measure(bencher, shape, "", |pool, request| survey::ages(pool, request, NOW));
}

#[divan::bench(args = SHAPES)]
fn largest(bencher: Bencher, shape: Shape) {
    measure(bencher, shape, "", |pool, request| survey::largest(pool, request, 1000));
}
