//! Tests that the terminal is back in its original state after a signal has stopped or ended the program, no matter
//! when the signal arrives.
#![allow(missing_docs, clippy::unwrap_used)] // helpers of tests are tests
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::session::{PATIENCE, Session, duke, end, modes, open_terminal, without_user_settings};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{CommandBuilder, PtyPair, PtySize};

/// Creates a folder with enough directories and files that scanning them takes a moment.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for directory in 0..400 {
        let directory = folder.path().join(format!("directory-{directory}"));
        fs::create_dir(&directory).unwrap();
        (0..20).for_each(|file| fs::write(directory.join(format!("file-{file}")), "").unwrap());
    }
    folder
}

/// Starts a shell with job control. The shell runs the program, and resumes the program at each line of input.
fn shell(folder: &Path, pid: &Path) -> Session {
    let job = r#"sh -c 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec "$@"' "$0" "$@""#;
    let mut shell = CommandBuilder::new("sh");
    shell.args(["-mc", &format!("{job}; while read -r _; do fg >/dev/null; done")]);
    shell.arg(pid);
    shell.args([env!("CARGO_BIN_EXE_duke"), "--no-snapshots", "-t", "8"]);
    shell.arg(folder);
    without_user_settings(&mut shell);
    shell.env_remove("XDG_STATE_HOME");
    Session::run(shell)
}

fn await_that(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what} in vain");
        std::thread::yield_now();
    }
}

/// Returns `true` if every thread of a process is stopped (state `T`).
fn is_stopped(pid: Pid) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let state = |path: std::path::PathBuf| {
        let status = fs::read_to_string(path.join("stat")).unwrap_or_default();
        status.rsplit(") ").next().and_then(|rest| rest.chars().next())
    };
    threads.map(|thread| state(thread.unwrap().path())).all(|state| state == Some('T'))
}

/// Generator of random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Runs the program in several sessions. In each session, stops and continues it `stops` times, at random times after
/// it has taken the terminal. The first stop may interrupt the scan.
fn stop_and_go(folder: &Path, seed: u64, sessions: u32, stops: u32) {
    let mut random = Random(seed);
    for _ in 0..sessions {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("pid");
        let mut session = shell(folder, &file);
        let mut pid = None;
        await_that("the program begins", || {
            pid = fs::read_to_string(&file).ok().and_then(|text| text.trim().parse().ok()).map(Pid::from_raw);
            pid.is_some()
        });
        let pid = pid.unwrap();
        for stop in 0..stops {
            session.wait_for("browser", vt100::Screen::alternate_screen);
            session.drain(Duration::from_micros(random.below(20_000)));
            kill(pid, Signal::SIGTSTP).unwrap();
            // In about half of the stops, a second signal arrives while the browser may still be stopping.
            if random.below(2) == 0 {
                std::thread::sleep(Duration::from_micros(random.below(1_000)));
                kill(pid, Signal::SIGTSTP).unwrap();
            }
            await_that("it stops", || is_stopped(pid));
            assert_eq!(modes(session.master.as_ref()), session.before, "stop {stop} of seed {seed}");
            session.wait_for("main screen", |screen| !screen.alternate_screen() && !screen.hide_cursor());
            session.press("\n");
        }
        session.wait_for("browser", vt100::Screen::alternate_screen);
        kill(pid, Signal::SIGTERM).unwrap();
        await_that("it ends", || !Path::new(&format!("/proc/{pid}")).exists());
        session.assert_restored();
        session.press("\x04");
        session.end();
    }
}

#[test]
fn a_stopped_program_has_given_the_terminal_back() {
    let folder = folder();
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let folder = folder.path();
            scope.spawn(move || stop_and_go(folder, seed, 15, 4));
        }
    });
}

/// Arguments with which `strace` delays each write(2) and ioctl(2) of a program. A signal is then likely to arrive
/// while a thread is setting up the terminal or drawing a frame.
const SLOW: [&str; 8] = [
    "-fqq",
    "-o/dev/null",
    "-e",
    "trace=write,ioctl",
    "-e",
    "inject=write:delay_exit=1000",
    "-e",
    "inject=ioctl:delay_exit=10000",
];

#[test]
fn a_browser_ended_while_taking_the_terminal_gives_it_back() {
    let works = Command::new("strace").args(SLOW).arg("true").output();
    if !works.is_ok_and(|output| output.status.success()) {
        return crate::support::skip("no strace that injects");
    }
    let (folder, temp) = (folder(), tempfile::tempdir().unwrap());
    let file = temp.path().join("pid");
    for delay in 0..10 {
        let mut traced = CommandBuilder::new("strace");
        traced.args(SLOW);
        traced.args(["sh", "-c", r#"echo $$ >"$0" && exec "$@""#]);
        traced.arg(&file);
        traced.args([env!("CARGO_BIN_EXE_duke"), "--no-snapshots"]);
        traced.arg(folder.path());
        without_user_settings(&mut traced);
        traced.env_remove("XDG_STATE_HOME");
        let mut session = Session::run(traced);
        session.wait_for("browser", vt100::Screen::alternate_screen);
        session.drain(Duration::from_millis(delay));
        kill(Pid::from_raw(fs::read_to_string(&file).unwrap().trim().parse().unwrap()), Signal::SIGTERM)
            .unwrap();
        while session.drain(Duration::from_secs(1)) {}
        session.assert_restored();
    }
}

/// SIGTERM arrives while a frame fills the terminal's buffer. The program can write the rest of the frame, and the
/// escape sequences that restore the terminal, only when the test reads again.
#[test]
fn a_blocked_terminal_is_given_back_too() {
    let folder = tempfile::tempdir().unwrap();
    for file in 0..500 {
        fs::write(folder.path().join(format!("{file:0>250}")), "").unwrap();
    }
    let PtyPair { master, slave } = open_terminal();
    master.resize(PtySize { rows: 500, cols: 400, pixel_width: 0, pixel_height: 0 }).unwrap();
    let before = modes(master.as_ref());
    let mut child = slave.spawn_command(duke(folder.path())).unwrap();
    let mut reader = master.try_clone_reader().unwrap();
    let mut output = Vec::new();
    let mut buffer = [0; 4096];
    // The frame with all names is larger than the terminal's buffer. The test stops reading at the first name, so
    // duke is blocked while it writes the rest.
    while !output.windows(20).any(|part| part == [b'0'; 20]) {
        let length = reader.read(&mut buffer).unwrap();
        output.extend_from_slice(&buffer[..length]);
    }
    kill(Pid::from_raw(i32::try_from(child.process_id().unwrap()).unwrap()), Signal::SIGTERM).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let rest = std::thread::spawn(move || {
        while let Ok(length @ 1..) = reader.read(&mut buffer) {
            output.extend_from_slice(&buffer[..length]);
        }
        output
    });
    assert!(end(child.as_mut()).signal().is_some());
    assert_eq!(modes(master.as_ref()), before);
    drop(slave);
    let output = String::from_utf8_lossy(&rest.join().unwrap()).into_owned();
    let farewell = output.rsplit_once("\x1b[?1049l").map(|(_, farewell)| farewell);
    assert_eq!(farewell, Some("\x1b[?25h"), "nothing follows it");
}
