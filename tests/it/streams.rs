//! Tests that run the program without its usual streams, environment variables, disk space or working directory.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::test_dir::TestDir;
use crate::program::{Run, program, run, run_in};

/// Time limit for a step of a test. No step takes that long, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn some() -> TestDir {
    let temp = TestDir::new();
    temp.file("a/file", 10_000);
    temp.file("b", 100);
    temp
}

/// Arguments for each kind of output that duke prints.
#[cfg(target_os = "linux")]
const WAYS: [&[&str]; 14] = [
    &["-n", "."],
    &["-s", "."],
    &["--json", "."],
    &["--ndjson", "."],
    &["--csv", "."],
    &["--top", "3", "."],
    &["-o", "-", "."],
    &["save", "-o", "-", "."],
    &["save", "."], // prints the path of the snapshot
    &["df", "."],
    &["--help"],
    &["--version"],
    &["man"],
    &["config", "show"],
];

/// Runs the program from a shell with the redirections in `redirect`, such as `>&-`.
fn redirected(temp: &TestDir, words: &[&str], redirect: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec \"$0\" \"$@\" {redirect}"), env!("CARGO_BIN_EXE_duke")]);
    shell.args(words).current_dir(temp.path()).stdin(Stdio::null());
    for name in ["HOME", "XDG_CONFIG_HOME", "TERM"] {
        shell.env_remove(name);
    }
    shell.env("XDG_STATE_HOME", temp.join("state"));
    run(&mut shell)
}

#[test]
#[cfg(target_os = "linux")] // elsewhere a closed stream is /dev/null; see docs/testing.md
fn a_closed_output_is_an_error_for_every_kind_of_output() {
    let temp = some();
    for words in WAYS {
        let run = redirected(&temp, words, ">&-").ended(1);
        assert_eq!(run.stderr, "duke: standard output: cannot write: bad file number\n", "{words:?}");
    }
    // Every kind of output can be redirected to /dev/null.
    for words in WAYS {
        assert_eq!(redirected(&temp, words, ">/dev/null").ended(0).stderr, "", "{words:?}");
    }
}

#[test]
#[cfg(target_os = "linux")] // there is no /dev/full elsewhere
fn a_full_output_is_an_error_for_every_kind_of_output() {
    let temp = some();
    for words in WAYS {
        let run = redirected(&temp, words, ">/dev/full").ended(1);
        assert_eq!(run.stderr, "duke: standard output: cannot write: no space left on device\n", "{words:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_closed_input_matters_only_if_it_is_read() {
    let temp = some();
    for words in WAYS {
        redirected(&temp, words, "<&-").ended(0);
    }
    let run = redirected(&temp, &["-f", "-", "-n"], "<&-").ended(2);
    assert!(run.stderr.contains("standard input: cannot read: bad file number"), "{}", run.stderr);
    let run = redirected(&temp, &["-X", "-", "."], "<&-").ended(2);
    assert!(run.stderr.contains("bad file number"), "{}", run.stderr);
}

#[test]
fn a_closed_error_stream_changes_nothing() {
    let temp = some();
    let listed = |redirection| timeless(&redirected(&temp, &["--csv", "."], redirection).ended(0).stdout);
    assert_eq!(listed("2>&-"), listed(""));
    redirected(&temp, &["-n", "missing"], "2>&-").ended(2);
    redirected(&temp, &["-n", "missing"], "<&- >&- 2>&-");
}

/// Returns the lines without their last column, the time of the scan.
fn timeless(csv: &[u8]) -> Vec<Vec<u8>> {
    let lines = csv.split(|byte| *byte == b'\n');
    lines.map(|line| line.rsplitn(2, |byte| *byte == b',').last().unwrap_or_default().to_vec()).collect()
}

/// The output does not depend on the language, the time zone, or environment variables for other programs, such as
/// `BLOCK_SIZE`.
#[test]
fn the_environment_changes_no_byte_of_the_output() {
    let temp = some();
    let json = |variables: &[(&str, &str)]| {
        let words = ["--csv", "."];
        let run =
            run(program().current_dir(temp.path()).args(words).envs(variables.iter().copied())).ended(0);
        assert_eq!(run.stderr, "");
        timeless(&run.stdout)
    };
    let expected = json(&[]);
    let long = "Z".repeat(100_000);
    let cases = [
        ("LC_ALL", "C"),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("LC_ALL", "no such locale"),
        ("LANG", ""),
        ("BLOCK_SIZE", "1M"),
        ("POSIXLY_CORRECT", "1"),
        ("TIME_STYLE", "long-iso"),
        ("TZ", ""),
        ("TZ", "Nowhere/At_all"),
        ("TZ", ":/dev/zero"),
        ("TZ", "../../../../etc/passwd"),
        ("TZ", "<\u{1b}]52;c;x>25:61:61"),
        ("TZ", long.as_str()),
        ("COLUMNS", "1"),
        ("TERM", "no-such-terminal"),
        ("RAYON_NUM_THREADS", "0"),
        ("RAYON_NUM_THREADS", "-1"),
        ("RUST_LOG", "trace"),
    ];
    for case in cases {
        assert_eq!(json(&[case]), expected, "{case:?}");
    }
    let mut bare = Command::new(env!("CARGO_BIN_EXE_duke"));
    let bare = run(bare.env_clear().current_dir(temp.path()).args(["--csv", "."])).ended(0).stdout;
    assert_eq!(timeless(&bare), expected);
}

#[test]
fn one_thread_or_256_print_the_same() {
    let temp = some();
    for number in 0..400 {
        temp.file(format!("{}/{}/{number}", number % 20, number % 7), number * 10);
    }
    let of = |threads: &str| run_in(temp.path(), ["--json", "-t", threads, "."]).ended(0);
    let without_time = |run: Run| {
        let text = run.text().to_owned();
        let (before, after) = text.split_once("\"elapsed_ms\"").unwrap();
        before.to_owned() + after.split_once(',').unwrap().1
    };
    let expected = without_time(of("1"));
    for threads in ["2", "16", "256"] {
        assert_eq!(without_time(of(threads)), expected, "{threads}");
    }
}

/// A FIFO or device in place of a file that duke reads by default must not block the program.
#[test]
fn no_fifo_or_device_in_a_default_location_is_waited_for() {
    let (temp, home) = (some(), TestDir::new());
    let fifo = home.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let before = Instant::now();
    for value in [fifo.to_str().unwrap(), "/dev/zero", "/dev/full", "/"] {
        for name in ["DUKE_CONFIG", "TZ", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR"] {
            let child =
                program().current_dir(temp.path()).args(["-n", "."]).env(name, value).output().unwrap();
            assert_eq!(child.stdout.is_empty(), child.status.code() == Some(2), "{name}={value}");
        }
    }
    assert!(before.elapsed() < PATIENCE);
}

/// If a worker panics, the panic is reported, and the program does not wait for the worker. `strace` causes the panic:
/// it lets the first getrandom(2) of every thread fail, but only a worker panics because of this failure.
#[test]
#[cfg(target_os = "linux")]
fn a_panic_of_a_worker_is_a_message_with_exit_code_1() {
    let temp = some();
    // The first getrandom(2) of a worker seeds its hash tables, so the worker panics if this call fails. In the
    // main thread, glibc makes the first call and copes with its failure.
    let fault = "inject=getrandom:error=EIO:when=1";
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", fault, env!("CARGO_BIN_EXE_duke"), "-n", "."]);
    command.current_dir(temp.path()).stdin(Stdio::null());
    let Ok(output) = command.output() else {
        eprintln!("SKIPPED: no strace");
        return;
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !stderr.contains("panicked") {
        eprintln!("SKIPPED: no worker could be made to panic: {stderr}");
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let messages = stderr.lines().filter(|line| line.starts_with("duke: ")).collect::<Vec<_>>();
    assert_eq!(messages.len(), 1, "{stderr}");
    assert!(messages[0].starts_with("duke: internal error: scan ended early: "), "{stderr}");
}

/// Runs `program` in a directory that is deleted before the program starts.
#[cfg(target_os = "linux")]
fn in_removed(temp: &TestDir, program: &str, words: &[&str]) -> Run {
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, program]).args(words).current_dir(temp.path()).stdin(Stdio::null());
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TERM"] {
        shell.env_remove(name);
    }
    run(&mut shell)
}

#[test]
#[cfg(target_os = "linux")] // elsewhere a directory in use cannot be removed, or has no name
fn a_working_directory_that_was_removed_is_empty_and_no_error() {
    let temp = TestDir::new();
    let du = in_removed(&temp, "du", &["-s", "."]);
    assert_eq!(du.code, Some(0), "{}", du.stderr);
    let duke = env!("CARGO_BIN_EXE_duke");
    for words in WAYS[..7].iter().chain(&[&["-n"][..], &["-n", "-t", "1", "."]]) {
        let run = in_removed(&temp, duke, words);
        assert_eq!((run.code, run.stderr.as_str()), (du.code, ""), "{words:?}");
    }
    let json = in_removed(&temp, duke, &["--json", "."]).json();
    let totals = json.root().get("totals");
    assert_eq!(["items", "errors"].map(|key| totals.get(key).number()), [0, 0]);
}
