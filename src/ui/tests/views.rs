//! Tests of the views other than the list.

use super::*;
use crate::table::column::Column;
use crate::table::row::{CellValue, Row};
use crate::ui::table_page::TablePage;

fn page<'a>(app: &'a App<'_>) -> &'a TablePage {
    app.cx.views.page.as_ref().expect("a view is open")
}

fn labels(app: &App<'_>) -> Vec<String> {
    page(app).lines.iter().map(|line| line.label.clone()).collect()
}

fn tree() -> Arc<Tree> {
    let day = 24 * 3600;
    Arc::new(
        build(vec![
            dir("music", vec![file("song.flac", 40_960, 999 * day), file("noise.ogg", 8_192, 1)]),
            file("letter.txt", 512, 1000 * day),
            file(".secret", 1_024, 500 * day),
            unreadable("locked"),
            dir("pictures", vec![dir("2024", vec![file("cat.jpg", 20_480, 950 * day)])]),
        ])
        .0,
    )
}

/// Returns a browser after `keys` have been pressed and the results of the opened view have been loaded. The current
/// time is 1,000 days after the start of 1970.
fn at<'t>(tree: &'t Arc<Tree>, keys: &str) -> App<'t> {
    let mut app = finished(tree);
    app.update(Event::Clock(1000 * 24 * 3600));
    press(&mut app, keys);
    work(&mut app, tree);
    app
}

#[test]
fn the_largest_files_of_all_below_lead_to_their_directories_and_back_up() {
    let tree = tree();
    let mut app = at(&tree, "2");
    let files = ["music/song.flac", "pictures/2024/cat.jpg", "music/noise.ogg", ".secret", "letter.txt"];
    assert_eq!(labels(&app), files);
    press(&mut app, "j Enter");
    assert!(app.cx.views.page.is_none());
    assert_eq!((path(&app).as_str(), selected(&app).as_str()), ("/shown/pictures/2024", "cat.jpg"));
    press(&mut app, "h h");
    assert_eq!((path(&app).as_str(), selected(&app).as_str()), ("/shown", "pictures"));
}

#[test]
fn hidden_entries_are_shown_when_the_user_goes_to_them() {
    let tree = tree();
    let mut app = at(&tree, "e 2");
    press(&mut app, "j j j Enter");
    assert_eq!(selected(&app), ".secret");
}

#[test]
fn types_and_ages_open_their_files_and_lead_back_one_by_one() {
    let tree = tree();
    let mut app = at(&tree, "3");
    assert_eq!(labels(&app)[..2], ["▸ audio", "▸ image"]);
    press(&mut app, "Enter");
    assert_eq!(labels(&app)[..5], ["▾ audio", "    all files", "    .flac", "    .ogg", "▸ image"]);
    press(&mut app, "j j Enter");
    work(&mut app, &tree);
    assert_eq!((labels(&app), page(&app).title.text()), (vec!["music/song.flac".to_owned()], ".flac"));
    press(&mut app, "Left");
    assert_eq!(page(&app).title.text(), "types");
    press(&mut app, "k k Enter");
    assert_eq!(labels(&app)[..2], ["▸ audio", "▸ image"], "Enter folds it again");
    assert_eq!(press(&mut app, "q"), []);
    assert!(app.cx.views.page.is_none(), "q closes a view and does not leave");
    press(&mut app, "4");
    work(&mut app, &tree);
    let counts: Vec<_> = page(&app).lines.iter().map(Row::items).collect();
    assert_eq!(counts, [2, 1, 0, 2, 0, 0].map(Some));
    press(&mut app, "j Enter");
    work(&mut app, &tree);
    assert_eq!(labels(&app), ["pictures/2024/cat.jpg"]);
}

#[test]
fn marking_a_type_or_an_age_opens_and_marks_its_files() {
    let tree = tree();
    let mut app = at(&tree, "3");
    press(&mut app, "Space");
    assert_eq!(app.cx.marks().count(), 0, "the files are not found yet");
    work(&mut app, &tree);
    assert_eq!((labels(&app).len(), page(&app).title.text()), (2, "audio"));
    assert_eq!(app.cx.notice_text().as_deref(), Some("Marked 2 files"));
    assert_eq!(app.cx.marks().count(), 2);
    press(&mut app, "Left j Space");
    work(&mut app, &tree);
    assert_eq!((app.cx.marks().count(), page(&app).title.text()), (3, "image"));
    press(&mut app, "q 4");
    work(&mut app, &tree);
    press(&mut app, "Space g");
    work(&mut app, &tree);
    assert_eq!((app.cx.marks().count(), labels(&app).len()), (3, 2), "another key cancels the marking");
    press(&mut app, "Left j Space");
    work(&mut app, &tree);
    assert_eq!((app.cx.marks().count(), labels(&app)), (3, vec!["pictures/2024/cat.jpg".to_owned()]));
    press(&mut app, "Left 3");
    work(&mut app, &tree);
    press(&mut app, "G Space");
    assert_eq!(
        app.cx.notice_text().as_deref(),
        Some("Cannot mark a total (Enter lists its entries)"),
        "the contents of directories would be marked, too"
    );
    assert_eq!(app.cx.marks().count(), 3);
}

#[test]
fn cleanup_candidates_show_their_last_change() {
    let day = 24 * 3600;
    let target = dir("target", vec![file("old", 40_960, 3 * day), file("new", 8_192, 950 * day)]);
    let tree = Arc::new(build(vec![dir("it", vec![target, file("Cargo.toml", 1, 1)])]).0);
    let mut app = at(&tree, "9");
    assert_eq!(labels(&app), ["▸ Rust build output"]);
    press(&mut app, "Enter");
    assert_eq!(labels(&app), ["▾ Rust build output", "    it/target/"]);
    assert!(!screen(&mut app).contains("Modified"));
    press(&mut app, "m");
    let drawn = screen(&mut app);
    assert!(drawn.contains("Modified") && drawn.contains("1972-08-08 00:00"), "{drawn}");
}

#[test]
fn a_missing_column_causes_a_notice_and_keeps_the_list() {
    let tree = tree();
    for (key, sorts) in [
        ("2", None),
        ("3", Some("Types can be sorted only by size, name or items")),
        ("6", Some("Hard links can be sorted only by size or number of names")),
        ("7", Some("Errors can be sorted only by items or path")),
        ("9", Some("These rows cannot be sorted")),
    ] {
        let mut app = at(&tree, key);
        press(&mut app, "W");
        assert_eq!(
            app.cx.notice_text().as_deref(),
            Some("W (sort by growth) does nothing here (1 opens the list)"),
            "{key}"
        );
        press(&mut app, "M");
        assert_eq!(app.cx.notice_text().as_deref(), sorts, "{key}");
        assert_eq!((app.cx.order, app.cx.shown), (Order::default(), settings().row_options), "{key}");
    }
}

#[test]
fn directories_have_a_type_too_and_it_leads_to_them() {
    let tree = tree();
    let mut app = at(&tree, "3");
    press(&mut app, "G Enter");
    work(&mut app, &tree);
    assert_eq!(labels(&app), ["music/", "pictures/", "pictures/2024/", "locked/"]);
}

#[test]
fn errors_are_listed_below_their_reason_and_open_the_entry() {
    let tree = tree();
    let mut app = at(&tree, "7");
    assert_eq!(labels(&app), ["permission denied".to_owned(), "  locked".to_owned()]);
    press(&mut app, "j Enter");
    assert_eq!(selected(&app), "locked");
}

#[test]
fn a_search_lists_matches_while_it_is_typed() {
    let tree = tree();
    let mut app = at(&tree, "/");
    assert!(page(&app).failure.is_some(), "examples");
    write(&mut app, "C");
    press(&mut app, "Bksp");
    write(&mut app, "c");
    work(&mut app, &tree);
    let found = ["music/", "music/song.flac", "pictures/", "pictures/2024/cat.jpg", "locked/", ".secret"];
    assert_eq!(labels(&app), found);
    assert_eq!((page(&app).summary.matched, page(&app).summary.searched), (6, 9));
    write(&mut app, "at");
    work(&mut app, &tree);
    assert_eq!((labels(&app), page(&app).summary.matched), (vec!["pictures/2024/cat.jpg".to_owned()], 1));
    press(&mut app, "Enter Enter");
    assert_eq!((path(&app).as_str(), selected(&app).as_str()), ("/shown/pictures/2024", "cat.jpg"));
}

#[test]
fn a_search_restricts_all_views_until_it_is_cleared() {
    let tree = tree();
    let mut app = at(&tree, "/");
    write(&mut app, "music");
    press(&mut app, "Enter 2");
    work(&mut app, &tree);
    assert_eq!(labels(&app), ["music/song.flac", "music/noise.ogg"]);
    let page = page(&app);
    assert_eq!(
        (page.title.text(), page.summary.matched, page.summary.sum.unwrap().disk),
        ("largest files /music", 2, 49_152)
    );
    press(&mut app, "Esc Esc 2");
    work(&mut app, &tree);
    assert_eq!(labels(&app).len(), 5);
}

#[test]
fn an_invalid_search_is_explained_and_not_accepted() {
    let tree = tree();
    let mut app = at(&tree, "/");
    write(&mut app, "type:nonsense x");
    assert!(page(&app).failure.is_some() && app.cx.views.error_text.is_some());
    press(&mut app, "Enter");
    assert_eq!(layer(&app), Some(Scope::Prompt));
    press(&mut app, "Ctrl-U");
    assert_eq!((app.cx.views.text.as_str(), &app.cx.views.error_text), ("", &None));
    press(&mut app, "Enter");
    assert!(layer(&app).is_none() && app.cx.views.page.is_none(), "nothing was searched for");
}

#[test]
fn letters_that_are_keys_elsewhere_are_letters_of_a_search_and_pasted_text_is_too() {
    let tree = tree();
    let mut app = at(&tree, "/");
    write(&mut app, "q?1");
    app.update(Event::Paste(" two\n".to_owned()));
    assert_eq!((app.cx.views.text.as_str(), layer(&app)), ("q?1 two", Some(Scope::Prompt)));
    press(&mut app, "Esc");
    assert_eq!((app.cx.views.text.as_str(), layer(&app)), ("", None));
    app.update(Event::Paste("q".to_owned()));
    assert!(app.cx.views.text.is_empty());
}

#[test]
fn in_the_treemap_keys_move_between_cells_and_enter_opens() {
    let tree = tree();
    let mut app = at(&tree, "n 5");
    press(&mut app, "g");
    assert_eq!(names(&app)[..2], ["music", "pictures"], "the largest first, however the list is sorted");
    press(&mut app, "l");
    assert_eq!(selected(&app), "pictures");
    press(&mut app, "Enter Enter");
    assert_eq!(path(&app), "/shown/pictures/2024");
    press(&mut app, "Bksp Bksp");
    assert_eq!((path(&app).as_str(), selected(&app).as_str()), ("/shown", "pictures"));
    press(&mut app, "h q");
    assert_eq!((names(&app)[0].as_str(), selected(&app).as_str()), (".secret", "music"));
}

#[test]
fn the_terminals_cursor_is_in_the_selected_cell_of_the_treemap() {
    let tree = tree();
    let mut app = at(&tree, "5");
    for _ in 0..3 {
        let (x, y) = app.cursor().unwrap();
        let tile = app.cx.views.tiles.iter().find(|tile| tile.index == app.cx.window.index).unwrap();
        assert!(tile.area.on_screen().contains((x, y).into()), "{tile:?} {x} {y}");
        press(&mut app, "l");
    }
    assert_ne!(app.cx.window.index, 0);
}

#[test]
fn a_view_opened_while_scanning_is_refreshed_until_complete() {
    let growing = Growing::new();
    growing.publish(vec![file("a", 4096, 0)]);
    let tree = Arc::clone(&growing.tree);
    let mut app = app(&growing.tree);
    tick(&mut app, 100, None);
    press(&mut app, "2");
    work(&mut app, &tree);
    assert_eq!(labels(&app), ["a"]);
    growing.publish(vec![file("b", 8192, 0)]);
    tick(&mut app, 200, None);
    assert!(!app.cx.views.tables[0].rows.is_loading(), "not all the time");
    growing.finish();
    tick(&mut app, 300, Some(Outcome::Complete));
    work(&mut app, &tree);
    assert_eq!(labels(&app), ["b", "a"]);
}

#[test]
fn every_view_has_the_orders_that_make_sense_and_says_so_of_others() {
    let tree = tree();
    let mut app = at(&tree, "4 s");
    work(&mut app, &tree);
    let sizes = |app: &App<'_>| page(app).lines.iter().map(Row::size).collect::<Vec<_>>();
    assert!(sizes(&app).is_sorted_by(|one, other| one >= other), "{:?}", sizes(&app));
    assert_eq!(labels(&app)[0], "less than 30 days ago");
    press(&mut app, "C C");
    work(&mut app, &tree);
    let items: Vec<_> = page(&app).lines.iter().map(Row::items).collect();
    assert!(items.is_sorted(), "{items:?}");
    // Enter lists the files in the age range of the row under the cursor.
    press(&mut app, "G Enter");
    work(&mut app, &tree);
    assert_eq!(labels(&app).len(), 2);
    press(&mut app, "Left M M");
    work(&mut app, &tree);
    assert_eq!(labels(&app)[5], "less than 30 days ago");
    for (view, key, notice) in [
        ("3", "M", "Types can be sorted only by size, name or items"),
        ("6", "n", "Hard links can be sorted only by size or number of names"),
        ("7", "s", "Errors can be sorted only by items or path"),
    ] {
        let mut app = at(&tree, view);
        press(&mut app, key);
        assert_eq!(app.cx.notice_text().as_deref(), Some(notice));
    }
    let mut app = at(&tree, "3 n");
    work(&mut app, &tree);
    assert_eq!(labels(&app)[..3], ["▸ audio", "▸ document", "▸ image"]);
    press(&mut app, "Enter n");
    work(&mut app, &tree);
    assert_eq!(labels(&app)[..4], ["▸ other", "▸ image", "▸ document", "▾ audio"]);
    assert_eq!(labels(&app)[5..7], ["    .ogg", "    .flac"]);
}

#[test]
fn errors_are_listed_by_number_or_by_path() {
    let tree = Arc::new(build(vec![dir("z", vec![failed("b"), failed("a")]), dir("c", vec![failed("d")])]).0);
    let mut app = at(&tree, "7");
    assert_eq!(labels(&app), ["permission denied", "  z/b", "  z/a", "  c/d"]);
    press(&mut app, "n");
    work(&mut app, &tree);
    assert_eq!(labels(&app), ["permission denied", "  c/d", "  z/a", "  z/b"]);
    press(&mut app, "n");
    work(&mut app, &tree);
    assert_eq!(labels(&app), ["permission denied", "  z/b", "  z/a", "  c/d"]);
}

#[test]
fn a_key_without_effect_causes_a_notice() {
    let tree = tree();
    for (keys, notice) in [
        ("3 t", Some("t (directories first) does nothing here (1 opens the list)")),
        ("3 u", Some("u (show shared size) does nothing here (1 opens the list)")),
        ("2 =", Some("= (change bar scale) does nothing here (1 opens the list)")),
        ("2 c", Some("c (show number of items) does nothing here (1 opens the list)")),
        ("4 m", Some("m (show last change) does nothing here (1 opens the list)")),
        ("4 e", Some("e (show hidden and excluded) does nothing here (1 opens the list)")),
        ("5 s", Some("s (sort by size) does nothing here (1 opens the list)")),
        ("3 =", None),
        ("s", None),
    ] {
        let mut app = at(&tree, keys);
        assert_eq!(app.cx.notice_text().as_deref(), notice, "{keys}");
        press(&mut app, "j");
        assert_eq!(app.cx.notice_text(), None, "until the next key");
    }
    let mut app = finished(&tree);
    write(&mut app, "Q");
    assert_eq!(app.cx.notice_text().as_deref(), Some("Unbound key (? for help)"));
}

#[test]
fn bars_of_sums_are_shares_of_all_or_of_the_largest() {
    let tree = tree();
    let bar = |app: &App<'_>| page(app).lines[0].cell(Column::Bar);
    let mut app = at(&tree, "4");
    assert_eq!(bar(&app), CellValue::Share(1000));
    press(&mut app, "=");
    assert_eq!(bar(&app), page(&app).lines[0].cell(Column::Percent));
    assert_ne!(bar(&app), CellValue::Share(1000));
}

#[test]
fn the_key_of_the_list_leads_there_from_every_view() {
    let tree = Arc::new(home());
    for (open, mode) in [
        ("+ Tab", Some(Scope::Marks)),
        ("i", Some(Scope::Details)),
        ("+ Tab i", Some(Scope::Details)),
        ("2 Tab", Some(Scope::Marks)),
    ] {
        let mut app = finished(&tree);
        press(&mut app, open);
        work(&mut app, &tree);
        assert_eq!(layer(&app), mode, "{open}");
        press(&mut app, "1");
        assert_eq!(
            (layer(&app), app.scope(), app.cx.notice_text().as_deref()),
            (None, Scope::List, None),
            "{open}"
        );
    }
    let mut app = finished(&tree);
    deleting::failed(&mut app);
    press(&mut app, "1");
    assert_eq!(layer(&app), None);
}

#[test]
fn info_scrolls_only_if_it_does_not_fit() {
    let tree = home();
    let mut app = finished(&tree);
    app.update(Event::Resize(80, 24));
    for key in ["j", "k"] {
        press(&mut app, "i");
        press(&mut app, key);
        assert_eq!(
            (layer(&app), app.cx.notice_text().as_deref()),
            (Some(Scope::Details), Some("Nothing more to show")),
            "{key}"
        );
        press(&mut app, "i");
    }
    app.update(Event::Resize(20, 5));
    press(&mut app, "i j");
    assert_eq!((info(&app).offset, app.cx.notice_text().as_deref()), (1, None));
    press(&mut app, "k");
    assert_eq!(info(&app).offset, 0);
}

#[test]
fn a_file_with_several_names_is_listed_once_with_their_number() {
    use crate::analysis::fixture::{directory, file, tree};
    let tree = tree(&[
        directory("d"),
        file("d/one", 9_000).linked(7, 2),
        file("two", 9_000).linked(7, 2),
        file("other", 600),
    ]);
    let mut app = App::new(&tree, vec![(b"root".to_vec(), b"root".to_vec())], &settings(), (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    press(&mut app, "2");
    work(&mut app, &tree);
    let page = app.cx.views.page.as_ref().unwrap();
    let rows: Vec<_> = page
        .lines
        .iter()
        .map(|line| (line.label.as_str(), line.note.as_ref().map(|note| note.text.as_str())))
        .collect();
    assert_eq!(rows, [("d/one", Some("2 hard links")), ("other", None)]);
    assert_eq!((page.summary.matched, page.summary.sum.unwrap().disk), (2, 9_216 + 1_024));
    // Enter opens a view of the inode's names.
    press(&mut app, "6");
    work(&mut app, &tree);
    press(&mut app, "Enter");
    work(&mut app, &tree);
    assert_eq!(app.cx.views.page.as_ref().unwrap().rows, 2);
}

#[test]
fn a_truncated_list_says_so() {
    use crate::analysis::fixture::{finish, pool, request};
    use crate::ui::views::TableAnswer;
    let tree = Arc::new(build(vec![file("a", 1, 1), file("b", 1, 1)]).0);
    let mut app = finished(&tree);
    press(&mut app, "2");
    work(&mut app, &tree);
    assert!(!screen(&mut app).contains("showing"), "{}", screen(&mut app));
    press(&mut app, "n");
    let cut = finish(crate::analysis::largest::largest(&pool(), request(&tree, ""), 1));
    app.cx.views.tables[0].rows.supply(Ok(TableAnswer::shared(cut)));
    work(&mut app, &tree);
    assert!(screen(&mut app).contains("showing 1"), "{}", screen(&mut app));
}

#[test]
fn types_are_in_the_order_of_their_sizes() {
    let tree = Arc::new(
        build(vec![file("huge.xyz", 90_000, 1), file("huge.zzz", 80_000, 1), file("small.rs", 600, 1)]).0,
    );
    let mut app = finished(&tree);
    press(&mut app, "3");
    work(&mut app, &tree);
    let labels: Vec<_> =
        app.cx.views.page.as_ref().unwrap().lines.iter().map(|line| line.label.as_str()).collect();
    assert_eq!(labels, ["▸ other", "▸ code"]);
}

#[test]
fn the_largest_directories_count_their_own_files_and_right_opens_one() {
    let tree = Arc::new(
        build(vec![
            dir(
                "outer",
                vec![file("a", 4_096, 1), dir("inner", vec![file("b", 40_960, 1), file("c", 8_192, 1)])],
            ),
            dir("empty", vec![]),
            file("d", 512, 1),
        ])
        .0,
    );
    let mut app = finished(&tree);
    press(&mut app, "L");
    work(&mut app, &tree);
    let page = app.cx.views.page.as_ref().unwrap();
    let rows: Vec<_> = page.lines.iter().map(|row| (row.label.as_str(), row.size().unwrap())).collect();
    assert_eq!(rows, [("outer/inner/", 49_152), ("outer/", 4_096), ("this directory", 512)]);
    let total = |row: usize| page.lines[row].cell(Column::Total);
    assert_eq!((total(0), total(1)), (CellValue::Bytes(53_248), CellValue::Bytes(61_440)));
    press(&mut app, "Right");
    assert_eq!(names(&app), ["b", "c"]);
    press(&mut app, "Left j Space");
    let marked = app.cx.marks().in_order(&tree);
    assert_eq!(marked.iter().map(|((_, name), _)| *name).collect::<Vec<_>>(), [b"outer"]);
}

#[test]
fn the_help_is_searched_and_begins_with_the_keys_of_the_view() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "5 ?");
    let heading = |app: &mut App<'_>| screen(app).lines().nth(1).unwrap().trim_matches(['"', ' ']).to_owned();
    assert!(heading(&mut app).starts_with("In the treemap"), "{}", heading(&mut app));
    press(&mut app, "/");
    write(&mut app, "trash");
    let found = screen(&mut app);
    assert!(found.contains("move to the trash") && !found.contains("parent directory"), "{found}");
    // Letters typed into the search are not commands. After Enter, the help page still shows only the matching keys.
    press(&mut app, "Enter");
    assert_eq!(layer(&app), Some(Scope::Help));
    assert!(screen(&mut app).contains("Keys matching"), "{}", screen(&mut app));
    press(&mut app, "Esc");
    assert!(screen(&mut app).contains("parent directory"));
    press(&mut app, "/");
    write(&mut app, "xyz");
    assert!(screen(&mut app).contains("No matches"));
    press(&mut app, "Esc Esc");
    assert_eq!(layer(&app), None);
}

#[test]
fn the_space_of_the_file_system_is_selected_above_the_parts_of_the_overview() {
    let tree = Arc::new(home());
    let mut app = finished(&tree);
    app.update(Event::Resize(80, 24));
    press(&mut app, "`");
    work(&mut app, &tree);
    press(&mut app, "k");
    assert_eq!(app.cx.views.overview.selected(), Some(&crate::ui::views::df::VIEW));
    assert_eq!(app.cursor(), Some((0, 2)));
    press(&mut app, "k j");
    assert_eq!(app.cx.views.overview.selected(), Some(&crate::ui::views::directories::VIEW));
    press(&mut app, "k Enter");
    assert_eq!(app.scope(), Scope::Table);
    // A short window has no room for the overview's file system section, so the directories section is selected.
    press(&mut app, "` k");
    app.update(Event::Resize(80, 10));
    assert_eq!(app.cx.views.overview.selected(), Some(&crate::ui::views::directories::VIEW));
}

#[test]
fn every_part_of_a_strip_has_a_cell() {
    use crate::ui::widgets::strip::{StripPart, draw};
    use ratatui::{buffer::Buffer, layout::Rect};
    let tree = home();
    let app = finished(&tree);
    let part = |name: &str, bytes| StripPart { name: name.to_owned(), bytes, role: Role::Other };
    let parts = [part("x", 1), part("none", 0), part("y", 100_000), part("z", 1), part("w", 1)];
    let area = Rect::new(0, 0, 6, 2);
    let mut buffer = Buffer::empty(area);
    draw(&app.cx, &parts, area, |_, _| String::new(), &mut buffer);
    let strip: String = buffer.content[..6].iter().map(ratatui::buffer::Cell::symbol).collect();
    assert_eq!(strip, "xyyyzw");
}

#[test]
fn the_legend_of_a_strip_ends_in_an_ellipsis_if_parts_are_omitted() {
    use crate::ui::widgets::strip::{StripPart, draw};
    use ratatui::{buffer::Buffer, layout::Rect};
    let tree = home();
    let app = finished(&tree);
    // Each part takes six cells in the legend, including two blanks at its end. The blanks of the last part may be cut
    // off, so 16 cells are enough for three parts.
    let parts = ["x", "y", "z"].map(|name| StripPart { name: name.to_owned(), bytes: 1, role: Role::Other });
    for columns in 7..=30 {
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, 2));
        draw(&app.cx, &parts, buffer.area, |_, _| String::new(), &mut buffer);
        let legend = buffer.content[columns.into()..].iter().map(ratatui::buffer::Cell::symbol);
        let legend = legend.collect::<String>().trim_end().to_owned();
        assert!(legend.starts_with("x x"), "{columns}: {legend}");
        assert_eq!(legend.ends_with('…'), columns < 16, "{columns}: {legend}");
    }
}
