use super::*;
use crate::fixture::{Plan, build, dir, excluded, failed, file};

fn names(plan: Vec<Plan>, order: Order) -> Vec<String> {
    let (tree, root) = build(plan);
    let listing = tree.listing(root);
    let rows = SortedEntries::new(&tree, &SizeSource::default(), root, &listing, order);
    let name =
        |row: RowEntry| String::from_utf8(listing.name(row.found().unwrap()).unwrap().to_vec()).unwrap();
    rows.entries(0, usize::MAX).map(name).collect()
}

fn plan() -> Vec<Plan> {
    vec![
        file("b", 5000, 10),
        excluded("gone"),
        dir("deep", vec![file("x", 9000, 1), file("y", 0, 1)]),
        file(".a", 5000, i64::MIN),
        failed("lost"),
        dir("empty", vec![]),
        file("new", 0, i64::MAX),
    ]
}

fn by(column: Column, direction: Direction) -> Order {
    Order { column, direction, ..Order::default() }
}

#[test]
fn rows_without_a_size_come_last() {
    let order = by(Column::Size, Direction::Usual);
    assert_eq!(names(plan(), order), ["deep", ".a", "b", "empty", "new", "gone", "lost"]);
    let order = by(Column::Size, Direction::Reversed);
    assert_eq!(names(plan(), order), ["new", "empty", ".a", "b", "deep", "gone", "lost"]);
}

#[test]
fn rows_are_sorted_by_name_in_both_directions() {
    let order = by(Column::Name, Direction::Usual);
    assert_eq!(names(plan(), order), [".a", "b", "deep", "empty", "gone", "lost", "new"]);
    let order = by(Column::Name, Direction::Reversed);
    assert_eq!(names(plan(), order), ["new", "lost", "gone", "empty", "deep", "b", ".a"]);
}

#[test]
fn rows_are_sorted_by_items_and_by_any_time() {
    assert_eq!(names(plan(), by(Column::Items, Direction::Usual))[0], "deep");
    let times = names(plan(), by(Column::Modified, Direction::Usual));
    assert_eq!((times[0].as_str(), times[4].as_str()), ("new", ".a"));
}

#[test]
fn directories_are_listed_first_on_request() {
    let order = Order { grouping: Grouping::DirectoriesFirst, ..Order::default() };
    assert_eq!(names(plan(), order)[..3], ["deep", "empty", ".a"]);
}

#[test]
fn hidden_entries_are_omitted_on_request_and_counted() {
    let order = Order { hidden: Hidden::Omitted, ..Order::default() };
    assert_eq!(names(plan(), order), ["deep", "b", "empty", "new", "lost"]);
    let (tree, root) = build(plan());
    let rows = SortedEntries::new(&tree, &SizeSource::default(), root, &tree.listing(root), order);
    assert_eq!((rows.len(), rows.omitted()), (5, 2));
}

#[test]
fn a_row_costs_eight_bytes() {
    let (tree, root) = build(plan());
    let rows = SortedEntries::new(&tree, &SizeSource::default(), root, &tree.listing(root), Order::default());
    assert_eq!(size_of_val(&*rows.sorted), 8 * rows.len());
}

#[test]
fn a_slow_sort_is_repeated_only_after_ten_times_its_duration() {
    let rows = SortedEntries { cost: Duration::from_millis(30), ..SortedEntries::default() };
    assert!(!rows.can_sort(Duration::from_millis(299)));
    assert!(rows.can_sort(Duration::from_millis(300)));
}
