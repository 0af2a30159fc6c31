//! The folder in which the program keeps its own: snapshots and the journal.
//!
//! Knows nothing of what is in it. Invariant: asking makes nothing.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

/// The folder according to `$XDG_STATE_HOME` and `$HOME` (XDG Base Directory Specification). Relative paths do not count.
pub fn folder(state_home: Option<&OsStr>, home: Option<&OsStr>) -> Option<PathBuf> {
    let absolute = |path: &OsStr| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let state = state_home.and_then(absolute);
    let state = state.or_else(|| Some(home.and_then(absolute)?.join(".local/state")))?;
    Some(state.join("duke"))
}

/// The folder of this process.
pub fn folder_of_process() -> Option<PathBuf> {
    folder(std::env::var_os("XDG_STATE_HOME").as_deref(), std::env::var_os("HOME").as_deref())
}

/// Whether a folder, or what it would be made in, belongs to whoever runs the program: `sudo` often keeps the home of another.
///
/// # Errors
/// When the system does not say whose it is.
pub fn is_ours(folder: &Path) -> io::Result<bool> {
    for above in folder.ancestors() {
        match fs::metadata(above) {
            Ok(there) => return Ok(there.uid() == geteuid().as_raw()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_where_the_specification_says() {
        let folder = |state: Option<&str>, home: Option<&str>| {
            super::folder(state.map(OsStr::new), home.map(OsStr::new))
        };
        assert_eq!(folder(Some("/state"), Some("/home")), Some("/state/duke".into()));
        assert_eq!(folder(None, Some("/home")), Some("/home/.local/state/duke".into()));
        assert_eq!(folder(Some("state"), Some("/home")), Some("/home/.local/state/duke".into()));
        assert_eq!(folder(None, Some("home")), None);
        assert_eq!(folder(None, None), None);
    }
}
