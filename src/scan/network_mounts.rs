//! Network file systems mounted below the roots, determined before anything below the roots is read.
//!
//! A `stat` call on a mount point never returns if the server is unreachable. Therefore, `--skip-network` takes the
//! mount points from the mount table and excludes them by path, without such a call. Any other network mount, such as
//! one mounted during the scan, is excluded once the scan has read the attributes of its mount point, based on the
//! device or on the type of the file system.
//!
//! Invariant: finding the network mounts accesses no mounted file system except those of the roots.

use std::collections::HashSet;
use std::path::PathBuf;

use super::mount_points::{Points, real};
use crate::platform::fs::mounts::{Mount, mounts};

/// Mounts of network file systems.
#[derive(Debug, Default)]
pub(crate) struct Networks {
    points: Points,
    devices: HashSet<u64>,
}

impl Networks {
    /// Reads the mount table. Records the devices of all network mounts, and the mount points of those below `roots`.
    /// The result is empty if there is no mount table.
    pub(crate) fn below(roots: impl Iterator<Item = PathBuf>) -> Self {
        let mounts = mounts().unwrap_or_default();
        if mounts.iter().any(|mount| mount.is_network) {
            Self::of(&mounts, &real(roots))
        } else {
            Self::default()
        }
    }

    /// Does the same as [`Networks::below`] for the mount table `mounts`. Each root is a pair of the real path and the
    /// path given by the user.
    fn of(mounts: &[Mount], roots: &[(PathBuf, PathBuf)]) -> Self {
        let mut networks = Self::default();
        for mount in mounts.iter().filter(|mount| mount.is_network) {
            networks.devices.insert(mount.device);
            networks.points.add(mount, roots);
        }
        networks
    }

    /// Returns `true` if there are no mount points to exclude.
    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the names of the mount points in the directory at `path`, if there are any.
    pub(crate) fn points_in(&self, path: &[u8]) -> Option<&HashSet<Vec<u8>>> {
        self.points.names_in(path)
    }

    /// Returns `true` if a network mount has this device number.
    pub(crate) fn has_device(&self, device: u64) -> bool {
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
    fn mount_points_are_found_by_the_path_of_their_root() {
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
    fn a_root_on_a_network_mount_is_scanned() {
        let inside = networks(&[("/mnt/nas", "/mnt/nas"), ("/mnt/nas/sub", "sub")]);
        assert!(inside.is_empty());
    }

    #[test]
    fn only_network_devices_are_excluded() {
        let all = networks(&[("/", "/")]);
        assert!(!all.has_device(1) && all.has_device(2) && all.has_device(3));
    }
}
