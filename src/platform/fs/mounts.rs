//! Mount table, and the mount that a path is on.
//!
//! | system | mount table | mount of a path |
//! |---|---|---|
//! | Linux | `/proc/self/mountinfo` (proc(5)) | `statx(2)`, which reports the mount since Linux 5.8 |
//! | macOS | `getfsstat(2)`, without requests to the file systems | `statfs(2)`: the mount point |
//!
//! On Linux, network file systems are recognized by type and mount source (`fs::kind`). On macOS, the kernel marks
//! local file systems with the flag `MNT_LOCAL`. All others except `autofs` count as network file systems.
//!
//! Invariant: a lookup accesses only the file system that the path is on, so an unreachable server blocks no other
//! lookup.

pub use super::imp::{
    HAS_VOLUMES, file_systems, is_whole, mount_at, mount_of, mounts, recursive_lengths, standing,
};
use super::volume::VolumeId;

/// Mount of a file system. A file system can have several mounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// Mount ID; 0 if the system has none.
    pub id: u64,
    /// ID of the parent mount, which contains the mount point.
    pub parent: u64,
    /// Device of the file system. On btrfs, files have a different device (`st_dev`): the device of their subvolume.
    pub device: u64,
    /// Path, within the file system, of the directory visible at the mount point; `/` for the whole file system.
    pub root: Vec<u8>,
    /// Path of the mount point.
    pub point: Vec<u8>,
    /// Type of the file system, such as `ext4`.
    pub kind: Vec<u8>,
    /// Mount source, such as `/dev/sda1`.
    pub source: Vec<u8>,
    /// Options of the file system, separated by commas.
    pub options: Vec<u8>,
    /// `true` for a network file system, as determined from its type and source (Linux) or reported by the kernel
    /// (macOS).
    pub is_network: bool,
    /// Volume of the mount; set on macOS only.
    pub volume: Option<VolumeId>,
    /// `true` for a mount of a file-system snapshot; set on macOS only.
    pub is_snapshot: bool,
}

impl Mount {
    /// Returns the values of the option `name`. Some options may occur several times, such as overlay's `lowerdir`.
    pub fn option<'o>(&'o self, name: &'o [u8]) -> impl Iterator<Item = &'o [u8]> {
        let options = split_options(&self.options);
        options.filter_map(move |option| option.strip_prefix(name)?.strip_prefix(b"="))
    }

    /// Returns the number of the mounted volume's APFS container, such as 3 for `/dev/disk3s5`, or `None` for other
    /// file systems. The volumes of a container share its space.
    fn container(&self) -> Option<u32> {
        self.volume.filter(|_| self.kind == b"apfs").map(|volume| volume.container)
    }

    /// Returns `true` if `other` is a mount of the same volume.
    pub fn is_same_volume(&self, other: &Self) -> bool {
        match (self.volume, other.volume) {
            (None, None) => self.device == other.device,
            (one, other) => one == other,
        }
    }

    /// Returns `true` if df reports the same space for both mounts.
    pub fn shares_space(&self, other: &Self) -> bool {
        match (self.container(), other.container()) {
            (None, None) => self.device == other.device,
            (one, other) => one == other,
        }
    }
}

/// Result of [`standing`]: the mount and the inode of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountPosition {
    /// ID of the mount that the path is on, if the system reports it.
    pub mount: Option<u64>,
    /// Mount point of the mount that the path is on, if the system reports it.
    pub point: Option<Vec<u8>>,
    /// Device of the path (`st_dev`).
    pub device: u64,
    pub inode: u64,
    /// `true` if a file system is mounted at the path.
    pub is_mount_point: bool,
}

/// Splits options at commas. A backslash escapes a comma, as in the layer names of overlayfs.
fn split_options(options: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(options);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut escaped = false;
        let end = text.iter().position(|byte| {
            let ends = *byte == b',' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        });
        let (option, after) = match end {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        rest = after;
        Some(option)
    })
}
