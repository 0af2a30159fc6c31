//! Tests on a file system that reports wrong names, kinds, identities and sizes. A C program implements the file
//! system. The tests are skipped if the program cannot be compiled or the file system cannot be mounted.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

mod recursive;
mod server;

use std::time::{Duration, Instant};

use crate::session::Session;
use duke::scan::{Options, Outcome, Scan};
use duke::tree::{DirId, Totals};
use nix::errno::Errno;
use server::Server;

/// Disk usage in bytes (16 blocks of 512 bytes) that `file_system.c` reports for every file and directory except the
/// files `absurd-1` and `absurd-2`.
const EACH: u64 = 16 * 512;

/// Time after which a scan is considered hung.
const PATIENCE: Duration = Duration::from_secs(30);

/// Mounts the file system that reports wrong metadata.
fn lies() -> Result<Server, &'static str> {
    Server::mount("file_system.c", &[], "repeats")
}

#[test]
fn a_listing_without_an_end_can_be_stopped() {
    let lies = match lies() {
        Ok(lies) => lies,
        Err(reason) => return crate::support::skip(reason),
    };
    for threads in [1, 2] {
        let options = Options { threads: Some(threads), ..Options::default() };
        let scan = Scan::start(vec![lies.path().join("endless")], options).unwrap();
        let begun = Instant::now();
        while scan.progress().entries < 10_000 && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        scan.stop();
        assert_eq!(scan.wait(PATIENCE), Some(Outcome::Stopped));
        assert!(scan.tree().totals(DirId::TOP).items >= 10_000, "what was read is kept");
    }
}

/// A process that waits for a FUSE server to open a file cannot be killed, so the preview must not open the file.
#[test]
fn a_file_that_never_opens_blocks_neither_keys_nor_quitting() {
    let lies = match lies() {
        Ok(lies) => lies,
        Err(reason) => return crate::support::skip(reason),
    };
    let mut session = Session::start(&lies.path().join("hangs"));
    session.resize(24, 160);
    session.press("n");
    session.wait_for_text("1 of 3");
    session.wait_for_text("Contents not read");
    for (key, place) in [("j", "2 of 3"), ("G", "3 of 3"), ("g", "1 of 3"), ("2", "Largest")] {
        let begun = Instant::now();
        session.press(key);
        session.wait_for_text(place);
        assert!(begun.elapsed() < Duration::from_secs(5), "{key} took {:?}", begun.elapsed());
        session.drain(Duration::from_millis(300));
    }
    let begun = Instant::now();
    session.press("qq");
    assert!(session.end().success());
    assert!(begun.elapsed() < Duration::from_secs(5), "quitting took {:?}", begun.elapsed());
}

#[test]
fn wrong_data_of_a_file_system_is_handled() {
    let lies = match lies() {
        Ok(lies) => lies,
        Err(reason) => return crate::support::skip(reason),
    };
    let root = lies.path();
    for threads in [1, 2, 8] {
        let scan = crate::support::scan(&root, threads);
        assert_eq!(scan.outcome(), Some(Outcome::Complete));
        let tree = scan.tree();
        crate::support::assert_sums_agree(tree);
        let totals = |name: &str| tree.totals(crate::support::id_of(tree, &root.join(name)));
        let of = |entries: u64, errors: u32| Totals {
            disk: (entries + 1) * EACH,
            apparent: (entries + 1) * 4096,
            items: entries,
            errors,
        };
        assert_eq!(totals("repeats"), of(3, 0), "a name counts once");
        assert_eq!(totals("types"), of(3, 0), "the kind is asked for, not believed");
        assert_eq!(totals("breaks"), of(0, 1));
        // `again` has the identity of its parent directory, which is an error. It adds one item, but no size.
        assert_eq!(totals("loops"), Totals { items: 2, ..of(1, 1) });
        assert_eq!(totals("huge").disk, u64::MAX, "at least that much");
        let failures = [("breaks", Errno::EIO), ("loops/again", Errno::ELOOP)];
        assert_eq!(
            crate::support::failures(tree),
            failures.map(|(name, errno)| (root.join(name), errno as i32))
        );
        assert_eq!(tree.totals(DirId::TOP).errors, 2);
        let below = crate::support::scan(&root.join("loops"), threads);
        assert_eq!(below.tree().totals(DirId::TOP).items, 2, "also from the directory itself");
    }
}
