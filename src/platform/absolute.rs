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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_above_is_asked_of_the_system_and_links_stay() {
        let top =
            std::env::temp_dir().canonicalize().unwrap().join(format!("duke-above-{}", std::process::id()));
        fs::create_dir_all(top.join("far/away")).unwrap();
        symlink("far/away", top.join("link")).unwrap();
        assert_eq!(absolute(&top.join("link/./x")), top.join("link/x"));
        assert_eq!(absolute(&top.join("link/..")), top.join("far"));
        assert_eq!(absolute(&top.join("far/../link/x")), top.join("link/x"));
        assert_eq!(absolute(&top.join("nowhere/../x")), top.join("nowhere/../x"));
        assert_eq!(absolute(Path::new(".")), std::env::current_dir().unwrap());
        assert_eq!(
            absolute(Path::new("..")),
            std::env::current_dir().unwrap().parent().unwrap().canonicalize().unwrap()
        );
        assert_eq!(absolute(Path::new("/..")), Path::new("/"));
        fs::remove_dir_all(&top).unwrap();
    }
}
