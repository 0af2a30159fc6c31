//! Tests of the browser's screens after key sequences, in a folder created for these tests.
//!
//! Sizes are apparent sizes of sparse files, so that they are the same on every file system.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use crate::support::windows::in_windows;
use duke::base::format::{Measure, Units};
use duke::base::job::Pool;
use duke::scan::{ExcludePatterns, Options, Outcome, Progress, Scan};
use duke::testing::formats::snapshot;
use duke::testing::formats::snapshot::{SnapshotInfo, WriteControl};
use duke::testing::source::baseline::{Baseline, BaselineSpec};
use duke::testing::source::import::Input;
use duke::testing::source::{Source, SourceSpec};
use duke::testing::table::rows::Order;
use duke::testing::ui::KEYMAP;
use duke::testing::ui::Settings;
use duke::testing::ui::answer_gate::LONG_QUIET;
use duke::testing::ui::app::App;
use duke::testing::ui::loader::Sources;
use duke::testing::ui::message::Event;
use duke::testing::ui::progress::ScanProgress;
use duke::testing::ui::{Colors, Glyphs, Theme};
use jiff::tz::TimeZone;
use nix::fcntl::AT_FDCWD;
use nix::sys::stat::{UtimensatFlags, utimensat};
use nix::sys::time::TimeSpec;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

fn file(folder: &Path, name: &str, mebibytes: u64, day: u64) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = File::create(path).unwrap();
    file.set_len(mebibytes * MIB).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + day * 86_400)).unwrap();
}

/// Creates a home folder with large and small files, plain and unusual names, and an excluded entry.
pub fn home() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    file(path, "music/albums/symphony.flac", 900, 1);
    file(path, "music/albums/concerto.flac", 700, 2);
    file(path, "music/noise.ogg", 12, 3);
    file(path, "pictures/2024/写真 一枚.jpg", 48, 4);
    file(path, "pictures/a name that is far too long to be shown in a narrow window.tiff", 64, 5);
    file(path, "backup.tar", 400, 6);
    file(path, "line\nbreak \u{1b}[31mred\u{202e}", 3, 7);
    file(path, ".cache/objects", 150, 8);
    file(path, "trash/old", 500, 9);
    std::os::unix::fs::symlink("music", path.join("songs")).unwrap();
    for (name, day) in [("music", 1), ("pictures/2024", 2), ("pictures", 3), (".cache", 4), ("songs", 5)] {
        let time = TimeSpec::new(1_600_000_000 + day * 86_400, 0);
        utimensat(AT_FDCWD, &path.join(name), &time, &time, UtimensatFlags::NoFollowSymlink).unwrap();
    }
    folder
}

pub fn scan(roots: Vec<PathBuf>) -> Scan {
    let filter = ExcludePatterns::filter(&["trash".to_owned()]).unwrap();
    let scan = Scan::run(roots, Options { filter, ..Options::default() });
    assert_eq!(scan.outcome(), Some(Outcome::Complete));
    scan
}

fn app(scan: &Scan, glyphs: Glyphs, size: (u16, u16)) -> App<'_> {
    let given = |root: &PathBuf| root.as_os_str().as_bytes().to_vec();
    let roots = scan.roots().iter().map(|root| (given(root), b"/home/me".to_vec())).collect();
    let order = Order { measure: Measure::Apparent, ..Order::default() };
    let theme = Theme { colors: Colors::None, glyphs, ..Theme::default() };
    let settings = Settings::new(order, Units::Binary, theme, TimeZone::UTC);
    App::new(scan.tree(), roots, &settings, size)
}

/// Tells the browser that the scan ended after `seconds`.
pub fn finish(app: &mut App<'_>, seconds: u64) {
    let elapsed = Duration::from_secs(seconds);
    let outcome = Some(Outcome::Complete);
    app.update(Event::ScanProgress(ScanProgress {
        now: elapsed,
        elapsed,
        outcome,
        progress: Progress::default(),
    }));
}

/// Presses the keys in `keys`, which are separated by blanks and named as on the help page.
pub fn press(app: &mut App<'_>, keys: &str) {
    for name in keys.split_whitespace() {
        let key = KEYMAP.iter().flat_map(|binding| binding.keys).find(|key| key.name() == name).unwrap();
        app.update(Event::Key(key.event()));
    }
}

/// Returns the screen as text. The selected line, which is drawn in reverse video, is enclosed in angle brackets.
fn screen(app: &mut App<'_>) -> String {
    let mut terminal = Terminal::new(TestBackend::new(app.cx.size.0, app.cx.size.1)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let is_selected = buffer[(0, y)].modifier.contains(Modifier::REVERSED);
        let mut covered = 0;
        text.push(if is_selected { '>' } else { '|' });
        for x in 0..buffer.area.width {
            // Skips a cell that is covered by a wide character to its left.
            if covered > 0 {
                covered -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            covered = duke::base::text::width(symbol).saturating_sub(1);
            text.push_str(symbol);
        }
        text.push_str(if is_selected { "<\n" } else { "|\n" });
    }
    text
}

/// Presses several groups of keys, and compares the screen after each group with the stored screens.
fn journey(name: &str, size: (u16, u16), glyphs: Glyphs) {
    let folder = home();
    let scan = scan(vec![folder.path().to_owned()]);
    let mut app = app(&scan, glyphs, size);
    let mut pictures = vec![("at first", screen(&mut app))];
    finish(&mut app, 1);
    for (title, keys) in [
        ("the list", ""),
        ("sorted by name, with times", "n m"),
        ("turned round, no graph", "n B B B"),
        ("inside", "B m s s s g Enter Enter"),
        ("pictures, from apparent to disk and back", "h h j j j Enter a a"),
        ("help", "?"),
        ("without the hidden", "q h e"),
    ] {
        press(&mut app, keys);
        pictures.push((title, screen(&mut app)));
    }
    finish(&mut app, 65);
    press(&mut app, "q Right");
    pictures.push(("a question that cannot have been read yet", screen(&mut app)));
    for now in [Duration::ZERO, LONG_QUIET] {
        app.update(Event::Idle(now));
    }
    pictures.push(("a question", screen(&mut app)));
    let text: Vec<String> =
        pictures.into_iter().map(|(title, screen)| format!("{title}\n{screen}")).collect();
    insta::assert_snapshot!(name, text.join("\n"));
}

/// Polls the browser until all its loads are complete.
fn work(app: &mut App<'_>, scan: &Scan) {
    work_with(app, scan, None);
}

fn work_with(app: &mut App<'_>, scan: &Scan, basis: Option<&Baseline>) {
    let pool = &Pool::new(1).unwrap();
    let sources = Sources { pool, tree: scan.tree(), basis, may_ask_system: true };
    while app.poll(&sources) || app.is_loading() {
        std::thread::yield_now();
    }
}

/// Draws views 1 to 7, the marks and a filter, and compares the screens with the stored screens.
fn views(name: &str, size: (u16, u16), glyphs: Glyphs) {
    let folder = home();
    std::fs::hard_link(folder.path().join("backup.tar"), folder.path().join("music/again.tar")).unwrap();
    let scan = scan(vec![folder.path().to_owned()]);
    let mut app = app(&scan, glyphs, size);
    finish(&mut app, 1);
    app.update(Event::Clock(1_700_000_000 + 100 * 86_400));
    let mut pictures = Vec::new();
    for (title, keys, typed) in [
        ("largest files", "2", ""),
        ("one of them marked", "j Space", ""),
        ("by name, with times", "n m", ""),
        ("age", "m 4", ""),
        ("hard links", "6", ""),
        ("errors", "7", ""),
        ("what one could search for", "q /", ""),
        ("a search while it is typed", "", "type:file apparent>40M"),
        ("what is not understood", "", " type:nothing"),
        ("a search that is kept", "Ctrl-U", "type:file apparent>40M"),
        ("types of what was found", "Enter 3", ""),
        ("the list, restricted", "1", ""),
        ("inside it", "g Enter", ""),
        ("the treemap, restricted", "Left 5", ""),
        ("the treemap of all, marked", "Esc + h", ""),
        ("the marks", "Tab G", ""),
    ] {
        press(&mut app, keys);
        for letter in typed.chars() {
            app.update(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        }
        work(&mut app, &scan);
        pictures.push(format!("{title}\n{}", screen(&mut app)));
    }
    insta::assert_snapshot!(format!("views {name}"), pictures.join("\n"));
}

/// Writes a snapshot of `scan` to `file`, and returns the snapshot as a source.
fn snapshot_of(scan: &Scan, file: &Path) -> Source {
    let mut bytes = Vec::new();
    let stop = AtomicBool::new(false);
    let control = WriteControl::new(&stop);
    let about = SnapshotInfo { scanned_at: 1_700_000_000, ..SnapshotInfo::default() };
    snapshot::save(scan.tree(), &about, &control, &mut bytes).unwrap();
    std::fs::write(file, bytes).unwrap();
    Source::start(SourceSpec::Exports(vec![Input::File(file.to_owned())])).unwrap()
}

/// Draws the growth view and the prompt for a file name, and compares the screens with the stored screens.
fn growth(name: &str, size: (u16, u16), glyphs: Glyphs) {
    let (folder, elsewhere) = (home(), tempfile::tempdir().unwrap());
    let before = snapshot_of(&scan(vec![folder.path().to_owned()]), &elsewhere.path().join("old"));
    file(folder.path(), "music/noise.ogg", 80, 3);
    file(folder.path(), "backup.tar", 100, 6);
    file(folder.path(), "new/large", 250, 6);
    std::fs::rename(folder.path().join("pictures/2024"), folder.path().join("pictures/year")).unwrap();
    std::fs::remove_dir_all(folder.path().join(".cache")).unwrap();
    let scan = scan(vec![folder.path().to_owned()]);
    let basis = Baseline::new(
        BaselineSpec::Source(before),
        Source::Scan { scan: scan.clone(), began: 1_700_300_000 },
    );
    let mut app = app(&scan, glyphs, size);
    finish(&mut app, 1);
    app.update(Event::Clock(1_700_000_000 + 3 * 86_400));
    let mut pictures = Vec::new();
    for (title, keys, typed) in [
        ("it is offered", "", ""),
        ("by growth", "W", ""),
        ("everything that has changed", "8", ""),
        ("by name", "n", ""),
        ("restricted", "s /", "type:file"),
        ("the name of a file", "Enter Esc Esc E", ""),
        ("a name that says no format", "Ctrl-U", "growth.txt"),
        ("refused", "Enter", ""),
    ] {
        press(&mut app, keys);
        for letter in typed.chars() {
            app.update(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        }
        work_with(&mut app, &scan, Some(&basis));
        pictures.push(format!(
            "{title}\n{}",
            screen(&mut app).replace(folder.path().to_str().unwrap(), "/home/me")
        ));
    }
    insta::assert_snapshot!(format!("growth {name}"), pictures.join("\n"));
}

in_windows! {
    growth_in_a_usual_window: growth in USUAL;
    growth_in_a_small_window: growth in SMALL;
    growth_in_a_tiny_window_with_ascii: growth in TINY;
    views_in_a_usual_window: views in USUAL;
    views_in_a_large_window: views in LARGE;
    views_in_a_small_window: views in SMALL;
    views_in_a_tiny_window_with_ascii: views in TINY;
    in_a_usual_window: journey in USUAL;
    in_a_large_window: journey in LARGE;
    in_a_small_window: journey in SMALL;
    in_a_tiny_window_with_ascii: journey in TINY;
}

#[test]
fn while_the_scan_runs() {
    let folder = home();
    let scan = scan(vec![folder.path().to_owned(), folder.path().join("music"), "/does/not/exist".into()]);
    let mut app = app(&scan, Glyphs::Unicode, (100, 10));
    for (seconds, entries) in [(1, 12_000), (2, 97_000)] {
        let elapsed = Duration::from_secs(seconds);
        let current = Some("/home/me/a directory far down/that is being read/\u{9b}31m/at the moment".into());
        let progress = Progress { entries, disk: 1234 * MIB, errors: 1, current, ..Progress::default() };
        app.update(Event::ScanProgress(ScanProgress { now: elapsed, elapsed, outcome: None, progress }));
    }
    let text = screen(&mut app);
    assert!(text.contains("97,000 entries · 85,000/s · 1.2 GiB · 1 error"), "{text}");
    assert!(text.contains("!    unknown") && text.contains("no such file"), "{text}");
    assert!(text.lines().all(|line| !line.contains(char::is_control)), "{text:?}");
}
