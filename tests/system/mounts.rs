//! Tests of mounted file systems below a root. Each test runs in its own mount namespace.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::fixtures::{self, Fixture};
use crate::support::image::{in_namespace, mount};
use crate::support::naive;
use duke::scan::{Mounts, Options, OtherParts, Outcome, Scan};
use duke::tree::{DirId, EntryState, Exclusion};
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};

fn exclusions(scan: &Scan, id: DirId) -> Vec<(String, Exclusion)> {
    let listing = scan.tree().listing(id);
    let excluded = |record: duke::tree::Entry<'_>| match record.state {
        EntryState::Excluded(reason) => Some((String::from_utf8_lossy(record.name).into_owned(), reason)),
        _ => None,
    };
    listing.entries().filter_map(|(_, record)| excluded(record)).collect()
}

fn first_root(scan: &Scan) -> DirId {
    scan.tree().listing(DirId::TOP).directories().next().expect("there is a root")
}

/// Creates a directory with two tmpfs file systems, mounted on `tmpfs` and `below/tmpfs`. Each contains a file of
/// 20,000 bytes.
fn with_tmpfs() -> Fixture {
    Fixture::build(|root| {
        fixtures::file(root.join("outside"), 10_000)?;
        for name in ["tmpfs", "below/tmpfs"] {
            fs::create_dir_all(root.join(name))?;
            mount(&["-t", "tmpfs", "none"], &root.join(name));
            fs::create_dir(root.join(name).join("inner"))?;
            fixtures::file(root.join(name).join("inner/file"), 20_000)?;
        }
        Ok(())
    })
}

fn options(mounts: Mounts) -> Options {
    Options { mounts, threads: Some(2), ..Options::default() }
}

#[test]
fn other_file_systems_are_entered_unless_disabled() {
    if !in_namespace("other_file_systems_are_entered_unless_disabled") {
        return;
    }
    let fixture = with_tmpfs();
    let all = crate::support::scan_with(fixture.path(), options(Mounts::Real));
    assert_eq!(all.tree().totals(DirId::TOP), naive::totals(fixture.path()));
    crate::support::assert_sums_agree(all.tree());

    let one = crate::support::scan_with(fixture.path(), options(Mounts::None));
    let output = Command::new("du").args(["-sx", "-B1"]).arg(fixture.path()).output().unwrap();
    let du = String::from_utf8(output.stdout).unwrap();
    let totals = one.tree().totals(DirId::TOP);
    assert_eq!(Some(totals.disk.to_string().as_str()), du.split('\t').next());
    assert_eq!((totals.items, totals.errors), (2, 0), "the file and the directory below");
    assert_eq!(exclusions(&one, first_root(&one)), [("tmpfs".into(), Exclusion::OtherFileSystem)]);
    crate::support::assert_sums_agree(one.tree());
}

#[test]
fn the_expected_size_is_known_only_for_a_whole_file_system() {
    if !in_namespace("the_expected_size_is_known_only_for_a_whole_file_system") {
        return;
    }
    let fixture = with_tmpfs();
    fs::create_dir(fixture.join("part")).unwrap();
    let whole = fixture.join("tmpfs");
    mount(&["--bind", whole.join("inner").to_str().unwrap()], &fixture.join("part"));
    let expected =
        |path: &Path, mounts| crate::support::scan_with(path, options(mounts)).progress().expected.is_some();
    assert!(expected(&whole, Mounts::None));
    assert!(!expected(&whole, Mounts::Real), "nobody asked for one file system");
    assert!(!expected(&whole.join("inner"), Mounts::None), "below the mount point");
    assert!(!expected(&fixture.join("part"), Mounts::None), "one directory of it is mounted");
    let shallow = Options { other_parts: OtherParts::below(1), ..options(Mounts::None) };
    assert_eq!(crate::support::scan_with(&whole, shallow).progress().expected, None, "not all of it is read");
}

#[test]
fn every_root_has_a_file_system_of_its_own() {
    if !in_namespace("every_root_has_a_file_system_of_its_own") {
        return;
    }
    let fixture = with_tmpfs();
    let inner = fixture.join("tmpfs");
    let own = naive::totals(&inner);
    // The mounted directory is excluded from the first root, so it is read as the second root.
    let roots = vec![fixture.path().to_owned(), inner.clone(), fixture.join("outside")];
    let scan = Scan::run(roots, options(Mounts::None));
    let directories: Vec<_> = crate::support::directories(scan.tree());
    let found = directories.iter().find(|(path, _)| *path == inner).map(|(_, totals)| *totals);
    assert_eq!(found, Some(own));
    assert_eq!(scan.tree().totals(DirId::TOP).disk, directories[0].1.disk + own.disk, "the file counts once");
    // The mounted directory is part of the first root, so it is not read again as the second root.
    let scan = Scan::run(vec![fixture.path().to_owned(), inner.clone()], options(Mounts::Real));
    assert_eq!(scan.tree().totals(DirId::TOP), naive::totals(fixture.path()));
}

#[test]
fn a_mount_of_an_ancestor_is_not_entered() {
    if !in_namespace("a_mount_of_an_ancestor_is_not_entered") {
        return;
    }
    let fixture = fixtures::plain();
    let before = naive::totals(fixture.path());
    let loops = fixture.join("a/b/c/loop");
    fs::create_dir(&loops).unwrap();
    mount(&["--rbind", fixture.path().to_str().unwrap()], &loops);
    for threads in [1, 2, 8] {
        let scan = crate::support::scan(fixture.path(), threads);
        let totals = scan.tree().totals(DirId::TOP);
        assert_eq!((totals.items, totals.errors), (before.items, 0), "the mount is shown and not counted");
        assert!(totals.disk >= before.disk);
        crate::support::assert_sums_agree(scan.tree());
    }
    let scan = crate::support::scan(&loops, 2);
    assert_eq!(
        scan.tree().totals(DirId::TOP).items,
        before.items + 1,
        "as a root it is entered: the loop is in it"
    );
}

#[test]
fn kernel_file_systems_are_entered_only_on_request() {
    if !in_namespace("kernel_file_systems_are_entered_only_on_request") {
        return;
    }
    let fixture = fixtures::plain();
    let before = crate::support::scan(fixture.path(), 1).tree().totals(DirId::TOP);
    let path = fixture.join("empty/inside");
    mount(&["-t", "sysfs", "none"], &path);
    let scan = crate::support::scan_with(fixture.path(), options(Mounts::Real));
    let totals = scan.tree().totals(DirId::TOP);
    assert_eq!((totals.items, totals.errors), (before.items - 1, 0));
    let tree = scan.tree();
    let empty = crate::support::id_of(tree, &fixture.join("empty"));
    assert_eq!(exclusions(&scan, empty), [("inside".into(), Exclusion::KernelFileSystem)]);

    let asked = crate::support::scan_with(fixture.path(), options(Mounts::All));
    assert!(asked.tree().totals(DirId::TOP).items > before.items + 1_000);
    let root = crate::support::scan_with(&path, options(Mounts::Real));
    assert!(root.tree().totals(DirId::TOP).items > 1_000, "a root is always entered");
}

#[test]
fn processes_come_and_go_in_proc() {
    let scan = crate::support::scan_with(Path::new("/proc"), options(Mounts::Real));
    assert_eq!(scan.outcome(), Some(duke::scan::Outcome::Complete));
    let totals = scan.tree().totals(DirId::TOP);
    assert!(totals.items > 1_000);
    assert_eq!(totals.disk, 0, "nothing in it takes space");
    crate::support::assert_sums_agree(scan.tree());
}

/// The automount daemon of this test never answers a request, so an access that triggers a mount would block forever.
#[test]
fn an_automounter_is_not_triggered() {
    const NAME: &str = "an_automounter_is_not_triggered";
    if !in_namespace(NAME) {
        return;
    }
    let fixture = fixtures::plain();
    let path = fixture.join("empty/inside");
    // Processes in the automount daemon's process group never trigger a mount, so the test must not be in this group.
    // The daemon is started before the pipe is created, so that the daemon inherits neither end of the pipe.
    let mut daemon = std::os::unix::process::CommandExt::process_group(&mut Command::new("sleep"), 0)
        .arg("30")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (reader, writer) = nix::unistd::pipe().unwrap();
    let options = format!("fd={},pgrp={},minproto=5,maxproto=5,direct", writer.as_raw_fd(), daemon.id());
    let mounted =
        Command::new("mount").args(["-t", "autofs", "-o", &options, "none"]).arg(&path).status().unwrap();
    if mounted.success() {
        let scan = crate::support::scan(fixture.path(), 2);
        let empty = crate::support::id_of(scan.tree(), &fixture.join("empty"));
        assert_eq!(exclusions(&scan, empty), [("inside".into(), Exclusion::KernelFileSystem)]);
        assert!(Command::new("umount").arg(&path).status().unwrap().success());
        drop(writer);
        let mut requests = Vec::new();
        fs::File::from(reader).read_to_end(&mut requests).unwrap();
        assert!(requests.is_empty(), "it was woken");
    } else {
        crate::support::skip(&format!("{NAME}: no autofs here"));
    }
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

/// The network file system in this test never answers, so every call to it would block forever.
#[test]
fn skipped_network_file_systems_get_no_request() {
    const NAME: &str = "skipped_network_file_systems_get_no_request";
    if !in_namespace(NAME) {
        return;
    }
    let fixture = fixtures::plain();
    let path = fixture.join("empty/inside");
    let Ok(server) = fs::OpenOptions::new().read(true).write(true).open("/dev/fuse") else {
        return crate::support::skip(&format!("{NAME}: no /dev/fuse"));
    };
    // Clear the close-on-exec flag, so that the mount program inherits the descriptor.
    fcntl(&server, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();
    let fd = format!("fd={},rootmode=40000,user_id=0,group_id=0,subtype=sshfs", server.as_raw_fd());
    let mounted = Command::new("mount").args(["-i", "-t", "fuse", "-o", &fd, "me@box:"]).arg(&path).status();
    if !mounted.unwrap().success() {
        return crate::support::skip(&format!("{NAME}: no FUSE here"));
    }
    let skipping = Options { skip_network: true, ..options(Mounts::Real) };
    let link = fixture.join("way");
    std::os::unix::fs::symlink(fixture.path(), &link).unwrap();
    for root in [fixture.path(), &link] {
        let scan = Scan::start(vec![root.to_owned()], skipping.clone()).unwrap();
        assert_eq!(scan.wait(Duration::from_secs(20)), Some(Outcome::Complete), "nobody is waited for");
        let empty = crate::support::id_of(scan.tree(), &root.join("empty"));
        assert_eq!(exclusions(&scan, empty), [("inside".into(), Exclusion::OtherFileSystem)]);
        assert_eq!(scan.tree().totals(DirId::TOP).errors, 0);
        // A rescan still recognizes the network file system.
        let again = scan.rescan(empty).unwrap();
        assert_eq!(again.wait(Duration::from_secs(20)), Some(Outcome::Complete));
        let empty = crate::support::id_of(scan.tree(), &root.join("empty"));
        assert_eq!(exclusions(&scan, empty), [("inside".into(), Exclusion::OtherFileSystem)]);
    }
    let mut request = [0; 8192];
    fcntl(&server, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
    let mut codes = Vec::new();
    while let Ok(length) = (&server).read(&mut request) {
        assert!(length >= 8, "a request has a head");
        codes.push(u32::from_ne_bytes(request[4..8].try_into().unwrap()));
    }
    assert_eq!(codes, [FUSE_INIT], "the kernel itself says hello, and nobody else says anything");
}

/// Operation code of the request that the kernel sends to a FUSE server at mount time (linux/fuse.h).
const FUSE_INIT: u32 = 26;

/// A tmpfs is a local file system, so `--skip-network` does not exclude it.
#[test]
fn local_mounts_are_no_network() {
    if !in_namespace("local_mounts_are_no_network") {
        return;
    }
    let fixture = with_tmpfs();
    let skipping = Options { skip_network: true, ..options(Mounts::Real) };
    let scan = crate::support::scan_with(fixture.path(), skipping);
    assert_eq!(scan.tree().totals(DirId::TOP), naive::totals(fixture.path()));
}
