//! Absolute paths.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Returns `path` as an absolute path that stays valid when the current directory changes.
///
/// Symbolic links in the part up to the last `..` are resolved, because a `..` leads to the parent of the link's
/// target. All other links are kept. If that part cannot be resolved, the result still contains the `..`. Trailing
/// slashes are dropped, so that each path has only one spelling.
pub fn absolute(path: &Path) -> PathBuf {
    let written = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let written: PathBuf = written.components().collect();
    let components: Vec<Component<'_>> = written.components().collect();
    let Some(last) = components.iter().rposition(|component| *component == Component::ParentDir) else {
        return written;
    };
    let (back, rest) = components.split_at(last + 1);
    let Ok(mut resolved) = back.iter().collect::<PathBuf>().canonicalize() else { return written };
    resolved.extend(rest);
    resolved
}

/// Applies [`absolute`] to a path stored as bytes, as in a tree.
pub fn absolute_bytes(path: &[u8]) -> Vec<u8> {
    absolute(Path::new(OsStr::from_bytes(path))).into_os_string().into_vec()
}

/// Splits an absolute path into the path of the parent and a name. Returns `None` for a path that ends in a slash, such
/// as `/`.
pub fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let slash = path.iter().rposition(|byte| *byte == b'/')?;
    let name = &path[slash + 1..];
    (!name.is_empty()).then(|| (&path[..slash.max(1)], name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_split_at_its_last_slash() {
        assert_eq!(split(b"/a/b"), Some((&b"/a"[..], &b"b"[..])));
        assert_eq!(split(b"/a"), Some((&b"/"[..], &b"a"[..])));
        assert_eq!((split(b"/"), split(b"a"), split(b"/a/")), (None, None, None));
    }
}
