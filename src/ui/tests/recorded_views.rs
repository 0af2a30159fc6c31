//! Tests of views that show the rows of the previous scan until the running scan has ended.

use super::recorded::{begun, damaged, opened, opened_with};
use super::*;
use crate::fixture::{Plan, linked_file, unread};
use crate::ui::notice::Notice;
use crate::ui::operations::programs::Launch;

/// Returns the labels and the precision of the open view's rows. All rows must have the same precision.
pub(super) fn page_labels(app: &App<'_>) -> (Vec<String>, Precision) {
    let page = app.cx.views.page.as_ref().unwrap();
    let precision = page.lines[0].precision;
    assert!(page.lines.iter().all(|row| row.precision == precision && row.directory.is_none()));
    assert_eq!(page.is_recorded, precision == Precision::Recorded);
    (page.lines.iter().map(|row| row.label.clone()).collect(), precision)
}

#[test]
fn a_view_shows_the_last_scan_until_the_scan_has_ended() {
    let growing = begun();
    let mut app = opened(&growing);
    press(&mut app, "2");
    work(&mut app, &growing.tree);
    let recorded = ["gone/x", "a/x", "b/x"].map(str::to_owned).to_vec();
    assert_eq!(page_labels(&app), (recorded.clone(), Precision::Recorded));
    let shown = screen(&mut app);
    assert!(shown.contains("largest files as of today 00:00") && shown.contains("~   9.0 MiB"), "{shown}");
    for key in ["V", "+", "*"] {
        press(&mut app, key);
        assert!(matches!(app.cx.notice, Some(Notice::RecordedRows)), "{key}");
        assert!(app.cx.marks().count() == 0 && !app.cx.is_ranging(), "{key}");
    }
    assert_eq!(press(&mut app, "y"), [Effect::Copy(b"/shown/gone/x".to_vec())]);
    assert_eq!(press(&mut app, "d"), []);
    growing.read("b", vec![file("x", 90 << 20, 0)]);
    tick(&mut app, 4000, None);
    work(&mut app, &growing.tree);
    assert_eq!(page_labels(&app).0, recorded, "rows are not mixed with those of the running scan");
    growing.finish();
    tick(&mut app, 8000, Some(Outcome::Complete));
    work(&mut app, &growing.tree);
    assert_eq!(page_labels(&app), (vec!["b/x".to_owned()], Precision::Exact));
    press(&mut app, "Space");
    assert_eq!(app.cx.marks().count(), 1);
}

#[test]
fn a_view_of_the_last_scan_says_that_more_rows_are_being_found() {
    let growing = begun();
    let mut app = opened(&growing);
    let is_looking = |app: &mut App<'_>| screen(app).lines().next().unwrap().contains("searching… ~");
    press(&mut app, "2");
    work(&mut app, &growing.tree);
    assert!(!is_looking(&mut app), "{}", screen(&mut app));
    // The rows in the old order are shown until those in the new order have been found.
    press(&mut app, "n");
    assert!(is_looking(&mut app), "{}", screen(&mut app));
    work(&mut app, &growing.tree);
    assert!(!is_looking(&mut app), "{}", screen(&mut app));
}

#[test]
fn damage_found_by_a_view_is_reported_and_the_view_shows_the_running_scan() {
    // The browser first reads the block of the snapshot that contains the root's listing. The damaged listing of `b`
    // must not be in that block. Therefore, `a` has so many entries that its long listing gets blocks of its own,
    // between the listings of the root and of `b`.
    let files = (0..8000).map(|number| file(&format!("file {number:04}"), 3 << 20, 0)).collect();
    let (tree, _) =
        build(vec![dir("a", files), dir("b", vec![file("damaged", 1 << 20, 0)]), file("gone", 1 << 20, 0)]);
    let growing = begun();
    let mut app = opened_with(&growing, damaged(&tree, b"damaged"));
    assert_eq!(app.cx.notice_text(), None);
    assert!(app.cx.location.rows().recorded().is_some() && app.cx.scan.percent().is_some());
    press(&mut app, "2");
    work(&mut app, &growing.tree);
    tick(&mut app, 1080, None);
    let notice = app.cx.notice_text().unwrap();
    assert!(notice.starts_with("Previous scan ignored: its snapshot is damaged (byte "), "{notice}");
    assert!(app.cx.location.rows().recorded().is_none() && app.cx.scan.percent().is_none());
    growing.read("b", vec![file("x", 90 << 20, 0)]);
    tick(&mut app, 1160, None);
    work(&mut app, &growing.tree);
    assert_eq!(page_labels(&app), (vec!["b/x".to_owned()], Precision::Exact));
}

#[test]
fn enter_on_a_recorded_row_leads_as_far_as_the_scan_has_read() {
    let growing = begun();
    let mut app = opened(&growing);
    write(&mut app, "/x");
    press(&mut app, "Enter");
    work(&mut app, &growing.tree);
    assert_eq!(page_labels(&app).1, Precision::Recorded);
    press(&mut app, "Enter");
    assert_eq!((app.cx.location.id, selected(&app).as_str()), (growing.root(), "gone"));
    press(&mut app, "Esc");
    work(&mut app, &growing.tree);
    press(&mut app, "j Enter");
    assert_eq!(selected(&app), "x");
    assert_eq!(app.cx.tree.name(app.cx.location.id), b"a");
    assert_eq!(app.cx.viewed_directories(), [app.cx.location.id], "the scan reads this directory next");
    growing.read("a", vec![file("y", 50 << 20, 0), file("x", 4 << 20, 0)]);
    tick(&mut app, 3000, None);
    assert_eq!(selected(&app), "x");
    assert!(app.cx.location.entry().is_some());
}

#[test]
fn the_overview_shows_the_last_scan_until_the_scan_has_ended() {
    let growing = Growing::new();
    growing.publish(vec![unread("a"), file("new", 70 << 20, 0)]);
    let mut app = opened(&growing);
    app.update(Event::Resize(80, 40));
    tick(&mut app, 1000, None);
    press(&mut app, "`");
    work(&mut app, &growing.tree);
    let shown = screen(&mut app);
    assert!(shown.contains("~   9.0 MiB") && shown.contains("gone/x"), "{shown}");
    assert!(!shown.contains("new") && !shown.contains("looking"), "{shown}");
    let survey = &mut app.cx.views.overview.survey;
    survey.outdate();
    survey.refresh();
    assert!(screen(&mut app).lines().next().unwrap().contains("searching… ~"), "{}", screen(&mut app));
    growing.finish();
    tick(&mut app, 4000, Some(Outcome::Complete));
    work(&mut app, &growing.tree);
    let shown = screen(&mut app);
    assert!(shown.contains("new") && !shown.contains("gone") && !shown.contains('~'), "{shown}");
}

#[test]
fn growing_sizes_have_a_sign_in_preview_and_treemap() {
    let growing = Growing::new();
    growing.publish(vec![
        dir("done", vec![file("x", 3 << 20, 0)]),
        dir("new", vec![file("y", 5 << 20, 0), unread("z")]),
    ]);
    let (tree, _) = build(vec![dir("done", vec![file("x", 3 << 20, 0)])]);
    let mut app = opened_with(&growing, tree);
    app.update(Event::Resize(160, 40));
    tick(&mut app, 1000, None);
    work(&mut app, &growing.tree);
    for key in ["g", "5"] {
        press(&mut app, key);
        work(&mut app, &growing.tree);
        let shown = screen(&mut app);
        assert!(shown.contains("new/  ·5.0 MiB"), "{key}: {shown}");
        assert!(!shown.contains("done/  ·"), "{key}: {shown}");
    }
}

#[test]
fn the_cursor_of_a_view_stays_on_its_entry_when_the_scan_ends() {
    let growing = begun();
    let mut app = opened(&growing);
    press(&mut app, "2");
    work(&mut app, &growing.tree);
    press(&mut app, "j j");
    growing.read("a", vec![file("y", 2 << 20, 0), file("x", 3 << 20, 0)]);
    growing.read("b", vec![file("x", 7 << 20, 0)]);
    growing.finish();
    tick(&mut app, 4000, Some(Outcome::Complete));
    work(&mut app, &growing.tree);
    let page = app.cx.views.page.as_ref().unwrap();
    let (labels, index) = (page_labels(&app).0, page.index);
    assert_eq!((labels[index].as_str(), index), ("b/x", 0), "{labels:?}");
}

#[test]
fn enter_on_a_recorded_row_says_if_the_entry_no_longer_exists() {
    let growing = begun();
    let mut app = opened(&growing);
    press(&mut app, "2");
    work(&mut app, &growing.tree);
    growing.read("a", vec![]);
    press(&mut app, "j Enter");
    assert_eq!(app.cx.notice_text().unwrap(), "x no longer exists");
    assert_eq!(page_labels(&app).0, ["gone/x", "a/x", "b/x"]);
}

/// Returns a browser that shows the largest files of the previous scan, with the cursor on `a/x`.
fn on_row_of_view(growing: &Growing) -> App<'_> {
    let mut app = opened(growing);
    press(&mut app, "2");
    work(&mut app, &growing.tree);
    press(&mut app, "j");
    app
}

/// Adds entries to the directory `a`, as if the scan had read it, and returns the effect of the next tick.
fn read(growing: &Growing, app: &mut App<'_>, entries: Vec<Plan>) -> Option<Effect> {
    growing.read("a", entries);
    tick(app, 1200, None)
}

/// Keys whose effect on a row from the previous scan is delayed until the running scan has found the entry.
const WAITING: [&str; 5] = ["Space", "o", "v", "b", "i"];

#[test]
fn a_key_in_a_view_waits_and_then_acts_on_the_entry_that_was_found() {
    for key in WAITING {
        let growing = begun();
        let mut app = on_row_of_view(&growing);
        assert!(press(&mut app, key).is_empty(), "{key}");
        tick(&mut app, 1100, None);
        assert!(screen(&mut app).contains("Waiting for the scan of x (Esc cancels)"), "{}", screen(&mut app));
        let first = app.cx.viewed_directories().last().map(|id| growing.tree.name(*id));
        assert_eq!(first, Some(b"a".as_slice()), "the scan reads this directory next");
        let effect = read(&growing, &mut app, vec![file("y", 50 << 20, 0), file("x", 4 << 20, 0)]);
        assert!(!screen(&mut app).contains("Reading"), "{key}");
        let path = b"/shown/a/x".to_vec();
        match key {
            "Space" => {
                let marks = app.cx.marks.in_order(&growing.tree);
                assert_eq!(marks.iter().map(|((_, name), _)| *name).collect::<Vec<_>>(), [b"x"]);
                let marked: Vec<bool> =
                    app.cx.views.page.as_ref().unwrap().lines.iter().map(|row| row.is_marked).collect();
                assert_eq!(marked, [false, true, false]);
                press(&mut app, "k Space");
                assert_eq!(app.cx.marks().count(), 0, "the key acts at once on an entry that has been found");
            }
            "o" => assert_eq!(effect, Some(Effect::Start(Launch::Open(path)))),
            "v" => assert!(matches!(effect, Some(Effect::Start(Launch::View(_, name))) if name == b"x")),
            "b" => assert!(matches!(effect, Some(Effect::Start(Launch::Shell(_))))),
            _ => assert!(matches!(app.layers.last(), Some(Layer::Info(_)))),
        }
        assert_eq!(page_labels(&app).1, Precision::Recorded);
    }
}

#[test]
fn a_row_of_many_recorded_entries_is_refused_until_the_scan_has_ended() {
    let names =
        |first: usize| (first..first + 200).map(|number| linked_file(&format!("{number}"), 7, 400)).collect();
    let (tree, _) = build(vec![dir("a", names(0)), dir("b", names(200))]);
    let growing = begun();
    let mut app = opened_with(&growing, tree);
    press(&mut app, "6");
    work(&mut app, &growing.tree);
    press(&mut app, "Space");
    assert!(matches!(app.cx.notice, Some(Notice::RecordedRow)), "{}", screen(&mut app));
    assert!(!app.cx.is_waiting());
}

#[test]
fn a_key_in_a_view_reports_that_the_entry_no_longer_exists() {
    for key in WAITING {
        let growing = begun();
        let mut app = on_row_of_view(&growing);
        press(&mut app, key);
        assert_eq!(read(&growing, &mut app, vec![file("y", 50 << 20, 0)]), None, "{key}");
        assert_eq!(app.cx.notice_text().unwrap(), "x no longer exists", "{key}");
        assert_eq!((app.cx.marks().count(), layer(&app)), (0, None), "{key}");
    }
}

#[test]
fn a_waiting_key_in_a_view_is_cancelled_by_any_other_key() {
    for key in WAITING {
        let growing = begun();
        let mut app = on_row_of_view(&growing);
        press(&mut app, &format!("{key} k"));
        assert_eq!(read(&growing, &mut app, vec![file("x", 4 << 20, 0)]), None, "{key}");
        assert_eq!((app.cx.marks().count(), layer(&app)), (0, None), "{key}");
    }
}

#[test]
fn a_waiting_key_in_a_view_acts_only_on_the_row_under_the_cursor() {
    // The scan finds the entry and ends before the next tick, while the view still shows the rows of the previous scan.
    let growing = begun();
    let mut app = on_row_of_view(&growing);
    press(&mut app, "Space");
    growing.read("a", vec![file("x", 3 << 20, 0), file("y", 50 << 20, 0)]);
    growing.read("b", vec![]);
    growing.finish();
    tick(&mut app, 4000, Some(Outcome::Complete));
    let marks = app.cx.marks.in_order(&growing.tree);
    assert_eq!(marks.iter().map(|((_, name), _)| *name).collect::<Vec<_>>(), [b"x"]);
}

#[test]
fn escape_cancels_a_waiting_key_and_does_nothing_else() {
    let growing = begun();
    let mut app = on_row_of_view(&growing);
    press(&mut app, "Space Esc");
    assert!(app.cx.notice.is_none() && app.cx.table().is_some());
    press(&mut app, "Esc");
    assert!(app.cx.table().is_none());
}

#[test]
fn a_waiting_key_is_performed_after_the_end_of_the_scan() {
    let growing = begun();
    let mut app = on_row_of_view(&growing);
    press(&mut app, "Space");
    growing.finish();
    tick(&mut app, 4000, Some(Outcome::Complete));
    assert_eq!(app.cx.notice_text().unwrap(), "x no longer exists");
    let mut app = on_row_of_view(&growing);
    press(&mut app, "Space");
    assert!(app.cx.wants_ticks(), "a command waits");
}

#[test]
fn the_size_of_marks_grows_with_the_scan() {
    let growing = begun();
    let mut app = opened(&growing);
    press(&mut app, "j Space");
    assert_eq!((app.cx.marks().count(), app.cx.marks().totals().disk), (1, 4096));
    growing.read("a", vec![file("x", 4 << 20, 0)]);
    growing.read("b", vec![file("x", 1 << 20, 0)]);
    growing.finish();
    tick(&mut app, 9000, Some(Outcome::Complete));
    assert_eq!(app.cx.marks().totals().disk, (4 << 20) + 4096);
}

#[test]
fn a_key_acts_on_the_entries_of_a_row_that_still_exist() {
    let growing = begun();
    let (tree, _) = build(["a", "b", "gone"].map(|name| dir(name, vec![linked_file("x", 7, 3)])).into());
    let mut app = opened_with(&growing, tree);
    press(&mut app, "6");
    work(&mut app, &growing.tree);
    press(&mut app, "Space");
    for name in ["a", "b"] {
        assert!(app.cx.is_waiting() && app.cx.marks().count() == 0, "{name}");
        growing.read(name, vec![linked_file("x", 7, 2)]);
        tick(&mut app, 1200, None);
    }
    assert!(app.cx.is_waiting(), "the root has not been read completely");
    growing.finish();
    tick(&mut app, 4000, Some(Outcome::Complete));
    assert_eq!((app.cx.marks().count(), app.cx.is_waiting()), (2, false));
}

#[test]
fn an_entry_of_another_kind_counts_as_deleted() {
    let growing = begun();
    let mut app = on_row_of_view(&growing);
    press(&mut app, "Space");
    read(&growing, &mut app, vec![dir("x", vec![])]);
    assert_eq!(app.cx.notice_text().unwrap(), "x no longer exists");
    assert_eq!(app.cx.marks().count(), 0);
}
