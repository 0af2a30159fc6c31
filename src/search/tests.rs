//! Searches and filters of small trees, against a walk that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::fixture::{Item, NOW, directory, file, finish, paths, pool, request, tree};
use super::*;
use crate::kind::Kind;
use crate::tree::{Content, Facts, Totals, Walk};

/// What a filter keeps, said again: for an item with its parents, the nearest last.
type Rule = fn(&Item, &[&Item]) -> bool;

fn name(item: &Item) -> &str {
    item.path.rsplit('/').next().unwrap_or_default()
}

fn has_a(item: &Item, parents: &[&Item]) -> bool {
    parents.iter().copied().chain([item]).any(|item| name(item).contains('a'))
}

const RULES: [(&str, Rule); 7] = [
    ("", |_, _| true),
    ("a", has_a),
    ("-a", |item, parents| !has_a(item, parents)),
    (">10k type:file", |item, _| item.kind == Kind::File && item.facts().disk() > 10 << 10),
    ("older:1y", |item, _| item.kind != Kind::Directory && item.facts().mtime < NOW - 365 * 24 * 3600),
    ("a* -type:dir", |item, parents| {
        item.kind != Kind::Directory
            && parents.iter().copied().chain([item]).any(|item| name(item).starts_with('a'))
    }),
    ("root/b", |item, parents| {
        parents.iter().copied().chain([item]).any(|item| format!("root/{}", item.path).contains("root/b"))
    }),
];

/// The parents of an item below the root, the nearest last.
fn parents<'i>(items: &'i [Item], item: &Item) -> Vec<&'i Item> {
    items.iter().filter(|other| item.path.starts_with(&format!("{}/", other.path))).collect()
}

/// What is kept in and below every directory, by path, each inode once.
fn naive(items: &[Item], rule: Rule) -> BTreeMap<String, Totals> {
    let mut sums: BTreeMap<String, Totals> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for item in items.iter().filter(|item| rule(item, &parents(items, item))) {
        let facts = item.facts();
        let mut above: Vec<&str> = parents(items, item).iter().map(|parent| parent.path.as_str()).collect();
        above.push("");
        if item.kind == Kind::Directory {
            above.push(&item.path);
        }
        for path in above {
            let sum = sums.entry(path.to_owned()).or_default();
            sum.items += u64::from(path != item.path);
            let is_new = facts.links.is_none() || seen.insert((path.to_owned(), facts.inode));
            if is_new {
                sum.add(&Totals { disk: facts.disk(), apparent: facts.apparent, ..Totals::default() });
            }
        }
    }
    sums
}

/// Paths are made of few names, so that some contain others' letters and directories meet.
fn items() -> impl Strategy<Value = Vec<Item>> {
    let entry = ("[abc]{1,2}(/[abc]{1,2}){0,4}", 0..20_000_u64, 0..1000_i64, 0..12_u64);
    prop::collection::vec(entry, 0..25).prop_map(|entries| {
        let mut items: BTreeMap<String, Item> = BTreeMap::new();
        for (path, apparent, days, inode) in entries {
            for (at, _) in path.match_indices('/') {
                let above = directory(&path[..at]).days_old(days);
                let known = items.entry(path[..at].to_owned()).or_insert(above);
                if known.kind != Kind::Directory {
                    *known = directory(&path[..at]);
                }
            }
            let file = file(&path, apparent).days_old(days);
            let size = inode * 1000;
            // Names of an inode agree on its size.
            let file = if inode < 3 { self::file(&path, size).linked(inode, 3) } else { file };
            items.entry(path).or_insert(file);
        }
        items.into_values().collect()
    })
}

proptest! {
    #![proptest_config(fixture::cases(60))]

    #[test]
    fn a_filter_keeps_what_a_naive_walk_keeps(items in items()) {
        let tree = tree(&items);
        for (text, rule) in RULES {
            let mut expected = naive(&items, rule);
            let mut below = request(&tree, text);
            below.from = tree.listing(DirId::TOP).directories().next().unwrap();
            let filtered = finish(filter(&pool(), below));
            for (id, _) in Walk::new(&tree, DirId::TOP).skip(1) {
                let path = String::from_utf8(tree.path(id)).unwrap();
                let path = path.trim_start_matches("root").trim_start_matches('/');
                prop_assert_eq!(filtered.keeps(id), expected.contains_key(path), "{} {}", text, path);
                let sum = expected.remove(path).unwrap_or_default();
                prop_assert_eq!(filtered.totals(id), sum, "{} {}", text, path);
            }
            prop_assert_eq!(filtered.searched, items.len() as u64);
            for (id, listing) in Walk::new(&tree, DirId::TOP).skip(1) {
                let mut keeper = Keeper::new(&tree, &filtered, id);
                for (_, record) in listing.entries() {
                    let mut path = tree.path(id);
                    query::push_name(&mut path, record.name);
                    let item = items.iter().find(|item| format!("root/{}", item.path).as_bytes() == path).unwrap();
                    prop_assert_eq!(keeper.keeps(&record), rule(item, &parents(&items, item)), "{} {}", text, item.path);
                }
                let from = finish(filter(&pool(), Request { from: id, ..request(&tree, text) }));
                prop_assert!(from.totals(id).disk <= filtered.totals(id).disk);
                prop_assert_eq!(from.totals(id).items, filtered.totals(id).items, "{} {:?}", text, id);
            }
            let kept = items.iter().filter(|item| rule(item, &parents(&items, item))).count();
            prop_assert_eq!(filtered.matched, kept as u64);
        }
    }
}

#[test]
fn a_filter_of_nothing_from_the_top_gives_the_totals_of_the_tree() {
    let items = [
        directory("a"),
        directory("a/b"),
        file("a/b/c", 5000),
        file("d", 1).failed(13),
        file("x", 9).excluded(),
    ];
    let tree = tree(&items);
    let filtered = finish(filter(&pool(), request(&tree, "")));
    for (id, _) in Walk::new(&tree, DirId::TOP) {
        assert_eq!(filtered.totals(id), tree.totals(id), "{id:?}");
    }
}

#[test]
fn rows_come_largest_first_and_a_directory_counts_what_lies_in_it() {
    let items = [
        directory("node_modules"),
        file("node_modules/small", 1000),
        file("node_modules/large", 900_000),
        file("node_modules.tar", 5000),
    ];
    let tree = tree(&items);
    assert_eq!(paths(&tree, "node"), ["node_modules", "node_modules.tar"]);
    assert_eq!(paths(&tree, ">100k"), ["root", "node_modules", "node_modules/large"]);
    let found = finish(search(&pool(), request(&tree, "node")));
    assert_eq!((found.matched, found.searched, found.complete), (2, 5, true));
    let expected: u64 = items.iter().map(|item| item.facts().disk()).sum();
    assert_eq!(found.sum.disk, expected, "what lies in a directory found counts, once");
    assert_eq!(
        found.rows[0].key - 1,
        tree.totals(DirId(found.rows[0].record(&tree).map_or(0, directory_number))).disk
    );
}

#[test]
fn directories_that_were_not_asked_for_bring_nothing_along() {
    let items = [directory("old").days_old(400), file("old/new", 900_000), file("stale", 1000).days_old(400)];
    let tree = tree(&items);
    assert_eq!(
        paths(&tree, "older:1y"),
        ["stale"],
        "the time of a directory says nothing of what lies in it"
    );
    assert_eq!(paths(&tree, "-newer:1y"), ["stale"]);
    assert_eq!(paths(&tree, "old older:1y"), ["old"]);
    assert_eq!(paths(&tree, "type:dir older:1y"), ["old"]);
    let sum = |text: &str| finish(search(&pool(), request(&tree, text))).sum.apparent;
    assert_eq!(sum("old older:1y"), 4096 + 900_000);
    assert_eq!(sum("-new"), 4096 * 2 + 1000, "what was left out is not counted with its directory");
    assert_eq!(sum(">100k type:file"), 900_000);
}

fn directory_number(record: crate::tree::Record<'_>) -> u32 {
    match record.content {
        Content::Known(Facts { directory: Some(id), .. }) => id.0,
        _ => 0,
    }
}

#[test]
fn names_of_an_inode_are_rows_each_and_counted_once() {
    let items =
        [directory("d"), file("d/x1", 5120).linked(7, 3), file("x2", 5120).linked(7, 3), file("x3", 512)];
    let found = finish(search(&pool(), request(&tree(&items), "x")));
    assert_eq!(found.matched, 3);
    assert_eq!(found.sum.disk, 5120 + 512);
    assert_eq!(found.sum.items, 3);
}

#[test]
fn more_rows_than_wanted_leave_the_largest() {
    let items: Vec<Item> = (0..5000).map(|number| file(&format!("f{number}"), number * 512)).collect();
    let tree = tree(&items);
    let job = pool().start({
        let request = request(&tree, "f type:file");
        move |task| {
            sweep(&request, Mode::Search, task, Rows::new(3, request.order), |rows, progress| {
                Some(rows.found(&request.tree, progress))
            });
        }
    });
    let found = finish(job);
    assert_eq!(found.matched, 5000);
    assert_eq!(found.rows.iter().map(|row| (row.key - 1) / 512).collect::<Vec<_>>(), [4999, 4998, 4997]);
    assert_eq!(found.sum.disk, (0..5000).sum::<u64>() * 512);
}

#[test]
fn a_huge_directory_is_looked_at_piece_by_piece() {
    // One listing of some MiB, in batches of the size the kernel gives.
    let (tree, mut batch) = (Tree::new(), crate::tree::Batch::default());
    for number in 0..60_000_u64 {
        let name = format!("a rather long name, so that the listing is large, {number}");
        let facts = Facts { blocks: number, ..Facts::default() };
        let record =
            crate::tree::Record { name: name.as_bytes(), kind: Kind::File, content: Content::Known(facts) };
        batch.push(DirId::TOP, &record);
        if number % 500 == 499 {
            let sealed = batch.seal(&tree, DirId::TOP).unwrap();
            tree.publish(&mut batch, DirId::TOP, &sealed);
        }
    }
    let tree = Arc::new(tree);
    let found = finish(search(&pool(), request(&tree, "9999")));
    let name = |row: &Row| tree.listing(row.directory).name(row.position).unwrap().to_vec();
    assert_eq!(found.searched, 60_000);
    assert_eq!(found.rows.len(), 6);
    assert!(name(&found.rows[0]).ends_with(b" 59999"));
    let filtered = finish(filter(&pool(), request(&tree, "9999")));
    assert_eq!(filtered.totals(DirId::TOP).disk, found.sum.disk);
}

#[test]
fn depth_is_no_trouble() {
    let (tree, mut batch) = (Tree::new(), crate::tree::Batch::default());
    let mut chain = vec![DirId::TOP];
    for _ in 0..50_000 {
        let parent = chain[chain.len() - 1];
        chain.push(batch.push_directory(&tree, parent, b"d", Facts { blocks: 1, ..Facts::default() }, 0));
        let mut sealed = batch.seal(&tree, parent).unwrap();
        // Roots are no items.
        sealed.sum.items = u64::from(parent != DirId::TOP);
        tree.publish(&mut batch, parent, &sealed);
    }
    chain.iter().rev().for_each(|id| tree.release(*id));
    let tree = Arc::new(tree);
    assert_eq!(finish(search(&pool(), request(&tree, "d"))).matched, 50_000);
    let filtered = finish(filter(&pool(), request(&tree, "type:dir")));
    for id in [chain[0], chain[1], chain[25_000], chain[50_000]] {
        assert_eq!(filtered.totals(id), tree.totals(id));
    }
}

#[test]
fn a_root_is_known_by_the_end_of_its_path_and_says_nothing_for_what_lies_in_it() {
    let tree = tree(&[file("other", 600), file("root.txt", 5000)]);
    assert_eq!(paths(&tree, "root"), ["root", "root.txt"]);
    let filtered = finish(filter(&pool(), request(&tree, "root type:file")));
    assert_eq!((filtered.matched, filtered.sum.apparent), (1, 5000));
    let record = |name: &'static [u8]| {
        sweep::as_root(crate::tree::Record {
            name,
            kind: Kind::Directory,
            content: Content::Known(Facts::default()),
        })
    };
    for (given, name) in [("/home/anna/", "anna"), ("/", "/"), (".", "."), ("a/b", "b")] {
        assert_eq!(record(given.as_bytes()).name, name.as_bytes());
    }
}

#[test]
fn a_cancelled_search_ends() {
    let names: Vec<String> = (0..60_000).map(|number| format!("a{number}")).collect();
    let items: Vec<Item> = names.iter().map(|name| file(name, 1)).collect();
    let tree = tree(&items);
    // One that is through before it is told proves nothing.
    let is_cancelled = || {
        let job = search(&pool(), request(&tree, "a")).unwrap();
        job.cancel();
        let outcome = job.wait(std::time::Duration::from_secs(60)).unwrap();
        outcome == crate::job::Outcome::Stopped && job.latest().is_none_or(|found| found.matched < 60_000)
    };
    assert!((0..50).any(|_| is_cancelled()));
}

#[test]
fn two_queries_can_be_asked_as_one() {
    let items = [file("a.log", 600), file("b.log", 5000), file("b.txt", 5000)];
    let tree = tree(&items);
    let mut both = request(&tree, "*.log");
    both.query = both.query.and(&Query::of(Test::Disk(Size::Above(4096)))).unwrap();
    assert_eq!(finish(search(&pool(), both)).matched, 1);
    let many = Query::parse(&"a ".repeat(64), NOW).unwrap();
    assert!(many.clone().and(&many).is_err());
}

#[test]
fn rows_come_in_any_order_and_the_other_way_round() {
    let tree = tree(&[
        directory("a"),
        directory("b"),
        file("b/f10", 5000),
        sparse("b/f9", 9000, 512),
        aged("a/z", 3000, 7),
        aged("c", 1000, -7),
    ]);
    let names = |by, reversed| {
        let request = Request { order: Order { by, reversed }, ..request(&tree, "type:file") };
        let found = finish(search(&pool(), request));
        found.rows.iter().map(|row| String::from_utf8(row.path(&tree).unwrap()).unwrap()).collect::<Vec<_>>()
    };
    for (by, expected) in [
        (By::Disk, ["root/b/f10", "root/a/z", "root/c", "root/b/f9"]),
        (By::Apparent, ["root/b/f9", "root/b/f10", "root/a/z", "root/c"]),
        (By::Path, ["root/c", "root/a/z", "root/b/f9", "root/b/f10"]),
    ] {
        assert_eq!(names(by, false), expected, "{by:?}");
        let mut turned = names(by, true);
        turned.reverse();
        assert_eq!(turned, expected, "{by:?}");
    }
    assert_eq!(names(By::Modified, true)[..2], ["root/c", "root/a/z"]);
    let request = Request { order: Order { by: By::Items, reversed: false }, ..request(&tree, "type:dir") };
    let found = finish(search(&pool(), request));
    assert_eq!(found.rows[0].path(&tree).unwrap(), b"root");
}

fn sparse(path: &str, apparent: u64, disk: u64) -> Item {
    let item = file(path, apparent);
    Item { content: Content::Known(Facts { blocks: disk / 512, ..item.facts() }), ..item }
}

fn aged(path: &str, apparent: u64, mtime: i64) -> Item {
    let item = file(path, apparent);
    Item { content: Content::Known(Facts { mtime, ..item.facts() }), ..item }
}
