//! Tests of rows that show a chain of directories, each containing only the next one.

use super::*;
use crate::delete::OperationKind;

fn collapsed(tree: &Tree) -> App<'_> {
    let mut app = finished(tree);
    app.cx.shown.collapses = true;
    app.cx.collect();
    app
}

fn tree() -> Tree {
    let chain = dir("a", vec![dir("b", vec![dir("c", vec![file("x", 4096, 0), file("y", 0, 0)])])]);
    build(vec![chain, dir("z", vec![file("small", 512, 0)])]).0
}

#[test]
fn enter_opens_the_innermost_directory_and_left_returns_to_the_row() {
    let tree = tree();
    let mut app = collapsed(&tree);
    assert_eq!(names(&app), ["a/b/c", "z"]);
    press(&mut app, "Enter");
    assert_eq!((path(&app).as_str(), names(&app)), ("/shown/a/b/c", vec!["x".to_owned(), "y".to_owned()]));
    press(&mut app, "Left");
    assert_eq!((path(&app).as_str(), selected(&app)), ("/shown", "a/b/c".to_owned()));
}

#[test]
fn leaving_a_chain_entered_another_way_also_leads_to_its_row() {
    let tree = Arc::new(tree());
    let mut app = collapsed(&tree);
    press(&mut app, "2");
    work(&mut app, &tree);
    press(&mut app, "Enter");
    assert_eq!((path(&app).as_str(), selected(&app)), ("/shown/a/b/c", "x".to_owned()));
    press(&mut app, "Left");
    press(&mut app, "Left");
    assert_eq!((path(&app).as_str(), selected(&app)), ("/shown", "a/b/c".to_owned()));
    assert!(app.cx.history.is_empty());
}

#[test]
fn marks_and_deletions_are_about_the_outermost_directory() {
    let tree = tree();
    let mut app = collapsed(&tree);
    press(&mut app, "d");
    let Some(Layer::ConfirmDelete(dialog)) = app.layers.last() else { panic!("{:?}", app.layers) };
    let paths: Vec<_> = dialog.selection.items().map(|(_, item)| item.name.clone()).collect();
    assert_eq!(paths, [b"a".to_vec()]);
    assert_eq!(dialog.kind, OperationKind::Delete);
}

#[test]
fn with_hidden_entries_left_out_a_hidden_directory_has_its_own_row() {
    let (tree, _) = build(vec![dir("a", vec![dir(".b", vec![file("x", 4096, 0)])])]);
    let mut app = collapsed(&tree);
    assert_eq!(names(&app), ["a/.b"]);
    press(&mut app, "e");
    assert_eq!(names(&app), ["a"]);
}

#[test]
fn the_treemap_names_each_directory_of_a_chain_once() {
    let tree = Arc::new(tree());
    let mut app = collapsed(&tree);
    app.cx.theme.colors = Colors::True;
    press(&mut app, "5");
    work(&mut app, &tree);
    let screen = screen(&mut app);
    assert_eq!(screen.matches("a/b/c/").count(), 2, "in the title line and on the rectangle\n{screen}");
    assert!(!screen.contains("c/b/"), "{screen}");
}
