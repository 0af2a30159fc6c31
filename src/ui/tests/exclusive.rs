//! Tests of the column that shows the bytes freed by deletion, and of other uses of exclusive sizes.

use super::*;
use crate::delete::OperationKind;
use crate::exclusive::ranges::{Known, VolumeRange};
use crate::exclusive::sums::ExclusiveSums;
use crate::fixture::numbered_file;
use crate::source::SourceKind;
use crate::table::column::Column;
use crate::table::row::CellValue;
use crate::tree::{ExclusiveCoverage, NodeNumbers};

const MIB: u64 = 1 << 20;

/// Returns a tree in which `pair/a` and `pair/b` share 8 MiB, and `single` has 4 MiB of its own.
fn tree() -> Tree {
    let pair = dir("pair", vec![numbered_file("a", 1), numbered_file("b", 2)]);
    let (tree, _) = build(vec![pair, numbered_file("single", 3)]);
    let mut files = Vec::new();
    let numbers = NodeNumbers::new(&tree, |node, _, metadata| files.push((node, metadata.inode)));
    let mut sums = ExclusiveSums::new(Arc::new(numbers));
    for (node, inode) in files {
        let (start, length) = if inode == 3 { (64 * MIB, 4 * MIB) } else { (0, 8 * MIB) };
        sums.refer(&[node], VolumeRange { volume: 0, start, length }, Known::All);
    }
    tree.set_exclusive(Arc::new(sums.finish(ExclusiveCoverage::default())));
    tree
}

fn frees(app: &App<'_>) -> Vec<CellValue> {
    app.cx.window.lines.iter().map(|row| row.cell(Column::Frees)).collect()
}

#[test]
fn copies_are_freed_only_with_the_directory_that_contains_both() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "f");
    press(&mut app, "F");
    assert_eq!(names(&app), ["pair", "single"]);
    let exact = |bytes| CellValue::Frees(bytes, Some(bytes));
    assert_eq!(frees(&app), [exact(8 * MIB), exact(4 * MIB)]);
    assert!(screen(&mut app).contains("Frees"));
    press(&mut app, "Enter");
    assert_eq!(frees(&app), [exact(0), exact(0)]);
    press(&mut app, "f");
    assert!(!app.cx.shown.columns.has(Column::Frees));
}

#[test]
fn marked_copies_free_their_shared_data() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "f");
    press(&mut app, "Enter");
    press(&mut app, "+");
    let marks = app.cx.marks_exclusive().unwrap();
    assert_eq!((marks.at_least, marks.at_most), (0, Some(8 * MIB)));
    press(&mut app, "d");
    let Some(Layer::ConfirmDelete(dialog)) = app.layers.last() else { panic!("{:?}", app.layers) };
    assert_eq!((dialog.kind, dialog.exclusive), (OperationKind::Delete, Some(marks)));
}

#[test]
fn a_search_for_freed_bytes_finds_directories_of_copies() {
    let tree = Arc::new(tree());
    let mut app = finished(&tree);
    press(&mut app, "/");
    write(&mut app, "frees>5M type:dir");
    work(&mut app, &tree);
    assert!(screen(&mut app).contains("pair/"), "{}", screen(&mut app));
    assert!(!screen(&mut app).contains("single"), "{}", screen(&mut app));
}

#[test]
fn the_settings_can_show_the_column_of_freed_bytes() {
    let tree = tree();
    let mut settings = settings();
    settings.row_options.columns = settings.row_options.columns.with(Column::Frees, true);
    let roots = vec![(b"/r".to_vec(), b"/shown".to_vec())];
    let mut app = App::new(&tree, roots.clone(), &settings, (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    assert!(screen(&mut app).contains("Frees"), "{}", screen(&mut app));
    settings.source_kind = SourceKind::Recorded;
    let mut app = App::new(&tree, roots, &settings, (80, 12));
    assert!(!screen(&mut app).contains("Frees"), "{}", screen(&mut app));
}

#[test]
fn views_of_entries_show_freed_and_shared_bytes() {
    let tree = Arc::new(tree());
    let mut app = finished(&tree);
    press(&mut app, "f");
    press(&mut app, "u");
    press(&mut app, "2");
    work(&mut app, &tree);
    let screen = screen(&mut app);
    assert!(screen.contains("Frees") && screen.contains("Shared"), "{screen}");
}

#[test]
fn entries_below_a_marked_directory_are_freed_with_it() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "f F Enter + Left Space");
    let marks = app.cx.marks_exclusive().unwrap();
    assert_eq!((app.cx.marks().count(), marks.at_least, marks.at_most), (3, 8 * MIB, Some(8 * MIB)));
}

#[test]
fn the_treemap_shows_the_freed_bytes_of_the_selected_entry() {
    let tree = Arc::new(tree());
    let mut app = finished(&tree);
    press(&mut app, "f F 5");
    assert!(screen(&mut app).contains("frees 8.0 MiB"), "{}", screen(&mut app));
    press(&mut app, "f");
    assert!(!screen(&mut app).contains("frees 8.0 MiB"), "{}", screen(&mut app));
}
