//! A file that is written whole or not at all.
//!
//! What is written goes to a temporary file beside the target, for its owner alone, which is flushed to the disk and then takes the
//! target's name: a full disk, an error or the end of the program leave what was there before. Devices and pipes have no
//! name to take; they are written to as they are.
//!
//! Knows nothing of what is written. Invariant: a name shows the old content or all of the new.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What the names of temporary files end in, behind the number of the process.
pub const TEMPORARY: &str = ".duke-tmp";

/// How many names are tried for a temporary file.
const TRIES: u32 = 64;

/// A file being written. Dropped without [`Output::finish`] it leaves nothing behind.
pub struct Output {
    file: File,
    /// The temporary file and whose name it takes; none where bytes go straight to where they shall go.
    replaces: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Begins to write what `path` shall hold. A symbolic link stays one: what it leads to is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written to, or what is there cannot be.
    pub fn create(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(there) if !there.is_file() => {
                Ok(Self { file: OpenOptions::new().write(true).open(path)?, replaces: None })
            }
            Ok(_) => Self::beside(fs::canonicalize(path)?),
            Err(error) if error.kind() == ErrorKind::NotFound => Self::beside(path.to_owned()),
            Err(error) => Err(error),
        }
    }

    /// Standard output.
    ///
    /// # Errors
    /// When there is none.
    pub fn standard() -> io::Result<Self> {
        use std::os::fd::AsFd;
        let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self { file, replaces: None })
    }

    fn beside(target: PathBuf) -> io::Result<Self> {
        let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
        for attempt in 0..TRIES {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{attempt}{TEMPORARY}", std::process::id()));
            // Where the name is too long with all that, something shorter serves as well.
            let hidden = if hidden.len() > 255 {
                format!(".{}-{attempt}{TEMPORARY}", std::process::id()).into()
            } else {
                hidden
            };
            let temporary = target.with_file_name(hidden);
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary) {
                Ok(file) => return Ok(Self { file, replaces: Some((temporary, target)) }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Makes what was written the content of the file, for good.
    ///
    /// # Errors
    /// When it cannot be brought to the disk or get its name; the old file is there then.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some((temporary, target)) = &self.replaces {
            self.file.sync_all()?;
            fs::rename(temporary, target)?;
            // The name is on the disk when its folder is. Where folders cannot be flushed, it comes to that soon.
            if let Some(Ok(folder)) = target.parent().map(|folder| File::open(or_here(folder))) {
                let _ = folder.sync_all();
            }
            self.replaces = None;
        }
        Ok(())
    }
}

/// The folder of a bare name is the current one.
fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.replaces {
            // Nothing can be done about one that stays.
            let _ = fs::remove_file(temporary);
        }
    }
}
