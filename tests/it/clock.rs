//! Tests with a system clock beyond the year 9999, the last year in duke's calendar. A preloaded library simulates
//! the clock.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::process::Command;

use crate::session::{Session, duke};

/// C source code of a library that makes only the real-time clock report a time around the year 12,000.
const CLOCK: &str = "
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
int clock_gettime(clockid_t id, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, id, time);
    if (result == 0 && id == CLOCK_REALTIME) time->tv_sec += 315000000000LL;
    return result;
}
";

#[test]
fn a_clock_beyond_the_calendar_does_not_end_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("clock.c"), folder.path().join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    if !compiler.status().is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no C compiler here");
        return;
    }
    let (looked_at, state) = (folder.path().join("looked at"), folder.path().join("state"));
    for path in [&looked_at, &state] {
        fs::create_dir(path).unwrap();
    }
    fs::write(looked_at.join("file"), "content").unwrap();
    let mut command = duke(&looked_at);
    command.cwd(&looked_at);
    command.env("LD_PRELOAD", &library);
    command.env("XDG_STATE_HOME", &state);
    let mut session = Session::run(command);
    session.wait_for_text("1 of 1");
    session.press("4");
    session.wait_for_text("more than three years ago");
    session.press("1i");
    session.wait_for_text("Info");
    session.press("id");
    session.wait_for_text("[ Yes ]");
    session.press("y");
    session.wait_for_text("Deleted 1 entry");
    assert!(session.quit().success());
    let journal = fs::read_to_string(state.join("duke/deleted.jsonl")).unwrap();
    assert!(journal.contains("\"time\":\"9999-12-30T"), "{journal}");
    let printed = Command::new(env!("CARGO_BIN_EXE_duke"))
        .args(["--no-config", "-n", "--by", "age"])
        .arg(folder.path())
        .env("LD_PRELOAD", &library)
        .output()
        .unwrap();
    assert!(printed.status.success(), "{printed:?}");
}
