//! Identity of mounted file systems: type, source, and the ID that statvfs(3) reports.
//!
//! Invariant: a file system that does not respond gets the ID 0. All such file systems together delay the caller by at
//! most `answer::LIMIT`, if a thread can be started for each of them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::platform::fs::answer::{LIMIT, within};
use crate::platform::fs::mounts::{Mount, mounts};

/// Returns the mount and the file-system ID (0 if unknown) of each device; `None` for a device not in the mount table.
pub fn identities(devices: &[u64]) -> Vec<Option<(Mount, u64)>> {
    let mounts = mounts().unwrap_or_default();
    let found: Vec<Option<&Mount>> = devices.iter().map(|device| widest(&mounts, *device)).collect();
    let questions = found.iter().map(|mount| {
        let position = mount.map(|mount| (PathBuf::from(OsStr::from_bytes(&mount.point)), mount.device));
        move || position.as_ref().map_or(0, |(point, device)| id_of(point, *device))
    });
    let ids = within(LIMIT, questions.collect::<Vec<_>>());
    found.into_iter().zip(ids).map(|(mount, id)| Some((mount?.clone(), id.unwrap_or(0)))).collect()
}

/// Returns the mount of `device` with the shortest root path, which shows the largest part of the file system.
fn widest(mounts: &[Mount], device: u64) -> Option<&Mount> {
    mounts.iter().filter(|mount| mount.device == device).min_by_key(|mount| mount.root.len())
}

/// Returns the ID of the file system mounted at `point` on `device`. Returns 0 if the file system has no ID, or if
/// another file system is mounted on top of it.
#[allow(clippy::useless_conversion)] // the ID has 32 bits on some systems
fn id_of(point: &Path, device: u64) -> u64 {
    let is_visible = std::fs::symlink_metadata(point).is_ok_and(|found| found.dev() == device);
    let id = || nix::sys::statvfs::statvfs(point).map_or(0, |status| u64::from(status.filesystem_id()));
    // musl reports only the lower 32 bits of the ID. The upper 32 bits are always dropped, so that the ID is the same
    // with every C library.
    if is_visible { id() & u64::from(u32::MAX) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_mount_of_a_device_identifies_it() {
        let mount = |device, root: &[u8]| Mount { device, root: root.to_vec(), ..Mount::default() };
        let mounts = [mount(1, b"/home"), mount(2, b"/"), mount(1, b"/")];
        assert_eq!(widest(&mounts, 1), Some(&mounts[2]));
        assert_eq!(widest(&mounts, 3), None);
    }
}
