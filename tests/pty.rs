//! The program in a real terminal: what it does to it, and what it leaves.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtyPair, PtySize, native_pty_system};
use tempfile::TempDir;
use vt100::Parser;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

struct Session {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: Parser,
    before: String,
}

impl Session {
    /// Starts the program on `folder` in a terminal of 80 columns and 24 lines.
    fn start(folder: &Path) -> Self {
        Self::run(duke(folder))
    }

    /// Starts `command` in a terminal of 80 columns and 24 lines.
    fn run(command: CommandBuilder) -> Self {
        let PtyPair { master, slave } = open_terminal();
        let before = modes(master.as_ref());
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
        Self { child, master, keys, output, screen: Parser::new(24, 80, 0), before }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Takes output until the screen is as wanted.
    fn wait_for(&mut self, what: &str, is_there: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_there(self.screen.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!("no {what} on the screen:\n{}", self.screen.screen().contents());
            };
            self.screen.process(&bytes);
        }
    }

    fn wait_for_text(&mut self, text: &str) {
        self.wait_for(text, |screen| screen.contents().contains(text));
    }

    /// Waits for the program to end, and says how.
    fn end(&mut self) -> ExitStatus {
        end(self.child.as_mut())
    }

    /// Waits for the terminal to be as it was before.
    fn assert_restored(&mut self) {
        self.wait_for("main screen", |screen| !screen.alternate_screen() && !screen.hide_cursor());
        assert!(!self.screen.screen().bracketed_paste());
        assert_eq!(modes(self.master.as_ref()), self.before);
    }

    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill(Pid::from_raw(id), signal).unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A failed test leaves nothing running; what ended already cannot be killed.
        let _ = self.child.kill();
    }
}

fn open_terminal() -> PtyPair {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    native_pty_system().openpty(size).unwrap()
}

fn duke(folder: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_duke"));
    command.arg(folder);
    at_home_nowhere(&mut command);
    command
}

/// Without a configuration.
fn at_home_nowhere(command: &mut CommandBuilder) {
    command.env("TERM", "xterm-256color");
    for name in ["HOME", "XDG_CONFIG_HOME", "DUKE_CONFIG", "DUKE_COLOR", "NO_COLOR"] {
        command.env_remove(name);
    }
}

fn end(child: &mut dyn Child) -> ExitStatus {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < end, "still running");
        std::thread::yield_now();
    }
}

fn modes(terminal: &dyn MasterPty) -> String {
    format!("{:?}", terminal.get_termios().unwrap())
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, length) in [("large/inner/deep", 40_000), ("small/file", 9000), ("plain", 100)] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, vec![1; length]).unwrap();
    }
    folder
}

#[test]
fn start_wait_drill_in_and_quit_leaves_the_terminal_as_it_was() {
    let folder = folder();
    let mut session = Session::start(folder.path());
    session.wait_for_text("6 items");
    session.wait_for_text("1 of 3");
    session.wait_for("alternate screen", |screen| screen.alternate_screen() && screen.hide_cursor());
    assert_ne!(modes(session.master.as_ref()), session.before);
    session.press("\r");
    session.wait_for_text("inner/");
    session.press("h\x1b[B\r");
    session.wait_for_text("file");
    session.press("q");
    assert!(session.end().success());
    session.assert_restored();
}

#[test]
fn every_signal_that_ends_it_restores_the_terminal_first() {
    let folder = folder();
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
        let mut session = Session::start(folder.path());
        session.wait_for_text("1 of 3");
        session.signal(signal);
        let status = session.end();
        assert!(status.signal().is_some(), "{signal}: {status:?}");
        session.assert_restored();
    }
}

/// A shell with job control runs the program, says when it is stopped, and brings it back when told to.
#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_again() {
    let folder = folder();
    let mut shell = CommandBuilder::new("sh");
    shell.args(["-mc", r#""$0" "$1"; echo stopped; read -r _; fg; echo ended $?"#]);
    shell.arg(env!("CARGO_BIN_EXE_duke"));
    shell.arg(folder.path());
    at_home_nowhere(&mut shell);
    let mut session = Session::run(shell);
    session.wait_for_text("1 of 3");
    session.press("G\x1a");
    session.wait_for_text("stopped");
    session.assert_restored();
    // The window shrinks meanwhile: the cursor must be in view all the same.
    session.screen = Parser::new(4, 80, 0);
    session.master.resize(PtySize { rows: 4, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    session.press("\n");
    session.wait_for("browser with the cursor in view", |screen| {
        screen.alternate_screen()
            && screen.contents().contains("3 of 3")
            && screen.contents().contains("plain")
    });
    session.press("q");
    session.wait_for_text("ended 0");
    assert!(session.end().success());
    session.assert_restored();
}

#[test]
fn a_terminal_that_goes_away_ends_the_program_even_if_nobody_sends_a_signal() {
    let folder = folder();
    let PtyPair { master, slave } = open_terminal();
    let mut command = duke(folder.path());
    // Not the terminal of its session, so that the system has nobody to send SIGHUP to.
    command.set_controlling_tty(false);
    let mut child = slave.spawn_command(command).unwrap();
    drop(slave);
    let mut reader = master.try_clone_reader().unwrap();
    let mut screen = Parser::new(24, 80, 0);
    let mut buffer = [0; 4096];
    while !screen.screen().contents().contains("1 of 3") {
        let length = reader.read(&mut buffer).unwrap();
        assert_ne!(length, 0, "the program ended by itself");
        screen.process(&buffer[..length]);
    }
    drop((reader, master));
    assert!(!end(child.as_mut()).success());
}

#[test]
fn it_follows_the_size_of_the_window() {
    let folder = folder();
    let mut session = Session::start(folder.path());
    session.wait_for_text("1 of 3");
    for (rows, cols) in [(1, 1), (50, 200), (3, 10), (12, 60)] {
        session.screen = Parser::new(rows, cols, 0);
        session.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }
    session.wait_for_text("1 of 3");
    session.press("q");
    assert!(session.end().success());
}

#[test]
fn a_configuration_gives_keys_and_what_is_wrong_with_it_is_said_in_the_browser() {
    let folder = folder();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, "nonsense = 1\n[keys]\nquit = 'x'\nopen = 'o'\n").unwrap();
    let mut command = duke(&folder.path().join("large"));
    command.env("DUKE_CONFIG", &file);
    let mut session = Session::run(command);
    session.wait_for_text("config.toml:1:1: unknown setting 'nonsense'");
    // What is no key of the browser any more does nothing but take the message away.
    session.press("q");
    session.wait_for_text("x quit");
    session.press("o");
    session.wait_for_text("deep");
    session.press("x");
    assert!(session.end().success());
    session.assert_restored();
    let said = session.screen.screen().contents();
    assert!(said.contains("unknown setting 'nonsense'"), "and is to be read afterwards: {said}");
}

#[test]
fn every_frame_is_a_synchronized_update() {
    let folder = folder();
    let mut session = Session::start(folder.path());
    let mut bytes = Vec::new();
    let end = Instant::now() + PATIENCE;
    while !session.screen.screen().contents().contains("1 of 3") {
        let part = session.output.recv_timeout(end.saturating_duration_since(Instant::now())).unwrap();
        session.screen.process(&part);
        bytes.extend(part);
    }
    session.press("q");
    assert!(session.end().success());
    bytes.extend(session.output.iter().flatten());
    let text = String::from_utf8_lossy(&bytes);
    // What lies outside of them is no text: modes are set, and the terminal is given back.
    let outside: String = text
        .split("\x1b[?2026h")
        .map(|part| part.split_once("\x1b[?2026l").map_or(part, |(_, rest)| rest))
        .collect();
    assert!(text.matches("\x1b[?2026h").count() >= 2, "{text:?}");
    assert!(text.split_once("\x1b[?2026h").unwrap().1.contains("large/"));
    assert!(!outside.contains("large/") && !outside.contains("disk"), "{outside:?}");
}
