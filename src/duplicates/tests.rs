use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::analysis::search::{Order, Query};
use crate::base::job::Task;
use crate::base::sync::Arc;
use crate::fixture::cases;
use crate::scan::{Options, Scan};
use crate::tree::{DirId, EntryId, Tree};

const LONG: Duration = Duration::from_secs(60);

fn request(scan: &Scan) -> Request {
    let tree = Arc::clone(scan.tree());
    Request { tree, from: DirId::TOP, query: Query::default(), order: Order::default() }
}

/// Duplicates found below `root`. The methods return paths relative to `root`.
struct Found {
    root: PathBuf,
    tree: Arc<Tree>,
    duplicates: Arc<Duplicates>,
}

fn search(root: &Path) -> Found {
    search_as(root, "")
}

/// Searches for duplicates among the entries that match `query`.
fn search_as(root: &Path, query: &str) -> Found {
    let scan = Scan::run(vec![root.to_owned()], Options::default());
    find_in(&scan, root, query)
}

fn find_in(scan: &Scan, root: &Path, query: &str) -> Found {
    let query = Query::parse(query, 0).unwrap();
    let job = find(&Pool::new(2).unwrap(), Request { query, ..request(scan) }).unwrap();
    assert!(job.wait(LONG).is_some());
    let (tree, duplicates) = (Arc::clone(scan.tree()), job.latest().unwrap());
    assert!(duplicates.progress.is_complete);
    Found { root: root.to_owned(), tree, duplicates }
}

impl Found {
    fn name(&self, entry: EntryId) -> String {
        let path = PathBuf::from(std::ffi::OsString::from_vec(entry.path(&self.tree).unwrap()));
        path.strip_prefix(&self.root).unwrap().to_string_lossy().into_owned()
    }

    /// Returns the names of the copies in each group.
    fn groups(&self) -> Vec<Vec<String>> {
        let names = |group: &DuplicateGroup| group.copies.iter().map(|copy| self.name(copy.entry)).collect();
        self.duplicates.groups.iter().map(names).collect()
    }

    fn skipped(&self) -> Vec<(String, SkipReason)> {
        let skipped = |skipped: &Skipped| (self.name(skipped.entry), skipped.reason);
        self.duplicates.skipped.iter().map(skipped).collect()
    }
}

fn fixture() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn write(path: impl AsRef<Path>, bytes: &[u8]) {
    let path = path.as_ref();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Returns `length` pseudorandom bytes.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[7]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Replaces the byte at `offset`, and restores the modification time.
fn tamper(path: &Path, offset: u64) {
    let before = fs::metadata(path).unwrap().modified().unwrap();
    let mut file = File::options().read(true).write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.write_all(b"\x01").unwrap();
    file.set_modified(before).unwrap();
}

#[test]
fn equal_files_are_duplicates() {
    let root = fixture();
    let long = noise(300_000, 1);
    write(root.path().join("a"), &long);
    write(root.path().join("b/c"), &long);
    write(root.path().join("short"), b"short");
    write(root.path().join("b/short"), b"short");
    write(root.path().join("b/other"), b"other");
    write(root.path().join("empty"), b"");
    write(root.path().join("b/empty"), b"");
    let found = search(root.path());
    assert_eq!(found.groups(), [["a", "b/c"], ["b/short", "short"]]);
    assert_eq!(found.skipped(), []);
    let [long, short] = found.duplicates.groups.as_slice() else { panic!("two groups") };
    assert_eq!((long.size, long.kind), (300_000, DuplicateKind::File));
    let disk = |name| fs::metadata(root.path().join(name)).unwrap().blocks() * 512;
    assert_eq!((long.wasted, short.wasted), (disk("a"), disk("short")));
    assert_eq!(found.duplicates.sets.len(), 2);
}

#[test]
fn another_byte_in_the_middle_is_found() {
    let root = fixture();
    for (name, length) in [("shortest", 2), ("short", 8192), ("long", 8193), ("longer", 400_000)] {
        let bytes = noise(length, 2);
        let (one, other) = (root.path().join(name), root.path().join(format!("{name}.other")));
        write(&one, &bytes);
        let mut bytes = bytes;
        bytes[length / 2] ^= 1;
        write(&other, &bytes);
    }
    assert_eq!(search(root.path()).groups(), Vec::<Vec<String>>::new());
}

#[test]
fn the_names_of_an_inode_are_one_file() {
    let root = fixture();
    let bytes = noise(20_000, 3);
    write(root.path().join("name 0"), &bytes);
    for number in 1..10 {
        fs::hard_link(root.path().join("name 0"), root.path().join(format!("name {number}"))).unwrap();
    }
    assert_eq!(search(root.path()).groups(), Vec::<Vec<String>>::new());
    write(root.path().join("copy"), &bytes);
    let found = search(root.path());
    assert_eq!(found.groups(), [["copy", "name 0"]]);
    let [group] = found.duplicates.groups.as_slice() else { panic!("one group") };
    let names: Vec<String> = group.copies[1].other_names.iter().map(|name| found.name(*name)).collect();
    assert_eq!(names, (1..10).map(|number| format!("name {number}")).collect::<Vec<_>>());
    assert!(!group.copies[1].is_linked_elsewhere && group.wasted > 0);
    assert_eq!(found.duplicates.sets[0].len(), 11);
}

#[test]
fn a_copy_with_names_outside_frees_nothing() {
    let root = fixture();
    let bytes = noise(20_000, 4);
    write(root.path().join("outside"), &bytes);
    write(root.path().join("in/a"), &bytes);
    write(root.path().join("in/c"), &bytes);
    fs::hard_link(root.path().join("outside"), root.path().join("in/b")).unwrap();
    let found = search(&root.path().join("in"));
    assert_eq!(found.groups(), [["a", "b", "c"]]);
    let group = &found.duplicates.groups[0];
    assert_eq!(
        group.copies.iter().map(|copy| copy.is_linked_elsewhere).collect::<Vec<_>>(),
        [false, true, false]
    );
    // The hard-linked copy counts as the copy to keep, because deleting it frees nothing. The other two are wasted.
    assert_eq!(group.wasted, group.copies[0].disk + group.copies[2].disk);
}

#[test]
fn a_thousand_copies_are_one_group() {
    let root = fixture();
    let bytes = noise(10_000, 5);
    for number in 0..1000 {
        write(root.path().join(format!("{}/{number}", number % 7)), &bytes);
    }
    let found = search(root.path());
    let [group] = found.duplicates.groups.as_slice() else { panic!("one group") };
    assert_eq!(group.copies.len(), 1000);
    assert_eq!(group.wasted, 999 * group.copies[0].disk);
}

/// Fills a directory with files, links and directories.
fn fill(at: &Path) {
    write(at.join("one"), &noise(9000, 6));
    write(at.join("deep/er/two"), &noise(5000, 7));
    write(at.join("deep/empty"), b"");
    fs::create_dir(at.join("deep/nothing")).unwrap();
    symlink("../one", at.join("deep/link")).unwrap();
    symlink("loop", at.join("loop")).unwrap();
    symlink("..", at.join("deep/up")).unwrap();
}

#[test]
fn equal_directories_are_one_group() {
    let root = fixture();
    fill(&root.path().join("a"));
    fill(&root.path().join("b/c"));
    let found = search(root.path());
    assert_eq!(found.groups(), [["a", "b/c"]]);
    let group = &found.duplicates.groups[0];
    assert_eq!((group.kind, group.size), (DuplicateKind::Directory { files: 2 }, 14_000));
    let disk = |name: &str| fs::metadata(root.path().join("a").join(name)).unwrap().blocks() * 512;
    assert_eq!(group.wasted, disk("one") + disk("deep/er/two"));
}

#[test]
fn directories_with_any_difference_are_not_duplicates() {
    type Change = fn(&Path);
    let changes: [Change; 9] = [
        |at| tamper(&at.join("one"), 4500),
        |at| write(at.join("more"), b"more"),
        |at| write(at.join("deep/er/empty"), b""),
        |at| fs::create_dir(at.join("deep/er/new")).unwrap(),
        |at| fs::rename(at.join("one"), at.join("other")).unwrap(),
        |at| fs::remove_file(at.join("deep/empty")).unwrap(),
        |at| {
            fs::remove_file(at.join("loop")).unwrap();
            symlink("pool", at.join("loop")).unwrap();
        },
        |at| {
            fs::remove_file(at.join("deep/empty")).unwrap();
            fs::create_dir(at.join("deep/empty")).unwrap();
        },
        |at| nix::unistd::mkfifo(&at.join("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap(),
    ];
    for (number, change) in changes.iter().enumerate() {
        let root = fixture();
        fill(&root.path().join("a"));
        fill(&root.path().join("b"));
        change(&root.path().join("b"));
        let found = search(root.path());
        assert!(!found.groups().contains(&vec!["a".to_owned(), "b".to_owned()]), "change {number}");
        // Unchanged files are still found as duplicates, either as single files or as part of a duplicate directory.
        assert!(!found.groups().is_empty(), "change {number}");
    }
}

#[test]
fn copies_inside_copies_count_once() {
    let root = fixture();
    for name in ["a", "b", "c/d"] {
        fill(&root.path().join(name));
    }
    // Adds another copy of the file `a/one`, and another copy of the directory `a/deep/er`.
    write(root.path().join("one"), &noise(9000, 6));
    write(root.path().join("e/er/two"), &noise(5000, 7));
    let found = search(root.path());
    let wanted: [&[&str]; 3] = [&["a", "b", "c/d"], &["a/one", "one"], &["a/deep/er", "e/er"]];
    assert_eq!(
        found.groups(),
        wanted.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    );
    // There are four copies of each of the two files. Only one copy of each is needed, so three are wasted.
    let disk = |name: &str| fs::metadata(root.path().join("a").join(name)).unwrap().blocks() * 512;
    assert_eq!(found.duplicates.wasted(), 3 * disk("one") + 3 * disk("deep/er/two"));
    let sizes: Vec<usize> = found.duplicates.sets.iter().map(Vec::len).collect();
    assert_eq!(sizes, [4, 4], "every copy is in the set");
}

#[test]
fn a_directory_that_got_an_entry_since_the_scan_is_not_a_duplicate() {
    let root = fixture();
    fill(&root.path().join("a"));
    fill(&root.path().join("b"));
    let old = std::time::SystemTime::now() - Duration::from_secs(100);
    File::open(root.path().join("b/deep/er")).unwrap().set_modified(old).unwrap();
    let scan = Scan::run(vec![root.path().to_owned()], Options::default());
    write(root.path().join("b/deep/er/new"), b"new");
    let found = find_in(&scan, root.path(), "");
    assert!(!found.groups().contains(&vec!["a".to_owned(), "b".to_owned()]));
    assert!(found.groups().contains(&vec!["a/one".to_owned(), "b/one".to_owned()]));
}

#[test]
fn holes_are_zeros() {
    let root = fixture();
    let mut bytes = vec![0; 1 << 20];
    bytes[700_000] = 7;
    write(root.path().join("written"), &bytes);
    let mut sparse = File::create(root.path().join("sparse")).unwrap();
    sparse.set_len(1 << 20).unwrap();
    sparse.seek(SeekFrom::Start(700_000)).unwrap();
    sparse.write_all(&[7]).unwrap();
    bytes[700_001] = 7;
    write(root.path().join("different"), &bytes);
    for name in ["huge", "huge copy"] {
        File::create(root.path().join(name)).unwrap().set_len(1 << 42).unwrap();
    }
    let found = search(root.path());
    let mut groups = found.groups();
    groups.sort();
    assert_eq!(groups, [["huge", "huge copy"], ["sparse", "written"]]);
    // The copy with the hole takes less space, so it counts as the copy to keep. The space of the other copy is wasted.
    let disk = fs::metadata(root.path().join("written")).unwrap().blocks() * 512;
    assert_eq!(found.duplicates.groups[0].wasted, disk);
}

#[test]
fn a_file_that_is_changed_between_reading_and_the_report_is_named() {
    let root = fixture();
    for (name, length) in [("short", 3000), ("long", 300_000)] {
        for copy in 0..3 {
            write(root.path().join(format!("{name}{copy}")), &noise(length, 8));
        }
    }
    let scan = Scan::run(vec![root.path().to_owned()], Options::default());
    let request = request(&scan);
    let at = root.path().to_owned();
    let job = Pool::new(2).unwrap().start(move |task: &Task<Duplicates>| {
        let mut candidates = SizeCandidates::collect(&request, task).unwrap();
        let search = DuplicateSearch::new(&request.tree, task, &candidates);
        let read = sets::find(&search, std::mem::take(&mut candidates.files));
        tamper(&at.join("short1"), 1500);
        tamper(&at.join("long2"), 150_000);
        let sets = sets::unchanged(&search, &read);
        assert_eq!(sets.iter().map(|set| set.members.len()).collect::<Vec<_>>(), [2, 2]);
        let skipped = std::mem::take(&mut *lock(&search.skipped));
        task.publish(Duplicates { skipped, ..Duplicates::default() });
    });
    let job = job.unwrap();
    assert_eq!(job.wait(LONG), Some(crate::base::job::JobEnd::Complete));
    let (tree, duplicates) = (Arc::clone(scan.tree()), job.latest().unwrap());
    let mut skipped = Found { root: root.path().to_owned(), tree, duplicates }.skipped();
    skipped.sort();
    let changing = |name: &str| (name.to_owned(), SkipReason::Changing);
    assert_eq!(skipped, [changing("long2"), changing("short1")]);
}

#[test]
fn files_that_changed_since_the_scan_are_named() {
    let root = fixture();
    let names = ["deleted", "grown", "kept", "kept too", "link", "pipe", "replaced"];
    for name in names {
        write(root.path().join(name), &noise(10_000, 9));
    }
    let scan = Scan::run(vec![root.path().to_owned()], Options::default());
    let at = |name: &str| root.path().join(name);
    fs::remove_file(at("deleted")).unwrap();
    File::options().append(true).open(at("grown")).unwrap().write_all(b"more").unwrap();
    fs::rename(at("link"), at("target")).unwrap();
    symlink("target", at("link")).unwrap();
    fs::remove_file(at("pipe")).unwrap();
    nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    write(at("new"), &noise(10_000, 9));
    fs::rename(at("new"), at("replaced")).unwrap();
    let found = find_in(&scan, root.path(), "");
    assert_eq!(found.groups(), [["kept", "kept too"]]);
    let changing = ["deleted", "grown", "link", "pipe", "replaced"];
    assert_eq!(found.skipped(), changing.map(|name| (name.to_owned(), SkipReason::Changing)));
}

#[test]
fn files_that_are_being_written_are_named() {
    let root = fixture();
    let at = |name: &str| root.path().join(name);
    for (length, name) in (1000..).zip(["grown", "kept", "old", "overwritten"]) {
        write(at(name), &noise(length, 9));
    }
    fs::hard_link(at("overwritten"), at("zz")).unwrap();
    let an_hour = Duration::from_secs(3600);
    let old = std::time::SystemTime::now() - an_hour;
    File::options().write(true).open(at("old")).unwrap().set_modified(old).unwrap();
    let scan = Scan::run(vec![root.path().to_owned()], Options::default());
    File::options().append(true).open(at("grown")).unwrap().write_all(b"more").unwrap();
    let (request, overwritten) = (request(&scan), at("overwritten"));
    let job = Pool::new(2).unwrap().start(move |task: &Task<Duplicates>| {
        let candidates = SizeCandidates::collect(&request, task).unwrap();
        assert_eq!((candidates.files.len(), candidates.recent.len()), (0, 3), "one name of each inode");
        let search = DuplicateSearch::new(&request.tree, task, &candidates);
        let watched = written::watch(&search, &candidates.recent);
        tamper(&overwritten, 5);
        written::check(&search, &watched);
        let skipped = std::mem::take(&mut *lock(&search.skipped));
        task.publish(Duplicates { skipped, ..Duplicates::default() });
    });
    let job = job.unwrap();
    assert_eq!(job.wait(LONG), Some(crate::base::job::JobEnd::Complete));
    let (tree, duplicates) = (Arc::clone(scan.tree()), job.latest().unwrap());
    let skipped = Found { root: root.path().to_owned(), tree, duplicates }.skipped();
    let mut names: Vec<&str> = skipped.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    assert!(names == ["grown", "overwritten"] || names == ["grown", "zz"], "{names:?}");
    assert!(skipped.iter().all(|(_, reason)| *reason == SkipReason::Changing));
}

#[test]
fn special_files_are_named_and_not_opened() {
    let root = fixture();
    nix::unistd::mkfifo(&root.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let found = search(root.path());
    assert_eq!(found.skipped(), [("pipe".to_owned(), SkipReason::Special)]);
}

#[test]
fn names_can_have_any_bytes() {
    let root = fixture();
    let names = [&b"new\nline"[..], b"\xff\xfe", b"\x1b[2J", b" ", b"-rf", &[b'x'; 255]];
    for name in names {
        write(root.path().join(OsStr::from_bytes(name)), b"the same");
    }
    let found = search(root.path());
    let copies = found.duplicates.groups[0].copies.iter();
    let paths: BTreeSet<Vec<u8>> =
        copies.map(|copy| copy.entry.name(&found.tree).unwrap().to_vec()).collect();
    assert_eq!(paths, names.iter().map(|name| name.to_vec()).collect());
}

#[test]
fn reading_does_not_change_the_access_time() {
    let root = fixture();
    let old = std::time::SystemTime::now() - Duration::from_secs(1_000_000);
    let mut times = Vec::new();
    for name in ["a", "b"] {
        let path = root.path().join(name);
        write(&path, &noise(100_000, 10));
        let times_of = fs::FileTimes::new().set_accessed(old).set_modified(old);
        File::options().write(true).open(&path).unwrap().set_times(times_of).unwrap();
        times.push((path.clone(), fs::metadata(&path).unwrap().atime()));
    }
    assert_eq!(search(root.path()).groups().len(), 1);
    if cfg!(target_os = "linux") {
        for (path, before) in times {
            assert_eq!(fs::metadata(&path).unwrap().atime(), before);
        }
    }
}

#[test]
fn a_filter_limits_the_files_and_the_directories() {
    let root = fixture();
    for name in ["a", "b"] {
        write(root.path().join(name).join("x.log"), &noise(5000, 11));
        write(root.path().join(name).join("x.txt"), &noise(6000, 12));
    }
    assert_eq!(search(root.path()).groups(), [["a", "b"]]);
    assert_eq!(search_as(root.path(), "*.log").groups(), [["a/x.log", "b/x.log"]]);
}

#[test]
fn a_cancelled_search_ends_without_a_result() {
    let root = fixture();
    for name in ["a", "b"] {
        write(root.path().join(name), &noise(5000, 13));
    }
    let scan = Scan::run(vec![root.path().to_owned()], Options::default());
    let request = request(&scan);
    let (tell, received) = std::sync::mpsc::channel();
    let job = Pool::new(1).unwrap().start(move |task: &Task<Duplicates>| {
        let mut candidates = SizeCandidates::collect(&request, task).unwrap();
        let search = DuplicateSearch::new(&request.tree, task, &candidates);
        tell.send(()).unwrap();
        while !task.is_cancelled() {
            std::thread::yield_now();
        }
        assert!(sets::find(&search, std::mem::take(&mut candidates.files)).is_empty());
        assert!(lock(&search.skipped).is_empty());
    });
    let job = job.unwrap();
    received.recv_timeout(LONG).unwrap();
    job.cancel();
    assert_eq!(job.wait(LONG), Some(crate::base::job::JobEnd::Stopped));
}

/// Returns a strategy for files: for each path, the value of the middle byte and the length in bytes.
fn files() -> impl Strategy<Value = BTreeMap<String, (u8, usize)>> {
    let length = prop::sample::select(vec![0_usize, 1, 4096, 8192, 8193, 140_000]);
    prop::collection::btree_map("[ab](/[cd]){0,2}/[ef]", (0..3_u8, length), 0..14)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn sets_equal_those_of_a_naive_comparison(files in files()) {
        let root = fixture();
        let mut naive: BTreeMap<Vec<u8>, Vec<String>> = BTreeMap::new();
        for (name, (number, length)) in &files {
            // Files of the same length are equal, except that their middle bytes may differ.
            let mut bytes = vec![1; *length];
            if let Some(middle) = bytes.get_mut(length / 2) {
                *middle = *number;
            }
            write(root.path().join(name), &bytes);
            if *length > 0 {
                naive.entry(bytes).or_default().push(name.clone());
            }
        }
        let mut expected: Vec<Vec<String>> = naive.into_values().filter(|names| names.len() > 1).collect();
        expected.sort();
        let found = search(root.path());
        let names = |set: &Vec<EqualEntry>| set.iter().map(|name| found.name(name.entry)).collect::<Vec<_>>();
        let mut sets: Vec<Vec<String>> = found.duplicates.sets.iter().map(names).collect();
        for names in &mut sets {
            names.sort();
        }
        sets.sort();
        prop_assert_eq!(&sets, &expected);

        // In each set, the space of all files but one is wasted. Deleting all entries of each group except the first
        // must leave exactly one file of each set.
        let size = |path: &Path| fs::metadata(path).unwrap().blocks() * 512;
        let other_copies: u64 = expected.iter().map(|names| size(&root.path().join(&names[0])) * (names.len() as u64 - 1)).sum();
        prop_assert_eq!(found.duplicates.wasted(), other_copies);
        for group in found.groups() {
            for name in &group[1..] {
                let path = root.path().join(name);
                if path.is_dir() { fs::remove_dir_all(&path).unwrap() } else { fs::remove_file(&path).unwrap() }
            }
        }
        for names in &expected {
            prop_assert_eq!(names.iter().filter(|name| root.path().join(name).exists()).count(), 1);
        }
    }
}
