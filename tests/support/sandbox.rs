//! Sandbox for deletions, so that a bug in the tested code cannot damage the machine.
//!
//! On Linux, the sandbox is a mount namespace. In it, `/tmp` is an in-memory file system, and all other file systems
//! are read-only, except those of the kernel below `/proc`, `/sys` and `/dev`. `HOME` is set to `/tmp/home/me`, which
//! exists only if the test creates it. On macOS, sandbox-exec(1) permits writing only in a new directory. `TMPDIR` is
//! set to this directory, and `HOME` to `home/me` in it. On other systems there is no sandbox, and the tests are
//! skipped.

use std::process::Command;

use super::{child, skip};

/// Shell script that mounts an in-memory file system on `/tmp`, makes the other file systems read-only, and executes
/// the command given by its arguments. In mountinfo, `\040` stands for a blank; `%b` decodes it.
#[cfg(target_os = "linux")]
const SETUP: &str = r#"mount -t tmpfs none /tmp || exit
places=$(cut -d ' ' -f 5 /proc/self/mountinfo)
IFS='
'
for place in $places; do
    case $place in
        /dev/shm) ;;
        /tmp | /tmp/* | /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) continue ;;
    esac
    mount -o remount,bind,ro "$(printf %b "$place")" || exit
done
exec "$@""#;

/// Rules for sandbox-exec(1). The last matching rule applies.
#[cfg(target_os = "macos")]
const RULES: &str = "(version 1)(allow default)(deny file-write*)(allow file-write* (subpath (param \"ROOM\")) \
    (literal \"/dev/null\") (literal \"/dev/tty\") (literal \"/dev/ptmx\") (regex #\"^/dev/ttys[0-9]+$\"))";

/// Runs the body of `test` under sandbox-exec(1). Skips the test if the sandbox does not work.
#[cfg(target_os = "macos")]
fn run(test: &str) {
    let room = tempfile::tempdir().expect("a directory can be made");
    let path = room.path().canonicalize().expect("it exists");
    let variable = |name: &str, path: &std::path::Path| format!("{name}={}", path.display());
    let words = [variable("ROOM", &path), variable("TMPDIR", &path), variable("HOME", &path.join("home/me"))];
    let launcher = ["sandbox-exec", "-D", &words[0], "-p", RULES, "env", &words[1], &words[2]];
    let writes = |path: &std::path::Path| {
        let tried = Command::new(launcher[0])
            .args(&launcher[1..])
            .args(["touch".as_ref(), path.as_os_str()])
            .output();
        tried.is_ok_and(|output| output.status.success())
    };
    let outside = tempfile::tempdir().expect("a directory can be made");
    if writes(&path.join("file")) && !writes(&outside.path().join("file")) {
        child::run(test, &launcher, "");
    } else {
        skip(&format!("{test}: no sandbox in which deleting is safe"));
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn run(test: &str) {
    skip(&format!("{test}: no sandbox in which deleting is safe"));
}

/// Runs the body of `test` in a child process in the sandbox. Returns `true` in the child, and `false` in the parent
/// after the child has ended or if there is no sandbox.
pub fn enter(test: &str) -> bool {
    if child::argument_of(test).is_some() {
        return true;
    }
    run(test);
    false
}

/// Runs the body of `test` in the Linux sandbox.
#[cfg(target_os = "linux")]
fn run(test: &str) {
    let root: &[&str] = &["unshare", "--mount", "--propagation", "private", "sh", "-c", SETUP, "sh"];
    let user: &[&str] = &[
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        SETUP,
        "sh",
    ];
    let works = |launcher: &[&str]| {
        Command::new(launcher[0])
            .args(&launcher[1..])
            .arg("true")
            .output()
            .is_ok_and(|output| output.status.success())
    };
    match [root, user].into_iter().find(|launcher| works(launcher)) {
        Some(launcher) => {
            let mut launcher = launcher.to_vec();
            launcher.extend(["env", "TMPDIR=/tmp", "HOME=/tmp/home/me"]);
            child::run(test, &launcher, "");
        }
        None => skip(&format!("{test}: no namespace in which deleting is safe")),
    }
}
