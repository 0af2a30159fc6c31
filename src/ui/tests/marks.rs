//! Tests of marks and rescans with trees in memory.

use super::*;
use crate::ui::layout::layout;
use crate::ui::marks::Marks;
use crate::ui::progress::RescanMessage;

fn marked(app: &App<'_>) -> Vec<String> {
    let lines = app.cx.window.lines.iter().filter(|line| line.is_marked);
    lines.map(|row| row.label.trim_end_matches('/').to_owned()).collect()
}

fn pane(app: &App<'_>) -> Vec<String> {
    let visible = marks_list(app).into_iter().flat_map(|list| list.visible(layout(app.cx.size).list_lines()));
    let path = |(name, _): &(_, _)| app.cx.shown_path(&Marks::path(app.cx.tree, *name));
    visible.map(|mark| String::from_utf8_lossy(&path(mark)).into_owned()).collect()
}

#[test]
fn marks_belong_to_their_entries_in_every_view() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "j Space");
    assert_eq!((marked(&app), selected(&app)), (vec!["pictures".to_owned()], "empty".to_owned()));
    for keys in ["n", "n", "M", "a", "e", "t", "g", "Enter", "h", "e", "s"] {
        press(&mut app, keys);
        let is_here = path(&app) == "/shown";
        assert_eq!(marked(&app).len(), usize::from(is_here), "after {keys}");
    }
    assert_eq!(app.cx.marks().count(), 1);
    press(&mut app, "g j Space");
    assert_eq!(app.cx.marks().count(), 0, "{:?}", marked(&app));
}

#[test]
fn ranges_inversion_and_all() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "j V");
    assert!(app.cx.is_ranging());
    press(&mut app, "j j V");
    assert_eq!(marked(&app), ["pictures", "empty", "letter"]);
    press(&mut app, "*");
    assert_eq!(marked(&app), ["music", ".secret"], "what was not read cannot be marked");
    press(&mut app, "e +");
    assert_eq!(marked(&app), ["music", "pictures", "empty", "letter"]);
    assert_eq!(app.cx.marks().count(), 5, "{:?}", pane(&app));
    press(&mut app, "V Esc j V");
    assert!(app.cx.is_ranging(), "the first range was given up");
    press(&mut app, "g Enter V");
    assert!(app.cx.is_ranging(), "a range ends with its directory");
    press(&mut app, "j V");
    assert_eq!(marked(&app), ["song", "noise"]);
}

#[test]
fn a_range_lies_between_its_entries_in_any_order() {
    let tree = home();
    let mut app = finished(&tree);
    // The range extends upward, and the sort order changes before the range is completed.
    press(&mut app, "j j V k");
    let with_sign = screen(&mut app).lines().filter(|line| line.contains('│')).count();
    assert_eq!(with_sign, 2, "{}", screen(&mut app));
    press(&mut app, "s V");
    assert_eq!(marked(&app), ["empty", "pictures"]);
}

#[test]
fn the_list_of_marks_has_paths_and_counts_nothing_twice() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "Space Enter Enter Space h h g Enter Space");
    press(&mut app, "Tab");
    assert_eq!(layer(&app), Some(Scope::Marks));
    assert_eq!(pane(&app), ["/shown/music", "/shown/music/song", "/shown/pictures/2024/cat"]);
    // `song` is counted as a part of `music`, which has 4,096 bytes of its own and files of 40,000 and 9,000 bytes.
    // `cat` has 30,000 bytes.
    let totals = app.cx.marks().totals();
    assert_eq!(totals.apparent, 40_000 + 9000 + 4096 + 30_000);
    press(&mut app, "G Enter");
    assert_eq!((path(&app).as_str(), selected(&app).as_str()), ("/shown/pictures/2024", "cat"));
    press(&mut app, "h h Tab Space");
    assert_eq!(pane(&app), ["/shown/music/song", "/shown/pictures/2024/cat"]);
    assert_eq!(app.cx.marks().totals().apparent, 70_000);
    press(&mut app, "Space Space Space");
    assert_eq!((pane(&app), app.cx.marks().count()), (vec![], 0));
    press(&mut app, "Tab");
    assert_eq!(layer(&app), None);
}

#[test]
fn marked_links_of_different_hosts_count_separately() {
    let (tree, _) = build(["a", "b"].map(|name| linked_file_on(u32::from(name == "b"), name, 5, 2)).into());
    // Both hosts use the number 7 for one of their devices.
    let devices = [0, 1].map(|host| tree.devices().of_host(host).index(7));
    assert_eq!((devices, tree.devices().numbers()), ([0, 1], vec![7, 7]));
    let mut app = finished(&tree);
    press(&mut app, "Space Space");
    assert_eq!((app.cx.marks().count(), app.cx.marks().totals().apparent), (2, 2));
}

#[test]
fn the_marks_are_printed_by_their_paths_as_shown() {
    let tree = home();
    let mut app = finished(&tree);
    assert_eq!(press(&mut app, "p"), []);
    assert_eq!(app.cx.notice_text().as_deref(), Some("No marks"));
    press(&mut app, "Space j Space");
    let printed = Effect::Print(vec![b"/shown/empty".to_vec(), b"/shown/music".to_vec()]);
    assert_eq!(press(&mut app, "p"), std::slice::from_ref(&printed));
    assert_eq!(press(&mut app, "Tab p"), [printed]);
}

#[test]
fn the_question_names_the_marks() {
    let tree = home();
    let mut app = finished(&tree);
    tick(&mut app, 65_000, Some(Outcome::Complete));
    press(&mut app, "Space q");
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(80, 12)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    assert!(terminal.backend().to_string().contains("Quit and lose 1 mark? The scan took 1:05"));
}

#[test]
fn the_path_under_the_cursor_is_copied() {
    let tree = home();
    let mut app = finished(&tree);
    assert_eq!(press(&mut app, "y"), [Effect::Copy(b"/shown/music".to_vec())]);
    press(&mut app, "j j Enter");
    assert_eq!(press(&mut app, "y"), [Effect::Copy(b"/shown/empty".to_vec())]);
}

#[test]
fn one_directory_is_read_again_at_a_time_and_can_be_stopped() {
    let tree = home();
    let mut app = finished(&tree);
    let root = tree.listing(crate::tree::DirId::TOP).directories().next().unwrap();
    assert_eq!(press(&mut app, "Esc R"), [Effect::Rescan(root)]);
    assert!(app.cx.wants_ticks());
    assert_eq!(press(&mut app, "r"), []);
    assert_eq!(app.cx.notice_text().as_deref(), Some("Already scanning (Ctrl-C stops it)"));
    let again = |outcome| Event::Rescan(RescanMessage { progress: Progress::default(), outcome });
    app.update(again(None));
    assert_eq!(press(&mut app, "Esc Esc"), [Effect::StopRescan]);
    app.update(again(Some(Outcome::Stopped)));
    assert!(app.cx.rescan().is_none() && !app.cx.wants_ticks());
    // With the cursor on a file, the directory that contains the file is rescanned.
    press(&mut app, "g Enter");
    let music = tree.listing(root).directories().next().unwrap();
    assert_eq!(press(&mut app, "r Ctrl-C"), [Effect::Rescan(music), Effect::StopRescan]);
    assert_eq!(press(&mut app, "Ctrl-C"), [Effect::Quit]);
}

/// Returns `true` if the cursor is visible, or if there are no rows. Checks the list of marks if it is open, otherwise
/// the current view.
fn cursor_is_visible(app: &App<'_>) -> bool {
    match (&app.cx.views.page, marks_list(app)) {
        (_, Some(list)) => {
            let mut visible = list.visible(layout(app.cx.size).list_lines()).peekable();
            visible.peek().is_none() || visible.any(|(name, _)| Some(*name) == list.selected())
        }
        (Some(page), _) => {
            page.rows == 0 || (page.offset..page.offset + page.lines.len()).contains(&page.index)
        }
        (None, _) => app.cx.window.rows == 0 || app.cx.window.selected().is_some(),
    }
}

#[test]
fn marks_change_only_by_marking_keys_and_the_cursor_stays_visible() {
    let tree = Arc::new(home());
    let keys: Vec<_> = KEYMAP
        .iter()
        .flat_map(|binding| {
            binding.keys.iter().flat_map(|key| binding.scopes.iter().map(move |scope| (*scope, *key)))
        })
        .collect();
    let is_marking = |command| {
        matches!(
            command,
            Command::Mark
                | Command::MarkRange
                | Command::MarkShown
                | Command::InvertMarks
                | Command::MarkCopies(_)
                | Command::MarkElsewhere
        )
    };
    let mut scopes = std::collections::HashSet::new();
    for seed in 0..400_u64 {
        let mut app = finished(&tree);
        let mut number = seed;
        let mut next = |count: usize| {
            // Linear congruential generator with the constants of Knuth's MMIX.
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(number >> 40).unwrap() % count
        };
        for _ in 0..60 {
            let scope = app.scope();
            scopes.insert(format!("{scope:?} {}", app.cx.is_filtered()));
            let here: Vec<_> =
                keys.iter().filter(|(bound, _)| *bound == scope).map(|(_, key)| key.event()).collect();
            let typed = ["c", "*", ">1k", " "].map(|text| KeyCode::Char(text.chars().next().unwrap()));
            let event = match next(4) {
                0 if scope == Scope::Prompt => KeyEvent::new(typed[next(typed.len())], KeyModifiers::NONE),
                _ => here[next(here.len())],
            };
            let command = crate::ui::keys::Keymap::default().lookup(scope, event);
            let marks = |app: &App<'_>| format!("{:?}", app.cx.marks().in_order(&tree));
            let before = marks(&app);
            app.update(Event::Key(event));
            if next(3) == 0 {
                work(&mut app, &tree);
            }
            if next(9) == 0 {
                app.update(Event::Resize(
                    20 + 20 * u16::try_from(next(4)).unwrap(),
                    3 + u16::try_from(next(9)).unwrap(),
                ));
            }
            let can_mark = command.is_some_and(is_marking);
            assert!(can_mark || marks(&app) == before, "{event:?} in {scope:?} {seed}");
            assert!(cursor_is_visible(&app), "{event:?} in {scope:?} {seed}");
            assert_eq!(app.cx.marks().in_order(&tree).len() as u64, app.cx.marks().count());
        }
    }
    // The random keys need not reach these scopes. `Scope::Failures`, for example, appears only after a failed
    // operation, and this test runs no operations.
    let elsewhere = [Scope::Question, Scope::Typing, Scope::Failures];
    for scope in Scope::ALL.into_iter().filter(|scope| !elsewhere.contains(scope)) {
        assert!(scopes.contains(&format!("{scope:?} false")), "{scope:?} was never there: {scopes:?}");
    }
    for scope in [Scope::List, Scope::Treemap] {
        assert!(scopes.contains(&format!("{scope:?} true")), "{scope:?} was never filtered: {scopes:?}");
    }
}

#[test]
fn the_status_line_shows_the_position_in_the_list_of_marks() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "G k k Space k k Space Tab j");
    let drawn = screen(&mut app);
    assert!(drawn.contains("2 of 2") && !drawn.contains("of 7"), "{drawn}");
}

#[test]
fn help_opens_over_the_marks_and_the_info_and_leads_back() {
    let tree = home();
    for keys in ["Space Tab", "i"] {
        let mut app = finished(&tree);
        press(&mut app, keys);
        let below = layer(&app);
        assert!(below.is_some(), "{keys}");
        press(&mut app, "?");
        assert_eq!(layer(&app), Some(Scope::Help), "{keys}");
        press(&mut app, "?");
        assert_eq!(layer(&app), below, "{keys}");
    }
}

#[test]
fn a_mark_on_a_group_of_cleanup_candidates_marks_them_all() {
    let project = |name: &str, length| {
        dir(name, vec![dir("target", vec![file("out", length, 1)]), file("Cargo.toml", 1, 1)])
    };
    let modules = dir("web", vec![dir("node_modules", vec![file("x", 4096, 1)]), file("package.json", 1, 1)]);
    let tree = Arc::new(build(vec![project("one", 40_960), project("two", 8_192), modules]).0);
    let mut app = finished(&tree);
    press(&mut app, "9");
    work(&mut app, &tree);
    press(&mut app, "Space");
    assert_eq!(app.cx.marks.count(), 2);
    let lines = |app: &App<'_>| app.cx.views.page.as_ref().unwrap().lines.clone();
    assert_eq!(lines(&app).iter().map(|row| row.is_marked).collect::<Vec<_>>(), [true, false]);
    press(&mut app, "g Enter");
    assert_eq!(lines(&app).iter().map(|row| row.is_marked).collect::<Vec<_>>(), [true, true, true, false]);
    press(&mut app, "j Space");
    assert_eq!(app.cx.marks.count(), 1);
    assert!(!lines(&app)[0].is_marked, "not all of the group");
}
