//! Deleting in the browser: keys pressed one after another on real files, and the screens on the way.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

mod support;

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use duke::delete::{Concern, Failure, Failures, Journal, Probe, Reason, Refusal, Report};
use duke::job::Pool;
use duke::rows::Order as Rows;
use duke::scan::{Outcome, Progress, Scan};
use duke::size::Units;
use duke::ui::app::{Action, App, Effect};
use duke::ui::keys::KEYMAP;
use duke::ui::progress::{Again, Tick};
use duke::ui::reclaim::{Bench, Changes, News, Safety};
use duke::ui::theme::{Colors, Glyphs, Theme};
use duke::ui::work::Desk;
use duke::ui::{Settings, view};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use support::fixtures::{self, Fixture};
use support::sandbox;

const PATIENCE: Duration = Duration::from_secs(60);
const NOW: i64 = 1_800_000_000;

/// A browser on real files, and everything it needs to work.
struct Session<'s> {
    scan: &'s Scan,
    app: App<'s>,
    bench: Bench,
    desk: Desk,
    again: Option<Scan>,
}

impl<'s> Session<'s> {
    fn new(scan: &'s Scan, safety: Safety) -> Self {
        Self::with(scan, safety, Theme { colors: Colors::None, ..Theme::default() }, (80, 24))
    }

    fn with(scan: &'s Scan, safety: Safety, theme: Theme, size: (u16, u16)) -> Self {
        let given = |root: &PathBuf| root.as_os_str().as_bytes().to_vec();
        let roots = scan.roots().iter().map(|root| (given(root), b"/home/me".to_vec())).collect();
        let settings =
            Settings { safety, ..Settings::new(Rows::default(), Units::Binary, theme, TimeZone::UTC) };
        let app = App::new(scan.tree(), roots, &settings, size);
        let desk = Desk::new(Pool::new(1).unwrap(), Arc::clone(scan.tree()));
        let mut session = Self { scan, app, bench: Bench::default(), desk, again: None };
        session.update(Action::Clock(NOW));
        let now = Duration::from_secs(1);
        let outcome = Some(Outcome::Complete);
        session.update(Action::Tick(Tick { now, progress: Progress::default(), outcome, elapsed: now }));
        session
    }

    fn update(&mut self, action: Action) {
        let mut effects: Vec<Effect> = self.app.update(action).into_iter().collect();
        while let Some(effect) = effects.pop() {
            match effect {
                Effect::Reclaim(order) => {
                    let news = self.bench.take(order);
                    effects.extend(news.and_then(|news| self.app.update(Action::Reclaim(news))));
                }
                Effect::LookAgain(places) => self.again = Some(self.scan.look_again(places).unwrap()),
                Effect::Rescan(id) => self.again = Some(self.scan.rescan(id).unwrap()),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Presses keys by their names, without waiting for anything.
    fn press(&mut self, keys: &str) {
        for name in keys.split(' ') {
            let mut all = KEYMAP.iter().flat_map(|binding| binding.keys);
            let key = *all.find(|key| key.name() == name).unwrap();
            self.update(Action::Key(key.event()));
        }
    }

    /// Takes what comes until nothing is under way.
    fn settle(&mut self) {
        let begun = Instant::now();
        loop {
            for news in self.bench.news() {
                self.update(Action::Reclaim(news));
            }
            for (number, findings) in self.desk.serve(self.app.wishes()) {
                self.update(Action::Findings(number, findings));
            }
            if let Some(again) = self.again.take() {
                let outcome = again.wait(PATIENCE);
                self.update(Action::Again(Again { progress: again.progress(), outcome }));
            }
            if !self.bench.is_busy() && !self.desk.is_busy() && self.again.is_none() {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::yield_now();
        }
    }

    fn names(&self) -> Vec<String> {
        self.app.window.lines.iter().map(|line| String::from_utf8_lossy(line.name).into_owned()).collect()
    }

    fn notice(&self) -> &str {
        self.app.notice.as_deref().unwrap_or_default()
    }

    /// The tree is what a fresh scan would be.
    fn assert_true(&self, root: &Path) {
        let fresh = support::scan(root, 2);
        let picture = |scan: &Scan| {
            let mut all = support::directories(scan.tree());
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all
        };
        assert_eq!(picture(self.scan), picture(&fresh));
    }
}

fn home() -> Fixture {
    Fixture::build(|root| {
        for (path, mebibytes) in
            [("music/albums/symphony", 5), ("music/noise", 3), ("pictures/cat", 4), ("letter", 1)]
        {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap())?;
            fixtures::file(&path, mebibytes << 20)?;
        }
        fs::hard_link(root.join("pictures/cat"), root.join("music/cat again"))
    })
}

#[test]
fn what_is_deleted_is_gone_from_the_screen_and_the_journal_tells() {
    if !sandbox::enter("what_is_deleted_is_gone_from_the_screen_and_the_journal_tells") {
        return;
    }
    let (home, state) = (home(), fixtures::empty());
    let journal = Journal::in_directory(state.join("duke"));
    let scan = support::scan(home.path(), 2);
    let mut session = Session::new(&scan, Safety { journal: Some(journal.clone()), ..Safety::default() });
    assert_eq!(session.names(), ["music", "pictures", "letter"]);
    session.press("j Space g d");
    session.settle();
    let probe = session.app.reclaim.confirm.as_ref().unwrap().probe.clone().unwrap();
    assert!(probe.is_complete);
    assert_eq!((probe.files, probe.directories, probe.linked), (1, 1, 1), "the marks, not the cursor");
    session.press("y");
    session.settle();
    assert_eq!(session.names(), ["music", "letter"]);
    assert!(session.notice().starts_with("Deleted 2 entries: "), "{}", session.notice());
    assert_eq!(session.app.marks().count(), 0);
    assert!(!home.join("pictures").exists() && home.join("music/cat again").exists());
    session.assert_true(home.path());

    // The cursor goes on to what is next.
    session.press("g d");
    session.settle();
    session.press("e");
    session.settle();
    session.press("Right Enter");
    session.settle();
    assert_eq!((session.names().len(), fs::read_dir(home.join("music")).unwrap().count()), (2, 0));
    session.assert_true(home.path());
    let lines = fs::read_to_string(journal.path()).unwrap();
    let results: Vec<(bool, bool)> = lines
        .lines()
        .map(|line| (line.contains("\"begun\""), line.contains("\"action\":\"empty\"")))
        .collect();
    assert_eq!(results, [(true, false), (false, false), (true, true), (false, true)], "{lines}");
}

#[test]
fn what_goes_to_the_trash_comes_back() {
    if cfg!(target_os = "macos") || !sandbox::enter("what_goes_to_the_trash_comes_back") {
        return;
    }
    let home = home();
    let scan = support::scan(home.path(), 2);
    let before = support::directories(scan.tree());
    // The sandbox has no home to write to, so the trash is the one of the mount: /tmp/.Trash-0.
    let mut session = Session::new(&scan, Safety::default());
    session.press("Space j Space g D");
    session.settle();
    session.press("y");
    session.settle();
    assert!(session.notice().contains("2 entries to the trash"), "{}", session.notice());
    assert_eq!(session.names().len(), 1);
    session.assert_true(home.path());
    session.press("U");
    session.settle();
    assert_eq!(session.notice(), "Moved 2 entries back");
    assert_eq!(session.names().len(), 3);
    session.assert_true(home.path());
    let after = support::directories(scan.tree());
    assert_eq!(after.len(), before.len());
}

#[test]
fn a_rehearsal_changes_nothing() {
    let home = home();
    let before = support::naive::totals(home.path());
    let scan = support::scan(home.path(), 2);
    let mut session = Session::new(&scan, Safety { changes: Changes::Rehearsed, ..Safety::default() });
    for deed in ["d", "D"] {
        session.press(deed);
        session.settle();
        session.press("y");
        session.settle();
        assert!(
            session.notice().contains("4 entries") || session.notice().contains("5 entries"),
            "{}",
            session.notice()
        );
        assert!(session.notice().contains("nothing was changed"));
    }
    assert_eq!(support::naive::totals(home.path()), before);
    assert_eq!(session.names().len(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn what_stays_is_named_and_goes_when_tried_again() {
    if !sandbox::enter("what_stays_is_named_and_goes_when_tried_again") {
        return;
    }
    let home = home();
    let mount = |words: &[&str]| {
        assert!(std::process::Command::new(words[0]).args(&words[1..]).status().unwrap().success());
    };
    fs::create_dir(home.join("music/mounted")).unwrap();
    let mounted = home.join("music/mounted");
    mount(&["mount", "-t", "tmpfs", "none", mounted.to_str().unwrap()]);
    let scan = support::scan(home.path(), 2);
    let mut session = Session::new(&scan, Safety::default());
    session.press("g d");
    session.settle();
    session.press("y");
    session.settle();
    assert_eq!(session.app.mode, duke::ui::app::Mode::Failures);
    let failed = session.app.reclaim.failed.as_ref().unwrap();
    assert_eq!((failed.failures.count, failed.failures.first[0].reason), (1, Reason::Mount));
    session.assert_true(home.path());
    mount(&["umount", mounted.to_str().unwrap()]);
    session.press("r");
    session.settle();
    session.press("y");
    session.settle();
    assert!(!home.join("music").exists(), "{}", session.notice());
    session.assert_true(home.path());
}

#[test]
fn hints_are_shown_and_deleted_like_anything_else() {
    if !sandbox::enter("hints_are_shown_and_deleted_like_anything_else") {
        return;
    }
    let home = Fixture::build(|root| {
        fs::create_dir_all(root.join("project/target/debug"))?;
        fixtures::file(root.join("project/target/debug/program"), 1 << 20)?;
        fixtures::file(root.join("project/Cargo.toml"), 10)?;
        fs::create_dir_all(root.join("other/target"))
    });
    let scan = support::scan(home.path(), 2);
    let mut session = Session::new(&scan, Safety::default());
    session.press("9");
    session.settle();
    let page = session.app.views.page.clone().unwrap();
    assert_eq!(page.lines.len(), 1);
    assert_eq!(page.lines[0].label, "project/target/");
    assert!(page.lines[0].note.as_ref().unwrap().contains("cargo build"));
    session.press("d");
    session.settle();
    session.press("y");
    session.settle();
    assert!(!home.join("project/target").exists() && home.join("other/target").exists());
    assert_eq!(session.app.views.page.as_ref().unwrap().lines.len(), 0, "the view knows");
    session.assert_true(home.path());
}

fn screen(app: &App<'_>) -> String {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal.draw(|frame| view::draw(app, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for y in 0..buffer.area.height {
        text.push('|');
        (0..buffer.area.width).for_each(|x| text.push_str(buffer[(x, y)].symbol()));
        text.push_str("|\n");
    }
    text
}

/// Pictures of what is asked and said, at one size.
fn journey(name: &str, size: (u16, u16), glyphs: Glyphs) {
    let home = home();
    let scan = support::scan(home.path(), 2);
    let theme = Theme { colors: Colors::None, glyphs, ..Theme::default() };
    let mut session = Session::with(&scan, Safety::default(), theme, size);
    let probe = Probe {
        directories: 678,
        files: 12_345,
        least: 5 << 30,
        most: 7 << 30,
        newest: Some(NOW - 7300),
        is_complete: true,
        ..Probe::default()
    };
    let failure = |path: &Path, reason| Failure { path: path.as_os_str().as_bytes().to_vec(), reason };
    let all = Probe {
        linked: 3,
        recent: 2,
        locked: 4,
        failures: Failures {
            count: 2,
            first: vec![
                failure(&home.join("music/mounted"), Reason::Mount),
                failure(&home.join("music/closed"), Reason::System(libc::EACCES)),
            ],
        },
        concerns: vec![
            Concern::OthersDirectory(home.path().as_os_str().as_bytes().to_vec(), 1000),
            Concern::SomebodysHome(b"/home/other".to_vec()),
        ],
        ..probe.clone()
    };
    let mut pictures = Vec::new();
    let mut show =
        |title: &str, session: &Session<'_>| pictures.push(format!("{title}\n{}", screen(&session.app)));
    // What the probes find is told, not looked for: the same everywhere.
    let ask = |session: &mut Session<'_>, key: &str| {
        for effect in [key, "Esc", key].iter().filter_map(|key| {
            let mut all = KEYMAP.iter().flat_map(|binding| binding.keys);
            session.app.update(Action::Key(all.find(|it| it.name() == *key).unwrap().event()))
        }) {
            assert!(matches!(effect, Effect::Reclaim(_)));
        }
    };
    let tell = |session: &mut Session<'_>, probe: &Probe| {
        session.app.update(Action::Reclaim(News::Probed(Arc::new(probe.clone()))));
    };
    ask(&mut session, "d");
    show("at once", &session);
    tell(&mut session, &Probe { is_complete: false, least: 5 << 30, ..probe.clone() });
    show("while it is looked at", &session);
    tell(&mut session, &probe);
    session.press("Right");
    show("everything is known, and Yes is chosen", &session);
    tell(&mut session, &all);
    show("there is much to be said against it", &session);
    session.press("y");
    show("a name has to be typed", &session);
    session.press("Esc");
    ask(&mut session, "d");
    tell(&mut session, &Probe { refusals: vec![(0, Refusal::HoldsHome)], ..probe.clone() });
    show("refused", &session);
    session.press("Esc +");
    ask(&mut session, "D");
    tell(&mut session, &probe);
    show("several, to the trash", &session);
    let effect = session.app.update(Action::Key(
        KEYMAP.iter().flat_map(|it| it.keys).find(|key| key.name() == "y").unwrap().event(),
    ));
    assert!(effect.is_some());
    let report = Report { entries: 1000, freed: 1 << 30, ..Report::default() };
    session.app.update(Action::Reclaim(News::Reported(Arc::new(report.clone()))));
    show("it goes on", &session);
    let report = Report { failures: all.failures.clone(), is_over: true, ..report };
    session.app.update(Action::Reclaim(News::Reported(Arc::new(report))));
    session
        .app
        .update(Action::Again(Again { progress: Progress::default(), outcome: Some(Outcome::Complete) }));
    show("something stays", &session);
    session.press("Esc g");
    show("the list again", &session);
    insta::assert_snapshot!(name, pictures.join("\n"));
}

#[test]
fn in_a_usual_window() {
    journey("80x24", (80, 24), Glyphs::Unicode);
}

#[test]
fn in_a_large_window() {
    journey("120x40", (120, 40), Glyphs::Unicode);
}

#[test]
fn in_a_small_window() {
    journey("40x10", (40, 10), Glyphs::Unicode);
}

#[test]
fn in_a_tiny_window_with_ascii() {
    journey("20x6", (20, 6), Glyphs::Ascii);
}

#[test]
fn the_box_can_be_drawn_at_any_size() {
    let home = home();
    let scan = support::scan(home.path(), 2);
    for size in [(0, 0), (1, 1), (3, 2), (16, 5), (15, 24), (80, 1), (80, 4), (300, 2)] {
        let theme = Theme { colors: Colors::None, ..Theme::default() };
        let mut session = Session::with(&scan, Safety { typed_over: 0, ..Safety::default() }, theme, size);
        session.press("g d");
        screen(&session.app);
        session.settle();
        screen(&session.app);
        session.press("y");
        screen(&session.app);
        session.press("Esc");
    }
}
