//! Hashing of file contents, with checks that the file did not change while it was read.
//!
//! Invariant: files of the same size with equal hashes of their whole contents have the same bytes. Holes count as
//! zeros, but are not read.

use super::data::SkipReason;
use super::opened::{FileLocation, NotCompared};
use super::search::DuplicateSearch;
use crate::platform::entry::contents::{ContentState, Contents, StoredContents};
use crate::platform::entry::extents::{StoredForm, StoredPart};

/// Hash of a file's or directory's contents.
pub(crate) type ContentHash = [u8; 32];

/// Length in bytes of the first and the last block of a file. These blocks are compared before the whole contents.
const END: usize = 4096;
/// Maximum length in bytes of a file that is covered completely by its first and last blocks.
pub(crate) const SHORT: u64 = 2 * END as u64;
/// Maximum number of bytes per read.
const CHUNK: usize = 128 << 10;

/// File opened for comparison.
pub(crate) struct OpenFile {
    contents: Contents,
    pub(crate) state: ContentState,
}

impl OpenFile {
    /// Opens a file, if it still has the inode and size that the scan recorded.
    pub(crate) fn open(location: &FileLocation<'_>) -> Result<Self, NotCompared> {
        let contents =
            Contents::open(location.directory, &location.name).map_err(|errno| Some(errno.into()))?;
        let state = contents.state().map_err(|errno| Some(errno.into()))?;
        location.check(&state)?;
        Ok(Self { contents, state })
    }

    /// Returns a hash of the first and the last [`END`] bytes, or of the whole contents if not longer than [`SHORT`].
    pub(crate) fn ends(&self, search: &DuplicateSearch<'_>) -> Result<ContentHash, NotCompared> {
        let size = self.state.size;
        if size <= SHORT {
            return self.whole(search);
        }
        let mut ends = [0; 2 * END];
        let (first, last) = ends.split_at_mut(END);
        self.read(search, first, 0)?;
        self.read(search, last, size - END as u64)?;
        Ok(blake3::hash(&ends).into())
    }

    /// Returns a hash of the whole contents, or an error if they changed while they were read.
    ///
    /// Blocks of zeros are skipped, and all other blocks are hashed together with their offsets. A file with holes
    /// therefore has the same hash as a file with zeros stored on disk, but its holes need not be read.
    pub(crate) fn whole(&self, search: &DuplicateSearch<'_>) -> Result<ContentHash, NotCompared> {
        let size = self.state.size;
        let length = usize::try_from(size).unwrap_or(CHUNK).min(CHUNK);
        let mut block = vec![0; length];
        let mut hasher = blake3::Hasher::new();
        let is_sparse = self.state.disk < size;
        let mut offset = 0;
        while offset < size {
            if search.task.is_cancelled() {
                return Err(Some(SkipReason::Changing));
            }
            let left = usize::try_from(size - offset).unwrap_or(CHUNK).min(length);
            let block = &mut block[..left];
            self.read(search, block, offset)?;
            let next = offset + left as u64;
            if block.iter().any(|byte| *byte != 0) {
                hasher.update(&offset.to_le_bytes());
                hasher.update(block);
                offset = next;
            } else if is_sparse {
                // The offset is rounded down to a multiple of the block length, so that blocks begin at the
                // same offsets as in a file without holes.
                let data = self.contents.next_data(next).unwrap_or(size);
                offset = next.max(data - data % length as u64);
            } else {
                offset = next;
            }
        }
        let now = self.contents.state().map_err(|errno| Some(errno.into()))?;
        if now == self.state { Ok(hasher.finalize().into()) } else { Err(Some(SkipReason::Changing)) }
    }

    /// Returns the location of the contents. Returns `None` if the file has changed, if a part is inline, or if the
    /// volume or the location of a part is unknown. Two files with equal locations and equal contents share all of
    /// their data.
    pub(crate) fn location(&self) -> Option<StoredContents> {
        let mut stored = self.contents.stored()?;
        // Blocks after the end of the file contain none of its data.
        stored.parts.retain(|part| part.logical < self.state.size);
        let is_located = |part: &StoredPart| !matches!(part.form, StoredForm::Inline | StoredForm::Unknown);
        let is_known = stored.volume.is_some() && stored.parts.iter().all(is_located);
        (is_known && self.contents.state() == Ok(self.state)).then_some(stored)
    }

    /// Fills `buffer` with the contents from `offset` on. Returns an error if the file is now too short.
    fn read(&self, search: &DuplicateSearch<'_>, buffer: &mut [u8], offset: u64) -> Result<(), NotCompared> {
        let length = self.contents.read_at(buffer, offset).map_err(|errno| Some(SkipReason::from(errno)))?;
        search.advance(length);
        if length == buffer.len() { Ok(()) } else { Err(Some(SkipReason::Changing)) }
    }
}
