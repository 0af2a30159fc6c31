//! Tests of the directories that duke never deletes. duke recognizes them by device and inode, not by path.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test
#![cfg(target_os = "linux")] // only there the sandbox has a /tmp of its own

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::support::sandbox;
use duke::base::job::{JobEnd, Pool};
use duke::scan::Scan;
use duke::testing::delete::{self, Blocked, DeleteScope, DeleteWarning, Operation, Reason, Selection};
use duke::tree::DirId;

fn selection(scan: &Scan, path: &Path) -> Selection {
    let above = crate::support::id_of(scan.tree(), path.parent().unwrap());
    Selection::new(scan.tree(), [(above, path.file_name().unwrap().as_bytes())], DeleteScope::Whole)
}

fn emptied(scan: &Scan, root: &Path) -> Selection {
    Selection::new(scan.tree(), [(DirId::TOP, root.as_os_str().as_bytes())], DeleteScope::Content)
}

/// Returns the reasons why a selection is blocked, and the warnings.
fn objections(selection: &Selection) -> (Vec<Blocked>, Vec<DeleteWarning>) {
    let job = delete::preview(&Pool::new(2).unwrap(), Arc::new(selection.clone()), 0).unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(JobEnd::Complete));
    let preview = job.latest().unwrap();
    (preview.blocked.iter().map(|(_, blocked)| *blocked).collect(), preview.warnings.clone())
}

/// Tries to delete the selection, and returns the reasons for the failures.
fn reasons(selection: Selection) -> Vec<Reason> {
    let work = Operation::Remove(Arc::new(selection));
    let job = delete::start(&Pool::new(2).unwrap(), work, None).unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(JobEnd::Complete));
    job.latest().unwrap().failures.first.iter().map(|failure| failure.reason).collect()
}

#[test]
fn the_home_and_working_directory_are_kept_by_any_path() {
    if !sandbox::enter("the_home_and_working_directory_are_kept_by_any_path") {
        return;
    }
    for path in ["/tmp/home/me/docs", "/tmp/home/other", "/tmp/at/work/deep", "/tmp/mnt/disk", "/tmp/free"] {
        fs::create_dir_all(path).unwrap();
        fs::write(Path::new(path).join("file"), "content").unwrap();
    }
    assert!(Command::new("mount").args(["-t", "tmpfs", "none", "/tmp/mnt/disk"]).status().unwrap().success());
    std::os::unix::fs::symlink("/tmp", "/tmp/free/link").unwrap();
    std::env::set_current_dir("/tmp/at/work").unwrap();
    // The second root leads to /tmp through a symbolic link, and the third through a symbolic link, `..` and `.`.
    for root in ["/tmp", "/tmp/free/link", "../../free/../free/link/."] {
        let scan = crate::support::scan(Path::new(root), 2);
        for (path, expected) in [
            ("home", Some(Blocked::HoldsHome)),
            ("home/me", Some(Blocked::Home)),
            ("home/me/docs", None),
            ("home/other", None),
            ("at", Some(Blocked::Working)),
            ("at/work", Some(Blocked::Working)),
            ("at/work/deep", None),
            ("mnt/disk", Some(Blocked::Mount)),
        ] {
            let selection = selection(&scan, &Path::new(root).join(path));
            assert_eq!(objections(&selection).0, Vec::from_iter(expected), "{root} {path}");
            if let Some(blocked) = expected {
                let reason = if blocked == Blocked::Mount { Reason::Mount } else { Reason::Refused(blocked) };
                assert_eq!(reasons(selection), [reason], "{root} {path}");
            }
        }
    }
    for kept in ["home/me/docs/file", "home/other/file", "at/work/deep/file"] {
        assert!(Path::new("/tmp").join(kept).exists(), "{kept}");
    }
    // Deleting the contents is refused too.
    let home = PathBuf::from("/tmp/home/me/../me");
    let scan = crate::support::scan(&home, 2);
    let selection = emptied(&scan, &home);
    assert_eq!(objections(&selection).0, [Blocked::Home]);
    assert_eq!(reasons(selection), [Reason::Refused(Blocked::Home)]);
    assert!(home.join("docs/file").exists());
}

#[test]
fn the_root_directory_is_kept() {
    if !sandbox::enter("the_root_directory_is_kept") {
        return;
    }
    fs::create_dir_all("/tmp/system/etc").unwrap();
    fs::write("/tmp/system/etc/file", "content").unwrap();
    std::os::unix::fs::chroot("/tmp/system").unwrap();
    std::env::set_current_dir("/").unwrap();
    for root in ["/", "/etc/..", "."] {
        let scan = crate::support::scan(Path::new(root), 2);
        let selection = emptied(&scan, Path::new(root));
        assert_eq!(objections(&selection).0, [Blocked::Root], "{root}");
        assert_eq!(reasons(selection), [Reason::Refused(Blocked::Root)], "{root}");
    }
    assert!(Path::new("/etc/file").exists());
}

#[test]
fn a_users_home_and_directories_of_others_need_a_confirmation() {
    if !sandbox::enter("a_users_home_and_directories_of_others_need_a_confirmation") {
        return;
    }
    for path in ["/tmp/theirs/file", "/tmp/ours/file"] {
        fs::create_dir_all(path).unwrap();
    }
    if !Command::new("chown").args(["65534", "/tmp/theirs"]).output().unwrap().status.success() {
        return crate::support::skip("no other user here");
    }
    let scan = crate::support::scan(Path::new("/tmp"), 2);
    let warnings = |path: &str| objections(&selection(&scan, Path::new(path))).1;
    assert_eq!(warnings("/tmp/ours/file"), []);
    assert_eq!(
        warnings("/tmp/theirs/file"),
        [DeleteWarning::OthersDirectory(b"/tmp/theirs".to_vec(), 65534)]
    );
    // A directory owned by root is open to other users if all users or a group other than root's may write to it.
    // With the sticky bit, it is not open, because users can then replace only their own entries.
    for (group, mode, is_open) in [
        ("0", "775", false),
        ("65534", "755", false),
        ("65534", "775", true),
        ("65534", "1775", false),
        ("0", "777", true),
        ("0", "1777", false),
    ] {
        let run = |program: &str, word: &str| {
            assert!(Command::new(program).args([word, "/tmp/ours"]).status().unwrap().success());
        };
        run("chgrp", group);
        run("chmod", mode);
        let expected = is_open.then(|| DeleteWarning::OthersDirectory(b"/tmp/ours".to_vec(), 0));
        assert_eq!(warnings("/tmp/ours/file"), Vec::from_iter(expected), "{group} {mode}");
    }
}

#[test]
fn immutable_entries_are_announced_and_kept() {
    if !sandbox::enter("immutable_entries_are_announced_and_kept") {
        return;
    }
    fs::create_dir_all("/tmp/a/fixed").unwrap();
    for file in ["/tmp/a/file", "/tmp/a/fixed/file"] {
        fs::write(file, "content").unwrap();
    }
    let set = |sign: &str| Command::new("chattr").args([sign, "/tmp/a/fixed"]).output();
    if !set("+i").is_ok_and(|output| output.status.success()) {
        return crate::support::skip("nothing can be made immutable here");
    }
    let scan = crate::support::scan(Path::new("/tmp"), 2);
    let selection = selection(&scan, Path::new("/tmp/a"));
    let job = delete::preview(&Pool::new(2).unwrap(), Arc::new(selection.clone()), 0).unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(JobEnd::Complete));
    assert_eq!(job.latest().unwrap().kept.locked, 1);
    assert_eq!(reasons(selection), [Reason::System(nix::errno::Errno::EPERM as i32)]);
    assert!(Path::new("/tmp/a/fixed/file").exists() && !Path::new("/tmp/a/file").exists());
    assert!(set("-i").unwrap().status.success());
}
