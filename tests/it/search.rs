//! Tests that the totals of searches and statistics equal the totals of the scan that read the tree.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::id_of;
use duke::base::job::{Job, JobEnd, Pool};
use duke::scan::{Options, Scan};
use duke::testing::analysis::search;
use duke::testing::analysis::search::{Order, Query, Request};
use duke::testing::analysis::survey;
use duke::tree::{DirId, Totals, Tree, Walk};

fn fixture() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    for dir in ["a/deep/deeper", "b", "c/void"] {
        fs::create_dir_all(path(dir)).unwrap();
    }
    for (size, file) in
        ["a/one.txt", "a/deep/two.mkv", "a/deep/deeper/three", "b/four.txt", "five"].iter().enumerate()
    {
        fs::write(path(file), vec![b'x'; 5000 * (size + 1)]).unwrap();
    }
    for (old, new) in
        [("a/deep/two.mkv", "b/two.again"), ("a/one.txt", "a/deep/one.again"), ("five", "c/five.mkv")]
    {
        fs::hard_link(path(old), path(new)).unwrap();
    }
    root
}

fn scan(root: &Path) -> Arc<Tree> {
    let scan = Scan::run(vec![root.to_owned()], Options { threads: Some(2), ..Options::default() });
    Arc::clone(scan.tree())
}

fn request(tree: &Arc<Tree>, text: &str) -> Request {
    let query = Query::parse(text, 2_000_000_000).unwrap();
    Request { tree: Arc::clone(tree), from: DirId::TOP, query, order: Order::default() }
}

fn finish<T>(job: std::io::Result<Job<T>>) -> Arc<T> {
    let job = job.unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(JobEnd::Complete));
    job.latest().unwrap()
}

#[test]
fn a_filter_that_keeps_all_agrees_with_the_scan_in_every_directory() {
    let root = fixture();
    let tree = scan(root.path());
    let pool = Pool::new(2).unwrap();
    for text in ["", "-nothing", "size>=0"] {
        let filtered = finish(search::filter(&pool, request(&tree, text)));
        for (id, _) in Walk::new(&tree, DirId::TOP) {
            assert_eq!(
                filtered.totals(id),
                tree.totals(id),
                "{text} {:?}",
                String::from_utf8_lossy(&tree.path(id))
            );
        }
        assert_eq!(filtered.sum.disk, tree.totals(DirId::TOP).disk);
    }
}

#[test]
fn types_and_a_search_for_everything_have_the_size_of_the_tree() {
    let root = fixture();
    let tree = scan(root.path());
    let pool = Pool::new(2).unwrap();
    let whole = tree.totals(DirId::TOP);
    let Totals { disk, apparent, .. } = finish(survey::types(&pool, request(&tree, ""))).total;
    assert_eq!((disk, apparent), (whole.disk, whole.apparent));
    let found = finish(search::search(&pool, request(&tree, "")));
    assert_eq!((found.sum.disk, found.sum.apparent), (whole.disk, whole.apparent));
    // The search also finds the root, which `items` does not count.
    assert_eq!(found.matched, whole.items + 1);
    assert_eq!(found.rows[0].key - 1, whole.disk);
}

#[test]
fn a_found_directory_has_the_size_of_the_tree() {
    let root = fixture();
    let tree = scan(root.path());
    let below = Request { from: id_of(&tree, root.path()), ..request(&tree, "deep type:dir") };
    let found = finish(search::search(&Pool::new(2).unwrap(), below));
    assert_eq!(found.matched, 2);
    assert_eq!(found.sum.disk, tree.totals(id_of(&tree, &root.path().join("a/deep"))).disk);
}

#[test]
fn links_show_their_names_elsewhere_after_the_scan() {
    let root = fixture();
    let tree = scan(root.path());
    let below = Request { from: id_of(&tree, &root.path().join("a")), ..request(&tree, "") };
    let links = finish(survey::links(&Pool::new(2).unwrap(), below));
    let names: Vec<_> =
        links.inodes.iter().map(|inode| (inode.count, inode.inside, inode.elsewhere)).collect();
    // `two.mkv` comes first, because it is larger than `one.txt`.
    assert_eq!(names, [(2, 1, 1), (2, 2, 0)]);
    assert_eq!(links.names(&links.inodes[1]).len(), 2);
}

#[test]
fn a_root_inside_another_counts_once() {
    let root = fixture();
    let inner = root.path().join("a");
    let scan =
        Scan::run(vec![inner, root.path().to_owned()], Options { threads: Some(2), ..Options::default() });
    let tree = Arc::clone(scan.tree());
    let pool = Pool::new(2).unwrap();
    let filtered = finish(search::filter(&pool, request(&tree, "")));
    assert_eq!(filtered.totals(DirId::TOP), tree.totals(DirId::TOP));
    let found = finish(search::search(&pool, request(&tree, "-xyz")));
    assert_eq!(found.sum.disk, tree.totals(DirId::TOP).disk);
}

#[test]
fn a_search_by_size_its_filter_and_json_agree_on_every_directory() {
    let root = fixture();
    let document = crate::program::run_in(root.path(), ["--json", "."]).ended(0);
    let document = document.json();
    let root_entry = document.root().get("roots").elements()[0];
    let mut exported = vec![];
    let mut waiting = vec![(root.path().to_owned(), root_entry)];
    while let Some((path, entry)) = waiting.pop() {
        let Some(children) = entry.find("children") else { continue };
        waiting.extend(
            children.elements().into_iter().map(|child| (path.join(child.get("name").text()), child)),
        );
        exported.push((path, entry.get("disk").number()));
    }
    let (tree, pool) = (scan(root.path()), Pool::new(2).unwrap());
    let from = id_of(&tree, root.path());
    let query = Query::parse("type:dir >0", 0).unwrap().below(from);
    let below = Request { from, query, ..request(&tree, "") };
    let found = finish(search::search(&pool, below.clone()));
    let filtered = finish(search::filter(&pool, Request { from: DirId::TOP, ..below }));
    assert_eq!(found.matched, exported.len() as u64 - 1);
    for (path, disk) in exported.iter().filter(|(path, _)| path != root.path()) {
        assert_eq!(i128::from(filtered.totals(id_of(&tree, path)).disk), *disk, "{path:?}");
        let is_it =
            |row: &&search::Row| row.entry.path(&tree).unwrap() == path.as_os_str().as_encoded_bytes();
        assert_eq!(i128::from(found.rows.iter().find(is_it).unwrap().key - 1), *disk, "{path:?}");
    }
    assert_eq!(filtered.totals(from).disk, found.sum.disk);
}
