//! Tests of processes that end while they write a file: either they leave no unfinished file, or the next write
//! deletes it.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::image::in_namespace;
use crate::support::room::keeps_snapshots;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const PATIENCE: Duration = Duration::from_secs(30);
const SIGNALS: [Signal; 6] =
    [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGUSR1, Signal::SIGINT, Signal::SIGXCPU];

/// Creates `directories` directories with 100 files each, so that writing the scan takes long enough to interrupt it.
fn tree(directories: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for directory in 0..directories {
        let directory = folder.path().join(format!("directory-{directory}"));
        fs::create_dir(&directory).unwrap();
        for file in 0..100 {
            fs::write(directory.join(format!("file-{file}-{}", "x".repeat(100))), "").unwrap();
        }
    }
    folder
}

fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.to_string_lossy().ends_with(".part")).collect()
}

/// Starts duke, which scans `tree` and writes the result into `folder`. `number` selects one of three ways to write.
fn start(tree: &Path, folder: &Path, number: u32) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duke"));
    match number % 3 {
        0 => command.arg("save").arg(tree).arg("-o").arg(folder.join("tree.duke")),
        1 => command.arg(tree).arg("-o").arg(folder.join("tree.json")),
        _ => command.arg(tree).arg("-o").arg(folder.join(format!("tree-{number}.json"))),
    };
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "DUKE_CONFIG"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

/// Usual number of runs. Each combination of a signal and a way to write occurs three times.
const RUNS: u32 = 54;
/// Maximum time for the usual runs. Further runs start only while signals have ended fewer than [`ENDED`] runs.
const TIME_FOR_RUNS: Duration = Duration::from_secs(10);
/// Minimum number of runs ended by signals. With fewer, the test would prove nothing.
const ENDED: u32 = 3;

/// Sends signals to programs at times spread over a run, and checks that no unfinished files are left.
fn end_by_signals(tree: &Path, folder: &Path) {
    let mut whole = [0, 1, 2].map(|number| {
        let begun = Instant::now();
        assert!(start(tree, folder, number).wait().unwrap().success());
        begun.elapsed()
    });
    let (begun, mut ended) = (Instant::now(), 0);
    // A fixed number of runs is not enough, because a run that ends before the signal is sent proves nothing.
    let is_wanted = |run: u32, ended: u32| {
        let is_time = begun.elapsed() < TIME_FOR_RUNS && run < RUNS;
        is_time || ended < ENDED && run < 10 * RUNS
    };
    for run in 0.. {
        if !is_wanted(run, ended) {
            break;
        }
        let mut child = start(tree, folder, run);
        // The fractional parts of multiples of the golden ratio are spread evenly and never repeat.
        let part = (f64::from(run) * 0.618_033_988_75).fract();
        let whole = &mut whole[usize::try_from(run % 3).unwrap()];
        let wait = whole.mul_f64(part);
        std::thread::sleep(wait);
        // The run may end before the signal, because the machine may be less busy than during the measurement.
        if child.try_wait().unwrap().is_some() {
            *whole = wait;
            continue;
        }
        send(&child, SIGNALS[usize::try_from(run / 3).unwrap() % SIGNALS.len()]);
        // duke merely records a first SIGINT. If the signal above was SIGINT, this second SIGINT ends the program.
        send(&child, Signal::SIGINT);
        ended += u32::from(!child.wait().unwrap().success());
        assert_eq!(unfinished(folder), [] as [PathBuf; 0], "run {run}");
    }
    assert!(ended >= ENDED, "{ended} were ended by a signal");
    for old in ["tree.duke", "tree.json"] {
        assert!(fs::metadata(folder.join(old)).unwrap().len() > 10_000, "{old} is whole");
    }
}

/// Hides /proc. Without /proc, a file created without a name (`O_TMPFILE`) cannot be given a name later, so files are
/// written under a temporary name, as on file systems without `O_TMPFILE`.
fn hide_proc() {
    crate::support::image::mount(&["-t", "tmpfs", "none"], Path::new("/proc"));
}

#[test]
fn signals_leave_nothing_unfinished() {
    let (tree, folder) = (tree(30), tempfile::tempdir().unwrap());
    end_by_signals(tree.path(), folder.path());
}

#[test]
fn signals_leave_nothing_unfinished_that_has_a_name() {
    if !in_namespace("signals_leave_nothing_unfinished_that_has_a_name") {
        return;
    }
    let (tree, folder) = (tree(30), tempfile::tempdir().unwrap());
    hide_proc();
    end_by_signals(tree.path(), folder.path());
}

/// Starts duke and suspends it with SIGSTOP while its unfinished file exists. Returns the process and the file's path.
fn halfway(tree: &Path, folder: &Path) -> (Child, PathBuf) {
    let before = unfinished(folder);
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        let mut child = start(tree, folder, 0);
        while child.try_wait().unwrap().is_none() {
            let new = unfinished(folder).into_iter().find(|path| !before.contains(path));
            if let Some(path) = new {
                send(&child, Signal::SIGSTOP);
                if path.exists() {
                    return (child, path);
                }
                send(&child, Signal::SIGCONT);
            }
        }
    }
    panic!("no unfinished file was seen");
}

#[test]
fn files_of_a_killed_program_are_deleted_at_the_next_write() {
    if !in_namespace("files_of_a_killed_program_are_deleted_at_the_next_write") {
        return;
    }
    let (tree, folder) = (tree(100), tempfile::tempdir().unwrap());
    hide_proc();
    let (mut killed, left) = halfway(tree.path(), folder.path());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(left.exists());
    let (mut alive, kept) = halfway(tree.path(), folder.path());
    assert!(!left.exists(), "its program is gone");
    let name = left.file_name().unwrap().to_str().unwrap();
    let (start_of_name, rest) = name.split_once(".duke-").unwrap();
    let (host, numbers) = rest.split_once('-').unwrap();
    let others = [
        format!("{start_of_name}.duke-{:08x}-{numbers}", u32::from_str_radix(host, 16).unwrap() ^ 1),
        format!("{start_of_name}.{numbers}"),
        name.trim_start_matches('.').to_owned(),
        format!("{name}.txt"),
    ];
    for other in &others {
        fs::write(folder.path().join(other), "").unwrap();
    }
    let theirs = folder.path().join(name);
    fs::write(&theirs, "").unwrap();
    let is_theirs = std::os::unix::fs::chown(&theirs, Some(1000), None).is_ok();
    assert!(start(tree.path(), folder.path(), 1).wait().unwrap().success());
    assert!(kept.exists(), "its program is at work");
    for other in &others {
        assert!(folder.path().join(other).exists(), "{other}");
    }
    assert_eq!(theirs.exists(), is_theirs, "another user's");
    send(&alive, Signal::SIGCONT);
    assert!(alive.wait().unwrap().success());
    assert!(!kept.exists());
}

#[test]
fn an_ended_browser_leaves_no_unfinished_file() {
    if !keeps_snapshots() || !in_namespace("an_ended_browser_leaves_no_unfinished_file") {
        return;
    }
    let (tree, home) = (tree(100), tempfile::tempdir().unwrap());
    hide_proc();
    let kept = home.path().join("duke");
    let mut halfway = 0;
    for run in 0..60 {
        let mut command = crate::session::duke(tree.path());
        command.env("XDG_STATE_HOME", home.path());
        let mut session = crate::session::Session::run(command);
        session.wait_for("browser", vt100::Screen::alternate_screen);
        // Waits until the snapshot is being written or has already been written.
        let end = Instant::now() + PATIENCE;
        while fs::read_dir(&kept).map_or(0, Iterator::count) == 0 {
            assert!(Instant::now() < end, "no snapshot is written");
            std::thread::yield_now();
        }
        halfway += u32::from(unfinished(&kept).len() == 1);
        match run % 4 {
            3 => session.press("q"),
            signal => session.signal(SIGNALS[signal]),
        }
        session.end();
        assert_eq!(unfinished(&kept), [] as [PathBuf; 0], "run {run}");
        // The next run waits until a file appears in `kept`, so the files of this run are deleted.
        fs::remove_dir_all(&kept).unwrap();
    }
    assert!(halfway > 20, "{halfway} of 60 were ended while they wrote");
}
