//! Benchmark of the time from the last key of a search to its results on the screen.
//!
//! The benchmark runs the whole browser, but draws to memory instead of a terminal. Keys arrive at a user's typing
//! speed. The exit code reports a failure if the median exceeds 50 ms for the first results, or 300 ms for all
//! results among a million entries.
#![allow(missing_docs)]

mod trees;

use std::process::ExitCode;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use duke::base::format::Units;
use duke::base::job::Pool;
use duke::scan::{Outcome, Progress};
use duke::testing::table::rows::Order;
use duke::testing::ui::Settings;
use duke::testing::ui::Theme;
use duke::testing::ui::app::App;
use duke::testing::ui::loader::Sources;
use duke::testing::ui::message::Event;
use duke::testing::ui::progress::ScanProgress;
use duke::tree::Tree;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use trees::{NOW, Shape};

/// Time the browser waits for a key during a search.
const GLANCE: Duration = Duration::from_millis(10);
/// Pause between two key presses of a fast typist.
const TYPED: Duration = Duration::from_millis(60);
const RUNS: usize = 7;
const FIRST: Duration = Duration::from_millis(50);
const ALL: Duration = Duration::from_millis(300);

const QUERIES: [&str; 9] = [
    "e",
    "entry_09999",
    "Entry",
    "*.mkv",
    "/_0+9.*gz$/",
    "root/*9/*.o",
    "type:video >1M older:90d",
    "type:dir",
    "nowhere",
];

struct Browser<'t> {
    app: App<'t>,
    tree: &'t Arc<Tree>,
    pool: Pool,
    terminal: Terminal<TestBackend>,
}

impl<'t> Browser<'t> {
    fn new(tree: &'t Arc<Tree>, threads: usize) -> Self {
        let settings =
            Settings::new(Order::default(), Units::Binary, Theme::default(), jiff::tz::TimeZone::UTC);
        let mut app = App::new(tree, vec![(b"/root".to_vec(), b"/root".to_vec())], &settings, (80, 24));
        app.update(Event::Clock(NOW));
        let (now, outcome) = (Duration::from_secs(1), Some(Outcome::Complete));
        app.update(Event::ScanProgress(ScanProgress {
            now,
            progress: Progress::default(),
            outcome,
            elapsed: now,
        }));
        let pool = Pool::new(threads).expect("a bench has threads");
        let terminal = Terminal::new(TestBackend::new(80, 24)).expect("it is in memory");
        Self { app, tree, pool, terminal }
    }

    fn key(&mut self, code: KeyCode) {
        self.app.update(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        self.draw();
    }

    fn draw(&mut self) {
        self.terminal.draw(|frame| self.app.draw(frame)).expect("it is in memory");
    }

    /// Runs one iteration of the browser's loop. Returns `true` if a result has arrived.
    fn turn(&mut self) -> bool {
        let sources = Sources { pool: &self.pool, tree: self.tree, basis: None, may_ask_system: false };
        let has_changed = self.app.poll(&sources);
        self.draw();
        has_changed
    }

    /// Presses a key, and returns the times until the first and the final results were drawn.
    fn time(&mut self, code: KeyCode) -> (Duration, Duration) {
        let begun = Instant::now();
        self.key(code);
        let mut first = None;
        loop {
            if self.turn() {
                first.get_or_insert_with(|| begun.elapsed());
            }
            if !self.app.is_loading() {
                return (first.unwrap_or_default(), begun.elapsed());
            }
            sleep(GLANCE);
        }
    }

    /// Runs the browser's loop for the given time, such as the pause between two key presses.
    fn work(&mut self, time: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < time {
            self.turn();
            sleep(GLANCE);
        }
    }
}

/// Returns the median and the maximum.
fn summary(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() - 1])
}

fn main() -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    println!(
        "{threads} threads; median and longest of {RUNS}, in ms: first results, all, and then the list restricted"
    );
    let mut is_kept = true;
    for shape in [Shape::Wide, Shape::Many] {
        let tree = shape.tree();
        for text in QUERIES {
            let (mut first, mut all, mut filtered) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..RUNS {
                let mut browser = Browser::new(&tree, threads);
                browser.key(KeyCode::Char('/'));
                let mut letters = text.chars();
                let last = letters.next_back().expect("there is a letter");
                for letter in letters {
                    browser.key(KeyCode::Char(letter));
                    browser.work(TYPED);
                }
                let times = browser.time(KeyCode::Char(last));
                first.push(times.0);
                all.push(times.1);
                browser.key(KeyCode::Enter);
                filtered.push(browser.time(KeyCode::Char('1')).1);
            }
            let (first, all, filtered) = (summary(first), summary(all), summary(filtered));
            is_kept &= first.0 <= FIRST && all.0 <= ALL;
            let both = |(median, longest): (Duration, Duration)| {
                format!("{:>4} {:>4}", median.as_millis(), longest.as_millis())
            };
            println!("{shape:?} {text:<26} {}   {}   {}", both(first), both(all), both(filtered));
        }
    }
    if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
