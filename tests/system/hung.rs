//! Tests with a mounted file system whose server never answers. Every call that needs the server blocks.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::session::Session;
use crate::support::fixtures::{self, Fixture};
use crate::support::image::in_namespace;
use crate::support::naive;
use duke::scan::{Options, Scan};
use duke::tree::{DirId, EntryState};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::signal::Signal;

/// Pause between two checks of a condition that a test waits for.
const PAUSE: Duration = Duration::from_millis(5);
/// Time after which a run is considered hung.
const PATIENCE: Duration = Duration::from_secs(20);

/// Maximum time to respond to a key, even on a busy machine.
const ANSWER: Duration = Duration::from_secs(2);

/// Four directories with files, and a mount point whose server never answers. Dropping releases all blocked threads.
struct Hung {
    fixture: Fixture,
    connection: Option<File>,
}

impl Hung {
    /// Creates the directories and mounts a FUSE file system that never answers. Returns `None` if FUSE is unavailable.
    fn mount() -> Option<Self> {
        let connection = File::options().read(true).write(true).open("/dev/fuse").ok()?;
        let fixture = Fixture::build(|root| {
            for name in ["before", "between", "middle", "zebra"] {
                fs::create_dir_all(root.join(name).join("deep"))?;
                fixtures::file(root.join(name).join("deep/file"), 20_000)?;
            }
            fs::create_dir(root.join("mounted"))
        });
        let words = format!("fd={},rootmode=40000,user_id=0,group_id=0", connection.as_raw_fd());
        // Only mount(8) may inherit the descriptor.
        fcntl(&connection, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-i", "-t", "fuse", "-o", &words, "dead"]).arg(fixture.join("mounted"));
        let is_mounted = mount.status().is_ok_and(|status| status.success());
        fcntl(&connection, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
        is_mounted.then_some(Self { fixture, connection: Some(connection) })
    }
}

impl Drop for Hung {
    fn drop(&mut self) {
        // Closing the last descriptor ends the connection, and every blocked call fails.
        self.connection.take();
        let _ = Command::new("umount").arg("-l").arg(self.fixture.join("mounted")).status();
    }
}

/// Runs `body` with a mounted file system that never answers, in a child process with its own mount namespace.
fn with_dead_mount(test: &str, body: impl FnOnce(&Hung)) {
    if in_namespace(test) {
        match Hung::mount() {
            Some(hung) => body(&hung),
            None => crate::support::skip(&format!("{test}: no FUSE here")),
        }
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "no {what}");
        std::thread::sleep(PAUSE);
    }
}

/// Returns `true` if a thread of `process` is waiting for a FUSE server.
fn hangs(process: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().filter_map(Result::ok);
    let places = threads.filter_map(|thread| fs::read_to_string(thread.path().join("wchan")).ok());
    places.into_iter().any(|place| place.contains("fuse"))
}

fn complete(scan: &Scan, path: &Path) -> bool {
    let tree = scan.tree();
    let found =
        duke::tree::Walk::new(tree, DirId::TOP).find(|(id, _)| crate::support::path(tree.path(*id)) == path);
    found.is_some_and(|(id, _)| {
        tree.status(id).is_complete() && tree.totals(id).disk == naive::totals(path).disk
    })
}

#[test]
fn other_roots_are_read_while_one_never_answers() {
    with_dead_mount("other_roots_are_read_while_one_never_answers", |hung| {
        let options = Options { threads: Some(3), ..Options::default() };
        let scan = Scan::start(vec![hung.fixture.path().to_owned()], options).unwrap();
        for name in ["before", "between", "middle", "zebra"] {
            wait_until(name, || complete(&scan, &hung.fixture.join(name)));
        }
        let root = scan.tree().listing(DirId::TOP).directories().next().unwrap();
        let listing = scan.tree().listing(root);
        let names: Vec<_> = listing.entries().map(|(_, record)| record.name.to_vec()).collect();
        assert_eq!(names.len(), 5, "the one that hangs is shown too");
        assert!(listing.entries().all(|(_, record)| matches!(record.state, EntryState::Known(_))));
        assert_eq!(scan.outcome(), None, "it still waits");
        scan.stop();
        assert_eq!(scan.wait(Duration::from_millis(300)), None);
    });
}

#[test]
fn a_scan_continues_when_the_connection_is_dropped() {
    with_dead_mount("a_scan_continues_when_the_connection_is_dropped", |hung| {
        let scan = Scan::start(vec![hung.fixture.path().to_owned()], Options::default()).unwrap();
        wait_until("sister", || complete(&scan, &hung.fixture.join("zebra")));
        let number = fs::read_dir("/sys/fs/fuse/connections").ok().and_then(|connections| {
            let device =
                duke::testing::platform::mounts().unwrap().into_iter().find(|mount| mount.kind == b"fuse");
            let minor = device?.device & 0xff;
            connections
                .filter_map(Result::ok)
                .find(|entry| entry.file_name().to_str() == Some(&minor.to_string()))
        });
        let Some(number) = number else { return crate::support::skip("no list of FUSE connections") };
        fs::write(number.path().join("abort"), "1").unwrap();
        assert!(scan.wait(PATIENCE).is_some());
        let failures = crate::support::failures(scan.tree());
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert_eq!(failures[0].0, hung.fixture.join("mounted"));
    });
}

#[test]
fn df_names_a_silent_file_system_and_ends() {
    with_dead_mount("df_names_a_silent_file_system_and_ends", |hung| {
        let df = |words: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_duke"));
            let begun = Instant::now();
            let output =
                command.args(["df", "-q", "-t", "1"]).args(words).arg(hung.fixture.path()).output().unwrap();
            assert!(begun.elapsed() < PATIENCE, "{words:?}");
            assert_eq!(output.status.code(), Some(1), "{words:?}");
            assert!(String::from_utf8(output.stderr).unwrap().contains("/mounted: "), "{words:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        for words in [&[][..], &["--skip-network"]] {
            let text = df(words);
            let line =
                text.lines().find(|line| line.contains("not responding")).unwrap_or_else(|| panic!("{text}"));
            assert!(line.contains("/mounted  (not responding)"), "{line}");
            // All other directories were read, even with only one worker (`-t 1`).
            assert!(text.contains("  13 entries"), "{text}");
        }
        let json = df(&["--json"]);
        assert!(json.contains("/mounted\"") && json.contains("\"complete\":true"), "{json}");
    });
}

/// Interrupts a run as soon as one of its workers hangs.
fn interrupt_once_it_hangs(run: &Child) {
    wait_until("worker that hangs", || hangs(run.id()));
    let process = nix::unistd::Pid::from_raw(i32::try_from(run.id()).unwrap());
    nix::sys::signal::kill(process, Signal::SIGINT).unwrap();
}

#[test]
fn df_of_a_file_system_that_does_not_answer_can_be_interrupted() {
    with_dead_mount("df_of_a_file_system_that_does_not_answer_can_be_interrupted", |hung| {
        crate::program::interrupts::heed();
        let mut run = Command::new(env!("CARGO_BIN_EXE_duke"))
            .args(["df", "-q"])
            .arg(hung.fixture.join("mounted"))
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        interrupt_once_it_hangs(&run);
        let begun = Instant::now();
        let status = loop {
            assert!(begun.elapsed() < PATIENCE);
            if let Some(status) = run.try_wait().unwrap() {
                break status;
            }
            std::thread::sleep(PAUSE);
        };
        assert_eq!(status.code(), Some(130));
    });
}

#[test]
fn an_interrupted_run_prints_partial_results_and_abandons_hanging_threads() {
    with_dead_mount("an_interrupted_run_prints_partial_results_and_abandons_hanging_threads", |hung| {
        crate::program::interrupts::heed();
        let mut run = Command::new(env!("CARGO_BIN_EXE_duke"))
            .args(["--json", "-t", "3"])
            .arg(hung.fixture.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        interrupt_once_it_hangs(&run);
        let begun = Instant::now();
        let mut text = String::new();
        run.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(130));
        assert!(begun.elapsed() < PATIENCE);
        assert!(text.contains("\"zebra\"") && text.contains("\"mounted\""), "{text}");
        assert!(text.contains("\"complete\":false") || text.contains("\"complete\": false"), "{text}");
        let mut stderr = String::new();
        run.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert!(stderr.contains("interrupted while a file system did not respond"), "{stderr}");
    });
}

#[test]
fn a_run_names_the_directory_that_does_not_answer() {
    with_dead_mount("a_run_names_the_directory_that_does_not_answer", |hung| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_duke"))
            .args(["-s", "-t", "3"])
            .arg(hung.fixture.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = String::new();
        BufReader::new(run.stderr.take().unwrap()).read_line(&mut stderr).unwrap();
        let expected =
            format!("duke: {}: not responding; still waiting\n", hung.fixture.join("mounted").display());
        assert_eq!(stderr, expected);
        run.kill().unwrap();
        run.wait().unwrap();
    });
}

#[test]
fn the_browser_works_beside_a_silent_file_system() {
    with_dead_mount("the_browser_works_beside_a_silent_file_system", |hung| {
        for is_quick in [true, false] {
            let mut command = crate::session::duke(hung.fixture.path());
            command.args(["-t", "3"]);
            let mut session = Session::run(command);
            session.wait_for_text("zebra/");
            session.wait_for_text("mounted/");
            session.wait_for_text("mounted is not responding");
            // Opens another directory, the df view, and the details of the dead mount point.
            session.press("ng\r");
            session.wait_for_text("deep/");
            session.press("h");
            session.wait_for_text("zebra/");
            session.press("0");
            session.wait_for_text("is not responding");
            session.press("h");
            session.wait_for_text("zebra/");
            session.press("/mounted\r");
            session.press("i");
            session.drain(Duration::from_millis(300));
            session.press("\x1b");
            session.drain(Duration::from_millis(200));
            session.press("\x1b");
            session.wait_for_text("zebra/");
            if is_quick {
                // The first Ctrl-C stops the scan, and the second ends the program.
                session.press("\x03");
                session.drain(Duration::from_millis(200));
                session.press("\x03");
            } else {
                session.signal(Signal::SIGTERM);
            }
            let status = session.end();
            assert_eq!(status.signal().is_none(), is_quick, "{status:?}");
            session.assert_restored();
        }
    });
}

#[test]
fn the_preview_of_a_silent_file_system_delays_no_key() {
    with_dead_mount("the_preview_of_a_silent_file_system_delays_no_key", |hung| {
        let mut command = crate::session::duke(hung.fixture.path());
        command.args(["-t", "3"]);
        let mut session = Session::run(command);
        session.resize(50, 200);
        session.wait_for_text("mounted is not responding");
        session.press("n");
        let is_selected = |screen: &vt100::Screen, name: &str| {
            let mut rows = screen.rows(0, 100);
            rows.any(|row| row.starts_with(['▌', '>']) && row.contains(name))
        };
        // The preview and the info page ask the system about the dead mount.
        for (key, selected) in
            [("jjj", "mounted/"), ("i", "mounted/"), ("ij", "zebra/"), ("k", "mounted/"), ("k", "middle/")]
        {
            let begun = Instant::now();
            session.press(key);
            session.wait_for(selected, |screen| is_selected(screen, selected));
            if key == "i" {
                session.wait_for_text("Info");
            }
            assert!(begun.elapsed() < ANSWER, "{key}: {:?}", begun.elapsed());
            session.drain(Duration::from_millis(300));
        }
        session.signal(Signal::SIGTERM);
        session.end();
    });
}
