//! Tests of the growth view and of exports, in a pseudo-terminal.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::program::test_dir::TestDir;
use crate::program::{program, run};
use crate::session::{PATIENCE, Session, without_user_settings};
use crate::support::room::keeps_snapshots;
use portable_pty::CommandBuilder;

/// Starts the program in `folder`, in a terminal. The program keeps snapshots in `state`.
fn start(folder: &Path, state: &Path, words: &[&str]) -> Session {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_duke"));
    command.args(words);
    command.cwd(folder);
    without_user_settings(&mut command);
    command.env("XDG_STATE_HOME", state);
    Session::run(command)
}

/// Waits until one line of the screen contains both `name` and `text`.
fn wait_for_line(session: &mut Session, name: &str, text: &str) {
    session.wait_for(&format!("{name} with {text}"), |screen| {
        screen.contents().lines().any(|line| line.contains(name) && line.contains(text))
    });
}

/// Leaves the browser, and returns the exit code.
fn leave(mut session: Session) -> u32 {
    session.quit().exit_code()
}

/// Creates a folder `t`, a snapshot and an export of it, and then changes the folder.
fn changed() -> TestDir {
    let temp = TestDir::new();
    temp.file("t/grown", 100_000);
    temp.file("t/shrunk", 300_000);
    temp.file("t/gone/file", 50_000);
    temp.file("t/same", 10);
    run(program().current_dir(temp.path()).args(["save", "-o", "old.duke", "t"])).ended(0);
    run(program().current_dir(temp.path()).args(["-o", "old.json", "t"])).ended(0);
    temp.file("t/grown", 900_000);
    temp.file("t/shrunk", 1000);
    fs::remove_dir_all(temp.join("t/gone")).unwrap();
    temp.file("t/new/other", 200_000);
    temp
}

#[test]
fn diff_opens_the_growth_view_for_any_baseline() {
    let (temp, state) = (changed(), TestDir::new());
    for words in [
        &["diff", "old.duke"][..],
        &["diff", "old.json", "t"],
        &["diff", "old.json", "now.json"],
        &["diff", "old.duke", "now.duke"],
    ] {
        run(program().current_dir(temp.path()).args(["-o", "now.json", "t"])).ended(0);
        run(program().current_dir(temp.path()).args(["save", "-o", "now.duke", "t"])).ended(0);
        let mut session = start(temp.path(), state.path(), words);
        session.wait_for_text("+78");
        wait_for_line(&mut session, " new/", " new ");
        wait_for_line(&mut session, "shrunk", "-29");
        wait_for_line(&mut session, "same", "=");
        session.press("8");
        session.wait_for_text("gone/");
        wait_for_line(&mut session, "gone/", "gone  -");
        session.press("q");
        assert_eq!(leave(session), 0, "{words:?}");
    }
}

#[test]
fn an_invalid_side_of_a_comparison_is_one_error() {
    let (temp, state) = (changed(), TestDir::new());
    fs::write(temp.join("broken.json"), "[1,2,{").unwrap();
    for words in [&["diff", "missing"][..], &["diff", "broken.json"]] {
        let mut session = start(temp.path(), state.path(), words);
        session.wait_for_text("duke: ");
        assert_eq!(leave(session), 2, "{words:?}");
    }
}

#[test]
fn the_last_snapshot_is_offered_and_none_is_kept_if_disabled() {
    if !keeps_snapshots() {
        return;
    }
    let (temp, state) = (changed(), TestDir::new());
    let saved = run(program().env("XDG_STATE_HOME", state.path()).arg("save").arg(temp.join("t")));
    let old = saved.ended(0).text().trim_end().to_owned();
    // The time in the name makes the snapshot look three days old.
    let (front, seconds) = old.trim_end_matches(".duke").rsplit_once('-').unwrap();
    let earlier = seconds.parse::<i64>().unwrap() - 3 * 86_400;
    fs::rename(&old, format!("{front}-{earlier:011}.duke")).unwrap();
    temp.file("t/later", 70_000);
    let kept = || fs::read_dir(state.join("duke")).unwrap().count();
    let mut session = start(temp.path(), state.path(), &["--no-snapshots", "t"]);
    session.wait_for_text("8 Grow");
    session.press("8");
    session.wait_for_text("growth since");
    session.wait_for_text("later");
    wait_for_line(&mut session, "later", "new");
    session.press("q");
    assert_eq!(leave(session), 0);
    assert_eq!(kept(), 1);
    let mut session = start(temp.path(), state.path(), &["t"]);
    session.wait_for_text("8 Grow");
    let end = Instant::now() + PATIENCE;
    while kept() < 2 {
        assert!(Instant::now() < end, "no snapshot was kept");
        std::thread::yield_now();
    }
    assert_eq!(leave(session), 0);
    // `--since 1d` selects the older of the two snapshots, because the newer one is from today.
    let mut session = start(temp.path(), state.path(), &["diff", "--since", "1d", "t"]);
    wait_for_line(&mut session, "later", "new");
    assert_eq!(leave(session), 0);
}

#[test]
fn the_shown_tree_is_written_in_the_format_of_the_name() {
    let (temp, state) = (changed(), TestDir::new());
    let json =
        |words: &[&str]| run(program().current_dir(temp.path()).args(words)).ended(0).text().to_owned();
    let scanned = json(&["-n", "t"]);
    let mut session = start(temp.path(), state.path(), &["--no-snapshots", "t"]);
    session.wait_for_text("1 of 4");
    for name in ["a.json", "a.json.zst", "a.ncdu", "a.ndjson", "a.csv", "a.duke"] {
        session.press("E\x15");
        session.press(name);
        session.press("\r");
        session.wait_for_text(&format!("to {name}"));
    }
    // The file exists now, so the program asks before it replaces the file.
    session.press("E\x15a.duke\r");
    session.wait_for_text("Replace a.duke?");
    session.wait_for_text("[ Yes ]");
    session.press("y");
    session.wait_for_text("to a.duke");
    session.press("E\x15no/such/folder.csv\r");
    session.wait_for_text("no/such/folder.csv: cannot write: no such file or directory");
    assert_eq!(leave(session), 0);
    for name in ["a.json", "a.json.zst", "a.ncdu", "a.duke"] {
        let read = json(&["-n", "-f", name]);
        let last = |table: &str| {
            table.lines().last().unwrap().split_whitespace().take(2).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(last(&read), last(&scanned), "{name}");
    }
    let lines = fs::read_to_string(temp.join("a.ndjson")).unwrap();
    assert_eq!(lines.lines().count(), 6);
    assert_eq!(fs::read_to_string(temp.join("a.csv")).unwrap().lines().count(), 7);
    let left = fs::read_dir(temp.path()).unwrap();
    let is_left = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "part");
    assert_eq!(left.map(Result::unwrap).filter(is_left).count(), 0);
}
