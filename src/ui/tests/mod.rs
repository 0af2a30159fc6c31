//! Tests that send keys to the browser, on trees in memory.

mod chains;
mod cleanup;
mod deleting;
mod details;
mod duplicates;
mod every_key;
mod exclusive;
mod export;
mod filter;
mod frame;
mod growth;
mod large;
mod marks;
mod mouse;
mod panes;
mod recorded;
mod recorded_growth;
mod recorded_model;
mod recorded_views;
mod roots;
mod treemap;
mod type_ahead;

use std::time::Duration;

use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Settings;
use super::answer_gate::LONG_QUIET;
use super::app::App;
use super::hit_map::Button;
use super::keys::{self, Answer, Binding, Command, KEYMAP, Key, Keymap, Scope, Side, TextMotion};
use super::layers::Layer;
use super::layers::info::InfoPage;
use super::layers::marks_list::MarksList;
use super::layers::question::Question;
use super::loader::Sources;
use super::message::{Effect, Event};
use super::options::{DeletePolicy, Quitting};
use super::progress::ScanProgress;
use super::theme::{Colors, Role, Theme};
use super::views::{LIST, OVERVIEW, TREEMAP};
use crate::base::format::Units;
use crate::base::job::Pool;
use crate::base::sync::Arc;
use crate::fixture::{Growing, build, dir, excluded, failed, file, linked_file_on, stopped, unreadable};
use crate::scan::{Outcome, Progress};
use crate::table::column::RowOptions;
use crate::table::row::{Precision, RowStyle};
use crate::table::rows::Order;
use crate::tree::{DirId, Tree};

mod df;
mod views;

/// Returns settings in which each directory has its own row. Otherwise, most directories of small trees would share a
/// row with their only subdirectory.
fn settings() -> Settings {
    let settings = Settings::new(Order::default(), Units::Binary, Theme::default(), TimeZone::UTC);
    Settings { row_options: RowOptions { collapses: false, ..settings.row_options }, ..settings }
}

fn app(tree: &Tree) -> App<'_> {
    App::new(tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings(), (80, 12))
}

/// Creates a browser for a finished scan, with changes to the key bindings.
fn configured<'t>(tree: &'t Tree, changes: &[(&str, &str)]) -> App<'t> {
    let mut keymap = Keymap::default();
    for (name, key) in changes {
        keymap.give(keys::line(name).unwrap(), vec![key.parse().unwrap()]);
    }
    let settings = Settings { keymap, ..settings() };
    let mut app = App::new(tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    app
}

/// Creates a browser for a finished scan.
fn finished(tree: &Tree) -> App<'_> {
    let mut app = app(tree);
    tick(&mut app, 1000, Some(Outcome::Complete));
    app
}

fn tick(app: &mut App<'_>, milliseconds: u64, outcome: Option<Outcome>) -> Option<Effect> {
    let now = Duration::from_millis(milliseconds);
    app.update(Event::ScanProgress(ScanProgress {
        now,
        progress: Progress::default(),
        outcome,
        elapsed: now,
    }))
}

/// Presses keys, given by their names on the help page. Before each key, waits as long as a user needs to read a
/// question.
fn press(app: &mut App<'_>, keys: &str) -> Vec<Effect> {
    let find = |name: &str| {
        let mut keys = KEYMAP.iter().flat_map(|binding| binding.keys);
        *keys.find(|key| key.name() == name).unwrap()
    };
    keys.split(' ')
        .filter_map(|name| {
            read(app);
            app.update(Event::Key(find(name).event()))
        })
        .collect()
}

/// Presses keys in quick succession, without a frame between them.
fn burst(app: &mut App<'_>, keys: &str) -> Vec<Effect> {
    let all = KEYMAP.iter().flat_map(|binding| binding.keys);
    keys.split(' ')
        .filter_map(|name| {
            let key = all.clone().find(|key| key.name() == name).unwrap();
            app.update(Event::Key(key.event()))
        })
        .collect()
}

/// Simulates the time that a user needs to read a question.
fn read(app: &mut App<'_>) {
    app.update(Event::Idle(Duration::ZERO));
    app.update(Event::Idle(LONG_QUIET));
}

/// Waits as long as a user needs to read a question, then types a text letter by letter.
fn write(app: &mut App<'_>, text: &str) {
    read(app);
    for letter in text.chars() {
        app.update(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
    }
}

/// Starts all jobs that need only the tree, and waits until they are complete. Unit tests make no system calls, so
/// they supply all other results themselves.
fn work(app: &mut App<'_>, tree: &Arc<Tree>) {
    let pool = &Pool::new(1).unwrap();
    serve(app, Sources { pool, tree, basis: None, may_ask_system: false });
}

/// Starts all pending jobs that `sources` allows to run, and waits until they are complete.
fn serve(app: &mut App<'_>, sources: Sources<'_>) {
    while app.poll(&sources) || app.is_loading() {
        std::thread::yield_now();
    }
}

fn names(app: &App<'_>) -> Vec<String> {
    app.cx.window.lines.iter().map(|row| row.label.trim_end_matches('/').to_owned()).collect()
}

fn selected(app: &App<'_>) -> String {
    app.cx.window.selected().map(|row| row.label.trim_end_matches('/').to_owned()).unwrap()
}

fn path(app: &App<'_>) -> String {
    String::from_utf8(app.cx.path.clone()).unwrap()
}

/// Returns the open question and its selected button.
fn question(app: &App<'_>) -> Option<(Question, Button)> {
    app.layers.iter().find_map(|layer| match layer {
        Layer::Question(question) => Some((question.about.clone(), question.button)),
        _ => None,
    })
}

/// Returns the list of marks, if it is the top layer.
fn marks_list<'a, 't>(app: &'a App<'t>) -> Option<&'a MarksList<'t>> {
    app.layers.last().and_then(|layer| if let Layer::Marks(list) = layer { Some(list) } else { None })
}

/// Returns the info page, which must be the top layer.
fn info<'a>(app: &'a App<'_>) -> &'a InfoPage {
    let Some(Layer::Info(page)) = app.layers.last() else { panic!("{:?}", app.layers) };
    page
}

/// Returns the first visible line of the help page. The page must be the top layer.
fn help_line(app: &App<'_>) -> usize {
    let Some(Layer::Help(page)) = app.layers.last() else { panic!("{:?}", app.layers) };
    page.first(&app.cx.keymap, app.cx.size)
}

/// Returns the scope of the top layer; `None` if there is no layer.
fn layer(app: &App<'_>) -> Option<Scope> {
    app.layers.last().map(|layer| layer.component().scope())
}

#[test]
fn bars_keep_their_color_in_the_selected_row() {
    use ratatui::{buffer::Cell, style::Modifier};
    let (tree, _) = build(vec![file("a", 4096, 0), file("b", 4096, 0)]);
    let mut app = finished(&tree);
    app.cx.theme.colors = Colors::True;
    let backend = drawn(&mut app);
    let bar = app.cx.theme.style(Role::Bar).fg.unwrap();
    let row = |backend: &TestBackend, y: usize| {
        let rows = backend.buffer().content.chunks(80);
        rows.map(<[Cell]>::to_vec).nth(y).unwrap()
    };
    let bars = |cells: &[Cell]| -> Vec<_> {
        cells.iter().filter(|cell| cell.symbol() == "█").map(|cell| cell.fg).collect()
    };
    let selected = row(&backend, 3);
    assert!(!bars(&selected).is_empty());
    assert_eq!(bars(&selected), bars(&row(&backend, 4)));
    assert_eq!(selected[0].symbol(), app.cx.theme.glyphs.cursor());
    let tint = app.cx.theme.style(Role::Selected).bg.unwrap();
    assert!(selected.iter().skip(1).all(|cell| cell.bg == tint));
    app.cx.theme.options.set(Role::Selected, bar);
    let row = row(&drawn(&mut app), 3);
    assert!(row.iter().all(|cell| cell.fg != cell.bg), "a bar in the color of the row is visible");
    app.cx.theme.colors = Colors::None;
    let row: Vec<_> = drawn(&mut app).buffer().content.chunks(80).nth(3).unwrap().to_vec();
    assert!(row.iter().all(|cell| cell.modifier.contains(Modifier::BOLD)) && row[0].symbol() == ">");
}

/// Changes the size of the window, and returns its lines.
fn resized(app: &mut App<'_>, columns: u16, lines: u16) -> Vec<String> {
    app.update(Event::Resize(columns, lines));
    let text = screen(app);
    text.lines().map(|line| line.trim_matches('"').to_owned()).collect()
}

fn status_line(app: &mut App<'_>, columns: u16) -> String {
    resized(app, columns, 12).pop().unwrap()
}

/// Draws a frame, and returns the screen.
fn drawn(app: &mut App<'_>) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(app.cx.size.0, app.cx.size.1)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    terminal.backend().clone()
}

fn screen(app: &mut App<'_>) -> String {
    drawn(app).to_string()
}

fn home() -> Tree {
    let plan = vec![
        dir("music", vec![file("song", 40_000, 3), file("noise", 9_000, 1)]),
        dir("empty", vec![]),
        file("letter", 700, 5),
        file(".secret", 100, 4),
        excluded("proc"),
        failed("lost"),
        dir("pictures", vec![dir("2024", vec![file("cat", 30_000, 2)])]),
    ];
    build(plan).0
}

#[test]
fn the_first_frame_has_the_path_before_anything_is_read() {
    let tree = Tree::new();
    let app = app(&tree);
    assert_eq!(path(&app), "/shown");
    assert!(app.cx.window.lines.is_empty() && !app.cx.window.is_complete && app.cx.wants_ticks());
}

#[test]
fn the_largest_comes_first_and_the_unknown_last() {
    let tree = home();
    let app = finished(&tree);
    assert_eq!(names(&app), ["music", "pictures", "empty", "letter", ".secret", "lost", "proc"]);
    assert_eq!(path(&app), "/shown");
    assert!(!app.cx.wants_ticks());
}

#[test]
fn each_directory_keeps_its_cursor() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "j Enter l");
    assert_eq!((path(&app), names(&app)), ("/shown/pictures/2024".to_owned(), vec!["cat".to_owned()]));
    press(&mut app, "Left Left");
    assert_eq!((path(&app), selected(&app)), ("/shown".to_owned(), "pictures".to_owned()));
    press(&mut app, "k Enter j h j Enter Left Enter");
    press(&mut app, "Bksp k Right");
    assert_eq!((path(&app), selected(&app)), ("/shown/music".to_owned(), "noise".to_owned()));
}

#[test]
fn files_do_not_open_and_the_root_has_no_parent() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "G Enter");
    assert_eq!(
        (selected(&app).as_str(), app.cx.notice_text().as_deref()),
        ("proc", Some("Cannot open a directory that was not read"))
    );
    press(&mut app, "h");
    assert_eq!(path(&app), "/shown");
    press(&mut app, "Esc");
    assert_eq!((path(&app).as_str(), question(&app)), ("/shown", None));
}

#[test]
fn sorting_again_reverses_the_order_and_keeps_the_cursor() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "j j");
    let entry = selected(&app);
    for keys in ["n", "n", "M", "M", "C", "C", "t", "t", "a", "s", "s"] {
        press(&mut app, keys);
        assert_eq!(selected(&app), entry, "after {keys}");
    }
    press(&mut app, "n");
    assert_eq!(names(&app), [".secret", "empty", "letter", "lost", "music", "pictures", "proc"]);
    press(&mut app, "n");
    assert_eq!(names(&app), ["proc", "pictures", "music", "lost", "letter", "empty", ".secret"]);
}

#[test]
fn hidden_entries_can_be_toggled_and_are_counted() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "e");
    assert_eq!(names(&app), ["music", "pictures", "empty", "letter", "lost"]);
    assert_eq!((app.cx.window.rows, app.cx.window.omitted), (5, 2));
    press(&mut app, "e");
    assert_eq!((app.cx.window.rows, app.cx.window.omitted), (7, 0));
}

#[test]
fn while_scanning_the_cursor_follows_its_entry_and_the_order_waits_after_keys() {
    let growing = Growing::new();
    growing.publish(vec![file("a", 3 << 20, 0), file("b", 1 << 20, 0)]);
    let mut app = app(&growing.tree);
    tick(&mut app, 100, None);
    assert_eq!(names(&app), ["a", "b"]);
    press(&mut app, "j");
    growing.publish(vec![file("c", 2 << 20, 0)]);
    tick(&mut app, 200, None);
    assert_eq!(names(&app), ["a", "b"], "a key was pressed a moment ago");
    tick(&mut app, 2000, None);
    assert_eq!(names(&app), ["a", "c", "b"]);
    assert_eq!(selected(&app), "b");
    growing.publish(vec![file("d", 4 << 20, 0)]);
    growing.finish();
    tick(&mut app, 3000, Some(Outcome::Complete));
    assert_eq!(
        (names(&app).as_slice(), selected(&app).as_str()),
        (["d", "a", "c", "b"].map(String::from).as_slice(), "b")
    );
    assert!(!app.cx.wants_ticks());
}

#[test]
fn the_final_order_is_shown_even_after_a_key() {
    let growing = Growing::new();
    growing.publish(vec![file("a", 1 << 20, 0)]);
    let mut app = app(&growing.tree);
    tick(&mut app, 1000, None);
    press(&mut app, "j");
    growing.publish(vec![file("b", 2 << 20, 0)]);
    growing.finish();
    tick(&mut app, 1100, Some(Outcome::Complete));
    assert!(app.cx.wants_ticks(), "the order is still to come");
    tick(&mut app, 1900, Some(Outcome::Complete));
    assert_eq!(names(&app), ["b", "a"]);
    assert!(!app.cx.wants_ticks());
}

#[test]
fn live_totals_grow_and_are_marked_as_growing() {
    let growing = Growing::new();
    growing.publish(vec![dir("sub", vec![file("x", 1 << 20, 0)])]);
    let mut app = app(&growing.tree);
    tick(&mut app, 100, None);
    assert_eq!(app.cx.window.bound, Precision::Growing);
    assert_eq!(app.cx.window.totals.items, 2);
    growing.finish();
    tick(&mut app, 200, Some(Outcome::Complete));
    assert_eq!(app.cx.window.bound, Precision::Exact);
}

#[test]
fn errors_and_stopped_directories_are_marked_all_the_way_up() {
    let (tree, _) = build(vec![
        dir("a", vec![unreadable("locked"), file("x", 100_000, 0)]),
        dir("b", vec![stopped("later"), file("y", 50_000, 0)]),
        dir("c", vec![]),
    ]);
    let mut app = finished(&tree);
    let marks: Vec<_> = app.cx.window.lines.iter().map(|line| (line.has_errors, line.precision)).collect();
    assert_eq!(marks, [(true, Precision::AtLeast), (false, Precision::AtLeast), (false, Precision::Exact)]);
    assert_eq!((app.cx.window.bound, app.cx.window.totals.errors), (Precision::AtLeast, 1));
    press(&mut app, "Enter");
    let locked = app.cx.window.lines.iter().find(|line| line.label.starts_with("locked")).unwrap();
    assert!(locked.note.as_ref().unwrap().is_warning && locked.size().is_some());
    assert_eq!(locked.style, RowStyle::Warning);
    press(&mut app, "G Enter");
    assert_eq!(app.cx.window.errno, Some(13));
}

#[test]
fn quitting_asks_only_after_a_long_scan() {
    let tree = home();
    let mut app = finished(&tree);
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
    tick(&mut app, 65_000, Some(Outcome::Complete));
    assert_eq!(press(&mut app, "q"), []);
    assert_eq!(question(&app), Some((Question::Quit, Button::No)));
    for no in ["Enter", "Esc", "n", "Left Right Enter"] {
        assert_eq!(press(&mut app, no), [], "{no}");
        assert_eq!((layer(&app), question(&app)), (None, None));
        press(&mut app, "q");
    }
    assert_eq!(press(&mut app, "y"), [Effect::Quit]);
    press(&mut app, "q");
    assert_eq!(press(&mut app, "Right Enter"), [Effect::Quit]);
    press(&mut app, "q");
    assert_eq!(press(&mut app, "Ctrl-C"), [Effect::Quit]);
    assert_eq!(press(&mut app, "q"), [Effect::Quit], "asked still");
}

#[test]
fn quitting_always_asks_if_the_settings_say_so() {
    let tree = home();
    let settings = Settings { quitting: Quitting::AlwaysAsk, ..settings() };
    let mut app = App::new(&tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    assert_eq!(press(&mut app, "q"), []);
    assert!(screen(&mut app).contains("Quit?"), "{}", screen(&mut app));
    assert_eq!(press(&mut app, "n"), []);
    assert_eq!(press(&mut app, "q y"), [Effect::Quit]);
}

#[test]
fn quitting_asks_after_five_seconds_of_scanning() {
    let tree = home();
    for marks in ["Esc", "Space"] {
        for (milliseconds, expected) in [(5_000, vec![Effect::Quit]), (5_001, vec![])] {
            for outcome in [Some(Outcome::Complete), Some(Outcome::Stopped), None] {
                let mut app = app(&tree);
                tick(&mut app, milliseconds, outcome);
                press(&mut app, marks);
                assert_eq!(press(&mut app, "q"), expected, "{milliseconds} {marks}");
            }
        }
    }
    // Printing the marks loses nothing, so no confirmation is needed.
    let mut app = finished(&tree);
    tick(&mut app, 65_000, Some(Outcome::Complete));
    assert!(matches!(press(&mut app, "Space p")[..], [Effect::Print(_)]));
}

#[test]
fn escape_never_quits_and_q_closes_the_help() {
    let tree = home();
    let mut app = finished(&tree);
    assert_eq!(press(&mut app, "Esc Esc ? q"), []);
    assert_eq!(layer(&app), None);
    assert_eq!(press(&mut app, "? Esc Esc"), []);
}

#[test]
fn an_interrupt_first_stops_the_scan_and_then_quits() {
    let growing = Growing::new();
    growing.publish(vec![file("a", 1, 0)]);
    let mut app = app(&growing.tree);
    tick(&mut app, 100, None);
    assert_eq!(press(&mut app, "Ctrl-C"), [Effect::StopScan]);
    growing.finish();
    tick(&mut app, 200, Some(Outcome::Stopped));
    assert_eq!(press(&mut app, "Ctrl-C"), [Effect::Quit]);
}

#[test]
fn a_hanging_scan_does_not_prevent_quitting() {
    let growing = Growing::new();
    let mut app = app(&growing.tree);
    tick(&mut app, 60_000, None);
    assert_eq!(press(&mut app, "Ctrl-C Ctrl-C Ctrl-C"), [Effect::StopScan, Effect::Quit]);
}

#[test]
fn the_cursor_is_visible_in_any_window_after_any_motion() {
    let (tree, _) = build((0..200).map(|n| file(&format!("{n:03}"), n * 4096, 0)).collect());
    let mut app = finished(&tree);
    for lines in [12, 3, 1, 0, 65_535, 2, 6] {
        for columns in [80, 1, 0, 65_535, 20] {
            app.update(Event::Resize(columns, lines));
            for keys in ["PgDn", "Ctrl-D", "G", "k", "Ctrl-U", "PgUp", "j", "g", "n", "s", "e"] {
                press(&mut app, keys);
                assert!(lines == 0 || app.cx.window.selected().is_some(), "{columns}x{lines} after {keys}");
            }
        }
    }
}
