//! Tests of growth since a baseline.

use super::*;
use crate::base::format::brief_size;
use crate::base::job::JobError;
use crate::source::baseline::{Baseline, BaselineInfo};
use crate::table::column::Column;
use crate::table::row::{CellValue, Row};
use crate::tree::DirId;
use crate::ui::Start;
use crate::ui::table_page::TablePage;

const DAY: i64 = 24 * 3600;

/// Change of an entry since the baseline, with the size of the entry in the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grown {
    New,
    From(u64),
    Deleted(u64),
}

fn growth(row: &Row) -> Option<Grown> {
    match row.cell(Column::Growth) {
        CellValue::Change(None, _) => Some(Grown::New),
        CellValue::Change(Some(before), None) => Some(Grown::Deleted(before)),
        CellValue::Change(Some(before), Some(_)) => Some(Grown::From(before)),
        _ => None,
    }
}

fn before() -> Arc<Tree> {
    let plan = vec![
        dir("music", vec![file("song", 40_960, 3), file("gone", 8_192, 1)]),
        dir("attic", vec![file("box", 4_096, 0)]),
        file("letter", 512, 5),
        file("big", 20_480, 5),
    ];
    Arc::new(build(plan).0)
}

fn now() -> Arc<Tree> {
    let plan = vec![
        dir("music", vec![file("song", 81_920, 3)]),
        dir("pictures", vec![file("cat", 1_024, 2)]),
        file("letter", 512, 5),
        file("big", 10_240, 5),
    ];
    Arc::new(build(plan).0)
}

/// Returns a browser whose current time is three days after the baseline.
fn at(tree: &Arc<Tree>, start: Start) -> App<'_> {
    let settings = Settings { start, ..settings() };
    let mut app = App::new(tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12));
    app.update(Event::Clock(1003 * DAY));
    tick(&mut app, 1000, Some(Outcome::Complete));
    app
}

fn compare(app: &mut App<'_>, tree: &Arc<Tree>, old: &Arc<Tree>) {
    let basis = Baseline::of_tree(Arc::clone(old), 1000 * DAY);
    let pool = &Pool::new(1).unwrap();
    serve(app, Sources { pool, tree, basis: Some(&basis), may_ask_system: false });
}

fn page<'a>(app: &'a App<'_>) -> &'a TablePage {
    app.cx.views.page.as_ref().expect("a view is open")
}

fn grown(app: &App<'_>) -> Vec<(String, Option<Grown>)> {
    app.cx.window.lines.iter().map(|row| (row.label.trim_end_matches('/').to_owned(), growth(row))).collect()
}

fn labels(app: &App<'_>) -> Vec<(String, Option<Grown>)> {
    page(app).lines.iter().map(|row| (row.label.clone(), growth(row))).collect()
}

fn owned(rows: &[(&str, Option<Grown>)]) -> Vec<(String, Option<Grown>)> {
    rows.iter().map(|(name, growth)| ((*name).to_owned(), *growth)).collect()
}

#[test]
fn bars_in_a_wide_growth_view_are_relative_to_the_largest_change() {
    let (tree, old) = (now(), before());
    let mut app = at(&tree, Start::Sizes);
    press(&mut app, "8");
    compare(&mut app, &tree, &old);
    let bars = |app: &App<'_>| -> Vec<CellValue> {
        page(app).lines.iter().map(|row| row.cell(Column::Bar)).collect()
    };
    // `song` grew by 40,960 bytes, which is the largest change. Its directory `music` grew by only 32,768 bytes,
    // because the file `gone` in it was deleted.
    assert_eq!(labels(&app)[1].0.trim(), "song");
    assert_eq!(bars(&app)[..2], [CellValue::Share(800), CellValue::Share(1000)]);
    assert!(!screen(&mut app).contains('█'));
    app.update(Event::Resize(120, 12));
    for has_bars in [true, false, true] {
        assert_eq!(screen(&mut app).contains('█'), has_bars, "{}", screen(&mut app));
        press(&mut app, "B");
    }
}

#[test]
fn the_list_is_sorted_by_growth_and_marks_new_entries() {
    let (tree, old) = (now(), before());
    let mut app = at(&tree, Start::Sizes);
    assert!(app.cx.window.lines.iter().all(|row| growth(row).is_none()));
    press(&mut app, "W");
    compare(&mut app, &tree, &old);
    let expected = [
        ("music", Some(Grown::From(53_248))),
        ("big", Some(Grown::From(20_480))),
        ("pictures", Some(Grown::New)),
        ("letter", Some(Grown::From(512))),
    ];
    assert_eq!(grown(&app), owned(&expected));
    press(&mut app, "W");
    assert_eq!(names(&app), ["letter", "pictures", "big", "music"]);
    press(&mut app, "G Enter");
    assert_eq!(grown(&app), owned(&[("song", Some(Grown::From(40_960)))]));
    press(&mut app, "h s");
    assert_eq!(names(&app)[0], "music");
    assert!(growth(&app.cx.window.lines[0]).is_some(), "the column stays");
    let is_shown = |app: &mut App<'_>| screen(app).contains("Growth      Share");
    assert!(is_shown(&mut app), "{}", screen(&mut app));
    press(&mut app, "T");
    assert!(!is_shown(&mut app));
    press(&mut app, "T");
    assert!(is_shown(&mut app));
}

#[test]
fn a_comparison_that_nothing_shows_ends() {
    let (tree, old) = (now(), before());
    let mut app = at(&tree, Start::Sizes);
    let is_compared = |app: &mut App<'_>, keys| {
        press(app, keys);
        compare(app, &tree, &old);
        app.cx.views.compared.growth().is_some()
    };
    assert!(is_compared(&mut app, "T") && !is_compared(&mut app, "T"));
    // The hidden column still determines the order of the rows.
    assert!(is_compared(&mut app, "W T"));
    assert_eq!(names(&app)[0], "music");
    assert!(!is_compared(&mut app, "s"));
    // In the treemap (5), `c` switches the coloring from type to age, to growth, and back to type.
    press(&mut app, "5");
    assert!(is_compared(&mut app, "c c") && !is_compared(&mut app, "c"));
}

#[test]
fn the_settings_can_show_the_growth_column() {
    let (tree, old) = (now(), before());
    let mut settings = settings();
    settings.row_options.columns = settings.row_options.columns.with(Column::Growth, true);
    let mut app = App::new(&tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    compare(&mut app, &tree, &old);
    app.cx.collect();
    assert!(app.cx.window.lines.iter().any(|row| growth(row).is_some()), "{}", screen(&mut app));
    // Without a baseline, the growth column is hidden.
    let mut app = App::new(&tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    let none = Baseline::of_trees(Vec::new());
    let pool = &Pool::new(1).unwrap();
    serve(&mut app, Sources { pool, tree: &tree, basis: Some(&none), may_ask_system: false });
    assert!(!app.cx.shown.columns.has(Column::Growth));
}

#[test]
fn the_growth_view_shows_deleted_entries_and_leads_to_their_directory() {
    let (tree, old) = (now(), before());
    let mut app = at(&tree, Start::Sizes);
    compare(&mut app, &tree, &old);
    press(&mut app, "8");
    compare(&mut app, &tree, &old);
    let expected = [
        ("▾ music/", Some(Grown::From(53_248))),
        ("    song", Some(Grown::From(40_960))),
        ("    gone", Some(Grown::Deleted(8_192))),
        ("  big", Some(Grown::From(20_480))),
        ("  attic/", Some(Grown::Deleted(8_192))),
        ("  pictures/", Some(Grown::New)),
    ];
    assert_eq!(labels(&app), owned(&expected));
    let title = "growth since 1972-09-27 00:00 (3 days ago)";
    assert_eq!((page(&app).title.text(), page(&app).summary.matched), (title, 6));
    assert_eq!(page(&app).summary.growth.map(|[disk, _]| disk), Some((86_528, 105_984)));
    press(&mut app, "j j Enter");
    assert_eq!(
        (path(&app).as_str(), app.cx.notice_text().as_deref()),
        ("/shown/music", Some("Entry was deleted; showing the directory that contained it"))
    );
    press(&mut app, "Esc k Enter");
    assert_eq!((path(&app).as_str(), selected(&app).as_str()), ("/shown/music", "song"));
    press(&mut app, "Esc n");
    compare(&mut app, &tree, &old);
    assert_eq!(labels(&app)[0].0, "  attic/");
    press(&mut app, "g j j Enter");
    assert_eq!(
        labels(&app)[2..4].iter().map(|row| row.0.as_str()).collect::<Vec<_>>(),
        ["▸ music/", "  pictures/"]
    );
    press(&mut app, "Right");
    assert_eq!(path(&app), "/shown/music", "Right opens the directory");
}

#[test]
fn only_existing_entries_are_marked() {
    let (tree, old) = (now(), before());
    let mut app = at(&tree, Start::Sizes);
    press(&mut app, "8");
    compare(&mut app, &tree, &old);
    press(&mut app, "g Space");
    assert_eq!(app.cx.marks().count(), 1);
    press(&mut app, "g j j Space");
    assert_eq!(
        (app.cx.marks().count(), app.cx.notice_text().as_deref()),
        (1, Some("Cannot mark a deleted entry"))
    );
}

#[test]
fn a_search_restricts_changes_and_not_the_growth_column() {
    let (tree, old) = (now(), before());
    let mut app = at(&tree, Start::Growth);
    press(&mut app, "/");
    write(&mut app, "music");
    press(&mut app, "Enter 8");
    compare(&mut app, &tree, &old);
    let found: Vec<String> = labels(&app).into_iter().map(|row| row.0).collect();
    assert_eq!(found, ["▾ music/", "    song", "    gone"]);
    press(&mut app, "1");
    compare(&mut app, &tree, &old);
    assert!(app.cx.is_filtered() && app.cx.window.lines.iter().all(|row| growth(row).is_none()));
    press(&mut app, "Esc");
    assert!(app.cx.window.lines.iter().all(|row| growth(row).is_some()));
}

#[test]
fn without_a_baseline_growth_keys_cause_a_notice() {
    let tree = now();
    let mut app = at(&tree, Start::Sizes);
    app.cx.views.compared.baseline.supply(Ok(Arc::new(BaselineInfo::default())));
    work(&mut app, &tree);
    assert_eq!(app.cx.views.unused_baseline(), None);
    for key in ["8", "W"] {
        press(&mut app, key);
        assert!(app.cx.views.page.is_none());
        assert!(
            app.cx.notice_text().as_deref().is_some_and(|text| text.ends_with("(duke save creates one)"))
        );
    }
}

#[test]
fn a_baseline_is_offered_until_it_is_shown() {
    let (tree, old) = (now(), before());
    let mut app = at(&tree, Start::Sizes);
    compare(&mut app, &tree, &old);
    assert_eq!(app.cx.views.unused_baseline().and_then(|offer| offer.since), Some(1000 * DAY));
    app.update(Event::Resize(120, 12));
    let screen = drawn(&mut app).to_string();
    let change = tree.totals(DirId::TOP).disk - old.totals(DirId::TOP).disk;
    assert!(
        screen.contains(&format!("8 Growth +{}", brief_size(change, Units::Binary).trim_start())),
        "{screen}"
    );
    press(&mut app, "W");
    compare(&mut app, &tree, &old);
    assert_eq!(app.cx.views.unused_baseline(), None);
}

#[test]
fn the_treemap_compares_when_its_colors_show_growth() {
    let (tree, old) = (now(), before());
    let mut app = at(&tree, Start::Sizes);
    app.cx.theme.colors = Colors::Sixteen;
    app.update(Event::Resize(80, 24));
    compare(&mut app, &tree, &old);
    press(&mut app, "5 c");
    assert!(app.cx.views.compared.column.is_none());
    press(&mut app, "c");
    compare(&mut app, &tree, &old);
    let screen = drawn(&mut app).to_string();
    assert!(screen.contains(" growth: ■ grew ■ shrank ■ same or unknown"), "{screen}");
    press(&mut app, "c");
    let screen = drawn(&mut app).to_string();
    assert!(screen.contains(" type:") && !screen.contains("archive"), "{screen}");
}

#[test]
fn a_running_scan_is_compared_as_far_as_it_was_read() {
    let (growing, old) = (Growing::new(), before());
    growing.publish(vec![file("big", 40_960, 5), dir("music", vec![file("song", 81_920, 3)])]);
    let tree = Arc::clone(&growing.tree);
    let settings = Settings { start: Start::Growth, ..settings() };
    let mut app = App::new(&tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, (80, 12));
    tick(&mut app, 100, None);
    compare(&mut app, &tree, &old);
    tick(&mut app, 200, None);
    let song = Some(Grown::From(53_248));
    assert_eq!(grown(&app), owned(&[("music", song), ("big", Some(Grown::From(20_480)))]));
    press(&mut app, "8");
    compare(&mut app, &tree, &old);
    assert!(!labels(&app).iter().any(|(label, _)| label.ends_with("attic/")), "it may still come");
    growing.publish(vec![dir("pictures", vec![file("cat", 1_024, 2)])]);
    growing.finish();
    tick(&mut app, 5000, Some(Outcome::Complete));
    compare(&mut app, &tree, &old);
    assert!(labels(&app).contains(&("  attic/".to_owned(), Some(Grown::Deleted(8_192)))));
    press(&mut app, "Esc");
    assert!(grown(&app).contains(&("pictures".to_owned(), Some(Grown::New))));
}

#[test]
fn a_failed_comparison_is_reported_once_during_a_scan() {
    let growing = Growing::new();
    growing.publish(vec![file("a", 1 << 20, 0)]);
    let mut app = app(&growing.tree);
    press(&mut app, "W");
    let tree = Arc::clone(&growing.tree);
    work(&mut app, &tree);
    for (now, shown) in [(3000, Some("Cannot show growth: no such file")), (6000, None)] {
        tick(&mut app, now, None);
        let column = app.cx.views.compared.column.as_mut().unwrap();
        column.supply(Err(JobError::Failed("no such file".into())));
        work(&mut app, &tree);
        assert_eq!(app.cx.notice_text().as_deref(), shown, "at {now}");
        app.cx.notice = None;
    }
}

#[test]
fn another_snapshot_can_be_chosen() {
    let (tree, newer) = (now(), before());
    let older = Arc::new(build(vec![file("big", 4_096, 5)]).0);
    let basis = Baseline::of_trees(vec![(newer, 1000 * DAY), (older, 990 * DAY)]);
    let pool = &Pool::new(1).unwrap();
    let serve = |app: &mut App<'_>| {
        let basis = basis.at(app.cx.views.compared.chosen);
        super::serve(app, Sources { pool, tree: &tree, basis: Some(&basis), may_ask_system: false });
        app.cx.collect();
    };
    let mut app = at(&tree, Start::Sizes);
    press(&mut app, "[");
    assert_eq!(app.cx.notice_text().as_deref(), Some("No earlier snapshot (duke save creates one)"));
    serve(&mut app);
    press(&mut app, "8");
    serve(&mut app);
    assert_eq!(page(&app).title.text(), "growth since 1972-09-27 00:00 (3 days ago, snapshot 1 of 2)");
    press(&mut app, "]");
    assert_eq!(app.cx.notice_text().as_deref(), Some("No newer snapshot"));
    press(&mut app, "[");
    serve(&mut app);
    assert_eq!(page(&app).title.text(), "growth since 1972-09-17 00:00 (13 days ago, snapshot 2 of 2)");
    assert_eq!(app.cx.notice_text(), None, "the title says it");
    assert!(labels(&app).contains(&("  big".to_owned(), Some(Grown::From(4_096)))), "{:?}", labels(&app));
    press(&mut app, "[");
    assert_eq!(app.cx.notice_text().as_deref(), Some("No older snapshot"));
    press(&mut app, "]");
    serve(&mut app);
    assert!(labels(&app).contains(&("  big".to_owned(), Some(Grown::From(20_480)))));
    press(&mut app, "1 [");
    serve(&mut app);
    let shown = app.cx.notice_text().unwrap();
    assert_eq!(shown, "Growth since 1972-09-17 00:00 (snapshot 2 of 2)");
}

#[test]
fn growth_shows_the_sizes_in_three_snapshots_and_more() {
    let tree = now();
    let with = |size: u64| Arc::new(build(vec![file("big", size, 5)]).0);
    let trees: Vec<_> = [20_480, 5_120, 1].into_iter().zip([1000, 999, 998]).collect();
    let pool = &Pool::new(1).unwrap();
    for (count, chart) in [(2, CellValue::None), (3, CellValue::Trend([0, 0, 0, 0, 1, 2, 8, 4]))] {
        let snapshots = trees[..count].iter().map(|(size, day)| (with(*size), day * DAY)).collect();
        let basis = Baseline::of_trees(snapshots);
        let mut app = at(&tree, Start::Sizes);
        press(&mut app, "8");
        serve(&mut app, Sources { pool, tree: &tree, basis: Some(&basis), may_ask_system: false });
        assert_eq!(page(&app).summary.has_trend, count == 3);
        let row = page(&app).lines.iter().find(|row| row.label.ends_with("big")).expect("big has shrunk");
        assert_eq!(row.cell(Column::Trend), chart);
    }
}

#[test]
fn directories_that_change_only_with_one_entry_share_its_row() {
    let at_size = |size, other| {
        let inner = dir("b", vec![dir("c", vec![file("log", size, 0), file("other", other, 0)])]);
        Arc::new(build(vec![dir("a", vec![inner, file("same", 4096, 0)])]).0)
    };
    let old = at_size(4096, 4096);
    let found = |new: &Arc<Tree>| {
        let mut app = at(new, Start::Sizes);
        compare(&mut app, new, &old);
        press(&mut app, "8");
        compare(&mut app, new, &old);
        labels(&app).into_iter().map(|(label, _)| label).collect::<Vec<_>>()
    };
    assert_eq!(found(&at_size(8192, 4096)), ["  a/b/c/log"]);
    assert_eq!(found(&at_size(8192, 5120)), ["▾ a/b/c/", "    log", "    other"]);
}
