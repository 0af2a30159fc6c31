//! Tests of the frame: the header, the tabs, the status line, notices and the terminal cursor.

use super::*;
use crate::source::baseline::{Baseline, BaselineInfo};
use crate::ui::loader::Loader;
use crate::ui::views::VIEWS;

const DAY: i64 = 24 * 3600;

/// Returns a tree for which every view has rows.
fn everything() -> Arc<Tree> {
    let files = (0..20).map(|n| file(&format!("{n}.rs"), n * 4096, 0));
    let others = [
        dir("target", vec![file("CACHEDIR.TAG", 4096, 0), file("made", 40_960, 0)]),
        linked_file_on(1, "one", 7, 2),
        linked_file_on(1, "two", 7, 2),
        failed("lost"),
    ];
    Arc::new(build(files.chain(others).collect()).0)
}

/// Returns a browser in which `keys` were pressed. Its baseline counts as the second newest of four snapshots.
fn opened<'t>(tree: &'t Arc<Tree>, keys: &str) -> App<'t> {
    let mut app = finished(tree);
    app.update(Event::Clock(1003 * DAY));
    let basis = Baseline::of_tree(Arc::new(home()), 1000 * DAY);
    let pool = &Pool::new(1).unwrap();
    let sources = Sources { pool, tree, basis: Some(&basis), may_ask_system: false };
    serve(&mut app, sources);
    let info = BaselineInfo { index: 1, count: 4, ..app.cx.views.compared.baseline().unwrap() };
    app.cx.views.compared.baseline = Loader::given(Some(Arc::new(info)));
    if !keys.is_empty() {
        press(&mut app, keys);
        serve(&mut app, sources);
    }
    app.cx.notice = None;
    app
}

#[test]
fn the_help_key_and_the_active_tab_are_always_shown() {
    let tree = everything();
    for (keys, tab) in [
        ("", Some('1')),
        ("+", Some('1')),
        ("`", Some('`')),
        ("2", Some('2')),
        ("L", Some('L')),
        ("3", Some('3')),
        ("4", Some('4')),
        ("5", Some('5')),
        ("6", Some('6')),
        ("7", Some('7')),
        ("8", Some('8')),
        ("8 +", Some('8')),
        ("9", Some('9')),
        ("0", Some('0')),
        ("w", Some('w')),
        ("/ 1 Enter", Some('1')),
        ("5 / 1 Enter", Some('1')),
        ("` / 1 Enter", Some('1')),
        ("i", None),
        ("+ Tab", None),
    ] {
        let mut app = opened(&tree, keys);
        for columns in 20..=300 {
            let lines = resized(&mut app, columns, 10);
            let all = lines.join("\n");
            assert!(lines[9].contains(" ? keys "), "{keys} at {columns}\n{all}");
            let is_named = |key: char| {
                let view = VIEWS.iter().find(|view| view.key == key).unwrap();
                view.tab.iter().any(|name| lines[1].contains(&format!("[{key} {name}")))
            };
            assert!(tab.is_none_or(is_named), "{keys} at {columns}\n{all}");
        }
        press(&mut app, "1");
        write(&mut app, "Q");
        for columns in (20..=300).step_by(5) {
            assert!(status_line(&mut app, columns).contains(" ? keys "), "a notice at {columns}");
        }
    }
    let mut app = self::app(&tree);
    tick(&mut app, 1000, None);
    for columns in 20..=300 {
        assert!(status_line(&mut app, columns).contains(" ? keys "), "a scan at {columns}");
    }
}

#[test]
fn fields_and_questions_show_the_keys_that_end_them() {
    let tree = everything();
    for (keys, ends) in [("/", "Enter keep"), ("E", "Enter write")] {
        let mut app = opened(&tree, keys);
        for columns in 22..=300 {
            let status_line = status_line(&mut app, columns);
            assert!(status_line.contains(ends), "{keys} at {columns}: {status_line}");
        }
    }
    let mut app = opened(&tree, "d");
    assert!(status_line(&mut app, 80).contains(" n no "), "{}", screen(&mut app));
    let mut app = opened(&tree, "?");
    for columns in 20..=300 {
        assert!(resized(&mut app, columns, 12)[0].contains("Esc closes"), "{}", screen(&mut app));
    }
}

#[test]
fn the_hints_come_in_the_order_of_use_and_before_the_facts() {
    let tree = everything();
    let mut app = opened(&tree, "");
    let file = " ? keys  Space mark  d delete  / search  q quit ";
    assert!(status_line(&mut app, 80).starts_with(file), "{}", screen(&mut app));
    press(&mut app, "t g");
    let directory = " ? keys  Enter open  Space mark  d delete  / search  q quit ";
    assert!(status_line(&mut app, 80).starts_with(directory), "{}", screen(&mut app));
    assert!(!status_line(&mut app, 80).contains("+713K"), "{}", screen(&mut app));
    assert!(status_line(&mut app, 250).contains("+713K in 3 days"), "{}", screen(&mut app));
    press(&mut app, "Space j Space g");
    assert!(
        status_line(&mut app, 80).starts_with(" ? keys  d delete 2  Enter open "),
        "{}",
        screen(&mut app)
    );
    assert!(
        status_line(&mut app, 42).starts_with(" ? keys  d delete 2  Enter open "),
        "{}",
        screen(&mut app)
    );
    let narrow = status_line(&mut app, 40);
    assert!(narrow.starts_with(" ? keys  d delete 2 ") && narrow.contains("1 of 24"), "{narrow}");
    let mut app = opened(&tree, "8");
    assert!(status_line(&mut app, 80).contains(" [ ] snapshot "), "{}", screen(&mut app));
    let mut app = opened(&tree, "3");
    assert!(status_line(&mut app, 80).starts_with(" ? keys  Enter unfold "), "{}", screen(&mut app));
    press(&mut app, "Enter");
    assert!(status_line(&mut app, 80).starts_with(" ? keys  Enter fold "), "{}", screen(&mut app));
}

#[test]
fn an_empty_view_has_no_hints_for_rows() {
    let tree = Arc::new(build(vec![]).0);
    for keys in ["1", "2", "6", "7", "8"] {
        let mut app = finished(&tree);
        press(&mut app, keys);
        work(&mut app, &tree);
        let status_line = status_line(&mut app, 200);
        assert!(
            status_line.contains(" ? keys ") && status_line.contains("/ search"),
            "{keys}: {status_line}"
        );
        for word in [" open ", " mark ", " delete ", " size ", " name ", " info "] {
            assert!(!status_line.contains(word), "{keys}: {status_line}");
        }
    }
}

#[test]
fn narrow_tabs_lose_the_names_that_are_used_least_first_and_then_only_neighbors_are_left() {
    let tree = everything();
    let mut app = opened(&tree, "");
    let mut tabs = |columns| resized(&mut app, columns, 12).swap_remove(1);
    assert!(tabs(200).contains(" 6 Hard links ") && tabs(200).contains(" 5 Treemap "), "{}", tabs(200));
    let usual = tabs(80);
    assert!(usual.contains(" 7 Err 1 ") && usual.contains(" 8 Grow +713K 9 Clean"), "{usual}");
    assert!(!usual.contains("Links"), "{usual}");
    assert!(!usual.contains('…'), "every tab has at least its key");
    let without_errors =
        Arc::new(build(vec![linked_file_on(1, "one", 7, 2), linked_file_on(1, "two", 7, 2)]).0);
    let mut app = opened(&without_errors, "");
    let usual = resized(&mut app, 80, 12).swap_remove(1);
    for name in ["Over", "Files", "Dirs", "Types", "Age", "Map", "Links", "Grow", "Clean"] {
        assert!(usual.contains(name), "{name}: {usual}");
    }
    let mut app = opened(&tree, "");
    let mut tabs = |columns| resized(&mut app, columns, 12).swap_remove(1);
    assert_eq!(tabs(40).trim_end(), " ` Overview [1 List] 2 Files L Dirs …");
    assert_eq!(tabs(24).trim_end(), " …[1 List] 2 Files …");
    let mut app = opened(&tree, "5");
    let narrow = resized(&mut app, 40, 12).swap_remove(1);
    assert_eq!(narrow.trim_end(), " … 4 Age [5 Map] 6 Links 7 Errors 1 …");
}

#[test]
fn a_notice_makes_room_for_the_hints_after_some_seconds() {
    let tree = everything();
    let mut app = opened(&tree, "");
    assert_eq!(app.idle_wait(Duration::ZERO), None, "an idle browser needs no timer");
    write(&mut app, "Q");
    let shown = Duration::from_secs(100);
    assert_eq!(app.idle_wait(shown), Some(Duration::ZERO), "as soon as the frame is on the screen");
    app.update(Event::Idle(shown));
    let wait = app.idle_wait(shown).unwrap();
    assert!((Duration::from_secs(4)..=Duration::from_secs(15)).contains(&wait), "{wait:?}");
    let end = shown + wait;
    app.update(Event::Idle(end.saturating_sub(Duration::from_millis(1))));
    assert!(app.cx.notice_text().is_some());
    app.update(Event::Idle(end));
    assert_eq!((app.cx.notice_text(), app.idle_wait(end)), (None, None));
}

#[test]
fn a_long_path_is_shortened_before_the_title_of_the_view() {
    let name = "directory-with-a-long-name".repeat(3);
    let tree = Arc::new(build(vec![dir(&name, vec![file("f", 4096, 0)])]).0);
    let mut app = finished(&tree);
    press(&mut app, "Enter 2");
    work(&mut app, &tree);
    for columns in 30..=100 {
        let header = resized(&mut app, columns, 12).swap_remove(0);
        assert!(header.contains("· largest files"), "at {columns}: {header}");
    }
    let everything = everything();
    let mut app = opened(&everything, "8");
    let header = resized(&mut app, 100, 12).swap_remove(0);
    assert!(header.contains("growth since 1972-09-27 00:00 (3 days ago, snapshot 2 of 4)"), "{header}");
    let header = resized(&mut app, 60, 12).swap_remove(0);
    assert!(header.contains(" growth since 1972-09-27 00:00"), "{header}");
    for columns in 40..60 {
        let header = resized(&mut app, columns, 12).swap_remove(0);
        assert!(header.contains(" since 1972-09-27"), "at {columns}: {header}");
    }
    press(&mut app, "?");
    assert!(resized(&mut app, 80, 24)[1].contains("Growth since a snapshot"), "{}", screen(&mut app));
    let mut app = finished(&tree);
    press(&mut app, "/");
    work(&mut app, &tree);
    assert!(!resized(&mut app, 80, 12)[0].trim_end().contains("· "), "{}", screen(&mut app));
}

#[test]
fn directories_above_the_root_are_faint_in_the_path() {
    let tree = home();
    let mut app =
        App::new(&tree, vec![(b"/r".to_vec(), b"/far/above/shown".to_vec())], &settings(), (80, 12));
    app.cx.theme.colors = Colors::True;
    tick(&mut app, 1000, Some(Outcome::Complete));
    press(&mut app, "/");
    write(&mut app, "song");
    press(&mut app, "Esc");
    let faint = app.cx.theme.style(Role::Faint).fg.unwrap();
    let colors = |app: &mut App<'_>| {
        let screen = drawn(app);
        (1..17).map(|x| screen.buffer()[(x, 0)].fg == faint).collect::<Vec<_>>()
    };
    let expected: Vec<bool> = (1..17).map(|x| x <= "/far/above/".len()).collect();
    assert_eq!(colors(&mut app), expected);
}

#[test]
fn the_cursor_of_the_terminal_is_in_the_text_field_or_on_the_selected_row() {
    let tree = everything();
    let mut app = opened(&tree, "j");
    let at = |app: &mut App<'_>| {
        let _ = screen(app);
        app.cursor()
    };
    assert_eq!(at(&mut app), Some((0, 4)));
    press(&mut app, "/");
    write(&mut app, "日a");
    assert_eq!(at(&mut app), Some((5, 11)));
    press(&mut app, "Home");
    assert_eq!(at(&mut app), Some((2, 11)));
    press(&mut app, "Esc E");
    write(&mut app, "x.json");
    assert_eq!(at(&mut app), Some((17, 11)));
    press(&mut app, "Esc + Tab j");
    assert_eq!(at(&mut app), Some((0, 4)));
}

#[test]
fn a_dialog_has_blank_columns_beside_it() {
    let tree = everything();
    let mut app = opened(&tree, "d");
    let lines = resized(&mut app, 80, 12);
    let edge = lines.iter().position(|line| line.contains('┌')).unwrap();
    for line in &lines[edge..edge + 3] {
        let cells: Vec<char> = line.chars().collect();
        assert_eq!((cells[0], cells[1], cells[78], cells[79]), (' ', ' ', ' ', ' '), "{line}");
    }
}

#[test]
fn only_the_pane_with_the_keys_has_a_bright_selection() {
    let tree = Arc::new(build(vec![file("a", 512, 0), dir("d", vec![file("b", 8192, 0)])]).0);
    let mut app = finished(&tree);
    app.cx.theme.colors = Colors::True;
    app.update(Event::Resize(200, 12));
    let selected = app.cx.theme.style(Role::Selected).bg.unwrap();
    let is_bright = |app: &mut App<'_>, x: u16| {
        let screen = drawn(app);
        (2..11).any(|y| screen.buffer()[(x, y)].bg == selected)
    };
    assert!(is_bright(&mut app, 10));
    press(&mut app, "+ Tab");
    assert!(!is_bright(&mut app, 10) && is_bright(&mut app, 150));
    let bar = app.cx.theme.style(Role::Bar).fg;
    let cells = drawn(&mut app);
    let is_bar = |x: u16| Some(cells.buffer()[(x, 3)].fg) == bar;
    assert!((0..100).any(is_bar), "the bar of the selected row keeps its color");
    let text = screen(&mut app);
    let row = |name: &str| text.lines().position(|line| line.contains(&format!("/shown/{name}"))).unwrap();
    assert!(row("d/") < row("a"), "the largest mark is first\n{text}");
}

#[test]
fn a_dialog_shows_no_facts_about_the_list_below_it() {
    let tree = everything();
    let mut app = opened(&tree, "");
    assert!(status_line(&mut app, 200).contains("scanned in"));
    press(&mut app, "d");
    assert!(!status_line(&mut app, 200).contains("scanned in"), "{}", screen(&mut app));
}

#[test]
fn narrow_windows_show_the_position_and_the_meaning_of_the_colors() {
    let tree = everything();
    let mut app = opened(&tree, "5");
    let lines = resized(&mut app, 40, 10);
    assert!(lines[2].ends_with("by type ") && lines[9].contains("1 of 2"), "{}", screen(&mut app));
    assert!(resized(&mut app, 80, 24)[22].starts_with(" type: "), "{}", screen(&mut app));
}

#[test]
fn background_work_with_a_known_end_has_a_bar() {
    let tree = everything();
    let mut app = opened(&tree, "");
    press(&mut app, "R");
    app.cx.notice = None;
    let rescan = app.cx.rescan.as_mut().unwrap();
    (rescan.progress.entries, rescan.expected) = (5, 10);
    assert!(status_line(&mut app, 80).contains("██████       rescanning"), "{}", screen(&mut app));
}

#[test]
fn the_totals_of_a_running_scan_have_a_sign() {
    let growing = Growing::new();
    let mut app = self::app(&growing.tree);
    tick(&mut app, 1000, None);
    assert!(resized(&mut app, 80, 12)[0].contains(" · 0"), "{}", screen(&mut app));
}

#[test]
fn a_long_path_stays_clickable_beside_a_title() {
    let chain = ["directory-six", "directory-five", "directory-four"]
        .into_iter()
        .fold(file("f", 4096, 0), |inner, name| dir(name, vec![inner]));
    let tree = Arc::new(build(vec![chain]).0);
    let mut app = finished(&tree);
    press(&mut app, "Enter Enter Enter 2");
    work(&mut app, &tree);
    let at = |app: &mut App<'_>, columns| resized(app, columns, 12).swap_remove(0);
    assert!(at(&mut app, 80).starts_with(" /shown/…/directory-five/directory-six ·"), "{}", at(&mut app, 80));
    assert!(at(&mut app, 60).starts_with(" …/directory-six · largest"), "{}", at(&mut app, 60));
    let narrow = at(&mut app, 40);
    assert!(narrow.starts_with(" …/dire…y-six · largest") || narrow.starts_with(" …/d"), "{narrow}");
}
