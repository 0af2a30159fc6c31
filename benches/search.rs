//! Benchmark of the jobs that a key press can start: searches, filters and surveys (totals by type or age, and the
//! largest files) of a million entries, in one directory and in many.
#![allow(missing_docs)]

mod trees;

use std::io;
use std::time::Duration;

use divan::{Bencher, counter::ItemsCount};
use duke::base::job::{Job, JobEnd, Pool};
use duke::testing::analysis::search::{Order, Query, Request};
use duke::testing::analysis::{search, survey};
use duke::tree::DirId;
use trees::{ENTRIES, NOW, Shape};

fn main() {
    divan::main();
}

const SHAPES: [Shape; 2] = [Shape::Wide, Shape::Many];

fn measure<T>(bencher: Bencher, shape: Shape, text: &str, start: fn(&Pool, Request) -> io::Result<Job<T>>) {
    let pool = Pool::new(2).expect("a bench has threads");
    let query = Query::parse(text, NOW).expect("the query is right");
    let request = Request { tree: shape.tree(), from: DirId::TOP, query, order: Order::default() };
    bencher.counter(ItemsCount::new(ENTRIES)).bench_local(|| {
        let job = start(&pool, request.clone()).expect("a bench has threads");
        assert_eq!(job.wait(Duration::from_secs(60)), Some(JobEnd::Complete));
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
