//! Tests of the panes beside the list in wide windows.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::*;
use crate::ui::loader::Loader;
use crate::ui::options::Panes;

fn resized(tree: &Tree, columns: u16) -> App<'_> {
    let mut app = finished(tree);
    app.update(Event::Resize(columns, 12));
    app
}

fn tree() -> Tree {
    let inner = dir("inner", vec![file("deep", 4096, 0)]);
    build(vec![dir("outer", vec![inner, file("x", 512, 0)]), file("beside", 8192, 0)]).0
}

fn lines(app: &mut App<'_>) -> Vec<String> {
    let (columns, lines) = app.cx.size;
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    let cells: Vec<&str> =
        terminal.backend().buffer().content.iter().map(ratatui::buffer::Cell::symbol).collect();
    cells.chunks(usize::from(columns)).map(<[&str]>::concat).collect()
}

#[test]
fn a_key_cycles_through_the_panes_for_which_there_is_room() {
    let tree = tree();
    let mut wide = resized(&tree, 140);
    let cycle = |app: &mut App<'_>| {
        press(app, "P");
        (
            app.cx.panes,
            app.cx.regions(app.cx.size).right.is_some(),
            app.cx.regions(app.cx.size).left.is_some(),
        )
    };
    assert_eq!(cycle(&mut wide), (Panes::None, false, false));
    assert_eq!(cycle(&mut wide), (Panes::Preview, true, false));
    let mut wider = resized(&tree, 180);
    assert_eq!(cycle(&mut wider), (Panes::Both, true, true));
    assert_eq!(cycle(&mut wider), (Panes::None, false, false));
}

#[test]
fn the_directory_above_is_at_the_left_and_a_click_goes_there() {
    let tree = tree();
    let mut app = resized(&tree, 200);
    press(&mut app, "P Enter");
    let first = lines(&mut app).swap_remove(4);
    let left: String = first.chars().take(40).collect();
    assert!(left.contains("8.0 KiB") && left.contains("beside"), "{first}");
    assert!(lines(&mut app)[3].contains("inner/"));
    let (column, row, modifiers) = (10, 3, KeyModifiers::NONE);
    let kind = MouseEventKind::Down(MouseButton::Left);
    app.update(Event::Mouse(MouseEvent { kind, column, row, modifiers }, Duration::ZERO));
    assert_eq!((path(&app).as_str(), selected(&app)), ("/shown", "outer".to_owned()));
    let root = lines(&mut app).swap_remove(3);
    assert!(root.chars().take(40).collect::<String>().contains("/r"), "the root itself: {root}");
    app.update(Event::Mouse(MouseEvent { kind, column, row, modifiers }, Duration::ZERO));
    assert_eq!(path(&app), "/shown", "nothing is above the root");
}

#[test]
fn no_pane_is_beside_the_list_of_roots() {
    let tree = tree();
    let roots = ["/r", "/s"].map(|root| (root.into(), root.into())).to_vec();
    let mut app = App::new(&tree, roots, &settings(), (200, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    press(&mut app, "P");
    assert!(app.cx.regions(app.cx.size).left.is_none());
    press(&mut app, "Enter");
    assert!(lines(&mut app)[3].chars().take(40).collect::<String>().contains("/r"));
}

#[test]
fn the_directory_above_a_chain_is_the_one_with_its_row() {
    let (tree, _) = build(vec![dir("a", vec![dir("b", vec![file("x", 4096, 0)])]), file("y", 512, 0)]);
    let mut app = resized(&tree, 200);
    app.cx.shown.collapses = true;
    press(&mut app, "P Enter");
    assert_eq!((path(&app).as_str(), app.cx.levels_up()), ("/shown/a/b", 2));
    let rows = lines(&mut app);
    assert!(rows[3].contains(" a/b/ ") && rows[4].contains(" y "), "{rows:?}");
}

#[test]
fn marks_and_info_leave_the_list_visible() {
    let tree = tree();
    let mut app = resized(&tree, 140);
    for (keys, title) in [("i", "Info"), ("Tab", "Marks")] {
        press(&mut app, keys);
        let rows = lines(&mut app);
        assert!(rows[2].contains("Name") && rows[2].contains(title), "{rows:?}");
        assert!(rows[4].contains("beside"), "{rows:?}");
        press(&mut app, "Esc");
        app.update(Event::Resize(139, 12));
        press(&mut app, keys);
        assert!(!lines(&mut app)[2].contains("Name"));
        press(&mut app, "Esc");
        app.update(Event::Resize(140, 12));
    }
}

#[test]
fn the_preview_of_a_directory_has_its_owner_and_its_permissions() {
    let tree = Arc::new(tree());
    let mut app = resized(&tree, 160);
    work(&mut app, &tree);
    let all = lines(&mut app).join("\n");
    assert!(all.contains("│ changed") || all.contains("| changed"), "{all}");
    let info = app.cx.views.preview.info.as_mut().expect("the directory is inspected");
    info.inspection = Loader::given(Some(Arc::new(details::inspection())));
    let all = lines(&mut app).join("\n");
    assert!(all.contains("root:7 0640"), "{all}");
}

#[test]
fn the_preview_of_a_total_lists_its_largest_files() {
    let (tree, _) = build(vec![file("a.log", 8192, 0), file("b.log", 4096, 0), file("c.rs", 4096, 0)]);
    let tree = Arc::new(tree);
    let mut app = resized(&tree, 160);
    for (keys, title, files) in [
        ("3", "log, largest first", &["a.log", "b.log"][..]),
        ("4", "changed less than 30 days ago, largest first", &["No files"]),
        ("G", "changed at a future or unknown time", &["a.log", "b.log", "c.rs"]),
    ] {
        press(&mut app, keys);
        for _ in 0..3 {
            work(&mut app, &tree);
            lines(&mut app);
        }
        let right: Vec<String> = lines(&mut app).iter().map(|line| line.chars().skip(80).collect()).collect();
        assert!(right[2].contains(title), "{right:?}");
        let all = right.concat();
        assert!(files.iter().all(|file| all.contains(file)), "{keys}: {right:?}");
        assert_eq!(all.contains("c.rs"), files.contains(&"c.rs"), "{keys}: {right:?}");
    }
}

#[test]
fn the_preview_of_an_empty_or_unreadable_directory_says_why_it_is_empty() {
    let hidden = dir("hidden", vec![crate::fixture::excluded("x")]);
    let (stopped, locked) = (crate::fixture::stopped("hidden too"), crate::fixture::unreadable("locked"));
    let (tree, _) = build(vec![dir("empty", Vec::new()), hidden, stopped, locked]);
    let tree = Arc::new(tree);
    let mut app = resized(&tree, 160);
    for (keys, text) in [
        ("n g", "Empty directory"),
        ("j", "Only excluded entries"),
        ("j", "the scan ended early"),
        ("G", "permission denied"),
    ] {
        press(&mut app, keys);
        work(&mut app, &tree);
        let right: String = lines(&mut app).iter().flat_map(|line| line.chars().skip(80)).collect();
        assert!(right.contains(text) && !right.contains("types"), "{right}");
    }
}

#[test]
fn the_preview_tells_apart_rows_with_the_same_label() {
    let tool = crate::fixture::executable(file("tool", 8192, 0));
    let (tree, _) = build(vec![tool, file("data", 4096, 0)]);
    let tree = Arc::new(tree);
    let mut app = resized(&tree, 160);
    press(&mut app, "3");
    work(&mut app, &tree);
    press(&mut app, "Enter G Enter G");
    let mut seen = Vec::new();
    for _ in 0..2 {
        for _ in 0..3 {
            work(&mut app, &tree);
            lines(&mut app);
        }
        let all: String = lines(&mut app).iter().flat_map(|line| line.chars().skip(80)).collect();
        assert!(all.contains("no extension, largest first"), "{all}");
        seen.push((all.contains("tool"), all.contains("data")));
        press(&mut app, "g j j");
    }
    assert_eq!(seen, [(false, true), (true, false)], "{}", screen(&mut app));
}

#[test]
fn the_cursor_stays_on_its_type_when_the_order_changes() {
    let growing = Growing::new();
    let mut app = app(&growing.tree);
    growing.publish(vec![file("a.log", 8192, 0), file("b.rs", 4096, 0)]);
    tick(&mut app, 100, None);
    press(&mut app, "3");
    work(&mut app, &growing.tree);
    press(&mut app, "j");
    let label = |app: &App<'_>| {
        let page = app.cx.views.page.as_ref().unwrap();
        (page.index, page.lines[page.index].label.trim().to_owned())
    };
    let first = label(&app);
    growing.publish(vec![file("c.mp4", 1 << 20, 0)]);
    growing.finish();
    tick(&mut app, 200, Some(Outcome::Complete));
    work(&mut app, &growing.tree);
    let second = label(&app);
    assert_eq!((first.0, second.0, &first.1), (1, 2, &second.1), "{}", screen(&mut app));
}
