//! macOS volumes, recognized by their mount sources.
//!
//! ```text
//! /dev/disk3s5             volume 5 of container 3
//! /dev/disk3s1s1           file-system snapshot of volume 1, from which macOS itself runs
//! NAME@/dev/disk3s5        file-system snapshot of volume 5, such as those that Time Machine leaves mounted
//! ```
//!
//! This module makes no system calls, so it can be tested on every system.

/// Volume on a disk or in an APFS container. The volumes of a container share its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VolumeId {
    /// Disk number or, on APFS, container number.
    pub container: u32,
    /// Volume number, such as 5 in `disk3s5`; `None` for a disk without partitions.
    pub number: Option<u32>,
}

impl VolumeId {
    /// Returns the volume with this mount source, or `None` if the source is not a disk.
    pub fn of_source(source: &[u8]) -> Option<Self> {
        let device = source.rsplit(|byte| *byte == b'@').next()?;
        let numbers = str::from_utf8(device.strip_prefix(b"/dev/disk")?).ok()?;
        let mut numbers = numbers.split('s').map(|number| number.parse().ok());
        Some(Self { container: numbers.next()??, number: numbers.next().flatten() })
    }
}

/// Returns `true` if this mount source names a file-system snapshot (`NAME@/dev/...`). Returns `false` for the snapshot
/// from which macOS runs (such as `/dev/disk3s1s1`), whose mount has the flag `MNT_SNAPSHOT`.
#[allow(dead_code)] // only macOS has such mounts
pub fn is_snapshot(source: &[u8]) -> bool {
    source.windows(b"@/dev/".len()).any(|part| part == b"@/dev/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_recognized_through_their_snapshots() {
        let volume = |container, number| Some(VolumeId { container, number });
        let cases = [
            ("/dev/disk3s5", volume(3, Some(5)), false),
            ("/dev/disk3s1s1", volume(3, Some(1)), false),
            ("/dev/disk12", volume(12, None), false),
            ("com.apple.TimeMachine.2026-01-02-030405.local@/dev/disk3s5", volume(3, Some(5)), true),
            ("me@box:/dev/disk", None, false),
            ("//me@box/share", None, false),
            ("devfs", None, false),
            ("/dev/diskette", None, false),
        ];
        for (source, id, snapshot) in cases {
            assert_eq!(VolumeId::of_source(source.as_bytes()), id, "{source}");
            assert_eq!(is_snapshot(source.as_bytes()), snapshot, "{source}");
        }
    }
}
