//! Test with two random trees: the tree of the previous scan, and the tree of the running scan, which reads the
//! directories in a random order.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proptest::prelude::*;

use super::*;
use crate::fixture::{Plan, cases, linked_file, unread};
use crate::table::column::Column;
use crate::table::recorded::RecordedTree;
use crate::table::row::CellValue;
use crate::tree::DirId;

#[derive(Clone, Debug)]
enum Node {
    /// File that occupies this many 512-byte blocks.
    File(u64),
    /// Hard link to the inode with this number. The inode also has names outside the tree.
    Link(u64),
    Directory(Nodes),
}

type Nodes = BTreeMap<String, Node>;

/// Returns a strategy for trees. All names are letters from `a` to `d`, so two trees have many names in common.
fn trees() -> impl Strategy<Value = Nodes> {
    let leaf = prop_oneof![3 => (1..9_u64).prop_map(Node::File), 1 => (1..4_u64).prop_map(Node::Link)];
    let node = leaf.prop_recursive(3, 24, 4, |inner| {
        prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(Node::Directory)
    });
    prop::collection::btree_map("[a-d]", node, 1..5)
}

/// Returns the entries of a directory. `is_scanned` is `false` if its subdirectories have not been read yet.
fn plans(nodes: &Nodes, is_scanned: bool) -> Vec<Plan> {
    let plan = |(name, node): (&String, &Node)| match node {
        Node::File(blocks) => file(name, blocks * 512, 0),
        Node::Link(inode) => linked_file(name, *inode, 99),
        Node::Directory(nodes) if is_scanned => dir(name, plans(nodes, true)),
        Node::Directory(_) => unread(name),
    };
    nodes.iter().map(plan).collect()
}

/// Returns the disk usage of an entry, each inode counted once. `seen` contains the inodes of links counted so far.
fn disk(node: &Node, seen: &mut HashSet<u64>) -> u64 {
    match node {
        Node::File(blocks) => blocks * 512,
        Node::Link(inode) => u64::from(seen.insert(*inode)) * 512,
        Node::Directory(nodes) => 4096 + nodes.values().map(|node| disk(node, seen)).sum::<u64>(),
    }
}

fn directories_in(nodes: &Nodes) -> usize {
    let directories = nodes.values().filter_map(|node| match node {
        Node::Directory(nodes) => Some(1 + directories_in(nodes)),
        Node::File(_) | Node::Link(_) => None,
    });
    directories.sum()
}

fn at<'n>(nodes: &'n Nodes, path: &[String]) -> Option<&'n Nodes> {
    path.iter().try_fold(nodes, |nodes, name| match nodes.get(name)? {
        Node::Directory(nodes) => Some(nodes),
        Node::File(_) | Node::Link(_) => None,
    })
}

/// Enters the directory at `path`, and checks that the expected rows are shown. If the scan has read the directory
/// (`read` contains `path`), each entry in `new` has a row. Until the listing is complete, each entry in `old`, the
/// tree of the previous scan, has a row too.
fn check(app: &mut App<'_>, [old, new]: [&Nodes; 2], path: &[String], read: &BTreeSet<Vec<String>>) {
    let tree = app.cx.tree;
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    let child = |id, name: &String| tree.entry(id, name.as_bytes()).unwrap().directory().unwrap();
    let id = path.iter().fold(root, child);
    app.cx.enter(id);
    tick(app, 3000, None);
    let nodes = at(new, path).unwrap();
    let found: BTreeSet<&str> =
        if read.contains(path) { nodes.keys().map(String::as_str).collect() } else { BTreeSet::new() };
    let recorded = at(old, path).filter(|_| !tree.is_listed(id));
    let recorded = recorded.into_iter().flat_map(|nodes| nodes.keys().map(String::as_str));
    let expected: BTreeSet<&str> = found.iter().copied().chain(recorded).collect();
    if app.cx.window.bound == Precision::Exact {
        let whole = disk(&Node::Directory(nodes.clone()), &mut HashSet::new());
        assert_eq!(app.cx.window.totals.disk, whole, "{path:?}");
    }
    let lines = app.cx.window.lines.clone();
    let names: BTreeSet<&str> = lines.iter().map(|row| row.label.trim_end_matches('/')).collect();
    assert_eq!((lines.len(), &names), (expected.len(), &expected), "{path:?}");
    for (index, row) in lines.iter().enumerate() {
        let name = row.label.trim_end_matches('/');
        if !found.contains(name) {
            assert_eq!(row.precision, Precision::Recorded, "{path:?} {name}");
            cannot_be_acted_on(app, index);
        } else if row.precision == Precision::Exact {
            let expected = CellValue::Bytes(disk(&nodes[name], &mut HashSet::new()));
            assert_eq!(row.cell(Column::Size), expected, "{path:?} {name}");
        }
    }
}

/// Checks that no key deletes, marks, opens or inspects the recorded entry in row `index`, or starts a program for it.
fn cannot_be_acted_on(app: &mut App<'_>, index: usize) {
    press(app, "g");
    (0..index).for_each(|_| drop(press(app, "j")));
    assert!(app.cx.location.recorded_entry().is_some() && app.cx.location.entry().is_none());
    let shown = app.cx.location.id;
    for key in ["d", "D", "Space", "i", "o", "v", "Enter", "V", "+", "*"] {
        let effects = press(app, key);
        let acts = |effect: &Effect| matches!(effect, Effect::Deletion(_) | Effect::Start(_));
        assert!(!effects.iter().any(acts), "{key}: {effects:?}");
        assert!(app.layers.is_empty() && app.cx.marks().count() == 0, "{key}");
        assert!(app.cx.location.id == shown && !app.cx.is_ranging(), "{key}");
        press(app, "Esc");
    }
}

proptest! {
    #![proptest_config(cases(128))]

    /// At any time during the scan, each size shown as exact equals the size found by a naive walk, each name has one
    /// row, and no key acts on an entry that only the previous scan has found.
    #[test]
    fn confirmed_numbers_are_true_and_recorded_rows_are_only_shown(
        old in trees(), new in trees(), order in prop::collection::vec(any::<prop::sample::Index>(), 24)
    ) {
        let record = RecordedTree { tree: Arc::new(build(plans(&old, true)).0), scanned_at: 0 };
        let growing = Growing::new();
        growing.publish(plans(&new, false));
        let mut read = BTreeSet::from([Vec::new()]);
        let mut order = order.into_iter();
        loop {
            let directories = |path: &Vec<String>| {
                let nodes = at(&new, path).into_iter().flatten();
                let path = path.clone();
                nodes.filter(|(_, node)| matches!(node, Node::Directory(_)))
                    .map(move |(name, _)| [path.as_slice(), std::slice::from_ref(name)].concat())
            };
            let known: BTreeSet<Vec<String>> = read.iter().flat_map(directories).chain([Vec::new()]).collect();
            let settings = Settings { record: Some(record.clone()), ..settings() };
            let mut app = App::new(&growing.tree, vec![(b"/r".to_vec(), b"/r".to_vec())], &settings, (80, 60));
            tick(&mut app, 1500, None);
            for path in &known {
                check(&mut app, [&old, &new], path, &read);
            }
            let waiting: Vec<&Vec<String>> = known.difference(&read).collect();
            let (Some(index), false) = (order.next(), waiting.is_empty()) else { break };
            let path = waiting[index.index(waiting.len())].clone();
            growing.read(&path.join("/"), plans(at(&new, &path).unwrap(), false));
            read.insert(path);
        }
        let is_read = read.len() == 1 + directories_in(&new);
        growing.finish();
        let settings = Settings { record: Some(record), ..settings() };
        let mut app = App::new(&growing.tree, vec![(b"/r".to_vec(), b"/r".to_vec())], &settings, (80, 60));
        tick(&mut app, 3000, Some(Outcome::Complete));
        for row in app.cx.window.lines.iter().filter(|_| is_read) {
            let node = &new[row.label.trim_end_matches('/')];
            prop_assert_eq!(row.precision, Precision::Exact);
            prop_assert_eq!(row.cell(Column::Size), CellValue::Bytes(disk(node, &mut HashSet::new())));
        }
    }
}
