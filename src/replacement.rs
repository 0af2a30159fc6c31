//! Files that are written whole or not at all.
//!
//! What is written goes to a new file beside the old one and takes its place when it is complete and on the disk; so a full disk or a
//! kill leaves the old one as it was. What is no regular file (a device, a pipe) is written to as it is.
//!
//! Knows nothing of what is written. Invariant: a file that was not [`Replacement::keep`]t leaves nothing behind.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Only the owner may read what files somebody has.
const MODE: u32 = 0o600;
/// Names that are tried for the new file.
const TRIES: u32 = 100;
/// The longest name that leaves room for the rest of the new file's; names have 255 bytes.
const ROOMY: usize = 200;

/// What the name of an unfinished file ends in.
pub const UNFINISHED: &str = ".part";

/// A file being written.
pub struct Replacement {
    file: File,
    /// The new file and the name it gets; none for what is written to as it is.
    names: Option<(PathBuf, PathBuf)>,
}

impl Replacement {
    /// Begins to write what is to be at `path`.
    ///
    /// # Errors
    /// As open(2), of the file or of a new one beside it.
    pub fn begin(path: &Path) -> io::Result<Self> {
        // What a symbolic link leads to is replaced, not the link.
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        match fs::metadata(&target) {
            Ok(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                return Ok(Self { file: OpenOptions::new().write(true).open(&target)?, names: None });
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let (file, fresh) = create_beside(&target)?;
        Ok(Self { file, names: Some((fresh, target)) })
    }

    /// Puts what was written in the place of the old file.
    ///
    /// # Errors
    /// As fsync(2) and rename(2). The old file is there then.
    pub fn keep(self) -> io::Result<()> {
        self.finish(|fresh, target| fs::rename(fresh, target))
    }

    /// Puts what was written where there is no file.
    ///
    /// # Errors
    /// As fsync(2), link(2) and rename(2); [`ErrorKind::AlreadyExists`] when there is one by now. It is untouched then.
    pub fn keep_as_new(self) -> io::Result<()> {
        self.finish(|fresh, target| match fs::hard_link(fresh, target) {
            Ok(()) => fs::remove_file(fresh),
            // There are file systems without links, and no call of all systems that renames to a free name only.
            Err(error)
                if error.kind() != ErrorKind::AlreadyExists && fs::symlink_metadata(target).is_err() =>
            {
                fs::rename(fresh, target)
            }
            Err(_) => Err(ErrorKind::AlreadyExists.into()),
        })
    }

    fn finish(mut self, place: impl FnOnce(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
        let Some((fresh, target)) = &self.names else { return self.file.flush() };
        self.file.sync_all()?;
        place(fresh, target)?;
        // The name is on the disk when its folder is. Where folders cannot be flushed, that comes soon enough.
        if let Ok(folder) = File::open(folder_of(target)) {
            let _ = folder.sync_all();
        }
        self.names = None;
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some((fresh, _)) = &self.names {
            // There is nobody to tell, and the file says by its name what it is.
            let _ = fs::remove_file(fresh);
        }
    }
}

/// The folder a file is in; of a bare name the current one.
fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file of a new name in the directory of `target`.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
    for attempt in 0..TRIES {
        let mut fresh = std::ffi::OsString::from(".");
        // Beside a name that is nearly as long as names can be there is room for a shorter one only.
        if name.len() <= ROOMY {
            fresh.push(name);
        }
        fresh.push(format!(".{}-{attempt}{UNFINISHED}", std::process::id()));
        let fresh = target.with_file_name(fresh);
        match OpenOptions::new().write(true).create_new(true).mode(MODE).open(&fresh) {
            Ok(file) => return Ok((file, fresh)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_came_meanwhile_is_not_replaced_by_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let begun = || {
            let mut file = Replacement::begin(&path).unwrap();
            file.write_all(b"new").unwrap();
            file
        };
        let late = begun();
        begun().keep_as_new().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        fs::write(&path, "another").unwrap();
        assert_eq!(late.keep_as_new().unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"another");
        begun().keep().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing unfinished is left");
    }
}
