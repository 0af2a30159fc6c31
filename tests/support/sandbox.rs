//! Where things may be deleted: a mount namespace in which nothing but `/tmp`, in memory, can be written to. The home is
//! `/tmp/home/me`, if somebody makes it.
//!
//! So a bug in what is tested cannot eat the machine.

use std::process::Command;

use super::{child, skip};

/// Makes `/tmp` memory and everything else read-only, then becomes what is given.
const SETUP: &str = "mount -t tmpfs none /tmp && mount -o remount,bind,ro / && \
    { ! mountpoint -q /dev/shm || mount -o remount,bind,ro /dev/shm; } && exec \"$@\"";

/// Runs the body of `test` in such a place: true there, false where it has been run or cannot be.
pub fn enter(test: &str) -> bool {
    if child::argument_of(test).is_some() {
        return true;
    }
    if !cfg!(target_os = "linux") {
        // Nobody else's files can be deleted by who is not root; `Fixture`s lie in a place of their own.
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
