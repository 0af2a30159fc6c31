//! Sandbox for deletions: a mount namespace in which only `/tmp`, in memory, is writable. The home is
//! `/tmp/home/me`, if the test creates it.
//!
//! So a bug in the tested code cannot damage the machine.

use std::process::Command;

use super::{child, skip};

/// Mounts memory on `/tmp`, makes everything else read-only, then executes the given command.
const SETUP: &str = "mount -t tmpfs none /tmp && mount -o remount,bind,ro / && \
    { ! mountpoint -q /dev/shm || mount -o remount,bind,ro /dev/shm; } && exec \"$@\"";

/// Runs the body of `test` in the sandbox: returns `true` there, and `false` where it has been run or cannot
/// be.
pub fn enter(test: &str) -> bool {
    if child::argument_of(test).is_some() {
        return true;
    }
    if !cfg!(target_os = "linux") {
        // A user other than root can only delete own files, and each `Fixture` is in a place of its own.
        return !child::is_root();
    }
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
    false
}
