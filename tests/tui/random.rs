//! Fuzz test of the browser: random keys, clicks, window sizes and times.
//!
//! The environment variable `DUKE_SOAK` is the number n of the test round, 1 by default. Round n uses the seeds 2n-1
//! and 2n.
#![allow(missing_docs, clippy::unwrap_used)] // helpers of tests are tests

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use duke::base::format::Units;
use duke::base::job::Pool;
use duke::scan::{Options, Scan};
use duke::testing::table::rows::Order;
use duke::testing::ui::KEYMAP;
use duke::testing::ui::Settings;
use duke::testing::ui::app::App;
use duke::testing::ui::loader::Sources;
use duke::testing::ui::message::{Effect, Event};
use duke::testing::ui::notice::Notice;
use duke::testing::ui::progress::{RescanMessage, ScanProgress};
use duke::testing::ui::{Colors, Glyphs, Theme};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

/// Number of keys and other events for each seed.
const KEYS: usize = 10_000;

/// Random number generator (xorshift64 by George Marsaglia): a seed yields the same sequence on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn number(&mut self) -> u16 {
        let edges = [0, 1, 2, 3, 24, 80, 300, 1_000, u16::MAX - 1, u16::MAX];
        match self.roll(3) {
            0 => edges[self.roll(edges.len())],
            _ => u16::try_from(self.roll(130)).unwrap(),
        }
    }
}

/// Browser, and the scan that it shows.
struct Fuzz<'s> {
    scan: &'s Scan,
    app: App<'s>,
    pool: Pool,
    dice: Dice,
    again: Option<Scan>,
    now: Duration,
    quits: usize,
}

impl Fuzz<'_> {
    fn step(&mut self) {
        let action = match self.dice.roll(40) {
            0 | 1 => self.resize(),
            2 => self.mouse(),
            3 => Event::Paste(
                String::from_utf8_lossy(crate::session::hostile::NAMES[self.dice.roll(24)]).into_owned(),
            ),
            4 => Event::Notice(Notice::Message("it \u{1b}[5m could not be".to_owned())),
            5 => Event::Clock([i64::MIN, -1, 0, 1_700_000_000, i64::MAX][self.dice.roll(5)]),
            6..=9 => self.tick(),
            10 => self.character(),
            _ => {
                let keys: Vec<_> = KEYMAP.iter().flat_map(|binding| binding.keys).collect();
                Event::Key(keys[self.dice.roll(keys.len())].event())
            }
        };
        match self.app.update(action) {
            Some(Effect::Rescan(id)) => self.again = self.scan.rescan(id).ok(),
            Some(Effect::StopRescan) => self.again.iter().for_each(Scan::stop),
            Some(Effect::Quit | Effect::Print(_)) => self.quits += 1,
            _ => {}
        }
        let (pool, tree) = (&self.pool, self.scan.tree());
        self.app.poll(&Sources { pool, tree, basis: None, may_ask_system: true });
    }

    fn resize(&mut self) -> Event {
        Event::Resize(self.dice.number(), self.dice.number())
    }

    fn mouse(&mut self) -> Event {
        let kinds = [
            MouseEventKind::Down(MouseButton::Left),
            MouseEventKind::Up(MouseButton::Left),
            MouseEventKind::Down(MouseButton::Right),
            MouseEventKind::ScrollUp,
            MouseEventKind::ScrollDown,
            MouseEventKind::Moved,
        ];
        let (column, row) = (self.dice.number(), self.dice.number());
        let kind = kinds[self.dice.roll(kinds.len())];
        Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }, self.now)
    }

    fn character(&mut self) -> Event {
        let characters = ['x', '(', '[', '*', '\\', '\u{0}', '\u{9b}', '\u{202e}', '\u{1f468}', '\u{301}'];
        let modifiers = [KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT, KeyModifiers::SHIFT];
        let codes =
            [KeyCode::Esc, KeyCode::Enter, KeyCode::F(12), KeyCode::Insert, KeyCode::Null, KeyCode::BackTab];
        let code = match self.dice.roll(2) {
            0 => KeyCode::Char(characters[self.dice.roll(characters.len())]),
            _ => codes[self.dice.roll(codes.len())],
        };
        Event::Key(KeyEvent::new(code, modifiers[self.dice.roll(4)]))
    }

    fn tick(&mut self) -> Event {
        self.now += Duration::from_millis([0, 1, 80, 100_000][self.dice.roll(4)]);
        if let Some(again) = &self.again {
            let (progress, outcome) = (again.progress(), again.outcome());
            if outcome.is_some() {
                self.again = None;
            }
            return Event::Rescan(RescanMessage { progress, outcome });
        }
        let outcome = self.scan.outcome();
        Event::ScanProgress(ScanProgress {
            now: self.now,
            elapsed: self.now,
            outcome,
            progress: self.scan.progress(),
        })
    }

    /// Draws the screen, unless it is too large, and checks each cell.
    fn draw(&mut self) {
        let (columns, lines) = self.app.cx.size;
        if u32::from(columns) * u32::from(lines) > 12_000 {
            return;
        }
        let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
        terminal.draw(|frame| self.app.draw(frame)).unwrap();
        // Most cells hold one printable ASCII character, which is harmless. Only the other cells are checked.
        let is_strange = |cell: &&Cell| !matches!(cell.symbol().as_bytes(), [b' '..=b'~']);
        for cell in terminal.backend().buffer().content().iter().filter(is_strange) {
            // A zero-width joiner is drawn as part of a grapheme. Outside a grapheme, duke escapes it.
            let shown = cell.symbol().chars().filter(|character| *character != '\u{200d}');
            let bad: Vec<char> =
                shown.filter(|character| !crate::session::hostile::is_harmless(*character)).collect();
            assert_eq!(bad, [], "{:?}", cell.symbol());
        }
    }
}

fn fuzz(root: &Path, seed: u64) -> usize {
    let roots = vec![root.to_owned(), root.join("twin")];
    let scan = Scan::start(roots, Options { threads: Some(1), ..Options::default() }).unwrap();
    let title = |root: &PathBuf| {
        let path = root.as_os_str().as_bytes().to_vec();
        (path.clone(), path)
    };
    let glyphs = if seed.is_multiple_of(2) { Glyphs::Unicode } else { Glyphs::Ascii };
    let theme = Theme { colors: Colors::Palette, glyphs, ..Theme::default() };
    let settings = Settings::new(Order::default(), Units::Binary, theme, TimeZone::UTC);
    let app = App::new(scan.tree(), scan.roots().iter().map(title).collect(), &settings, (80, 24));
    let pool = Pool::new(1).unwrap();
    let dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut fuzz = Fuzz { scan: &scan, app, pool, dice, again: None, now: Duration::ZERO, quits: 0 };
    for number in 0..KEYS {
        fuzz.step();
        if number % 4 == 0 {
            fuzz.draw();
        }
    }
    fuzz.quits
}

#[test]
fn ten_thousand_random_keys_with_random_sizes_leave_a_screen_without_a_control_character() {
    let folder = tempfile::tempdir().unwrap();
    crate::session::hostile::fill(folder.path());
    std::fs::create_dir(folder.path().join("twin")).unwrap();
    let soak = std::env::var("DUKE_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let quits: usize = (2 * soak - 1..=2 * soak).map(|seed| fuzz(folder.path(), seed)).sum();
    assert!(quits > 0, "the keys got somewhere");
}
