//! Tests of sizes from the last scan, which are shown until the running scan has confirmed them.

use super::*;
use crate::base::sync::AtomicBool;
use crate::fixture::unread;
use crate::formats::snapshot::{Limits, SnapshotInfo, open_bytes, save};
use crate::table::recorded::RecordedTree;
use crate::tree::DirId;

/// Returns a browser of `growing`. In the recorded tree of an earlier scan, `a` was larger than `b`, and `gone`
/// existed.
fn opened(growing: &Growing) -> App<'_> {
    let (tree, _) = build(vec![
        dir("a", vec![file("x", 3 << 20, 0)]),
        dir("b", vec![file("x", 1 << 20, 0)]),
        dir("gone", vec![file("x", 9 << 20, 0)]),
    ]);
    let record = Some(RecordedTree { tree: Arc::new(tree), scanned_at: 0 });
    let settings = Settings { record, ..settings() };
    App::new(&growing.tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12))
}

fn precisions(app: &App<'_>) -> Vec<(String, Precision)> {
    app.cx.window.lines.iter().map(|row| (row.label.clone(), row.precision)).collect()
}

#[test]
fn recorded_sizes_are_marked_and_sorted_until_they_are_confirmed() {
    let growing = Growing::new();
    growing.publish(vec![unread("a"), unread("b"), unread("new")]);
    let mut app = opened(&growing);
    tick(&mut app, 1000, None);
    let recorded = Precision::Recorded;
    // The new tree has no entry called "gone", so there is no row that a key could act on.
    let rows = [("a/", recorded), ("b/", recorded), ("new/", Precision::Growing)];
    assert_eq!(precisions(&app), rows.map(|(name, precision)| (name.to_owned(), precision)));
    assert_eq!(app.cx.window.bound, recorded);
    assert!(screen(&mut app).contains("as of 1970-01-01 00:00"), "{}", screen(&mut app));
    growing.read("b", vec![file("x", 5 << 20, 0)]);
    tick(&mut app, 3000, None);
    let rows = [("b/", Precision::Exact), ("a/", recorded), ("new/", Precision::Growing)];
    assert_eq!(precisions(&app), rows.map(|(name, precision)| (name.to_owned(), precision)));
    growing.finish();
    tick(&mut app, 6000, Some(Outcome::Complete));
    assert!(precisions(&app).iter().all(|(_, precision)| *precision == Precision::Exact));
    assert!(app.cx.record.is_none() && app.cx.scan.percent().is_none());
    let total = app.cx.window.totals;
    assert_eq!(total, growing.tree.totals(growing.root()));
}

#[test]
fn a_recorded_directory_shows_its_recorded_total_and_its_present_entries() {
    let growing = Growing::new();
    growing.publish(vec![unread("a"), unread("b")]);
    let mut app = opened(&growing);
    tick(&mut app, 1000, None);
    press(&mut app, "Enter");
    assert_eq!((app.cx.window.bound, app.cx.window.rows), (Precision::Recorded, 0));
    assert_eq!(app.cx.window.totals.apparent, (3 << 20) + 4096);
    growing.read("a", vec![file("y", 1 << 20, 0)]);
    tick(&mut app, 2000, None);
    assert_eq!((app.cx.window.bound, app.cx.window.rows), (Precision::Exact, 1));
    assert_eq!(app.cx.window.totals.apparent, (1 << 20) + 4096);
}

#[test]
fn a_stopped_scan_shows_no_recorded_sizes() {
    let growing = Growing::new();
    growing.publish(vec![unread("a"), unread("b")]);
    let mut app = opened(&growing);
    tick(&mut app, 1000, None);
    tick(&mut app, 2000, Some(Outcome::Stopped));
    assert!(precisions(&app).iter().all(|(_, precision)| *precision != Precision::Recorded));
    assert_ne!(app.cx.window.bound, Precision::Recorded);
    assert!(app.cx.tree.totals(DirId::TOP).apparent < 1 << 20);
}

#[test]
fn a_damaged_record_is_dropped_before_it_is_shown() {
    let (tree, _) = build(vec![dir("a", vec![file("x", 3 << 20, 0)])]);
    let limits = Limits { bytes: u64::MAX, stop: &AtomicBool::new(false) };
    let mut bytes = Vec::new();
    save(&tree, &SnapshotInfo::default(), &limits, &mut bytes).unwrap();
    // The name is in the listing of the root, which is not read when the snapshot is opened.
    let name = bytes.windows(2).position(|two| two == [1, b'a']).unwrap();
    bytes[name + 1] = b'b';
    let record = RecordedTree { tree: Arc::new(open_bytes(bytes).unwrap().tree), scanned_at: 0 };
    let growing = Growing::new();
    growing.publish(vec![unread("a")]);
    let settings = Settings { record: Some(record), ..settings() };
    let roots = vec![(b"/r".to_vec(), b"/shown".to_vec())];
    let mut app = App::new(&growing.tree, roots, &settings, (80, 12));
    tick(&mut app, 1000, None);
    assert!(app.cx.notice_text().unwrap().starts_with("Ignored the sizes of the last scan: byte "));
    assert_eq!(precisions(&app), [("a/".to_owned(), Precision::Growing)]);
    assert!(app.cx.record.is_none() && app.cx.recorded.is_none());
}

#[test]
fn no_key_acts_on_an_entry_that_is_only_recorded() {
    let growing = Growing::new();
    let mut app = opened(&growing);
    tick(&mut app, 1000, None);
    let names = |app: &App<'_>| -> Vec<String> {
        app.cx.window.recorded.iter().map(|row| row.label.clone()).collect()
    };
    assert_eq!(names(&app), ["gone/", "a/", "b/"]);
    let shown = screen(&mut app);
    assert!(shown.contains("gone/") && shown.contains('~'), "{shown}");
    for row in &app.cx.window.recorded {
        assert_eq!((row.entry, row.directory, row.precision), (None, None, Precision::Recorded));
    }
    for key in ["Space", "+", "*", "V", "d", "D", "H", "o", "v", "r", "Enter", "Right", "l"] {
        let effects = press(&mut app, key);
        assert!(effects.is_empty(), "{key}: {effects:?}");
        assert_eq!(app.cx.marks.count(), 0, "{key} marks a recorded entry");
        assert_eq!(app.cx.place.id, growing.root(), "{key} enters a recorded entry");
        assert!(app.cx.place.entry().is_none(), "{key}");
        press(&mut app, "Esc");
    }
    for line in 2..8 {
        for milliseconds in [1100, 1200] {
            assert_eq!(super::mouse::click(&mut app, (30, line), milliseconds), None);
        }
    }
    assert_eq!((app.cx.marks.count(), app.cx.place.id), (0, growing.root()));
    // As soon as the new tree has an entry, the recorded ones are no longer shown, and keys act on the new entry.
    growing.publish(vec![unread("a")]);
    tick(&mut app, 3000, None);
    assert_eq!(names(&app), Vec::<String>::new());
    assert_eq!(app.cx.place.entry().unwrap().name, b"a");
}

#[test]
fn directories_on_the_screen_are_read_first_and_the_shown_one_before_all_others() {
    let growing = Growing::new();
    growing.publish(vec![unread("a"), unread("b")]);
    let id = |name: &[u8]| growing.tree.entry(growing.root(), name).unwrap().directory().unwrap();
    let mut app = opened(&growing);
    tick(&mut app, 1000, None);
    assert_eq!(app.cx.looked_at(), [id(b"b"), id(b"a")]);
    press(&mut app, "Enter");
    assert_eq!(app.cx.looked_at(), [id(b"a")]);
    growing.read("a", vec![]);
    tick(&mut app, 2000, None);
    assert_eq!(app.cx.looked_at(), []);
}
