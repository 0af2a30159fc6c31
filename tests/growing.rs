//! What has grown and what is exported, in a real terminal.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

mod program;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtyPair, PtySize, native_pty_system};
use program::place::Place;
use program::{program, run};
use vt100::Parser;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Session {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: Parser,
}

impl Session {
    /// Starts the program in `folder`, in a terminal of 80 columns and 24 lines; it keeps snapshots in `state`.
    fn start(folder: &Path, state: &Path, words: &[&str]) -> Self {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let PtyPair { master, slave } = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_duke"));
        command.args(words);
        command.cwd(folder);
        command.env("TERM", "xterm-256color");
        command.env("XDG_STATE_HOME", state);
        for name in ["HOME", "XDG_CONFIG_HOME", "DUKE_CONFIG", "DUKE_COLOR", "NO_COLOR"] {
            command.env_remove(name);
        }
        let child = slave.spawn_command(command).unwrap();
        let mut reader = master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = master.take_writer().unwrap();
        Self { child, _master: master, keys, output, screen: Parser::new(24, 80, 0) }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.screen.screen().contents().contains(text) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!("no '{text}' on the screen:\n{}", self.screen.screen().contents());
            };
            self.screen.process(&bytes);
        }
    }

    /// The line of the screen that has this in it.
    fn line(&self, text: &str) -> String {
        let contents = self.screen.screen().contents();
        contents.lines().find(|line| line.contains(text)).unwrap_or_default().to_owned()
    }

    fn end(mut self) -> u32 {
        self.press("q");
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(Instant::now() < end, "still running");
            std::thread::yield_now();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A failed test leaves nothing running; what ended already cannot be killed.
        let _ = self.child.kill();
    }
}

/// A folder `t`, a snapshot of it, an export of it, and then changes.
fn changed() -> Place {
    let place = Place::new();
    place.file("t/grown", 100_000);
    place.file("t/shrunk", 300_000);
    place.file("t/gone/file", 50_000);
    place.file("t/same", 10);
    run(program().current_dir(place.path()).args(["save", "-o", "old.duke", "t"])).ended(0);
    run(program().current_dir(place.path()).args(["-o", "old.json", "t"])).ended(0);
    place.file("t/grown", 900_000);
    place.file("t/shrunk", 1000);
    fs::remove_dir_all(place.join("t/gone")).unwrap();
    place.file("t/new/other", 200_000);
    place
}

#[test]
fn diff_opens_the_browser_on_what_has_grown_whatever_the_old_side_is() {
    let (place, state) = (changed(), Place::new());
    for words in [
        &["diff", "old.duke"][..],
        &["diff", "old.json", "t"],
        &["diff", "old.json", "now.json"],
        &["diff", "old.duke", "now.duke"],
    ] {
        run(program().current_dir(place.path()).args(["-o", "now.json", "t"])).ended(0);
        run(program().current_dir(place.path()).args(["save", "-o", "now.duke", "t"])).ended(0);
        let mut session = Session::start(place.path(), state.path(), words);
        session.wait_for("+78");
        assert!(session.line(" new/").contains(" new "), "{}", session.line(" new/"));
        assert!(session.line("shrunk").contains("-29"), "{}", session.line("shrunk"));
        assert!(session.line("same").contains('='), "{}", session.line("same"));
        session.press("8");
        session.wait_for("gone/");
        assert!(session.line("gone/").contains("gone  -"), "{}", session.line("gone/"));
        session.press("q");
        assert_eq!(session.end(), 0, "{words:?}");
    }
}

#[test]
fn what_is_no_side_of_a_comparison_is_one_error() {
    let (place, state) = (changed(), Place::new());
    fs::write(place.join("broken.json"), "[1,2,{").unwrap();
    for words in [&["diff", "missing"][..], &["diff", "broken.json"]] {
        let mut session = Session::start(place.path(), state.path(), words);
        session.wait_for("duke: ");
        assert_eq!(session.end(), 2, "{words:?}");
    }
}

#[test]
fn the_last_snapshot_is_offered_and_none_is_kept_if_nobody_wants_any() {
    let (place, state) = (changed(), Place::new());
    let saved = run(program().env("XDG_STATE_HOME", state.path()).arg("save").arg(place.join("t")));
    if saved.code == Some(1) && saved.stderr.contains("nearly full") {
        eprintln!("SKIPPED: the disk is nearly full");
        return;
    }
    let old = saved.ended(0).text().trim_end().to_owned();
    // As if it had been saved three days ago: the name says when.
    let (front, seconds) = old.trim_end_matches(".duke").rsplit_once('-').unwrap();
    let earlier = seconds.parse::<i64>().unwrap() - 3 * 86_400;
    fs::rename(&old, format!("{front}-{earlier:011}.duke")).unwrap();
    place.file("t/later", 70_000);
    let kept = || fs::read_dir(state.join("duke")).unwrap().count();
    let mut session = Session::start(place.path(), state.path(), &["--no-snapshots", "t"]);
    session.wait_for("8: since");
    session.press("8");
    session.wait_for("growth since");
    session.wait_for("later");
    assert!(session.line("later").contains("new"), "{}", session.line("later"));
    session.press("q");
    assert_eq!(session.end(), 0);
    assert_eq!(kept(), 1);
    let mut session = Session::start(place.path(), state.path(), &["t"]);
    session.wait_for("8: since");
    let end = Instant::now() + PATIENCE;
    while kept() < 2 {
        assert!(Instant::now() < end, "no snapshot was kept");
        std::thread::yield_now();
    }
    assert_eq!(session.end(), 0);
}

#[test]
fn what_the_browser_shows_is_written_as_the_name_says() {
    let (place, state) = (changed(), Place::new());
    let json =
        |words: &[&str]| run(program().current_dir(place.path()).args(words)).ended(0).text().to_owned();
    let scanned = json(&["-n", "t"]);
    let mut session = Session::start(place.path(), state.path(), &["--no-snapshots", "t"]);
    session.wait_for("1 of 4");
    for name in ["a.json", "a.json.zst", "a.ndjson", "a.csv", "a.duke"] {
        session.press("E\x15");
        session.press(name);
        session.press("\r");
        session.wait_for(&format!("to {name}"));
    }
    // It is there now.
    session.press("E\x15a.duke\r");
    session.wait_for("Replace a.duke?");
    session.press("y");
    session.wait_for("to a.duke");
    session.press("E\x15no/such/folder.csv\r");
    session.wait_for("no/such/folder.csv: no such file or directory");
    assert_eq!(session.end(), 0);
    for name in ["a.json", "a.json.zst", "a.duke"] {
        let read = json(&["-n", "-f", name]);
        let last = |table: &str| {
            table.lines().last().unwrap().split_whitespace().take(2).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(last(&read), last(&scanned), "{name}");
    }
    let lines = fs::read_to_string(place.join("a.ndjson")).unwrap();
    assert_eq!(lines.lines().count(), 6);
    assert_eq!(fs::read_to_string(place.join("a.csv")).unwrap().lines().count(), 7);
    let left = fs::read_dir(place.path()).unwrap();
    let is_left = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "part");
    assert_eq!(left.map(Result::unwrap).filter(is_left).count(), 0);
}
