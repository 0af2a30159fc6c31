//! Tests of the trash and the journal. The trash follows the freedesktop.org trash specification. An entry is moved
//! only to a trash on the same mount, and an entry that was replaced after the scan is not moved.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test
#![cfg(target_os = "linux")] // macOS has another layout, which tests/machine.rs tests

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::support::fixtures;
use crate::support::sandbox;
use duke::base::job::Pool;
use duke::scan::Scan;
use duke::testing::delete::journal::{Journal, JournalLine, OperationKind};
use duke::testing::delete::{DeleteScope, NoTrash, Owner, Reason, Selection, Trashing, restore, trash};

const LONG: Duration = Duration::from_secs(60);

fn select(scan: &Scan, paths: &[PathBuf]) -> Selection {
    let places: Vec<_> = paths
        .iter()
        .map(|path| {
            let parent = crate::support::id_of(scan.tree(), path.parent().unwrap());
            (parent, path.file_name().unwrap().as_bytes())
        })
        .collect();
    Selection::new(scan.tree(), places, DeleteScope::Whole)
}

fn owner(home_trash: Option<PathBuf>) -> Owner {
    Owner { home_trash, uid: nix::unistd::geteuid().as_raw() }
}

fn put(selection: &Selection, owner: &Owner) -> Trashing {
    let job = trash(&Pool::new(1).unwrap(), Arc::new(selection.clone()), owner.clone()).unwrap();
    assert_eq!(job.wait(LONG), Some(duke::base::job::JobEnd::Complete));
    Trashing::clone(&job.latest().unwrap())
}

fn back(trashing: &Trashing) -> Trashing {
    let job = restore(&Pool::new(1).unwrap(), Arc::new(trashing.moved.clone())).unwrap();
    assert_eq!(job.wait(LONG), Some(duke::base::job::JobEnd::Complete));
    Trashing::clone(&job.latest().unwrap())
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Returns the paths and inodes of all entries below a directory.
fn inventory(root: &Path) -> Vec<(PathBuf, u64)> {
    let mut all = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let found = fs::symlink_metadata(&path).unwrap();
            if found.is_dir() {
                waiting.push(path.clone());
            }
            all.push((path, found.ino()));
        }
    }
    all.sort();
    all
}

/// Decodes the path in an info file.
fn unquoted(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes();
    let mut path = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
            path.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
        } else {
            path.push(byte);
        }
    }
    path
}

#[test]
fn the_home_trash_stores_and_restores() {
    if !sandbox::enter("the_home_trash_stores_and_restores") {
        return;
    }
    let (home, fixture) = (fixtures::empty(), fixtures::weird_names());
    let owner = owner(Some(home.join("data/Trash")));
    let before = inventory(fixture.path());
    let scan = crate::support::scan(fixture.path(), 2);
    let paths: Vec<PathBuf> =
        fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let trashing = put(&select(&scan, &paths), &owner);
    assert_eq!((trashing.moved.len(), trashing.failures.count), (paths.len(), 0), "{:?}", trashing.failures);
    assert_eq!(names(fixture.path()), Vec::<String>::new());
    let trash = home.join("data/Trash");
    for directory in [trash.clone(), trash.join("files"), trash.join("info"), home.join("data")] {
        assert_eq!(fs::metadata(&directory).unwrap().mode() & 0o777, 0o700, "{}", directory.display());
    }
    let info = fs::read_dir(trash.join("info")).unwrap().map(|entry| entry.unwrap().path());
    let mut recorded: Vec<Vec<u8>> = info
        .map(|info| {
            assert_eq!(fs::metadata(&info).unwrap().mode() & 0o777, 0o600);
            let text = fs::read_to_string(info).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!((lines.len(), lines[0]), (3, "[Trash Info]"), "{text}");
            let date = lines[2].strip_prefix("DeletionDate=").unwrap();
            assert_eq!((date.len(), &date[10..11]), (19, "T"));
            unquoted(lines[1].strip_prefix("Path=").unwrap())
        })
        .collect();
    let mut expected: Vec<Vec<u8>> = paths.iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect();
    recorded.sort();
    expected.sort();
    assert_eq!(recorded, expected);

    let restored = back(&trashing);
    assert_eq!((restored.moved.len(), restored.failures.count), (paths.len(), 0));
    assert_eq!(inventory(fixture.path()), before);
    assert_eq!(inventory(&trash).len(), 2, "the two directories");
}

#[test]
fn used_names_get_a_number_and_nothing_is_replaced() {
    if !sandbox::enter("used_names_get_a_number_and_nothing_is_replaced") {
        return;
    }
    let (home, fixture) = (fixtures::empty(), fixtures::empty());
    let owner = owner(Some(home.join("Trash")));
    let mut all = Vec::new();
    for round in 0..3 {
        fs::write(fixture.join("same"), format!("{round}")).unwrap();
        let scan = crate::support::scan(fixture.path(), 1);
        all.push(put(&select(&scan, &[fixture.join("same")]), &owner));
        // A name in the trash is not used again, even if the trashed file with that name has no info file.
        fs::write(home.join("Trash/files/same.3"), "somebody's").unwrap();
    }
    assert_eq!(names(&home.join("Trash/files")), ["same", "same.2", "same.3", "same.4"]);
    assert_eq!(
        names(&home.join("Trash/info")),
        ["same.2", "same.4", "same"].map(|name| format!("{name}.trashinfo"))
    );
    fs::write(fixture.join("same"), "new").unwrap();
    let failed = back(&all[1]);
    assert_eq!(failed.failures.first[0].reason, Reason::System(nix::errno::Errno::EEXIST as i32));
    assert_eq!(fs::read(fixture.join("same")).unwrap(), b"new");
    fs::remove_file(fixture.join("same")).unwrap();
    assert_eq!(back(&all[1]).failures.count, 0);
    assert_eq!(fs::read(fixture.join("same")).unwrap(), b"1");
}

#[test]
fn another_users_home_gets_no_trash() {
    if !sandbox::enter("another_users_home_gets_no_trash") {
        return;
    }
    let fixture = fixtures::empty();
    let home = fixture.join("home");
    fs::create_dir(&home).unwrap();
    fs::write(fixture.join("file"), "content").unwrap();
    if std::os::unix::fs::chown(&home, Some(12_345), None).is_err() {
        return crate::support::skip("only root can give a folder to another user");
    }
    let scan = crate::support::scan(fixture.path(), 1);
    let done = put(&select(&scan, &[fixture.join("file")]), &owner(Some(home.join(".local/share/Trash"))));
    assert_eq!(names(&home), Vec::<String>::new());
    assert!(done.moved.iter().all(|moved| !moved.trash.starts_with(&home)));
}

#[test]
fn a_planted_trash_is_not_used() {
    if !sandbox::enter("a_planted_trash_is_not_used") {
        return;
    }
    let fixture = fixtures::empty();
    let uid = owner(None).uid;
    // This file blocks the trash of the mount, which would take the entries that cannot go to the home trash.
    fs::write(format!("/tmp/.Trash-{uid}"), "").unwrap();
    let other = Some(12_345);
    let home = fixture.join("home");
    let mut ways = vec!["link", "mode"];
    if std::os::unix::fs::chown(fixture.path(), other, None).is_ok() {
        std::os::unix::fs::chown(fixture.path(), Some(uid), None).unwrap();
        ways.push("owner");
    } else {
        crate::support::skip("only root can give a folder to another user");
    }
    for component in ["", "files", "info"] {
        for way in &ways {
            let trash = home.join("share/Trash");
            fs::create_dir_all(trash.join("files")).unwrap();
            fs::create_dir_all(trash.join("info")).unwrap();
            fs::write(fixture.join("file"), "content").unwrap();
            let scan = crate::support::scan(fixture.path(), 1);
            let selection = select(&scan, &[fixture.join("file")]);
            let spoiled = if component.is_empty() { trash.clone() } else { trash.join(component) };
            let elsewhere = fixture.join("elsewhere");
            let expected = match *way {
                "link" => {
                    fs::rename(&spoiled, &elsewhere).unwrap();
                    symlink(&elsewhere, &spoiled).unwrap();
                    let planted = std::os::unix::fs::lchown(&spoiled, other, None).is_ok();
                    match (component, planted) {
                        ("", false) => None,
                        ("", true) => Some(NoTrash::Foreign),
                        _ => Some(NoTrash::NoDirectory),
                    }
                }
                "mode" => {
                    fs::set_permissions(&spoiled, fs::Permissions::from_mode(0o777)).unwrap();
                    Some(NoTrash::Writable)
                }
                _ => {
                    std::os::unix::fs::chown(&spoiled, other, None).unwrap();
                    Some(NoTrash::Foreign)
                }
            };
            let before = inventory(&home);
            let done = put(&selection, &owner(Some(trash)));
            let reasons: Vec<_> = done.failures.first.iter().map(|failure| failure.reason).collect();
            let expected: Vec<_> = expected.into_iter().map(Reason::NoTrash).collect();
            assert_eq!(reasons, expected, "{component} {way}");
            assert_eq!(inventory(&home), before, "{component} {way}");
            let _ = fs::remove_dir_all(&elsewhere);
            fs::remove_dir_all(&home).unwrap();
        }
    }
}

fn mount_tmpfs(at: &Path) {
    fs::create_dir_all(at).unwrap();
    let status = Command::new("mount").args(["-t", "tmpfs", "none"]).arg(at).status().unwrap();
    assert!(status.success());
}

#[test]
fn another_mount_has_a_trash_of_its_own_or_none() {
    if !cfg!(target_os = "linux") || !sandbox::enter("another_mount_has_a_trash_of_its_own_or_none") {
        return;
    }
    let (home, temp) = (fixtures::empty(), fixtures::empty());
    let owner = owner(Some(home.join("Trash")));
    let uid = owner.uid;
    let top = temp.join("disk");
    mount_tmpfs(&top);
    let fresh = || {
        fs::create_dir_all(top.join("a/b")).unwrap();
        fixtures::file(top.join("a/b/c %"), 1_000).unwrap();
        let scan = crate::support::scan(temp.path(), 1);
        select(&scan, &[top.join("a/b/c %")])
    };
    let trashes = || (top.join(format!(".Trash-{uid}")), top.join(format!(".Trash/{uid}")));
    let (alone, shared) = trashes();

    // Neither `.Trash` nor `.Trash-UID` exists, so `.Trash-UID` is created. The path in an info file is relative to
    // the mount point.
    let done = put(&fresh(), &owner);
    assert_eq!(done.failures.count, 0, "{:?}", done.failures);
    let info = fs::read_to_string(alone.join("info/c %.trashinfo")).unwrap();
    assert_eq!(info.lines().nth(1), Some("Path=a/b/c%20%25"));
    assert_eq!(fs::metadata(&alone).unwrap().mode() & 0o777, 0o700);
    assert!(!home.join("Trash").exists(), "nothing of another mount goes to the home");
    assert_eq!(back(&done).failures.count, 0);
    fs::remove_dir_all(&alone).unwrap();

    // A shared trash must not be used if `.Trash` is a symbolic link or lacks the sticky bit.
    fs::create_dir(top.join(".Trash")).unwrap();
    fs::set_permissions(top.join(".Trash"), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(put(&fresh(), &owner).failures.count == 0 && alone.exists() && !shared.exists());
    fs::remove_dir_all(&alone).unwrap();
    fs::rename(top.join(".Trash"), top.join("elsewhere")).unwrap();
    symlink("elsewhere", top.join(".Trash")).unwrap();
    fs::set_permissions(top.join("elsewhere"), fs::Permissions::from_mode(0o1777)).unwrap();
    assert!(put(&fresh(), &owner).failures.count == 0 && alone.exists() && !shared.exists());
    fs::remove_dir_all(&alone).unwrap();
    fs::remove_file(top.join(".Trash")).unwrap();
    fs::rename(top.join("elsewhere"), top.join(".Trash")).unwrap();
    assert!(put(&fresh(), &owner).failures.count == 0 && !alone.exists() && shared.exists());

    // A `.Trash-UID` that is a symbolic link or belongs to another user must not be used either. Nothing is moved.
    fs::remove_dir_all(top.join(".Trash")).unwrap();
    symlink(home.path(), &alone).unwrap();
    let selection = fresh();
    let refused = put(&selection, &owner);
    assert_eq!(refused.failures.first[0].reason, Reason::NoTrash(NoTrash::NoDirectory));
    assert!(top.join("a/b/c %").exists() && refused.moved.is_empty());
    assert_eq!(names(home.path()), Vec::<String>::new());
    fs::remove_file(&alone).unwrap();
    fs::create_dir(&alone).unwrap();
    if std::os::unix::fs::chown(&alone, Some(12_345), None).is_ok() {
        assert_eq!(put(&selection, &owner).failures.first[0].reason, Reason::NoTrash(NoTrash::Foreign));
    }
    // For a read-only disk, the error says that the file system is read-only, and not that it has no trash.
    fs::remove_dir_all(&alone).unwrap();
    let read_only = Command::new("mount").args(["-o", "remount,ro"]).arg(&top).status().unwrap();
    assert!(read_only.success());
    let reason = put(&selection, &owner).failures.first[0].reason;
    assert_eq!(reason, Reason::NoTrash(NoTrash::System(nix::errno::Errno::EROFS as i32)));
    assert_eq!(reason.text(), "trash not available: read-only file system");
}

#[test]
fn a_directory_with_a_mount_is_kept() {
    if !cfg!(target_os = "linux") || !sandbox::enter("a_directory_with_a_mount_is_kept") {
        return;
    }
    let (home, temp) = (fixtures::empty(), fixtures::empty());
    let owner = owner(Some(home.join("Trash")));
    fs::create_dir_all(temp.join("holds/deep")).unwrap();
    fs::create_dir_all(temp.join("holds/deep and more")).unwrap();
    mount_tmpfs(&temp.join("holds/deep/mount"));
    fs::write(temp.join("holds/deep/mount/precious"), "x").unwrap();
    let scan = crate::support::scan(temp.path(), 1);
    for holding in ["holds", "holds/deep", "holds/deep/mount"] {
        let done = put(&select(&scan, &[temp.join(holding)]), &owner);
        assert_eq!((done.moved.len(), done.failures.first[0].reason), (0, Reason::Mount), "{holding}");
    }
    assert!(temp.join("holds/deep/mount/precious").exists());
    assert_eq!(put(&select(&scan, &[temp.join("holds/deep and more")]), &owner).failures.count, 0);
}

#[test]
fn replaced_entries_are_not_trashed() {
    if !sandbox::enter("replaced_entries_are_not_trashed") {
        return;
    }
    let (home, fixture) = (fixtures::empty(), fixtures::plain());
    let owner = owner(Some(home.join("Trash")));
    let scan = crate::support::scan(fixture.path(), 1);
    let selection = select(&scan, &[fixture.join("a/b"), fixture.join("empty")]);
    fs::rename(fixture.join("a/b"), fixture.join("a/other")).unwrap();
    symlink(home.path(), fixture.join("a/b")).unwrap();
    let done = put(&selection, &owner);
    assert_eq!(done.failures.first[0].reason, Reason::Changed);
    assert_eq!((done.failures.count, done.moved.len(), done.failed), (1, 1, vec![1]));
}

#[test]
fn the_journal_is_private_and_each_line_is_json() {
    let fixture = fixtures::empty();
    let journal = Journal::in_directory(fixture.join("state/duke"));
    let paths: [&[u8]; 4] = [b"/plain", b"/new\nline\x1b[31m\"", b"/same\xff", b"/same\xfe"];
    let line = |path: &&[u8]| JournalLine {
        kind: OperationKind::Delete,
        path: path.to_vec(),
        entries: Some(3),
        bytes: 4096,
        result: "done".into(),
    };
    journal.append(&paths.iter().map(line).collect::<Vec<_>>()).unwrap();
    fs::set_permissions(journal.path(), fs::Permissions::from_mode(0o666)).unwrap();
    journal.append(&paths.iter().map(line).collect::<Vec<_>>()).unwrap();
    assert_eq!(fs::metadata(journal.path()).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(fixture.join("state/duke")).unwrap().mode() & 0o777, 0o700);
    let text = fs::read_to_string(journal.path()).unwrap();
    assert_eq!(text.lines().count(), 8);
    assert!(!text.contains('\x1b'));
    for (line, path) in text.lines().zip(paths.iter().chain(&paths)) {
        let value = crate::program::json::parse(line.as_bytes()).unwrap();
        let _ = value;
        assert!(
            line.starts_with("{\"time\":\"2")
                && line.ends_with("\"entries\":3,\"bytes\":4096,\"result\":\"done\"}")
        );
        assert_eq!(line.contains("path_base64"), std::str::from_utf8(path).is_err());
    }
    // The journal is never written through a link or to anything but a regular file.
    for spoil in ["link", "directory"] {
        let journal = Journal::in_directory(fixture.join(spoil));
        fs::create_dir(fixture.join(spoil)).unwrap();
        match spoil {
            "link" => symlink(fixture.join("target"), journal.path()).unwrap(),
            _ => fs::create_dir(journal.path()).unwrap(),
        }
        assert!(journal.append(&[line(&paths[0])]).is_err());
    }
    assert!(!fixture.join("target").exists());
}

#[test]
fn a_journal_line_after_a_truncated_one_can_be_read() {
    if !cfg!(target_os = "linux") || !sandbox::enter("a_journal_line_after_a_truncated_one_can_be_read") {
        return;
    }
    let temp = fixtures::empty();
    let disk = temp.join("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(&disk).status();
    assert!(mounted.unwrap().success());
    let journal = Journal::in_directory(disk.join("duke"));
    let line = |path: &str| JournalLine {
        kind: OperationKind::Delete,
        path: path.as_bytes().to_vec(),
        entries: None,
        bytes: 0,
        result: "done".into(),
    };
    journal.append(&[line("/first")]).unwrap();
    fs::write(disk.join("large"), vec![b'x'; 40 << 10]).unwrap();
    let mut written = 1;
    let full = loop {
        match journal.append(&[line("/between")]) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(full.raw_os_error(), Some(nix::errno::Errno::ENOSPC as i32));
    let torn = fs::read(journal.path()).unwrap();
    assert_ne!(torn.last(), Some(&b'\n'), "the disk was full in the middle of a line");
    fs::remove_file(disk.join("large")).unwrap();
    journal.append(&[line("/behind"), line("/last")]).unwrap();
    journal.append(&[line("/more")]).unwrap();

    let text = fs::read(journal.path()).unwrap();
    assert!(text.starts_with(&torn));
    let lines: Vec<&[u8]> = text.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n').collect();
    let paths: Vec<String> = lines
        .iter()
        .filter_map(|line| crate::program::json::parse(line).ok())
        .map(|line| line.root().get("path").text().to_owned())
        .collect();
    assert_eq!((paths.len(), lines.len()), (written + 3, written + 4), "one line is damaged");
    assert_eq!(paths[written..], ["/behind", "/last", "/more"]);
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
}

#[test]
fn no_journal_is_created_in_another_users_folder() {
    if !crate::support::child::is_root() {
        return crate::support::skip("only root can give a folder to another user");
    }
    let fixture = fixtures::empty();
    let home = fixture.join("home");
    fs::create_dir_all(home.join("state/duke")).unwrap();
    std::os::unix::fs::chown(&home, Some(65_534), None).unwrap();
    std::os::unix::fs::chown(home.join("state/duke"), Some(65_534), None).unwrap();
    let line = JournalLine {
        kind: OperationKind::Delete,
        path: b"/x".to_vec(),
        entries: None,
        bytes: 0,
        result: "begun".into(),
    };
    // The first folder exists, and the second would have to be created.
    for folder in ["state/duke", ".local/state/duke"] {
        let journal = Journal::in_directory(home.join(folder));
        let refused = journal.append(std::slice::from_ref(&line)).unwrap_err();
        let words = refused.to_string();
        assert!(
            words.contains("home: belongs to ") && words.ends_with(", but duke runs as root; use sudo -H"),
            "{words}"
        );
        assert!(!journal.path().exists());
    }
    assert!(!home.join(".local").exists());
}
