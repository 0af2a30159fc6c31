//! Tests of filtered views and of returning to search results.

use proptest::prelude::*;

use super::*;
use crate::analysis::fixture;
use crate::analysis::fixture::Item;
use crate::analysis::oracle::{Oracle, Terms, all_alone, items, several, text};
use crate::base::format::Measure;
use crate::fixture::cases;
use crate::table::row::Row;

const DAY: i64 = 24 * 3600;

fn tree() -> Arc<Tree> {
    Arc::new(
        build(vec![
            dir("music", vec![file("song.flac", 40_960, 999 * DAY), file("noise.ogg", 8_192, 1)]),
            dir("logs", vec![file("a.log", 4_096, 5), file("b.log", 2_048, 6), file("b.txt", 1_024, 7)]),
            file("new.log", 512, 1000 * DAY),
            dir("empty", vec![]),
        ])
        .0,
    )
}

/// Returns a browser that shows the results of a search for `text`.
fn searched<'t>(tree: &'t Arc<Tree>, text: &str) -> App<'t> {
    let mut app = finished(tree);
    app.update(Event::Clock(1000 * DAY));
    press(&mut app, "/");
    write(&mut app, text);
    press(&mut app, "Enter");
    work(&mut app, tree);
    app
}

fn labels(app: &App<'_>) -> Vec<String> {
    let page = app.cx.views.page.as_ref().expect("a view is open");
    page.lines.iter().map(|line| line.label.clone()).collect()
}

fn marked(app: &App<'_>) -> Vec<String> {
    let names = app.cx.marks().all().map(|((_, name), _)| String::from_utf8_lossy(name).into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_kept_search_restricts_the_list_until_escape() {
    let tree = tree();
    let mut app = searched(&tree, "*.log");
    press(&mut app, "1");
    assert!(app.cx.window.lines.is_empty(), "nothing that may not belong there");
    work(&mut app, &tree);
    assert_eq!(names(&app), ["logs", "new.log"]);
    let sizes: Vec<_> = app.cx.window.lines.iter().map(|line| line.size().unwrap()).collect();
    // Only matching entries count; the directory's own blocks and the text file in it do not.
    assert_eq!(sizes, [6_144, 512]);
    assert_eq!((app.cx.window.totals.items, app.cx.window.all_items), (3, Some(9)));
    press(&mut app, "g Enter");
    assert_eq!(names(&app), ["a.log", "b.log"]);
    assert_eq!((app.cx.window.totals.items, app.cx.window.all_items), (2, Some(3)));
    press(&mut app, "Esc");
    assert_eq!((names(&app).len(), app.cx.window.all_items), (3, None));
    assert!(app.cx.views.text.is_empty());
}

#[test]
fn the_treemap_and_the_other_views_are_restricted_too_and_lead_back_to_each_other() {
    let tree = tree();
    let mut app = searched(&tree, "*.log");
    press(&mut app, "5");
    work(&mut app, &tree);
    assert_eq!(names(&app), ["logs", "new.log"]);
    assert_eq!(app.cx.views.tiles.len(), 2);
    press(&mut app, "3");
    work(&mut app, &tree);
    assert_eq!(labels(&app), ["▸ log"]);
    press(&mut app, "q 1");
    assert_eq!((names(&app).len(), app.cx.is_filtered()), (2, true));
    press(&mut app, "/");
    write(&mut app, "x");
    press(&mut app, "Bksp Bksp Bksp Bksp Bksp Bksp");
    assert!(!app.cx.is_filtered() && app.cx.views.text.is_empty());
    press(&mut app, "Esc");
    assert_eq!(names(&app).len(), 4);
}

#[test]
fn a_filter_shows_n_of_m_on_a_screen_of_any_size() {
    let tree = tree();
    let mut app = searched(&tree, "*.log");
    press(&mut app, "1");
    work(&mut app, &tree);
    for size in [(120, 40), (80, 24), (40, 10), (20, 6), (10, 2)] {
        app.update(Event::Resize(size.0, size.1));
        let mut terminal =
            ratatui::Terminal::new(ratatui::backend::TestBackend::new(size.0, size.1)).unwrap();
        terminal.draw(|frame| app.draw(frame)).unwrap();
        let screen = terminal.backend().to_string();
        assert!(screen.contains("3 of 9"), "{size:?}\n{screen}");
    }
}

#[test]
fn hidden_entries_name_the_configured_key() {
    let tree = Arc::new(build(vec![file(".dot", 1, 1)]).0);
    let mut app = configured(&tree, &[("show-hidden", "F7"), ("close", "F9"), ("growth", "F8")]);
    app.update(Event::Key(KeyEvent::new(KeyCode::F(7), KeyModifiers::NONE)));
    assert!(screen(&mut app).contains("1 hidden or excluded entry (F7 shows it)"), "{}", screen(&mut app));
    press(&mut app, "/");
    write(&mut app, "nowhere");
    press(&mut app, "Enter 1");
    work(&mut app, &tree);
    let drawn = screen(&mut app);
    assert!(drawn.contains("match the filter (F9 clears it)") && drawn.contains("F9 shows all"), "{drawn}");
    press(&mut app, "W");
    assert!(
        app.cx.notice_text().unwrap().ends_with("(F8 opens the growth view)"),
        "{:?}",
        app.cx.notice_text()
    );
}

#[test]
fn a_filter_without_matches_shows_a_message() {
    let tree = tree();
    let mut app = searched(&tree, "nowhere");
    press(&mut app, "1");
    assert!(screen(&mut app).contains("Searching"));
    work(&mut app, &tree);
    assert!(app.cx.window.lines.is_empty());
    for keys in ["1", "5"] {
        press(&mut app, keys);
        assert!(
            screen(&mut app).contains("No entries match the filter (Esc clears it)"),
            "{}",
            screen(&mut app)
        );
    }
}

#[test]
fn a_filter_grows_with_the_scan() {
    let growing = Growing::new();
    growing.publish(vec![file("a.log", 4096, 0), file("b", 1, 0)]);
    let tree = Arc::clone(&growing.tree);
    let mut app = app(&growing.tree);
    tick(&mut app, 100, None);
    press(&mut app, "/");
    write(&mut app, "log");
    press(&mut app, "Enter 1");
    work(&mut app, &tree);
    assert_eq!(names(&app), ["a.log"]);
    growing.publish(vec![file("c.log", 8192, 0)]);
    growing.finish();
    tick(&mut app, 5000, Some(Outcome::Complete));
    work(&mut app, &tree);
    assert_eq!(names(&app), ["c.log", "a.log"]);
}

#[test]
fn marking_many_rows_never_marks_hidden_entries() {
    let tree = tree();
    let mut app = searched(&tree, "*.log");
    press(&mut app, "1");
    work(&mut app, &tree);
    press(&mut app, "+");
    assert_eq!(marked(&app), ["new.log"]);
    assert!(app.cx.notice_text().as_deref().unwrap().contains("1 directory"));
    press(&mut app, "g Space");
    assert_eq!(marked(&app), ["logs", "new.log"]);
    assert!(app.cx.notice_text().as_deref().unwrap().contains("the filter hides"));
}

#[test]
fn results_open_in_place_or_in_their_directory_and_escape_returns() {
    let tree = tree();
    let mut app = searched(&tree, "logs");
    assert_eq!(labels(&app)[0], "logs/");
    press(&mut app, "g Right");
    assert_eq!((path(&app).as_str(), names(&app).len()), ("/shown/logs", 3));
    press(&mut app, "j Left");
    assert_eq!((labels(&app)[0].as_str(), path(&app).as_str()), ("logs/", "/shown"));
    press(&mut app, "Enter");
    assert_eq!((selected(&app).as_str(), path(&app).as_str()), ("logs", "/shown"));
    press(&mut app, "Esc");
    assert_eq!(labels(&app)[0], "logs/");
    // After the user has left the entry's directory, Esc does not return to the results.
    press(&mut app, "Enter Left Esc");
    assert!(app.cx.views.page.is_none());
}

#[test]
fn results_can_be_marked_and_printed_and_the_marks_are_those_of_the_list() {
    let tree = tree();
    let mut app = searched(&tree, "*.log");
    assert_eq!(labels(&app), ["logs/a.log", "logs/b.log", "new.log"]);
    press(&mut app, "Space");
    assert_eq!(marked(&app), ["a.log"]);
    let page = app.cx.views.page.as_ref().unwrap();
    assert_eq!((page.index, page.lines[0].is_marked, page.lines[1].is_marked), (1, true, false));
    press(&mut app, "V j V");
    assert_eq!(marked(&app).len(), 3);
    press(&mut app, "*");
    assert_eq!(marked(&app), [""; 0]);
    press(&mut app, "g V j n");
    work(&mut app, &tree);
    press(&mut app, "V");
    assert_eq!(
        marked(&app),
        ["a.log", "b.log"],
        "a range is between entries, however they are sorted by then"
    );
    assert_eq!(press(&mut app, "g y")[..], [Effect::Copy(b"/shown/new.log".to_vec())]);
    press(&mut app, "Tab G");
    assert_eq!(layer(&app), Some(Scope::Marks));
    press(&mut app, "Tab");
    assert_eq!(labels(&app)[0], "new.log");
    let paths = [b"/shown/logs/a.log".to_vec(), b"/shown/logs/b.log".to_vec()];
    assert_eq!(press(&mut app, "p"), [Effect::Print(paths.into())]);
}

#[test]
fn a_total_cannot_be_marked() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "3");
    work(&mut app, &tree);
    press(&mut app, "G Space");
    assert_eq!((marked(&app).len(), app.cx.notice.is_some()), (0, true));
    assert_eq!(press(&mut app, "y"), []);
    press(&mut app, "p");
    assert_eq!(app.cx.notice_text().as_deref(), Some("No marks"));
}

#[test]
fn cells_of_the_treemap_are_marked_one_after_another() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "5 g Space Space");
    assert_eq!(marked(&app), ["logs", "music"]);
}

#[test]
fn views_are_sorted_and_measured_like_the_list() {
    let tree = Arc::new(
        build(vec![
            dir("d", vec![file("b", 9_000, 1), file("a10", 100, 3)]),
            file("a9", 5_000, 2),
            // The disk usage of this file is 9,216 bytes, because disk usage is a multiple of 512 bytes.
            file("z", 8_999, 4),
        ])
        .0,
    );
    let mut app = finished(&tree);
    let mut then = |keys: &str| {
        press(&mut app, keys);
        work(&mut app, &tree);
        (labels(&app), app.cx.views.page.as_ref().unwrap().lines[0].size())
    };
    let (largest, disk) = then("2");
    assert_eq!((largest.len(), disk), (4, Some(9_216)));
    assert_eq!(then("n").0, ["a9", "z", "d/a10", "d/b"]);
    assert_eq!(then("n").0, ["d/b", "d/a10", "z", "a9"]);
    assert_eq!(then("M").0, ["z", "d/a10", "a9", "d/b"]);
    assert_eq!(then("s s").0[0], "d/a10");
    assert_eq!(then("s a"), (["d/b", "z", "a9", "d/a10"].map(String::from).to_vec(), Some(9_000)));
    assert_eq!(app.cx.order.measure, Measure::Apparent);
    press(&mut app, "q 4");
    work(&mut app, &tree);
    press(&mut app, "t");
    assert!(app.cx.notice.is_some(), "ages are no directories");
}

/// Compares the shown results with those expected by [`Oracle`]: first the results of a search in the root, then the
/// list, the treemap and the types view filtered by this search.
fn check_against_oracle(items: &[Item], terms: &Terms, tree: &Arc<Tree>) -> Result<(), TestCaseError> {
    let (text, oracle) = (text(terms), Oracle::new(items, terms, ""));
    let mut app = App::new(tree, vec![(b"root".to_vec(), b"root".to_vec())], &settings(), (80, 60));
    tick(&mut app, 1000, Some(Outcome::Complete));
    app.update(Event::Clock(fixture::NOW));
    press(&mut app, "/");
    write(&mut app, &text);
    press(&mut app, "Enter");
    work(&mut app, tree);
    let kept = oracle.kept("");
    let page = app.cx.views.page.as_ref().expect("the results are shown");
    prop_assert_eq!(page.summary.matched, oracle.found().len() as u64, "{}", text);
    prop_assert_eq!(page.summary.sum.map(|sum| sum.disk), Some(kept.disk), "header of {}", text);
    let largest = page.lines.iter().filter_map(Row::size).max().unwrap_or(0);
    prop_assert!(largest <= kept.disk, "a result of {} takes more than all", text);

    for key in ["1", "5"] {
        press(&mut app, key);
        work(&mut app, tree);
        prop_assert_eq!(app.cx.window.totals, kept, "header of {} in view {}", text, key);
        let name = |row: &Row| row.label.trim_end_matches('/').to_owned();
        let rows = app.cx.window.lines.iter();
        let rows: Vec<_> = rows.map(|row| (name(row), row.size().unwrap_or(0), row.items())).collect();
        let expected = oracle.rows("");
        prop_assert_eq!(rows.len(), expected.len(), "rows of {} in view {}", text, key);
        for (name, size, items) in rows {
            let totals = expected[&name];
            prop_assert_eq!(size, totals.disk, "{} in view {}", text, key);
            prop_assert!(items.is_none_or(|items| items == totals.items), "{} in view {}", text, key);
            prop_assert!(size <= kept.disk, "a share of {} is more than all", text);
        }
        let cells =
            app.cx.views.tiles.iter().filter(|tile| app.cx.window.lines[tile.index].size() == Some(0));
        prop_assert_eq!(cells.count(), 0, "what takes nothing has no cell");
    }
    press(&mut app, "3");
    work(&mut app, tree);
    let sum = app.cx.views.page.as_ref().and_then(|page| page.summary.sum).expect("types have a sum");
    prop_assert_eq!((sum.disk, sum.apparent), (kept.disk, kept.apparent), "types of {}", text);
    Ok(())
}

proptest! {
    #![proptest_config(cases(3))]

    #[test]
    fn header_rows_shares_and_cells_of_a_filter_are_those_of_a_naive_walk(
        items in items(),
        several in prop::collection::vec(several(), 20),
    ) {
        let tree = fixture::tree(&items);
        for terms in all_alone().chain(several) {
            check_against_oracle(&items, &terms, &tree)?;
        }
    }
}

#[test]
fn a_search_by_size_keeps_matching_directories_with_their_contents_once() {
    let tree = Arc::new(
        build(vec![
            dir("large", vec![dir("inner", vec![file("a", 40_960, 1), file("b", 8_192, 1)])]),
            dir("small", vec![file("c", 4_096, 5)]),
        ])
        .0,
    );
    let mut app = searched(&tree, ">30k");
    assert_eq!(labels(&app), ["large/", "large/inner/", "large/inner/a"]);
    // `large` contains the other two results, so the sum of the results is the size of `large`.
    let whole = 4_096 + 4_096 + 40_960 + 8_192;
    assert_eq!(app.cx.views.page.as_ref().unwrap().summary.sum.unwrap().disk, whole);
    press(&mut app, "1");
    work(&mut app, &tree);
    assert_eq!((names(&app), app.cx.window.totals.disk), (vec!["large".to_owned()], whole));
    assert_eq!(app.cx.window.lines[0].size(), Some(whole));
    press(&mut app, "g Enter Enter");
    assert_eq!(names(&app), ["a", "b"], "what is kept is kept as a whole");
}

#[test]
fn a_filter_keeps_its_search_after_a_rescan() {
    let tree = Arc::new(build(vec![dir("d", vec![dir("dd", vec![file("a", 5000, 1)]), file("b", 1, 1)])]).0);
    let mut app = finished(&tree);
    press(&mut app, "g Enter /");
    write(&mut app, "d");
    press(&mut app, "Enter 1");
    work(&mut app, &tree);
    assert_eq!(names(&app), ["dd"], "the name of the directory one stands in keeps nothing");
    press(&mut app, "Left");
    assert_eq!(names(&app), ["d"]);
    assert_eq!(app.cx.window.lines[0].size(), Some(4_096 + 5_120));
}

#[test]
fn earlier_searches_are_recalled_in_an_empty_prompt() {
    let (tree, _) = build(vec![file("one", 4096, 0), file("two", 512, 0)]);
    let tree = Arc::new(tree);
    let mut app = finished(&tree);
    let text = |app: &App<'_>| app.cx.views.text.as_str().to_owned();
    for search in ["one", "two"] {
        press(&mut app, "/");
        write(&mut app, search);
        press(&mut app, "Enter");
        work(&mut app, &tree);
        press(&mut app, "Esc");
    }
    press(&mut app, "/ Up");
    assert_eq!(text(&app), "two");
    press(&mut app, "Up");
    work(&mut app, &tree);
    assert_eq!(text(&app), "one");
    press(&mut app, "Enter");
    work(&mut app, &tree);
    app.cx.collect();
    assert_eq!(app.cx.views.page.as_ref().map(|page| page.rows), Some(1));
}
