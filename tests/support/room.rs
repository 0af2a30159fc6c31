//! Check that tests with snapshots can run: duke keeps no snapshots on a disk that is nearly full.

use std::process::{Command, Stdio};

/// Returns `true` if duke can save snapshots in the directory for temporary files. If the disk is nearly full,
/// reports that the test is skipped and returns `false`.
pub fn keeps_snapshots() -> bool {
    let path = tempfile::tempdir().unwrap();
    let mut save = Command::new(env!("CARGO_BIN_EXE_duke"));
    save.arg("save").arg(path.path()).env("XDG_STATE_HOME", path.path()).env_remove("DUKE_CONFIG");
    let saved = save.stdin(Stdio::null()).output().unwrap();
    let is_full =
        saved.status.code() == Some(1) && String::from_utf8_lossy(&saved.stderr).contains("nearly full");
    if is_full {
        eprintln!("SKIPPED: the disk is nearly full");
    }
    !is_full
}
