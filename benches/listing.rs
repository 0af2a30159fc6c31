//! Benchmark of the tree without system calls: writing, reading and sorting listings.
#![allow(missing_docs)]

use divan::{Bencher, counter::ItemsCount};
use duke::base::kind::Kind;
use duke::tree::Listing;
use duke::tree::encoding::Draft;
use duke::tree::sort::{Names, sort};
use duke::tree::{Entry, EntryState, Metadata};

fn main() {
    divan::main();
}

const ENTRIES: usize = 100_000;
/// Number of entries in a wide directory, as in the reference tree `wide` (docs/performance.md).
const MANY: usize = 1_000_000;

fn metadata(number: usize) -> Metadata {
    let number = number as u64;
    Metadata {
        apparent: number * 2_654_435_761 % 50_000,
        blocks: number % 7 * 8,
        mtime: 1_700_000_000 + (number % 1000).cast_signed(),
        inode: 400_000 + number,
        ..Metadata::default()
    }
}

fn write(draft: &mut Draft, names: &[String]) {
    for (number, name) in names.iter().enumerate() {
        let state = EntryState::Known(metadata(number));
        draft.push(&Entry { name: name.as_bytes(), kind: Kind::File, state });
    }
}

fn names() -> Vec<String> {
    (0..ENTRIES).map(|number| format!("file_{:06}.txt", number * 7919 % ENTRIES)).collect()
}

fn records() -> Vec<u8> {
    let mut draft = Draft::default();
    write(&mut draft, &names());
    let (bytes, head) = draft.segment();
    bytes[head..].to_vec()
}

#[divan::bench]
fn encode(bencher: Bencher) {
    let names = names();
    let mut draft = Draft::default();
    bencher.counter(ItemsCount::new(ENTRIES)).bench_local(|| {
        draft.clear();
        write(&mut draft, &names);
        draft.length()
    });
}

#[divan::bench]
fn decode(bencher: Bencher) {
    let records = records();
    let listing = Listing::from_segments([records.as_slice()]);
    bencher
        .counter(ItemsCount::new(ENTRIES))
        .bench(|| listing.entries().fold(0, |sum, (at, record)| sum ^ at ^ record.name.len() as u64));
}

#[divan::bench]
fn sort_by_size(bencher: Bencher) {
    let records = records();
    let listing = Listing::from_segments([records.as_slice()]);
    bencher.counter(ItemsCount::new(ENTRIES)).bench(|| {
        sort(&listing, Names::Ascending, |record| match record.state {
            EntryState::Known(metadata) => Some(metadata.apparent),
            _ => None,
        })
    });
}

#[divan::bench]
fn sort_by_name(bencher: Bencher) {
    let records = records();
    let listing = Listing::from_segments([records.as_slice()]);
    bencher.counter(ItemsCount::new(ENTRIES)).bench(|| sort(&listing, Names::Ascending, |_| Some(0)));
}

/// Returns the encoded entries of a million files, in batches like those from the kernel. The names have the same
/// length and are not sorted, as in an ext4 directory.
fn wide() -> Vec<Vec<u8>> {
    let names: Vec<String> = (0..MANY).map(|number| format!("f{:08}", number * 7919 % MANY)).collect();
    let batch = |names: &[String]| {
        let mut draft = Draft::default();
        write(&mut draft, names);
        let (bytes, head) = draft.segment();
        bytes[head..].to_vec()
    };
    names.chunks(2_048).map(batch).collect()
}

#[divan::bench(args = [Names::Ascending, Names::Natural, Names::NaturalReversed])]
fn sort_wide_by_name(bencher: Bencher, names: Names) {
    let segments = wide();
    let listing = Listing::from_segments(segments.iter().map(Vec::as_slice));
    bencher.counter(ItemsCount::new(MANY)).bench(|| sort(&listing, names, |_| Some(0)));
}

#[divan::bench(args = [10, 50_000])]
fn sort_wide_by_size(bencher: Bencher, sizes: u64) {
    let segments = wide();
    let listing = Listing::from_segments(segments.iter().map(Vec::as_slice));
    bencher.counter(ItemsCount::new(MANY)).bench(|| {
        sort(&listing, Names::Ascending, |record| match record.state {
            EntryState::Known(metadata) => Some(metadata.apparent % sizes),
            _ => None,
        })
    });
}
