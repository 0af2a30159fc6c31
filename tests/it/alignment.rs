//! Tests that wide, combining and unusual characters do not shift columns: the terminal shows the cells as duke drew
//! them.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use crate::session::parser;
use duke::base::format::{Measure, Units};
use duke::scan::{Options, Outcome, Progress, Scan};
use duke::testing::table::rows::Order;
use duke::testing::ui::Settings;
use duke::testing::ui::app::App;
use duke::testing::ui::message::Event;
use duke::testing::ui::progress::ScanProgress;
use duke::testing::ui::{Colors, Theme};
use jiff::tz::TimeZone;
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

const NAMES: [&str; 14] = [
    "plain",
    "日本語のファイル名はとても長いことがあります",
    "한국어",
    "e\u{301}tude a\u{308}\u{323}",
    "\u{301}alone",
    "ﾊﾝｶｸ half",
    "Ｆｕｌｌ",
    "🎉🎉🎉",
    "العربية لا",
    "עברית",
    "हिन्दी",
    "ไทย กำ",
    "👩\u{200d}👩\u{200d}👧 joined",
    "tab\there",
];

fn press(app: &mut App<'_>, letter: char) {
    app.update(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
}

fn scan(folder: &Path) -> Scan {
    for (number, name) in (1..).zip(NAMES) {
        File::create(folder.join(name)).unwrap().set_len(number * 100_000).unwrap();
        // Directories are drawn differently from files: a slash follows their names.
        std::fs::create_dir(folder.join(format!("{name}.d"))).unwrap();
    }
    Scan::run(vec![folder.to_owned()], Options::default())
}

/// Draws one frame and returns the text of each cell as a terminal shows it.
fn shown(app: &mut App<'_>, (columns, lines): (u16, u16)) -> Vec<String> {
    let viewport = Viewport::Fixed(Rect { x: 0, y: 0, width: columns, height: lines });
    let mut bytes = Vec::new();
    let backend = CrosstermBackend::new(&mut bytes);
    let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    drop(terminal);
    let mut parser = parser(lines, columns);
    parser.process(&bytes);
    let cells = (0..lines).flat_map(|y| (0..columns).map(move |x| (y, x)));
    cells.map(|(y, x)| parser.screen().cell(y, x).unwrap().contents().to_owned()).collect()
}

/// Draws one frame and returns the text of each cell.
fn drawn(app: &mut App<'_>, (columns, lines): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    terminal.backend().buffer().content().iter().map(|cell| cell.symbol().to_owned()).collect()
}

#[test]
fn the_terminal_shows_the_drawn_screen() {
    let folder = tempfile::tempdir().unwrap();
    let scan = scan(folder.path());
    for size in [(80, 40), (31, 12), (120, 20)] {
        let theme = Theme { colors: Colors::True, ..Theme::default() };
        let order = Order { measure: Measure::Apparent, ..Order::default() };
        let settings = Settings::new(order, Units::Binary, theme, TimeZone::UTC);
        let root = folder.path().as_os_str().as_bytes().to_vec();
        let mut app = App::new(scan.tree(), vec![(root, "/家/é".as_bytes().to_vec())], &settings, size);
        let (now, progress) = (Duration::from_secs(1), Progress::default());
        app.update(Event::ScanProgress(ScanProgress {
            now,
            elapsed: now,
            outcome: Some(Outcome::Complete),
            progress,
        }));
        for keys in ["", "m", "n", "+", "5", "j", "1?", "?q"] {
            keys.chars().for_each(|letter| press(&mut app, letter));
            let (shown, drawn) = (shown(&mut app, size), drawn(&mut app, size));
            let mut at = 0;
            while at < drawn.len() {
                // A terminal may divide a wide grapheme among several columns, so all columns of a grapheme are
                // compared together.
                let end = at + duke::base::text::width(&drawn[at]).max(1);
                let (x, y) = (at % usize::from(size.0), at / usize::from(size.0));
                let shown = shown[at..end].concat();
                assert_eq!(shown.trim(), drawn[at].trim(), "column {x}, line {y} of {size:?} after {keys:?}");
                at = end;
            }
        }
    }
}

#[test]
fn names_are_aligned_whatever_the_other_columns_contain() {
    let folder = tempfile::tempdir().unwrap();
    let scan = scan(folder.path());
    let settings = Settings::new(Order::default(), Units::Binary, Theme::default(), TimeZone::UTC);
    let root = folder.path().as_os_str().as_bytes().to_vec();
    let size = (80, 40);
    let mut app = App::new(scan.tree(), vec![(root.clone(), root)], &settings, size);
    let now = Duration::from_secs(1);
    let outcome = Some(Outcome::Complete);
    app.update(Event::ScanProgress(ScanProgress {
        now,
        elapsed: now,
        outcome,
        progress: Progress::default(),
    }));
    press(&mut app, 'm');
    let cells = drawn(&mut app, size);
    let first = |line: usize| cells[line * 80..].iter().position(|cell| cell == "N");
    let column = first(2).expect("a heading");
    let lines = (3..3 + 2 * NAMES.len()).map(|line| &cells[line * 80..line * 80 + 80]);
    for line in lines {
        assert_ne!(line[column].trim(), "", "{}", line.concat());
        assert_eq!(line[column - 1].trim(), "", "{}", line.concat());
    }
}
