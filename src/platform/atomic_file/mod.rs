//! Files that are written completely or not at all.
//!
//! The data is written to a new file in the directory of the target. The new file replaces the old one once
//! the data is complete and on disk. If the disk is full or the process is killed, the old file remains
//! unchanged. If the target is not a regular file (a device, a pipe), the data is written directly to the
//! target.
//!
//! Invariant: no new file remains unless [`AtomicFile::keep`] or [`AtomicFile::keep_as_new`] is called.

mod draft;

use std::io::{self, Write};
use std::path::Path;

use crate::platform::Errno;
use crate::platform::entry::safe_path::Output;
use draft::DraftFile;

pub use draft::UNFINISHED;

/// File that is being written. A new file is deleted on drop, unless [`AtomicFile::keep`] or
/// [`AtomicFile::keep_as_new`] has given it its final name.
pub struct AtomicFile {
    // This field must be dropped before `output`, so it is declared first. While `draft` has registered a temporary
    // file for deletion, the directory of that file must stay open, and `output` keeps it open.
    draft: DraftFile,
    output: Output,
}

impl AtomicFile {
    /// Starts writing the file `path`. If `path` is a symbolic link, the target of the link will be replaced.
    ///
    /// # Errors
    /// Returns any error of open(2) for `path` or for the new file that will replace it. Returns
    /// [`io::ErrorKind::PermissionDenied`] for a link that another user could have planted.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let output = Output::find(path)?;
        let draft = if output.is_stream {
            DraftFile::stream(output.open_stream()?)
        } else {
            DraftFile::begin(&output)?
        };
        Ok(Self { draft, output })
    }

    /// Replaces the old file, if there is one, with the written data.
    ///
    /// # Errors
    /// Returns any error of fsync(2), link(2) and rename(2). After an error, the old file is unchanged.
    pub fn keep(self) -> io::Result<()> {
        self.finish(DraftFile::replace)
    }

    /// Gives the file its final name unless another file already has that name.
    ///
    /// # Errors
    /// Returns any error of fsync(2), link(2) and rename(2), such as [`io::ErrorKind::AlreadyExists`] if another file
    /// has the name. That file is not changed.
    pub fn keep_as_new(self) -> io::Result<()> {
        self.finish(DraftFile::put_new)
    }

    fn finish(mut self, put: impl FnOnce(&mut DraftFile, &Output) -> Result<(), Errno>) -> io::Result<()> {
        if self.output.is_stream {
            return self.draft.file.flush();
        }
        self.draft.file.sync_all()?;
        put(&mut self.draft, &self.output)?;
        // Writes the new name to disk. Errors are ignored, because some systems cannot flush directories.
        let _ = self.output.directory.sync();
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.draft.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        self.draft.discard(&self.output.directory);
    }
}
