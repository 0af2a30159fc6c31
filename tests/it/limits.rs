//! Tests of scans with low limits on descriptors, threads and address space. Each test that lowers a limit runs in a
//! process of its own.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use crate::support::fixtures::{self, Fixture};
#[cfg(target_os = "linux")]
use crate::support::image;
use crate::support::{child, naive};
use duke::scan::{Options, Outcome, Scan};
use duke::tree::{DirId, Totals};
use nix::sys::resource::{Resource, setrlimit};

/// Sets the soft and the hard limit.
fn limit(resource: Resource, to: u64) {
    setrlimit(resource, to, to).unwrap();
}

/// Scans `root`, and compares the totals with `expected`.
fn scans(root: &Path, threads: Option<usize>, expected: Totals) {
    let scan = Scan::run(vec![root.to_owned()], Options { threads, ..Options::default() });
    assert_eq!(scan.outcome(), Some(Outcome::Complete));
    assert_eq!(crate::support::failures(scan.tree()), []);
    assert_eq!(scan.tree().totals(DirId::TOP), expected);
}

/// Creates a tree that has five levels and several hundred directories.
fn forest() -> Fixture {
    Fixture::build(|root| {
        for number in 0..300 {
            let path = root.join(format!("{}/{}/{}/{number}", number % 3, number % 7, number % 11));
            std::fs::create_dir_all(path.join("leaf"))?;
            fixtures::file(path.join("file"), 1_000 * (number % 5))?;
        }
        Ok(())
    })
}

/// Runs `body` with the path and the totals of the fixture [`forest`], in a child process that runs only `test`.
fn with_forest(test: &str, body: impl FnOnce(&Path, Totals)) {
    match child::argument_of(test) {
        None => {
            let fixture = forest();
            child::run(test, &[], fixture.path());
        }
        Some(root) => {
            let root = PathBuf::from(root);
            body(&root, naive::totals(&root));
        }
    }
}

#[test]
fn sixteen_descriptors_are_enough() {
    with_forest("sixteen_descriptors_are_enough", |root, expected| {
        limit(Resource::RLIMIT_NOFILE, 16);
        for threads in [None, Some(1), Some(2), Some(8)] {
            scans(root, threads, expected);
        }
    });
}

#[test]
fn sixty_four_descriptors_are_enough_and_so_are_thirty_more_than_inherited() {
    with_forest(
        "sixty_four_descriptors_are_enough_and_so_are_thirty_more_than_inherited",
        |root, expected| {
            limit(Resource::RLIMIT_NOFILE, 80);
            let inherited: Vec<OwnedFd> = (0..50).map(|_| File::open("/dev/null").unwrap().into()).collect();
            for threads in [None, Some(2), Some(8)] {
                scans(root, threads, expected);
            }
            drop(inherited);
            limit(Resource::RLIMIT_NOFILE, 64);
            for threads in [None, Some(2), Some(8)] {
                scans(root, threads, expected);
            }
        },
    );
}

/// Another thread repeatedly takes all free descriptors and releases them, while a scan needs some of them.
#[test]
fn descriptors_may_run_out_for_a_moment() {
    with_forest("descriptors_may_run_out_for_a_moment", |root, expected| {
        limit(Resource::RLIMIT_NOFILE, 64);
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let taken: Vec<_> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
                    drop(taken);
                }
            });
            for threads in [1, 2, 8] {
                scans(root, Some(threads), expected);
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    });
}

#[test]
fn a_deep_tree_needs_few_descriptors() {
    if !child::alone("a_deep_tree_needs_few_descriptors") {
        return;
    }
    let fixture = fixtures::chain(600, "level");
    let expected = naive::totals(fixture.path());
    limit(Resource::RLIMIT_NOFILE, 16);
    scans(fixture.path(), None, expected);
}

#[cfg(target_os = "linux")] // elsewhere no limit counts threads
#[test]
fn no_thread_at_all_is_enough() {
    if !child::alone("no_thread_at_all_is_enough") {
        return;
    }
    child::become_nobody();
    let fixture = forest();
    let expected = naive::totals(fixture.path());
    limit(Resource::RLIMIT_NPROC, 0);
    if std::thread::Builder::new().spawn(|| ()).is_ok() {
        return crate::support::skip("threads cannot be forbidden here");
    }
    for threads in [None, Some(1), Some(8)] {
        scans(fixture.path(), threads, expected);
    }
    assert!(Scan::start(vec![fixture.path().to_owned()], Options::default()).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn one_processor_is_enough() {
    const NAME: &str = "one_processor_is_enough";
    if let Some(root) = child::argument_of(NAME) {
        let root = PathBuf::from(root);
        for threads in [None, Some(1), Some(8)] {
            scans(&root, threads, naive::totals(&root));
        }
    } else if image::succeeds(std::process::Command::new("taskset").args(["-c", "0", "true"])) {
        let fixture = forest();
        child::run(NAME, &["taskset", "-c", "0"], fixture.path());
    } else {
        crate::support::skip("no taskset, or no processor 0");
    }
}

/// Each entry has an eleven-byte name, sizes and a time. An entry took 28 bytes when this test was written.
#[cfg(target_os = "linux")]
#[test]
fn an_entry_takes_at_most_forty_bytes_with_its_name() {
    const ENTRIES: u64 = 150_000;
    if !child::alone("an_entry_takes_at_most_forty_bytes_with_its_name") {
        return;
    }
    let fixture = fixtures::crowd(usize::try_from(ENTRIES).unwrap());
    let scan = |root: &Path| Scan::run(vec![root.to_owned()], Options::default());
    // The first scan makes all allocations that occur only once per process. They are therefore not counted below.
    let first = scan(&fixture.join("directory"));
    let before = resident();
    let second = scan(fixture.path());
    let taken = resident().saturating_sub(before);
    assert_eq!(second.tree().totals(DirId::TOP).items, ENTRIES + 2);
    assert!(taken < 40 * ENTRIES, "{taken} bytes for {ENTRIES} entries");
    drop(first);
}

/// Returns the resident memory of this process in bytes (proc(5)).
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn few_addresses_are_enough() {
    with_forest("few_addresses_are_enough", |root, expected| {
        let before = threads();
        for megabytes in [512, 384, 256, 192] {
            limit(Resource::RLIMIT_AS, megabytes << 20);
            for threads in [None, Some(1), Some(64)] {
                scans(root, threads, expected);
                await_threads(before);
            }
        }
    });
}

/// Returns the number of threads of this process, or `None` if the system does not report them (proc(5)).
fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

/// Waits until this process has at most `most` threads. On a busy machine, threads of the previous scan end late, and
/// their stacks occupy address space until then. Gives up after a minute.
fn await_threads(most: Option<usize>) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while threads() > most && std::time::Instant::now() < end {
        std::thread::yield_now();
    }
}

#[test]
fn any_number_of_threads_may_be_asked_for() {
    with_forest("any_number_of_threads_may_be_asked_for", |root, expected| {
        limit(Resource::RLIMIT_NOFILE, 1_024);
        for threads in [0, 1, 3, 1_000, usize::MAX] {
            scans(root, Some(threads), expected);
        }
    });
}

#[test]
fn a_small_stack_is_enough_for_fifty_thousand_levels() {
    let fixture = fixtures::chain(50_000, "d");
    let root = fixture.path().to_owned();
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let scanned = thread.spawn(move || {
        let scan = crate::support::scan(&root, 2);
        let deepest =
            duke::tree::Walk::new(scan.tree(), DirId::TOP).last().map(|(id, _)| scan.tree().path(id).len());
        (scan.tree().totals(DirId::TOP).items, deepest.unwrap() - OsStr::len(root.as_os_str()))
        // The tree is dropped here, on the small stack.
    });
    assert_eq!(scanned.unwrap().join().unwrap(), (100_001, 100_000));
}
