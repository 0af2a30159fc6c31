//! Paths from the top of the file system.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
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

/// [`absolute`] of a path in bytes, as trees have them.
pub fn absolute_bytes(path: &[u8]) -> Vec<u8> {
    absolute(Path::new(OsStr::from_bytes(path))).into_os_string().into_vec()
}
