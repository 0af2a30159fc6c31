//! Tests of scans in which system calls fail. `strace -e inject` injects the failures.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::support::{child, fixtures, naive};
use duke::scan::Outcome;
use duke::tree::{DirId, Totals};

/// Result of a scan, and the expected disk usage.
struct Found {
    root: PathBuf,
    totals: Totals,
    failures: Vec<(PathBuf, i32)>,
    whole_disk: u64,
}

impl Found {
    fn is_whole(&self) {
        assert_eq!(self.failures, []);
        assert_eq!(self.totals.disk, self.whole_disk);
    }
}

/// Scans a fixture in a child process in which system calls fail, and runs `check` on the result. `faults` are
/// arguments of `strace -e`.
///
/// The child attaches `strace` to itself, so that the calls of the program loader do not fail. `strace` counts the
/// calls that each thread makes after that.
fn with_faults(test: &str, faults: &[&str], check: impl FnOnce(&Found)) {
    if let Some(argument) = child::argument_of(test) {
        let argument = argument.into_string().unwrap();
        let mut words = argument.splitn(3, ' ');
        let whole_disk = words.next().unwrap().parse().unwrap();
        let (log, root) = (words.next().unwrap(), PathBuf::from(words.next().unwrap()));
        let Some(tracer) = trace(log, faults) else {
            return crate::support::skip(&format!("{test}: no strace that injects"));
        };
        let scan = crate::support::scan(&root, 2);
        assert_eq!(scan.outcome(), Some(Outcome::Complete));
        crate::support::assert_sums_agree(scan.tree());
        let (totals, failures) = (scan.tree().totals(DirId::TOP), crate::support::failures(scan.tree()));
        check(&Found { root, totals, failures, whole_disk });
        return drop(tracer);
    }
    let fixture = fixtures::hard_links();
    let log = tempfile::NamedTempFile::new().unwrap();
    let (disk, path) = (naive::du(fixture.path()), fixture.path().display());
    child::run(test, &[], format!("{disk} {} {path}", log.path().display()));
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert!(log.is_empty() || log.contains("(INJECTED)"), "{test}: no call failed");
}

/// `strace` process that is attached to this process.
pub struct Tracer {
    strace: Child,
    /// Pipe to which `strace` writes messages. It is kept open, because writing to a closed pipe would fail.
    _messages: BufReader<ChildStderr>,
}

impl Drop for Tracer {
    /// Detaches `strace`, which could otherwise wait forever if this process exits just after starting a thread.
    fn drop(&mut self) {
        let id = i32::try_from(self.strace.id()).unwrap();
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGTERM).unwrap();
        self.strace.wait().unwrap();
    }
}

/// Attaches `strace` to this process. The output goes to the file `log`. Returns `None` if attaching fails.
pub fn trace(log: &str, faults: &[&str]) -> Option<Tracer> {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-o", log, "-p", &std::process::id().to_string()]);
    strace.args(faults.iter().flat_map(|fault| ["-e", fault])).stderr(Stdio::piped());
    let mut strace = strace.spawn().ok()?;
    let mut messages = BufReader::new(strace.stderr.take()?);
    let mut first_line = String::new();
    messages.read_line(&mut first_line).ok()?;
    let tracer = Tracer { strace, _messages: messages };
    first_line.contains(" attached").then_some(tracer)
}

#[test]
fn an_interrupted_listing_is_continued() {
    let fault = ["inject=getdents64:error=EINTR:when=2+3"];
    with_faults("an_interrupted_listing_is_continued", &fault, Found::is_whole);
}

#[test]
fn interrupted_opens_and_attributes_are_retried() {
    let faults = ["inject=openat:error=EINTR:when=2+3", "inject=statx:error=EINTR:when=2+3"];
    with_faults("interrupted_opens_and_attributes_are_retried", &faults, Found::is_whole);
}

#[test]
fn fstatat_replaces_a_missing_statx() {
    let fault = ["inject=statx:error=ENOSYS"];
    with_faults("fstatat_replaces_a_missing_statx", &fault, Found::is_whole);
}

#[test]
fn fstatat_replaces_a_refused_statx() {
    let fault = ["inject=statx:error=EPERM"];
    with_faults("fstatat_replaces_a_refused_statx", &fault, Found::is_whole);
}

/// Every fifth getdents64 call fails with `EIO`. Each failure counts as one error of its directory. The scan goes on.
#[test]
fn a_listing_that_fails_is_an_error_of_its_directory() {
    let fault = ["inject=getdents64:error=EIO:when=2+5"];
    with_faults(
        "a_listing_that_fails_is_an_error_of_its_directory",
        &fault,
        |Found { root, totals, failures, .. }| {
            assert!((1..8).contains(&failures.len()), "{failures:?}");
            assert!(failures.iter().all(|(path, errno)| path.starts_with(root) && *errno == 5));
            assert_eq!(totals.errors as usize, failures.len());
            assert!(totals.disk > 0);
        },
    );
}

#[test]
fn attributes_that_fail_are_an_error_of_their_entry() {
    let fault = ["inject=statx:error=EIO:when=20+50"];
    with_faults(
        "attributes_that_fail_are_an_error_of_their_entry",
        &fault,
        |Found { totals, failures, .. }| {
            assert!((2..20).contains(&failures.len()), "{failures:?}");
            assert_eq!(totals.errors as usize, failures.len());
            assert!(totals.items > 150);
        },
    );
}

#[test]
fn descriptors_that_run_out_for_a_moment_lose_nothing() {
    let fault = ["inject=openat:error=EMFILE:when=2+2"];
    with_faults("descriptors_that_run_out_for_a_moment_lose_nothing", &fault, Found::is_whole);
}
