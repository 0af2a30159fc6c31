//! Helpers for tests that run the program in a pseudo-terminal.
#![allow(dead_code, clippy::unwrap_used)] // each test binary uses a part; helpers of tests are tests

pub mod hostile;

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtyPair, PtySize, native_pty_system};
use vt100::{MouseProtocolMode, Parser};

/// Time limit for a step of a test. No step takes that long, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Creates a terminal emulator with an empty screen.
pub fn parser(rows: u16, cols: u16) -> Parser {
    let positive = |size| NonZeroU16::new(size).expect("a screen has rows and columns");
    Parser::new(positive(rows), positive(cols), 0)
}

pub struct Session {
    pub child: Box<dyn Child + Send + Sync>,
    pub master: Box<dyn MasterPty + Send>,
    pub keys: Box<dyn Write + Send>,
    pub output: Receiver<Vec<u8>>,
    pub screen: Parser,
    /// All output so far, unchanged.
    pub raw: Vec<u8>,
    pub before: String,
}

impl Session {
    /// Starts the program on `folder` in a terminal of 80 columns and 24 lines.
    pub fn start(folder: &Path) -> Self {
        Self::run(duke(folder))
    }

    /// Starts `command` in a terminal of 80 columns and 24 lines.
    pub fn run(command: CommandBuilder) -> Self {
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
        Self { child, master, keys, output, screen: parser(24, 80), raw: Vec::new(), before }
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Reads output until `is_there` returns `true` for the screen. Fails after [`PATIENCE`], naming `what`.
    pub fn wait_for(&mut self, what: &str, is_there: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_there(self.screen.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!("no {what} on the screen:\n{}", self.screen.screen().contents());
            };
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.screen.process(bytes);
    }

    /// Reads output for `meanwhile` and returns `true`. Returns `false` as soon as the program has closed its output.
    pub fn drain(&mut self, meanwhile: Duration) -> bool {
        let end = Instant::now() + meanwhile;
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    pub fn resize(&mut self, rows: u16, cols: u16) {
        self.screen = parser(rows, cols);
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    pub fn wait_for_text(&mut self, text: &str) {
        self.wait_for(text, |screen| screen.contents().contains(text));
    }

    /// Waits for the program to end, and returns its status.
    pub fn end(&mut self) -> ExitStatus {
        end(self.child.as_mut())
    }

    /// Presses `q`, answers Yes if the program asks because of a running scan, and waits for the program to end.
    pub fn quit(&mut self) -> ExitStatus {
        self.press("q");
        let end = Instant::now() + PATIENCE;
        while self.drain(Duration::from_secs(2)) && Instant::now() < end {
            self.press("y");
        }
        self.end()
    }

    /// Waits until the terminal is in the same state as before the program started.
    pub fn assert_restored(&mut self) {
        self.wait_for("main screen", |screen| !screen.alternate_screen() && !screen.hide_cursor());
        assert!(!self.screen.screen().bracketed_paste());
        assert_eq!(self.screen.screen().mouse_protocol_mode(), MouseProtocolMode::None);
        // The program restores the terminal modes after its last output, so the modes may still change after the
        // main screen has appeared.
        let end = Instant::now() + PATIENCE;
        while modes(self.master.as_ref()) != self.before && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(modes(self.master.as_ref()), self.before);
    }

    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill(Pid::from_raw(id), signal).unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Ends the program if it is still running, as after a failed test.
        let _ = self.child.kill();
    }
}

pub fn open_terminal() -> PtyPair {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    native_pty_system().openpty(size).unwrap()
}

pub fn duke(folder: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_duke"));
    command.arg(folder);
    without_user_settings(&mut command);
    // Without HOME and this variable, the program has no folder for snapshots, so it does not save any.
    command.env_remove("XDG_STATE_HOME");
    command
}

/// Sets the terminal type and the locale, and removes the variables that locate a configuration or choose colors.
pub fn without_user_settings(command: &mut CommandBuilder) {
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    for name in ["HOME", "XDG_CONFIG_HOME", "DUKE_CONFIG", "DUKE_COLOR", "NO_COLOR"] {
        command.env_remove(name);
    }
}

pub fn end(child: &mut dyn Child) -> ExitStatus {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < end, "still running");
        std::thread::yield_now();
    }
}

pub fn modes(terminal: &dyn MasterPty) -> String {
    format!("{:?}", terminal.get_termios().unwrap())
}
