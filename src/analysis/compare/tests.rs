//! Tests of comparisons, with a naive comparison of paths as the reference.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::analysis::search::Query;
use crate::fixture::cases;
use crate::fixture::{Growing, Plan, build, dir, file, linked_file, stopped, unreadable};
use crate::source::baseline::Baseline;
use crate::tree::Walk;

/// Returns the rows of a comparison: path below the root, change in disk usage in bytes, and kind of change.
fn rows(
    old: &Arc<Tree>,
    new: &Arc<Tree>,
    from: DirId,
    query: &str,
    order: Order,
) -> Vec<(String, i128, ChangeKind)> {
    let query = Query::parse(query, 0).unwrap();
    let request = Request { tree: Arc::clone(new), from, query, order };
    let growth = find_growth(old, request, 1000);
    let shown = |row: &Row| {
        let path = String::from_utf8(row.path(&growth.old, new)).unwrap();
        let by = i128::from(row.after.disk) - i128::from(row.before.disk);
        (path.trim_start_matches("/r/").to_owned(), by, row.difference)
    };
    growth.rows.iter().map(shown).collect()
}

fn find_growth(old: &Arc<Tree>, request: Request, most: usize) -> Arc<Comparison> {
    let pool = Pool::new(1).unwrap();
    let basis = Baseline::of_tree(Arc::clone(old), 5);
    let mut job = growth(&pool, Baseline::finder(Some(&basis)), Vec::new, request, most).unwrap();
    job.wait(Duration::from_secs(60)).unwrap();
    let found = job.poll().unwrap();
    Arc::clone(found.as_ref().as_ref().unwrap())
}

fn all(old: &Arc<Tree>, new: &Arc<Tree>) -> Vec<(String, i128, ChangeKind)> {
    rows(old, new, DirId::TOP, "", Order::default())
}

fn tree(plan: Vec<Plan>) -> Arc<Tree> {
    Arc::new(build(plan).0)
}

fn shown(rows: &[(&str, i128, ChangeKind)]) -> Vec<(String, i128, ChangeKind)> {
    rows.iter().map(|(path, by, difference)| ((*path).to_owned(), *by, *difference)).collect()
}

fn before() -> Arc<Tree> {
    tree(vec![
        dir("db", vec![file("log", 4096, 0), file("same", 512, 0)]),
        dir("old", vec![file("x", 8192, 0)]),
        file("big", 65_536, 0),
    ])
}

fn after() -> Arc<Tree> {
    tree(vec![
        dir("db", vec![file("log", 12_288, 0), file("same", 512, 0), file("new", 1024, 0)]),
        file("big", 32_768, 0),
        dir("fresh", vec![file("y", 512, 0)]),
    ])
}

#[test]
fn the_largest_change_comes_first_with_its_kind() {
    let expected = [
        ("big", -32_768, ChangeKind::Kept),
        ("old", -12_288, ChangeKind::Deleted),
        ("db", 9_216, ChangeKind::Kept),
        ("db/log", 8_192, ChangeKind::Kept),
        ("fresh", 4_608, ChangeKind::New),
        ("db/new", 1_024, ChangeKind::New),
    ];
    assert_eq!(all(&before(), &after()), shown(&expected));
    let reversed = Order { reversed: true, ..Order::default() };
    let mut directed = shown(&expected);
    directed.reverse();
    assert_eq!(rows(&before(), &after(), DirId::TOP, "", reversed), directed);
    let by_path = Order { by: SortBy::Path, reversed: false };
    let paths: Vec<String> =
        rows(&before(), &after(), DirId::TOP, "", by_path).into_iter().map(|row| row.0).collect();
    assert_eq!(paths, ["big", "db", "db/log", "db/new", "fresh", "old"]);
}

#[test]
fn a_survey_is_limited_to_a_directory_and_a_query() {
    let (old, new) = (before(), after());
    let db = Walk::new(&new, DirId::TOP).map(|(id, _)| id).find(|id| new.name(*id) == b"db").unwrap();
    let below = shown(&[("db/log", 8_192, ChangeKind::Kept), ("db/new", 1_024, ChangeKind::New)]);
    assert_eq!(rows(&old, &new, db, "", Order::default()), below);
    assert_eq!(rows(&old, &new, DirId::TOP, "log", Order::default()), below[..1]);
    let deleted = rows(&old, &new, DirId::TOP, "type:dir old", Order::default());
    assert_eq!(deleted, shown(&[("old", -12_288, ChangeKind::Deleted)]));
    let request =
        Request { tree: Arc::clone(&new), from: db, query: Query::default(), order: Order::default() };
    let whole = find_growth(&old, request, 0).whole.unwrap();
    assert_eq!((whole.0.disk, whole.1.disk), (4096 + 4608, 4096 + 13_824));
}

#[test]
fn the_smallest_of_too_many_changes_are_omitted() {
    let old = tree(vec![]);
    let new = tree((1..=50).map(|n| file(&format!("{n:02}"), n * 512, 0)).collect());
    let request = Request {
        tree: Arc::clone(&new),
        from: DirId::TOP,
        query: Query::default(),
        order: Order::default(),
    };
    let growth = find_growth(&old, request, 3);
    let bytes: Vec<u64> = growth.rows.iter().map(|row| row.after.disk / 512).collect();
    assert_eq!((bytes, growth.matched), (vec![50, 49, 48], 50));
}

#[test]
fn while_the_tree_grows_unread_entries_are_not_reported_deleted() {
    let growing = Growing::new();
    growing.publish(vec![file("big", 70_000, 0), dir("db", vec![file("log", 4096, 0)])]);
    let tree = Arc::clone(&growing.tree);
    let grown = 70_144 - 65_536;
    assert_eq!(
        all(&before(), &tree),
        shown(&[
            ("big", grown, ChangeKind::Kept),
            ("db", -512, ChangeKind::Kept),
            ("db/same", -512, ChangeKind::Deleted)
        ])
    );
    growing.finish();
    assert!(all(&before(), &tree).contains(&("old".to_owned(), -12_288, ChangeKind::Deleted)));
}

#[test]
fn while_the_tree_grows_repeated_names_of_a_file_are_not_growth() {
    let links = || vec![linked_file("x", 7, 2), linked_file("y", 7, 2)];
    let old = tree(vec![dir("a", links())]);
    let growing = Growing::new();
    growing.publish(vec![dir("a", links()), dir("b", links())]);
    let tree = Arc::clone(&growing.tree);
    assert_eq!(all(&old, &tree), []);
    growing.finish();
    let names: Vec<_> = all(&old, &tree).into_iter().map(|(path, _, kind)| (path, kind)).collect();
    assert_eq!(names, [("b".to_owned(), ChangeKind::New)]);
}

#[test]
fn a_comparison_waits_for_the_roots_of_a_scan() {
    let new: Arc<Tree> = Arc::default();
    new.begin(DirId::TOP);
    let request = Request {
        tree: Arc::clone(&new),
        from: DirId::TOP,
        query: Query::default(),
        order: Order::default(),
    };
    let basis = Baseline::of_tree(before(), 5);
    let mut job =
        growth(&Pool::new(1).unwrap(), Baseline::finder(Some(&basis)), Vec::new, request, 10).unwrap();
    assert_eq!(job.wait(Duration::from_millis(20)), None);
    new.release(DirId::TOP);
    job.wait(Duration::from_secs(60)).unwrap();
    let shown = job.poll().unwrap();
    assert!(shown.as_ref().as_ref().is_err_and(|reason| reason.contains("only directories")));
}

#[test]
fn entries_unread_on_one_side_are_neither_new_nor_deleted() {
    let old = tree(vec![unreadable("a"), stopped("b"), file("c", 512, 0)]);
    let new = tree(vec![dir("a", vec![file("x", 1, 0)]), dir("b", vec![file("y", 1, 0)]), file("c", 512, 0)]);
    assert_eq!(all(&old, &new), []);
    assert_eq!(all(&new, &old), []);
}

/// Returns the earlier state (`None` if unknown) of each entry of the directory `name` in `new`, keyed by entry name.
fn previous_states(old: &Arc<Tree>, new: &Arc<Tree>, name: &[u8]) -> BTreeMap<String, Option<Previous>> {
    let request =
        Request { tree: Arc::clone(new), from: DirId::TOP, query: Query::default(), order: Order::default() };
    let growth = find_growth(old, request, 0);
    let id = Walk::new(new, DirId::TOP).map(|(id, _)| id).find(|id| new.name(*id) == name).unwrap();
    let before = PreviousListing::of(&growth, new, id);
    let (earlier, listing) = (before.listing(), new.listing(id));
    let became = |record: Entry<'_>| before.became(new, &earlier, &record);
    let name = |record: &Entry<'_>| String::from_utf8(record.name.to_vec()).unwrap();
    listing.entries().map(|(_, record)| (name(&record), became(record))).collect()
}

#[test]
fn the_growth_column_has_the_earlier_state_of_each_entry() {
    let was = |disk, apparent| Some(Previous::Was(Sizes { disk, apparent }));
    let of_root = previous_states(&before(), &after(), b"/r");
    let expected = [("big", was(65_536, 65_536)), ("db", was(8_704, 8_704)), ("fresh", Some(Previous::New))];
    assert_eq!(of_root, expected.map(|(name, became)| (name.to_owned(), became)).into());
    let of_db = previous_states(&before(), &after(), b"db");
    let expected = [("log", was(4096, 4096)), ("new", Some(Previous::New)), ("same", was(512, 512))];
    assert_eq!(of_db, expected.map(|(name, became)| (name.to_owned(), became)).into());
    assert_eq!(previous_states(&before(), &after(), b"fresh")["y"], Some(Previous::New));
    let unread = tree(vec![unreadable("db"), file("big", 1, 0)]);
    assert_eq!(previous_states(&unread, &after(), b"db")["log"], None);
    assert_eq!(previous_states(&unread, &after(), b"/r")["db"], None);
}

/// Disk usage of files in blocks of 512 bytes, keyed by the numbers in the names of the directory and the file.
type Files = BTreeMap<(u8, u8), u64>;

fn plan(files: &Files) -> Vec<Plan> {
    let folders: BTreeSet<u8> = files.keys().map(|(folder, _)| *folder).collect();
    let inside = |folder| files.range((folder, 0)..=(folder, u8::MAX));
    let plan = |folder: u8| {
        inside(folder).map(|((_, name), blocks)| file(&name.to_string(), blocks * 512, 0)).collect()
    };
    folders.into_iter().map(|folder| dir(&format!("d{folder}"), plan(folder))).collect()
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn changes_equal_those_of_two_maps(
        old in proptest::collection::btree_map((0..4_u8, 0..6_u8), 0..4_u64, 0..16),
        new in proptest::collection::btree_map((0..4_u8, 0..6_u8), 0..4_u64, 0..16),
    ) {
        let found = all(&tree(plan(&old)), &tree(plan(&new)));
        let folders = |files: &Files| -> BTreeSet<u8> { files.keys().map(|key| key.0).collect() };
        let both: BTreeSet<u8> = folders(&old).intersection(&folders(&new)).copied().collect();
        let mut expected = BTreeSet::new();
        for key in old.keys().chain(new.keys()).filter(|key| both.contains(&key.0)) {
            let (was, is) = (old.get(key), new.get(key));
            let difference = match (was, is) {
                (Some(was), Some(is)) if was == is => continue,
                (Some(_), Some(_)) => "kept",
                (None, _) => "new",
                (_, None) => "gone",
            };
            let by = i128::from(is.copied().unwrap_or(0) * 512) - i128::from(was.copied().unwrap_or(0) * 512);
            expected.insert((format!("d{}/{}", key.0, key.1), by, difference));
        }
        let word = |difference| match difference {
            ChangeKind::Kept | ChangeKind::Renamed(_) => "kept",
            ChangeKind::New => "new",
            ChangeKind::Deleted => "gone",
        };
        let files = found.iter().filter(|(path, ..)| path.contains('/'));
        let files: BTreeSet<_> = files.map(|(path, by, difference)| (path.clone(), *by, word(*difference))).collect();
        prop_assert_eq!(files, expected);
    }
}

#[test]
fn charts_show_the_sizes_in_earlier_trees_and_now() {
    let at = |log: u64, mut entries: Vec<Plan>| {
        entries.push(dir("db", vec![file("log", log, 0), file("same", 512, 0)]));
        tree(entries)
    };
    let old = at(4096, vec![file("gone", 1024, 0)]);
    let new = at(8192, vec![file("new", 2048, 0)]);
    let history = [at(4096, vec![]), at(2048, vec![file("gone", 2048, 0)]), at(512, vec![])];
    let request = Request {
        tree: Arc::clone(&new),
        from: DirId::TOP,
        query: Query::default(),
        order: Order::default(),
    };
    let growth = find_growth(&old, request, 1000);
    let charts = trends(&growth.rows, (&old, &new), &history, SortBy::Disk);
    let named =
        |row: &Row| String::from_utf8(row.path(&old, &new)).unwrap().trim_start_matches("/r/").to_owned();
    let mut found: Vec<_> = growth.rows.iter().map(named).zip(charts).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            // Heights are eighths of the largest size, rounded up. The directory `db` itself has 4,096 bytes, so its
            // totals are 5,120, 6,656, 8,704 and 12,800 bytes, oldest first.
            ("db".to_owned(), [0, 0, 0, 0, 4, 5, 6, 8]),
            ("db/log".to_owned(), [0, 0, 0, 0, 1, 2, 4, 8]),
            ("gone".to_owned(), [0, 0, 0, 0, 0, 8, 0, 0]),
            ("new".to_owned(), [0, 0, 0, 0, 0, 0, 0, 8]),
        ]
    );
}
