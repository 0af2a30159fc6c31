//! Extents that the file system reports for each file. Reading them needs no privileges.
//!
//! On file systems that do not report shared extents, data is considered shared only between hard links.
//!
//! Invariant: a file is read only if it still has the inode that the scan recorded.

use std::ffi::CString;

use super::plan::PlannedFile;
use super::ranges::{Known, VolumeRange};
use super::sums::ExclusiveSums;
use crate::base::clock;
use crate::base::kind::Kind;
use crate::platform::entry::contents::{ContentState, Contents};
use crate::platform::entry::extents::{
    ExtentReference, ExtentVolume, Sharing, layout, may_be_unwritten, sharing, volume,
};
use crate::platform::fs::overhead::btrfs::{readable, readable_subvolume};
use crate::platform::fs::overhead::xfs::has_owners;
use crate::platform::{Directory, Errno, FileSystem};
use crate::tree::Node;

/// Minimum disk usage, in bytes, of file data that has not been written yet. Only one block is certain, because the
/// file system may compress the data.
const BLOCK: u64 = 4096;
/// Number of seconds after a file's last modification during which the file counts as being written.
const RECENT: i64 = 5;
/// Maximum ratio of the inodes in use on an XFS volume to the scanned files. Above this ratio, the space map
/// ([`VolumeSource::Map`]) is not read.
const MAP_SHARE: u64 = 8;

/// Method for finding the exclusive bytes of a file: the bytes that no other file shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// The system reports the location of each extent.
    Extents(ExtentVolume),
    /// The file system lists the extents of all files on the volume, including files outside the scan. Reading this
    /// list is faster than requesting the extents of each file.
    Volume(PartOfVolume),
    /// The system reports only how many bytes of a file are private (APFS).
    PrivateSize,
    /// Only the link count is used, because files share no extents, or because the system does not report shared
    /// extents.
    LinkCount,
}

/// Source from which the extents of all files on a volume are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VolumeSource {
    /// Trees of all subvolumes (btrfs).
    Trees,
    /// Space map with the owner of each range (XFS).
    Map,
}

/// Subvolume (btrfs) or whole volume (XFS), on a file system that lists the extents of all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartOfVolume {
    pub(crate) source: VolumeSource,
    /// Identity of the volume, common to all of its subvolumes.
    pub(crate) volume: u64,
    /// ID of the subvolume; 0 on XFS, which has none.
    pub(crate) subvolume: u64,
    /// `true` if changed file data may exist only in memory, and will be written to new locations on the volume.
    pub(crate) has_unwritten_data: bool,
    /// Size of a block in bytes, at least 1.
    pub(crate) block: u64,
}

impl Method {
    /// Returns the method for files on the file system that contains `directory`. `files` is the number of all scanned
    /// files. On XFS, the space map is used only if this number is large enough; see [`MAP_SHARE`].
    pub(crate) fn of(directory: &Directory, files: u64) -> Self {
        if !matches!(directory.file_system(), Ok(FileSystem::Ordinary)) {
            return Self::LinkCount;
        }
        let Some(volume) = volume(directory) else {
            let is_private = sharing(directory) != Sharing::Never;
            return if is_private { Self::PrivateSize } else { Self::LinkCount };
        };
        let ExtentVolume { id, has_unwritten_data, block, .. } = volume;
        let part = |source, subvolume| {
            Self::Volume(PartOfVolume { source, volume: id, subvolume, has_unwritten_data, block })
        };
        if let Ok(subvolume) = readable_subvolume(directory) {
            return part(VolumeSource::Trees, subvolume);
        }
        // The map can only be read as a whole, for all files of the volume. For a few files, this would be too slow.
        let is_large_share = files.saturating_mul(MAP_SHARE) >= volume.inodes;
        let has_map = is_large_share && readable(directory).is_ok_and(|directory| has_owners(&directory));
        if has_map { part(VolumeSource::Map, 0) } else { Self::Extents(volume) }
    }

    /// Returns `true` if directories and symbolic links certainly have the blocks that the system reports for them. On
    /// btrfs, they have no blocks of their own, because they are stored in the metadata.
    pub(crate) fn has_own_blocks(self) -> bool {
        match self {
            Self::Extents(volume) => volume.is_bounded,
            Self::Volume(part) => part.source == VolumeSource::Map,
            Self::PrivateSize | Self::LinkCount => true,
        }
    }
}

/// Returns `true` if new data of the file may not be on the disk yet.
pub(crate) fn is_new(state: &ContentState) -> bool {
    may_be_unwritten(state.changed.0, clock::now())
}

/// Opened file whose extents can be read.
pub(crate) struct OpenedFile<'d> {
    directory: &'d Directory,
    name: CString,
    contents: Contents,
    state: ContentState,
    /// `true` if the file is probably being written, so a request for its extents may block.
    pub(crate) is_recent: bool,
}

/// Extents and link count of a file.
#[derive(Debug, Default)]
pub(crate) struct FileExtents {
    references: Vec<ExtentReference>,
    /// `true` if `references` contains all extents of the file.
    is_whole: bool,
    /// State of the file's contents, read before the extents. `None` with [`Method::LinkCount`], and for an entry that
    /// is not a regular file.
    pub(crate) state: Option<ContentState>,
}

impl<'d> OpenedFile<'d> {
    /// Opens a file. Returns an error if it is no longer the file that was scanned.
    pub(crate) fn open(directory: &'d Directory, file: &PlannedFile<'_>) -> Result<Self, Errno> {
        let name = CString::new(file.entry.name).map_err(|_| Errno::EINVAL)?;
        let contents = Contents::open(directory, &name)?;
        let state = contents.state()?;
        if file.metadata.inode != state.id.inode {
            return Err(Errno::ESTALE);
        }
        let is_recent = state.modified.0 >= clock::now() - RECENT;
        Ok(Self { directory, name, contents, state, is_recent })
    }

    /// Reads the extents of the file. The call does not return while another process is writing to the file.
    pub(crate) fn read(&self, method: Method) -> Result<FileExtents, Errno> {
        let mut found = FileExtents { state: Some(self.state), ..FileExtents::default() };
        match method {
            Method::Extents(volume) => {
                let references = &mut found.references;
                // Blocks after the end of the file are not counted, because the file system may free them before the
                // file is deleted.
                let end = self.state.size.next_multiple_of(volume.block);
                found.is_whole = self.contents.references(end, &mut |extent| references.push(extent))?;
            }
            Method::PrivateSize => {
                let private = layout(self.directory, &self.name)?.certain;
                found.references.push(ExtentReference::Unlocated { length: private });
            }
            Method::Volume(_) | Method::LinkCount => {}
        }
        Ok(found)
    }
}

/// Returns `true` if files of this kind have extents that can be read.
pub(crate) fn has_extents(kind: Kind) -> bool {
    kind == Kind::File
}

impl FileExtents {
    /// Returns a value without extents, for a file whose volume is read as a whole.
    pub(crate) fn in_volume(state: Option<ContentState>) -> Self {
        Self { state, ..Self::default() }
    }

    /// Returns the link count of the file; 0 if the state was not read.
    pub(crate) fn links(&self) -> u64 {
        self.state.map_or(0, |state| state.links)
    }

    /// Adds the file's extents to `sums`. `volume` is the index of the file's volume.
    pub(crate) fn add(&self, sums: &mut ExclusiveSums, names: &[Node], method: Method, volume: usize) {
        let mut is_bounded = self.is_whole;
        let unreferenced = self.unreferenced();
        // XFS overwrites unshared data in place, but stores changes to shared data in new blocks. Until the changes
        // are on the disk, the new blocks count toward the disk usage, but are not part of any extent.
        let is_in_place = matches!(method, Method::Extents(volume) if volume.is_bounded);
        let may_move = self.state.as_ref().is_some_and(is_new)
            && match method {
                Method::Extents(volume) => volume.has_unwritten_data || is_in_place && unreferenced > 0,
                Method::Volume(_) | Method::PrivateSize | Method::LinkCount => false,
            };
        for reference in &self.references {
            match *reference {
                ExtentReference::Located { start, length, is_shared, is_compressed } => {
                    let known = match is_shared {
                        _ if may_move && (is_shared || !is_in_place) => Known::SomeTransient,
                        true => Known::Some,
                        false => Known::All,
                    };
                    sums.refer(names, VolumeRange { volume, start, length }, known);
                    is_bounded &= !is_compressed;
                }
                ExtentReference::Unlocated { length } if method == Method::PrivateSize => {
                    sums.hold(names, length);
                }
                ExtentReference::Unlocated { length } => {
                    if !may_move || is_in_place {
                        sums.hold(names, length.min(BLOCK));
                    }
                    is_bounded = false;
                }
                ExtentReference::Inline => {}
            }
        }
        // If the link count is less than the number of names, some names have been deleted since the scan. `sums` still
        // counts the deleted names as references to the data, so deleting the remaining names may free more bytes than
        // `sums` shows.
        if !is_in_place || !is_bounded || self.links() < names.len() as u64 {
            return mark_as_lower_bound(sums, names);
        }
        sums.may_hold(names, unreferenced);
    }

    /// Returns the number of bytes of the disk usage that are in no extent. XFS reserves such bytes after the end of a
    /// growing file. When shared data is overwritten, XFS also reserves up to 128 KiB next to the new data for further
    /// changes, and frees the reserved space after a few minutes.
    fn unreferenced(&self) -> u64 {
        let located = self.references.iter().map(|reference| match *reference {
            ExtentReference::Located { length, .. } => length,
            ExtentReference::Unlocated { .. } | ExtentReference::Inline => 0,
        });
        let disk = self.state.map_or(0, |state| state.disk);
        disk.saturating_sub(located.fold(0, u64::saturating_add))
    }
}

/// Records that deleting any of these names may free more bytes than `sums` shows.
pub(crate) fn mark_as_lower_bound(sums: &mut ExclusiveSums, names: &[Node]) {
    for node in names {
        sums.mark_as_lower_bound(*node);
    }
}
