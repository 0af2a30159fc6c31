//! Tests with a snapshot of the previous scan: snapshots that cannot be used, snapshots that change while they are
//! open, and the order in which a scan with a snapshot reads directories.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::program::test_dir::TestDir;
use crate::program::{program, run};
use crate::support::reseal::reseal;
use crate::support::room::keeps_snapshots;
use crate::support::{child, skip};
use duke::scan::{Options, Outcome, Scan};
use duke::testing::source::latest_snapshot::{Latest, open_latest};
use duke::testing::table::recorded::{RecordedTree, is_of_roots};
use duke::tree::DirId;

/// Number of directories in the tree, chosen so that the snapshot's directory table has more than one block.
const DIRECTORIES: usize = 3000;

/// Tree of files, and the folder with its snapshot.
struct Kept {
    temp: TestDir,
    state: TestDir,
    /// Snapshot of the tree, made by the program.
    file: PathBuf,
}

impl Kept {
    fn new(directories: usize) -> Self {
        let (temp, state) = (TestDir::new(), TestDir::new());
        for number in 0..directories {
            temp.file(format!("t/{number:04}/file"), number);
        }
        let file = save(&temp.join("t"), &state);
        Self { temp, state, file }
    }

    /// Returns a path at which a snapshot counts as newer than `file`. The name begins with `last-`, like that of the
    /// automatic snapshot of the latest scan.
    fn newer(&self) -> PathBuf {
        let name = self.file.file_name().unwrap().to_str().unwrap();
        let (key, time) = name.strip_prefix("scan-").unwrap().split_once('-').unwrap();
        let time: u64 = time.strip_suffix(".duke").unwrap().parse().unwrap();
        self.file.with_file_name(format!("last-{key}-{:011}.duke", time + 1))
    }

    fn latest(&self, scan: &Scan) -> Latest {
        let root = self.temp.join("t");
        let is_usable = |old: &_| is_of_roots(old, scan.tree());
        open_latest(&self.state.join("duke"), &[root.as_os_str().as_bytes()], b"", i64::MAX, is_usable)
    }

    fn scan(&self) -> Scan {
        Scan::run(vec![self.temp.join("t")], Options::default())
    }
}

/// Saves a snapshot of `root` in the state directory `state`, and returns the path of the snapshot.
fn save(root: &Path, state: &TestDir) -> PathBuf {
    run(program().arg("save").arg(root).env("XDG_STATE_HOME", state.path())).ended(0);
    fs::read_dir(state.join("duke")).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn an_unusable_snapshot_is_ignored_with_a_reason_and_an_older_one_is_opened() {
    if !keeps_snapshots() {
        return;
    }
    let (kept, other, elsewhere) = (Kept::new(3), TestDir::new(), TestDir::new());
    other.file("u/file", 1);
    let whole = fs::read(&kept.file).unwrap();
    let mut later = whole.clone();
    later[8] = 99;
    reseal(&mut later).unwrap();
    let of_others = fs::read(save(&other.join("u"), &elsewhere)).unwrap();
    let (newer, scan) = (kept.newer(), kept.scan());
    let cases: [(&str, &[u8]); 5] = [
        ("truncated", &whole[..whole.len() - 3]),
        ("not a snapshot", b""),
        ("not a snapshot", b"another format that is longer than a header"),
        ("snapshot format 99", &later),
        ("saved for other paths or flags", &of_others),
    ];
    for (reason, content) in cases {
        fs::write(&newer, content).unwrap();
        let Latest { snapshot, ignored } = kept.latest(&scan);
        assert!(snapshot.is_some(), "{reason}");
        let (path, found) = ignored.unwrap();
        assert_eq!(path, newer);
        assert!(found.contains(reason), "{found} instead of {reason}");
    }
    // The newer of two ignored files is reported.
    fs::write(&kept.file, b"").unwrap();
    let Latest { snapshot, ignored } = kept.latest(&scan);
    assert!(snapshot.is_none());
    assert_eq!(ignored.unwrap().0, newer);
    fs::write(&newer, &whole).unwrap();
    let Latest { snapshot, ignored } = kept.latest(&scan);
    assert!(snapshot.is_some() && ignored.is_none());
    if !child::is_root() {
        return skip("only root can give a file to another user");
    }
    lchown(&newer, Some(65_534), Some(65_534)).unwrap();
    fs::write(&kept.file, &whole).unwrap();
    let Latest { snapshot, ignored } = kept.latest(&scan);
    assert!(snapshot.is_some());
    assert_eq!(ignored.unwrap(), (newer, "belongs to another user".to_owned()));
}

#[test]
fn a_snapshot_of_another_directory_at_the_same_path_is_not_used() {
    if !keeps_snapshots() {
        return;
    }
    let kept = Kept::new(3);
    assert!(kept.latest(&kept.scan()).snapshot.is_some());
    fs::rename(kept.temp.join("t"), kept.temp.join("former")).unwrap();
    kept.temp.file("t/0000/file", 7);
    let Latest { snapshot, ignored } = kept.latest(&kept.scan());
    assert!(snapshot.is_none() && ignored.is_none());
}

/// Name of a change to a file, `true` if the change damages the file, and a function that makes the change.
type Change<'f> = (&'static str, bool, &'f dyn Fn(&Path));

#[test]
fn a_snapshot_that_changes_while_it_is_open_shows_no_wrong_sizes() {
    if !keeps_snapshots() {
        return;
    }
    let kept = Kept::new(DIRECTORIES);
    let (whole, scan) = (fs::read(&kept.file).unwrap(), kept.scan());
    let changes: [Change<'_>; 5] = [
        ("truncated", true, &|file| fs::write(file, b"").unwrap()),
        ("shortened", true, &|file| fs::write(file, &whole[..20]).unwrap()),
        ("overwritten", true, &|file| fs::write(file, vec![b'x'; whole.len()]).unwrap()),
        ("deleted", false, &|file| fs::remove_file(file).unwrap()),
        ("replaced", false, &|file| {
            fs::write(file.with_extension("new"), b"").unwrap();
            fs::rename(file.with_extension("new"), file).unwrap();
        }),
    ];
    let tree = scan.tree();
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    for (change, is_damage, make) in changes {
        let _ = fs::remove_file(&kept.file);
        fs::write(&kept.file, &whole).unwrap();
        let there = kept.latest(&scan).snapshot.unwrap();
        let record = RecordedTree { tree: Arc::new(there.tree), scanned_at: there.about.scanned_at };
        make(&kept.file);
        for id in tree.listing(root).directories() {
            match record.find(tree, id) {
                Some(was) => assert_eq!(record.tree.totals(was), tree.totals(id), "{change}"),
                None => assert!(record.tree.damage().is_some(), "{change}"),
            }
        }
        assert_eq!(record.tree.damage().is_some(), is_damage, "{change}");
    }
}

#[test]
fn changed_directories_are_read_before_their_siblings() {
    let temp = TestDir::new();
    for number in 0..20 {
        temp.file(format!("t/{number:02}/inner/file"), 1);
    }
    let time = |path: &Path, seconds| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        fs::File::open(path).unwrap().set_modified(time).unwrap();
    };
    let root = temp.join("t");
    for number in 0..20 {
        time(&root.join(format!("{number:02}")), if [3, 8, 15].contains(&number) { 2000 } else { 1999 });
    }
    let options = Options { threads: Some(1), head_start: Duration::from_secs(60), ..Options::default() };
    let scan = Scan::start(vec![root], options).unwrap();
    scan.read_changed_first(2000);
    scan.end_head_start();
    assert_eq!(scan.wait(Duration::from_secs(60)), Some(Outcome::Complete));
    // A single worker numbers directories in the order in which it reads their parents.
    let tree = scan.tree();
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    let child = |id, name: &str| tree.entry(id, name.as_bytes()).unwrap().directory().unwrap();
    let mut read: Vec<(DirId, u32)> =
        (0..20).map(|number| (child(child(root, &format!("{number:02}")), "inner"), number)).collect();
    read.sort_unstable();
    let mut first: Vec<u32> = read[..3].iter().map(|(_, number)| *number).collect();
    first.sort_unstable();
    assert_eq!(first, [3, 8, 15], "{read:?}");
}
