//! Snapshots: a saved tree is read back unchanged, and damage to the file is reported as an error with the position.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::fixtures::{self, Fixture};
use crate::support::reseal::reseal;
use duke::base::kind::Kind;
use duke::scan::{Options, Scan};
use duke::testing::formats::snapshot;
use duke::testing::formats::snapshot::{
    FileSystemInfo, OpenError, PlanParts, RootOrigin, Snapshot, SnapshotInfo, WriteControl, WriteError,
};
use duke::testing::output::json::{Body, Report, Summary};
use duke::testing::platform::Access;
use duke::tree::{
    Batch, DirId, Entry, EntryState, Exclusion, Links, Listing, LiveTotals, Metadata, Owner, StorageClass,
    Tree, Walk,
};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

const WAYS: [Access; 2] = [Access::Read, Access::Mapped];

fn about() -> SnapshotInfo {
    let system = FileSystemInfo {
        kind: b"ceph".to_vec(),
        source: b"10.0.0.1:/".to_vec(),
        root: b"/home".to_vec(),
        id: u64::MAX,
        name: b"big".to_vec(),
        is_network: true,
        host: b"there".to_vec(),
    };
    let other = RootOrigin { scanned_at: 7, host: b"there".to_vec(), scope: Vec::new() };
    SnapshotInfo { others: vec![other], file_systems: vec![system], ..SnapshotInfo::of_origin(origin()) }
}

fn origin() -> RootOrigin {
    RootOrigin { scanned_at: -5, host: b"here".to_vec(), scope: b"-x".to_vec() }
}

/// Returns the metadata that a snapshot of `tree` contains after it was saved with `about`. A snapshot has one file
/// system for each device. File systems that are missing from `about` get default values.
fn about_in(mut about: SnapshotInfo, tree: &Tree) -> SnapshotInfo {
    about.file_systems.resize(tree.devices().numbers().len(), FileSystemInfo::default());
    about
}

fn bytes_of(tree: &Tree) -> Vec<u8> {
    bytes_with(tree, &about())
}

fn bytes_with(tree: &Tree, about: &SnapshotInfo) -> Vec<u8> {
    let mut bytes = Vec::new();
    let stop = AtomicBool::new(false);
    let written = snapshot::save(tree, about, &WriteControl::new(&stop), &mut bytes).unwrap();
    assert_eq!(written, bytes.len() as u64);
    bytes
}

/// Writes `bytes` to a file in a new folder.
pub(crate) fn stored(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("snapshot");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn open(path: &Path, access: Access) -> Result<Snapshot, OpenError> {
    snapshot::open_by(path, Some(access))
}

/// Returns all data of a tree, keyed by path. Directory IDs are omitted, because a snapshot renumbers directories.
fn everything(tree: &Tree) -> BTreeMap<Vec<u8>, String> {
    let mut all = BTreeMap::new();
    let mut note = |path: Vec<u8>, what: String| {
        all.entry(path).and_modify(|before: &mut String| *before += &what).or_insert(what);
    };
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        let (totals, status, shared) = (tree.totals(id), tree.status(id), tree.shared(id));
        let (device, above) =
            ((tree.device_index(id), tree.device(id)), tree.parent(id).map(|above| tree.path(above)));
        note(tree.path(id), format!("{totals:?} {status:?} {shared} {device:?} {above:?}\n"));
        for (_, record) in listing.entries() {
            let mut record = record;
            let mut leads_to = None;
            if let EntryState::Known(metadata) = &mut record.state {
                leads_to = metadata.directory.take().map(|id| tree.path(id));
            }
            note(
                duke::tree::join([tree.path(id).as_slice(), record.name]),
                format!("{record:?} {leads_to:?}\n"),
            );
        }
    }
    let mut linked: Vec<_> =
        tree.linked().into_iter().map(|name| format!("{:?} {name:?}", tree.path(name.directory))).collect();
    for name in &mut linked {
        name.replace_range(name.find("directory").unwrap()..name.find("inode").unwrap(), "");
    }
    linked.sort();
    let failures = crate::support::failures(tree);
    let tables = (tree.devices().numbers(), tree.storage_classes().names());
    note(b"".to_vec(), format!("{linked:#?} {failures:?} {tables:?}"));
    all
}

fn assert_comes_back(tree: &Tree) {
    for parts in [None, Some(PlanParts { plan: 99, numbers: vec![0, 3] })] {
        let written = SnapshotInfo { parts, ..about() };
        let bytes = bytes_with(tree, &written);
        let (_folder, path) = stored(&bytes);
        for access in WAYS {
            let Snapshot { tree: again, about } = open(&path, access).unwrap();
            assert_eq!(about, about_in(written.clone(), tree));
            assert_eq!(everything(&again), everything(tree));
            assert_eq!(again.damage(), None);
            again.verify().unwrap();
            assert!(bytes_with(&again, &written) == bytes, "a snapshot of a snapshot is another");
        }
    }
}

#[test]
fn a_snapshot_is_read_back_unchanged() {
    let fixtures: [fn() -> Fixture; 8] = [
        fixtures::empty,
        fixtures::plain,
        fixtures::hard_links,
        fixtures::symlinks,
        fixtures::sparse,
        fixtures::weird_names,
        || fixtures::crowd(9_000),
        || fixtures::wide(3_000),
    ];
    for fixture in fixtures {
        let fixture = fixture();
        let scan = crate::support::scan_with(fixture.path(), Options { owners: true, ..Options::default() });
        assert_comes_back(scan.tree());
    }
}

#[test]
fn a_chain_of_directories_is_read_back() {
    let fixture = fixtures::chain(3_000, "d");
    let scan = crate::support::scan(fixture.path(), 4);
    let (_folder, path) = stored(&bytes_of(scan.tree()));
    let again = open(&path, Access::Read).unwrap().tree;
    assert_eq!(crate::support::directories(&again), crate::support::directories(scan.tree()));
}

#[test]
fn nested_repeated_and_missing_roots_are_read_back() {
    let fixture = fixtures::plain();
    let inner = Walk::new(crate::support::scan(fixture.path(), 1).tree(), DirId::TOP)
        .map(|(id, _)| id)
        .nth(3)
        .unwrap();
    let inner = crate::support::path(crate::support::scan(fixture.path(), 1).tree().path(inner));
    for order in [[0, 1, 2, 0], [1, 0, 0, 2], [1, 1, 2, 0], [0, 1, 1, 1]] {
        let all = [fixture.path().to_owned(), inner.clone(), fixture.join("missing")];
        let roots = order.map(|root| all[root].clone()).to_vec();
        let scan = Scan::run(roots, Options::default());
        assert_comes_back(scan.tree());
    }
}

#[test]
fn the_same_tree_gives_the_same_bytes_with_any_threads() {
    let fixture = fixtures::wide(200);
    let bytes = [1, 8].map(|threads| bytes_of(crate::support::scan(fixture.path(), threads).tree()));
    assert!(bytes[0] == bytes[1]);
}

fn write_json(tree: &Tree, depth: Option<usize>, out: &mut Vec<u8>) {
    let body = Body::Tree { depth, summary: &Summary::default(), system: None };
    let live = LiveTotals::sample(tree);
    let report =
        Report { tree, live, is_complete: true, elapsed: Duration::ZERO, least: 0, exclusive: None, body };
    report.write(out).unwrap();
}

#[test]
fn json_of_a_snapshot_is_that_of_the_scan() {
    let fixture = fixtures::hard_links();
    let scan = crate::support::scan(fixture.path(), 2);
    let (_folder, path) = stored(&bytes_of(scan.tree()));
    let json = |tree: &Tree| {
        let mut out = Vec::new();
        write_json(tree, None, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(json(&open(&path, Access::Read).unwrap().tree), json(scan.tree()));
}

/// Reads a file completely and returns its first error.
fn verdict(path: &Path, access: Access) -> Result<(), String> {
    let tree = open(path, access).map_err(|error| error.to_string())?.tree;
    tree.verify().map_err(|damage| damage.to_string())
}

#[test]
fn every_changed_byte_is_noticed() {
    let fixture = fixtures::hard_links();
    let bytes = bytes_of(crate::support::scan(fixture.path(), 1).tree());
    let (_folder, path) = stored(&bytes);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&path, &changed).unwrap();
        let verdict = verdict(&path, WAYS[at % 2]).unwrap_err();
        assert!(at < 8 || verdict.starts_with("byte "), "{at}: {verdict}");
    }
}

#[test]
fn every_shorter_or_longer_file_is_refused() {
    let fixture = fixtures::plain();
    let mut bytes = bytes_of(crate::support::scan(fixture.path(), 1).tree());
    let (_folder, path) = stored(&bytes);
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let verdict = verdict(&path, Access::Read).unwrap_err();
        assert!(verdict.starts_with("byte ") || length < 8, "{length}: {verdict}");
    }
    bytes.push(0);
    fs::write(&path, &bytes).unwrap();
    assert!(verdict(&path, Access::Read).unwrap_err().contains("has trailing data"));
}

#[test]
fn other_files_are_not_opened_as_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let verdict = |path: &Path| verdict(path, Access::Read).unwrap_err();
    assert_eq!(verdict(&file), "cannot read: no such file or directory");
    assert_eq!(verdict(folder.path()), "cannot read: is a directory");
    fs::write(&file, "[1,2,{}]").unwrap();
    assert_eq!(verdict(&file), "not a snapshot");
    assert_eq!(verdict(Path::new("/dev/zero")), "not a regular file");
    let mut later = bytes_of(crate::support::scan(folder.path(), 1).tree());
    later[8] = 4;
    reseal(&mut later).unwrap();
    fs::write(&file, later).unwrap();
    assert_eq!(verdict(&file), "written by a newer duke (snapshot format 4); update duke");
}

#[test]
fn damage_is_reported_where_it_is_and_the_rest_can_be_read() {
    let fixture = fixtures::wide(3_000);
    let scan = crate::support::scan(fixture.path(), 2);
    let mut bytes = bytes_of(scan.tree());
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    let (_folder, path) = stored(&bytes);
    let tree = open(&path, Access::Read).unwrap().tree;
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    assert_eq!(tree.totals(root), scan.tree().totals(DirId(1)));
    let met = Walk::new(&tree, DirId::TOP).count();
    let damage = tree.damage().unwrap();
    assert!(met > 1_000, "{met} directories, {damage}");
    assert!(damage.offset <= middle as u64 && damage.reason == "wrong checksum", "{damage}");
    assert_eq!(tree.verify(), Err(damage));
}

#[test]
fn a_file_truncated_during_use_is_an_error() {
    let fixture = fixtures::wide(3_000);
    let bytes = bytes_of(crate::support::scan(fixture.path(), 2).tree());
    let (_folder, path) = stored(&bytes);
    for access in WAYS {
        fs::write(&path, &bytes).unwrap();
        let tree = open(&path, access).unwrap().tree;
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
        assert!(tree.verify().unwrap_err().reason.contains("truncated"));
    }
}

#[test]
fn a_replaced_snapshot_is_unchanged_for_open_readers() {
    let fixture = fixtures::wide(3_000);
    let bytes = bytes_of(crate::support::scan(fixture.path(), 2).tree());
    let (folder, path) = stored(&bytes);
    for access in WAYS {
        let tree = open(&path, access).unwrap().tree;
        let other = folder.path().join("other");
        fs::write(&other, &bytes[..50]).unwrap();
        fs::rename(&other, &path).unwrap();
        tree.verify().unwrap();
        fs::write(&path, &bytes).unwrap();
    }
}

#[test]
fn limits_are_kept() {
    let fixture = fixtures::plain();
    let scan = crate::support::scan(fixture.path(), 1);
    let length = bytes_of(scan.tree()).len() as u64;
    let save = |bytes, stop: bool| {
        let stop = AtomicBool::new(stop);
        snapshot::save(
            scan.tree(),
            &about(),
            &WriteControl { bytes, ..WriteControl::new(&stop) },
            &mut Vec::new(),
        )
    };
    assert!(matches!(save(length, false), Ok(written) if written == length));
    assert!(matches!(save(length - 1, false), Err(WriteError::TooLarge)));
    assert!(matches!(save(length, true), Err(WriteError::Stopped)));
    let stop = AtomicBool::new(false);
    let unfinished = snapshot::save(
        &Tree::new(),
        &about(),
        &WriteControl { bytes: 99, ..WriteControl::new(&stop) },
        &mut Vec::new(),
    );
    assert!(matches!(unfinished, Err(WriteError::UnusableTree)));
}

/// Reads all data of a tree, including its errors and hard links, and returns the number of directories.
pub(crate) fn explore(tree: &Tree) -> usize {
    let mut met = 0;
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        met += 1;
        assert!(tree.ancestry(id).count() < 10_000);
        let (_, _, _) = (tree.path(id), tree.own_metadata(id), tree.shared(id));
        for (position, record) in listing.entries() {
            assert_eq!(listing.name(position), Some(record.name));
        }
    }
    tree.failures().iter().for_each(|failure| drop(tree.failure_path(failure)));
    tree.linked();
    let mut out = Vec::new();
    write_json(tree, Some(9), &mut out);
    met
}

/// Entry of a tree to build.
#[derive(Clone, Debug)]
enum Plan {
    Entry(Kind, EntryState),
    Directory(Metadata, Vec<Plan>),
}

fn any_facts() -> impl Strategy<Value = Metadata> {
    let numbers = (any::<u64>(), any::<u64>(), any::<i64>(), any::<u64>(), 0..40_u32);
    let owner = proptest::option::of(any::<[u32; 3]>());
    let links = proptest::option::of((2..u64::MAX, 0..2_u32));
    let class = proptest::option::of((0..3_u8).prop_map(StorageClass));
    let rest = (owner, links, any::<bool>(), class);
    (numbers, rest).prop_map(|((apparent, blocks, mtime, inode, small), rest)| {
        let (owner, links, is_executable, storage_class) = rest;
        let owner = owner.map(|[uid, gid, mode]| Owner { uid, gid, mode });
        let links = links.map(|(count, device)| Links { count, device });
        let shift = |number: u64| number >> small;
        Metadata {
            apparent: shift(apparent),
            blocks: shift(blocks),
            mtime,
            inode,
            directory: None,
            links,
            owner,
            is_executable,
            storage_class,
        }
    })
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let state = prop_oneof![
        6 => any_facts().prop_map(EntryState::Known),
        1 => (1..200_i32).prop_map(EntryState::Failed),
        1 => Just(EntryState::Excluded(Exclusion::Caches)),
    ];
    let entry = (1..8_usize, state).prop_map(|(kind, state)| Plan::Entry(Kind::ALL[kind], state));
    entry.prop_recursive(6, 300, 12, |inner| {
        (any_facts(), proptest::collection::vec(inner, 0..12))
            .prop_map(|(metadata, entries)| Plan::Directory(Metadata { links: None, ..metadata }, entries))
    })
}

/// Builds a tree with the entries of `plan` below one root. Some directories cannot be read or are incomplete.
fn build(plan: Vec<Plan>) -> Tree {
    let (tree, mut batch) = (Tree::new(), Batch::default());
    // The second device belongs to another host.
    let device = |(host, number)| tree.devices().of_host(host).index(number);
    let devices = [(0, 7), (1, 7), (0, u64::MAX)].map(device);
    let class = |entry: &Plan| match entry {
        Plan::Entry(_, EntryState::Known(metadata)) | Plan::Directory(metadata, _) => metadata.storage_class,
        Plan::Entry(..) => None,
    };
    if plan.iter().any(|entry| class(entry).is_some()) {
        for name in [&b"STANDARD"[..], b"GLACIER"] {
            tree.storage_classes().add(name);
        }
    }
    let root = batch.push_directory(&tree, DirId::TOP, b"/r", Metadata::default(), devices[0]);
    let sealed = batch.seal(&tree, DirId::TOP).unwrap();
    tree.publish(&mut batch, DirId::TOP, &sealed);
    let mut waiting = vec![(root, plan)];
    while let Some((id, entries)) = waiting.pop() {
        for (number, entry) in entries.into_iter().enumerate() {
            let name = format!("{}{number}", "n".repeat(number * number));
            match entry {
                Plan::Entry(kind, state) => {
                    batch.push(id, &Entry { name: name.as_bytes(), kind, state });
                }
                Plan::Directory(metadata, entries) => {
                    let device = devices[usize::try_from(metadata.inode % 3).unwrap()];
                    waiting
                        .push((batch.push_directory(&tree, id, name.as_bytes(), metadata, device), entries));
                }
            }
            if number % 5 == 4
                && let Some(sealed) = batch.seal(&tree, id)
            {
                tree.publish(&mut batch, id, &sealed);
            }
        }
        if let Some(sealed) = batch.seal(&tree, id) {
            tree.publish(&mut batch, id, &sealed);
        } else if id.0 % 2 == 0 {
            tree.fail(id, 13);
        } else {
            tree.stop(id);
        }
        tree.release(id);
    }
    tree.release(DirId::TOP);
    tree.add_linked(batch.take_linked());
    tree.set_shared([(root, 5)]);
    tree
}

/// Builds the tree that `snapshot-1.duke` and `snapshot-2.duke` (format versions 1 and 2) in `tests/data` must contain.
fn tree_of_version_1() -> Tree {
    let facts = |inode| Metadata { apparent: 5_000, blocks: 16, mtime: -3, inode, ..Metadata::default() };
    let linked = Metadata { links: Some(Links { count: 2, device: 1 }), ..facts(12) };
    let owner = Some(Owner { uid: 7, gid: 8, mode: 0o100_644 });
    let file = |metadata| Plan::Entry(Kind::File, EntryState::Known(metadata));
    let inner = vec![file(linked), Plan::Entry(Kind::Unknown, EntryState::Failed(5))];
    build(vec![
        file(facts(11)),
        file(linked),
        file(Metadata { owner, ..facts(13) }),
        Plan::Directory(facts(21), inner),
        Plan::Directory(facts(22), Vec::new()),
        Plan::Entry(Kind::Directory, EntryState::Excluded(Exclusion::SecondLink)),
    ])
}

#[test]
fn earlier_versions_can_be_read() {
    for version in [1, 2] {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let file = data.join(format!("snapshot-{version}.duke"));
        assert_eq!(fs::read(&file).unwrap()[8], version);
        for access in WAYS {
            let Snapshot { tree, mut about } = open(&file, access).unwrap();
            about.file_systems.retain(|system| *system != FileSystemInfo::default());
            assert_eq!(about, SnapshotInfo::of_origin(origin()));
            tree.verify().unwrap();
            assert_eq!(everything(&tree), everything(&tree_of_version_1()));
        }
    }
}

/// Returns a tree whose root `/r` has `count` entries: directories, entries without a size, and files of many sizes,
/// some of which have a link count of 2.
fn long_tree(count: u64) -> Tree {
    let (tree, mut batch) = (Tree::new(), Batch::default());
    let device = tree.devices().index(7);
    let root = batch.push_directory(&tree, DirId::TOP, b"/r", Metadata::default(), device);
    let sealed = batch.seal(&tree, DirId::TOP).unwrap();
    tree.publish(&mut batch, DirId::TOP, &sealed);
    let mut directories = Vec::new();
    for number in 0..count {
        let name = format!("{number:x}");
        let blocks = number * 7919 % 4001;
        let links = (number % 10 == 3).then_some(Links { count: 2, device });
        let metadata = Metadata { blocks, apparent: number, inode: number / 2, links, ..Metadata::default() };
        let state = match number % 100 {
            7 => EntryState::Failed(13),
            8 => EntryState::Excluded(Exclusion::Caches),
            9 => {
                let own = Metadata { links: None, ..metadata };
                directories.push(batch.push_directory(&tree, root, name.as_bytes(), own, device));
                continue;
            }
            _ => EntryState::Known(metadata),
        };
        batch.push(root, &Entry { name: name.as_bytes(), kind: Kind::File, state });
        if number % 999 == 0 {
            let sealed = batch.seal(&tree, root).unwrap();
            tree.publish(&mut batch, root, &sealed);
        }
    }
    if let Some(sealed) = batch.seal(&tree, root) {
        tree.publish(&mut batch, root, &sealed);
    }
    for id in directories {
        let metadata = Metadata { blocks: u64::from(id.0) * 31 % 5000, ..Metadata::default() };
        batch.push(id, &Entry { name: b"file", kind: Kind::File, state: EntryState::Known(metadata) });
        let sealed = batch.seal(&tree, id).unwrap();
        tree.publish(&mut batch, id, &sealed);
        tree.release(id);
    }
    tree.release(root);
    tree.release(DirId::TOP);
    tree.add_linked(batch.take_linked());
    tree
}

/// Returns the size and name of each entry, excluding entries without a size.
fn sizes(tree: &Tree, listing: &Listing<'_>) -> Vec<(u64, Vec<u8>)> {
    let size = |entry: &Entry<'_>| match entry.state {
        EntryState::Known(Metadata { directory: Some(id), .. }) => Some(tree.totals(id).disk),
        EntryState::Known(metadata) => Some(metadata.disk()),
        _ => None,
    };
    listing.entries().filter_map(|(_, entry)| Some((size(&entry)?, entry.name.to_vec()))).collect()
}

#[test]
fn the_largest_entries_of_a_long_listing_are_loaded_without_the_others() {
    for count in [4096, 4097, 30_000] {
        let tree = long_tree(count);
        assert_comes_back(&tree);
        let (_folder, path) = stored(&bytes_of(&tree));
        let again = open(&path, Access::Read).unwrap().tree;
        let root = again.listing(DirId::TOP).directories().next().unwrap();
        let Some(head) = again.head(root) else {
            assert_eq!(count, 4096);
            continue;
        };
        assert_eq!((head.listing.entries().count() as u64, head.others), (1024, count - 1024));
        let mut all = sizes(&tree, &tree.listing(root));
        all.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        assert_eq!(sizes(&again, &head.listing), all[..1024]);
        assert!(again.loaded_listing(root).is_empty());
        // Every directory has a name, even if its entry is not in the head of the listing.
        let names: Vec<_> = Walk::new(&again, DirId::TOP).map(|(id, _)| again.name(id).to_vec()).collect();
        assert_eq!(names.len(), Walk::new(&tree, DirId::TOP).count());
        assert!(names.iter().all(|name| !name.is_empty() || name == again.name(DirId::TOP)));
        let whole = again.listing(root);
        assert_eq!(whole.entries().count() as u64, count);
        assert!(head.listing.entries().all(|(position, entry)| whole.record(position) == Some(entry)));
        assert!(again.head(root).is_none());
    }
}

/// Three roots are also child directories of the first root. The snapshot lists each of them twice, but gives each only
/// one number. The listing of the first root is long, so its largest directories get the first numbers. The numbers
/// therefore do not follow the order of the listing.
#[test]
fn roots_inside_a_long_listing_are_read_back() {
    let fixture = fixtures::plain();
    for number in 0..5000 {
        fs::create_dir(fixture.join(format!("{number}"))).unwrap();
        if number % 50 == 0 {
            fs::write(fixture.join(format!("{number}/file")), vec![1; number * 20]).unwrap();
        }
    }
    let inside = ["4950", "17", "50"].map(|name| fixture.join(name));
    let roots = std::iter::once(fixture.path().to_owned()).chain(inside).collect();
    assert_comes_back(Scan::run(roots, Options::default()).tree());
}

#[test]
fn damage_to_the_head_of_a_listing_or_to_its_other_entries_is_reported() {
    let bytes = bytes_of(&long_tree(5000));
    let find = |name: &[u8]| bytes.windows(name.len()).position(|part| part == name).unwrap();
    // Each name is preceded by its length. The head of the listing contains `1002`, but not `1001`.
    let (head, others) = (find(b"\x041002"), find(b"\x041001"));
    assert!(head < others);
    for at in [head, others] {
        let mut damaged = bytes.clone();
        damaged[at + 1] = b'/';
        reseal(&mut damaged);
        let (_folder, path) = stored(&damaged);
        let tree = open(&path, Access::Read).unwrap().tree;
        let root = tree.listing(DirId::TOP).directories().next().unwrap();
        assert_eq!(tree.head(root).is_some(), at == others);
        assert!(tree.listing(root).is_empty());
        assert!(tree.damage().is_some());
        assert!(tree.verify().is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tree_is_read_back(plan in proptest::collection::vec(any_plan(), 0..20)) {
        assert_comes_back(&build(plan));
    }

    /// The checksums are corrected, as in a file crafted by an attacker.
    #[test]
    fn any_file_gives_a_finite_tree(
        plan in proptest::collection::vec(any_plan(), 0..20),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = bytes_of(&build(plan));
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        reseal(&mut bytes);
        let (_folder, path) = stored(&bytes);
        for access in WAYS {
            if let Ok(Snapshot { tree, .. }) = open(&path, access) {
                let met = explore(&tree);
                prop_assert!(met <= bytes.len());
                let _ = tree.verify();
                prop_assert_eq!(explore(&tree), met);
            }
        }
    }
}
