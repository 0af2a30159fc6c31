//! Tests of the script that deletes a selection. Shells run the script, which must delete only the entries that it
//! names, and must keep entries that were replaced after the script was written.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::fixtures::{self, Fixture};
use crate::support::image::{Image, in_namespace, mount};
use crate::support::sandbox;
use duke::testing::delete::script::{self, ScriptError, Written};
use duke::testing::delete::{Blocked, DeleteScope, Reason, Selection};

/// Returns the installed shells.
fn shells() -> Vec<&'static str> {
    let is_there = |shell: &&str| {
        Command::new(shell).args(["-c", "true"]).output().is_ok_and(|output| output.status.success())
    };
    ["dash", "bash", "sh"].into_iter().filter(is_there).collect()
}

fn select(root: &Path, paths: &[PathBuf]) -> Selection {
    let scan = crate::support::scan(root, 2);
    let places: Vec<_> = paths
        .iter()
        .map(|path| {
            (crate::support::id_of(scan.tree(), path.parent().unwrap()), path.file_name().unwrap().as_bytes())
        })
        .collect();
    Selection::new(scan.tree(), places, DeleteScope::Whole)
}

/// Creates a directory that no other user can change.
fn private() -> Fixture {
    let folder = fixtures::empty();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    folder
}

/// Writes the script for these paths below `root`.
fn write(folder: &Path, root: &Path, paths: &[PathBuf]) -> Result<Written, ScriptError> {
    let selection = select(root, paths);
    assert_eq!(selection.count(), paths.len());
    script::write(folder, None, &selection, &vec!["1.0 KiB".to_owned(); paths.len()])
}

fn run(shell: &str, script: &Path, answer: &str) -> Output {
    let mut child = Command::new(shell)
        .arg(script)
        .current_dir("/tmp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The script may end without asking, so a failed write is ignored.
    let _ = child.stdin.take().unwrap().write_all(answer.as_bytes());
    child.wait_with_output().unwrap()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// Returns unusual file names, such as names with characters special to a shell, a terminal or a mount table.
fn hostile() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        "it's",
        "$(touch pwned)",
        "`touch pwned`",
        "ends\n\n",
        "'; touch pwned; '",
        "!x",
        "~",
        "a  b",
        "%s",
        "\\040",
        "-rf",
        "*",
        "[a]",
        "?",
        "\t",
        "x\ny",
        "\u{202e}",
        "back\\",
        "a\\nb",
        ".hidden",
        "\u{e4}",
    ]
    .iter()
    .map(|name| name.as_bytes().to_vec())
    .collect();
    names.extend([b"\xff\xfe".to_vec(), b"\x1b[31m".to_vec(), vec![b'n'; 255]]);
    names
}

#[test]
fn shells_delete_exactly_the_named_entries() {
    if !sandbox::enter("shells_delete_exactly_the_named_entries") {
        return;
    }
    for shell in shells() {
        let (fixture, folder) = (fixtures::weird_names(), private());
        for (number, name) in hostile().into_iter().enumerate() {
            let path = fixture.join(std::ffi::OsString::from_vec(name.clone()));
            if path.symlink_metadata().is_ok() {
                continue;
            }
            if number % 2 == 0 {
                fixtures::file(path, 1).unwrap();
            } else {
                fs::create_dir(&path).unwrap();
                fixtures::file(path.join(std::ffi::OsString::from_vec(name)), 1).unwrap();
            }
        }
        symlink("/tmp", fixture.join("link")).unwrap();
        let all = entries(fixture.path());
        let (deleted, kept): (Vec<_>, Vec<_>) =
            all.into_iter().enumerate().partition(|(number, _)| number % 3 != 0);
        let paths = |part: Vec<(usize, PathBuf)>| part.into_iter().map(|(_, path)| path).collect::<Vec<_>>();
        let script = write(folder.path(), fixture.path(), &paths(deleted)).unwrap().path;
        let text = fs::read_to_string(&script).expect("it can be read");
        assert!(!text.contains(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t')));
        let output = run(shell, &script, "");
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {output:?}");
        assert_eq!(entries(fixture.path()), paths(kept), "{shell}");
        assert!(!Path::new("/tmp/pwned").exists());
    }
}

#[test]
fn file_systems_mounted_inside_are_kept() {
    if !sandbox::enter("file_systems_mounted_inside_are_kept") {
        return;
    }
    for shell in shells() {
        for mounted in hostile() {
            let name = std::ffi::OsString::from_vec(mounted.clone());
            let (fixture, folder, origin) = (fixtures::empty(), private(), fixtures::plain());
            let listed = fixture.join(&name);
            let places = [listed.join("memory").join(&name), listed.join(&name)];
            fs::create_dir_all(&places[0]).unwrap();
            fs::create_dir(&places[1]).unwrap();
            fs::create_dir_all(listed.join("rest/of it")).unwrap();
            fixtures::file(listed.join("rest/of it/file"), 1).unwrap();
            let script = write(folder.path(), fixture.path(), std::slice::from_ref(&listed)).unwrap().path;
            mount(&["-t", "tmpfs", "none"], &places[0]);
            fixtures::file(places[0].join("stays"), 1).unwrap();
            // This bind mount is on the same device as its mount point, so `find -xdev` would enter it.
            mount(&["--bind", origin.path().to_str().unwrap()], &places[1]);
            let before = entries(origin.path());
            let output = run(shell, &script, "");
            assert!(!output.status.success(), "it says that something stays");
            assert!(String::from_utf8_lossy(&output.stderr).contains("not deleted"), "{output:?}");
            assert!(places[0].join("stays").exists(), "{shell}: {mounted:?}");
            assert_eq!(entries(origin.path()), before, "{shell}: {mounted:?}");
            assert!(!listed.join("rest").exists(), "{shell}: {mounted:?}: {output:?}");
            for path in &places {
                assert!(Command::new("umount").arg(path).status().unwrap().success());
            }
        }
    }
}

/// Writes a script that deletes two new entries in `path`, calls `change`, and checks that the script keeps both.
fn assert_kept(path: &Path, change: impl Fn(&Path)) {
    for shell in shells() {
        let (fixture, folder) = (Fixture::build_in(path, |_| Ok(())), private());
        let home = fixture.join("home");
        fs::create_dir_all(home.join("directory")).unwrap();
        fixtures::file(home.join("directory/old"), 10).unwrap();
        fixtures::file(home.join("file"), 10).unwrap();
        let paths = [home.join("directory"), home.join("file")];
        let script = write(folder.path(), fixture.path(), &paths).unwrap().path;
        change(&home);
        let output = run(shell, &script, "");
        assert!(!output.status.success(), "{shell}: {output:?}");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr).matches("not deleted").count(),
            2,
            "{shell}: {output:?}"
        );
        for path in paths {
            assert!(path.symlink_metadata().is_ok(), "{shell}: {}", path.display());
        }
        assert!(home.join("directory/new").exists(), "{shell}");
        assert!(home.join("file").exists(), "{shell}");
    }
}

/// Checks that a script does not delete entries that were replaced after the script was written.
fn assert_replaced_entries_are_kept(path: &Path) {
    let renew = |home: &Path| {
        fs::remove_dir_all(home.join("directory")).unwrap();
        fs::remove_file(home.join("file")).unwrap();
        fs::create_dir(home.join("directory")).unwrap();
        fixtures::file(home.join("directory/new"), 10).unwrap();
        fixtures::file(home.join("file"), 11).unwrap();
    };
    assert_kept(path, renew);
    assert_kept(path, |home| {
        fs::remove_dir_all(home).unwrap();
        fs::create_dir_all(home.join("directory")).unwrap();
        fixtures::file(home.join("directory/new"), 10).unwrap();
        fixtures::file(home.join("file"), 10).unwrap();
    });
    assert_kept(path, |home| {
        let elsewhere = home.with_file_name("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::rename(home.join("directory"), elsewhere.join("directory")).unwrap();
        fixtures::file(elsewhere.join("directory/new"), 1).unwrap();
        fs::rename(home.join("file"), elsewhere.join("file")).unwrap();
        symlink(elsewhere.join("directory"), home.join("directory")).unwrap();
        symlink(elsewhere.join("file"), home.join("file")).unwrap();
    });
    assert_kept(path, |home| {
        // A directory on the path is replaced by a link to another directory that contains the same names.
        let other = home.with_file_name("other");
        fs::rename(home, home.with_file_name("away")).unwrap();
        fs::create_dir_all(other.join("directory")).unwrap();
        fixtures::file(other.join("directory/new"), 1).unwrap();
        fixtures::file(other.join("file"), 10).unwrap();
        symlink(other, home).unwrap();
    });
}

#[test]
fn a_script_keeps_replaced_entries() {
    if sandbox::enter("a_script_keeps_replaced_entries") {
        assert_replaced_entries_are_kept(Path::new("/tmp"));
    }
}

#[test]
fn replaced_entries_are_kept_where_inode_numbers_are_reused() {
    const TEST: &str = "replaced_entries_are_kept_where_inode_numbers_are_reused";
    if !in_namespace(TEST) {
        return;
    }
    if let Some(image) = Image::new(TEST, "ext4", 16 << 20, &["-q", "-I", "256"]) {
        assert_replaced_entries_are_kept(&image.path());
    }
}

#[test]
fn refused_entries_get_no_script() {
    if !sandbox::enter("refused_entries_get_no_script") {
        return;
    }
    let folder = private();
    let fixture = fixtures::empty();
    for name in ["mounted", "started/below", "gone"] {
        fs::create_dir_all(fixture.join(name)).unwrap();
    }
    fs::create_dir_all("/tmp/home/me").unwrap();
    mount(&["-t", "tmpfs", "none"], &fixture.join("mounted"));
    std::env::set_current_dir(fixture.join("started/below")).unwrap();
    let cases = [
        (fixture.join("mounted"), Blocked::Mount),
        (fixture.join("started"), Blocked::Working),
        (PathBuf::from("/tmp/home"), Blocked::HoldsHome),
        (PathBuf::from("/tmp/home/me"), Blocked::Home),
    ];
    for (path, expected) in cases {
        let refused = write(folder.path(), Path::new("/tmp"), std::slice::from_ref(&path)).unwrap_err();
        let ScriptError::Refused(named, reason) = refused else { panic!("{refused:?}") };
        assert_eq!((named, reason), (path.as_os_str().as_bytes().to_vec(), Reason::Refused(expected)));
    }
    let deleted = fixture.join("gone");
    let selection = select(Path::new("/tmp"), std::slice::from_ref(&deleted));
    fs::remove_dir(&deleted).unwrap();
    let refused = script::write(folder.path(), None, &selection, &[]).unwrap_err();
    assert!(matches!(refused, ScriptError::Refused(_, Reason::Changed)), "{refused:?}");
    assert_eq!(entries(folder.path()), [] as [PathBuf; 0]);
}

#[test]
fn warnings_of_the_dialog_are_asked_in_the_script() {
    if !sandbox::enter("warnings_of_the_dialog_are_asked_in_the_script") {
        return;
    }
    for shell in shells() {
        let (fixture, folder) = (fixtures::empty(), private());
        let theirs = fixture.join("theirs\n");
        fs::create_dir_all(theirs.join("x")).unwrap();
        if chown(&theirs, Some(1000), None).is_err() {
            return crate::support::skip("nobody else to own something");
        }
        let written = write(folder.path(), fixture.path(), &[theirs.join("x")]).unwrap();
        assert_eq!(written.warnings.len(), 1);
        for answer in ["", "no\n", "y\n"] {
            let output = run(shell, &written.path, answer);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(
                stderr.contains("user ID 1000 can change") && stderr.contains("theirs\\n"),
                "{shell}: {stderr}"
            );
            assert!(!output.status.success() && theirs.join("x").exists(), "{shell}");
        }
        assert!(run(shell, &written.path, "yes\n").status.success());
        assert!(!theirs.join("x").exists(), "{shell}");
    }
}

#[test]
fn a_script_is_written_where_no_other_user_can_change_it() {
    if !sandbox::enter("a_script_is_written_where_no_other_user_can_change_it") {
        return;
    }
    let fixture = fixtures::plain();
    let selection = select(fixture.path(), &entries(fixture.path())[..1]);
    let state = private();
    let fallback = state.join("duke");
    let path = private();
    let folder = path.join("folder");
    fs::create_dir(&folder).unwrap();
    let written = |fallback: Option<&Path>| script::write(&folder, fallback, &selection, &[]);
    let mode = |folder: &Path, mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    let first = written(None).unwrap().path;
    assert_eq!(first.parent(), Some(folder.as_path()));
    assert_eq!(fs::metadata(&first).unwrap().mode() & 0o7777, 0o700);
    assert_ne!(written(None).unwrap().path, first, "another name");
    for open in [0o777, 0o1777, 0o770] {
        mode(&folder, open);
        assert!(matches!(written(None), Err(ScriptError::Exposed(_))), "{open:o}");
        assert_eq!(written(Some(&fallback)).unwrap().path.parent(), Some(fallback.as_path()), "{open:o}");
        assert_eq!(fs::metadata(&fallback).unwrap().mode() & 0o777, 0o700);
    }
    mode(&folder, 0o700);
    mode(path.path(), 0o777);
    assert!(matches!(written(None), Err(ScriptError::Exposed(_))), "the folder could be put away");
    mode(path.path(), 0o700);
    if chown(&folder, Some(1000), None).is_ok() {
        assert!(matches!(written(None), Err(ScriptError::Exposed(_))), "it belongs to another user");
        chown(&folder, Some(0), None).unwrap();
    }
    // The usual names of new scripts in the next ten seconds are already in use by links into another directory.
    let elsewhere = private();
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    let now = jiff::Zoned::now();
    for second in 0..10 {
        let time =
            now.checked_add(jiff::Span::new().seconds(second)).unwrap().strftime("%Y%m%d-%H%M%S").to_string();
        symlink(elsewhere.join("planted"), folder.join(format!("duke-rm-{time}.sh"))).unwrap();
    }
    let path = written(None).unwrap().path;
    assert!(fs::symlink_metadata(&path).unwrap().is_file() && path.to_str().unwrap().ends_with("-2.sh"));
    assert_eq!(entries(elsewhere.path()), [] as [PathBuf; 0]);
}
