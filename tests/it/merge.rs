//! Plans and merges: a tree that is scanned in parts equals the tree of a single scan.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use duke::base::kind::Kind;
use duke::scan::{Options, OtherParts, Outcome, Scan};
use duke::testing::formats::snapshot::{
    FileSystemInfo, Merge, PlanParts, RootOrigin, Snapshot, SnapshotInfo, WriteControl, open, save,
};
use duke::testing::source::import::Input;
use duke::testing::source::plan::{ScanFlags, ScanPart, ScanPlan};
use duke::testing::source::{Source, SourceSpec};
use duke::tree::{
    Batch, DirId, Entry, EntryState, Exclusion, Links, Metadata, Totals, Tree, Walk, hard_links,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::program::test_dir::TestDir;
use crate::program::{Run, program, run};

fn about(host: &str) -> SnapshotInfo {
    SnapshotInfo::of_origin(RootOrigin { scanned_at: 7, host: host.into(), scope: Vec::new() })
}

fn written(write: impl FnOnce(&WriteControl<'_>, &mut Vec<u8>)) -> Vec<u8> {
    let (stop, mut bytes) = (AtomicBool::new(false), Vec::new());
    write(&WriteControl::new(&stop), &mut bytes);
    bytes
}

/// Saves trees to files and opens them.
fn opened(trees: &[(&Tree, SnapshotInfo)]) -> (tempfile::TempDir, Vec<Snapshot>) {
    let folder = tempfile::tempdir().unwrap();
    let open = |(number, (tree, about)): (usize, &(&Tree, SnapshotInfo))| {
        let file = folder.path().join(number.to_string());
        fs::write(&file, written(|control, out| assert_ne!(save(tree, about, control, out).unwrap(), 0)))
            .unwrap();
        open(&file).unwrap()
    };
    let parts = trees.iter().enumerate().map(open).collect();
    (folder, parts)
}

fn merged(parts: &[Snapshot]) -> Vec<u8> {
    let merge = Merge::new(parts).unwrap();
    assert_eq!(merge.unlisted(), &[] as &[Vec<u8>]);
    written(|control, out| assert_ne!(merge.save(about("here"), control, out).unwrap(), 0))
}

/// Creates directories below `root`, each inside an earlier directory, and files in them. Some files are hard links to
/// earlier files. Returns the paths of the directories.
fn create(root: &Path, directories: &[Index], files: &[(Index, Option<Index>, usize)]) -> Vec<PathBuf> {
    let mut made = vec![root.to_owned()];
    for (number, parent) in directories.iter().enumerate() {
        // Some names are not UTF-8.
        let sign = if number % 7 == 3 { 0xff } else { b'_' };
        let name = [b"d".as_slice(), &[sign], number.to_string().as_bytes()].concat();
        let path = parent.get(&made).join(OsStr::from_bytes(&name));
        fs::create_dir(&path).unwrap();
        made.push(path);
    }
    let mut names: Vec<PathBuf> = Vec::new();
    for (number, (directory, other, length)) in files.iter().enumerate() {
        let path = directory.get(&made).join(format!("f{number}"));
        match other.as_ref().filter(|_| !names.is_empty()) {
            Some(other) => fs::hard_link(other.get(&names), &path).unwrap(),
            None => fs::write(&path, vec![1; *length]).unwrap(),
        }
        names.push(path);
    }
    made
}

/// Distributes the chosen directories among `parts` lists. Omits a directory inside another chosen directory.
fn cut(made: &[PathBuf], chosen: &[Index], parts: usize) -> Vec<Vec<PathBuf>> {
    let chosen: BTreeSet<&PathBuf> = chosen.iter().map(|index| index.get(&made[1..])).collect();
    let is_outer = |path: &&&PathBuf| !chosen.iter().any(|other| other != *path && path.starts_with(other));
    let mut lists = vec![Vec::new(); parts];
    for (number, path) in chosen.iter().filter(is_outer).enumerate() {
        lists[number % parts].push((*path).clone());
    }
    lists
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Scans `root` in parts, and returns the parts. Each element of `lists` has the directories of one part. Part 0 is the
/// rest of the tree. Checks that merging the parts gives the same file as saving a scan of the whole tree.
fn merge_of_parts(
    root: &Path,
    lists: Vec<Vec<PathBuf>>,
    threads: usize,
) -> (tempfile::TempDir, Vec<Snapshot>) {
    let options = Options { threads: Some(threads), owners: true, ..Options::default() };
    let scan = |roots, other_parts| Scan::run(roots, Options { other_parts, ..options.clone() });
    let whole = scan(vec![root.to_owned()], OtherParts::default());
    let rest = scan(vec![root.to_owned()], OtherParts::at(lists.iter().flatten().map(|path| bytes(path))));
    let others: Vec<Scan> = lists.into_iter().map(|roots| scan(roots, OtherParts::default())).collect();
    let scans: Vec<&Scan> = std::iter::once(&rest).chain(&others).collect();
    let part = |number: usize| SnapshotInfo {
        parts: Some(PlanParts { numbers: vec![number as u64], ..PlanParts::default() }),
        ..about("here")
    };
    let trees: Vec<_> =
        scans.iter().enumerate().map(|(number, scan)| (&**scan.tree(), part(number))).collect();
    let (folder, snapshots) = opened(&trees);
    let about = SnapshotInfo { file_systems: vec![FileSystemInfo::default()], ..about("here") };
    let expected = written(|control, out| assert_ne!(save(whole.tree(), &about, control, out).unwrap(), 0));
    assert!(merged(&snapshots) == expected);
    (folder, snapshots)
}

/// A merge must choose the largest entries of a long listing by their sizes in the merged tree. The sizes in the parts
/// are different: part 0 has no sizes for the directories of the other parts, and a file with names in two parts counts
/// in both.
#[test]
fn a_merge_of_long_listings_is_the_same_as_a_whole_save() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap();
    for number in 0..4500 {
        let path = root.join(number.to_string());
        if number % 3 == 0 {
            fs::create_dir(&path).unwrap();
            let file = path.join("file");
            match number % 30 {
                0 => fs::write(file, vec![1; number * 40]).unwrap(),
                3 => fs::hard_link(root.join((number - 3).to_string()).join("file"), file).unwrap(),
                _ => {}
            }
        } else {
            fs::write(path, vec![1; number % 50 * 1000]).unwrap();
        }
    }
    let other = |start: usize| (start..4500).step_by(60).map(|number| root.join(number.to_string()));
    let (_folder, parts) = merge_of_parts(&root, vec![other(0).collect(), other(3).collect()], 2);
    assert_eq!(parts.len(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_merge_is_the_same_as_a_whole_save(
        directories in proptest::collection::vec(any::<Index>(), 1..30),
        files in proptest::collection::vec((any::<Index>(), any::<Option<Index>>(), 0..9_000_usize), 0..60),
        chosen in proptest::collection::vec(any::<Index>(), 0..12),
        parts in 1..4_usize,
        threads in 1..4_usize,
    ) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let made = create(&root, &directories, &files);
        let (_folder, snapshots) = merge_of_parts(&root, cut(&made, &chosen, parts), threads);
        let expected = merged(&snapshots);

        // Merges again in two steps. The second step adds the last part.
        let (last, first) = snapshots.split_last().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("partial");
        fs::write(&file, merged(first)).unwrap();
        let (_copy, last) = opened(&[(&last.tree, last.about.clone())]);
        let two = std::iter::once(open(&file).unwrap()).chain(last).collect::<Vec<_>>();
        prop_assert!(merged(&two) == expected);
    }

    #[test]
    fn a_plan_in_a_file_is_read_back(
        paths in proptest::collection::btree_set("[a-c\u{e9}\"\\\\\n]{1,4}", 0..20),
        odd in any::<[u8; 3]>(),
        fs_id in proptest::option::of("[ -~]{1,9}"),
        exclude in proptest::collection::vec("[a-z*]{1,5}", 0..3),
    ) {
        let mut paths: BTreeSet<Vec<u8>> = paths.into_iter().map(|name| format!("/d/{name}").into_bytes()).collect();
        if !odd.iter().any(|byte| b"/\0.".contains(byte)) {
            paths.insert([b"/d/x", odd.as_slice()].concat());
        }
        let (one, two) = paths.into_iter().partition(|path| path.len() % 2 == 0);
        let part = |paths| ScanPart { entries: 5, paths };
        let flags = ScanFlags { one_file_system: true, extended: true, exclude, fs_id, ..ScanFlags::default() };
        let plan = ScanPlan { path: b"/d".to_vec(), flags, parts: vec![part(Vec::new()), part(one), part(two)] };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plan");
        let mut json = Vec::new();
        plan.write(&mut json).unwrap();
        fs::write(&file, &json).unwrap();
        let (again, digest) = ScanPlan::read(&file).unwrap();
        prop_assert_eq!(&again, &plan);
        fs::write(&file, [&json[..], b" "].concat()).unwrap();
        prop_assert_ne!(ScanPlan::read(&file).unwrap().1, digest);
        for end in 0..json.len() - 1 {
            fs::write(&file, &json[..end]).unwrap();
            prop_assert!(ScanPlan::read(&file).is_err());
        }
    }
}

/// Returns a tree with one root. The root contains the directories `cut`, which belong to another part, and a file on
/// `device`. The file has two names, but the tree contains only one of them.
fn part_tree(root: &str, device: u64, cut: &[&str]) -> Tree {
    sized_tree(root, device, 16, cut)
}

/// Returns the same tree as [`part_tree`], but the file has `blocks` blocks.
fn sized_tree(root: &str, device: u64, blocks: u64, cut: &[&str]) -> Tree {
    let (tree, mut batch) = (Tree::new(), Batch::default());
    let index = tree.devices().index(device);
    let own = Metadata { apparent: 100, blocks: 8, inode: 1, ..Metadata::default() };
    let id = batch.push_directory(&tree, DirId::TOP, root.as_bytes(), own, index);
    let mut sealed = batch.seal(&tree, DirId::TOP).unwrap();
    sealed.sum.items = 0;
    tree.publish(&mut batch, DirId::TOP, &sealed);
    let links = Some(Links { count: 2, device: index });
    let metadata = Metadata { apparent: 1_000, blocks, inode: 5, links, ..Metadata::default() };
    batch.push(id, &Entry { name: b"name", kind: Kind::File, state: EntryState::Known(metadata) });
    for name in cut {
        let state = EntryState::Excluded(Exclusion::OtherPart);
        batch.push(id, &Entry { name: name.as_bytes(), kind: Kind::Directory, state });
    }
    let sealed = batch.seal(&tree, id).unwrap();
    tree.publish(&mut batch, id, &sealed);
    tree.release(id);
    tree.release(DirId::TOP);
    tree.add_linked(batch.take_linked());
    hard_links::subtract_repeats(&tree);
    tree
}

/// Merges two parts that contain the same inode number, and returns the totals.
fn totals_of_two(devices: [u64; 2], hosts: [&str; 2], system: &FileSystemInfo) -> Totals {
    let rest = part_tree("/d", devices[0], &["a"]);
    let part = part_tree("/d/a", devices[1], &[]);
    let about = |host| SnapshotInfo { file_systems: vec![system.clone()], ..about(host) };
    let (folder, parts) = opened(&[(&rest, about(hosts[0])), (&part, about(hosts[1]))]);
    let file = folder.path().join("merged");
    fs::write(&file, merged(&parts)).unwrap();
    let tree = open(&file).unwrap().tree;
    tree.verify().unwrap();
    crate::support::assert_sums_agree(&tree);
    tree.totals(DirId::TOP)
}

#[test]
fn inodes_are_the_same_only_on_the_same_file_system() {
    let totals = |files: u64| Totals {
        disk: 2 * 4096 + files * 8192,
        apparent: 2 * 100 + files * 1_000,
        items: 3,
        errors: 0,
    };
    let disk = FileSystemInfo { kind: b"ext4".to_vec(), id: 99, ..FileSystemInfo::default() };
    let ceph =
        FileSystemInfo { kind: b"ceph".to_vec(), id: 99, is_network: true, ..FileSystemInfo::default() };
    let unknown = FileSystemInfo { id: 0, ..ceph.clone() };
    let named = FileSystemInfo { name: b"big".to_vec(), ..unknown.clone() };
    let cases = [
        ([7, 7], ["one", "one"], &disk, 1),
        // Two hosts with equal device and inode numbers, for example because a whole disk was copied.
        ([7, 7], ["one", "two"], &disk, 2),
        // Two devices of one host.
        ([7, 8], ["one", "one"], &disk, 2),
        // A network file system, recognized on two hosts by its ID.
        ([39, 40], ["one", "two"], &ceph, 1),
        // A network file system without an ID, which is therefore not recognized on the other host.
        ([39, 40], ["one", "two"], &unknown, 2),
        // Two devices whose file systems were given the same name with `--fs-id`: first on two hosts, then on one host.
        ([39, 40], ["one", "two"], &named, 1),
        ([39, 40], ["one", "one"], &named, 1),
    ];
    for (devices, hosts, system, files) in cases {
        assert_eq!(totals_of_two(devices, hosts, system), totals(files), "{devices:?} {hosts:?} {system:?}");
    }
}

#[test]
fn a_partial_merge_remembers_the_host_of_each_device() {
    let rest = part_tree("/d", 7, &["a", "b"]);
    let (a, b) = (part_tree("/d/a", 7, &[]), part_tree("/d/b", 7, &[]));
    let (_folder, parts) = opened(&[(&rest, about("here")), (&a, about("two")), (&b, about("two"))]);
    let whole = merged(&parts);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("partial");
    fs::write(&file, merged(&parts[..2])).unwrap();
    let (_copy, later) = opened(&[(&b, about("two"))]);
    let two: Vec<Snapshot> = std::iter::once(open(&file).unwrap()).chain(later).collect();
    assert!(merged(&two) == whole);
    fs::write(&file, &whole).unwrap();
    // The inode counts once for each host.
    assert_eq!(open(&file).unwrap().tree.totals(DirId::TOP).disk, 3 * 4096 + 2 * 8192);
}

#[test]
fn a_directory_that_the_rest_does_not_list_is_reported() {
    let rest = part_tree("/d", 7, &["a"]);
    let (here, missing) = (part_tree("/d/a", 7, &[]), part_tree("/d/b", 7, &[]));
    let (_folder, parts) = opened(&[(&rest, about("x")), (&here, about("x")), (&missing, about("x"))]);
    let merge = Merge::new(&parts).unwrap();
    assert_eq!(merge.unlisted(), [b"/d/b".to_vec()]);
}

/// Tree to scan, and a folder for its plan, its parts and the merged snapshot.
struct Fleet {
    tree: TestDir,
    folder: TestDir,
}

impl Fleet {
    fn new() -> Self {
        let tree = TestDir::new();
        for number in 0..12 {
            tree.file(format!("d{number}/file"), 5_000);
            tree.file(format!("d{number}/deep/er/file"), 1);
        }
        fs::hard_link(tree.join("d0/file"), tree.join("d5/deep/again")).unwrap();
        fs::hard_link(tree.join("d0/file"), tree.join("d9/again")).unwrap();
        Self { tree, folder: TestDir::new() }
    }

    fn duke(&self, words: &[&str]) -> Run {
        run(program().current_dir(self.folder.path()).args(words))
    }

    fn plan(&self, words: &[&str]) {
        let path = self.tree.path().to_str().unwrap();
        let plan = self.duke(&[&["plan", "--parts", "3", "-o", "plan.json", path], words].concat()).ended(0);
        assert_eq!(plan.stderr, "");
    }

    fn save(&self, part: usize) -> Run {
        let (part, file) = (part.to_string(), format!("{part}.duke"));
        self.duke(&["save", "--plan", "plan.json", "--part", &part, "-t", "2", "-o", &file])
    }

    fn save_all(&self) {
        for part in 0..3 {
            self.save(part).ended(0);
        }
    }

    fn merge(&self, words: &[&str]) -> Run {
        self.duke(&[&["merge", "--plan", "plan.json", "-o", "all.duke"], words].concat())
    }

    fn lines(&self, words: &[&str]) -> Vec<String> {
        let text = self.duke(&[words, &["--ndjson"]].concat()).text().to_owned();
        let mut lines: Vec<String> = text.lines().map(without_time).collect();
        lines.sort();
        assert!(lines.len() > 2, "{lines:?}");
        lines
    }
}

/// Removes the time of the scan from a line.
fn without_time(line: &str) -> String {
    let (before, rest) = line.split_once("\"scanned_at\":").unwrap_or((line, ""));
    format!("{before}{}", rest.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

#[test]
fn parts_of_a_plan_are_merged_to_the_whole_tree() {
    let fleet = Fleet::new();
    let tree = fleet.tree.path().to_str().unwrap();
    fleet.duke(&["save", "-o", "whole.duke", tree]).ended(0);
    let csv = fleet.duke(&["-f", "whole.duke", "--csv"]).text().to_owned();
    let (_, list) = csv.split_once('\n').unwrap();
    fs::write(fleet.folder.join("list"), list).unwrap();
    for words in
        [&[][..], &["-f", "whole.duke"], &["-f", "list", "--fields", "path=1,type=3"], &["--depth", "1"]]
    {
        fleet.plan(words);
        let (plan, _) = ScanPlan::read(&fleet.folder.join("plan.json")).unwrap();
        assert!(plan.parts.iter().skip(1).all(|part| !part.paths.is_empty()), "{plan:?}");
        for part in 0..3 {
            let _ = fs::remove_file(fleet.folder.join(format!("{part}.duke")));
            assert_eq!(fleet.save(part).ended(0).stderr, "");
        }
        fleet.merge(&["2.duke", "0.duke", "1.duke"]).ended(0);
        assert!(fleet.lines(&["-f", "all.duke"]) == fleet.lines(&["-f", "whole.duke"]), "{words:?}");
    }
}

#[test]
fn missing_parts_are_refused_or_added_later() {
    let fleet = Fleet::new();
    fleet.plan(&[]);
    fleet.save_all();
    let refused = fleet.merge(&["0.duke", "2.duke"]).ended(2);
    assert!(refused.stderr.starts_with("duke: missing parts: 1; save them"), "{}", refused.stderr);
    assert!(!fleet.folder.join("all.duke").exists());
    let refused = fleet.merge(&["--partial", "1.duke", "2.duke"]).ended(2);
    assert!(refused.stderr.contains("part 0 is missing"), "{}", refused.stderr);
    let refused = fleet.merge(&["0.duke", "1.duke", "1.duke", "2.duke"]).ended(2);
    assert!(refused.stderr.contains("part 1 is also in 1.duke"), "{}", refused.stderr);

    let partial = fleet.merge(&["--partial", "2.duke", "0.duke"]).ended(1);
    let message = "duke: missing parts: 1; the merged snapshot marks their directories as not read\n";
    assert_eq!(partial.stderr, message);
    let lines = fleet.lines(&["-f", "all.duke"]);
    assert!(lines.iter().any(|line| line.contains("\"excluded\":\"other_part\"")), "{lines:?}");
    fleet.merge(&["all.duke", "1.duke"]).ended(0);
    fleet.duke(&["save", "-o", "whole.duke", fleet.tree.path().to_str().unwrap()]).ended(0);
    assert!(fleet.lines(&["-f", "all.duke"]) == fleet.lines(&["-f", "whole.duke"]));
}

#[test]
fn a_part_of_another_plan_or_a_damaged_part_is_refused() {
    let fleet = Fleet::new();
    fleet.plan(&[]);
    fleet.save_all();
    let path = fleet.tree.path().to_str().unwrap();
    fleet.duke(&["save", "-o", "whole.duke", path]).ended(0);
    let parts = ["0.duke", "1.duke", "2.duke"];
    let refused = fleet.merge(&[&parts[..], &["whole.duke"]].concat()).ended(2);
    assert_eq!(
        refused.stderr,
        "duke: whole.duke: not a part of this plan; save it with the plan, unless it is the complete merged snapshot\n"
    );
    let mut bytes = fs::read(fleet.folder.join("1.duke")).unwrap();
    bytes[20] ^= 1;
    fs::write(fleet.folder.join("1.duke"), &bytes).unwrap();
    let refused = fleet.merge(&parts).ended(2);
    assert!(refused.stderr.starts_with("duke: 1.duke: byte 16: wrong checksum"), "{}", refused.stderr);
    // Saving a damaged part again replaces it. Saving an undamaged part again changes nothing, even if the directory
    // has a new file.
    fleet.save(1).ended(0);
    fs::write(fleet.tree.join("d3/later"), "later").unwrap();
    let before: Vec<Vec<u8>> = parts.iter().map(|part| fs::read(fleet.folder.join(part)).unwrap()).collect();
    fleet.save_all();
    let after: Vec<Vec<u8>> = parts.iter().map(|part| fs::read(fleet.folder.join(part)).unwrap()).collect();
    assert!(before == after);
    // Replaces the plan. The parts belong to the old plan.
    fleet.plan(&["-e"]);
    let refused = fleet.merge(&parts).ended(2);
    assert!(refused.stderr.contains("not a part of this plan"), "{}", refused.stderr);
    fleet.save(0).ended(0);
    assert!(fs::read(fleet.folder.join("0.duke")).unwrap() != before[0]);
}

#[test]
fn directories_that_changed_since_the_plan_do_not_prevent_a_merge() {
    let fleet = Fleet::new();
    fleet.plan(&[]);
    let (plan, _) = ScanPlan::read(&fleet.folder.join("plan.json")).unwrap();
    let path = |part: usize| PathBuf::from(std::ffi::OsString::from_vec(plan.parts[part].paths[0].clone()));
    fleet.save(0).ended(0);
    fs::remove_dir_all(path(1)).unwrap();
    fs::remove_dir_all(path(2)).unwrap();
    fs::write(path(2), "a file now").unwrap();
    assert!(fleet.save(1).ended(1).stderr.contains("no such file or directory"));
    fleet.save(2).ended(0);
    let merged = fleet.merge(&["0.duke", "1.duke", "2.duke"]).ended(1);
    assert!(
        merged.stderr.contains("2 entries could not be read when the parts were saved"),
        "{}",
        merged.stderr
    );
    let lines = fleet.lines(&["-f", "all.duke"]);
    assert!(lines.iter().any(|line| line.contains("no such file or directory")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("not a directory")), "{lines:?}");
    // The file that replaced the directory of part 2 is deleted, and part 0 is scanned again.
    fs::remove_file(path(2)).unwrap();
    fs::remove_file(fleet.folder.join("0.duke")).unwrap();
    fleet.save(0).ended(0);
    let merged = fleet.merge(&["0.duke", "1.duke", "2.duke"]).ended(1);
    assert!(merged.stderr.contains("the scan of part 0 did not find this directory"), "{}", merged.stderr);
}

#[test]
fn unreadable_entries_of_a_part_are_exit_code_1() {
    if nix::unistd::geteuid().is_root() {
        return crate::support::skip("root can read everything");
    }
    let fleet = Fleet::new();
    fleet.plan(&[]);
    fs::set_permissions(fleet.tree.join("d7/deep"), fs::Permissions::from_mode(0o000)).unwrap();
    let codes: Vec<Option<i32>> = (0..3).map(|part| fleet.save(part).code).collect();
    assert!(codes.contains(&Some(1)), "{codes:?}");
    assert_eq!((0..3).map(|part| fleet.save(part).code).collect::<Vec<_>>(), codes);
    fleet.merge(&["0.duke", "1.duke", "2.duke"]).ended(1);
    fs::set_permissions(fleet.tree.join("d7/deep"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_unreadable_directory_gets_no_plan() {
    if nix::unistd::geteuid().is_root() {
        return crate::support::skip("root can read everything");
    }
    let fleet = Fleet::new();
    let path = fleet.tree.join("d7/deep");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let refused = fleet.duke(&["plan", "--parts", "2", path.to_str().unwrap()]).ended(2);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(refused.text(), "");
    assert!(refused.stderr.contains("permission denied"), "{}", refused.stderr);
}

#[test]
fn invalid_requests_are_usage_errors() {
    let fleet = Fleet::new();
    fleet.plan(&[]);
    let cases: [(&[&str], &str); 8] = [
        (&["plan", "--parts", "0", "."], "not a whole number from 1"),
        (&["plan", "--parts", "2"], "PATH"),
        (&["plan", "--parts", "2", "missing"], "no such file or directory"),
        (&["plan", "--parts", "2", "-f", "0.duke", "/"], "no directory /"),
        (&["save", "--plan", "plan.json", "-o", "x.duke"], "--part"),
        (&["save", "--plan", "plan.json", "--part", "3", "-o", "x.duke"], "parts 0 to 2"),
        (&["save", "--plan", "plan.json", "--part", "1"], "--output"),
        (&["save", "--plan", "0.duke", "--part", "1", "-o", "x.duke"], "0.duke: "),
    ];
    fleet.save(0).ended(0);
    for (words, reason) in cases {
        let refused = fleet.duke(words).ended(2);
        assert!(refused.stderr.contains(reason), "{words:?}: {}", refused.stderr);
    }
}

/// A merge numbers all directories again, breadth first. Each directory must get a number of its own.
#[test]
fn a_merged_tree_has_every_directory_once() {
    let fleet = Fleet::new();
    fleet.plan(&[]);
    fleet.save_all();
    fleet.merge(&["0.duke", "1.duke", "2.duke"]).ended(0);
    let tree = open(&fleet.folder.join("all.duke")).unwrap().tree;
    tree.verify().unwrap();
    let ids: BTreeSet<DirId> = Walk::new(&tree, DirId::TOP).map(|(id, _)| id).collect();
    assert_eq!(ids.len(), 2 + 3 * 12);
    let parts = open(&fleet.folder.join("1.duke")).unwrap().about.parts;
    assert_eq!(parts.map(|PlanParts { numbers, .. }| numbers), Some(vec![1]));
    assert_eq!(open(&fleet.folder.join("all.duke")).unwrap().about.parts, None);
}

#[test]
fn several_snapshots_are_shown_side_by_side() {
    let folder = TestDir::new();
    let disk = FileSystemInfo { kind: b"ext4".to_vec(), id: 99, ..FileSystemInfo::default() };
    let shared = FileSystemInfo { name: b"big".to_vec(), ..disk.clone() };
    for (system, files) in [(disk, 2), (shared, 1)] {
        for host in ["one", "two"] {
            let about = SnapshotInfo { file_systems: vec![system.clone()], ..about(host) };
            let tree = part_tree("/d", 7, &[]);
            let bytes = written(|control, out| assert_ne!(save(&tree, &about, control, out).unwrap(), 0));
            fs::write(folder.join(host), bytes).unwrap();
        }
        fs::write(folder.join("export"), r#"[1,2,{},[{"name":"/e","asize":3,"dsize":512}]]"#).unwrap();
        let words = ["-f", "one", "-f", "export", "-f", "two", "--json"];
        let printed = run(program().current_dir(folder.path()).args(words)).ended(0).json();
        let roots = printed.root().get("roots").elements();
        let names: Vec<&str> = roots.iter().map(|root| root.get("name").text()).collect();
        assert_eq!(names, ["one:/d", "export:/e", "two:/d"]);
        let disk = printed.root().get("totals").get("disk").number();
        assert_eq!(disk, 2 * 4096 + files * 8192 + 512);
    }
    let mut bytes = fs::read(folder.join("two")).unwrap();
    bytes[20] ^= 1;
    fs::write(folder.join("two"), bytes).unwrap();
    let printed =
        run(program().current_dir(folder.path()).args(["-f", "one", "-f", "two", "--json"])).ended(1);
    assert_eq!(printed.stderr, "duke: two: byte 16: wrong checksum\n");
}

#[test]
fn snapshots_read_from_their_files_are_shown_as_if_they_were_in_memory() {
    let folder = TestDir::new();
    let tree = TestDir::new();
    for (name, files) in [("one", 3), ("two", 40)] {
        let below = tree.join(name).join("deep/er");
        fs::create_dir_all(&below).unwrap();
        for number in 0..files {
            fs::write(below.join(format!("file{number}")), vec![0; 100 * number]).unwrap();
        }
        fs::hard_link(below.join("file0"), tree.join(name).join("link")).unwrap();
        fs::hard_link(below.join("file1"), below.join("twin")).unwrap();
        std::os::unix::fs::symlink("file0", below.join("symlink")).unwrap();
        let mut save = program();
        save.args(["save", "-q", "-e", "-o"]).arg(folder.join(name)).arg(tree.join(name));
        run(&mut save).ended(0);
    }
    let inputs = || ["one", "two"].map(|name| Input::File(folder.join(name))).to_vec();
    let stored = Source::start(SourceSpec::Exports(inputs())).unwrap();
    assert!(matches!(stored, Source::Snapshot(_)));
    let in_memory = Source::run(SourceSpec::Exports(inputs()));
    assert!(matches!(in_memory, Ok(Source::Import(_))));
    let in_memory = in_memory.unwrap();
    assert_eq!(in_memory.wait(Duration::from_secs(60)), Some(Outcome::Complete));
    let described = described(in_memory.tree());
    assert_eq!(self::described(stored.tree()), described);
    assert!(described.iter().any(|line| line.contains("twin")) && described.len() > 40, "{described:?}");
    assert_eq!(stored.outcome(), Some(Outcome::Complete));
    assert_eq!(stored.provenance(), in_memory.provenance());
}

/// Returns a line for each directory and each entry of a tree.
fn described(tree: &Tree) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        let path = String::from_utf8(tree.path(id)).unwrap();
        lines.push(format!("{path}: {:?} {:?} {}", tree.totals(id), tree.status(id), tree.shared(id)));
        for (_, entry) in listing.entries() {
            let state = match entry.state {
                EntryState::Known(metadata) => {
                    let linked = metadata.links.map(|it| (it.count, tree.devices().number(it.device)));
                    format!("{:?} {linked:?}", Metadata { directory: None, links: None, ..metadata })
                }
                other => format!("{other:?}"),
            };
            lines.push(format!("{path}/{}: {:?} {state}", String::from_utf8_lossy(entry.name), entry.kind));
        }
    }
    lines.sort();
    lines
}

#[test]
fn a_comparison_pairs_the_roots_of_several_hosts_by_host_and_path() {
    let folder = TestDir::new();
    let duke = |words: &[&str]| run(program().current_dir(folder.path()).args(words));
    let write = |day: &str, hosts: &[(&str, u64)]| {
        let mut words = vec!["save".to_owned(), "-q".into(), "-o".into(), format!("{day}.duke")];
        for (host, blocks) in hosts {
            let tree = sized_tree("/d", 7, *blocks, &[]);
            let name = format!("{day}-{host}");
            let saved = |control: &WriteControl<'_>, out: &mut Vec<u8>| {
                assert_ne!(save(&tree, &about(host), control, out).unwrap(), 0);
            };
            fs::write(folder.join(&name), written(saved)).unwrap();
            words.extend(["-f".to_owned(), name]);
        }
        duke(&words.iter().map(String::as_str).collect::<Vec<_>>()).ended(0);
    };
    write("monday", &[("one", 8), ("two", 16), ("three", 24)]);
    write("tuesday", &[("two", 20), ("four", 40), ("one", 8)]);
    let found = duke(&["diff", "-n", "monday.duke", "tuesday.duke"]).ended(0);
    let lines: Vec<String> =
        found.text().lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "+2.0 KiB grown 10.0 KiB two:/d/name",
        "+2.0 KiB grown 14.0 KiB two:/d",
        "0 B same 8.0 KiB one:/d",
        "-16.0 KiB gone 0 B three:/d",
        "+24.0 KiB new 24.0 KiB four:/d",
        "+10.0 KiB grown 46.0 KiB total",
    ];
    assert_eq!(lines, expected);
    let report = duke(&["diff", "--json", "monday.duke", "tuesday.duke"]).ended(0).json();
    let roots = report.root().get("new").get("roots").elements();
    let names: Vec<&str> = roots.iter().map(|root| root.get("root").text()).collect();
    assert_eq!(names, ["two:/d", "four:/d", "one:/d"]);
    assert_eq!(report.root().get("changes").elements().len(), 4);
}

#[test]
fn a_directory_that_became_a_mount_point_is_not_scanned() {
    if !Path::new("/proc/self").exists() {
        return crate::support::skip("/proc is not mounted");
    }
    let folder = TestDir::new();
    let plan = r#"{"schema":"duke-plan-1","path":"/","flags":{},"parts":[{"paths":[]},{"paths":["/proc"]}]}"#;
    fs::write(folder.join("plan.json"), plan).unwrap();
    let words = ["save", "--plan", "plan.json", "--part", "1", "-o", "1.duke"];
    let refused = run(program().current_dir(folder.path()).args(words)).ended(2);
    assert!(refused.stderr.starts_with("duke: /proc: this is a mount point"), "{}", refused.stderr);
    assert!(!folder.join("1.duke").exists());
}
