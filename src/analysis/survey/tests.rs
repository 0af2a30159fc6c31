//! Tests of statistics on small trees: the totals of a row must equal the totals of a search for the row's query.

use super::*;
use crate::analysis::fixture::{Item, NOW, directory, file, finish, pool, request, tree};
use crate::analysis::search::{Category, Extension, Query, Request, Row, Test, search};
use crate::base::kind::Kind;
use crate::tree::{DirId, Totals, Tree};

fn items() -> Vec<Item> {
    vec![
        directory("sub"),
        file("film.MKV", 100_000),
        file("sub/other.mkv", 50_000).days_old(31),
        file("sub/clip.mp4", 70_000).days_old(89),
        file("notes.txt", 10_000).days_old(91),
        file("Makefile", 2_000).days_old(366),
        file("linked.o", 30_000).linked(7, 3).days_old(2000),
        file("sub/linked.txt", 30_000).linked(7, 3).days_old(2000),
        file("sub/here1", 1_000).linked(8, 2).days_old(-3),
        file("sub/here2", 1_000).linked(8, 2).days_old(-3),
        file("from 1938", 500).days_old(28_000),
        file("denied", 0).failed(13),
        file("sub/denied", 0).failed(13),
        file("sub/io", 0).failed(5),
        Item { kind: Kind::Symlink, ..file("sub/link", 512) },
    ]
}

/// Returns the totals of a search for `query`, without the number of errors.
fn found(query: Query) -> Totals {
    let mut request = request(&tree(&items()), "");
    request.query = query;
    Totals { errors: 0, ..finish(search(&pool(), request)).sum }
}

fn files(query: Query) -> Totals {
    found(query.without_directories())
}

#[test]
fn types_add_up_to_the_directory_and_their_queries_find_them() {
    let tree = tree(&items());
    let typed = finish(types(&pool(), request(&tree, "")));
    let mkv = Type::Extension(Extension::new(b"mkv").unwrap(), Category::Video);
    let mkv = typed.types.iter().find(|(name, _)| *name == mkv).unwrap().1;
    assert_eq!((mkv.items, mkv.apparent), (2, 150_000));
    for (name, totals) in &typed.types {
        if *name != Type::Kind(Kind::Directory) {
            assert_eq!(files(name.query()), Totals { errors: 0, ..*totals }, "{name:?}");
        }
    }
    for (class, totals) in &typed.classes {
        assert_eq!(
            files(crate::analysis::types::category_query(*class)),
            Totals { errors: 0, ..*totals },
            "{class:?}"
        );
    }
    assert_eq!(typed.classes[0].0, Category::Video);
    assert_eq!(typed.total.disk, tree.totals(DirId::TOP).disk);
    assert!(typed.types.is_sorted_by(|(_, a), (_, b)| a.disk >= b.disk));
}

#[test]
fn files_with_one_extension_are_in_the_categories_of_their_contents() {
    let tree = tree(&[directory("d"), file("d/film.ts", 188 * 6_000), file("d/app.ts", 7_000)]);
    let typed = finish(types(&pool(), request(&tree, "")));
    let ts = Extension::new(b"ts").unwrap();
    for (category, bytes) in [(Category::Video, 188 * 6_000), (Category::Code, 7_000)] {
        let of = Type::Extension(ts, category);
        let totals = typed.types.iter().find(|(found, _)| *found == of).unwrap().1;
        let mut request = request(&tree, "");
        request.query = of.query();
        assert_eq!((totals.items, totals.apparent), (1, bytes), "{category:?}");
        assert_eq!(finish(search(&pool(), request)).sum.apparent, bytes, "{category:?}");
    }
}

#[test]
fn ages_fall_into_buckets_and_their_queries_find_them() {
    let tree = tree(&items());
    let ages = finish(ages(&pool(), request(&tree, ""), NOW));
    // The three entries that could not be read have no metadata, so no row counts them.
    assert_eq!(ages.rows.map(|row| row.items), [2, 2, 1, 1, 3, 2]);
    for age in Age::ALL {
        let found = files(age.query(NOW).narrowed_by(&Query::of_negated(Test::Error)));
        assert_eq!(found, ages.rows[age as usize], "{age:?}");
    }
    // The time 0 and times more than a day in the future are invalid; other times before 1970 (here, 1938) are valid.
    for (mtime, age) in [
        (0, Age::Unknown),
        (-1_000_000_000, Age::Older),
        (i64::MIN, Age::Older),
        (1, Age::Older),
        (NOW + 3600, Age::Month),
        (NOW + 2 * 86_400, Age::Unknown),
    ] {
        assert_eq!(Age::of(mtime, NOW), age, "{mtime}");
    }
    assert_eq!(Age::of(i64::MAX, i64::MAX), Age::Unknown);
    assert_eq!(Age::of(i64::MIN, i64::MIN), Age::Month);
}

#[test]
fn links_show_names_inside_and_outside() {
    let tree = tree(&items());
    let links = finish(links(&pool(), request(&tree, "")));
    let [shared, alone] = links.inodes.as_slice() else { panic!("two inodes: {:?}", links.inodes) };
    assert_eq!((shared.count, shared.inside, shared.elsewhere, shared.is_shared()), (3, 2, 0, true));
    assert_eq!((alone.count, alone.inside, alone.elsewhere, alone.is_shared()), (2, 2, 0, false));
    assert_eq!((links.shared.items, links.shared.apparent), (1, 30_000));
    assert_eq!((links.alone.items, links.alone.apparent), (1, 1_000));
    let mut names: Vec<_> = links.names(alone).iter().map(|row| row.entry.path(&tree).unwrap()).collect();
    names.sort();
    assert_eq!(names, [b"root/sub/here1", b"root/sub/here2"]);
    assert_eq!(files(shared.query()).items, 2);

    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    let sub = tree.listing(root).directories().next().unwrap();
    let below = Request { from: sub, ..request(&tree, "") };
    let links = finish(crate::analysis::links::links(&pool(), below));
    let shared = links.inodes.iter().find(|inode| inode.is_shared()).unwrap();
    assert_eq!((shared.inside, shared.elsewhere), (1, 1));
}

#[test]
fn errors_are_grouped_by_reason() {
    let tree = tree(&items());
    let errors = finish(errors(&pool(), request(&tree, "")));
    let groups: Vec<_> = errors.groups.iter().map(|group| (group.errno, group.rows.len())).collect();
    assert_eq!(groups, [(13, 2), (5, 1)]);
    assert_eq!(errors.itself, None);
    let mut request = request(&tree, "");
    request.query = errors.groups[0].query();
    assert_eq!(finish(search(&pool(), request)).rows.len(), 2);
}

#[test]
fn a_filter_restricts_every_view() {
    let tree = tree(&items());
    let request = || request(&tree, "sub/ >40k type:file");
    assert_eq!(finish(types(&pool(), request())).total.apparent, 120_000);
    assert_eq!(finish(ages(&pool(), request(), NOW)).total.apparent, 120_000);
    assert_eq!(finish(links(&pool(), request())).inodes, []);
    assert_eq!(finish(errors(&pool(), request())).groups, []);
    let first = finish(largest(&pool(), request(), 1));
    assert_eq!((first.matched, first.rows.len()), (2, 1));
    let largest = finish(largest(&pool(), request(), 9));
    assert_eq!(paths(&tree, &largest.rows), ["root/sub/clip.mp4", "root/sub/other.mkv"]);
}

fn paths(tree: &Tree, rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| String::from_utf8(row.entry.path(tree).unwrap()).unwrap()).collect()
}

#[test]
fn the_largest_files_are_named_once_by_their_first_path() {
    let tree = tree(&items());
    let all = finish(largest(&pool(), request(&tree, ""), 99));
    assert_eq!(all.matched, 12, "two of 14 names are second ones of a file");
    let largest = finish(largest(&pool(), request(&tree, ""), 6)).rows.clone();
    let expected = ["film.MKV", "sub/clip.mp4", "sub/other.mkv", "linked.o", "notes.txt", "Makefile"];
    assert_eq!(paths(&tree, &largest), expected.map(|path| format!("root/{path}")));
}

#[test]
fn the_largest_of_equal_files_do_not_depend_on_threads() {
    // The walk keeps fewer than 5,000 files, so some are dropped. Files of the same size are sorted by inode number,
    // and `f4999` has the smallest number.
    let directories = (0..7).map(|number| directory(&format!("d{number}")));
    let name = |number| format!("d{}/f{number}", number % 7);
    let files = (0..5000).map(|number| file(&name(number), 4096).numbered(9000 - number));
    let tree = tree(&directories.chain(files).collect::<Vec<_>>());
    let rows = finish(largest(&pool(), request(&tree, ""), 10)).rows.clone();
    let expected = (4990..5000).rev().map(|number| format!("root/{}", name(number)));
    assert_eq!(paths(&tree, &rows), expected.collect::<Vec<_>>());
}
