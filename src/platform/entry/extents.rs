//! Extents of a file. If two files share extents, deleting only one of them does not free the shared extents.
//!
//! Invariant: only regular files are opened, and their contents are neither read nor changed.

use std::ops::Range;

/// Time in seconds from a file's last change until its new data is assumed to be on the disk. Linux normally begins
/// to write data after 30 seconds.
const UNWRITTEN: i64 = 120;

/// Minimum size in bytes of a compressed extent on disk, used because the system does not report the actual size.
pub const SMALLEST_COMPRESSED: u64 = 4096;

/// Returns `true` if a file that last changed at `changed` may have new data that is not on the disk yet. Both times
/// are in seconds since 1970.
pub fn may_be_unwritten(changed: i64, now: i64) -> bool {
    changed >= now - UNWRITTEN
}

/// Support for shared extents on a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Files do not share extents, or the system does not report shared extents.
    Never,
    /// Files can share extents, and [`layout`] reports the number of bytes not shared. Deleting a file frees at most
    /// its disk usage.
    Bounded,
    /// Like [`Sharing::Bounded`], but the file system keeps a whole extent while a file refers to part of it. Deleting
    /// a file can therefore free more than its disk usage. Deleting a directory or a symbolic link may free nothing,
    /// because it may have no blocks of its own.
    Unbounded,
}

/// Layout of a file on disk, as far as the system reports it. Sizes refer to uncompressed data unless stated otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtentLayout {
    /// Number of bytes not shared with any other file.
    pub private: u64,
    /// Number of bytes on disk that certainly belong to this file alone. Blocks after the end of the file do not count,
    /// because the file system may free them before the file is deleted. A compressed or delayed extent counts as at
    /// most [`SMALLEST_COMPRESSED`] bytes: its compressed size is unknown, and a delayed extent (without a location on
    /// disk yet) may be compressed when it is written.
    pub certain: u64,
    /// Number of bytes shared with copies or file-system snapshots. Always 0 on macOS, which reports only private
    /// bytes.
    pub shared: u64,
    /// Number of bytes that are stored in compressed form, counted before compression.
    pub compressed: u64,
    /// Number of bytes that are allocated but have never been written.
    pub unwritten: u64,
    /// Number of bytes that have no location on disk yet.
    pub delayed: u64,
    /// Number of separate extents on disk; `None` if the system does not report it.
    pub pieces: Option<u64>,
    /// `true` if the file has more extents than were read.
    pub is_cut_short: bool,
    /// Time of the last change (`st_ctime`), in seconds since 1970; 0 on macOS.
    pub changed: i64,
    /// Clone ID on macOS, which is the same for all clones of a file; `None` if the system does not report it.
    pub clone: Option<u64>,
}

/// Reference from a file to an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtentReference {
    /// Data at a known location.
    Located {
        /// Offset of the data on the volume, in bytes.
        start: u64,
        /// Number of bytes; for compressed data, the smallest size that it can have on the volume.
        length: u64,
        /// `true` if the file system reports that the data is shared.
        is_shared: bool,
        /// `true` if the data is compressed; its size on the volume is then unknown.
        is_compressed: bool,
    },
    /// Data whose location is unknown, for example because it has not been written to disk yet.
    Unlocated {
        /// Number of bytes.
        length: u64,
    },
    /// Data stored in the file system's metadata.
    Inline,
}

/// Part of a file's contents that is stored in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredPart {
    /// Offset in the file at which the part begins.
    pub logical: u64,
    /// Offset on the volume at which the part begins; for compressed data, the offset at which the whole extent begins.
    pub physical: u64,
    /// Number of the file's bytes in this part, counted before compression.
    pub length: u64,
    pub form: StoredForm,
}

/// Form in which a part of a file is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoredForm {
    /// The volume contains the bytes unchanged.
    Plain,
    Compressed,
    /// The space is reserved, and nothing has been written to it.
    Reserved,
    /// The bytes are in the file system's metadata.
    Inline,
    /// The location is unknown.
    Unknown,
}

impl StoredPart {
    fn end(&self) -> u64 {
        self.logical.saturating_add(self.length)
    }

    /// Returns `true` if both parts store the byte at file offset `offset` in the same place on the volume. The
    /// caller must ensure that both parts contain this byte, with the same value.
    fn is_stored_with(&self, other: &Self, offset: u64) -> bool {
        let position = |part: &Self| match part.form {
            StoredForm::Plain => Some(part.physical.saturating_add(offset - part.logical)),
            StoredForm::Compressed => Some(part.physical),
            StoredForm::Reserved | StoredForm::Inline | StoredForm::Unknown => None,
        };
        self.form == other.form && position(self).is_some() && position(self) == position(other)
    }
}

/// Returns the ranges of a file that have space of their own on the volume, but could share the space of another file
/// with the same contents. `parts` and `other` are the parts of the two files, each sorted by file offset.
///
/// Reserved space is left out, because the program that reserved it wants to keep it. Inline data is left out, because
/// it cannot be shared.
pub fn unshared_ranges(parts: &[StoredPart], other: &[StoredPart]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let can_share = |part: &&StoredPart| !matches!(part.form, StoredForm::Reserved | StoredForm::Inline);
    for part in parts.iter().filter(can_share) {
        let mut at = part.logical;
        while at < part.end() {
            let next = other.partition_point(|other| other.end() <= at);
            let next = other.get(next).filter(|next| next.logical < part.end());
            let (is_shared, end) = match next {
                Some(next) if next.logical > at => (false, next.logical),
                Some(next) => (part.is_stored_with(next, at), next.end().min(part.end())),
                None => (false, part.end()),
            };
            match ranges.last_mut().filter(|last| last.end == at) {
                _ if is_shared => {}
                Some(last) => last.end = end,
                None => ranges.push(at..end),
            }
            at = end;
        }
    }
    ranges
}

/// Volume whose file system reports shared extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtentVolume {
    /// Identity of the volume, the same for all of its subvolumes.
    pub id: u64,
    /// `true` if deleting files never frees more bytes than their reported extents contain.
    pub is_bounded: bool,
    /// `true` if changed file data may exist only in memory, to be written to new locations on the volume later.
    pub has_unwritten_data: bool,
    /// Number of inodes in use on the volume; 0 if the file system does not report it.
    pub inodes: u64,
    /// Size of a block in bytes, at least 1.
    pub block: u64,
}

pub use super::imp::{layout, sharing, volume};

#[cfg(test)]
mod tests {
    use super::*;

    fn part(logical: u64, physical: u64, length: u64, form: StoredForm) -> StoredPart {
        StoredPart { logical, physical, length, form }
    }

    #[test]
    fn ranges_with_space_of_their_own_are_found() {
        use StoredForm::{Compressed, Inline, Plain, Reserved, Unknown};
        let source = [part(0, 100, 30, Plain), part(40, 500, 10, Compressed), part(60, 0, 5, Unknown)];
        let of = |parts: &[StoredPart]| {
            let ranges = unshared_ranges(parts, &source);
            ranges.into_iter().map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(of(&source), [(60, 65)], "all but data without a location");
        assert_eq!(of(&[]), [], "a hole has no space of its own");
        assert_eq!(of(&[part(10, 110, 20, Plain), part(40, 500, 10, Compressed)]), [], "split otherwise");
        assert_eq!(of(&[part(10, 111, 20, Plain), part(40, 501, 10, Compressed)]), [(10, 30), (40, 50)]);
        assert_eq!(of(&[part(0, 100, 50, Plain)]), [(30, 50)], "the source has a hole or another form there");
        assert_eq!(of(&[part(20, 120, 60, Plain)]), [(30, 80)]);
        assert_eq!(of(&[part(0, 0, 30, Inline), part(40, 9, 30, Reserved)]), []);
    }
}
