//! Paths from the top of the file system.

use std::path::{Component, Path, PathBuf};

/// `path` from the top of the file system, so that it says where it leads wherever it is read later.
///
/// Symbolic links stay what they are, but for those that a `..` goes back over: what is above them only the system knows. A path that
/// cannot be resolved stays as it is.
pub fn absolute(path: &Path) -> PathBuf {
    let written = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let components: Vec<Component<'_>> = written.components().collect();
    let Some(last) = components.iter().rposition(|component| *component == Component::ParentDir) else {
        return written;
    };
    let (back, rest) = components.split_at(last + 1);
    let Ok(mut resolved) = back.iter().collect::<PathBuf>().canonicalize() else { return written };
    resolved.extend(rest);
    resolved
}
