//! Space accounting for a file system: the known amounts and the unexplained rest.
//!
//! Invariant: [`FileSystemUsage::unexplained`] is always computed as "used" minus everything known, never
//! measured.

use super::covered::CoveredFiles;
use super::parts::{CountedAs, Overhead};
use super::scanned::Scanned;
use super::volume::Volume;
use crate::platform::Errno;
use crate::platform::fs::overhead::Quota;
use crate::platform::fs::overhead::btrfs::Subvolume;
use crate::platform::process::open_files::{ProcessAccess, UnlinkedFile};

/// Space accounting for one file system.
#[derive(Clone, Debug)]
pub struct FileSystemUsage {
    /// File system with its mount and the sizes that df reports.
    pub volume: Volume,
    pub scanned: Scanned,
    /// Files covered by mount points.
    pub covered: Vec<CoveredFiles>,
    /// Deleted files that processes still hold open.
    pub deleted: Vec<UnlinkedFile>,
    /// Level of access to the open files of processes.
    pub access: ProcessAccess,
    /// Overhead of the file system.
    pub parts: Vec<Overhead>,
    /// Additional facts about the file system.
    pub notes: Vec<Note>,
}

/// Additional fact about a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The file system is an overlay with these layers.
    Layers {
        /// Directory for writes (mount option `upperdir`); `None` if there is none, as in a read-only overlay.
        upper: Option<Vec<u8>>,
        /// Lower directories of the overlay, topmost first.
        lower: Vec<Vec<u8>>,
    },
    /// The file system is in memory.
    Memory,
    /// The file system is btrfs and has these subvolumes.
    Subvolumes(Vec<Subvolume>),
    /// The file system has snapshots with these names.
    Snapshots(Vec<Vec<u8>>),
    /// The user who runs duke has this quota.
    Quota(Quota),
    /// The directory has a quota, so df shows a size smaller than that of the whole file system.
    DirectoryLimit {
        /// Size that df reports for the directory.
        shown: u64,
        /// Size that df reports for the mount point.
        whole: u64,
    },
    /// The overhead or the subvolumes could not be read, usually because only root can read them. Contains the error.
    Refused(Errno),
}

/// Space accounting for every file system that the scan has visited.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// File systems: first that of the requested directory, then those of the roots, then those below the roots.
    pub spaces: Vec<FileSystemUsage>,
}

/// Difference between the used space that df reports and the sum of its known parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unexplained {
    /// Number of unexplained bytes.
    Missing(u64),
    /// Number of bytes by which the known parts exceed "used", usually because shared data is counted more than once.
    Shared(u64),
}

impl FileSystemUsage {
    /// Returns the unexplained part of the used space, or `None` if the system does not report the used space.
    pub fn unexplained(&self) -> Option<Unexplained> {
        let capacity = self.volume.capacity.ok()?;
        Some(match capacity.used_beyond(self.known()) {
            Ok(missing) => Unexplained::Missing(missing),
            Err(excess) => Unexplained::Shared(excess),
        })
    }

    /// Returns the total size in bytes of the known parts of the used space: scanned entries, covered files, deleted
    /// files and overhead.
    fn known(&self) -> u64 {
        let parts = self.parts.iter().filter(|part| part.counted == CountedAs::Used);
        let parts = parts.fold(0_u64, |sum, part| sum.saturating_add(part.bytes));
        [self.hidden(), self.deleted_bytes(), parts].into_iter().fold(self.scanned.disk, u64::saturating_add)
    }

    /// Returns the total disk usage in bytes of the covered files that could be read.
    pub fn hidden(&self) -> u64 {
        let known = self.covered.iter().filter_map(|directory| directory.hidden.ok());
        known.fold(0, |sum, hidden| sum.saturating_add(hidden.disk))
    }

    /// Returns the disk usage in bytes of deleted but open files whose sizes are known.
    pub fn deleted_bytes(&self) -> u64 {
        self.deleted.iter().filter_map(|file| file.disk).fold(0, u64::saturating_add)
    }
}
