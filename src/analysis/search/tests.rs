//! Tests of searches and filters on small trees, compared with the reference implementation.

use proptest::prelude::*;

use super::*;
use crate::analysis::fixture::{Item, directory, file, finish, paths, pool, request, tree};
use crate::analysis::oracle::{Oracle, Terms, all_alone, items, several, text};
use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::fixture::cases;
use crate::tree::{DirId, EntryState, Metadata, Totals, Tree, Walk, join};

/// Returns the path relative to the root.
fn below_root(path: Vec<u8>) -> String {
    String::from_utf8(path).unwrap().trim_start_matches("root").trim_start_matches('/').to_owned()
}

/// Checks a search below one directory, and the filter with the same query, against the reference implementation.
fn check_against_oracle(
    items: &[Item],
    terms: &Terms,
    origin: DirId,
    tree: &Arc<Tree>,
    pool: &Pool,
) -> Result<(), TestCaseError> {
    let text = text(terms);
    let path = below_root(tree.path(origin));
    let oracle = Oracle::new(items, terms, &path);
    let query = request(tree, &text).query.below(origin);

    let found = finish(search(pool, Request { from: origin, query: query.clone(), ..request(tree, "") }));
    let rows: std::collections::BTreeSet<String> =
        found.rows.iter().map(|row| below_root(row.entry.path(tree).unwrap())).collect();
    prop_assert_eq!(&rows, &oracle.found(), "found by {} below {:?}", text, path);
    prop_assert_eq!(found.matched, rows.len() as u64);
    let kept = oracle.kept(&path);
    prop_assert_eq!((found.sum.disk, found.sum.apparent), (kept.disk, kept.apparent), "sum of {}", text);
    for row in &found.rows {
        let item = items.iter().find(|item| item.path == below_root(row.entry.path(tree).unwrap())).unwrap();
        let size = if oracle.brings_contents() { oracle.size(item).disk } else { item.metadata().disk() };
        let size = if matches!(item.state, EntryState::Known(_)) { size + 1 } else { 0 };
        prop_assert_eq!(row.key, size, "row {} of {}", item.path, text);
        prop_assert!(size <= found.sum.disk + 1, "a share is at most all");
    }

    let filtered = finish(filter(pool, Request { query: query.clone(), ..request(tree, "") }));
    for (id, listing) in Walk::new(tree, DirId::TOP).skip(1) {
        let path = below_root(tree.path(id));
        prop_assert_eq!(filtered.totals(id), oracle.kept(&path), "kept by {} in {:?}", text, path);
        let keeper = FilterCursor::new(tree, &filtered, id);
        for (_, record) in listing.entries() {
            let is_it = |item: &&Item| item.path == below_root(join([&tree.path(id), record.name]));
            let item = items.iter().find(is_it).unwrap();
            prop_assert_eq!(keeper.shows(&record), oracle.shows(item), "{} of {}", text, item.path);
        }
        let from = finish(filter(pool, Request { from: id, query: query.clone(), ..request(tree, "") }));
        prop_assert_eq!(from.sum, Totals { errors: from.sum.errors, ..sum_below(items, &oracle, &path) });
    }
    Ok(())
}

/// Returns the totals of the kept entries below the directory at `path`, not including the directory itself. Unlike in
/// [`Oracle::kept`], an entry that the scan excluded counts as an item.
fn sum_below(items: &[Item], oracle: &Oracle<'_>, path: &str) -> Totals {
    let inside = |item: &&Item| path.is_empty() || item.path.starts_with(&format!("{path}/"));
    let count = items.iter().filter(inside).filter(|item| oracle.keeps(item)).count() as u64;
    let own = items.iter().find(|item| item.path == path).filter(|item| oracle.keeps(item));
    let own = own.map(Item::metadata).unwrap_or_default();
    let kept = oracle.kept(path);
    Totals { disk: kept.disk - own.disk(), apparent: kept.apparent - own.apparent, items: count, errors: 0 }
}

proptest! {
    #![proptest_config(cases(5))]

    #[test]
    fn a_search_and_its_filter_agree_with_a_naive_walk(
        items in items(),
        several in prop::collection::vec(several(), 20),
    ) {
        let (tree, pool) = (tree(&items), pool());
        let root = tree.listing(DirId::TOP).directories().next().unwrap();
        let directories: Vec<DirId> = Walk::new(&tree, root).map(|(id, _)| id).collect();
        for (number, terms) in all_alone().chain(several).enumerate() {
            // Every third search starts at some directory, and all others start at the root.
            let origin = directories[if number % 3 == 0 { number % directories.len() } else { 0 }];
            check_against_oracle(&items, &terms, origin, &tree, &pool)?;
        }
    }
}

#[test]
fn an_empty_filter_gives_the_totals_of_the_tree() {
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
fn rows_come_largest_first_and_a_directory_counts_its_contents() {
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
    let expected: u64 = items.iter().map(|item| item.metadata().disk()).sum();
    assert_eq!(found.sum.disk, expected, "what lies in a directory found counts, once");
    assert_eq!(
        found.rows[0].key - 1,
        tree.totals(DirId(found.rows[0].entry.record(&tree).map_or(0, directory_number))).disk
    );
}

#[test]
fn directories_not_selected_do_not_include_their_contents() {
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

fn directory_number(record: crate::tree::Entry<'_>) -> u32 {
    match record.state {
        EntryState::Known(Metadata { directory: Some(id), .. }) => id.0,
        _ => 0,
    }
}

#[test]
fn names_of_an_inode_have_rows_and_count_once() {
    let items =
        [directory("d"), file("d/x1", 5120).linked(7, 3), file("x2", 5120).linked(7, 3), file("x3", 512)];
    let found = finish(search(&pool(), request(&tree(&items), "x")));
    assert_eq!(found.matched, 3);
    assert_eq!(found.sum.disk, 5120 + 512);
    assert_eq!(found.sum.items, 3);
}

#[test]
fn the_largest_rows_are_kept() {
    let items: Vec<Item> = (0..5000).map(|number| file(&format!("f{number}"), number * 512)).collect();
    let tree = tree(&items);
    let job = pool().start({
        let request = request(&tree, "f type:file");
        move |task| {
            parallel_walk(&request, Mode::Search, task, Rows::new(3, request.order), |rows, progress| {
                Some(rows.found(&request, progress))
            });
        }
    });
    let found = finish(job);
    assert_eq!(found.matched, 5000);
    assert_eq!(found.rows.iter().map(|row| (row.key - 1) / 512).collect::<Vec<_>>(), [4999, 4998, 4997]);
    assert_eq!(found.sum.disk, (0..5000).sum::<u64>() * 512);
}

#[test]
fn a_huge_directory_is_visited_in_parts() {
    // The listing takes several MiB and is built in batches as large as those from the kernel.
    let (tree, mut batch) = (Tree::new(), crate::tree::Batch::default());
    for number in 0..60_000_u64 {
        let name = format!("a rather long name, so that the listing is large, {number}");
        let metadata = Metadata { blocks: number, ..Metadata::default() };
        let record = crate::tree::Entry {
            name: name.as_bytes(),
            kind: Kind::File,
            state: EntryState::Known(metadata),
        };
        batch.push(DirId::TOP, &record);
        if number % 500 == 499 {
            let sealed = batch.seal(&tree, DirId::TOP).unwrap();
            tree.publish(&mut batch, DirId::TOP, &sealed);
        }
    }
    let tree = Arc::new(tree);
    let found = finish(search(&pool(), request(&tree, "9999")));
    let name = |row: &Row| row.entry.name(&tree).unwrap().to_vec();
    assert_eq!(found.searched, 60_000);
    assert_eq!(found.rows.len(), 6);
    assert!(name(&found.rows[0]).ends_with(b" 59999"));
    let filtered = finish(filter(&pool(), request(&tree, "9999")));
    assert_eq!(filtered.totals(DirId::TOP).disk, found.sum.disk);
}

#[test]
fn deep_exports_are_read() {
    let (tree, mut batch) = (Tree::new(), crate::tree::Batch::default());
    let mut chain = vec![DirId::TOP];
    for _ in 0..50_000 {
        let parent = chain[chain.len() - 1];
        chain.push(batch.push_directory(
            &tree,
            parent,
            b"d",
            Metadata { blocks: 1, ..Metadata::default() },
            0,
        ));
        let mut sealed = batch.seal(&tree, parent).unwrap();
        // Roots do not count as items.
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
fn a_root_matches_by_its_last_name_without_its_contents() {
    let tree = tree(&[file("other", 600), file("root.txt", 5000)]);
    assert_eq!(paths(&tree, "root"), ["root", "root.txt"]);
    let filtered = finish(filter(&pool(), request(&tree, "root type:file")));
    assert_eq!((filtered.matched, filtered.sum.apparent), (1, 5000));
    let record = |name: &'static [u8]| {
        crate::query::standing::as_root(crate::tree::Entry {
            name,
            kind: Kind::Directory,
            state: EntryState::Known(Metadata::default()),
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
    // A search may end before it is canceled, so the test tries up to 50 searches.
    let is_cancelled = || {
        let job = search(&pool(), request(&tree, "a")).unwrap();
        job.cancel();
        let outcome = job.wait(std::time::Duration::from_secs(60)).unwrap();
        outcome == crate::base::job::JobEnd::Stopped
            && job.latest().is_none_or(|found| found.matched < 60_000)
    };
    assert!((0..50).any(|_| is_cancelled()));
}

#[test]
fn two_queries_can_be_combined() {
    let items = [file("a.log", 600), file("b.log", 5000), file("b.txt", 5000)];
    let tree = tree(&items);
    let mut both = request(&tree, "*.log");
    both.query = both.query.narrowed_by(&Query::of(Test::Disk(Size::Above(4096))));
    assert_eq!(finish(search(&pool(), both)).matched, 1);
}

#[test]
fn rows_are_sorted_in_both_directions() {
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
        found
            .rows
            .iter()
            .map(|row| String::from_utf8(row.entry.path(&tree).unwrap()).unwrap())
            .collect::<Vec<_>>()
    };
    for (by, expected) in [
        (SortBy::Disk, ["root/b/f10", "root/a/z", "root/c", "root/b/f9"]),
        (SortBy::Apparent, ["root/b/f9", "root/b/f10", "root/a/z", "root/c"]),
        (SortBy::Path, ["root/c", "root/a/z", "root/b/f9", "root/b/f10"]),
    ] {
        assert_eq!(names(by, false), expected, "{by:?}");
        let mut directed = names(by, true);
        directed.reverse();
        assert_eq!(directed, expected, "{by:?}");
    }
    assert_eq!(names(SortBy::Modified, true)[..2], ["root/c", "root/a/z"]);
    let request =
        Request { order: Order { by: SortBy::Items, reversed: false }, ..request(&tree, "type:dir") };
    let found = finish(search(&pool(), request));
    assert_eq!(found.rows[0].entry.path(&tree).unwrap(), b"root");
}

fn sparse(path: &str, apparent: u64, disk: u64) -> Item {
    let item = file(path, apparent);
    Item { state: EntryState::Known(Metadata { blocks: disk / 512, ..item.metadata() }), ..item }
}

fn aged(path: &str, apparent: u64, mtime: i64) -> Item {
    let item = file(path, apparent);
    Item { state: EntryState::Known(Metadata { mtime, ..item.metadata() }), ..item }
}
