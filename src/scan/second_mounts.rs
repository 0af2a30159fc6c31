//! Mounts that the scan does not enter, because their files would count twice: file-system snapshots, and repeated
//! mounts of a volume.
//!
//! Such mounts are recognized only on macOS. macOS leaves Time Machine snapshots mounted, and mounts its system volume
//! a second time for updates. The result does not depend on the order in which the scan visits the mounts.
//!
//! Invariant: a root is scanned even if it is one of these mounts, because the user asked for the root.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::platform::fs::mounts::{HAS_VOLUMES, Mount, mounts, standing};
use crate::tree::Exclusion;

/// Mount points that the scan does not enter, each with the reason.
#[derive(Debug, Default)]
pub(crate) struct SecondMounts(HashMap<Vec<u8>, Exclusion>);

impl SecondMounts {
    /// Reads the mount table and selects the mounts below `roots` that the scan does not enter. The result is empty if
    /// there is no mount table, or if the system is not macOS.
    pub(crate) fn below(roots: &[PathBuf]) -> Self {
        if !HAS_VOLUMES {
            return Self::default();
        }
        let roots: Vec<_> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        let points = roots.iter().filter_map(|root| standing(root).ok()?.point).collect();
        Self::of(&mounts().unwrap_or_default(), &roots, &points)
    }

    /// Selects the mounts below `roots` that the scan does not enter. `points` are the mount points of the mounts that
    /// contain the roots.
    fn of(mounts: &[Mount], roots: &[PathBuf], points: &HashSet<Vec<u8>>) -> Self {
        // A root on a file-system snapshot does not count as a root on the volume itself. `/` is an exception, because
        // macOS runs from such a snapshot.
        let is_volume = |mount: &&Mount| !mount.is_snapshot || mount.point == b"/";
        let of_roots = mounts.iter().filter(|mount| points.contains(&mount.point)).filter(is_volume);
        let mut volumes: HashSet<_> = of_roots.filter_map(|mount| mount.volume).collect();
        let mut found = HashMap::new();
        for mount in mounts {
            let point = Path::new(OsStr::from_bytes(&mount.point));
            let is_below = roots.iter().any(|root| point.starts_with(root) && point != root);
            if !is_below {
                continue;
            }
            let is_new = mount.volume.is_none_or(|volume| volumes.insert(volume));
            if mount.is_snapshot {
                found.insert(mount.point.clone(), Exclusion::Snapshot);
            } else if !is_new || mount.kind == b"nullfs" {
                found.insert(mount.point.clone(), Exclusion::SecondMount);
            }
        }
        Self(found)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the reason why the scan does not enter the mount at `point`; `None` if `point` is not in this map.
    pub(crate) fn reason(&self, point: &[u8]) -> Option<Exclusion> {
        self.0.get(point).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::fs::volume::{VolumeId, is_snapshot};

    fn mount(point: &str, source: &str, kind: &str) -> Mount {
        Mount {
            point: point.into(),
            source: source.into(),
            kind: kind.into(),
            volume: VolumeId::of_source(source.as_bytes()),
            is_snapshot: is_snapshot(source.as_bytes()) || source == "/dev/disk3s1s1",
            ..Mount::default()
        }
    }

    fn boot_disk() -> Vec<Mount> {
        vec![
            mount("/", "/dev/disk3s1s1", "apfs"),
            mount("/dev", "devfs", "devfs"),
            mount("/System/Volumes/VM", "/dev/disk3s6", "apfs"),
            mount("/System/Volumes/Update", "/dev/disk3s4", "apfs"),
            mount("/System/Volumes/Data", "/dev/disk3s5", "apfs"),
            mount("/System/Volumes/Update/mnt1", "/dev/disk3s1", "apfs"),
            mount("/Volumes/TM/now/Data", "com.apple.TimeMachine.now@/dev/disk3s5", "apfs"),
            mount("/System/Cryptexes/OS", "/System/Volumes/Preboot/Cryptexes/OS", "nullfs"),
            mount("/Volumes/Stick", "/dev/disk4s1", "exfat"),
        ]
    }

    fn found(roots: &[(&str, &str)]) -> Vec<(String, Exclusion)> {
        let points = roots.iter().map(|(_, point)| point.as_bytes().to_vec()).collect();
        let roots: Vec<_> = roots.iter().map(|(root, _)| PathBuf::from(root)).collect();
        let SecondMounts(found) = SecondMounts::of(&boot_disk(), &roots, &points);
        let mut found: Vec<_> =
            found.into_iter().map(|(point, why)| (String::from_utf8(point).unwrap(), why)).collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    #[test]
    fn a_boot_disk_counts_once() {
        let expected = [
            ("/System/Cryptexes/OS".into(), Exclusion::SecondMount),
            ("/System/Volumes/Update/mnt1".into(), Exclusion::SecondMount),
            ("/Volumes/TM/now/Data".into(), Exclusion::Snapshot),
        ];
        assert_eq!(found(&[("/", "/")]), expected);
        assert_eq!(found(&[("/Volumes/TM/now/Data", "/Volumes/TM/now/Data"), ("/", "/")]), expected);
    }

    #[test]
    fn a_snapshot_that_is_a_root_is_scanned() {
        assert_eq!(found(&[("/Volumes/TM/now/Data", "/Volumes/TM/now/Data")]), []);
        assert_eq!(found(&[("/Users/me", "/System/Volumes/Data")]), []);
    }
}
