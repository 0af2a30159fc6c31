//! File systems created for a test, which runs in its own mount namespace.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::statvfs::statvfs;

use super::fixtures::{self, Fixture};
use super::{child, skip};

/// Runs the body of `test` in a child process with its own mount namespace. Returns `true` in the child, and `false`
/// in the parent after the child has ended. If no namespace can be created, skips the test and returns `false`.
pub fn in_namespace(test: &str) -> bool {
    if child::argument_of(test).is_some() {
        return true;
    }
    let launcher = ["unshare", "--mount", "--propagation", "private"];
    if succeeds(Command::new("unshare").args(&launcher[1..]).arg("true")) {
        // The child creates its mount points in `path`. They can be deleted only after the child's mount namespace has
        // ended, so the parent deletes `path`.
        let path = Fixture::build(|path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)));
        let variable = format!("TMPDIR={}", path.path().display());
        child::run(test, &[&launcher[..], &["env", &variable]].concat(), "");
    } else {
        skip(&format!("{test}: no mount namespace to be had"));
    }
    false
}

pub fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

pub fn mount(arguments: &[&str], at: &Path) {
    assert!(succeeds(Command::new("mount").args(arguments).arg(at)), "mount {arguments:?} {}", at.display());
}

/// Clones a file, or all files in a directory. The clones share their data with the originals.
pub fn clone(from: &Path, to: &Path) {
    assert!(succeeds(Command::new("cp").args(["-r", "--reflink=always"]).args([from, to])));
}

/// Writes all cached changes of the file system that contains `root` to the disk.
pub fn sync(root: &Path) {
    assert!(succeeds(Command::new("sync").arg("-f").arg(root)));
}

/// Returns the number of free bytes on the file system of `root`, after writing all pending data to the disk.
pub fn free(root: &Path) -> u64 {
    sync(root);
    let found = statvfs(root).unwrap();
    found.blocks_free() * found.fragment_size()
}

/// Makes XFS immediately free the blocks that it otherwise frees in the background: blocks of deleted files, and blocks
/// that it reserved when shared data was overwritten.
pub fn free_immediately(root: &Path) {
    mount(&["-o", "remount,ro"], root);
    mount(&["-o", "remount,rw"], root);
}

/// File system mounted in a temporary directory. Unmounted when dropped, or when the test's mount namespace ends.
pub struct Image {
    pub fixture: Fixture,
}

impl Image {
    /// Creates a file system. If that is not possible, reports the reason and returns `None`.
    pub fn new(test: &str, kind: &str, bytes: u64, options: &[&str]) -> Option<Self> {
        let fixture = Fixture::build(|root| {
            fs::set_permissions(root, fs::Permissions::from_mode(0o755))?;
            fs::create_dir(root.join("mounted"))?;
            fixtures::hole(root.join("image"), bytes)
        });
        let image = fixture.join("image");
        let make = |program: &str| succeeds(Command::new(program).args(options).arg(&image));
        let is_made = make(&format!("mkfs.{kind}")) || make(&format!("/sbin/mkfs.{kind}"));
        let is_mounted = || {
            let mut mount = Command::new("mount");
            mount.args(["-o", "loop", "-t", kind]).args([&image, &fixture.join("mounted")]);
            succeeds(&mut mount)
        };
        if is_made && is_mounted() {
            fs::set_permissions(fixture.join("mounted"), fs::Permissions::from_mode(0o777)).unwrap();
            return Some(Self { fixture });
        }
        skip(&format!("{test}: no {kind} on a loop device here"));
        None
    }

    pub fn path(&self) -> PathBuf {
        self.fixture.join("mounted")
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // A lazy unmount works even with open files or mounts inside.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}
