//! Helpers that run the program and read its output.
#![allow(dead_code)] // each test binary uses a part

pub mod interrupts;
pub mod json;
pub mod schema;
pub mod test_dir;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Exit code and output of a run of the program. `code` is `None` if a signal ended the program.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the program prints UTF-8")
    }

    pub fn json(&self) -> json::Document {
        json::parse(&self.stdout).unwrap_or_else(|error| panic!("{error}; standard error: {}", self.stderr))
    }

    /// Fails unless the program exited with `code`.
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "standard error: {}", self.stderr);
        self
    }
}

/// Environment variables that change the program's behavior.
const VARIABLES: [&str; 8] = [
    "DUKE_THREADS",
    "DUKE_COLOR",
    "DUKE_ASCII",
    "DUKE_CONFIG",
    "NO_COLOR",
    "TERM",
    // Variables that determine the location of the configuration file.
    "HOME",
    "XDG_CONFIG_HOME",
];

/// Returns a command that runs the program without the variables that change its behavior.
pub fn program() -> Command {
    interrupts::heed();
    let mut command = Command::new(env!("CARGO_BIN_EXE_duke"));
    for name in VARIABLES {
        command.env_remove(name);
    }
    // Without these variables, the program has no folder in which to keep snapshots of test directories.
    command.env_remove("XDG_STATE_HOME").env_remove("HOME");
    command.stdin(Stdio::null());
    command
}

/// Copies the program to `temp`, where any user may run it. The copy is made by install(1). If this process wrote the
/// file, a child forked by another test could inherit the open file, and the system does not execute a file that is
/// open for writing.
pub fn for_anybody(temp: &test_dir::TestDir) -> PathBuf {
    let copy = temp.join("duke");
    let mut install = Command::new("install");
    let made = install.args(["-m", "755", env!("CARGO_BIN_EXE_duke")]).arg(&copy).status();
    assert!(made.expect("install(1) is everywhere").success());
    copy
}

/// Returns `true` if a program can be run; otherwise reports that the test is skipped.
pub fn is_installed(name: &str, argument: &str) -> bool {
    let is_there = Command::new(name).arg(argument).stdin(Stdio::null()).output().is_ok();
    if !is_there {
        eprintln!("SKIPPED: {name} is not installed");
    }
    is_there
}

/// Runs the program in the directory `directory`, with the arguments `words`.
pub fn run_in<S: AsRef<OsStr>>(directory: &Path, words: impl IntoIterator<Item = S>) -> Run {
    run(program().current_dir(directory).args(words))
}

/// Runs `command` and waits for it to end.
pub fn run(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } = command.output().expect("the program can be started");
    Run { code: status.code(), stdout, stderr: String::from_utf8(stderr).expect("messages are UTF-8") }
}
