//! `--json`, `--ndjson` and `--top` of random trees, compared with a plain list of the results of stat(2).
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::program::json::{Value, parse};
use crate::program::run_in;
use crate::program::test_dir::TestDir;

/// Entry as reported by stat(2).
struct Entry {
    disk: i128,
    apparent: i128,
    /// Device and inode number.
    inode: (u64, u64),
    is_directory: bool,
    links: u64,
}

/// Returns all entries below `temp`, keyed by path. The root has the path `t`.
fn entries(temp: &TestDir) -> BTreeMap<String, Entry> {
    let mut entries = BTreeMap::new();
    let mut waiting = vec!["t".to_owned()];
    while let Some(path) = waiting.pop() {
        let found = fs::symlink_metadata(temp.join(&path)).unwrap();
        if found.is_dir() {
            let names = fs::read_dir(temp.join(&path)).unwrap();
            let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
            waiting.extend(names.map(|entry| format!("{path}/{}", name(entry.unwrap()))));
        }
        let entry = Entry {
            disk: i128::from(found.blocks()) * 512,
            apparent: i128::from(found.len()),
            inode: (found.dev(), found.ino()),
            is_directory: found.is_dir(),
            links: found.nlink(),
        };
        entries.insert(path, entry);
    }
    entries
}

/// Returns the disk usage and the apparent size of a path and everything below it, and the number of names below it.
/// The sizes count each inode once.
fn totals(entries: &BTreeMap<String, Entry>, path: &str) -> (i128, i128, i128) {
    let below = format!("{path}/");
    let inside = || entries.iter().filter(|(other, _)| *other == path || other.starts_with(&below));
    let mut seen = BTreeSet::new();
    let once: Vec<&Entry> =
        inside().map(|(_, entry)| entry).filter(|entry| seen.insert(entry.inode)).collect();
    let sum = |of: fn(&Entry) -> i128| once.iter().map(|entry| of(entry)).sum();
    (sum(|entry| entry.disk), sum(|entry| entry.apparent), inside().count() as i128 - 1)
}

/// Creates the tree described by `plan`. The number after a path selects the kind of entry: 0 is a directory, 1 is a
/// symbolic link, and all others are files. Files with the same number from 2 to 5 are hard links of one inode.
fn make(temp: &TestDir, plan: &[(String, u8, usize)]) {
    temp.directory("t");
    let mut made: BTreeMap<u8, String> = BTreeMap::new();
    for (path, sort, length) in plan {
        let path = format!("t/{path}");
        let above = Path::new(&path).parent().unwrap();
        if temp.join(&path).symlink_metadata().is_ok() || fs::create_dir_all(temp.join(above)).is_err() {
            continue;
        }
        match (sort, made.get(sort)) {
            (0, _) => drop(temp.directory(&path)),
            (1, _) => symlink("nowhere", temp.join(&path)).unwrap(),
            (2..6, Some(first)) => fs::hard_link(temp.join(first), temp.join(&path)).unwrap(),
            _ => {
                temp.file(&path, *length);
                made.insert(*sort, path);
            }
        }
    }
}

/// Compares an entry and everything below it with the results of stat(2). Returns the number of compared entries.
fn assert_entry_matches(entries: &BTreeMap<String, Entry>, path: &str, value: Value<'_>) -> usize {
    let expected = &entries[path];
    let sizes = (value.get("disk").number(), value.get("apparent").number());
    let (disk, apparent, items) = totals(entries, path);
    assert_eq!(sizes, (disk, apparent), "{path}");
    let Some(children) = value.find("children") else {
        assert!(!expected.is_directory, "{path}");
        return 1;
    };
    assert_eq!(value.get("items").number(), items, "{path}");
    let children = children.elements().into_iter();
    1 + children
        .map(|child| assert_entry_matches(entries, &format!("{path}/{}", child.get("name").text()), child))
        .sum::<usize>()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 25,
        rng_seed: RngSeed::Fixed(22),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn printed_output_of_random_trees_equals_a_plain_list(
        plan in prop::collection::vec(("[ab][abc.-]?(/[ab][abc.-]?){0,3}", 0..12_u8, 0..20_000_usize), 0..30),
        most in 1..6_usize,
    ) {
        let temp = TestDir::new();
        make(&temp, &plan);
        let entries = entries(&temp);

        let run = run_in(temp.path(), ["--json", "--top", &most.to_string(), "-d", "99", "t"]).ended(0);
        let document = run.json();
        let root = document.root().get("roots").elements()[0];
        prop_assert_eq!(assert_entry_matches(&entries, "t", root), entries.len());
        let (disk, apparent, items) = totals(&entries, "t");
        let sums = document.root().get("totals");
        let sums = (sums.get("disk").number(), sums.get("apparent").number(), sums.get("items").number());
        prop_assert_eq!(sums, (disk, apparent, items));

        // The largest inodes come first. Each inode is listed under the first of its paths.
        let mut seen = BTreeSet::new();
        let mut files: Vec<(&String, &Entry)> = entries
            .iter()
            .filter(|(_, entry)| !entry.is_directory && seen.insert(entry.inode))
            .collect();
        files.sort_by_key(|(_, entry)| (-entry.disk, entry.inode.1));
        let expected: Vec<(&str, i128)> =
            files.iter().take(most).map(|(path, entry)| (path.as_str(), entry.disk)).collect();
        let largest = document.root().get("largest").elements();
        let largest: Vec<(&str, i128)> =
            largest.iter().map(|file| (file.get("path").text(), file.get("disk").number())).collect();
        prop_assert_eq!(largest, expected);

        let lines = run_in(temp.path(), ["--ndjson", "t"]).ended(0);
        let mut paths = BTreeSet::new();
        for line in lines.text().lines() {
            let line = parse(line.as_bytes()).unwrap();
            let Some(path) = line.root().find("path") else { continue };
            let path = path.text();
            // A line contains the entry's own sizes, even if the entry is a directory.
            let sizes = (line.root().get("disk").number(), line.root().get("apparent").number());
            prop_assert_eq!(sizes, (entries[path].disk, entries[path].apparent), "{}", path);
            let links = line.root().find("links").map_or(1, Value::number);
            if !entries[path].is_directory {
                prop_assert_eq!(links, i128::from(entries[path].links), "{}", path);
            }
            paths.insert(path.to_owned());
        }
        prop_assert_eq!(paths.len(), entries.len());
    }
}
