//! Tests of duplicates that are made to share their data on a file system with reflinks: the freed space, the
//! unchanged contents and times, and the files that are not shared.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::program::{program, run};
use crate::support::image::{Image, clone, free, free_immediately, in_namespace, mount, succeeds, sync};
use duke::base::job::{JobEnd, Pool};
use duke::testing::analysis::search::{Order, Query, Request};
use duke::testing::delete::{self, CopyName, CopySharing, Journal, Operation, Reason, Report};
use duke::testing::duplicates;
use duke::tree::DirId;
use nix::fcntl::{FallocateFlags, fallocate};

const MIB: u64 = 1 << 20;
const LONG: Duration = Duration::from_secs(60);

/// Returns pseudo-random bytes (xorshift). The same seed always gives the same bytes.
fn noise(length: u64, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(usize::try_from(length).unwrap()).collect()
}

fn images(test: &str) -> Vec<Image> {
    let btrfs = Image::new(test, "btrfs", 200 * MIB, &["-q"]);
    // mkfs.xfs refuses to make a file system smaller than 300 MB.
    let xfs = Image::new(test, "xfs", 400 * MIB, &["-q", "-m", "reflink=1"]);
    btrfs.into_iter().chain(xfs).collect()
}

/// Searches for duplicates, calls `tamper`, and lets the duplicates share their data.
fn shared(root: &Path, journal: Option<Journal>, tamper: impl FnOnce()) -> Report {
    let scan = crate::support::scan(root, 2);
    let tree = Arc::clone(scan.tree());
    let request = Request { tree, from: DirId::TOP, query: Query::default(), order: Order::default() };
    let pool = Pool::new(2).unwrap();
    let job = duplicates::find(&pool, request).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    let sets = job.latest().unwrap().sets.clone();
    let named = |set: &Vec<duplicates::EqualEntry>| -> Vec<CopyName<'_>> {
        set.iter().filter_map(|equal| CopyName::of(scan.tree(), equal.entry, equal.state)).collect()
    };
    let sharing = CopySharing::new(scan.tree(), None, sets.iter().map(named));
    tamper();
    let job = delete::start(&pool, Operation::Share(Arc::new(sharing)), journal).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    Report::clone(&job.latest().unwrap())
}

#[test]
fn a_journal_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::in_directory(folder.path().join("state"));
    fs::create_dir_all(journal.path()).unwrap();
    let report = shared(folder.path(), Some(journal.clone()), || {});
    assert_eq!(report.journal_error, Some(format!("{}: is a directory", journal.path().display())));
}

#[test]
fn clones_in_other_subvolumes_are_not_duplicates() {
    const NAME: &str = "clones_in_other_subvolumes_are_not_duplicates";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 200 * MIB, &["-q"]) else { return };
    let btrfs = |words: &[&str]| {
        let mut command = Command::new("btrfs");
        assert!(succeeds(command.args(["-q", "subvolume"]).args(words).current_dir(image.path())));
    };
    btrfs(&["create", "one"]);
    fs::write(image.join("one/file"), noise(MIB, 1)).unwrap();
    sync(&image.path());
    btrfs(&["snapshot", "one", "two"]);
    let groups = || {
        let found = run(program().args(["duplicates", "--json"]).arg(image.path())).ended(0).json();
        found.root().get("groups").elements().len()
    };
    assert_eq!(groups(), 0);
    fs::write(image.join("two/copy"), noise(MIB, 1)).unwrap();
    assert_eq!(groups(), 1);
}

#[test]
fn data_that_copies_share_in_part_is_not_wasted() {
    const NAME: &str = "data_that_copies_share_in_part_is_not_wasted";
    if !in_namespace(NAME) {
        return;
    }
    for image in images(NAME) {
        let bytes = noise(4 * MIB, 1);
        fs::write(image.join("file"), &bytes).unwrap();
        sync(&image.path());
        let cloned = |name: &str| {
            clone(&image.join("file"), &image.join(name));
            fs::File::options().write(true).open(image.join(name)).unwrap()
        };
        let wasted = || {
            sync(&image.path());
            let found = run(program().args(["duplicates", "--json"]).arg(image.path())).ended(0).json();
            let root = found.root();
            (root.get("groups").elements().len(), root.get("wasted").number())
        };
        let second = &bytes[bytes.len() / 2..];
        cloned("half").write_all_at(second, 2 * MIB).unwrap();
        let mib = i128::from(MIB);
        assert_eq!(wasted(), (1, 2 * mib), "{}", image.path().display());
        // With a second clone changed in the same way, the file and its two clones take the space of two whole files.
        cloned("other half").write_all_at(second, 2 * MIB).unwrap();
        assert_eq!(wasted(), (1, 4 * mib));
        fs::write(image.join("copy"), &bytes).unwrap();
        assert_eq!(wasted(), (1, 8 * mib));
        fs::remove_file(image.join("half")).unwrap();
        fs::remove_file(image.join("other half")).unwrap();
        fs::remove_file(image.join("copy")).unwrap();
        drop(cloned("whole"));
        assert_eq!(wasted(), (0, 0));
    }
}

#[test]
fn directories_that_share_some_data_waste_only_the_remaining_data() {
    const NAME: &str = "directories_that_share_some_data_waste_only_the_remaining_data";
    if !in_namespace(NAME) {
        return;
    }
    for image in images(NAME) {
        fs::create_dir(image.join("one")).unwrap();
        for seed in 0..12 {
            fs::write(image.join(&format!("one/{seed}")), noise(MIB, seed)).unwrap();
        }
        sync(&image.path());
        clone(&image.join("one"), &image.join("two"));
        for seed in 0..12 {
            let file = fs::File::options().write(true).open(image.join(&format!("two/{seed}"))).unwrap();
            file.write_all_at(&noise(MIB, seed)[..128 << 10], 0).unwrap();
        }
        sync(&image.path());
        let found = run(program().args(["duplicates", "--json"]).arg(image.path())).ended(0).json();
        let wasted = u64::try_from(found.root().get("wasted").number()).unwrap();
        assert_eq!(wasted, 12 * (128 << 10), "{}", image.path().display());
        let settled = || {
            sync(&image.path());
            free_immediately(&image.path());
            free(&image.path())
        };
        let before = settled();
        fs::remove_dir_all(image.join("two")).unwrap();
        let freed = settled() - before;
        // The tolerance allows for changes to metadata, which also take or free space.
        assert!(freed.abs_diff(wasted) < 200_000, "{}: {freed}, not {wasted}", image.path().display());
    }
}

#[test]
fn sharing_frees_the_copies_and_keeps_times_and_contents() {
    const NAME: &str = "sharing_frees_the_copies_and_keeps_times_and_contents";
    if !in_namespace(NAME) {
        return;
    }
    for image in images(NAME) {
        let root = image.path();
        let bytes = noise(10 * MIB + 17, 1);
        for name in ["a", "b", "c", "new/d"] {
            fs::create_dir_all(root.join("new")).unwrap();
            fs::write(root.join(name), &bytes).unwrap();
        }
        fs::hard_link(root.join("c"), root.join("c too")).unwrap();
        for name in ["small", "small too"] {
            fs::write(root.join(name), noise(100, 2)).unwrap();
        }
        fs::set_permissions(root.join("b"), fs::Permissions::from_mode(0o400)).unwrap();
        let before = free(&root);
        let state = |name: &str| {
            let found = fs::metadata(root.join(name)).unwrap();
            (found.mtime(), found.mtime_nsec(), found.ino(), found.mode(), found.nlink(), found.len())
        };
        let names = ["a", "b", "c", "c too", "new/d", "small", "small too"];
        let states = names.map(state);
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::in_directory(folder.path().join("state"));
        let report = shared(&root, Some(journal.clone()), || {});
        assert_eq!(report.failures.first, [], "{}", root.display());
        let gained = free(&root).cast_signed() - before.cast_signed();
        let (least, measured) = ((3 * 10 * MIB).cast_signed(), report.gained.unwrap());
        // The tolerance allows for changes to metadata, which also take or free space.
        assert!(gained > least - 200_000 && (measured - gained).abs() < 200_000, "{gained} {measured}");
        assert!(report.entries >= 3 && report.freed >= 3 * (10 * MIB + 17), "{report:?}");
        assert_eq!(names.map(state), states);
        assert_eq!(fs::read(root.join("new/d")).unwrap(), bytes);
        assert_eq!(fs::read(root.join("small too")).unwrap(), noise(100, 2));
        let text = fs::read_to_string(journal.path()).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("\"action\":\"share\"")).collect();
        let count = |word: &str| lines.iter().filter(|line| line.contains(word)).count();
        // btrfs stores the small file in the metadata, where it cannot be shared.
        let files = if is_btrfs(&root) { 3 } else { 4 };
        assert_eq!((count("\"begun\""), count("\"done\"")), (files, files), "{text}");
    }
}

/// Returns `true` if `root` is on btrfs.
fn is_btrfs(root: &Path) -> bool {
    succeeds(Command::new("btrfs").args(["filesystem", "df"]).arg(root))
}

#[test]
fn data_that_is_already_shared_is_neither_counted_nor_recorded() {
    const NAME: &str = "data_that_is_already_shared_is_neither_counted_nor_recorded";
    if !in_namespace(NAME) {
        return;
    }
    for image in images(NAME) {
        let root = image.path();
        if is_btrfs(&root) {
            mount(&["-o", "remount,compress=zstd"], &root);
        }
        let text = b"the same again and again\n".repeat(200_000);
        let zeros = vec![0; 5 << 20];
        for (name, bytes) in [("text", &text), ("text too", &text), ("a zeros", &zeros)] {
            fs::write(root.join(name), bytes).unwrap();
        }
        fs::File::create(root.join("hole")).unwrap().set_len(zeros.len() as u64).unwrap();
        for name in ["reserved", "reserved too"] {
            let file = fs::File::create(root.join(name)).unwrap();
            fallocate(&file, FallocateFlags::empty(), 0, 2 << 20).unwrap();
        }
        for name in ["small", "small too"] {
            fs::write(root.join(name), noise(100, 2)).unwrap();
        }
        sync(&root);
        let folder = tempfile::tempdir().unwrap();
        let journal = |name: &str| Journal::in_directory(folder.path().join(name));
        let first = shared(&root, Some(journal("first")), || {});
        assert_eq!(first.failures.first, []);
        let zeros = fs::metadata(root.join("a zeros")).unwrap();
        assert_eq!(zeros.blocks(), 0, "the zeros are a hole now");
        let reserved = |name: &str| fs::metadata(root.join(name)).unwrap().blocks() * 512;
        assert_eq!(["reserved", "reserved too"].map(reserved), [2 << 20; 2], "reserved space is kept");
        assert!(first.entries >= 2 && first.freed >= text.len() as u64, "{first:?}");
        let second = shared(&root, Some(journal("second")), || {});
        assert_eq!((second.entries, second.freed, second.failures.count), (0, 0, 0), "{second:?}");
        let text = fs::read_to_string(journal("second").path()).unwrap_or_default();
        assert_eq!(text, "");
        let found = run(program().args(["duplicates", "--json"]).arg(&root)).ended(0).json();
        let groups = found.root().get("groups");
        let wasted = groups.elements().iter().map(|group| group.get("wasted").number()).max();
        assert_eq!(wasted, Some(2 << 20), "only the reserved space");
    }
}

#[test]
fn files_that_changed_since_the_search_are_not_shared() {
    const NAME: &str = "files_that_changed_since_the_search_are_not_shared";
    if !in_namespace(NAME) {
        return;
    }
    for image in images(NAME) {
        let root = image.path();
        let bytes = noise(MIB, 1);
        for name in ["a", "b", "c"] {
            fs::write(root.join(name), &bytes).unwrap();
        }
        sync(&root);
        let mut other = bytes.clone();
        other[1000] ^= 1;
        let report = shared(&root, None, || fs::write(root.join("b"), &other).unwrap());
        assert_eq!((report.entries, report.failures.count), (1, 1));
        assert_eq!(report.failures.first[0].reason, Reason::Changed);
        assert_eq!(report.failures.first[0].path, root.join("b").as_os_str().as_bytes());
        assert_eq!(fs::read(root.join("b")).unwrap(), other);
        assert_eq!(fs::read(root.join("c")).unwrap(), bytes);
        // If the file that should provide the data is deleted, the other files share data with each other.
        let bytes = noise(MIB, 2);
        for name in ["d", "e", "f"] {
            fs::write(root.join(name), &bytes).unwrap();
        }
        let report = shared(&root, None, || fs::remove_file(root.join("d")).unwrap());
        assert_eq!((report.entries, report.freed), (1, MIB), "{report:?}");
    }
}

#[test]
fn files_with_and_without_copy_on_write_share_among_themselves() {
    const NAME: &str = "files_with_and_without_copy_on_write_share_among_themselves";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 200 * MIB, &["-q"]) else { return };
    let root = image.path();
    for name in ["a", "b"] {
        fs::create_dir(root.join(name)).unwrap();
    }
    if !succeeds(Command::new("chattr").arg("+C").args([root.join("a"), root.join("b")])) {
        return crate::support::skip(&format!("{NAME}: no chattr"));
    }
    let bytes = noise(MIB, 1);
    let write = |names: &[&str]| names.iter().for_each(|name| fs::write(root.join(name), &bytes).unwrap());
    write(&["a/plain", "c", "d", "e"]);
    let report = shared(&root, None, || {});
    assert_eq!((report.entries, report.freed), (2, 2 * MIB), "{report:?}");
    let failed: Vec<_> = report.failures.first.iter().map(|it| (it.path.clone(), it.reason)).collect();
    assert_eq!(failed, [(root.join("a/plain").into_os_string().into_vec(), Reason::StoredApart)]);
    write(&["b/plain"]);
    let report = shared(&root, None, || {});
    // `d` and `e` already share the data of `c`, so only `c` and the two plain files are processed. The plain files
    // share their data, and `c` fails.
    assert_eq!((report.entries, report.freed, report.failures.count), (1, MIB, 1), "{report:?}");
    assert_eq!(report.failures.first[0].path, root.join("c").as_os_str().as_bytes());
}

#[test]
fn subvolumes_share_and_file_systems_do_not() {
    const NAME: &str = "subvolumes_share_and_file_systems_do_not";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 200 * MIB, &["-q"]) else { return };
    let root = image.path();
    assert!(succeeds(Command::new("btrfs").args(["subvolume", "create"]).arg(root.join("sub"))));
    fs::create_dir(root.join("other")).unwrap();
    assert!(succeeds(Command::new("mount").args(["-t", "tmpfs", "none"]).arg(root.join("other"))));
    let bytes = noise(4 * MIB, 1);
    for name in ["a", "sub/b", "other/c", "other/d"] {
        fs::write(root.join(name), &bytes).unwrap();
    }
    let report = shared(&root, None, || {});
    assert_eq!((report.entries, report.freed), (1, 4 * MIB), "{report:?}");
    let gained = report.gained.unwrap();
    let expected = (4 * MIB).cast_signed();
    assert!((gained - expected).abs() < 200_000, "counted once: {gained}");
    let reasons: Vec<Reason> = report.failures.first.iter().map(|failure| failure.reason).collect();
    assert_eq!(reasons, [Reason::NoSharing], "tmpfs cannot, and its first file gets nothing");
}

#[test]
fn the_program_shares_and_prints_the_result() {
    const NAME: &str = "the_program_shares_and_prints_the_result";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 200 * MIB, &["-q"]) else { return };
    let root = image.path();
    for name in ["a", "b"] {
        fs::write(root.join(name), noise(2 * MIB, 1)).unwrap();
    }
    let state = tempfile::tempdir().unwrap();
    let share = |path: &Path| {
        let mut program = program();
        run(program.args(["duplicates", "--share"]).arg(path).env("XDG_STATE_HOME", state.path()))
    };
    let ended = share(&root);
    let text = ended.ended(0).text().to_owned();
    assert!(text.contains("1 file now shares 2.0 MiB of data (free space +"), "{text}");
    assert!(fs::read_to_string(state.path().join("duke/deleted.jsonl")).unwrap().contains("\"share\""));
    let text = share(&root).ended(0).text().to_owned();
    assert!(text.ends_with("Nothing to share: no copies, or they already share data\n"), "{text}");

    let plain = tempfile::tempdir_in("/dev/shm").unwrap();
    for name in ["a", "b"] {
        fs::write(plain.path().join(name), noise(2 * MIB, 1)).unwrap();
    }
    let refused = share(plain.path());
    let errors = refused.ended(1).stderr;
    assert!(errors.contains(": not on btrfs, or on XFS"), "{errors}");
}
