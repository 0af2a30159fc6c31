//! Tests of the browser in a pseudo-terminal, with trees read from files: a binary export, and snapshots of which
//! only a small part is read.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use crate::program::test_dir::TestDir;
use crate::program::{program, run};
use crate::session::{Session, duke};

/// Opens a binary export of a directory that no longer exists.
fn browse() -> (TestDir, Session) {
    let temp = TestDir::new();
    temp.file("t/large/video.mkv", 900_000);
    temp.file("t/large/deep/needle.log", 70_000);
    temp.file("t/small", 10);
    run(program().current_dir(temp.path()).args(["-O", "t.ncdu", "t"])).ended(0);
    std::fs::remove_dir_all(temp.join("t")).unwrap();
    let mut command = duke(std::path::Path::new("-f"));
    command.arg("t.ncdu");
    command.cwd(temp.path());
    (temp, Session::run(command))
}

#[test]
fn a_binary_export_is_browsed_and_searched() {
    let (_place, mut session) = browse();
    session.wait_for_text("large/");
    session.wait_for_text("small");
    session.press("\r");
    session.wait_for_text("video.mkv");
    session.press("/needle\r");
    session.wait_for_text("needle.log");
    session.press("\x1b");
    session.wait_for_text("video.mkv");
    // Lists the largest files of all directories, including directories that have not been shown before.
    session.press("2");
    session.wait_for("both files in one list", |screen| {
        let text = screen.contents();
        text.contains("video.mkv") && text.contains("needle.log")
    });
    session.press("1");
    session.press("d");
    session.wait_for_text("Snapshots, exports and remote trees are read-only");
    assert_eq!(session.quit().exit_code(), 0);
    session.assert_restored();
}

/// Returns the number of bytes that a process has read with system calls.
#[cfg(target_os = "linux")]
fn bytes_read(session: &Session) -> u64 {
    let process = session.child.process_id().unwrap();
    let counters = std::fs::read_to_string(format!("/proc/{process}/io")).unwrap();
    let count = counters.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    count.parse().unwrap()
}

/// A snapshot on a network mount or an HTTP mount is read in ranges, so the time until the browser opens depends on
/// the number of bytes read.
#[test]
#[cfg(target_os = "linux")]
fn the_first_screen_of_a_large_snapshot_needs_at_most_2_mb() {
    const DIRECTORIES: usize = 400;
    let temp = TestDir::new();
    let mut list = String::new();
    for directory in 0..DIRECTORIES {
        // The listing of the first directory directly follows the root's listing in the snapshot, and is larger than
        // the limit of 2 MB, so the test fails if the first screen reads it together with the root's listing.
        for file in 0..if directory == 0 { 100_000 } else { 1000 } {
            let size = (directory * 1000 + file) * 7919 % 100_003;
            let line =
                format!("/r/directory {directory}/{:08x} {file}.log\t{size}\t8\t{file}\0", size * 40_503);
            list += &line;
        }
    }
    std::fs::write(temp.join("list"), list).unwrap();
    let words = ["save", "-q", "-f", "list", "--format", "find", "-o", "large.duke"];
    run(program().current_dir(temp.path()).args(words)).ended(0);
    let length = std::fs::metadata(temp.join("large.duke")).unwrap().len();
    assert!(length > 8 << 20, "{length}");
    let mut command = duke(std::path::Path::new("-f"));
    command.arg("large.duke");
    command.cwd(temp.path());
    let mut session = Session::run(command);
    session.wait_for_text(&format!("1 of {DIRECTORIES}"));
    let first = bytes_read(&session);
    eprintln!("{length} bytes, {first} read for the first screen");
    assert!(first <= 2_000_000, "{first} of {length} bytes were read");
    // When a directory is shown, only its largest entries are read. The others are read when the user scrolls to them.
    session.press("\r");
    session.wait_for_text("1 of 100,000");
    let second = bytes_read(&session);
    eprintln!("{} bytes read for a directory of 100,000 entries", second - first);
    assert!(second - first <= 200_000, "{second} of {length} bytes were read");
    session.press("G");
    session.wait_for_text("100,000 of 100,000");
    assert!(bytes_read(&session) > second + 1_000_000);
    assert_eq!(session.quit().exit_code(), 0);
}

/// A damaged snapshot is ignored with a notice. There is no notice if a flag prevents reading snapshots at all.
#[test]
fn a_damaged_latest_snapshot_is_ignored_with_a_notice() {
    if !crate::support::room::keeps_snapshots() {
        return;
    }
    let (temp, state) = (TestDir::new(), TestDir::new());
    temp.file("t/large", 900_000);
    let mut save = program();
    save.current_dir(temp.path()).env("XDG_STATE_HOME", state.path()).args(["save", "t"]);
    run(&mut save).ended(0);
    let folder = state.join("duke");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let length = std::fs::metadata(&file).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(length - 3).unwrap();
    for (flag, is_read) in
        [("--read-only", true), ("--no-instant", false), ("--fresh", false), ("--no-snapshots", false)]
    {
        let mut command = duke(std::path::Path::new(flag));
        command.arg("t");
        command.cwd(temp.path());
        command.env("XDG_STATE_HOME", state.path());
        let mut session = Session::run(command);
        session.wait_for_text("large");
        if is_read {
            session.wait_for_text("Ignored");
        } else {
            session.wait_for("no notice", |screen| !screen.contents().contains("Ignored"));
        }
        assert_eq!(session.quit().exit_code(), 0);
    }
}

/// A scan of the parent directory uses the last snapshot of that directory and saves a new one.
#[test]
fn a_scan_of_the_parent_directory_begins_with_its_last_scan() {
    if !crate::support::room::keeps_snapshots() {
        return;
    }
    let (temp, state) = (TestDir::new(), TestDir::new());
    temp.file("t/large/inner/video", 900_000);
    temp.file("t/old", 700_000);
    let mut save = program();
    save.current_dir(temp.path()).env("XDG_STATE_HOME", state.path()).args(["save", "t"]);
    run(&mut save).ended(0);
    let file = || std::fs::read_dir(state.join("duke")).unwrap().map(|file| file.unwrap().file_name());
    let before: Vec<_> = file().collect();
    // Damage the snapshot: a notice about it proves that the scan of the parent directory tried to use the snapshot.
    let path = state.join("duke").join(&before[0]);
    let length = std::fs::metadata(&path).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 3).unwrap();
    let mut command = duke(std::path::Path::new("t/large"));
    command.cwd(temp.path());
    command.env("XDG_STATE_HOME", state.path());
    let mut session = Session::run(command);
    session.wait_for_text("inner");
    session.press("h");
    session.wait_for_text("[ Yes ]");
    session.press("y");
    session.wait_for_text("Ignored");
    session.wait_for_text("1 of 2");
    assert_eq!(session.quit().exit_code(), 0);
    let written = file().filter(|name| !before.contains(name)).count();
    assert_eq!(written, 2, "a snapshot of each of the two scans: {:?}", file().collect::<Vec<_>>());
}
