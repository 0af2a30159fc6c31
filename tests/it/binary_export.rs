//! ncdu's binary export: duke reads and writes the same values as in the JSON export of the same tree. The error for
//! a damaged export names the damaged item.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::json::{Value as Json, parse};
use crate::program::test_dir::TestDir;
use crate::program::{is_installed, program, run, run_in};
use crate::snapshot::{explore, stored};
use crate::support::binary_export::Value::{Bytes, Negative, Number, Truth};
use crate::support::binary_export::{
    Item, Value, block, chain, file, file_of_frames, frame, frame_of_one, item, read, reference,
};
use crate::support::fixtures::{self, Fixture};
use duke::scan::Options;
use duke::testing::formats::WrittenEntries;
use duke::testing::formats::snapshot::{SnapshotInfo, WriteControl};
use duke::testing::formats::{ncdu_binary, ncdu_write, snapshot};
use duke::testing::platform::Access;
use duke::tree::{DirId, Tree, Walk};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

/// One tree, exported by ncdu 2.8 in the binary format and as JSON.
const SMALL: [&[u8]; 2] = [include_bytes!("../data/small.ncdu"), include_bytes!("../data/small.json")];

/// Returns a directory with every kind of entry that an export can contain.
fn everything() -> TestDir {
    let temp = TestDir::new();
    temp.file("t/sub/large", 50_000);
    temp.file("t/sub/deep/small", 10);
    temp.file("t/sub/deep/excluded.o", 10);
    temp.directory("t/sub/empty");
    for (old, new) in
        [("t/sub/large", "t/again"), ("t/sub/deep/small", "t/sub/deep/twin"), ("t/again", "outside")]
    {
        fs::hard_link(temp.join(old), temp.join(new)).unwrap();
    }
    symlink("nowhere", temp.join("t/link")).unwrap();
    nix::unistd::mkfifo(&temp.join("t/fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    temp.odd_file(b"t/bad\xff\n\x1b\x7f\"\\,name", "1");
    temp
}

/// Returns the text of an export after its first line, which names the program.
fn body(export: &[u8]) -> String {
    let text = String::from_utf8_lossy(export).into_owned();
    text.split_once('\n').unwrap().1.trim_end().to_owned()
}

fn run_here(temp: &TestDir, words: &[&str]) -> Vec<u8> {
    run_in(temp.path(), words).ended(0).stdout
}

/// Items and sizes that are counted for a directory.
#[derive(Clone, Default)]
struct Counted {
    items: u64,
    plain: [u64; 2],
    /// Inodes with several names, by device and inode number: sizes, link count, and number of names found.
    linked: BTreeMap<(u64, u64), ([u64; 2], u64, u64)>,
}

impl Counted {
    fn merge(&mut self, other: &Self) {
        self.items += other.items;
        (0..2).for_each(|at| self.plain[at] += other.plain[at]);
        for (inode, (sizes, links, names)) in &other.linked {
            self.linked.entry(*inode).or_insert((*sizes, *links, 0)).2 += names;
        }
    }

    fn totals(&self) -> [u64; 2] {
        [0, 1].map(|at| self.plain[at] + self.linked.values().map(|(sizes, ..)| sizes[at]).sum::<u64>())
    }

    fn shared(&self) -> [u64; 2] {
        let outside = || self.linked.values().filter(|(_, links, names)| names < links);
        [0, 1].map(|at| outside().map(|(sizes, ..)| sizes[at]).sum())
    }
}

/// Compares an item and everything below it with the JSON of the same tree. `own` is the item's key in `items`.
/// Returns the sizes that the item adds to its directory, and the number of items that were compared.
fn check(items: &BTreeMap<u64, Item>, own: u64, json: Json<'_>, device: Option<u64>) -> (Counted, usize) {
    let fields = json.elements();
    let (info, children) = fields.split_first().map_or((json, &[][..]), |(info, children)| (*info, children));
    let is_list = !fields.is_empty();
    let number = |key: &str| info.find(key).map(|value| u64::try_from(value.number()).unwrap());
    let truth = |key: &str| info.find(key).is_some_and(Json::is_true);
    let mut expected = Item::new();
    let mut put = |key: u64, value: Option<u64>| drop(value.map(|value| expected.insert(key, Number(value))));
    let excluded = info.find("excluded").map(Json::text);
    let (mut counted, mut checked) = (Counted { items: 1, ..Counted::default() }, 1);
    let kind = match excluded {
        Some("pattern") => Negative(1),
        Some("otherfs") => Negative(2),
        Some("kernfs") => Negative(3),
        Some(other) => panic!("unknown exclusion {other}"),
        None if truth("read_error") && !is_list => Negative(0),
        None if is_list => Number(0),
        None if truth("hlnkc") => Number(3),
        None => Number(if truth("notreg") { 2 } else { 1 }),
    };
    if matches!(kind, Number(_)) {
        let sizes = ["asize", "dsize"].map(|key| number(key).unwrap_or(0));
        put(3, Some(sizes[0]));
        put(4, Some(sizes[1]));
        for (key, name) in [(13, "ino"), (14, "nlink"), (15, "uid"), (16, "gid"), (17, "mode"), (18, "mtime")]
        {
            put(key, number(name));
        }
        if kind == Number(3) {
            let inode = (device.unwrap(), number("ino").unwrap());
            counted.linked.insert(inode, (sizes, number("nlink").unwrap(), 1));
        } else {
            counted.plain = sizes;
        }
    } else {
        counted.items = u64::from(kind == Negative(0));
    }
    if kind == Number(0) {
        let inner = number("dev").or(device);
        if inner != device {
            put(5, inner);
        }
        let chain = chain(items, own);
        assert_eq!(chain.len(), children.len(), "{:?}", items[&own]);
        let mut is_unreadable = false;
        for (child, json) in chain.iter().zip(children) {
            let (sum, count) = check(items, *child, *json, inner);
            counted.merge(&sum);
            checked += count;
            let child = &items[child];
            is_unreadable |= child[&0] == Negative(0) || child.contains_key(&6);
        }
        let ([apparent, disk], shared) = (counted.totals(), counted.shared());
        put(7, Some(apparent));
        put(8, Some(disk));
        let has_shared = shared != [0, 0];
        put(9, has_shared.then_some(shared[0]));
        put(10, has_shared.then_some(shared[1]));
        put(11, Some(counted.items - 1));
        if is_unreadable || truth("read_error") {
            expected.insert(6, Truth(truth("read_error")));
        }
    }
    expected.insert(0, kind);
    let mut found = items[&own].clone();
    let Some(Bytes(name)) = found.remove(&1) else { panic!("an item without a name: {found:?}") };
    assert_eq!(String::from_utf8_lossy(&name), info.get("name").text());
    found.retain(|key, _| !matches!(key, 2 | 12));
    assert_eq!(found, expected, "{}", info.get("name").text());
    (counted, checked)
}

/// Checks each field of a binary export against the JSON export of the same tree.
fn check_fields(binary: &[u8], json: &[u8]) {
    let (items, root) = read(binary);
    let document = parse(String::from_utf8_lossy(json).as_bytes()).unwrap();
    let tree = document.root().elements()[3];
    let (_, checked) = check(&items, root, tree, None);
    assert_eq!(checked, items.len(), "no item is left over");
}

#[test]
fn a_file_of_ncdu_has_the_fields_that_the_tests_expect() {
    check_fields(SMALL[0], SMALL[1]);
}

#[test]
fn a_file_of_ncdu_is_read_and_written_like_its_json() {
    let temp = TestDir::new();
    fs::write(temp.join("a.ncdu"), SMALL[0]).unwrap();
    fs::write(temp.join("a.json"), SMALL[1]).unwrap();
    assert_eq!(body(&run_here(&temp, &["-f", "a.ncdu", "-o", "-"])), body(SMALL[1]));
    run_here(&temp, &["-f", "a.json", "-O", "b.ncdu"]);
    run_here(&temp, &["-f", "a.ncdu", "-O", "c.ncdu"]);
    for name in ["b.ncdu", "c.ncdu"] {
        check_fields(&fs::read(temp.join(name)).unwrap(), SMALL[1]);
    }
}

#[test]
fn a_written_file_has_the_fields_of_the_json() {
    let temp = everything();
    for flags in [&["--exclude", "*.o"][..], &["-e", "--exclude", "*.o"]] {
        run_here(&temp, &[flags, &["-o", "a.json", "t"]].concat());
        run_here(&temp, &[flags, &["-O", "a.ncdu", "t"]].concat());
        let [binary, json] = ["a.ncdu", "a.json"].map(|name| fs::read(temp.join(name)).unwrap());
        check_fields(&binary, &json);
        assert_eq!(body(&run_here(&temp, &["-f", "a.ncdu", "-o", "-"])), body(&json));
        assert_eq!(
            run_here(&temp, &["-f", "a.json", "-O", "-"]),
            run_here(&temp, &["-f", "a.ncdu", "-O", "-"])
        );
    }
    let mode = fs::metadata(temp.join("a.ncdu")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn every_task_prints_the_same_of_a_binary_export_as_of_the_json() {
    let temp = everything();
    run_here(&temp, &["-e", "-o", "a.json", "t"]);
    run_here(&temp, &["-e", "-O", "a.ncdu", "t"]);
    // The binary format does not record the time of the scan, so times are removed from the output.
    let printed = |name: &str, words: &[&str]| {
        let text = String::from_utf8_lossy(&run_here(&temp, &[words, &["-f", name]].concat())).into_owned();
        let lines = text.lines().filter(|line| !line.contains("elapsed_ms")).map(|line| {
            let end = line.find(",\"scanned_at\":").unwrap_or(line.trim_end_matches('}').len());
            line[..end].to_owned()
        });
        lines.collect::<Vec<_>>()
    };
    let tasks: [&[&str]; 9] = [
        &["--json"],
        &["--ndjson"],
        &["-n", "-d", "9"],
        &["-n", "-d", "9", "-a", "--sort", "count"],
        &["--top", "3"],
        &["--by", "type"],
        &["--by", "owner"],
        &["--json", "--top", "2", "--by", "age"],
        &["-s"],
    ];
    for words in tasks {
        assert_eq!(printed("a.ncdu", words), printed("a.json", words), "{words:?}");
    }
    let diff =
        |words: &[&str], code| String::from_utf8(run_in(temp.path(), words).ended(code).stdout).unwrap();
    assert!(diff(&["diff", "--json", "a.ncdu", "a.json"], 0).contains("\"changes\":[]"));
    assert!(diff(&["diff", "--json", "a.ncdu"], 0).contains("\"changes\":[]"));
    temp.file("t/sub/new", 90_000);
    for old in ["a.ncdu", "a.json"] {
        let printed = diff(&["diff", "-n", old, "t"], 0);
        assert!(printed.contains("new") && printed.contains("t/sub/new"), "{printed}");
    }
}

#[test]
fn a_binary_export_is_read_alone_and_from_a_file() {
    let temp = everything();
    run_here(&temp, &["-O", "a.ncdu", "t"]);
    run_here(&temp, &["-o", "a.json", "t"]);
    let both = run_in(temp.path(), ["-n", "-f", "a.json", "-f", "a.ncdu"]).ended(1);
    assert_eq!(both.stderr, "duke: a.ncdu: a binary export cannot be combined with other -f files\n");
    let list = run_in(temp.path(), ["-n", "-f", "a.ncdu", "--root", "/x"]).ended(2);
    assert!(list.stderr.starts_with("duke: a.ncdu: this is a binary export; --format"), "{}", list.stderr);
    let input = fs::File::open(temp.join("a.ncdu")).unwrap();
    let piped = run(program().args(["-n", "-f", "-"]).current_dir(temp.path()).stdin(Stdio::from(input)));
    let refused = "duke: standard input: cannot read a binary export from standard input or a pipe; give the name of a file\n";
    assert_eq!(piped.ended(2).stderr, refused);
    let file = run_in(temp.path(), ["-O", "b.ncdu", "t/link"]).ended(2);
    assert!(
        file.stderr.contains("ncdu's format allows only one root, which must be a directory"),
        "{}",
        file.stderr
    );
    assert!(!temp.join("b.ncdu").exists());
    run_in(temp.path(), ["-O", "missing/b.ncdu", "t"]).ended(1);
}

/// Passes a tree through ncdu 1, with and without `-e`. The binary export that duke writes afterwards must be equal to
/// the one that duke wrote before.
#[test]
fn trees_survive_the_way_to_ncdu_1_and_back() {
    if !is_installed("ncdu", "-v") {
        return;
    }
    let temp = everything();
    fs::remove_file(temp.join("outside")).unwrap();
    for flags in [&[][..], &["-e"]] {
        run_here(&temp, &[flags, &["-O", "a.ncdu", "t"]].concat());
        run_here(&temp, &["-f", "a.ncdu", "-o", "a.json"]);
        let ncdu = Command::new("ncdu")
            .args(flags)
            .args(["-f", "a.json", "-o", "b.json"])
            .current_dir(temp.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(ncdu.status.success(), "{}", String::from_utf8_lossy(&ncdu.stderr));
        run_here(&temp, &["-f", "b.json", "-O", "c.ncdu"]);
        let of = |name: &str| {
            let (items, root) = read(&fs::read(temp.join(name)).unwrap());
            flat(&items, root)
        };
        assert_eq!(of("c.ncdu"), of("a.ncdu"));
        assert_eq!(of("a.ncdu").len(), 12);
    }
}

/// Returns the fields of all items, keyed by path. References to other items are omitted.
fn flat(items: &BTreeMap<u64, Item>, root: u64) -> BTreeMap<Vec<u8>, Item> {
    let (mut all, mut waiting) = (BTreeMap::new(), vec![(Vec::new(), root)]);
    while let Some((above, own)) = waiting.pop() {
        let mut fields = items[&own].clone();
        let Some(Bytes(name)) = fields.remove(&1) else { panic!("an item without a name") };
        let path = [&above[..], &name].join(&b'/');
        waiting.extend(chain(items, own).into_iter().map(|child| (path.clone(), child)));
        fields.retain(|key, _| !matches!(key, 2 | 12));
        assert!(all.insert(path, fields).is_none());
    }
    all
}

fn binary(tree: &Tree) -> Vec<u8> {
    let (root, _) = ncdu_write::Export::root(tree).unwrap();
    let mut bytes = Vec::new();
    let size = ncdu_binary::BlockSize::Growing;
    ncdu_binary::write(tree, &root, root.name, size, &WrittenEntries::default(), &mut bytes).unwrap();
    bytes
}

fn json(tree: &Tree) -> String {
    let (root, _) = ncdu_write::Export::root(tree).unwrap();
    let mut out = Vec::new();
    let written = &WrittenEntries::default();
    ncdu_write::Export { tree, name: root.name, scanned_at: 0, written }.write(&mut out).unwrap();
    String::from_utf8_lossy(&out).into_owned()
}

fn open(bytes: &[u8], access: Access) -> Result<Tree, String> {
    let (_folder, path) = stored(bytes);
    ncdu_binary::open_by(&path, Some(access)).map_err(|error| error.to_string())
}

#[test]
fn large_trees_are_read_back_in_any_order() {
    let fixtures: [fn() -> Fixture; 6] = [
        fixtures::empty,
        fixtures::hard_links,
        fixtures::weird_names,
        || fixtures::crowd(9_000),
        || fixtures::wide(3_000),
        || fixtures::chain(3_000, "d"),
    ];
    for fixture in fixtures {
        let fixture = fixture();
        let scan = crate::support::scan_with(fixture.path(), Options { owners: true, ..Options::default() });
        let bytes = binary(scan.tree());
        let tree = open(&bytes, Access::Mapped).unwrap();
        assert_eq!(json(&tree), json(scan.tree()));
        assert_eq!(crate::support::directories(&tree), crate::support::directories(scan.tree()));
        let shared = |tree: &Tree| {
            let all = Walk::new(tree, DirId::TOP).map(|(id, _)| (tree.path(id), tree.shared(id)));
            all.collect::<BTreeMap<_, _>>()
        };
        assert_eq!(shared(&tree), shared(scan.tree()));
        tree.verify().unwrap();
        crate::support::assert_sums_agree(&tree);
        // Opens the tree again, reads the names of hard-linked inodes first, and then saves a snapshot.
        let tree = open(&bytes, Access::Read).unwrap();
        assert_eq!(tree.linked().len(), scan.tree().linked().len());
        let (stop, about) = (AtomicBool::new(false), SnapshotInfo::default());
        let saved = |tree: &Tree| {
            let mut out = Vec::new();
            snapshot::save(tree, &about, &WriteControl::new(&stop), &mut out).unwrap();
            let (_folder, path) = stored(&out);
            json(&snapshot::open(&path).unwrap().tree)
        };
        assert_eq!(saved(&tree), saved(scan.tree()));
        assert_eq!(tree.damage(), None);
    }
}

#[test]
fn listings_are_loaded_when_they_are_shown() {
    let fixture = fixtures::wide(3_000);
    let scan = crate::support::scan(fixture.path(), 2);
    let tree = open(&binary(scan.tree()), Access::Read).unwrap();
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    assert!(tree.loaded_listing(root).is_empty());
    let child = tree.listing(root).directories().next().unwrap();
    assert!(tree.loaded_listing(child).is_empty() && tree.totals(root).items > 3_000);
    assert_eq!(tree.listing(child).length(), tree.loaded_listing(child).length());
}

/// Many threads load the same directories at once.
#[test]
fn threads_load_each_directory_once() {
    let fixture = fixtures::wide(300);
    let bytes = binary(crate::support::scan(fixture.path(), 2).tree());
    let tree = open(&bytes, Access::Read).unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let tree = &tree;
            scope.spawn(move || match number % 4 {
                0 => drop(tree.verify()),
                1 => drop(tree.linked()),
                2 => drop(tree.failures()),
                _ => drop(Walk::new(tree, DirId::TOP).count()),
            });
        }
    });
    let ids: Vec<DirId> = Walk::new(&tree, DirId::TOP).map(|(id, _)| id).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    assert_eq!(json(&tree), json(&open(&bytes, Access::Read).unwrap()));
    assert_eq!(tree.damage(), None);
}

fn bytes(text: &str) -> Value {
    Bytes(text.as_bytes().to_vec())
}

/// Returns the fields of a directory called `name`. `last` is the reference to the last item in the directory.
fn directory(name: &str, last: u64) -> Vec<(u64, Value)> {
    vec![(0, Number(0)), (1, bytes(name)), (12, Number(last))]
}

/// Returns a file with these items in one block. The last item is the root.
fn items(all: &[&[(u64, Value)]]) -> Vec<u8> {
    let mut content = Vec::new();
    let mut root = 0;
    for fields in all {
        root = content.len() as u64;
        content.extend(item(fields));
    }
    file(&[&content], root)
}

/// Reads the whole file and returns the first error, or `no error`. Checks that read(2) and mmap(2) agree.
fn verdict(bytes: &[u8]) -> String {
    let error = |access| match open(bytes, access) {
        Ok(tree) => {
            let met = explore(&tree);
            assert!(met <= bytes.len(), "{met} directories");
            tree.verify().map_or_else(|damage| damage.to_string(), |()| "no error".to_owned())
        }
        Err(error) => error,
    };
    let [read, mapped] = [Access::Read, Access::Mapped].map(error);
    assert_eq!(read, mapped);
    read
}

#[test]
fn good_files_of_other_writers_are_read() {
    let plain = (0, Number(1));
    let forms: [&[(u64, Value)]; 6] = [
        &[plain.clone(), (1, bytes("f"))],
        &[(1, bytes("f")), plain.clone()],
        &[plain.clone(), (1, bytes("f")), (99, bytes("unknown")), (1 << 40, Truth(true))],
        &[(0, Number(77)), (1, bytes("f"))],
        &[(0, Negative(77)), (1, bytes("f"))],
        &[(0, Number(3)), (1, bytes("f")), (14, Number(9)), (3, Number(u64::MAX)), (4, Number(u64::MAX))],
    ];
    for fields in forms {
        assert_eq!(verdict(&items(&[fields, &directory("/r", 0)])), "no error", "{fields:?}");
    }
    // The name of the first item is text instead of bytes. One key has a tag. The unknown fields contain lists of known
    // and unknown length, a map, and a floating-point number.
    let other =
        b"\xc1\xa4\x00\x01\xd8\x20\x01\x61f\x18\x63\x82\x9f\x01\xff\xa1\x61a\xf6\x39\x01\x00\xf9\x00\x00";
    let root = item(&directory("/r", 0));
    assert_eq!(verdict(&file(&[&[&other[1..], &root].concat()], other.len() as u64 - 1)), "no error");
    // The file has a block of an unknown type, and its index has an unused block number.
    let mut whole = items(&[&directory("/r", 1 << 40)[..2]]);
    let index = whole.split_off(whole.len() - 24);
    whole.extend(block(7, b"unknown"));
    let root = u64::from_be_bytes(index[12..20].try_into().unwrap());
    let pointer = &index[4..12];
    whole.extend(block(1, &[pointer, &[0; 8], &root.to_be_bytes()].concat()));
    assert_eq!(verdict(&whole), "no error");
}

/// Returns test cases, each with a name, the bytes of a damaged file, and a part of the expected error message.
fn broken() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let leaf = |name: &str| vec![(0, Number(1)), (1, bytes(name))];
    let with = |mut fields: Vec<(u64, Value)>, more: &[(u64, Value)]| {
        fields.extend_from_slice(more);
        fields
    };
    let below = |fields: &[(u64, Value)]| items(&[fields, &directory("/r", 0)]);
    let named = |name: &[u8]| below(&[(0, Number(1)), (1, Bytes(name.to_vec()))]);
    let size = |fields: &[(u64, Value)]| item(fields).len() as u64;
    let dir = size(&directory("d", 0));
    let twice = "the item is listed twice, or contains itself";
    let mut all = vec![
        ("an item before itself", below(&with(leaf("f"), &[(2, Number(0))])), twice),
        (
            "two items before each other",
            {
                let first = with(leaf("f"), &[(2, Number(size(&with(leaf("f"), &[(2, Number(0))]))))]);
                let second = with(leaf("g"), &[(2, Number(0))]);
                items(&[&first, &second, &directory("/r", 0)])
            },
            twice,
        ),
        ("a directory in itself", below(&directory("d", 0)), twice),
        ("a root in itself", items(&[&directory("/r", 0)]), twice),
        ("a root in its directory", items(&[&directory("d", dir), &directory("/r", 0)]), twice),
        (
            "one listing of two directories",
            {
                let second = with(directory("e", 0), &[(2, Number(size(&leaf("f"))))]);
                items(&[&leaf("f"), &directory("d", 0), &second, &directory("/r", size(&leaf("f")) + dir)])
            },
            twice,
        ),
        (
            "an item within another",
            {
                let inner = item(&leaf("f"));
                let outer = [(0, Number(1)), (1, bytes("o")), (2, Number(0)), (77, Bytes(inner))];
                let start = item(&outer).len() as u64 - size(&leaf("f")) - 1;
                let outer = with(leaf("o"), &[(2, Number(start)), (77, Bytes(item(&leaf("f"))))]);
                items(&[&outer, &directory("/r", 0)])
            },
            twice,
        ),
        ("a block that does not exist", items(&[&directory("/r", 1 << 24)]), "its block is not in the index"),
        ("a block beyond all numbers", items(&[&directory("/r", u64::MAX)]), "its block is not in the index"),
        ("an item after its block", items(&[&directory("/r", 0xff_ffff)]), "not found in this block"),
        (
            "an item in the middle of another",
            below(&with(leaf("f"), &[(2, Number(5))])),
            "not found in this block",
        ),
        (
            "a reference before the file",
            below(&with(leaf("f"), &[(2, Negative(u64::MAX))])),
            "before the start",
        ),
        ("a root that is a file", items(&[&leaf("/r")]), "the root is not a directory"),
        (
            "an unreadable root",
            items(&[&[(0, Negative(0)), (1, bytes("/r"))]]),
            "the root is not a directory",
        ),
        ("no type", below(&[(1, bytes("f"))]), "no type"),
        ("no name", below(&[(0, Number(1))]), "no name"),
        ("a field twice", below(&with(leaf("f"), &[(3, Number(1)), (3, Number(1))])), "duplicate field"),
        ("a type twice", below(&with(leaf("f"), &[(0, Number(1))])), "duplicate field"),
        ("a name that is a number", below(&[(0, Number(1)), (1, Number(1))]), "the name is not a string"),
        ("a type that is a string", below(&[(0, bytes("1")), (1, bytes("f"))]), "the type is not a number"),
        ("a size that is a string", below(&with(leaf("f"), &[(3, bytes("1"))])), "value of the wrong type"),
        ("a negative size", below(&with(leaf("f"), &[(4, Negative(0))])), "value of the wrong type"),
        ("a large owner", below(&with(leaf("f"), &[(15, Number(1 << 32))])), "does not fit into 32 bits"),
        ("a late time", below(&with(leaf("f"), &[(18, Number(1 << 63))])), "time out of range"),
        ("a long name", named(&vec![b'n'; (128 << 10) + 1]), "invalid file name"),
    ];
    for name in [&b""[..], b".", b"..", b"a/b", b"a\0b"] {
        all.push(("a bad name", named(name), "invalid file name"));
    }
    all.push(("a root with a NUL", items(&[&directory("/r\0", 0)[..2]]), "invalid file name"));
    for bytes in [
        &b"\xbf\x00"[..],
        b"\xbf\x00\x01\x01\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\xbf\x00\x01\x01\x61f\x1c\xff",
    ] {
        all.push(("malformed values", file(&[bytes, &item(&directory("/r", 0))], 1 << 24), "malformed"));
    }
    let deep = [&b"\xbf\x00\x01\x01\x61f\x18\x63"[..], &vec![0x81; 1 << 20]].concat();
    all.push(("values that are too deep", file(&[&deep, &item(&directory("/r", 0))], 1 << 24), "malformed"));
    all
}

#[test]
fn errors_name_the_item() {
    for (what, bytes, reason) in broken() {
        let verdict = verdict(&bytes);
        assert!(verdict.starts_with("byte ") && verdict.contains(": item 0x"), "{what}: {verdict}");
        assert!(verdict.contains(reason) && verdict.lines().count() == 1, "{what}: {verdict}");
        let temp = TestDir::new();
        fs::write(temp.join("x"), bytes).unwrap();
        let run = run_in(temp.path(), ["--json", "-f", "x"]);
        assert!(matches!(run.code, Some(1 | 2)), "{what}: {:?}", run.code);
        assert_eq!(run.stderr, format!("duke: x: {verdict}\n"), "{what}");
    }
}

#[test]
fn broken_blocks_are_errors() {
    let root = item(&directory("/r", 0)[..2]);
    let good = file(&[&root], 0);
    assert_eq!(verdict(&good), "no error");
    let pointer = good.len() - 20;
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] ^= byte;
        verdict(&bytes)
    };
    for (what, at, reason) in [
        ("signature", 0, "not"),
        ("type of a block", 8, "no data block here"),
        ("length of a block", 11, "no data block here"),
        ("number of a block", 15, "no data block here"),
        ("zstd", 16, "no zstd frame"),
        ("length of the content", 21, "compressed data is truncated or damaged"),
        ("end of a block", good.len() - 25, "no data block here"),
        ("pointer to a position", pointer, "truncated"),
        ("pointer with another length", pointer + 7, "no data block here"),
        ("reference of the root", good.len() - 5, "not found in this block"),
        ("head of the index", good.len() - 24, "end of the export not found"),
        ("end of the index", good.len() - 1, "end of the export not found"),
    ] {
        let verdict = changed(at, 1);
        assert!(verdict.contains(reason), "{what}: {verdict}");
    }
    for (frame, reason) in [
        (frame_of_one(0, 1 << 24), "no zstd frame here with a content length"),
        (frame_of_one(0, (1 << 24) - 1), "expands to more than 100 times its size"),
        ([&frame(&root)[..], &frame(&root)].concat(), "truncated or damaged"),
        (frame(&root)[..20].to_vec(), "truncated or damaged"),
        (Vec::new(), "no zstd frame"),
    ] {
        let verdict = verdict(&file_of_frames(&[frame], 0));
        assert!(verdict.contains(reason) && verdict.contains("item 0x0: "), "{verdict}");
    }
}

#[test]
fn every_shorter_or_longer_file_is_refused() {
    for length in 0..SMALL[0].len() {
        let verdict = verdict(&SMALL[0][..length]);
        assert!(length < 8 || verdict.starts_with("byte "), "{length}: {verdict}");
    }
    assert!(verdict(&[SMALL[0], b"x"].concat()).contains("trailing data"));
    assert_eq!(verdict(SMALL[0]), "no error");
}

#[test]
fn damage_leaves_the_rest_readable() {
    let leaf = |name: &str| vec![(0, Number(1)), (1, bytes(name))];
    let mut chain = vec![directory("bad", 1 << 30)];
    let mut start = item(&chain[0]).len() as u64;
    for number in 0..100_u64 {
        let before = start - item(chain.last().unwrap()).len() as u64;
        let mut fields = leaf(&format!("f{number}"));
        fields.push((2, Number(before)));
        start += item(&fields).len() as u64;
        chain.push(fields);
    }
    let last = start - item(chain.last().unwrap()).len() as u64;
    chain.push(directory("/r", last));
    let all: Vec<&[(u64, Value)]> = chain.iter().map(Vec::as_slice).collect();
    let tree = open(&items(&all), Access::Read).unwrap();
    assert_eq!(
        Walk::new(&tree, DirId::TOP).map(|(_, listing)| listing.entries().count()).sum::<usize>(),
        102
    );
    assert!(tree.damage().unwrap().reason.contains("item 0x40000000: its block is not in the index"));
}

#[test]
fn errors_below_are_counted_when_everything_is_loaded() {
    let temp = TestDir::new();
    let export = r#"[1,2,{"progname":"x"},[{"name":"/r","dev":1},{"name":"e","read_error":true},
[{"name":"d","read_error":true},{"name":"f","read_error":true},{"name":"g","read_error":true}],[{"name":"good"}]]]"#;
    fs::write(temp.join("a.json"), export).unwrap();
    run_in(temp.path(), ["-f", "a.json", "-O", "a.ncdu"]).ended(1);
    let binary = fs::read(temp.join("a.ncdu")).unwrap();
    check_fields(&binary, export.as_bytes());
    let errors =
        |tree: &Tree| Walk::new(tree, DirId::TOP).map(|(id, _)| tree.totals(id).errors).collect::<Vec<_>>();
    let tree = open(&binary, Access::Read).unwrap();
    assert_eq!(errors(&tree), [1, 1, 1, 0]);
    assert_eq!(tree.failures().len(), 4);
    assert_eq!(errors(&tree), [4, 4, 3, 0]);
    let run = run_in(temp.path(), ["-f", "a.ncdu", "--json"]).ended(1);
    assert_eq!(run.json().root().get("totals").get("errors").number(), 4);
}

#[test]
fn a_file_truncated_during_use_is_an_error() {
    let fixture = fixtures::wide(3_000);
    let bytes = binary(crate::support::scan(fixture.path(), 2).tree());
    let (_folder, path) = stored(&bytes);
    for access in [Access::Read, Access::Mapped] {
        fs::write(&path, &bytes).unwrap();
        let tree = ncdu_binary::open_by(&path, Some(access)).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
        let damage = tree.verify().unwrap_err();
        assert!(damage.reason.contains("truncated") && damage.reason.starts_with("item 0x"), "{damage}");
    }
}

/// Returns the number of items in each block.
fn items_of_blocks(file: &[u8]) -> Vec<usize> {
    let mut blocks = BTreeMap::new();
    read(file).0.keys().for_each(|own| *blocks.entry(own >> 24).or_insert(0) += 1);
    blocks.into_values().collect()
}

#[test]
fn a_block_has_the_size_that_was_asked_for() {
    let temp = TestDir::new();
    for number in 0..3_000 {
        temp.file(format!("t/{}/{number}", number % 3), 0);
    }
    run_here(&temp, &["-O", "usual.ncdu", "t"]);
    let export = |words: &[&str]| {
        run_here(&temp, &[words, &["-f", "usual.ncdu", "-O", "a.ncdu"]].concat());
        assert_eq!(
            run_here(&temp, &["-f", "a.ncdu", "-o", "-"]),
            run_here(&temp, &["-f", "usual.ncdu", "-o", "-"])
        );
        items_of_blocks(&fs::read(temp.join("a.ncdu")).unwrap())
    };
    let small = export(&["--export-block-size", "4"]);
    let usual = export(&[]);
    assert!(small.len() > 10 * usual.len(), "{small:?} {usual:?}");
    // The item of a file takes at least 10 bytes. Only the last item of a block may extend past the block size.
    assert!(small.iter().all(|items| *items <= 4096 / 10 + 1), "{small:?}");
    let all: usize = usual.iter().sum();
    assert_eq!(small.iter().sum::<usize>(), all);
    let large = export(&["--export-block-size", "16000"]);
    assert!(large.len() <= usual.len() && large.iter().sum::<usize>() == all, "{large:?} {usual:?}");
    run_here(&temp, &["ncdu", "--ignore-config", "--export-block-size=4", "-0O", "b.ncdu", "t"]);
    assert!(items_of_blocks(&fs::read(temp.join("b.ncdu")).unwrap()).len() > 10);
    for (size, flag) in [("3", "-O"), ("16001", "-O"), ("64", "-o")] {
        run_in(temp.path(), ["--export-block-size", size, flag, "c", "t"]).ended(2);
    }
}

#[test]
fn other_files_are_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let error = |path: &Path| ncdu_binary::open(path).err().unwrap().to_string();
    assert_eq!(error(&folder.path().join("missing")), "cannot read: no such file or directory");
    assert_eq!(error(folder.path()), "cannot read: is a directory");
    assert_eq!(error(Path::new("/dev/zero")), "not a regular file");
    assert_eq!(verdict(b"[1,2,{}]"), "not a binary export");
}

/// Returns a file with the items of [`SMALL`]. Its block is not compressed, so that a changed byte changes an item.
fn spread() -> Vec<u8> {
    const ROOM: u64 = 512;
    let (items, root) = read(SMALL[0]);
    let places: Vec<u64> = items.keys().copied().collect();
    let temp = |own: u64| places.iter().position(|other| *other == own).unwrap() as u64 * ROOM;
    let mut content = Vec::new();
    for (own, fields) in &items {
        let field = |(key, value): (&u64, &Value)| match key {
            2 | 12 => (*key, Number(temp(reference(*own, fields, *key).unwrap()))),
            _ => (*key, value.clone()),
        };
        content.extend(item(&fields.iter().map(field).collect::<Vec<_>>()));
        content.resize(content.len().next_multiple_of(usize::try_from(ROOM).unwrap()), 0);
    }
    file(&[&content], temp(root))
}

#[test]
fn the_file_with_stored_blocks_is_a_good_one() {
    assert_eq!(verdict(&spread()), "no error");
    assert_eq!(json(&open(&spread(), Access::Read).unwrap()), json(&open(SMALL[0], Access::Read).unwrap()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_file_gives_a_finite_tree(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        is_packed in any::<bool>(),
    ) {
        let mut whole = if is_packed { SMALL[0].to_vec() } else { spread() };
        for (at, byte) in changes {
            let at = at.index(whole.len());
            whole[at] = byte;
        }
        let _ = verdict(&whole);
    }
}
