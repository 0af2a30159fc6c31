//! Tests that duke follows no unsafe links, and uses no directories or files that another user controls.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::test_dir::TestDir;
use crate::program::{Run, program, run};
use crate::support::room::keeps_snapshots;
use crate::support::{child, skip};
use duke::testing::delete::journal::{Journal, JournalLine, OperationKind};
use duke::testing::platform::Errno;
use duke::testing::platform::safe_path::{Cause, Error, Output, PrivateFolder, UnsafePath};
use duke::testing::source::snapshot_store::latest_for;

/// User ID that is neither root's nor that of the user who runs the tests.
const OTHER: u32 = 65_534;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Gives the entry at `path` to another user, without following a link.
fn give(path: &Path) {
    lchown(path, Some(OTHER), Some(OTHER)).unwrap();
}

fn planted(target: impl AsRef<Path>, link: PathBuf) -> PathBuf {
    symlink(target, &link).unwrap();
    give(&link);
    link
}

/// Returns the reason why duke refuses to write to `path`.
fn refused(path: &Path) -> Option<UnsafePath> {
    match Output::find(path) {
        Err(Error::Refused(unsafe_path)) => Some(unsafe_path),
        Err(Error::System(errno)) => panic!("{}: {errno}", path.display()),
        Ok(_) => None,
    }
}

#[test]
fn links_of_others_are_followed_only_in_protected_directories() {
    if !child::is_root() {
        return skip("only root can give a link to another user");
    }
    let temp = TestDir::new();
    let folder = temp.directory("folder");
    temp.file("target/file", 10);
    let end = planted("../target/file", folder.join("end"));
    let middle = planted("../target", folder.join("middle")).join("file");
    let dangling = planted("../target/new", folder.join("dangling"));
    // The user's own link to a planted link is refused, too.
    symlink("folder/end", temp.join("indirect")).unwrap();
    let all = [&end, &middle, &dangling, &temp.join("indirect"), &folder.join("../folder/end")];
    // Owner, group and mode of the directory, and `true` if links of other users in it are refused.
    let cases = [
        (0, 0, 0o1777, true),
        (0, 0, 0o777, true),
        (0, OTHER, 0o775, true),
        (0, OTHER, 0o1775, true),
        (1, 1, 0o1777, true),
        (0, 0, 0o755, false),
        (0, 0, 0o775, false),
        (OTHER, OTHER, 0o1777, false),
        (OTHER, OTHER, 0o755, false),
    ];
    for (owner, group, bits, is_refused) in cases {
        chown(&folder, Some(owner), Some(group)).unwrap();
        mode(&folder, bits);
        for path in all {
            assert_eq!(refused(path).is_some(), is_refused, "{path:?} {owner} {bits:o}");
        }
    }
    // A group that has the name of a user and no other members gives write permission only to this user.
    let user = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(1)).unwrap();
    let group = nix::unistd::Group::from_gid(nix::unistd::Gid::from_raw(1)).unwrap();
    if let (Some(user), Some(group)) = (user, group)
        && user.name == group.name
        && group.mem.is_empty()
    {
        chown(&folder, Some(1), Some(1)).unwrap();
        mode(&folder, 0o775);
        assert_eq!(refused(&end), None);
        chown(&folder, Some(2), Some(1)).unwrap();
        assert!(refused(&end).is_some());
    }
    // setfacl changes the mode to 775, which would be accepted without an ACL. With an ACL, the group bits also apply
    // to the users and groups in the ACL.
    chown(&folder, Some(0), Some(0)).unwrap();
    mode(&folder, 0o755);
    let acl = |words: &[&str]| Command::new("setfacl").args(words).arg(&folder).output();
    if acl(&["-m", "u:1:rwx"]).is_ok_and(|output| output.status.success()) {
        assert!(refused(&end).is_some());
        acl(&["-b"]).unwrap();
    } else {
        skip("no setfacl, or no ACLs here");
    }
    mode(&folder, 0o1777);
    assert_eq!(
        refused(&middle),
        Some(UnsafePath { path: Some(folder.join("middle")), cause: Cause::Link(OTHER) })
    );
    // In a sticky directory that all users can write to, output can go to a new file, to a regular file of any user,
    // or through the user's own link.
    symlink("../target/file", folder.join("own")).unwrap();
    fs::write(folder.join("theirs"), "").unwrap();
    give(&folder.join("theirs"));
    for name in ["own", "theirs", "new", "./../folder/new"] {
        assert_eq!(refused(&folder.join(name)), None, "{name}");
    }
    // A pipe would pass the data to the user who created it.
    nix::unistd::mkfifo(&folder.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(Output::find(&folder.join("pipe")).unwrap().is_stream);
    give(&folder.join("pipe"));
    assert_eq!(refused(&folder.join("pipe")).unwrap().cause, Cause::Special(OTHER));
}

#[test]
fn the_safe_path_leads_where_the_kernel_goes() {
    let temp = TestDir::new();
    temp.file("a/b/file", 1);
    symlink("b", temp.join("a/relative")).unwrap();
    symlink(temp.join("a/b/"), temp.join("absolute")).unwrap();
    symlink("../relative/file", temp.join("a/b/through")).unwrap();
    symlink("loop", temp.join("loop")).unwrap();
    symlink("a/b/none", temp.join("dangling")).unwrap();
    let found = |path: &str| {
        let output = Output::find(&temp.join(path))?;
        let directory = output.directory.attributes()?;
        Ok((directory.inode, output.name.into_string().unwrap()))
    };
    let inode = |path: &str| {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(temp.join(path)).unwrap().ino()
    };
    for path in [
        "a/b/file",
        "a//b/./file",
        "a/relative/file",
        "absolute/file",
        "a/b/through",
        "absolute/../relative/../b/file",
        "absolute/through",
    ] {
        assert_eq!(found(path), Ok((inode("a/b"), "file".to_owned())), "{path}");
    }
    assert_eq!(found("dangling"), Ok((inode("a/b"), "none".to_owned())));
    for (path, errno) in [
        ("loop", Errno::ELOOP),
        ("a", Errno::EISDIR),
        ("a/..", Errno::EISDIR),
        ("absolute", Errno::EISDIR),
        ("a/", Errno::EISDIR),
        ("none/file", Errno::ENOENT),
        ("none/", Errno::ENOENT),
        ("a/b/file/x", Errno::ENOTDIR),
        ("a/b/file/", Errno::ENOTDIR),
    ] {
        assert_eq!(found(path), Err(Error::System(errno)), "{path}");
    }
    assert_eq!(Output::find(Path::new("")).unwrap_err(), Error::System(Errno::ENOENT));
    assert_eq!(Output::find(Path::new("/")).unwrap_err(), Error::System(Errno::EISDIR));
    assert!(Output::find(Path::new("/dev/null")).unwrap().is_stream);
}

/// Fails unless `run` exited with code 1 and printed a single error line that contains all of `words`.
fn assert_reported(run: Run, words: &[&str]) {
    let run = run.ended(1);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(words.iter().all(|word| run.stderr.contains(word)), "{}", run.stderr);
}

#[test]
fn no_output_follows_a_planted_link() {
    if !child::is_root() {
        return skip("only root can give a link to another user");
    }
    let temp = TestDir::new();
    temp.file("t/file", 10);
    fs::write(temp.join("victim"), "precious").unwrap();
    let shared = temp.directory("shared");
    planted("../victim", shared.join("report.json"));
    planted("../victim", shared.join("report.json.zst"));
    planted("../victim", shared.join("report.duke"));
    planted("..", shared.join("middle"));
    mode(&shared, 0o1777);
    let words: [&[&str]; 5] = [
        &["-o", "report.json", "../t"],
        &["-co", "report.json.zst", "../t"],
        &["save", "-o", "report.duke", "../t"],
        &["-o", "middle/victim", "../t"],
        &["save", "-o", "middle/new.duke", "../t"],
    ];
    for words in words {
        let path = words.iter().find(|word| word.contains("report") || word.contains("middle")).unwrap();
        let run = run(program().args(words).current_dir(&shared));
        assert_reported(run, &[path, ": ", " in a shared directory; use its target"]);
    }
    let mut session = crate::session::Session::run({
        let mut command = crate::session::duke(&temp.join("t"));
        command.cwd(&shared);
        command
    });
    session.wait_for_text("1 of 1");
    session.press("E\x15report.json\r");
    session.wait_for_text("Replace report.json?");
    session.wait_for_text("[ Yes ]");
    session.press("y");
    // The status line also contains a hint, so the message is shortened in the middle. Only its end is checked.
    session.wait_for_text("use its target");
    session.press("q");
    session.press("q");
    session.end();
    assert_eq!(fs::read(temp.join("victim")).unwrap(), b"precious");
    let mut left: Vec<_> = fs::read_dir(&shared)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["middle", "report.duke", "report.json", "report.json.zst"]);
    assert!(!temp.join("new.duke").exists());
    // duke refuses to write through the link, but writes to the target if the user gives the path of the target.
    run(program().args(["-o", "../victim", "../t"]).current_dir(&shared)).ended(0);
}

#[test]
fn no_other_user_can_change_the_path_of_a_private_folder() {
    let temp = TestDir::new();
    let path = temp.join("home/.local/state/duke");
    let found = |path: &Path| match PrivateFolder::find(path) {
        Ok(folder) => Ok((folder.path().to_owned(), folder.exists())),
        Err(Error::Refused(unsafe_path)) => Err((unsafe_path.path.unwrap(), unsafe_path.cause)),
        Err(Error::System(errno)) => panic!("{}: {errno}", path.display()),
    };
    temp.directory("home");
    assert_eq!(found(&path), Ok((temp.join("home"), false)));
    assert!(!temp.join("home/.local").exists(), "asking makes nothing");
    let made = PrivateFolder::find(&path).unwrap().make().unwrap();
    assert_eq!((made.path(), made.attributes().mode & 0o777), (path.as_path(), 0o700));
    assert_eq!(found(&path), Ok((path.clone(), true)));

    // Symbolic links owned by the user or by root are followed, because their owner chose the location of the folder.
    fs::rename(temp.join("home/.local"), temp.directory("data").join("local")).unwrap();
    symlink("../data/local", temp.join("home/.local")).unwrap();
    symlink(temp.join("home"), temp.join("me")).unwrap();
    let real = temp.join("data/local/state/duke");
    assert_eq!(found(&path), Ok((real.clone(), true)));
    assert_eq!(found(&temp.join("me/.local/state/duke")), Ok((real.clone(), true)));
    assert_eq!(found(&temp.join("me/.local/state/../new/duke")), Ok((temp.join("data/local"), false)));

    // A user who can write to a directory can replace its entries unless the directory is sticky. The last directory
    // is the private folder itself, which must be writable by its owner only, even if it is sticky.
    for above in ["home", "data", "data/local", "data/local/state", "data/local/state/duke"] {
        let above = temp.join(above);
        for (bits, is_refused) in [(0o777, true), (0o1777, above == real), (0o755, false), (0o700, false)] {
            mode(&above, bits);
            let expected =
                if is_refused { Err((above.clone(), Cause::Writable)) } else { Ok((real.clone(), true)) };
            assert_eq!(found(&path), expected, "{} {bits:o}", above.display());
        }
    }
    mode(&real, 0o720);
    assert_eq!(found(&path), Err((real.clone(), Cause::Writable)), "whatever group it is");
    mode(&real, 0o700);
    if !child::is_root() {
        return skip("only root can give a folder to another user");
    }
    for above in ["home", "data", "data/local", "data/local/state", "data/local/state/duke"] {
        let above = temp.join(above);
        chown(&above, Some(OTHER), None).unwrap();
        assert_eq!(found(&path), Err((above.clone(), Cause::Owner(OTHER))), "{}", above.display());
        chown(&above, Some(0), Some(OTHER)).unwrap();
        mode(&above, 0o775);
        assert_eq!(found(&path), Err((above.clone(), Cause::Writable)), "{}", above.display());
        mode(&above, 0o755);
    }
    for link in [temp.join("home/.local"), temp.join("me")] {
        give(&link);
        let refused = Err((link.clone(), Cause::PrivateLink(OTHER)));
        assert_eq!(found(&temp.join("me/.local/state/duke")), refused);
        lchown(&link, Some(0), Some(0)).unwrap();
    }
    assert_eq!(found(&temp.join("me/.local/state/duke")), Ok((real, true)));
}

/// Returns the sorted paths of all entries in a folder and in its subfolders.
fn inventory(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                waiting.push(entry.path());
            }
            all.push(entry.path());
        }
    }
    all.sort();
    all
}

#[test]
fn a_planted_folder_is_neither_written_nor_pruned() {
    if !child::is_root() {
        return skip("only root can give a folder to another user");
    }
    let line = JournalLine {
        kind: OperationKind::Delete,
        path: b"/x".to_vec(),
        entries: None,
        bytes: 0,
        result: "begun".into(),
    };
    for component in [".local", ".local/state", ".local/state/duke"] {
        for way in ["link", "owner", "others", "group"] {
            let temp = TestDir::new();
            temp.file("t/file", 10);
            let planted_at = temp.join("home").join(component);
            let path = temp.join("home/.local/state/duke");
            fs::create_dir_all(&path).unwrap();
            // This snapshot is older than the maximum age, so duke would delete it if it trusted the folder.
            fs::write(path.join("scan-00000000-00000000001.duke"), "").unwrap();
            match way {
                "link" => {
                    fs::rename(&planted_at, temp.join("elsewhere")).unwrap();
                    planted(temp.join("elsewhere"), planted_at.clone());
                }
                "owner" => chown(&planted_at, Some(OTHER), Some(OTHER)).unwrap(),
                "others" => mode(&planted_at, 0o757),
                _ => {
                    chown(&planted_at, None, Some(OTHER)).unwrap();
                    mode(&planted_at, 0o775);
                }
            }
            let before = inventory(temp.path());
            let mut command = program();
            command.arg("save").arg(temp.join("t")).env("HOME", temp.join("home"));
            command.env_remove("XDG_STATE_HOME");
            let cause = match way {
                "link" => "symbolic link owned by ",
                "owner" => "belongs to ",
                _ => "other users can write to it",
            };
            let named = planted_at.to_str().unwrap();
            assert_reported(run(&mut command), &["no snapshot saved: ", named, cause]);
            let refused =
                Journal::in_directory(path.clone()).append(std::slice::from_ref(&line)).unwrap_err();
            assert!(refused.to_string().contains(cause), "{refused}");
            let mut command = program();
            command.arg("diff").arg(temp.join("t")).env("HOME", temp.join("home"));
            assert!(run(&mut command).ended(2).stderr.contains(cause));
            assert_eq!(inventory(temp.path()), before, "{component} {way}");
            assert_eq!(latest_for(&path, &[b"/"], b"", i64::MAX), None);
        }
    }
}

#[test]
fn a_snapshot_of_another_user_is_not_compared_with() {
    if !child::is_root() {
        return skip("only root can give a file to another user");
    }
    if !keeps_snapshots() {
        return;
    }
    let (temp, state) = (TestDir::new(), TestDir::new());
    temp.file("t/file", 10);
    run(program().arg("save").arg(temp.join("t")).env("XDG_STATE_HOME", state.path())).ended(0);
    let folder = state.join("duke");
    let root = temp.join("t").into_os_string().into_encoded_bytes();
    let latest = || latest_for(&folder, &[&root], b"", i64::MAX);
    let kept = latest().unwrap();
    let diff = |words: &[&str]| {
        let mut command = program();
        run(command.arg("diff").args(words).arg(temp.join("t")).env("XDG_STATE_HOME", state.path()))
    };
    diff(&["-n"]).ended(0);
    assert_eq!(diff(&["--list"]).ended(0).text().lines().count(), 1);
    give(&kept);
    assert_eq!(latest(), None);
    assert!(diff(&["-n"]).ended(2).stderr.contains("no snapshot of this directory"));
    assert_eq!(diff(&["--list"]).ended(0).text(), "");
    let theirs = kept.with_file_name("theirs");
    fs::rename(&kept, &theirs).unwrap();
    chown(&theirs, Some(0), None).unwrap();
    symlink(&theirs, &kept).unwrap();
    assert_eq!(latest(), None, "no link is followed");
    fs::rename(&theirs, &kept).unwrap();
    assert_eq!(latest(), Some(kept));
}
