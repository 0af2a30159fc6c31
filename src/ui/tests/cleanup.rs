//! Tests of the key hints for the row under the cursor, of the colors of this row, and of notices.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::*;
use crate::base::text::width;
use crate::delete::OperationKind;
use crate::ui::notice::Notice;
use crate::ui::theme::Preset;

fn at<'t>(tree: &'t Arc<Tree>, keys: &str) -> App<'t> {
    let mut app = finished(tree);
    for key in keys.split(' ') {
        press(&mut app, key);
        work(&mut app, tree);
    }
    app
}

/// Returns those of `words` that the status line shows as hints.
fn hinted<'w>(app: &mut App<'_>, words: &[&'w str]) -> Vec<&'w str> {
    let status_line = status_line(app, 200);
    words.iter().copied().filter(|word| status_line.contains(&format!(" {word} "))).collect()
}

#[test]
fn hints_fit_the_row_under_the_cursor() {
    let tree = Arc::new(home());
    let words = ["Enter open", "Space mark", "d delete", "Left parent", "Bksp parent"];
    for (keys, expected) in [
        // The rows of the list are music, pictures, empty, letter, .secret, lost and proc.
        ("g", &["Enter open", "Space mark", "d delete", "Left parent"][..]),
        ("g j j j", &["Space mark", "d delete", "Left parent"]),
        ("G", &["Left parent"]),
        ("G k", &["Left parent"]),
        ("5 g", &["Enter open", "Space mark", "d delete", "Bksp parent"]),
        ("5 j", &["Enter open", "Space mark", "d delete", "Bksp parent"]),
        // In the error view, neither the row of a reason nor the row of an unreadable entry can be marked.
        ("7", &["Enter open"]),
        ("7 j", &["Enter open"]),
        ("3 g", &["Space mark"]),
        // The row with the total of all directories cannot be marked.
        ("3 G k", &["Enter open"]),
        ("2", &["Enter open", "Space mark", "d delete"]),
    ] {
        let mut app = at(&tree, keys);
        assert_eq!(hinted(&mut app, &words), expected, "{keys}\n{}", screen(&mut app));
    }
    let mut app = at(&tree, "7");
    assert_eq!(hinted(&mut app, &["i info"]), [""; 0]);
    press(&mut app, "j");
    assert_eq!(hinted(&mut app, &["i info"]), ["i info"]);
}

#[test]
fn at_the_root_directory_no_key_goes_up() {
    let tree = Arc::new(home());
    let mut app = App::new(&tree, vec![(b"/r".to_vec(), b"/".to_vec())], &settings(), (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    assert_eq!(hinted(&mut app, &["Left parent"]), [""; 0]);
    press(&mut app, "Enter");
    assert_eq!(hinted(&mut app, &["Left parent"]), ["Left parent"]);
}

#[test]
fn keys_that_mark_nothing_cause_a_notice() {
    let tree = Arc::new(home());
    let nothing = Some("Nothing to mark here");
    for (keys, notice) in [
        ("3 V", Some("V (start or end a range) does nothing here (1 opens the list)")),
        ("3 +", Some("+ (mark all shown) does nothing here (1 opens the list)")),
        ("4 *", Some("* (invert marks) does nothing here (1 opens the list)")),
        ("7 V", Some("No entry under the cursor")),
        ("7 +", Some("Cannot mark an excluded or unreadable entry")),
        ("6 V", nothing),
        ("6 +", nothing),
        ("6 *", nothing),
        ("6 Space", nothing),
        ("j j Enter V", nothing),
        ("j j Enter +", nothing),
        ("j j Enter *", nothing),
        ("j j Enter Space", nothing),
        ("+", Some("2 entries not marked: excluded or unreadable")),
        ("j j j V", Some("Range starts here; move and press V again (Esc cancels)")),
    ] {
        assert_eq!(at(&tree, keys).cx.notice_text().as_deref(), notice, "{keys}");
    }
}

#[test]
fn a_notice_keeps_its_cause_and_ends_after_a_word() {
    let tree = Arc::new(home());
    let mut app = finished(&tree);
    let path = format!("/home/me/{}/export.json.zst", "directory-with-a-long-name/".repeat(4));
    let mut shown = |notice: Notice, columns: u16| {
        app.cx.notice = Some(notice);
        status_line(&mut app, columns).trim_end().trim_end_matches("? keys").trim().to_owned()
    };
    let failed = || Notice::WriteFailed(path.clone().into(), "no space left on device".to_owned());
    let text = shown(failed(), 80);
    assert!(
        text.starts_with("/home/me/dir") && text.ends_with("json.zst: no space left on device"),
        "{text}"
    );
    assert!(text.contains('…') && width(&text) == 69, "{text}");
    assert!(shown(failed(), 60).ends_with("json.zst: no space left on device"));
    assert_eq!(shown(failed(), 40), "/home/…n.zst: no space left…");
    let text = shown(Notice::Message(format!("{path}: line 3: unknown key")), 80);
    assert!(text.ends_with("json.zst: line 3: unknown key"), "{text}");
    assert_eq!(shown(Notice::DirectoryGone, 40), "Directory no longer exists…");
    assert_eq!(shown(Notice::DirectoryGone, 26), "Directory no…");
}

#[test]
fn every_notice_without_a_path_fits_on_80_columns() {
    let tree = Arc::new(home());
    let mut app = finished(&tree);
    for binding in KEYMAP {
        app.cx.notice = Some(Notice::NotInThisView(binding));
        assert!(!status_line(&mut app, 80).contains('…'), "{}", screen(&mut app));
    }
    let many = 1_234_567;
    for notice in [
        Notice::LastCopies(many),
        Notice::NotMarked(12_345),
        Notice::MarkedFound { marked: 100_000, found: many as u64 },
        Notice::DryRun { kind: OperationKind::Delete, entries: many as u64, bytes: 1 << 40, at_least: true },
        Notice::MarksDropped { missing: 12_345, changed: 12_345 },
        Notice::FilterNotCompared,
        Notice::RangeBegun,
        Notice::DirectoryGone,
        Notice::OneRootOnly,
        Notice::UnknownEnding(".json"),
        Notice::CannotShare,
        Notice::NoBaseline,
        Notice::ReadingAlready,
        Notice::FormerDirectory,
        Notice::TotalHasNoPath,
        Notice::RootFile,
        Notice::NothingToDelete,
        Notice::CannotDeleteUnread,
        Notice::NoDirectoryOfCopy,
        Notice::Since("2026-11-26 15:00".to_owned(), 12, 345),
    ] {
        app.cx.notice = Some(notice.clone());
        assert!(!status_line(&mut app, 80).contains('…'), "{notice:?}: {}", screen(&mut app));
    }
}

#[test]
fn a_reversed_row_has_no_hole_and_keeps_its_sign() {
    let tree = build(vec![file("a", 4096, 0), file("b", 4096, 0)]).0;
    let mut app = finished(&tree);
    app.cx.theme.colors = Colors::True;
    for preset in [Preset::Plain, Preset::HighContrast] {
        app.cx.theme.options.preset = preset;
        let row: Vec<Cell> = drawn(&mut app).buffer().content.chunks(80).nth(3).unwrap().to_vec();
        let is_reversed = |cell: &Cell| cell.modifier.contains(Modifier::REVERSED);
        assert!(!is_reversed(&row[0]) && row[1..].iter().all(is_reversed), "{preset:?}");
        assert_eq!(row[0].symbol(), app.cx.theme.glyphs.cursor());
        let bar = row.iter().find(|cell| cell.symbol() == "█").unwrap();
        assert_ne!(bar.bg, row[1].bg, "{preset:?}");
    }
}

#[test]
fn the_bar_of_a_blue_row_has_neither_the_color_of_the_page_nor_that_of_the_text() {
    let tree = build(vec![file("a", 4096, 0), file("b", 4096, 0)]).0;
    let mut app = finished(&tree);
    app.cx.theme.colors = Colors::Sixteen;
    app.cx.theme.options.preset = Preset::Light;
    let screen = drawn(&mut app);
    let row = screen.buffer().content.chunks(80).nth(3).unwrap();
    let bar = row.iter().find(|cell| cell.symbol() == "█").unwrap();
    assert_eq!((bar.fg, bar.bg, row[2].fg), (Color::Yellow, Color::Blue, Color::White));
}
