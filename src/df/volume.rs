//! Sizes that df reports for a file system, and the reasons why a scan could not reach all of it.
//!
//! Invariant: only a few system calls are made, regardless of the size of the scan.

use std::path::{Path, PathBuf};

use super::mount_map::{mount_of, point};
use crate::platform::Errno;
use crate::platform::fs::capacity::{Capacity, capacity};
use crate::platform::fs::mounts::{Mount, mounts, standing};

/// File system, with the sizes that df reports for it.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Path at which the scan reached the file system: a root, or a mount point below a root.
    pub path: PathBuf,
    /// Mount that contains `path`; `None` if unknown.
    pub mount: Option<Mount>,
    /// Sizes as df reports them.
    pub capacity: Result<Capacity, Errno>,
    /// Reasons why the file system may contain more than the scan could reach; empty if the scan could reach all of it.
    pub outside: Vec<NotScanned>,
}

/// Reason why a file system may contain more than a scan could reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotScanned {
    /// The scan began below this mount point.
    Above(PathBuf),
    /// Only this directory of the file system is mounted.
    Directory(Vec<u8>),
    /// The mount point is unknown.
    Unknown,
}

impl Volume {
    /// Returns the file system of the root `given`, or `None` if the root no longer exists.
    pub(crate) fn of_root(given: &Path) -> Option<Self> {
        let standing = standing(given).ok()?;
        let path = given.canonicalize().ok()?;
        let mut mounts = mounts().unwrap_or_default();
        let mount = mount_of(&mounts, &path, &standing).map(|index| mounts.swap_remove(index));
        let outside = NotScanned::of(mount.as_ref(), &path);
        Some(Self { capacity: capacity(&path), path, mount, outside })
    }

    /// Returns the type of the file system, if known.
    pub fn kind(&self) -> Option<&[u8]> {
        self.mount.as_ref().map(|mount| mount.kind.as_slice())
    }

    /// Returns `true` if the scan could reach the whole file system.
    pub fn is_whole(&self) -> bool {
        self.outside.is_empty()
    }
}

impl NotScanned {
    /// Returns the reasons why a scan from `path` cannot reach all of its file system. `mount` is the mount of `path`.
    pub(crate) fn of(mount: Option<&Mount>, path: &Path) -> Vec<Self> {
        let Some(mount) = mount else { return vec![Self::Unknown] };
        let point = point(mount);
        let above = (point != path).then_some(Self::Above(point));
        let part = (mount.root != b"/").then(|| Self::Directory(mount.root.clone()));
        above.into_iter().chain(part).collect()
    }
}
