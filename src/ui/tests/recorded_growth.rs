//! Tests of growth while a scan is running. Until the scan ends, the previous scan is compared with the baseline.

use super::recorded::opened_since;
use super::recorded_views::page_labels;
use super::*;
use crate::fixture::unread;
use crate::source::baseline::Baseline;
use crate::table::row::Row;
use crate::ui::notice::Notice;

const DAY: i64 = 24 * 3600;

fn baseline() -> Arc<Tree> {
    let plan = vec![
        dir("a", vec![file("x", 1 << 20, 0), file("y", 1 << 20, 0)]),
        dir("b", vec![file("x", 1 << 20, 0)]),
        file("old", 6 << 20, 0),
    ];
    Arc::new(build(plan).0)
}

/// Returns a browser that shows `growing` three days after the baseline. The previous scan was at `scanned_at`.
fn opened(growing: &Growing, scanned_at: i64) -> App<'_> {
    growing.publish(vec![unread("a"), unread("b")]);
    let (tree, _) = build(vec![
        dir("a", vec![file("x", 3 << 20, 0), file("y", 2 << 20, 0)]),
        dir("b", vec![file("x", 1 << 20, 0)]),
        file("new", 2 << 20, 0),
    ]);
    let mut app = opened_since(growing, tree, scanned_at);
    app.update(Event::Clock(1003 * DAY));
    tick(&mut app, 1000, None);
    app
}

fn compare(app: &mut App<'_>, tree: &Arc<Tree>) {
    let basis = Baseline::of_tree(baseline(), 1000 * DAY);
    let pool = &Pool::new(1).unwrap();
    serve(app, Sources { pool, tree, basis: Some(&basis), may_ask_system: false });
}

#[test]
fn the_growth_view_compares_the_last_scan_until_the_scan_has_ended() {
    let growing = Growing::new();
    let mut app = opened(&growing, 1002 * DAY);
    press(&mut app, "8");
    compare(&mut app, &growing.tree);
    let recorded = ["  old", "▸ a/", "  new"].map(str::to_owned).to_vec();
    assert_eq!(page_labels(&app), (recorded, Precision::Recorded));
    app.update(Event::Resize(120, 12));
    let shown = screen(&mut app);
    assert!(shown.contains("growth since 1972-09-27 00:00 (3 days ago) as of yesterday 00:00"), "{shown}");
    for (keys, is_waiting) in
        [("g Space", false), ("g i", false), ("G Space", true), ("G i", true), ("g y", false)]
    {
        press(&mut app, keys);
        assert_eq!(matches!(app.cx.notice, Some(Notice::AwaitingScan(_))), is_waiting, "{keys}");
        assert!(app.cx.marks().count() == 0 && layer(&app).is_none(), "{keys}");
    }
    // The row `a/`, which the user has unfolded, stays unfolded, and the cursor stays on `y`.
    press(&mut app, "j Enter j j");
    assert_eq!(page_labels(&app).0, ["  old", "▾ a/", "    x", "    y", "  new"]);
    growing.read("a", vec![file("x", 8 << 20, 0), file("y", 9 << 20, 0)]);
    growing.read("b", vec![file("x", 1 << 20, 0)]);
    tick(&mut app, 4000, None);
    compare(&mut app, &growing.tree);
    assert_eq!(page_labels(&app).1, Precision::Recorded);
    growing.finish();
    tick(&mut app, 8000, Some(Outcome::Complete));
    compare(&mut app, &growing.tree);
    assert_eq!(
        page_labels(&app),
        (["▾ a/", "    y", "    x", "  old"].map(str::to_owned).to_vec(), Precision::Exact)
    );
    assert_eq!(app.cx.views.page.as_ref().unwrap().index, 1);
    press(&mut app, "Space");
    assert_eq!(app.cx.marks().count(), 1);
}

#[test]
fn a_recorded_change_leads_as_far_as_the_scan_has_read() {
    let growing = Growing::new();
    let mut app = opened(&growing, 1002 * DAY);
    press(&mut app, "8");
    compare(&mut app, &growing.tree);
    press(&mut app, "Enter");
    assert_eq!(app.cx.location.id, growing.root());
    assert!(matches!(app.cx.notice, Some(Notice::FormerDirectory)));
    press(&mut app, "Esc j Enter j Enter");
    assert_eq!((app.cx.tree.name(app.cx.location.id), selected(&app).as_str()), (b"a".as_slice(), "x"));
}

#[test]
fn a_last_scan_that_is_the_baseline_is_not_compared_with_itself() {
    let growing = Growing::new();
    let mut app = opened(&growing, 1000 * DAY);
    growing.read("a", vec![file("x", 8 << 20, 0), file("y", 1 << 20, 0)]);
    tick(&mut app, 1080, None);
    press(&mut app, "8");
    compare(&mut app, &growing.tree);
    assert_eq!(page_labels(&app), (vec!["  a/x".to_owned()], Precision::Exact));
}

#[test]
fn the_overview_shows_the_growth_of_the_last_scan_until_the_scan_has_ended() {
    let growing = Growing::new();
    let mut app = opened(&growing, 1002 * DAY);
    app.update(Event::Resize(80, 40));
    press(&mut app, "`");
    compare(&mut app, &growing.tree);
    let growth = |app: &App<'_>| -> Vec<Row> {
        let part = app.cx.views.overview.parts.iter().find(|part| part.view.name == "growth").unwrap();
        part.rows.iter().map(|(row, _)| row.clone()).collect()
    };
    let labels: Vec<String> = growth(&app).iter().map(|row| row.label.trim().to_owned()).collect();
    assert_eq!(labels, ["old", "a/", "x", "y", "new"]);
    assert!(growth(&app).iter().all(|row| row.precision == Precision::Recorded));
    growing.finish();
    tick(&mut app, 8000, Some(Outcome::Complete));
    compare(&mut app, &growing.tree);
    assert!(growth(&app).iter().all(|row| row.precision == Precision::Exact && !row.label.contains("new")));
}
