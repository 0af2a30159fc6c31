//! Deletion in the browser: the tests press keys, delete real files, and check the screens.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::fixtures::{self, Fixture};
use crate::support::sandbox;
use crate::support::windows::in_windows;
use duke::base::format::Units;
use duke::base::job::Pool;
use duke::scan::{Outcome, Progress, Scan};
use duke::testing::delete::{
    Blocked, DeleteWarning, Failure, Failures, Journal, Kept, Preview, Reason, Report,
};
use duke::testing::table::rows::Order as Rows;
use duke::testing::ui::Settings;
use duke::testing::ui::answer_gate::LONG_QUIET;
use duke::testing::ui::app::App;
use duke::testing::ui::loader::Sources;
use duke::testing::ui::message::{Effect, Event};
use duke::testing::ui::operations::deletion::{DeletionMessage, Deletions};
use duke::testing::ui::options::{DeleteMode, DeletePolicy};
use duke::testing::ui::progress::{RescanMessage, ScanProgress};
use duke::testing::ui::runner::Runner;
use duke::testing::ui::{Colors, Glyphs, Theme};
use duke::testing::ui::{KEYMAP, Scope};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const PATIENCE: Duration = Duration::from_secs(60);
const NOW: i64 = 1_800_000_000;

/// Browser on real files, with everything it needs to delete them.
struct Session<'s> {
    scan: &'s Scan,
    app: App<'s>,
    deletions: Deletions,
    runner: Runner<DeletionMessage>,
    pool: Pool,
    again: Option<Scan>,
}

impl<'s> Session<'s> {
    fn new(scan: &'s Scan, policy: DeletePolicy) -> Self {
        Self::with(scan, policy, Theme { colors: Colors::None, ..Theme::default() }, (80, 24))
    }

    fn with(scan: &'s Scan, policy: DeletePolicy, theme: Theme, size: (u16, u16)) -> Self {
        let given = |root: &PathBuf| root.as_os_str().as_bytes().to_vec();
        let roots = scan.roots().iter().map(|root| (given(root), b"/home/me".to_vec())).collect();
        let settings =
            Settings { policy, ..Settings::new(Rows::default(), Units::Binary, theme, TimeZone::UTC) };
        let app = App::new(scan.tree(), roots, &settings, size);
        let pool = Pool::new(1).unwrap();
        let (deletions, runner) = (Deletions::default(), Runner::default());
        let mut session = Self { scan, app, deletions, runner, pool, again: None };
        session.update(Event::Clock(NOW));
        let now = Duration::from_secs(1);
        let outcome = Some(Outcome::Complete);
        session.update(Event::ScanProgress(ScanProgress {
            now,
            progress: Progress::default(),
            outcome,
            elapsed: now,
        }));
        session
    }

    fn update(&mut self, action: Event) {
        let mut effects: Vec<Effect> = self.app.update(action).into_iter().collect();
        while let Some(effect) = effects.pop() {
            match effect {
                Effect::Deletion(order) => self.deletions.take(order, &mut self.runner),
                Effect::Recheck(places) => self.again = Some(self.scan.recheck(places).unwrap()),
                Effect::Rescan(id) => self.again = Some(self.scan.rescan(id).unwrap()),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Simulates a pause that is long enough for a user to read the question.
    fn read(&mut self) {
        self.update(Event::Idle(Duration::ZERO));
        self.update(Event::Idle(LONG_QUIET));
    }

    /// Presses the keys with these names, separated by spaces. Before each key, simulates the pause of a user who
    /// reads a question. Does not wait for operations to end.
    fn press(&mut self, keys: &str) {
        for name in keys.split(' ') {
            let mut all = KEYMAP.iter().flat_map(|binding| binding.keys);
            let key = *all.find(|key| key.name() == name).unwrap();
            self.read();
            self.update(Event::Key(key.event()));
        }
    }

    /// Processes messages until nothing is in progress.
    fn settle(&mut self) {
        let begun = Instant::now();
        loop {
            for message in self.runner.poll() {
                self.update(Event::Deletion(message));
            }
            let (pool, tree) = (&self.pool, self.scan.tree());
            self.app.poll(&Sources { pool, tree, basis: None, may_ask_system: true });
            if let Some(again) = self.again.take() {
                let outcome = again.wait(PATIENCE);
                self.update(Event::Rescan(RescanMessage { progress: again.progress(), outcome }));
            }
            if !self.runner.is_busy() && !self.app.is_loading() && self.again.is_none() {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::yield_now();
        }
    }

    fn names(&self) -> Vec<String> {
        self.app.cx.window.lines.iter().map(|row| row.label.trim_end_matches('/').to_owned()).collect()
    }

    fn notice(&self) -> String {
        self.app.cx.notice_text().unwrap_or_default()
    }

    /// Checks that the tree equals a fresh scan.
    fn assert_true(&self, root: &Path) {
        let fresh = crate::support::scan(root, 2);
        let picture = |scan: &Scan| {
            let mut all = crate::support::directories(scan.tree());
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
fn deleted_entries_leave_the_screen_and_are_in_the_journal() {
    if !sandbox::enter("deleted_entries_leave_the_screen_and_are_in_the_journal") {
        return;
    }
    let (home, state) = (home(), fixtures::empty());
    let journal = Journal::in_directory(state.join("duke"));
    let scan = crate::support::scan(home.path(), 2);
    let mut session =
        Session::new(&scan, DeletePolicy { journal: Some(journal.clone()), ..DeletePolicy::default() });
    assert_eq!(session.names(), ["music", "pictures", "letter"]);
    session.press("j Space g d");
    session.settle();
    let preview = session.app.delete_dialog().unwrap().preview.clone().unwrap();
    assert!(preview.is_complete);
    assert_eq!((preview.files, preview.directories, preview.linked), (1, 1, 1), "the marks, not the cursor");
    session.press("y");
    session.settle();
    assert_eq!(session.names(), ["music", "letter"]);
    assert!(session.notice().starts_with("Deleted 2 entries, freed "), "{}", session.notice());
    assert_eq!(session.app.cx.marks().count(), 0);
    assert!(!home.join("pictures").exists() && home.join("music/cat again").exists());
    session.assert_true(home.path());

    // In the dialog, `e` limits the deletion to the contents of the directory.
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
fn trashed_entries_are_restored() {
    if cfg!(target_os = "macos") || !sandbox::enter("trashed_entries_are_restored") {
        return;
    }
    let home = home();
    let scan = crate::support::scan(home.path(), 2);
    let before = crate::support::directories(scan.tree());
    // The sandbox has no writable home, so the mount's trash is used: /tmp/.Trash-0.
    let mut session = Session::new(&scan, DeletePolicy::default());
    session.press("Space j Space g D");
    session.settle();
    session.press("y");
    session.settle();
    assert!(session.notice().contains("2 entries to the trash"), "{}", session.notice());
    assert_eq!(session.names().len(), 1);
    session.assert_true(home.path());
    session.press("U");
    session.settle();
    assert_eq!(session.notice(), "Restored 2 entries");
    assert_eq!(session.names().len(), 3);
    session.assert_true(home.path());
    let after = crate::support::directories(scan.tree());
    assert_eq!(after.len(), before.len());
}

#[test]
fn a_dry_run_changes_nothing() {
    let home = home();
    let before = crate::support::naive::totals(home.path());
    let scan = crate::support::scan(home.path(), 2);
    let mut session =
        Session::new(&scan, DeletePolicy { mode: DeleteMode::DryRun, ..DeletePolicy::default() });
    for (kind, verb) in [("d", "delete"), ("D", "trash")] {
        session.press(kind);
        session.settle();
        session.press("y");
        session.settle();
        assert!(
            session.notice().contains("4 entries") || session.notice().contains("5 entries"),
            "{}",
            session.notice()
        );
        assert!(session.notice().starts_with(&format!("Dry run: would {verb} ")), "{}", session.notice());
    }
    assert_eq!(crate::support::naive::totals(home.path()), before);
    assert_eq!(session.names().len(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn failed_entries_are_named_and_deleted_when_retried() {
    if !sandbox::enter("failed_entries_are_named_and_deleted_when_retried") {
        return;
    }
    let home = home();
    let mount = |words: &[&str]| {
        assert!(std::process::Command::new(words[0]).args(&words[1..]).status().unwrap().success());
    };
    fs::create_dir(home.join("music/mounted")).unwrap();
    let mounted = home.join("music/mounted");
    mount(&["mount", "-t", "tmpfs", "none", mounted.to_str().unwrap()]);
    let scan = crate::support::scan(home.path(), 2);
    let mut session = Session::new(&scan, DeletePolicy::default());
    session.press("g d");
    session.settle();
    session.press("y");
    session.settle();
    let Some(duke::testing::ui::layers::Layer::Failures(failed)) = session.app.layers.last() else {
        panic!("{}", session.notice())
    };
    assert_eq!((failed.failed.failures.count, failed.failed.failures.first[0].reason), (1, Reason::Mount));
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
fn changed_entries_are_kept_until_they_are_rescanned() {
    if !sandbox::enter("changed_entries_are_kept_until_they_are_rescanned") {
        return;
    }
    let home = home();
    let letter = home.join("letter");
    let scan = crate::support::scan(home.path(), 2);
    let mut session = Session::new(&scan, DeletePolicy::default());
    fs::write(&letter, "another letter").unwrap();
    session.press("G d");
    session.settle();
    assert!(!session.app.delete_dialog().unwrap().is_open());
    let shown = screen(&mut session.app);
    assert!(shown.contains("Changed since the scan; will be skipped: "), "{shown}");
    assert!(shown.contains("r rescans the changed entry and asks again"), "{shown}");
    session.press("y Right y");
    session.settle();
    assert!(letter.exists());
    session.press("r");
    session.settle();
    let confirm = session.app.delete_dialog().unwrap();
    assert!(confirm.is_open(), "{}", screen(&mut session.app));
    assert_eq!(confirm.preview.as_ref().unwrap().changed, []);
    // The file is replaced while the dialog is open.
    fs::remove_file(&letter).unwrap();
    fs::write(&letter, "a third letter").unwrap();
    session.press("y");
    session.settle();
    assert_eq!(session.app.scope(), Scope::Failures);
    assert!(screen(&mut session.app).contains("changed since duke read it"), "{}", screen(&mut session.app));
    assert_eq!(fs::read_to_string(&letter).unwrap(), "a third letter");
    session.press("r");
    session.settle();
    session.press("y");
    session.settle();
    assert!(!letter.exists(), "{}", session.notice());
    session.assert_true(home.path());
}

#[test]
fn unchanged_entries_of_a_selection_are_deleted() {
    if !sandbox::enter("unchanged_entries_of_a_selection_are_deleted") {
        return;
    }
    let home = home();
    let scan = crate::support::scan(home.path(), 2);
    let mut session = Session::new(&scan, DeletePolicy::default());
    fs::write(home.join("letter"), "another letter").unwrap();
    session.press("+ d");
    session.settle();
    let confirm = session.app.delete_dialog().unwrap();
    let preview = confirm.preview.as_ref().unwrap();
    assert!(confirm.is_open());
    assert_eq!((preview.changed.as_slice(), preview.files), (&[0][..], 4));
    session.press("y");
    session.settle();
    assert_eq!(session.names(), ["letter"]);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    session.press("R");
    session.settle();
    session.assert_true(home.path());
}

#[cfg(target_os = "linux")]
#[test]
fn marks_of_replaced_entries_are_removed_despite_equal_inode_numbers() {
    const NAME: &str = "marks_of_replaced_entries_are_removed_despite_equal_inode_numbers";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = crate::support::image::Image::new(NAME, "ext4", 32 << 20, &["-q"]) else { return };
    fs::remove_dir(image.join("lost+found")).unwrap();
    let make = |name: &str, content: &str| {
        fs::create_dir(image.join(name)).unwrap();
        fs::write(image.join(name).join("file"), content).unwrap();
        let long_ago = nix::sys::time::TimeSpec::new(1_700_000_000, 0);
        let flags = nix::sys::stat::UtimensatFlags::NoFollowSymlink;
        nix::sys::stat::utimensat(nix::fcntl::AT_FDCWD, &image.join(name), &long_ago, &long_ago, flags)
            .unwrap();
    };
    for name in ["kept", "made anew", "left alone"] {
        make(name, "old");
    }
    fs::write(image.join("rewritten"), "old").unwrap();
    let scan = crate::support::scan(&image.path(), 2);
    let mut session = Session::new(&scan, DeletePolicy::default());
    session.press("+");
    assert_eq!(session.app.cx.marks().count(), 4);
    let inode = |name: &str| std::os::unix::fs::MetadataExt::ino(&fs::metadata(image.join(name)).unwrap());
    let before = inode("made anew");
    fs::remove_dir_all(image.join("made anew")).unwrap();
    make("made anew", "new, and precious");
    fs::write(image.join("made anew/more"), "more").unwrap();
    assert_eq!(inode("made anew"), before, "or this proves nothing");
    fs::write(image.join("rewritten"), "new, and longer").unwrap();
    session.press("R");
    session.settle();
    assert!(session.notice().contains("has changed"), "{}", session.notice());
    let marked: Vec<_> = session.app.cx.window.lines.iter().filter(|line| line.is_marked).collect();
    let mut marked: Vec<_> = marked.iter().map(|row| row.label.trim_end_matches('/')).collect();
    marked.sort_unstable();
    assert_eq!(marked, ["kept", "left alone"]);
    session.press("d");
    session.settle();
    assert_eq!(session.app.delete_dialog().unwrap().preview.as_ref().unwrap().changed, []);
}

#[test]
fn cleanup_candidates_are_shown_and_deleted_like_other_entries() {
    if !sandbox::enter("cleanup_candidates_are_shown_and_deleted_like_other_entries") {
        return;
    }
    let home = Fixture::build(|root| {
        fs::create_dir_all(root.join("project/target/debug"))?;
        fixtures::file(root.join("project/target/debug/program"), 1 << 20)?;
        fixtures::file(root.join("project/Cargo.toml"), 10)?;
        fs::create_dir_all(root.join("other/target"))
    });
    let scan = crate::support::scan(home.path(), 2);
    let mut session = Session::new(&scan, DeletePolicy::default());
    session.press("9");
    session.settle();
    let page = session.app.cx.views.page.clone().unwrap();
    assert_eq!(page.lines.len(), 1);
    assert!(page.lines[0].note.as_ref().unwrap().text.contains("cargo build"));
    session.press("d");
    session.settle();
    let asked = screen(&mut session.app);
    assert!(asked.contains("Delete permanently?") && asked.contains("project/target"), "a group: {asked}");
    session.press("n");
    session.press("Enter");
    assert_eq!(session.app.cx.views.page.clone().unwrap().lines[1].label, "    project/target/");
    session.press("j d");
    session.settle();
    session.press("y");
    session.settle();
    assert!(!home.join("project/target").exists() && home.join("other/target").exists());
    assert_eq!(session.app.cx.views.page.as_ref().unwrap().lines.len(), 0, "the view knows");
    session.assert_true(home.path());
}

fn screen(app: &mut App<'_>) -> String {
    let mut terminal = Terminal::new(TestBackend::new(app.cx.size.0, app.cx.size.1)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for y in 0..buffer.area.height {
        text.push('|');
        (0..buffer.area.width).for_each(|x| text.push_str(buffer[(x, y)].symbol()));
        text.push_str("|\n");
    }
    text
}

/// Draws the dialogs and notices at one screen size, and compares the screens with the stored ones.
fn journey(name: &str, size: (u16, u16), glyphs: Glyphs) {
    let home = home();
    let scan = crate::support::scan(home.path(), 2);
    let theme = Theme { colors: Colors::None, glyphs, ..Theme::default() };
    let mut session = Session::with(&scan, DeletePolicy::default(), theme, size);
    let preview = Preview {
        directories: 678,
        files: 12_345,
        least: 5 << 30,
        most: 7 << 30,
        newest: Some(NOW - 7300),
        is_complete: true,
        ..Preview::default()
    };
    let failure = |path: &Path, reason| Failure { path: path.as_os_str().as_bytes().to_vec(), reason };
    let all = Preview {
        linked: 3,
        recent: 2,
        kept: Kept { mounts: 1, other: 1, denied: 4, ..Kept::default() },
        failures: Failures {
            count: 2,
            first: vec![
                failure(&home.join("music/mounted"), Reason::Mount),
                failure(&home.join("music/closed"), Reason::System(libc::EACCES)),
            ],
        },
        warnings: vec![
            DeleteWarning::OthersDirectory(home.path().as_os_str().as_bytes().to_vec(), 1000),
            DeleteWarning::UserHome(b"/home/other".to_vec()),
        ],
        ..preview.clone()
    };
    let mut pictures = Vec::new();
    let mut show = |title: &str, session: &mut Session<'_>| {
        session.read();
        pictures.push(format!("{title}\n{}", screen(&mut session.app)));
    };
    // The test supplies the previews, because computed previews would differ between machines.
    let ask = |session: &mut Session<'_>, key: &str| {
        for effect in [key, "Esc", key].iter().filter_map(|key| {
            let mut all = KEYMAP.iter().flat_map(|binding| binding.keys);
            session.app.update(Event::Key(all.find(|it| it.name() == *key).unwrap().event()))
        }) {
            assert!(matches!(effect, Effect::Deletion(_)));
        }
    };
    let tell = |session: &mut Session<'_>, preview: &Preview| {
        session.app.update(Event::Deletion(DeletionMessage::Previewed(Arc::new(preview.clone()))));
    };
    ask(&mut session, "d");
    show("at once", &mut session);
    tell(&mut session, &Preview { is_complete: false, least: 5 << 30, ..preview.clone() });
    show("while it is looked at", &mut session);
    tell(&mut session, &preview);
    session.press("Right");
    show("everything is known, and Yes is chosen", &mut session);
    tell(&mut session, &all);
    show("with all warnings", &mut session);
    session.press("y");
    show("a name has to be typed", &mut session);
    session.press("Esc");
    ask(&mut session, "d");
    tell(&mut session, &Preview { blocked: vec![(0, Blocked::HoldsHome)], ..preview.clone() });
    show("refused", &mut session);
    session.press("Esc +");
    ask(&mut session, "D");
    tell(&mut session, &preview);
    show("several, to the trash", &mut session);
    session.read();
    let effect = session.app.update(Event::Key(
        KEYMAP.iter().flat_map(|it| it.keys).find(|key| key.name() == "y").unwrap().event(),
    ));
    assert!(effect.is_some());
    let report = Report { entries: 1000, freed: 1 << 30, ..Report::default() };
    session.app.update(Event::Deletion(DeletionMessage::Reported(Arc::new(report.clone()))));
    show("it goes on", &mut session);
    let report = Report { failures: all.failures.clone(), is_over: true, ..report };
    session.app.update(Event::Deletion(DeletionMessage::Reported(Arc::new(report))));
    session.app.update(Event::Rescan(RescanMessage {
        progress: Progress::default(),
        outcome: Some(Outcome::Complete),
    }));
    show("something stays", &mut session);
    session.press("Esc g");
    show("the list again", &mut session);
    insta::assert_snapshot!(name, pictures.join("\n"));
}

in_windows! {
    in_a_usual_window: journey in USUAL;
    in_a_large_window: journey in LARGE;
    in_a_small_window: journey in SMALL;
    in_a_tiny_window_with_ascii: journey in TINY;
}

#[test]
fn the_box_can_be_drawn_at_any_size() {
    let home = home();
    let scan = crate::support::scan(home.path(), 2);
    for size in [(0, 0), (1, 1), (3, 2), (16, 5), (15, 24), (80, 1), (80, 4), (300, 2)] {
        let theme = Theme { colors: Colors::None, ..Theme::default() };
        let mut session =
            Session::with(&scan, DeletePolicy { typed_over: 0, ..DeletePolicy::default() }, theme, size);
        session.press("g d");
        screen(&mut session.app);
        session.settle();
        screen(&mut session.app);
        session.press("y");
        screen(&mut session.app);
        session.press("Esc");
    }
}
