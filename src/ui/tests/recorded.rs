//! Tests of sizes from the previous scan, which are shown until the running scan has confirmed them.

use ratatui::crossterm::event::{MouseEvent, MouseEventKind};

use super::*;
use crate::base::sync::AtomicBool;
use crate::fixture::{unread, unread_since};
use crate::formats::snapshot::{SnapshotInfo, WriteControl, open_bytes, save};
use crate::table::recorded::RecordedTree;
use crate::tree::DirId;
use crate::ui::notice::Notice;
use crate::ui::operations::programs::Launch;

/// Returns a browser that shows `growing`. In the recorded tree of the previous scan, `a` was larger than `b`, and
/// `gone` existed.
pub(super) fn opened(growing: &Growing) -> App<'_> {
    let (tree, _) = build(vec![
        dir("a", vec![file("x", 3 << 20, 0)]),
        dir("b", vec![file("x", 1 << 20, 0)]),
        dir("gone", vec![file("x", 9 << 20, 0)]),
    ]);
    opened_with(growing, tree)
}

/// Returns a browser that shows `growing` and was opened a second ago. `tree` is the tree of the previous scan.
pub(super) fn opened_with(growing: &Growing, tree: Tree) -> App<'_> {
    opened_since(growing, tree, 0)
}

/// Returns a browser like [`opened_with`]. `scanned_at` is the time of the previous scan.
pub(super) fn opened_since(growing: &Growing, tree: Tree, scanned_at: i64) -> App<'_> {
    let record = Some(RecordedTree { tree: Arc::new(tree), scanned_at });
    let settings = Settings { record, ..settings() };
    let mut app = App::new(&growing.tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12));
    tick(&mut app, 1000, None);
    app
}

/// Returns a tree whose root has the unread directories `a` and `b`.
pub(super) fn begun() -> Growing {
    let growing = Growing::new();
    growing.publish(vec![unread("a"), unread("b")]);
    growing
}

fn precisions(app: &App<'_>) -> Vec<(String, Precision)> {
    app.cx.window.lines.iter().map(|row| (row.label.clone(), row.precision)).collect()
}

#[test]
fn recorded_sizes_are_marked_and_sorted_until_they_are_confirmed() {
    let growing = Growing::new();
    growing.publish(vec![unread("a"), unread("b"), unread("new")]);
    let mut app = opened(&growing);
    let recorded = Precision::Recorded;
    let gone = ("gone/", recorded);
    let rows = [gone, ("a/", recorded), ("b/", recorded), ("new/", Precision::Growing)];
    assert_eq!(precisions(&app), rows.map(|(name, precision)| (name.to_owned(), precision)));
    assert_eq!(app.cx.window.bound, recorded);
    assert!(screen(&mut app).contains("as of today 00:00"), "{}", screen(&mut app));
    app.update(Event::Resize(44, 12));
    let narrow = screen(&mut app);
    assert!(narrow.contains("as of today 00:00") && !narrow.contains("confirmed"), "{narrow}");
    app.update(Event::Resize(80, 12));
    growing.read("b", vec![file("x", 5 << 20, 0)]);
    tick(&mut app, 3000, None);
    let rows = [gone, ("b/", Precision::Exact), ("a/", recorded), ("new/", Precision::Growing)];
    assert_eq!(precisions(&app), rows.map(|(name, precision)| (name.to_owned(), precision)));
    growing.finish();
    tick(&mut app, 6000, Some(Outcome::Complete));
    let rows = ["b/", "a/", "new/"].map(|name| (name.to_owned(), Precision::Exact));
    assert_eq!(precisions(&app), rows);
    assert!(app.cx.record.is_none() && app.cx.scan.percent().is_none());
    let total = app.cx.window.totals;
    assert_eq!(total, growing.tree.totals(growing.root()));
}

#[test]
fn a_recorded_directory_shows_its_recorded_total_and_its_present_entries() {
    let growing = begun();
    let mut app = opened(&growing);
    press(&mut app, "j Enter");
    assert_eq!((app.cx.window.bound, app.cx.window.rows), (Precision::Recorded, 1));
    assert_eq!(app.cx.window.totals.apparent, (3 << 20) + 4096);
    growing.read("a", vec![file("y", 1 << 20, 0)]);
    tick(&mut app, 2000, None);
    assert_eq!((app.cx.window.bound, app.cx.window.rows), (Precision::Exact, 1));
    assert_eq!(app.cx.window.totals.apparent, (1 << 20) + 4096);
}

#[test]
fn a_stopped_scan_shows_no_recorded_sizes() {
    let growing = begun();
    let mut app = opened(&growing);
    tick(&mut app, 2000, Some(Outcome::Stopped));
    assert!(precisions(&app).iter().all(|(_, precision)| *precision != Precision::Recorded));
    assert_ne!(app.cx.window.bound, Precision::Recorded);
    assert!(app.cx.tree.totals(DirId::TOP).apparent < 1 << 20);
}

/// Returns a snapshot of `tree`.
pub(super) fn snapshot(tree: &Tree) -> Vec<u8> {
    let stop = AtomicBool::new(false);
    let control = WriteControl::new(&stop);
    let mut file = Vec::new();
    save(tree, &SnapshotInfo::default(), &control, &mut file).unwrap();
    file
}

/// Returns `tree` as read from a damaged snapshot: the last byte of the first occurrence of `bytes` is wrong.
pub(super) fn damaged(tree: &Tree, bytes: &[u8]) -> Tree {
    let mut file = snapshot(tree);
    let start = file.windows(bytes.len()).position(|part| part == bytes).unwrap();
    file[start + bytes.len() - 1] ^= 1;
    open_bytes(file).unwrap().tree
}

#[test]
fn a_damaged_record_is_dropped_before_it_is_shown() {
    let (tree, _) = build(vec![dir("a", vec![file("x", 3 << 20, 0)])]);
    let growing = Growing::new();
    growing.publish(vec![unread("a")]);
    // The name of `a` is in the root's listing. Opening the snapshot does not read this listing, so the damage is
    // detected later.
    let app = opened_with(&growing, damaged(&tree, &[1, b'a']));
    assert!(
        app.cx.notice_text().unwrap().starts_with("Previous scan ignored: its snapshot is damaged (byte ")
    );
    assert_eq!(precisions(&app), [("a/".to_owned(), Precision::Growing)]);
    assert!(app.cx.record.is_none() && app.cx.recorded.is_none());
}

#[test]
fn recorded_rows_have_no_entry() {
    let growing = Growing::new();
    let mut app = opened(&growing);
    assert_eq!(names(&app), ["gone", "a", "b"]);
    let shown = screen(&mut app);
    assert!(shown.contains("gone/") && shown.contains('~'), "{shown}");
    for row in &app.cx.window.lines {
        assert_eq!((row.entry, row.directory, row.precision), (None, None, Precision::Recorded));
    }
    // The scan finds `a` and `new`. The cursor stays on `a`. Entries that the scan has not found yet keep their rows
    // from the previous scan.
    press(&mut app, "j");
    assert_eq!(selected(&app), "a");
    growing.publish(vec![unread("a"), file("new", 100 << 20, 0)]);
    tick(&mut app, 3000, None);
    assert_eq!(names(&app), ["new", "gone", "a", "b"]);
    assert_eq!(selected(&app), "a");
    let entries: Vec<bool> = app.cx.window.lines.iter().map(|row| row.entry.is_some()).collect();
    assert_eq!(entries, [true, false, true, false]);
}

#[test]
fn a_recorded_row_disappears_when_the_listing_is_whole() {
    let growing = begun();
    let (tree, _) =
        build(vec![dir("a", vec![dir("kept", vec![file("x", 5 << 20, 0)]), file("gone", 1 << 20, 0)])]);
    let mut app = opened_with(&growing, tree);
    press(&mut app, "Enter");
    assert_eq!(names(&app), ["kept", "gone"]);
    growing.read("a", vec![unread("kept")]);
    tick(&mut app, 3000, None);
    // The listing of `a` is complete, so the row `gone` disappears. The directory `kept` has not been read yet.
    assert_eq!(precisions(&app), [("kept/".to_owned(), Precision::Recorded)]);
    assert_eq!(app.cx.window.bound, Precision::Recorded);
}

#[test]
fn a_long_recorded_listing_is_merged_once_that_takes_a_small_part_of_the_scan() {
    const ENTRIES: usize = 70_000;
    let names = (0..ENTRIES).map(|number| file(&format!("file {number:06}"), 512, 0)).collect();
    let growing = Growing::new();
    growing.publish(vec![unread("giant")]);
    let (tree, _) = build(vec![dir("giant", names)]);
    let mut app = opened_with(&growing, open_bytes(snapshot(&tree)).unwrap().tree);
    press(&mut app, "Enter");
    for (milliseconds, rows) in [(1000, 1024), (30_000, ENTRIES)] {
        tick(&mut app, milliseconds, None);
        work(&mut app, &growing.tree);
        assert_eq!((app.cx.window.rows, app.cx.window.bound), (rows, Precision::Recorded));
    }
    // At first, only 1024 rows are shown. When the user scrolls to the last of them, the remaining rows are added.
    let mut app = opened_with(&growing, open_bytes(snapshot(&tree)).unwrap().tree);
    press(&mut app, "Enter j");
    work(&mut app, &growing.tree);
    assert_eq!(app.cx.window.rows, 1024);
    press(&mut app, "End");
    work(&mut app, &growing.tree);
    assert_eq!((app.cx.window.rows, app.cx.location.index()), (ENTRIES, 1023));
}

#[test]
fn a_key_in_a_long_list_acts_as_soon_as_its_entry_is_found() {
    const ENTRIES: usize = 70_000;
    let names =
        |range: std::ops::Range<usize>| range.map(|number| file(&format!("file {number:06}"), 512, 0));
    let growing = Growing::new();
    let (tree, _) = build(names(0..ENTRIES).collect());
    let mut app = opened_with(&growing, open_bytes(snapshot(&tree)).unwrap().tree);
    press(&mut app, "G");
    work(&mut app, &growing.tree);
    press(&mut app, "G Space");
    growing.publish(names(ENTRIES - 1..ENTRIES).collect());
    for milliseconds in [1100, 1200, 1300] {
        tick(&mut app, milliseconds, None);
        work(&mut app, &growing.tree);
    }
    assert_eq!((app.cx.marks().count(), app.cx.window.rows), (1, ENTRIES));
    assert!(app.cx.location.rows().recorded().is_some(), "the other entries have not been found yet");
}

#[test]
fn directories_on_the_screen_are_read_first_and_the_shown_one_before_all_others() {
    let growing = begun();
    let id = |name: &[u8]| growing.tree.entry(growing.root(), name).unwrap().directory().unwrap();
    let mut app = opened(&growing);
    assert_eq!(app.cx.viewed_directories(), [id(b"b"), id(b"a")]);
    press(&mut app, "j Enter");
    assert_eq!(app.cx.viewed_directories(), [id(b"a")]);
    growing.read("a", vec![]);
    tick(&mut app, 2000, None);
    assert_eq!(app.cx.viewed_directories(), []);
}

#[test]
fn directories_that_have_changed_since_the_last_scan_are_read_before_others() {
    let growing = Growing::new();
    growing.publish(vec![unread("a"), unread_since("b", 99), unread_since("c", 100), unread_since("d", 101)]);
    let id = |name: &[u8]| growing.tree.entry(growing.root(), name).unwrap().directory().unwrap();
    let (tree, _) = build("abcd".chars().map(|name| dir(&name.to_string(), vec![])).collect());
    let app = opened_since(&growing, tree, 100);
    assert_eq!(names(&app), ["a", "b", "c", "d"]);
    assert_eq!(app.cx.viewed_directories(), [b"b", b"a", b"d", b"c"].map(|name| id(name)));
}

/// Returns a browser with the cursor on a row from the previous scan, in a directory not read by the running scan.
fn on_recorded_row<'t>(growing: &'t Growing, name: &str) -> App<'t> {
    let (tree, _) = build(vec![dir(
        "d",
        vec![dir("sub", vec![file("x", 9 << 20, 0)]), file("file", 3 << 20, 0), file("gone", 1 << 20, 0)],
    )]);
    growing.publish(vec![unread("d")]);
    let mut app = opened_with(growing, tree);
    press(&mut app, "Enter");
    assert_eq!(names(&app), ["sub", "file", "gone"]);
    while selected(&app) != name {
        press(&mut app, "j");
    }
    app
}

/// Adds entries to the directory that [`on_recorded_row`] shows, as if the scan had read it. The largest
/// entry is a new one, so all rows move.
fn read_directory(growing: &Growing, app: &mut App<'_>) -> Option<Effect> {
    let entries = vec![file("new", 99 << 20, 0), file("file", 4 << 20, 0), dir("sub", vec![])];
    growing.read("d", entries);
    tick(app, 1200, None)
}

/// Keys that wait for the running scan if the cursor is on a row from the previous scan. `V`, `+` and `*` wait until
/// the scan has found all entries of the shown directory. The other keys wait until the scan has found the row's entry.
const WAITING: [&str; 8] = ["Space", "V", "+", "*", "o", "v", "i", "Enter"];

#[test]
fn a_key_on_a_recorded_row_waits_and_then_acts_on_the_entry_that_was_found() {
    for key in WAITING {
        let growing = Growing::new();
        let mut app = on_recorded_row(&growing, "file");
        assert!(press(&mut app, key).is_empty(), "{key}");
        for milliseconds in [1050, 1100] {
            tick(&mut app, milliseconds, None);
            assert!(screen(&mut app).contains("Esc cancels"), "{key}: {}", screen(&mut app));
        }
        assert_eq!(
            (app.cx.marks.count(), layer(&app), app.cx.location.id),
            (0, None, app.cx.location.id),
            "{key}"
        );
        let effect = read_directory(&growing, &mut app);
        let marked: Vec<Vec<u8>> =
            app.cx.marks.in_order(&growing.tree).iter().map(|((_, name), _)| name.to_vec()).collect();
        assert!(!screen(&mut app).contains("Reading"), "{key}");
        match key {
            "Space" => assert_eq!(marked, [b"file"]),
            "V" => assert!(app.cx.is_ranging()),
            "+" | "*" => assert_eq!(marked.len(), 3),
            "o" => assert_eq!(effect, Some(Effect::Start(Launch::Open(b"/shown/d/file".to_vec())))),
            "v" => assert!(matches!(effect, Some(Effect::Start(Launch::View(_, name))) if name == b"file")),
            "i" => assert!(matches!(app.layers.last(), Some(Layer::Info(_)))),
            _ => assert!(matches!(app.cx.notice, Some(Notice::NotADirectory))),
        }
    }
}

#[test]
fn a_waiting_key_acts_on_the_first_row_although_a_new_entry_takes_its_place() {
    let growing = Growing::new();
    let mut app = on_recorded_row(&growing, "sub");
    press(&mut app, "Space");
    read_directory(&growing, &mut app);
    assert_eq!(names(&app)[0], "new");
    let marked: Vec<&[u8]> =
        app.cx.marks.in_order(&growing.tree).iter().map(|((_, name), _)| *name).collect();
    assert_eq!(marked, [b"sub"]);
}

#[test]
fn a_key_on_a_recorded_row_reports_that_the_entry_no_longer_exists() {
    for key in ["Space", "o", "v", "i", "Enter"] {
        let growing = Growing::new();
        let mut app = on_recorded_row(&growing, "gone");
        press(&mut app, key);
        assert_eq!(read_directory(&growing, &mut app), None, "{key}");
        assert!(screen(&mut app).contains("gone no longer exists"), "{key}: {}", screen(&mut app));
        assert_eq!((app.cx.marks.count(), layer(&app)), (0, None), "{key}");
    }
}

#[test]
fn a_recorded_row_is_neither_deleted_nor_rescanned() {
    let growing = Growing::new();
    let mut app = on_recorded_row(&growing, "file");
    for key in ["d", "D", "H", "r", "R"] {
        assert!(press(&mut app, key).is_empty(), "{key}");
        assert!(matches!(app.cx.notice, Some(Notice::ScanRunning | Notice::ReadingAlready)), "{key}");
    }
    assert_eq!(read_directory(&growing, &mut app), None);
    assert_eq!((layer(&app), app.cx.marks.count()), (None, 0));
}

#[test]
fn any_input_and_any_notice_cancels_a_waiting_key() {
    let wheel =
        MouseEvent { kind: MouseEventKind::ScrollDown, column: 0, row: 0, modifiers: KeyModifiers::NONE };
    let escape = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
    let inputs = [
        Event::Key(escape),
        Event::Paste("text".to_owned()),
        Event::Mouse(wheel, Duration::ZERO),
        Event::Notice(Notice::NoMarks),
    ];
    for key in WAITING {
        for input in inputs.clone() {
            let growing = Growing::new();
            let mut app = on_recorded_row(&growing, "file");
            press(&mut app, key);
            app.update(input.clone());
            assert_eq!(read_directory(&growing, &mut app), None, "{key} {input:?}");
            assert_eq!((app.cx.marks.count(), layer(&app)), (0, None), "{key} {input:?}");
            assert!(!app.cx.is_ranging());
        }
    }
}

#[test]
fn a_stopped_scan_reports_that_a_recorded_entry_was_not_found() {
    let growing = Growing::new();
    let mut app = on_recorded_row(&growing, "file");
    press(&mut app, "Space");
    growing.tree.stop(app.cx.location.id);
    growing.finish();
    tick(&mut app, 1500, Some(Outcome::Stopped));
    assert!(screen(&mut app).contains("file was not found: the scan ended early"), "{}", screen(&mut app));
    assert_eq!((layer(&app), app.cx.window.rows), (None, 0));
}

#[test]
fn the_path_of_a_recorded_row_is_copied_at_once() {
    let growing = Growing::new();
    let mut app = on_recorded_row(&growing, "file");
    assert_eq!(press(&mut app, "y"), [Effect::Copy(b"/shown/d/file".to_vec())]);
}

#[test]
fn a_total_stays_unconfirmed_when_it_exceeds_the_recorded_one() {
    let growing = begun();
    let mut app = opened(&growing);
    growing.read("b", vec![file("x", 90 << 20, 0)]);
    tick(&mut app, 4000, None);
    let header = screen(&mut app).lines().next().unwrap().to_owned();
    assert!(header.contains("~ 90.0 MiB disk · 0% confirmed") && !header.contains("as of"), "{header}");
    growing.finish();
    tick(&mut app, 8000, Some(Outcome::Complete));
    let header = screen(&mut app).lines().next().unwrap().to_owned();
    assert!(!header.contains('~') && !header.contains("confirmed"), "{header}");
}
