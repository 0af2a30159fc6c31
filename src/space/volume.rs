//! A file system as df shows it, and how a scan stands to it.
//!
//! Knows no tree. Invariant: it costs a few calls, whatever the size of the scan.

use std::path::{Path, PathBuf};

use super::regions::{mount_of, point};
use crate::platform::Errno;
use crate::platform::capacity::{Capacity, capacity};
use crate::platform::mounts::{Mount, mounts, standing};

/// A file system as df shows it.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Where it was met: a root, or a mount point below one.
    pub path: PathBuf,
    /// As what it is mounted there; unknown without a table of mounts.
    pub mount: Option<Mount>,
    /// What df says.
    pub capacity: Result<Capacity, Errno>,
    /// Why there may be more on it than the scan could meet; nothing if all of it was to be met.
    pub outside: Vec<Outside>,
}

/// Why there may be more on a file system than a scan has met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The scan began below this, its mount point.
    Above(PathBuf),
    /// Only this directory of it is mounted.
    Directory(Vec<u8>),
    /// Where it is mounted is not known.
    Unknown,
}

impl Volume {
    /// That of the file system on which the root `given` stands; none if that is not there any more.
    pub(super) fn of_root(given: &Path) -> Option<Self> {
        let standing = standing(given).ok()?;
        let path = given.canonicalize().ok()?;
        let mut mounts = mounts().unwrap_or_default();
        let mount = mount_of(&mounts, &path, &standing).map(|index| mounts.swap_remove(index));
        let outside = Outside::of(mount.as_ref(), &path);
        Some(Self { capacity: capacity(&path), path, mount, outside })
    }

    /// The type of the file system, if it is known.
    pub fn kind(&self) -> Option<&[u8]> {
        self.mount.as_ref().map(|mount| mount.kind.as_slice())
    }

    /// Whether all of it was to be met.
    pub fn is_whole(&self) -> bool {
        self.outside.is_empty()
    }
}

impl Outside {
    /// What a scan from `path` on cannot meet of the file system that is mounted there or above.
    pub(super) fn of(mount: Option<&Mount>, path: &Path) -> Vec<Self> {
        let Some(mount) = mount else { return vec![Self::Unknown] };
        let point = point(mount);
        let above = (point != path).then_some(Self::Above(point));
        let part = (mount.root != b"/").then(|| Self::Directory(mount.root.clone()));
        above.into_iter().chain(part).collect()
    }
}
