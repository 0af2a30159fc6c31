//! Folder for duke's own files: snapshots and the journal.
//!
//! Invariant: this module never creates a folder.

use std::ffi::OsStr;
use std::path::PathBuf;

/// Returns duke's folder in `$XDG_STATE_HOME` (XDG Base Directory Specification) or, if that is not an absolute path,
/// in `$HOME/.local/state`. Returns `None` if neither variable contains an absolute path.
pub fn folder(state_home: Option<&OsStr>, home: Option<&OsStr>) -> Option<PathBuf> {
    let absolute = |path: &OsStr| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let state = state_home.and_then(absolute);
    let state = state.or_else(|| Some(home.and_then(absolute)?.join(".local/state")))?;
    Some(state.join("duke"))
}

/// Returns duke's folder according to the environment variables of this process.
pub fn folder_of_process() -> Option<PathBuf> {
    folder(std::env::var_os("XDG_STATE_HOME").as_deref(), std::env::var_os("HOME").as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_follows_the_specification() {
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
