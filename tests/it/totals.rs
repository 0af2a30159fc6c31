//! Tests that the totals of the directories in every fixture agree with the naive walker and with `du`, for any
//! thread count.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::fixtures::{self, Fixture};
use crate::support::{child, naive};
use duke::tree::{DirId, Totals, Walk};

/// Returns every directory with its totals. Checks that scans with several thread counts agree.
fn scanned(root: &Path) -> BTreeMap<PathBuf, Totals> {
    let once = |threads| {
        let scan = crate::support::scan(root, threads);
        assert_eq!(scan.outcome(), Some(duke::scan::Outcome::Complete));
        crate::support::assert_sums_agree(scan.tree());
        let found: BTreeMap<_, _> = crate::support::directories(scan.tree()).into_iter().collect();
        assert_eq!(found[root], scan.tree().totals(DirId::TOP), "the top's totals are its only root's");
        found
    };
    let first = once(1);
    for threads in [1, 2, 8, 8] {
        assert_eq!(once(threads), first, "with {threads} threads");
    }
    first
}

fn agree(root: &Path) {
    let scanned = scanned(root);
    for (directory, totals) in &scanned {
        assert_eq!(*totals, naive::totals(directory), "{}", directory.display());
        assert_eq!(totals.disk, naive::du(directory), "du of {}", directory.display());
    }
}

macro_rules! fixtures_agree {
    ($($name:ident: $fixture:expr;)*) => { $(
        #[test]
        fn $name() {
            agree($fixture.path());
        }
    )* }
}

fixtures_agree! {
    plain: fixtures::plain();
    an_empty_directory: fixtures::empty();
    hard_links: fixtures::hard_links();
    symlinks: fixtures::symlinks();
    sparse: fixtures::sparse();
    weird_names: fixtures::weird_names();
    a_hundred_thousand_files_in_one_directory: fixtures::crowd(100_000);
    a_directory_of_many_directories: fixtures::wide(300);
    unreadable_directories: fixtures::unreadable();
}

#[test]
fn unreadable_directories_without_the_rights_of_root() {
    if !child::alone("unreadable_directories_without_the_rights_of_root") {
        return;
    }
    child::become_nobody();
    let fixture = fixtures::unreadable();
    agree(fixture.path());
    let scan = crate::support::scan(fixture.path(), 2);
    let denied = nix::errno::Errno::EACCES as i32;
    let expected = ["closed", "no-list", "no-search/file", "no-search/inner"];
    assert_eq!(crate::support::failures(scan.tree()), expected.map(|name| (fixture.join(name), denied)));
}

#[test]
fn ten_thousand_directories_in_one_directory() {
    let fixture = fixtures::wide(10_000);
    let scanned = scanned(fixture.path());
    assert_eq!(scanned.len(), 20_001);
    let root = scanned[fixture.path()];
    assert_eq!(root, naive::totals(fixture.path()));
    assert_eq!(root.disk, naive::du(fixture.path()));
}

/// Compares the totals with the output of a single `du` of the root, which prints the size of every directory. Without
/// hard links, these sizes equal those of a separate `du` for each directory.
#[test]
fn five_thousand_levels_with_paths_beyond_the_limit_of_the_system() {
    let fixture = fixtures::chain(5_000, "d");
    let output = naive::blocks_of_du().arg(fixture.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // The lines are reversed, because du prints the deepest directory first, but the walk begins at the root.
    let du: Vec<u64> = text.lines().rev().map(naive::bytes).collect();
    assert_eq!(du.len(), 5_001);
    for threads in [1, 2, 8, 8] {
        let scan = crate::support::scan(fixture.path(), threads);
        crate::support::assert_sums_agree(scan.tree());
        let totals = Walk::new(scan.tree(), DirId::TOP).skip(1).map(|(id, _)| scan.tree().totals(id));
        let (disk, items): (Vec<_>, Vec<_>) = totals.map(|totals| (totals.disk, totals.items)).unzip();
        assert_eq!(disk, du);
        assert!(items.into_iter().eq((0..=5_000).rev().map(|below| 2 * below + 1)));
    }
}

#[test]
fn fifty_thousand_levels() {
    let fixture = fixtures::chain(50_000, "d");
    let disk = naive::du(fixture.path());
    for threads in [1, 2] {
        let scan = crate::support::scan(fixture.path(), threads);
        eprintln!("50,000 levels with {threads} threads: {:?}", scan.elapsed());
        let tree = scan.tree();
        assert_eq!(tree.totals(DirId::TOP).disk, disk);
        assert!(tree.failures().is_empty());
        let items: Vec<u64> =
            Walk::new(tree, DirId::TOP).skip(1).map(|(id, _)| tree.totals(id).items).collect();
        assert!(items.into_iter().eq((0..=50_000).rev().map(|below| 2 * below + 1)));
    }
}

/// With names of 255 bytes, a path exceeds the system's limit after 16 levels.
#[test]
fn long_names_on_long_paths() {
    let fixture = fixtures::chain(40, &"n".repeat(255));
    let scan = crate::support::scan(fixture.path(), 2);
    let totals = scan.tree().totals(DirId::TOP);
    assert_eq!((totals.items, totals.errors), (81, 0));
    assert_eq!(totals.disk, naive::du(fixture.path()));
    let (deepest, _) = crate::support::directories(scan.tree())
        .into_iter()
        .max_by_key(|(path, _)| path.as_os_str().len())
        .unwrap();
    assert_eq!(deepest.as_os_str().len(), fixture.path().as_os_str().len() + 40 * 256);
}

/// Compares the totals of /usr and of the directories in it with `du`. The test is skipped if /usr changes meanwhile.
#[test]
fn the_system_agrees_with_du() {
    let root = Path::new("/usr");
    let before = naive::du(root);
    let scan = crate::support::scan(root, 8);
    let tree = scan.tree();
    let id = tree.listing(DirId::TOP).directories().next().unwrap();
    let found: Vec<(PathBuf, u64)> = tree
        .listing(id)
        .directories()
        .chain([id])
        .map(|id| (crate::support::path(tree.path(id)), tree.totals(id).disk))
        .collect();
    let du: Vec<(PathBuf, u64)> = found.iter().map(|(path, _)| (path.clone(), naive::du(path))).collect();
    if du.last().is_some_and(|(_, disk)| *disk != before) {
        return crate::support::skip("/usr changes while it is measured");
    }
    assert_eq!(found, du);
}

#[test]
fn a_file_can_be_larger_than_any_disk() {
    let Some(fixture) = memory_fixture() else { return crate::support::skip("no /dev/shm") };
    let largest = i64::MAX.cast_unsigned();
    for name in ["a", "b", "c"] {
        if fixtures::hole(fixture.join(name), largest).is_err() {
            return crate::support::skip("no file of 8 EiB can be made here");
        }
        let apparent = crate::support::scan(fixture.path(), 1).tree().totals(DirId::TOP).apparent;
        assert!(apparent >= largest, "never wraps");
        if name == "c" {
            assert_eq!(apparent, u64::MAX, "stands for at least that much");
        }
    }
}

/// Creates a fixture in `/dev/shm`, whose file system accepts files of up to 2^63 - 1 bytes. Returns `None` if
/// `/dev/shm` does not exist.
fn memory_fixture() -> Option<Fixture> {
    let memory = Path::new("/dev/shm");
    memory.is_dir().then(|| Fixture::build_in(memory, |_| Ok(())))
}
