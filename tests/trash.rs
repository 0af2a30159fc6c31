//! The trash, and what is written down: by the specification, on one mount, and never anything else.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test
#![cfg(not(target_os = "macos"))] // another layout, which needs volumes to test

mod program;
mod support;

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use duke::delete::journal::{Deed, Journal, Line};
use duke::delete::{Extent, Owner, Reason, Selection, Trashing, Unusable, restore, script, trash};
use duke::job::Pool;
use duke::scan::Scan;
use support::fixtures::{self, Fixture};
use support::sandbox;

const LONG: Duration = Duration::from_secs(60);

fn select(scan: &Scan, paths: &[PathBuf]) -> Selection {
    let places: Vec<_> = paths
        .iter()
        .map(|path| {
            let parent = support::id_of(scan.tree(), path.parent().unwrap());
            (parent, path.file_name().unwrap().as_bytes())
        })
        .collect();
    Selection::new(scan.tree(), places, Extent::Whole)
}

fn owner(home_trash: Option<PathBuf>) -> Owner {
    Owner { home_trash, uid: nix::unistd::geteuid().as_raw() }
}

fn put(selection: &Selection, owner: &Owner) -> Trashing {
    let job = trash(&Pool::new(1).unwrap(), Arc::new(selection.clone()), owner.clone()).unwrap();
    assert_eq!(job.wait(LONG), Some(duke::job::Outcome::Complete));
    Trashing::clone(&job.latest().unwrap())
}

fn back(trashing: &Trashing) -> Trashing {
    let job = restore(&Pool::new(1).unwrap(), Arc::new(trashing.moved.clone())).unwrap();
    assert_eq!(job.wait(LONG), Some(duke::job::Outcome::Complete));
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

/// Everything below a directory: paths, kinds, inodes.
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

/// An unquoted path of an info file.
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
fn the_home_trash_takes_and_gives_back() {
    if !sandbox::enter("the_home_trash_takes_and_gives_back") {
        return;
    }
    let (home, fixture) = (fixtures::empty(), fixtures::weird_names());
    let owner = owner(Some(home.join("data/Trash")));
    let before = inventory(fixture.path());
    let scan = support::scan(fixture.path(), 2);
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
    let mut told: Vec<Vec<u8>> = info
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
    told.sort();
    expected.sort();
    assert_eq!(told, expected);

    let restored = back(&trashing);
    assert_eq!((restored.moved.len(), restored.failures.count), (paths.len(), 0));
    assert_eq!(inventory(fixture.path()), before);
    assert_eq!(inventory(&trash).len(), 2, "the two directories");
}

#[test]
fn names_that_are_taken_get_a_number_and_nothing_is_replaced() {
    if !sandbox::enter("names_that_are_taken_get_a_number_and_nothing_is_replaced") {
        return;
    }
    let (home, fixture) = (fixtures::empty(), fixtures::empty());
    let owner = owner(Some(home.join("Trash")));
    let mut all = Vec::new();
    for round in 0..3 {
        fs::write(fixture.join("same"), format!("{round}")).unwrap();
        let scan = support::scan(fixture.path(), 1);
        all.push(put(&select(&scan, &[fixture.join("same")]), &owner));
        // A file without a note keeps its name, too.
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
fn the_home_of_somebody_else_gets_no_trash() {
    if !sandbox::enter("the_home_of_somebody_else_gets_no_trash") {
        return;
    }
    let fixture = fixtures::empty();
    let home = fixture.join("home");
    fs::create_dir(&home).unwrap();
    fs::write(fixture.join("file"), "content").unwrap();
    if std::os::unix::fs::chown(&home, Some(12_345), None).is_err() {
        return support::skip("only root can give a folder to somebody else");
    }
    let scan = support::scan(fixture.path(), 1);
    let done = put(&select(&scan, &[fixture.join("file")]), &owner(Some(home.join(".local/share/Trash"))));
    assert_eq!(names(&home), Vec::<String>::new());
    assert!(done.moved.iter().all(|moved| !moved.trash.starts_with(&home)));
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
    let (home, place) = (fixtures::empty(), fixtures::empty());
    let owner = owner(Some(home.join("Trash")));
    let uid = owner.uid;
    let top = place.join("disk");
    mount_tmpfs(&top);
    let fresh = || {
        fs::create_dir_all(top.join("a/b")).unwrap();
        fixtures::file(top.join("a/b/c %"), 1_000).unwrap();
        let scan = support::scan(place.path(), 1);
        select(&scan, &[top.join("a/b/c %")])
    };
    let trashes = || (top.join(format!(".Trash-{uid}")), top.join(format!(".Trash/{uid}")));
    let (alone, shared) = trashes();

    // Neither is there: the user's own is made. Paths are relative to the top.
    let done = put(&fresh(), &owner);
    assert_eq!(done.failures.count, 0, "{:?}", done.failures);
    let info = fs::read_to_string(alone.join("info/c %.trashinfo")).unwrap();
    assert_eq!(info.lines().nth(1), Some("Path=a/b/c%20%25"));
    assert_eq!(fs::metadata(&alone).unwrap().mode() & 0o777, 0o700);
    assert!(!home.join("Trash").exists(), "nothing of another mount goes to the home");
    assert_eq!(back(&done).failures.count, 0);
    fs::remove_dir_all(&alone).unwrap();

    // A shared one without the sticky bit, or one that is a link, is not to be used.
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

    // One that belongs to somebody else is not to be used either, nor is a link: then nothing is done at all.
    fs::remove_dir_all(top.join(".Trash")).unwrap();
    symlink(home.path(), &alone).unwrap();
    let selection = fresh();
    let refused = put(&selection, &owner);
    assert_eq!(refused.failures.first[0].reason, Reason::NoTrash(Unusable::NoDirectory));
    assert!(top.join("a/b/c %").exists() && refused.moved.is_empty());
    assert_eq!(names(home.path()), Vec::<String>::new());
    fs::remove_file(&alone).unwrap();
    fs::create_dir(&alone).unwrap();
    if std::os::unix::fs::chown(&alone, Some(12_345), None).is_ok() {
        assert_eq!(put(&selection, &owner).failures.first[0].reason, Reason::NoTrash(Unusable::Foreign));
    }
    // A disk that cannot be written to says so, and not that there is no trash on it.
    fs::remove_dir_all(&alone).unwrap();
    let read_only = Command::new("mount").args(["-o", "remount,ro"]).arg(&top).status().unwrap();
    assert!(read_only.success());
    let reason = put(&selection, &owner).failures.first[0].reason;
    assert_eq!(reason, Reason::NoTrash(Unusable::System(nix::errno::Errno::EROFS as i32)));
    assert_eq!(reason.words(), "no trash can be used: read-only file system");
}

#[test]
fn a_directory_in_which_something_is_mounted_stays() {
    if !cfg!(target_os = "linux") || !sandbox::enter("a_directory_in_which_something_is_mounted_stays") {
        return;
    }
    let (home, place) = (fixtures::empty(), fixtures::empty());
    let owner = owner(Some(home.join("Trash")));
    fs::create_dir_all(place.join("holds/deep")).unwrap();
    fs::create_dir_all(place.join("holds/deep and more")).unwrap();
    mount_tmpfs(&place.join("holds/deep/mount"));
    fs::write(place.join("holds/deep/mount/precious"), "x").unwrap();
    let scan = support::scan(place.path(), 1);
    for holding in ["holds", "holds/deep", "holds/deep/mount"] {
        let done = put(&select(&scan, &[place.join(holding)]), &owner);
        assert_eq!((done.moved.len(), done.failures.first[0].reason), (0, Reason::Mount), "{holding}");
    }
    assert!(place.join("holds/deep/mount/precious").exists());
    assert_eq!(put(&select(&scan, &[place.join("holds/deep and more")]), &owner).failures.count, 0);
}

#[test]
fn what_is_not_what_was_scanned_is_not_trashed() {
    if !sandbox::enter("what_is_not_what_was_scanned_is_not_trashed") {
        return;
    }
    let (home, fixture) = (fixtures::empty(), fixtures::plain());
    let owner = owner(Some(home.join("Trash")));
    let scan = support::scan(fixture.path(), 1);
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
    let line = |path: &&[u8]| Line {
        deed: Deed::Delete,
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
        let value = program::json::parse(line.as_bytes()).unwrap();
        let _ = value;
        assert!(
            line.starts_with("{\"time\":\"2")
                && line.ends_with("\"entries\":3,\"bytes\":4096,\"result\":\"done\"}")
        );
        assert_eq!(line.contains("path_base64"), std::str::from_utf8(path).is_err());
    }
    // Neither a link nor something that is no file is written to.
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
fn the_journal_is_not_made_in_the_folder_of_somebody_else() {
    if !support::child::is_root() {
        return support::skip("only root can give a folder to somebody else");
    }
    let fixture = fixtures::empty();
    let home = fixture.join("home");
    fs::create_dir_all(home.join("state/duke")).unwrap();
    std::os::unix::fs::chown(&home, Some(65_534), None).unwrap();
    std::os::unix::fs::chown(home.join("state/duke"), Some(65_534), None).unwrap();
    let line =
        Line { deed: Deed::Delete, path: b"/x".to_vec(), entries: None, bytes: 0, result: "begun".into() };
    // One that is there, and one that would be made.
    for folder in ["state/duke", ".local/state/duke"] {
        let journal = Journal::in_directory(home.join(folder));
        let refused = journal.append(std::slice::from_ref(&line)).unwrap_err();
        assert_eq!(refused.to_string(), "its folder belongs to somebody else");
        assert!(!journal.path().exists());
    }
    assert!(!home.join(".local").exists());
}

#[test]
fn a_shell_removes_by_the_script_exactly_what_it_names() {
    if !sandbox::enter("a_shell_removes_by_the_script_exactly_what_it_names") {
        return;
    }
    let shells = ["dash", "bash", "sh"].into_iter().filter(|shell| {
        Command::new(shell).args(["-c", "true"]).output().is_ok_and(|output| output.status.success())
    });
    for shell in shells {
        let fixture: Fixture = fixtures::weird_names();
        for name in [
            "it's",
            "$(touch pwned)",
            "`touch pwned`",
            "ends\n\n",
            "'; touch pwned; '",
            "!x",
            "~",
            "a  b",
            "%s",
        ] {
            fixtures::file(fixture.join(name), 1).unwrap();
        }
        let all: Vec<PathBuf> =
            fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        let (kept, gone) = all.split_at(all.len() / 3);
        let lines: Vec<script::Line> = gone
            .iter()
            .map(|path| script::Line {
                path: path.as_os_str().as_bytes().to_vec(),
                is_directory: path.is_dir(),
                size: "1.0 KiB".into(),
            })
            .collect();
        let text = script::text(&lines);
        let readable = String::from_utf8(text).expect("it can be read");
        assert!(!readable.contains(|letter: char| letter.is_control() && letter != '\n'));
        let written = script::write(fixture.path().parent().unwrap(), &lines).unwrap();
        assert_eq!(fs::metadata(&written).unwrap().mode() & 0o777, 0o600);
        let again = script::write(fixture.path().parent().unwrap(), &lines).unwrap();
        assert_ne!(written, again);
        let status = Command::new(shell).arg(&written).current_dir("/tmp").status().unwrap();
        assert!(status.success(), "{shell}");
        let mut left: Vec<PathBuf> =
            fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        let mut kept = kept.to_vec();
        left.sort();
        kept.sort();
        assert_eq!(left, kept, "{shell}");
        assert!(!Path::new("/tmp/pwned").exists());
    }
}
