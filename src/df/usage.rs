//! Accounting of a file system: what was found, and the rest that is not explained.
//!
//! Invariant: [`Space::remainder`] is "used" minus everything that is known, never a measured number.

use super::covered::CoveredFiles;
use super::parts::{CountedAs, Overhead};
use super::scanned::Scanned;
use super::volume::Volume;
use crate::platform::Errno;
use crate::platform::fs::overhead::Quota;
use crate::platform::fs::overhead::btrfs::Subvolume;
use crate::platform::process::open_files::{ProcessAccess, UnlinkedFile};

/// Accounting of one file system.
#[derive(Clone, Debug)]
pub struct FileSystemUsage {
    /// Sizes and mount as df reports them.
    pub volume: Volume,
    /// Totals of the scan.
    pub scanned: Scanned,
    /// Files covered by mount points.
    pub shadows: Vec<CoveredFiles>,
    /// Deleted files that processes still hold open.
    pub deleted: Vec<UnlinkedFile>,
    /// Processes whose open files could be read.
    pub reach: ProcessAccess,
    /// Overhead of the file system.
    pub parts: Vec<Overhead>,
    /// Further facts about the file system.
    pub notes: Vec<Note>,
}

/// Further fact about a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Overlay: the layer that is written to and the layers below it.
    Layers {
        /// Directory that receives writes.
        upper: Option<Vec<u8>>,
        /// Directories below, topmost first.
        lower: Vec<Vec<u8>>,
    },
    /// File system in memory.
    Memory,
    /// Subvolumes of a btrfs file system.
    Subvolumes(Vec<Subvolume>),
    /// Names of the file system's snapshots.
    Snapshots(Vec<Vec<u8>>),
    /// Quota of the user who runs duke.
    Quota(Quota),
    /// Quota of the directory, which makes df show a smaller size than the file system has.
    DirectoryLimit {
        /// Size that df reports for the directory.
        shown: u64,
        /// Size that df reports for the mount point.
        whole: u64,
    },
    /// The file system reports more to root only.
    Refused(Errno),
}

/// Accounting of every file system the scan visited.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// File systems, the one of the requested directory first, then in the order in which the scan visited
    /// them.
    pub spaces: Vec<FileSystemUsage>,
}

/// Difference between "used" and everything that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unexplained {
    /// Bytes that are not explained.
    Missing(u64),
    /// Bytes by which the known parts exceed "used": something is counted more than once.
    Shared(u64),
}

impl FileSystemUsage {
    /// Returns the unexplained rest of "used", or `None` if the system does not report how much is used.
    pub fn remainder(&self) -> Option<Unexplained> {
        let used = self.volume.capacity.ok()?.used();
        let known = self.known();
        Some(match used.checked_sub(known) {
            Some(missing) => Unexplained::Missing(missing),
            None => Unexplained::Shared(known - used),
        })
    }

    /// Returns the bytes that are explained.
    fn known(&self) -> u64 {
        let parts = self.parts.iter().filter(|part| part.standing == CountedAs::Used);
        let parts = parts.fold(0_u64, |sum, part| sum.saturating_add(part.bytes));
        [self.hidden(), self.deleted_bytes(), parts].into_iter().fold(self.scanned.disk, u64::saturating_add)
    }

    /// Returns the bytes covered by mount points, as far as they could be read.
    pub fn hidden(&self) -> u64 {
        let known = self.shadows.iter().filter_map(|shadow| shadow.hidden.ok());
        known.fold(0, |sum, hidden| sum.saturating_add(hidden.disk))
    }

    /// Returns the bytes of deleted but open files whose sizes are known.
    pub fn deleted_bytes(&self) -> u64 {
        self.deleted.iter().filter_map(|file| file.disk).fold(0, u64::saturating_add)
    }
}
