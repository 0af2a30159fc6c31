//! Tests of rescans in the browser. After a rescan, open lists and their cursors are restored by entry names, and
//! the list of a deleted directory is closed.

#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use duke::base::format::Units;
use duke::scan::{Options, Outcome, Progress, Scan};
use duke::testing::table::rows::Order;
use duke::testing::ui::KEYMAP;
use duke::testing::ui::Settings;
use duke::testing::ui::Theme;
use duke::testing::ui::app::App;
use duke::testing::ui::message::{Effect, Event};
use duke::testing::ui::progress::{RescanMessage, ScanProgress};
use jiff::tz::TimeZone;
use tempfile::TempDir;

fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    for (path, kibibytes) in
        [("a/deep/deeper/three", 900), ("a/deep/two", 300), ("a/one", 100), ("b/four", 500), ("c/five", 50)]
    {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, vec![b'x'; kibibytes << 10]).unwrap();
    }
    home
}

fn scan(roots: &[&Path]) -> Scan {
    let roots = roots.iter().map(|root| root.to_path_buf()).collect();
    Scan::run(roots, Options { threads: Some(2), ..Options::default() })
}

fn app(scan: &Scan) -> App<'_> {
    let title = |root: &PathBuf| {
        (root.as_os_str().as_bytes().to_vec(), root.file_name().unwrap().as_bytes().to_vec())
    };
    let settings = Settings::new(Order::default(), Units::Binary, Theme::default(), TimeZone::UTC);
    let mut app = App::new(scan.tree(), scan.roots().iter().map(title).collect(), &settings, (80, 24));
    let now = Duration::from_secs(1);
    let outcome = Some(Outcome::Complete);
    app.update(Event::ScanProgress(ScanProgress {
        now,
        progress: Progress::default(),
        outcome,
        elapsed: now,
    }));
    app
}

/// Presses the keys with these names, separated by spaces, and runs the rescans that they request.
fn press(scan: &Scan, app: &mut App<'_>, keys: &str) {
    for name in keys.split(' ') {
        let key = KEYMAP.iter().flat_map(|binding| binding.keys).find(|key| key.name() == name).unwrap();
        if let Some(Effect::Rescan(id)) = app.update(Event::Key(key.event())) {
            let again = scan.rescan(id).unwrap();
            let outcome = again.wait(Duration::from_secs(60));
            assert_eq!(outcome, Some(Outcome::Complete));
            // The old tree is drawn until the rescan is reported.
            app.update(Event::Resize(80, 24));
            app.update(Event::Rescan(RescanMessage { progress: again.progress(), outcome }));
        }
    }
}

fn names(app: &App<'_>) -> Vec<String> {
    app.cx.window.lines.iter().map(|row| row.label.trim_end_matches('/').to_owned()).collect()
}

fn temp(app: &App<'_>) -> (String, String) {
    let path = String::from_utf8_lossy(&app.cx.path).into_owned();
    let (_, below) = path.split_once('/').unwrap_or_default();
    let name = app.cx.window.selected().map(|row| row.label.trim_end_matches('/').to_owned());
    (below.to_owned(), name.unwrap_or_default())
}

fn at(path: &str, name: &str) -> (String, String) {
    (path.to_owned(), name.to_owned())
}

#[test]
fn a_rescan_shows_new_entries_and_keeps_the_cursor() {
    let home = home();
    let scan = scan(&[home.path()]);
    let mut app = app(&scan);
    press(&scan, &mut app, "Enter Enter j");
    assert_eq!(temp(&app), at("a/deep", "two"));
    fs::write(home.path().join("a/deep/new"), vec![b'x'; 2 << 20]).unwrap();
    press(&scan, &mut app, "R");
    assert_eq!(
        (names(&app), temp(&app)),
        (vec!["new".into(), "deeper".into(), "two".into()], at("a/deep", "two"))
    );
    // After the rescan, the user can still return to the parent directory, in which the cursor has not moved.
    press(&scan, &mut app, "h");
    assert_eq!((names(&app), temp(&app)), (vec!["deep".into(), "one".into()], at("a", "deep")));
    fs::remove_file(home.path().join("a/deep/new")).unwrap();
    press(&scan, &mut app, "r");
    let deep = app.cx.window.selected().unwrap().size().unwrap();
    assert!(deep < 2 << 20, "{deep}");
    press(&scan, &mut app, "Enter");
    assert_eq!((names(&app), temp(&app)), (vec!["deeper".into(), "two".into()], at("a/deep", "two")));
}

#[test]
fn pages_of_deleted_entries_close() {
    let home = home();
    let scan = scan(&[home.path()]);
    let mut app = app(&scan);
    press(&scan, &mut app, "Enter Enter Enter");
    assert_eq!(temp(&app), at("a/deep/deeper", "three"));
    fs::remove_dir_all(home.path().join("a/deep")).unwrap();
    press(&scan, &mut app, "R");
    assert_eq!((names(&app), temp(&app)), (vec!["one".into()], at("a", "one")));
    assert!(app.cx.notice_text().as_deref().unwrap().contains("no longer exists"));
    fs::remove_dir_all(home.path()).unwrap();
    press(&scan, &mut app, "R");
    assert_eq!(names(&app), [""; 0]);
    press(&scan, &mut app, "h j Enter r R Space + Tab Esc");
    fs::create_dir(home.path()).unwrap();
}

#[test]
fn marks_of_existing_entries_survive_a_rescan() {
    let home = home();
    let scan = scan(&[home.path()]);
    let mut app = app(&scan);
    press(&scan, &mut app, "Space g Enter + g Enter + h h");
    assert_eq!(app.cx.marks().count(), 5);
    let everything = app.cx.marks().totals();
    press(&scan, &mut app, "R");
    assert_eq!((app.cx.marks().count(), app.cx.marks().totals()), (5, everything));
    fs::remove_file(home.path().join("a/one")).unwrap();
    // A different file takes the name `two`. Its inode number shows that it is not the marked file.
    fs::write(home.path().join("a/deep/other"), "other").unwrap();
    fs::rename(home.path().join("a/deep/other"), home.path().join("a/deep/two")).unwrap();
    press(&scan, &mut app, "g r");
    assert_eq!(app.cx.marks().count(), 3);
    assert_eq!(app.cx.notice_text().as_deref(), Some("Unmarked 2 entries (1 missing, 1 changed)"));
    assert!(app.cx.window.lines[0].is_marked);
}

#[test]
fn linked_files_count_once_among_the_marks() {
    let home = home();
    fs::hard_link(home.path().join("b/four"), home.path().join("c/four again")).unwrap();
    fs::hard_link(home.path().join("b/four"), home.path().join("a/four again")).unwrap();
    let scan = scan(&[home.path()]);
    let mut app = app(&scan);
    press(&scan, &mut app, "+");
    let below = app.cx.window.lines.len();
    assert_eq!(app.cx.marks().count(), below as u64);
    let own = scan.tree().totals(duke::tree::DirId::TOP).disk
        - scan
            .tree()
            .listing(duke::tree::DirId::TOP)
            .entries()
            .map(|(_, record)| match record.state {
                duke::tree::EntryState::Known(metadata) => metadata.disk(),
                _ => 0,
            })
            .sum::<u64>();
    assert_eq!(app.cx.marks().totals().disk, own, "all below the root, each inode once");
}

#[test]
fn a_root_inside_another_survives_rescans_of_both() {
    let home = home();
    let inner = home.path().join("a/deep");
    let scan = scan(&[home.path(), &inner]);
    let mut app = app(&scan);
    assert_eq!(names(&app).len(), 2);
    // Rescans the outer root, the inner root, and the directory `a` between them.
    for keys in ["g r", "G r", "g Enter g r h"] {
        fs::write(inner.join("new"), vec![b'x'; keys.len() << 20]).unwrap();
        press(&scan, &mut app, keys);
        let sizes: Vec<_> = app.cx.window.lines.iter().map(|line| line.size().unwrap()).collect();
        assert!(sizes.iter().all(|size| *size > (keys.len() as u64) << 20), "{keys}: {sizes:?}");
        press(&scan, &mut app, "G Enter");
        assert!(names(&app).contains(&"new".to_owned()), "{keys}");
        press(&scan, &mut app, "h");
    }
    fs::remove_dir_all(&inner).unwrap();
    press(&scan, &mut app, "g r");
    let errors: Vec<_> = app.cx.window.lines.iter().map(|line| line.has_errors).collect();
    assert_eq!(errors, [false, true]);
}
