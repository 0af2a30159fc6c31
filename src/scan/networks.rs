//! Where file systems of other machines are mounted below the roots, known before anything there is asked.
//!
//! A server that is gone answers no `stat`, and whoever asks waits with it. So `--skip-network` goes by the table of mounts first:
//! a mount point is left out by its path. What the table does not know is left out by its device, or by what the file system says
//! of itself, once it is met.
//!
//! Knows nothing of entering directories. Invariant: nothing here asks a mounted file system, except those the roots are on.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::platform::mounts::{Mount, mounts};
use crate::tree::join;

/// The mounts of other machines.
#[derive(Debug, Default)]
pub(super) struct Networks {
    /// The names of mount points in each directory, by its path as the tree has it.
    points: HashMap<Vec<u8>, HashSet<Vec<u8>>>,
    devices: HashSet<u64>,
}

impl Networks {
    /// As the system says now, below roots that were given by these paths. Where it says nothing none is known.
    pub(super) fn below(roots: impl Iterator<Item = PathBuf>) -> Self {
        let mounts = mounts().unwrap_or_default();
        if mounts.iter().any(|mount| mount.is_network) {
            let real = |root: PathBuf| Some((root.canonicalize().ok()?, root));
            Self::of(&mounts, &roots.filter_map(real).collect::<Vec<_>>())
        } else {
            Self::default()
        }
    }

    /// Of these mounts, below these roots: each where it really is, and as it was given.
    fn of(mounts: &[Mount], roots: &[(PathBuf, PathBuf)]) -> Self {
        let mut networks = Self::default();
        for mount in mounts.iter().filter(|mount| mount.is_network) {
            networks.devices.insert(mount.device);
            let point = Path::new(OsStr::from_bytes(&mount.point));
            for (real, given) in roots {
                let Ok(below) = point.strip_prefix(real) else { continue };
                // Where the mount is the root itself, it is entered: it was asked for.
                let (Some(name), Some(above)) = (below.file_name(), below.parent()) else { continue };
                let given = given.as_os_str().as_bytes();
                let above = above.as_os_str().as_bytes();
                let parts = [given].into_iter().chain((!above.is_empty()).then_some(above));
                networks.points.entry(join(parts)).or_default().insert(name.as_bytes().to_vec());
            }
        }
        networks
    }

    /// Whether there is no mount point to look for.
    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The names of the mount points in the directory at `path`.
    pub(super) fn points_in(&self, path: &[u8]) -> Option<&HashSet<Vec<u8>>> {
        self.points.get(path)
    }

    /// Whether a device is that of one of the mounts.
    pub(super) fn has_device(&self, device: u64) -> bool {
        self.devices.contains(&device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(point: &str, is_network: bool, device: u64) -> Mount {
        Mount { point: point.as_bytes().to_vec(), is_network, device, ..Mount::default() }
    }

    fn networks(roots: &[(&str, &str)]) -> Networks {
        let mounts = [mount("/", false, 1), mount("/mnt/nas", true, 2), mount("/mnt/deep/er/box", true, 3)];
        let roots: Vec<_> =
            roots.iter().map(|(real, given)| (PathBuf::from(real), PathBuf::from(given))).collect();
        Networks::of(&mounts, &roots)
    }

    fn is_point(networks: &Networks, directory: &str, name: &str) -> bool {
        networks.points_in(directory.as_bytes()).is_some_and(|names| names.contains(name.as_bytes()))
    }

    #[test]
    fn a_mount_point_is_known_by_the_path_its_root_was_given_by() {
        let all = networks(&[("/", "/")]);
        assert!(is_point(&all, "/mnt", "nas") && is_point(&all, "/mnt/deep/er", "box"));
        assert!(!is_point(&all, "/mnt", "deep") && !is_point(&all, "/", "mnt"));
        let here = networks(&[("/mnt", ".")]);
        assert!(is_point(&here, ".", "nas") && is_point(&here, "./deep/er", "box"));
        let linked = networks(&[("/mnt/deep", "/link/"), ("/home", "/home")]);
        assert!(is_point(&linked, "/link/er", "box"));
        assert!(!is_point(&linked, "/link", "nas") && !is_point(&linked, "/mnt", "nas"));
    }

    #[test]
    fn a_root_that_is_such_a_mount_was_asked_for() {
        let inside = networks(&[("/mnt/nas", "/mnt/nas"), ("/mnt/nas/sub", "sub")]);
        assert!(inside.is_empty());
    }

    #[test]
    fn only_devices_of_other_machines_are_left_out() {
        let all = networks(&[("/", "/")]);
        assert!(!all.has_device(1) && all.has_device(2) && all.has_device(3));
    }
}
