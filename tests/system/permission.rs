//! Tests of entries that cannot be deleted. The preview counts these entries by reason. The sum of these counts must
//! equal the number of entries that the deletion fails to delete.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::support::{child, sandbox};
use duke::base::job::{JobEnd, Pool};
use duke::testing::delete::{self, DeleteScope, Kept, Operation, Preview, Report, Selection};

const LONG: Duration = Duration::from_secs(60);
const NOBODY: u32 = 65_534;

fn select(path: &str) -> Selection {
    let path = Path::new(path);
    let scan = crate::support::scan(path.parent().unwrap(), 2);
    let above = crate::support::id_of(scan.tree(), path.parent().unwrap());
    Selection::new(scan.tree(), [(above, path.file_name().unwrap().as_bytes())], DeleteScope::Whole)
}

fn asked(path: &str) -> Preview {
    let job = delete::preview(&Pool::new(2).unwrap(), Arc::new(select(path)), 0).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    Preview::clone(&job.latest().unwrap())
}

/// Previews and deletes an entry, and checks that both results agree.
fn preview_and_delete(path: &str) -> (Preview, Report) {
    let preview = asked(path);
    let work = Operation::Remove(preview.unchanged.clone().unwrap());
    let job = delete::start(&Pool::new(2).unwrap(), work, None).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    let report = Report::clone(&job.latest().unwrap());
    let Kept { mounts, denied, read_only, locked, other } = preview.kept;
    let kept = mounts + denied + read_only + locked + other;
    assert_eq!((preview.entries(), preview.most), (report.entries, report.freed), "{path}: {preview:?}");
    assert_eq!(kept, report.failures.count, "{path}: {:?}", report.failures);
    (preview, report)
}

fn tree(path: &str, owner: u32) {
    for directory in ["", "/inner", "/inner/empty"] {
        fs::create_dir_all(format!("{path}{directory}")).unwrap();
    }
    for file in ["/one", "/two", "/inner/three"] {
        fs::write(format!("{path}{file}"), vec![b'x'; 10_000]).unwrap();
    }
    for entry in ["", "/inner", "/inner/empty", "/one", "/two", "/inner/three"] {
        chown(format!("{path}{entry}"), Some(owner), Some(owner)).unwrap();
    }
}

fn mode(path: &str, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn run(program: &str, words: &[&str]) -> bool {
    Command::new(program).args(words).output().is_ok_and(|output| output.status.success())
}

/// Runs `prepare` as root and then `body` as an unprivileged user, both in a sandbox.
fn as_nobody(test: &str, prepare: impl Fn() -> bool, body: impl Fn()) {
    if !sandbox::enter(test) {
        return;
    }
    fs::create_dir("/tmp/base").unwrap();
    mode("/tmp/base", 0o777);
    mode("/tmp", 0o755);
    if !prepare() {
        return crate::support::skip(&format!("{test}: the fixture cannot be made here"));
    }
    if std::panic::catch_unwind(child::become_nobody).is_err() {
        return crate::support::skip(&format!("{test}: nobody else to be"));
    }
    body();
}

/// Returns `true` if files can be given to another user.
fn can_give_away() -> bool {
    fs::write("/tmp/given", "").is_ok() && chown("/tmp/given", Some(NOBODY), None).is_ok()
}

#[test]
fn no_freed_space_is_promised_for_entries_of_root() {
    const NAME: &str = "no_freed_space_is_promised_for_entries_of_root";
    let prepare = || {
        can_give_away() && {
            tree("/tmp/base/theirs", 0);
            true
        }
    };
    as_nobody(NAME, prepare, || {
        let (preview, report) = preview_and_delete("/tmp/base/theirs");
        assert_eq!((preview.files, preview.directories), (3, 3), "it was looked at");
        assert_eq!((preview.least, preview.most, report.entries), (0, 0, 0));
        // Permission is denied for three files and the empty directory. The other two directories are not counted: they
        // are kept only because they are not empty.
        assert_eq!(preview.kept, Kept { denied: 4, ..Kept::default() });
        // The user may write to `base`. Moving `theirs` also requires write permission for `theirs`, which belongs to
        // root.
        assert_eq!(preview.unmoved.denied, 1);
    });
}

#[test]
fn a_protected_directory_is_kept_and_the_rest_is_deleted() {
    const NAME: &str = "a_protected_directory_is_kept_and_the_rest_is_deleted";
    let prepare = || {
        can_give_away() && {
            tree("/tmp/base/ours", NOBODY);
            tree("/tmp/base/ours/closed", NOBODY);
            mode("/tmp/base/ours/closed", 0o555);
            tree("/tmp/base/ours/secret", NOBODY);
            mode("/tmp/base/ours/secret", 0o000);
            true
        }
    };
    as_nobody(NAME, prepare, || {
        let (preview, report) = preview_and_delete("/tmp/base/ours");
        // Permission is denied for four entries: `closed/one`, `closed/two`, `closed/inner`, and `secret`, which
        // cannot be opened. The contents of `closed/inner` are deleted.
        assert_eq!(preview.kept, Kept { denied: 4, ..Kept::default() }, "{:?}", report.failures);
        assert!(preview.most > 0 && !Path::new("/tmp/base/ours/one").exists());
        assert!(!Path::new("/tmp/base/ours/closed/inner/three").exists());
        assert_eq!(preview.unmoved, Kept::default(), "the whole can be moved");
    });
}

#[test]
fn a_sticky_directory_allows_deleting_only_own_entries() {
    const NAME: &str = "a_sticky_directory_allows_deleting_only_own_entries";
    let prepare = || {
        can_give_away() && {
            for (name, owner) in [("theirs", 0), ("ours", NOBODY)] {
                fs::create_dir_all(format!("/tmp/base/{name}")).unwrap();
                for (file, user) in [("root", 0), ("nobody", NOBODY)] {
                    let path = format!("/tmp/base/{name}/{file}");
                    fs::write(&path, vec![b'x'; 10_000]).unwrap();
                    chown(&path, Some(user), Some(user)).unwrap();
                }
                chown(format!("/tmp/base/{name}"), Some(owner), None).unwrap();
                mode(&format!("/tmp/base/{name}"), 0o1777);
            }
            tree("/tmp/base/theirs/tree", 0);
            true
        }
    };
    as_nobody(NAME, prepare, || {
        let (preview, _) = preview_and_delete("/tmp/base/theirs");
        assert_eq!(preview.kept.denied, 5, "the file of root, and root's tree");
        assert!(
            !Path::new("/tmp/base/theirs/nobody").exists() && Path::new("/tmp/base/theirs/root").exists()
        );
        let (preview, _) = preview_and_delete("/tmp/base/ours");
        assert_eq!(preview.kept, Kept::default(), "the owner of the directory may move everything out");
    });
}

#[test]
fn root_may_delete_from_a_sticky_directory() {
    if !sandbox::enter("root_may_delete_from_a_sticky_directory") {
        return;
    }
    if !can_give_away() {
        return crate::support::skip("nobody else to be");
    }
    fs::create_dir("/tmp/base").unwrap();
    tree("/tmp/base/tree", NOBODY);
    mode("/tmp/base/tree", 0o1777);
    assert_eq!(preview_and_delete("/tmp/base/tree").0.kept, Kept::default());
}

#[test]
fn access_control_lists_count_in_both_ways() {
    const NAME: &str = "access_control_lists_count_in_both_ways";
    let prepare = || {
        can_give_away() && {
            for name in ["granted", "masked"] {
                fs::create_dir(format!("/tmp/base/{name}")).unwrap();
                fs::write(format!("/tmp/base/{name}/file"), "content").unwrap();
                mode(&format!("/tmp/base/{name}"), 0o755);
            }
            run("setfacl", &["-m", "u:65534:rwx", "/tmp/base/granted"])
                && run("setfacl", &["-m", "u:65534:rwx,m::r-x", "/tmp/base/masked"])
        }
    };
    as_nobody(NAME, prepare, || {
        let (preview, report) = preview_and_delete("/tmp/base/granted");
        assert_eq!((preview.kept, report.entries), (Kept::default(), 2));
        let (preview, report) = preview_and_delete("/tmp/base/masked");
        assert_eq!((preview.kept.denied, report.entries), (1, 0));
    });
}

#[test]
fn no_freed_space_is_promised_on_a_read_only_file_system() {
    if !sandbox::enter("no_freed_space_is_promised_on_a_read_only_file_system") {
        return;
    }
    fs::create_dir("/tmp/base").unwrap();
    if !run("mount", &["-t", "tmpfs", "none", "/tmp/base"]) {
        return crate::support::skip("nothing can be mounted here");
    }
    fs::create_dir_all("/tmp/base/a/tree").unwrap();
    fs::write("/tmp/base/a/tree/file", vec![b'x'; 10_000]).unwrap();
    assert!(run("mount", &["-o", "remount,ro", "/tmp/base"]));
    let (preview, _) = preview_and_delete("/tmp/base/a/tree");
    assert_eq!((preview.kept, preview.most), (Kept { read_only: 1, ..Kept::default() }, 0));
    assert_eq!(preview.unmoved.read_only, 1);
}
