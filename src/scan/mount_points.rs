//! Mount points that the scan does not enter, grouped by parent directory.
//!
//! Invariant: a root is scanned even if it is one of these mount points, because the user asked for the root.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::platform::FileSystem;
use crate::platform::fs::answer;
use crate::platform::fs::answer::within;
use crate::platform::fs::capacity::capacity;
use crate::platform::fs::mounts::{Mount, mounts};
use crate::tree::join;

/// Names of mount points, grouped by parent directory. The keys are the paths of the parent directories in the tree.
#[derive(Debug, Default)]
pub(crate) struct Points(HashMap<Vec<u8>, HashSet<Vec<u8>>>);

/// Returns the real path of each root, and the path given by the user. Omits roots whose paths cannot be resolved.
pub(crate) fn real(roots: impl Iterator<Item = PathBuf>) -> Vec<(PathBuf, PathBuf)> {
    roots.filter_map(|root| Some((root.canonicalize().ok()?, root))).collect()
}

impl Points {
    /// Adds `mount` if it is below one of the roots.
    pub(crate) fn add(&mut self, mount: &Mount, roots: &[(PathBuf, PathBuf)]) {
        let point = Path::new(OsStr::from_bytes(&mount.point));
        for (real, given) in roots {
            let Ok(below) = point.strip_prefix(real) else { continue };
            // A mount on the root itself is not added. It is scanned, because the user asked for the root.
            let (Some(name), Some(above)) = (below.file_name(), below.parent()) else { continue };
            let given = given.as_os_str().as_bytes();
            let above = above.as_os_str().as_bytes();
            let parts = [given].into_iter().chain((!above.is_empty()).then_some(above));
            self.0.entry(join(parts)).or_default().insert(name.as_bytes().to_vec());
        }
    }

    /// Returns each mount point below `roots` whose file system does not respond within the time limit. Kernel file
    /// systems are not queried, because a query could trigger an automount. If `skip_network` is `true`, network file
    /// systems are not queried either.
    pub(crate) fn silent(roots: impl Iterator<Item = PathBuf>, skip_network: bool) -> Self {
        let roots = real(roots);
        let is_asked = |mount: &Mount| {
            let point = Path::new(OsStr::from_bytes(&mount.point));
            let is_below = roots.iter().any(|(real, _)| point.starts_with(real) && point != real);
            let is_kernel = FileSystem::of_mount(&mount.kind, &mount.source) == FileSystem::Kernel;
            is_below && !is_kernel && !(skip_network && mount.is_network)
        };
        let asked: Vec<Mount> = mounts().unwrap_or_default().into_iter().filter(is_asked).collect();
        let question = |mount: &Mount| {
            let point = crate::scan::path(mount.point.clone());
            move || capacity(&point).is_ok()
        };
        let answers = within(answer::LIMIT, asked.iter().map(question));
        let mut points = Self::default();
        for (mount, _) in asked.iter().zip(answers).filter(|(_, answer)| answer.is_none()) {
            points.add(mount, &roots);
        }
        points
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the mount points in the directory at `path`, if there are any.
    pub(crate) fn names_in(&self, path: &[u8]) -> Option<&HashSet<Vec<u8>>> {
        self.0.get(path)
    }
}
